//! What came of the race as a page that needs no script.

use racescope::tell::{grouped, rounded};

use super::super::figure::Bars;
use super::super::html::escape;
use super::super::sheet::Sheet;
use super::{Outcome, Race};

const TITLE: &str = "The voucher race";

const ABOUT: &str = "One voucher, twenty clients. Each looks whether it is still there and then takes it. How many get \
    one? Not a measurement: every schedule is counted.";

/// What a laboratory measured once, by the mechanism: so many of twenty clients got one.
const MEASURED: [(&str, usize); 2] = [("check-then-act", 16), ("naive-lock", 9)];

/// The page, made of the page of the app.
pub fn page(app: &str, races: &[Race]) -> String {
    let mut main = format!(
        "<div class=\"story intro\"><div><h1>{TITLE}</h1><p>{}</p></div>{KEY}{FINE}</div><div class=\"cards\">",
        escape(ABOUT)
    );
    for race in races {
        main += &card(race);
    }
    Sheet { folder: "voucher", title: TITLE, about: ABOUT }.page(app, &(main + "</div>"))
}

const KEY: &str = "<ul class=\"key\" aria-label=\"How to read a chart\">\
    <li><svg class=\"sw\" viewBox=\"0 0 60 20\" aria-hidden=\"true\"><rect class=\"bar-first\" x=\"20\" y=\"2\" width=\"20\" height=\"16\"/></svg>\
    <span>At each step, everything that can be next is equally likely: what a fair scheduler does</span></li>\
    <li><svg class=\"sw\" viewBox=\"0 0 60 20\" aria-hidden=\"true\"><rect class=\"bar-second\" x=\"20\" y=\"2\" width=\"20\" height=\"16\"/></svg>\
    <span>Every schedule is equally likely: how many of all orders there are</span></li></ul>";

const FINE: &str = "<div class=\"fine\"><p>Both are exact. They differ so much because in most orders nearly everybody \
    looks before anybody takes; a scheduler that chooses step by step rarely ends up in one of these. \
    <code>racescope explore tests/scenarios/voucher.toml --set clients=20 --look-for nothing</code> counts it again.</p>\
    <p>A laboratory saw 16 of 20 without a lock and 9 of 20 with a naive one. Each is one point of a distribution: a \
    measurement shows which schedule came up, not which can.</p></div>";

fn card(race: &Race) -> String {
    let (title, remark) = (escape(&race.variant.title), escape(&race.variant.remark));
    let most = race.outcomes.iter().rposition(|outcome| !outcome.schedules.is_zero()).map_or(0, |place| place + 1);
    let schedules = rounded(&race.schedules.decimal());
    let states = grouped(&race.states.to_string());
    let verdict = if most == 1 {
        format!("1 of {} in every one of {schedules} schedules", race.outcomes.len())
    } else {
        format!("1 to {most} of {}, over {schedules} schedules", race.outcomes.len())
    };
    format!(
        "<section class=\"card\"><h2>{title}</h2><p class=\"remark\">{remark}</p><p><b>{verdict}</b>, counted in \
         {states} states.</p>{}{}</section>",
        chart(race),
        numbers(race)
    )
}

fn chart(race: &Race) -> String {
    let share = |share: &racescope_engine::explore::Share| share.decimal(9).parse().unwrap_or(0.0) * 100.0;
    let about = format!("{}: how likely it is that so many clients get a voucher", race.variant.title);
    let note = |(_, grants): &(&str, usize)| (grants - 1, "measured once");
    let measured = MEASURED.iter().filter(|(id, _)| *id == race.variant.id);
    Bars {
        about: &about,
        names: (1..=race.outcomes.len()).map(|grants| grants.to_string()).collect(),
        rows: vec![
            race.outcomes.iter().map(|outcome| share(&outcome.by_step)).collect(),
            race.outcomes.iter().map(|outcome| share(&outcome.by_schedule)).collect(),
        ],
        written: |percent| format!("{percent:.0} %"),
        notes: measured.filter(|(_, grants)| *grants <= race.outcomes.len()).map(note).collect(),
        // The numbers have no room beside each other; the table has them.
        little_is_written: false,
    }
    .svg()
}

fn numbers(race: &Race) -> String {
    let is_met = |(_, outcome): &(usize, &Outcome)| !outcome.schedules.is_zero();
    let row = |(grants, outcome): (usize, &Outcome)| {
        let (by_step, by_schedule) = (percent(&outcome.by_step.decimal(12)), percent(&outcome.by_schedule.decimal(12)));
        let schedules = rounded(&outcome.schedules.decimal());
        format!("<tr><th scope=\"row\">{grants}</th><td>{by_step}</td><td>{by_schedule}</td><td>{schedules}</td></tr>")
    };
    format!(
        "<details><summary>The numbers: {}</summary><table class=\"figures\"><thead><tr><th scope=\"col\">Get one</th>\
         <th scope=\"col\">Step by step</th><th scope=\"col\">All schedules</th><th scope=\"col\">Schedules</th></tr>\
         </thead><tbody>{}</tbody></table></details>",
        escape(&race.variant.title),
        (1..).zip(&race.outcomes).filter(is_met).map(row).collect::<String>()
    )
}

/// A decimal fraction as a percentage with as many digits as say something: "0.000123 %".
fn percent(fraction: &str) -> String {
    let percent = fraction.parse::<f64>().unwrap_or(0.0) * 100.0;
    match percent {
        0.0 => "below 10⁻¹⁰ %".to_string(),
        percent if percent >= 0.01 => format!("{percent:.2} %"),
        percent => format!("{percent:.10}").trim_end_matches('0').to_string() + " %",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_counts_of_a_small_race() {
        let page = page("</head><!-- page -->", &Race::all(3));
        for part in [
            "<h2>No lock</h2>",
            "1 to 3 of 3, over 66 schedules",
            "<tr><th scope=\"row\">2</th><td>",
            "<td>24</td>",
            "<h2>Conditional UPDATE</h2>",
            "1 of 3 in every one of",
        ] {
            assert!(page.contains(part), "the page says: {part}");
        }
    }

    #[test]
    fn a_share_has_the_digits_that_say_something() {
        let written = ["0.25", "0.00012345", "0.000000000001", "0"].map(percent);
        assert_eq!(written, ["25.00 %", "0.01 %", "0.0000000001 %", "below 10⁻¹⁰ %"]);
    }
}
