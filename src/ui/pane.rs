//! One pane: its head, the names of its lanes, its plot and its verdict.

use racescope_engine::sim::{Change, Scenario};
use yew::{Html, classes, html};

use super::plot::Plot;
use super::program::ProgramView;
use super::reducer::{Dispatch, Page, Same};
use super::still::still;
use super::verdict::verdict;
use crate::app::Pane;
use crate::scene::{Lane, LaneKind};
use crate::tell::{Telling, clause_of_fault, letter, time};

/// One pane, by its place. What is said of its run is taken from the `record`, which is the
/// page as it was when nothing was held.
pub fn pane(place: usize, page: &Same<Page>, record: &Same<Page>, dispatch: &Dispatch) -> Html {
    let variant = &page.lesson.variants[place];
    let pane = Same(page.panes[place].clone());
    let head = format!("pane-{}", variant.id);
    let summary = format!("{head}-summary");
    html! {
        <section class="pane" key={place} aria-labelledby={head.clone()}>
            <header class="pane-head">
                <h3 id={head.clone()}>{ variant.title.clone() }</h3>
                <p>{ variant.remark.clone() }</p>
            </header>
            <div class="pane-body"><div class="pane-grid">
                { still((pane.layout.lanes.clone(),), gutter) }
                <Plot pane={pane.clone()} {place} page={page.clone()} dispatch={dispatch.clone()}
                    label={format!("{}: timeline of {}", variant.title, lanes(&pane.layout.lanes))}
                    described_by={summary.clone()} />
            </div></div>
            { still((place, record.clone(), summary), summary_view) }
            { verdict(page, place, format!("{head}-why"), dispatch) }
            <ProgramView {pane} {place} page={page.clone()} dispatch={dispatch.clone()} />
        </section>
    }
}

/// What a screen reader says of a pane.
fn summary_view((place, page, id): &(usize, Same<Page>, String)) -> Html {
    let scenario = &page.lesson.variants[*place].scenario;
    html! { <p class="vh" id={id.clone()}>{ summary_of(scenario, &page.panes[*place]) }</p> }
}

/// The names of the lanes.
fn gutter((lanes,): &(Vec<Lane>,)) -> Html {
    html! { <ul class="gutter" role="list" aria-label="Lanes">{ for lanes.iter().map(lane_name) }</ul> }
}

/// What happened and how it ended, for those who don't see the drawing.
fn summary_of(scenario: &Scenario, pane: &Pane) -> String {
    let faults: Vec<String> = pane.trace.faults.iter().map(|fault| clause_of_fault(scenario, fault)).collect();
    let trouble = if faults.is_empty() { "No fault.".to_string() } else { format!("{}.", faults.join("; ")) };
    let Telling { headline, reason, chain, .. } = &pane.telling;
    let steps: Vec<String> = chain.iter().map(|link| format!("at {}, {}", time(link.at_us), link.text)).collect();
    let led = if steps.is_empty() { String::new() } else { format!(" What led there: {}.", steps.join("; ")) };
    let clients = scenario.clients().map(|client| {
        let end = pane
            .trace
            .changes()
            .find(|(_, event, change)| event.actor == client && matches!(change, Change::Finished | Change::Stopped));
        let (at, how) = match end {
            Some((_, event, Change::Stopped)) => (format!(" at {}", time(event.at_us)), "gave up"),
            Some((_, event, _)) => (format!(" at {}", time(event.at_us)), "finished"),
            None => (String::new(), "never came to its end"),
        };
        format!(" {} {how}{at}.", letter(scenario, client))
    });
    let clients: String = clients.collect();
    format!("Trouble: {trouble} Outcome: {headline} {reason}{led}{clients} Every event is in the table below.")
}

fn lane_name(lane: &Lane) -> Html {
    let class = match lane.kind {
        LaneKind::Client => "g-client",
        LaneKind::Lock => "g-lock",
        LaneKind::Member => "g-member",
        LaneKind::Storage => "g-storage",
    };
    let is_short = lane.title.chars().count() <= 8;
    let short =
        if is_short { lane.title.clone() } else { lane.title.split(' ').next().unwrap_or_default().to_string() };
    html! {
        <li class={classes!(class, lane.has_clock.then_some("clocked"))}>
            if lane.kind == LaneKind::Client {
                <b>{ lane.title.clone() }</b>
            } else {
                <b><span class="w">{ lane.title.clone() }</span><span class="n">{ short }</span></b>
            }
            { for lane.rows.iter().enumerate().map(|(place, (name, _))| html! {
                <span class={match place {
                    _ if *name == "own clock" => "c3",
                    0 => "c1",
                    _ => "c2",
                }}>
                    if *name == "highest fence" {
                        <span class="w">{ *name }</span><span class="n">{ "fence" }</span>
                    } else {
                        { *name }
                    }
                </span>
            }) }
        </li>
    }
}

fn lanes(lanes: &[Lane]) -> String {
    let names: Vec<String> = lanes.iter().map(|lane| lane.title.to_ascii_lowercase()).collect();
    names.join(", ")
}
