//! The page and the command line tell the same run.

use std::process::Command;

use racescope::app::{Message, State};
use racescope::tell::{rows, time};
use serde_json::Value;

use crate::stage::{Shown, lesson_of};
use crate::support::Page;

in_each_browser!(
    each_lesson_shows_the_events_times_and_verdicts_that_the_command_prints,
    the_list_of_events_is_in_the_order_of_time_and_leads_to_each_moment,
    the_table_of_states_says_what_a_native_run_says_at_each_moment,
);

/// An event of one variant: when, where and what.
type Told = (String, String, String);

/// The list of events and the verdict of one variant.
#[derive(Debug, PartialEq)]
struct Record {
    events: Vec<Told>,
    verdict: String,
}

/// What `racescope run LESSON --json` prints, variant by variant.
fn printed(lesson: &str) -> Vec<Record> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_racescope"));
    command.args(["run", lesson, "--json"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.output().expect("the program can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("JSON is text");
    text.lines().map(|line| record(&serde_json::from_str(line).expect("each line is JSON"))).collect()
}

/// One line of it. Like the page, it has one entry for a moment and a place.
fn record(run: &Value) -> Record {
    let word = |value: &Value| value.as_str().expect("this is a text").to_string();
    let mut events: Vec<(u64, Told)> = Vec::new();
    for event in run["events"].as_array().expect("there are events") {
        let at_us = event["at_us"].as_u64().expect("a time is a number");
        let (at, place, sentence) = (word(&event["at"]), word(&event["place"]), word(&event["sentence"]));
        match events.iter_mut().find(|(known_us, known)| *known_us == at_us && known.1 == place) {
            Some((_, (_, _, said))) => *said += &format!("; {sentence}"),
            None => events.push((at_us, (at, place, sentence))),
        }
    }
    let mut events: Vec<Told> = events.into_iter().map(|(_, told)| told).collect();
    events.sort();
    let verdict = format!("{} {}", word(&run["verdict"]["headline"]), word(&run["verdict"]["reason"]));
    Record { events, verdict }
}

/// What the page shows, variant by variant.
async fn shown(page: &Page) -> Vec<Record> {
    let rows: Vec<(String, String, Vec<String>)> = page
        .run(
            "const panes = document.querySelectorAll('.events thead th').length - 2;
             const said = cell => {
                 const copy = cell.cloneNode(true);
                 const harm = copy.querySelector('b');
                 if (harm) { harm.previousSibling.remove(); harm.remove(); }
                 return copy.textContent.trim();
             };
             return [...document.querySelectorAll('.events tbody tr')].map(row => {
                 const [place, ...cells] = row.querySelectorAll('td');
                 const all = cells.length === panes ? cells : Array(panes).fill(cells[0]);
                 return [row.querySelector('th').textContent.trim(), place.textContent, all.map(said)];
             })",
        )
        .await;
    let verdicts = Shown::on(page).await.verdicts;
    let variant = |(place, verdict): (usize, String)| {
        let happened = rows.iter().filter(|(_, _, cells)| cells[place] != "—");
        let mut events: Vec<Told> =
            happened.map(|(at, actor, cells)| (at.clone(), actor.clone(), cells[place].clone())).collect();
        events.sort();
        Record { events, verdict }
    };
    verdicts.into_iter().enumerate().map(variant).collect()
}

async fn each_lesson_shows_the_events_times_and_verdicts_that_the_command_prints(page: &Page) {
    for lesson in racescope::library().lessons {
        page.open(&format!("lessons/{}/", lesson.id)).await;
        let (shown, printed) = (shown(page).await, printed(&lesson.id));
        assert_eq!(shown.len(), lesson.variants.len());
        assert!(shown.iter().all(|record| record.events.len() > 10), "{shown:?}");
        for (variant, (shown, printed)) in lesson.variants.iter().zip(shown.iter().zip(&printed)) {
            assert_eq!(shown, printed, "{}, {}", lesson.id, variant.id);
        }
    }
}

async fn the_list_of_events_is_in_the_order_of_time_and_leads_to_each_moment(page: &Page) {
    page.open("lessons/early-check/").await;
    let times: Vec<f64> =
        page.value("[...document.querySelectorAll('.events tbody th')].map(th => parseFloat(th.textContent))").await;
    assert!(times.is_sorted(), "{times:?}");
    let script = "document.querySelectorAll('.events tbody .at')[4].click();";
    page.act(script).await;
    assert_eq!(Shown::on(page).await.playhead, format!("{:.2}", times[4]));
}

async fn the_table_of_states_says_what_a_native_run_says_at_each_moment(page: &Page) {
    for lesson in racescope::library().lessons {
        let path = format!("lessons/{}/", lesson.id);
        page.open(&path).await;
        let state = State::new(lesson_of(&path));
        for at_us in state.moments().into_iter().step_by(5).chain([0, state.end_us]) {
            let hundredths = at_us / 10_000;
            // The slider goes by the time that passes on the plot.
            let shown = state.scale.shown_us(hundredths * 10_000) / 10_000;
            page.act(&format!(
                "const slider = document.querySelector('.scrub input');
                     slider.value = {shown};
                     slider.dispatchEvent(new InputEvent('input', {{ bubbles: true }}))"
            ))
            .await;
            let expected = state_rows(&state.update(Message::Seek(hundredths * 10_000)));
            let heading = format!("At {}", time(hundredths * 10_000));
            page.wait_for(&format!("document.querySelector('.cursor h3').textContent === {heading:?}")).await;
            assert_eq!(table(page).await, expected, "{} at {}", lesson.id, time(at_us));
        }
    }
}

/// The rows that a state has at its playhead: a label, then a cell for each pane.
fn state_rows(state: &State) -> Vec<Vec<String>> {
    let panes = state.lesson.variants.iter().zip(&state.panes);
    let columns: Vec<_> = panes.map(|(variant, pane)| rows(&variant.scenario, &pane.trace, state.cursor_us)).collect();
    let row = |place: usize| {
        let cells = columns.iter().map(|column| {
            let row = &column[place];
            let untrue = if row.untrue { " false" } else { "" };
            let was = row.was.as_ref().map_or_else(String::new, |was| format!(" was {was}"));
            format!("{}{untrue}{was}", row.value)
        });
        std::iter::once(columns[0][place].label.clone()).chain(cells).collect()
    };
    (0..columns[0].len()).map(row).collect()
}

async fn table(page: &Page) -> Vec<Vec<String>> {
    page.run(
        "const words = node => [...node.childNodes].map(part => part.textContent.trim()).filter(Boolean).join(' ');
         return [...document.querySelectorAll('.state tbody tr')].map(row => [...row.children].map(words))",
    )
    .await
}
