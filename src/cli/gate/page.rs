//! What came of the gate as a page that needs no script.

use racescope_engine::gate::Times;

use super::super::html::{between, escape, titled, top};
use super::super::pages::PLACE;
use super::Passage;
use super::words::{ABOUT, failures, harms, headline, histogram, in_short, refusals, writes};

const TITLE: &str = "The release gate of signed grants";

const LEAD: &str = "A lease only allows its holder to try. What counts is what the resource accepts: so signed \
    grants, and the resources that check them, are run through schedules in which owners pause, messages are late, \
    lost, doubled and out of order, a registry is set back, and attackers forge and alter. A judge with books of its \
    own looks at every write that is accepted.";

/// The page, made of the page of the app.
pub fn page(app: &str, passage: &Passage) -> String {
    let page = titled(app, TITLE, &headline(passage));
    // The page is complete as it is: the app isn't started.
    let page = between(&page, "<script type=\"module\"", "</script>", "");
    let page = between(&page, "<noscript>", "</noscript>", "");
    page.replace("=\"./", "=\"../").replace(PLACE, &text(passage))
}

fn text(passage: &Passage) -> String {
    let mut html = top("../", "<a href=\"../matrix/\">Safety matrix</a>");
    html += &format!("<main class=\"front\" id=\"main\"><div class=\"lead-in\"><h1>{TITLE}</h1>");
    html += &format!("<p class=\"lead\">{}</p>", escape(LEAD));
    html += &format!("<p><b>{}</b></p></div>", escape(&headline(passage)));
    html += &table("Accepted although it must not be", &harms(passage));
    html += &table("What was made to go wrong, and how often", &failures(passage));
    html += &format!("<h2>What became of the writes</h2><p>{}</p>", escape(&writes(passage)));
    html += &rows(&refusals(passage));
    let times = [passage.summary.hand_offs(), passage.summary.reconciliations()];
    for ((title, about), times) in ["Hand-off", "Reconciliation"].into_iter().zip(ABOUT).zip(times) {
        html += &distribution(title, about, &times);
    }
    let bounds = escape(&passage.exhaustive.bounds.to_string());
    html += &format!(
        "<h2>A small instance, searched to its end</h2><p>Two owners, one resource, and somebody who \
        alters a grant; {bounds}. {}</p>",
        escape(&passage.exhaustive.sentence())
    );
    html += "<p>Random schedules find; they never prove. The search to its end proves, for its instance.</p>";
    html += "<h2>Run it yourself</h2><pre tabindex=\"0\"><code>racescope gate\nracescope gate --seed 7 --replay 12\n\
        racescope gate --without fence</code></pre>";
    html + "<p>The last one leaves a check out, and the gate has to fail: that shows that it can.</p></main>"
}

fn table(title: &str, counts: &[(&str, u32)]) -> String {
    format!("<h2>{}</h2>{}", escape(title), rows(counts))
}

fn rows(counts: &[(&str, u32)]) -> String {
    let row = |(name, count): &(&str, u32)| {
        let count = racescope::tell::grouped(&count.to_string());
        format!("<tr><th scope=\"row\">{}</th><td>{count}</td></tr>", escape(name))
    };
    format!("<table><tbody>{}</tbody></table>", counts.iter().map(row).collect::<String>())
}

fn distribution(title: &str, about: &str, times: &Times) -> String {
    let bars = escape(&histogram(times).join("\n"));
    format!(
        "<h2>{title}</h2><p>{} {}.</p><pre tabindex=\"0\"><code>{bars}</code></pre>",
        escape(about),
        escape(&in_short(times))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_says_what_the_command_says_and_starts_no_app() {
        let app = "<title>x</title><meta name=\"description\" content=\"x\"><link href=\"./a.css\">\
            <script type=\"module\" src=\"./boot.js\"></script><noscript>no</noscript><div><!-- page --></div>";
        let passage = Passage::of(1, None, 200);
        let page = page(app, &passage);
        assert!(page.starts_with("<title>The release gate of signed grants · Racescope</title>"), "{page}");
        assert!(page.contains("href=\"../a.css\"") && !page.contains("boot.js") && !page.contains("noscript"));
        assert!(page.contains("200 random schedules of signed grants from the seed 1: nothing bad was accepted."));
        for part in ["<th scope=\"row\">stale</th><td>0</td>", "NOT_HELD", "p99", "searched to its end"] {
            assert!(page.contains(part), "the page says: {part}");
        }
    }
}
