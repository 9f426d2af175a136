//! The page of a mechanism: what each assumption does to it, with the shortest schedule
//! that goes wrong in words, and as faults on a stage.

use racescope::tell::{self, FaultKind, beyond_what_is_assumed, exact_clause_of_fault, story};
use racescope_engine::check::judge;
use racescope_engine::sim::{Crash, Fault, Scenario, Schedule, run_replay, run_timed};
use racescope_lesson::{Case, Column, Lesson, Matrix, Mechanism, Row as Named, StagedFault, Variant};

use super::table::{exact, why_not};
use super::{Cell, Row};
use crate::html::escape;
use crate::sheet::parts;

/// What the page carries for the app.
pub fn carried(matrix: &Matrix, row: &Named, found: &Row) -> Mechanism {
    let lesson = Lesson {
        id: row.id.clone(),
        title: matrix.variant(row).title.clone(),
        shelf: String::new(),
        summary: format!("{}.", matrix.variant(row).remark),
        shows_us: 0,
        cursor_us: None,
        bounds: matrix.study(row).bounds,
        faults: Vec::new(),
        variants: panes(matrix, row),
        sections: Vec::new(),
        prediction: None,
        challenges: Vec::new(),
        questions: Vec::new(),
        sources: Vec::new(),
    };
    let cases = matrix.columns.iter().zip(&found.cells).map(|(column, cell)| case(matrix, row, column, cell));
    Mechanism { lesson, cases: cases.collect() }
}

/// The mechanism itself, and then what else its file has.
fn panes(matrix: &Matrix, row: &Named) -> Vec<Variant> {
    let own = matrix.variant(row);
    let others = matrix.study(row).variants.iter().filter(|other| other.id != own.id);
    [own].into_iter().chain(others).cloned().collect()
}

fn case(matrix: &Matrix, row: &Named, column: &Column, cell: &Cell) -> Case {
    let scenario = matrix.scenario(row, column);
    let faults = cell.faults.clone().unwrap_or_default();
    let shows_us = shown_us(&scenario, &faults);
    let staged = faults.into_iter().map(|fault| {
        let fault = ends_on_stage(fault, shows_us);
        StagedFault { fault, label: FaultKind::of(&fault).name().to_string() }
    });
    Case {
        id: column.id.clone(),
        title: column.title.clone(),
        said: said(&scenario, row, column, cell),
        bounds: column.bounds,
        granularity: column.granularity,
        shows_us,
        faults: staged.collect(),
    }
}

/// What was counted, in sentences.
fn said(scenario: &Scenario, row: &Named, column: &Column, cell: &Cell) -> String {
    let assumed = tell::what_is_assumed(scenario, &column.bounds);
    let harm = tell::mark(row.harm);
    let beyond = cell.faults.as_deref().and_then(|faults| beyond_what_is_assumed(faults, &column.bounds));
    let beyond = beyond.map_or_else(String::new, |why| format!(" {why}"));
    if !cell.applies {
        let why = why_not(&column.bounds);
        return format!(
            "{}: this doesn’t apply, since {why}. Counted is {harm}: {}, as if nothing goes wrong. Counted with {assumed}.{beyond}",
            column.title,
            exact(cell)
        );
    }
    let how = match (&cell.faults, cell.is_broken()) {
        (_, false) => "There is nothing to play.",
        (Some(faults), true) if faults.is_empty() => "It happens by itself, as the stage shows.",
        (Some(_), true) if is_shortest(cell) => "The shortest stands on the stage as faults.",
        (Some(_), true) => "One of them stands on the stage as faults.",
        (None, true) => "No times were found for one of them.",
    };
    format!("{}: {harm}: {}. Counted with {assumed}. {how}{beyond}", column.title, exact(cell))
}

/// Whether the stage shows the shortest schedule, up to what nobody can notice.
fn is_shortest(cell: &Cell) -> bool {
    let sorted = |schedule: &Schedule| {
        let mut actions: Vec<String> = schedule.actions.iter().map(ToString::to_string).collect();
        actions.sort();
        actions
    };
    cell.played.as_ref().map(sorted) == cell.shortest.as_ref().map(sorted)
}

/// How much time the stage shows: until a little after the harm, or all that happens.
fn shown_us(scenario: &Scenario, faults: &[Fault]) -> u64 {
    let trace = run_timed(scenario, faults);
    let found = judge(scenario, &trace);
    let last_us = found.harm().first().map_or(trace.end_us(), |finding| trace.event(finding.event).at_us);
    (last_us + last_us / 8).div_ceil(1_000_000).max(1) * 1_000_000
}

/// A node that nobody needs again is down until the end of the stage, not of all days.
fn ends_on_stage(fault: Fault, shows_us: u64) -> Fault {
    match fault {
        Fault::Crash(crash) if crash.at_us.saturating_add(crash.lasts_us) > 10 * shows_us => {
            Fault::Crash(Crash { lasts_us: shows_us.saturating_sub(crash.at_us).max(1), ..crash })
        }
        other => other,
    }
}

/// The text of the page, which stands without a script, too.
pub fn text(matrix: &Matrix, row: &Named, found: &Row) -> String {
    let Mechanism { lesson, cases } = carried(matrix, row, found);
    let parts = parts("../../", "");
    let mut html = format!("<header class=\"top\"><a class=\"brand\" href=\"../../\">Racescope</a>{parts}</header>");
    let (title, summary) = (escape(&lesson.title), escape(&lesson.summary));
    html += &format!("<main class=\"front\" id=\"main\"><h1>{title}</h1><p class=\"lead\">{summary}</p>");
    for ((case, column), cell) in cases.iter().zip(&matrix.columns).zip(&found.cells) {
        let (id, title, said) = (escape(&case.id), escape(&case.title), escape(&case.said));
        html += &format!("<section id=\"{id}\"><h2>{title}</h2><p>{said}</p>");
        html += &played(&matrix.scenario(row, column), cell, case);
        html += "</section>";
    }
    html + "</main>"
}

/// The schedule that the stage plays, an event a line, and by what it comes. Without times
/// for any, it is the shortest that goes wrong.
fn played(scenario: &Scenario, cell: &Cell, case: &Case) -> String {
    let schedule = cell.played.as_ref().or(cell.shortest.as_ref());
    let Some(trace) = schedule.and_then(|schedule| run_replay(scenario, schedule).ok()) else {
        return String::new();
    };
    let verdict = judge(scenario, &trace);
    let lines = story(scenario, &trace, &verdict).into_iter().fold(String::new(), |lines, line| {
        lines + &format!("<li>{}: {}</li>", escape(&line.place), escape(&line.sentence))
    });
    let clauses: Vec<String> =
        case.faults.iter().map(|staged| exact_clause_of_fault(scenario, &staged.fault)).collect();
    let by = if clauses.is_empty() {
        String::new()
    } else {
        format!("<p>It happens if {}.</p>", escape(&clauses.join(", ")))
    };
    format!("<ol>{lines}</ol>{by}")
}
