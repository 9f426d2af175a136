//! The line of the program that each client of a pane is at, at the playhead.

use racescope_engine::sim::{NodeIndex, step_at};
use yew::{Callback, Html, Properties, component, html, use_memo, use_state};

use super::browser;
use super::plot::send;
use super::reducer::{Dispatch, Page, Same};
use super::still::still;
use crate::app::{Message, Pane};
use crate::tell::{Voice, letter, program};

/// How many lines stand above and below the current one.
const AROUND: usize = 1;

/// What is shown of the programs.
#[derive(Clone, PartialEq, Properties)]
pub struct ProgramProps {
    /// The place of the pane among the panes.
    pub place: usize,
    /// The pane.
    pub pane: Same<Pane>,
    /// The page.
    pub page: Same<Page>,
    /// Where messages go.
    pub dispatch: Dispatch,
}

/// The programs of a pane, each with its current line. Closed at first where there is
/// little room.
#[component]
pub fn ProgramView(props: &ProgramProps) -> Html {
    let open = use_state(|| !browser::is_narrow());
    let (page, voice) = (&props.page, props.page.voice());
    let variant = &page.lesson.variants[props.place];
    let scenario = &variant.scenario;
    let programs = use_memo((page.lesson.id.clone(), voice, page.settings), |_| {
        scenario
            .clients()
            .map(|client| {
                (client, program(scenario, client, voice).iter().map(|line| page.told(line)).collect::<Vec<_>>())
            })
            .collect::<Vec<_>>()
    });
    let toggle = {
        let open = open.clone();
        Callback::from(move |_| open.set(!*open))
    };
    let choice = |of: Voice| {
        html! {
            <button class="link" type="button" aria-pressed={(voice == of).to_string()}
                onclick={send(&props.dispatch, Message::Speak(of))}>{ of.name() }</button>
        }
    };
    let id = format!("pane-{}-program", variant.id);
    let steps = programs.iter().map(|&(client, _)| step_at(&props.pane.progress, client, page.cursor_us)).collect();
    let listings = Listings {
        programs: Same(programs),
        names: scenario.clients().map(|client| letter(scenario, client)).collect(),
        steps,
    };
    html! {
        <section class="programs" aria-label={format!("{}: programs", variant.title)}>
            <div class="programs-head">
                <button class="link" type="button" aria-expanded={open.to_string()} aria-controls={id.clone()}
                    onclick={toggle}>{ "Program" }</button>
                if *open {
                    <span role="group" aria-label="Programs as">
                        { for Voice::ALL.into_iter().map(choice) }
                    </span>
                }
            </div>
            <div {id} hidden={!*open}>
                if *open {
                    { still(listings, all) }
                }
            </div>
        </section>
    }
}

/// The programs of all clients, and where each of these is.
#[derive(PartialEq)]
struct Listings {
    programs: Same<Vec<(NodeIndex, Vec<String>)>>,
    names: Vec<String>,
    steps: Vec<Step>,
}

/// Where a client is, if it has started, and not ended.
type Step = Option<Option<u8>>;

fn all(Listings { programs, names, steps }: &Listings) -> Html {
    let each = programs.iter().zip(names).zip(steps);
    html! { <>{ for each.map(|(((_, lines), name), &at)| listing(name, lines, at)) }</> }
}

/// The lines around the one that a client is at.
fn listing(name: &str, lines: &[String], at: Step) -> Html {
    let current = at.flatten().map(usize::from).filter(|&step| step < lines.len());
    let (middle, state) = match (at, current) {
        (None, _) => (0, ", not started yet"),
        (Some(_), None) => (lines.len(), ", has ended"),
        (Some(_), Some(step)) => (step, ""),
    };
    let shown = (2 * AROUND + 1).min(lines.len());
    let first = middle.saturating_sub(AROUND).min(lines.len() - shown);
    html! {
        <div class="listing">
            <p><b>{ name.to_string() }</b>{ state }</p>
            <ol start={(first + 1).to_string()} aria-label={format!("Program of {name}")}>
                { for lines.iter().enumerate().skip(first).take(shown).map(|(place, line)| {
                    let is_current = current == Some(place);
                    html! {
                        <li aria-current={is_current.then_some("step")} title={line.clone()}>
                            <span class="arrow" aria-hidden="true">{ if is_current { "▸" } else { "" } }</span>
                            <span class="number" aria-hidden="true">{ place + 1 }</span>
                            <code>{ line.clone() }</code>
                        </li>
                    }
                }) }
            </ol>
        </div>
    }
}
