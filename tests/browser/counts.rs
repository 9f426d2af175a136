//! The counts of the reference scenario and of the voucher race, as a search in the worker
//! of the finished site finds them.

use std::path::Path;

use racescope::search::Ask;
use racescope_engine::explore::{Bounds, Mark};
use racescope_engine::sim::example::{guarded, reference};
use racescope_engine::sim::{Guard, Scenario};
use racescope_lesson::author::{Settings, read_study};

use crate::support::{Page, search};

in_each_browser!(
    the_browser_counts_the_schedules_of_the_reference_scenario,
    the_browser_counts_the_schedules_of_the_voucher_race,
);

/// Asks the worker, and says "of all schedules, so many with a stale write".
async fn count(page: &Page, scenario: Scenario, expiries: u8) -> String {
    let marks = vec![Mark::StaleWriteAccepted];
    let ask = Ask { marks, examples: false, ..Ask::of_page(scenario, Bounds::expiries(expiries)) };
    let answer = search(page, &ask).await.1;
    assert_eq!(answer.stopped, None);
    format!("{} of {}", answer.harmful, answer.schedules)
}

async fn the_browser_counts_the_schedules_of_the_reference_scenario(page: &Page) {
    page.open("").await;
    for (clients, unfenced, fenced) in [
        (2, "1288 of 4846", "0 of 4846"),
        (3, "3833196 of 6217224", "0 of 6217224"),
        (4, "664039488 of 720393048", "0 of 720393048"),
    ] {
        assert_eq!(count(page, reference(clients), 2).await, unfenced, "{clients} clients");
        let fence = guarded(reference(clients), Guard::FenceAtMost);
        assert_eq!(count(page, fence, 2).await, fenced, "{clients} clients, fenced");
    }
}

async fn the_browser_counts_the_schedules_of_the_voucher_race(page: &Page) {
    page.open("").await;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/voucher.toml");
    for (clients, expected) in
        [(3, vec![(1, "6"), (2, "24"), (3, "36")]), (4, vec![(1, "24"), (2, "144"), (3, "432"), (4, "576")])]
    {
        let study = read_study(&file, Settings { clients: Some(clients) }).expect("it has no mistake");
        let ask = Ask {
            marks: Vec::new(),
            examples: false,
            ..Ask::of_page(study.variants[0].scenario.clone(), study.bounds)
        };
        let answer = search(page, &Ask { tally: study.tally, ..ask }).await.1;
        let found: Vec<(u8, &str)> =
            answer.groups.iter().map(|group| (group.tally, group.schedules.as_str())).collect();
        assert_eq!(found, expected, "{clients} clients");
    }
}
