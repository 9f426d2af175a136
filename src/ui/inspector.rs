//! The selected fault in numbers: everything that dragging does, by typing.

use racescope_engine::sim::Fault;
use yew::{Callback, Event, Html, Properties, component, html};

use super::browser;
use super::icon::icon;
use super::plot::send;
use super::reducer::{Dispatch, Page, Same};
use crate::app::{Field, Message, field_us};
use crate::tell::time;

/// What the form shows.
#[derive(Clone, PartialEq, Properties)]
pub struct InspectorProps {
    /// The page.
    pub page: Same<Page>,
    /// Where messages go.
    pub dispatch: Dispatch,
}

/// How a field's number is written: its unit, and how many microseconds (or parts
/// per million) a hundredth of it is.
struct Unit {
    name: &'static str,
    hundredth: i64,
    step: i64,
}

const SECONDS: Unit = Unit { name: "s", hundredth: 10_000, step: 100_000 };
const PERCENT: Unit = Unit { name: "% faster", hundredth: 100, step: 10_000 };

/// The form for the selected fault.
#[component]
pub fn Inspector(props: &InspectorProps) -> Html {
    let page = &props.page;
    let selected = page.selected.and_then(|place| Some((place, page.faults.get(place)?)));
    let Some((place, staged)) = selected else {
        return html! {
            <section class="inspect" aria-label="Fault">
                <h3>{ "No fault selected" }</h3>
                <p class="aside">{ "Press a block on a lane to see its numbers here." }</p>
            </section>
        };
    };
    let nodes = &page.lesson.variants[0].scenario.nodes;
    let node = nodes.get(usize::from(staged.fault.node())).map_or_else(String::new, |node| node.title.clone());
    let length_name =
        if matches!(staged.fault, Fault::MessageDelay(_) | Fault::MessageDuplicate(_)) { "Late by" } else { "Length" };
    let ends = field_us(&staged.fault, Field::Start).zip(field_us(&staged.fault, Field::Length));
    html! {
        <section class="inspect" aria-labelledby="inspect-h">
            <h3 id="inspect-h">{ format!("{} on {}", staged.label, first_small(&node)) }<span>{ " shared by all panes" }</span></h3>
            { field(props, place, &staged.fault, Field::Start, "Start", &SECONDS) }
            { field(props, place, &staged.fault, Field::Length, length_name, &SECONDS) }
            { field(props, place, &staged.fault, Field::Jump, "Jumps by", &SECONDS) }
            { field(props, place, &staged.fault, Field::Rate, "Runs", &PERCENT) }
            if let Some((start, length)) = ends {
                <p class="field"><span class="lab">{ "Ends" }</span><span>{ time((start + length).unsigned_abs()) }</span></p>
            }
            <div class="row">
                <button class="link" type="button" onclick={send(&props.dispatch, Message::Reset)}
                    disabled={*page.faults == page.lesson.faults}>{ "Back to the lesson’s own" }</button>
            </div>
            <p class="keysline"><kbd>{ "Enter" }</kbd>{ " grab " }<kbd>{ "←" }</kbd>{ " " }<kbd>{ "→" }</kbd>{ " move " }<kbd>{ "Esc" }</kbd>{ " put back" }</p>
        </section>
    }
}

fn first_small(title: &str) -> String {
    let mut letters = title.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

fn field(props: &InspectorProps, place: usize, fault: &Fault, field: Field, name: &str, unit: &Unit) -> Html {
    let Some(value) = field_us(fault, field) else { return html! {} };
    let id = format!("field-{}", name.to_lowercase().replace(' ', "-"));
    let set = |by: i64| send(&props.dispatch, Message::Set(place, field, value + by));
    let shown = decimal(value, unit.hundredth);
    let onchange = {
        let dispatch = props.dispatch.clone();
        let (shown, hundredth) = (shown.clone(), unit.hundredth);
        Callback::from(move |event: Event| {
            let typed = parse_decimal(&browser::typed(&event), hundredth);
            // The field shows what is so; what was typed comes back through the state if it fits.
            browser::put_back(&event, &shown);
            if let Some(value) = typed {
                dispatch.dispatch(Message::Set(place, field, value));
            }
        })
    };
    html! {
        <div class="field">
            <label for={id.clone()}>{ name }</label>
            <span class="num">
                <button type="button" aria-label={format!("{name}: less")} onclick={set(-unit.step)}>{ icon("minus") }</button>
                <input {id} type="text" inputmode="decimal" autocomplete="off" value={shown} {onchange} />
                <button type="button" aria-label={format!("{name}: more")} onclick={set(unit.step)}>{ icon("plus") }</button>
            </span>
            <span class="unit">{ unit.name }</span>
        </div>
    }
}

/// A number with at least two digits behind the point, and more if it has them.
fn decimal(value: i64, hundredth: i64) -> String {
    let one = hundredth * 100;
    let width = one.ilog10() as usize;
    let sign = if value < 0 { "-" } else { "" };
    let value = value.unsigned_abs();
    let digits = format!("{:0width$}", value % one.unsigned_abs());
    let (shown, rest) = digits.split_at(2);
    format!("{sign}{}.{shown}{}", value / one.unsigned_abs(), rest.trim_end_matches('0'))
}

/// Reads a number; a comma is taken for a point.
fn parse_decimal(text: &str, hundredth: i64) -> Option<i64> {
    let text = text.trim().trim_end_matches(['s', '%']).trim().replace(',', ".").replace('−', "-");
    let (negative, text) = text.strip_prefix('-').map_or((false, text.as_str()), |rest| (true, rest));
    let (whole, digits) = text.split_once('.').unwrap_or((text, ""));
    let one = hundredth * 100;
    let width = one.ilog10() as usize;
    let all_digits = |part: &str| part.chars().all(|letter| letter.is_ascii_digit());
    if (whole.is_empty() && digits.is_empty()) || whole.len() > 6 || !all_digits(whole) || !all_digits(digits) {
        return None;
    }
    let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let digits: String = digits.chars().chain("000000".chars()).take(width).collect();
    let value = whole * one + digits.parse::<i64>().ok()?;
    Some(if negative { -value } else { value })
}
