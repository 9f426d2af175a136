//! Searches of all schedules, and random ones, side by side in one run: in the worker of
//! the finished site in a real Chromium, natively, in Stateright and in shuttle. What is
//! compared is measured in turns, so that a busy machine is busy for all of them.

mod browser;
mod native;
mod report;
#[expect(dead_code, unused_imports, reason = "the tests do more with a browser than this")]
#[path = "../../../tests/browser/support/mod.rs"]
mod support;

use std::path::Path;
use std::time::Duration;

use racescope::search::{Ask, Scope};
use racescope_bench::table::{load, publish};
use racescope_bench::{Setting, shuttle_threads};
use racescope_engine::explore::{Bounds, Mark};
use racescope_engine::sim::example::reference;
use racescope_lesson::author::{Settings, read_study};
use report::{Counted, Report, median};
use support::{Page, in_browser_for};

/// How often each thing is measured; what takes seconds, less often.
const TIMES: usize = 7;
const TIMES_OF_SLOW: usize = 3;

/// The scenario's numbers.
const SETTING: Setting = Setting { expiries: 2, fenced: false };

/// How many random schedules are made, and from which seed.
const RANDOM: u32 = 100_000;
const SEED: u64 = 1;

fn main() {
    let mut report = Report { load_before: load(), ..Report::default() };
    in_browser_for(Duration::from_secs(1_800), async |page| {
        // The first search of a page starts its worker.
        page.open("").await;
        report.random.first_in_browser_ms = browser::measure(page, &random()).await.0;
        count(page, &mut report).await;
        draw(page, &mut report).await;
        share(page, &mut report).await;
    });
    report.load_after = load();
    publish("searches", &report.markdown()).expect("the file has a place for the table, and can be written to");
}

/// The reference scenario, counted by stale writes.
fn question(clients: usize, scope: Scope) -> Ask {
    let marks = vec![Mark::StaleWriteAccepted];
    let ask = Ask::of_page(reference(clients), Bounds::expiries(SETTING.expiries));
    Ask { marks, examples: false, states: 20_000_000, scope, ..ask }
}

/// Random schedules of four clients.
fn random() -> Ask {
    question(4, Scope::Random { seed: SEED, schedules: RANDOM })
}

/// Counts every schedule of three, four and five clients.
async fn count(page: &Page, report: &mut Report) {
    for clients in [3, 4, 5] {
        let (reduced, raw) = (question(clients, Scope::All), question(clients, Scope::AllUnreduced));
        let mut rows = [Counted::new(clients, true), Counted::new(clients, false)];
        for _ in 0..if clients == 5 { TIMES_OF_SLOW } else { TIMES } {
            for (row, ask) in rows.iter_mut().zip([&reduced, &raw]) {
                row.native.push(native::measure(ask));
                row.browser.push(browser::measure(page, ask).await);
            }
            let [reduced, raw] = &mut rows;
            raw.stateright.push(native::stateright(clients, SETTING, false));
            reduced.stateright.push(native::stateright(clients, SETTING, true));
        }
        report.counted.extend(rows);
    }
}

/// Draws random schedules.
async fn draw(page: &Page, report: &mut Report) {
    let (mut native, mut browser, mut shuttle) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TIMES_OF_SLOW {
        native.push(native::measure(&random()).0);
        browser.push(browser::measure(page, &random()).await.0);
        shuttle.push(native::timed(|| shuttle_threads::run(SETTING, 4, SEED, RANDOM as usize)).0);
    }
    report.random.native_ms = median(native);
    report.random.browser_ms = median(browser);
    report.random.shuttle_ms = median(shuttle);
}

/// The voucher race of twenty clients: how many of them get one, exactly.
async fn share(page: &Page, report: &mut Report) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios/voucher.toml");
    let study = read_study(&file, Settings { clients: Some(20) }).expect("a test reads it");
    let scenario = study.variants[0].scenario.clone();
    let ask = Ask { tally: study.tally, marks: Vec::new(), examples: false, ..Ask::of_page(scenario, study.bounds) };
    let (mut native, mut browser) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        native.push(native::measure(&ask).0);
        browser.push(browser::measure(page, &ask).await.0);
    }
    report.voucher_native_ms = median(native);
    report.voucher_browser_ms = median(browser);
}
