//! Every event as text, one line where all panes agree.

use yew::{Html, html};

use super::prose::go_to;
use super::reducer::{Dispatch, Page, Same};
use crate::tell::Line;

/// What happens at one moment in one place, by pane.
struct Entry {
    at_us: u64,
    place: String,
    /// For each pane the sentences, and the harm if there is any.
    cells: Vec<Option<(String, Option<String>)>>,
}

/// The list of all events.
pub fn events((page, dispatch): &(Same<Page>, Dispatch)) -> Html {
    let entries = merge(&(0..page.panes.len()).map(|place| page.story(place)).collect::<Vec<_>>());
    let latest = entries.iter().rev().find(|entry| entry.at_us <= page.cursor_us).map(|entry| entry.at_us);
    let panes = page.panes.len();
    html! {
        <section class="events" aria-labelledby="events-h">
            <h2 id="events-h">{ "Every event" }<span>{ " one line where the panes agree" }</span></h2>
            <table>
                <thead><tr>
                    <th scope="col">{ "Time" }</th><th scope="col">{ "Where" }</th>
                    { for page.lesson.variants.iter().map(|variant| html! { <th scope="col">{ variant.title.clone() }</th> }) }
                </tr></thead>
                <tbody>
                    { for entries.iter().map(|entry| html! {
                        <tr class={(latest == Some(entry.at_us)).then_some("at-cursor")}>
                            <th scope="row">
                                <button class="at" type="button" onclick={go_to(dispatch, entry.at_us)}>
                                    { page.time(entry.at_us) }
                                </button>
                            </th>
                            <td>{ entry.place.clone() }</td>
                            { cells(entry, page, panes) }
                        </tr>
                    }) }
                </tbody>
            </table>
        </section>
    }
}

fn cells(entry: &Entry, page: &Page, panes: usize) -> Html {
    let agree = entry.cells.windows(2).all(|pair| pair[0] == pair[1]);
    let said = |cell: &Option<(String, Option<String>)>| match cell {
        None => html! { "—" },
        Some((sentence, harm)) => html! {
            <>{ sentence.clone() }if let Some(harm) = harm { { ". " }<b>{ harm.clone() }</b> }</>
        },
    };
    if agree {
        return html! { <td colspan={panes.to_string()}>{ entry.cells.first().map(said) }</td> };
    }
    let cells = entry.cells.iter().zip(&page.lesson.variants);
    html! { <>{ for cells.map(|(cell, variant)| html! { <td class={cell.is_none().then_some("none")} data-pane={variant.title.clone()}>{ said(cell) }</td> }) }</> }
}

/// The events of all panes in one order: by time, then by the order of the first
/// pane in which they happen.
fn merge(stories: &[Vec<Line>]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (pane, story) in stories.iter().enumerate() {
        for line in story {
            let known = entries.iter().position(|entry| entry.at_us == line.at_us && entry.place == line.place);
            let place = known.unwrap_or_else(|| {
                let cells = vec![None; stories.len()];
                let at = entries.partition_point(|entry| entry.at_us <= line.at_us);
                entries.insert(at, Entry { at_us: line.at_us, place: line.place.clone(), cells });
                at
            });
            let cell = &mut entries[place].cells[pane];
            match cell {
                None => *cell = Some((line.sentence.clone(), line.harm.clone())),
                Some((sentence, harm)) => {
                    *sentence += &format!("; {}", line.sentence);
                    *harm = harm.take().or_else(|| line.harm.clone());
                }
            }
        }
    }
    entries
}
