//! What came of the gate as a page that needs no script.

use racescope_engine::gate::Times;

use racescope::tell::grouped;

use super::super::figure::Bars;
use super::super::html::escape;
use super::super::sheet::Sheet;
use super::Passage;
use super::words::{ABOUT, failures, harms, headline, histogram, in_short, refusals, writes};

const TITLE: &str = "The release gate of signed grants";

const LEAD: &str = "A lease only allows its holder to try. What counts is what the resource accepts: so signed \
    grants, and the resources that check them, are run through schedules in which owners pause, messages are late, \
    lost, doubled and out of order, a registry is set back, and attackers forge and alter. A judge with books of its \
    own looks at every write that is accepted.";

/// The page, made of the page of the app.
pub fn page(app: &str, passage: &Passage) -> String {
    Sheet { folder: "gate", title: TITLE, about: &headline(passage) }.page(app, &main(passage))
}

fn main(passage: &Passage) -> String {
    let mut html = format!(
        "<div class=\"story intro\"><div><h1>{TITLE}</h1><p>{}</p></div><p class=\"headline\">{}</p>{FINE}</div>",
        escape(LEAD),
        escape(&headline(passage))
    );
    html += "<div class=\"cards three\">";
    html += &counts("Accepted although it must not be", "", &harms(passage));
    html += &counts("What was made to go wrong, and how often", "", &failures(passage));
    html += &counts("What became of the writes", &writes(passage), &refusals(passage));
    html += "</div><div class=\"cards\">";
    let times = [passage.summary.hand_offs(), passage.summary.reconciliations()];
    for ((title, about), times) in ["Hand-off", "Reconciliation"].into_iter().zip(ABOUT).zip(times) {
        html += &distribution(title, about, &times);
    }
    let bounds = escape(&passage.exhaustive.bounds.to_string());
    html + &format!(
        "<section class=\"card\"><h2>A small instance, searched to its end</h2><p>Two owners, one resource, and \
         somebody who alters a grant; {bounds}. {}</p></section>{AGAIN}</div>",
        escape(&passage.exhaustive.sentence())
    )
}

const FINE: &str = "<p class=\"fine\">Random schedules find; they never prove. The search to its end proves, for its \
    instance.</p>";

const AGAIN: &str = "<section class=\"card\"><h2>Run it yourself</h2><pre tabindex=\"0\"><code>racescope gate\n\
    racescope gate --seed 7 --replay 12\nracescope gate --without fence</code></pre><p>The last one leaves a check \
    out, and the gate has to fail: that shows that it can.</p></section>";

fn counts(title: &str, about: &str, counts: &[(&str, u32)]) -> String {
    let about = if about.is_empty() { String::new() } else { format!("<p>{}</p>", escape(about)) };
    let row = |(name, count): &(&str, u32)| {
        let count = grouped(&count.to_string());
        format!("<tr><th scope=\"row\">{}</th><td>{count}</td></tr>", escape(name))
    };
    let rows: String = counts.iter().map(row).collect();
    format!(
        "<section class=\"card\"><h2>{}</h2>{about}<table class=\"figures\"><tbody>{rows}</tbody></table></section>",
        escape(title)
    )
}

fn distribution(title: &str, about: &str, times: &Times) -> String {
    let bars = histogram(times);
    let chart = Bars {
        about: &format!("{title}: how often it took so long"),
        names: bars.iter().map(|(name, _)| short(name)).collect(),
        rows: vec![bars.iter().map(|(_, count)| f64::from(u32::try_from(*count).unwrap_or(u32::MAX))).collect()],
        written: |count| grouped(&format!("{count:.0}")),
        notes: Vec::new(),
        little_is_written: true,
    };
    let row = |(name, count): &(String, usize)| {
        format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>", escape(name), grouped(&count.to_string()))
    };
    format!(
        "<section class=\"card\"><h2>{title}</h2><p>{} {}.</p>{}<details><summary>The numbers: {title}</summary>\
         <table class=\"figures\"><tbody>{}</tbody></table></details></section>",
        escape(about),
        escape(&in_short(times)),
        chart.svg(),
        bars.iter().map(row).collect::<String>()
    )
}

/// The bound of a bar where there is little room: `< 2,000 ms` as `<2 s`.
fn short(name: &str) -> String {
    let ms = name.replace([',', ' '], "");
    match ms.strip_suffix("000ms") {
        Some(seconds) => format!("{seconds}s"),
        None => ms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_short_below_its_bar() {
        assert_eq!(["< 10 ms", "< 2,000 ms", "≥ 60,000 ms"].map(short), ["<10ms", "<2s", "≥60s"]);
    }

    #[test]
    fn the_page_says_what_the_command_says() {
        let passage = Passage::of(1, None, 200);
        let page = page("</head><!-- page -->", &passage);
        assert!(
            page.contains(
                "200 random schedules of signed grants from the seed 1: nothing bad was accepted; of all 7,422"
            )
        );
        for part in ["<th scope=\"row\">stale</th><td>0</td>", "NOT_HELD", "p99", "searched to its end"] {
            assert!(page.contains(part), "the page says: {part}");
        }
    }
}
