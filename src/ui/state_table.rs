//! What is believed, held and stored at the playhead, pane by pane.

use racescope_lesson::Lesson;
use yew::{Html, html};

use super::reducer::{Page, Same};
use super::still::still;
use crate::tell::{Row, rows};

/// The table of states at the playhead.
pub fn state_table(page: &Page) -> Html {
    let columns: Vec<Vec<Row>> = page
        .lesson
        .variants
        .iter()
        .zip(&page.panes)
        .map(|(variant, pane)| rows(&variant.scenario, &pane.trace, page.cursor_us))
        .collect();
    html! {
        <section class="cursor" aria-labelledby="cursor-h">
            <h3 id="cursor-h">{ format!("At {}", page.time(page.cursor_us)) }</h3>
            { now(page) }
            { still((Same(page.lesson.clone()), columns), table) }
        </section>
    }
}

/// The rows, pane by pane.
fn table((lesson, columns): &(Same<Lesson>, Vec<Vec<Row>>)) -> Html {
    html! {
        <table class="state">
            <thead><tr>
                <td></td>
                { for lesson.variants.iter().map(|variant| html! { <th scope="col">{ variant.title.clone() }</th> }) }
            </tr></thead>
            <tbody>
                { for columns.first().into_iter().flatten().enumerate().map(|(place, row)| html! {
                    <tr>
                        <th scope="row">{ row.label.clone() }</th>
                        { for columns.iter().map(|rows| cell(rows.get(place))) }
                    </tr>
                }) }
            </tbody>
        </table>
    }
}

fn cell(row: Option<&Row>) -> Html {
    let Some(row) = row else { return html! { <td></td> } };
    let class = row.was.is_some().then_some("changed");
    html! {
        <td {class}>
            { row.value.clone() }
            if row.untrue {
                { " " }<em class="untrue">{ "false" }</em>
            }
            if let Some(was) = &row.was {
                <span class="was">{ format!("was {was}") }</span>
            }
        </td>
    }
}

/// What happened last, once if all panes agree.
fn now(page: &Page) -> Html {
    let said: Vec<String> = (0..page.panes.len())
        .map(|place| {
            let Some(last) = page.last_line(place) else {
                return "nothing has happened yet.".to_string();
            };
            let since =
                if last.at_us == page.cursor_us { String::new() } else { format!(", at {}", page.time(last.at_us)) };
            format!("{} {}{since}.", last.place, last.sentence)
        })
        .collect();
    let agree = said.windows(2).all(|pair| pair[0] == pair[1]);
    html! {
        if agree {
            <p class="now">{ said.first().cloned().unwrap_or_default() }</p>
        } else {
            <ul class="now">
                { for page.lesson.variants.iter().zip(&said).map(|(variant, said)| html! {
                    <li><span>{ format!("{}: ", variant.title) }</span>{ said.clone() }</li>
                }) }
            </ul>
        }
    }
}
