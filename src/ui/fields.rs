//! The fields of a form: a number with its unit and its buttons, and a choice.

use yew::{Callback, Event, Html, html};

use super::browser;
use super::icon::icon;
use super::plot::send;
use super::reducer::{Dispatch, Page};
use crate::app::{Field, Message, value_of};
use crate::tell::FaultKind;

/// How a field's number is written: its unit, and how many microseconds (or parts
/// per million) a hundredth of it is.
struct Unit {
    name: &'static str,
    hundredth: i64,
    step: i64,
}

const SECONDS: Unit = Unit { name: "s", hundredth: 10_000, step: 100_000 };
const PERCENT: Unit = Unit { name: "% faster", hundredth: 100, step: 10_000 };

/// The id of a field, by what it is called on a kind of fault.
fn id_of(name: &str) -> String {
    format!("field-{}", name.to_ascii_lowercase().replace(' ', "-"))
}

/// A number of a fault; nothing if it has no such field.
pub fn number(page: &Page, dispatch: &Dispatch, place: usize, field: Field) -> Html {
    let Some(placed) = page.faults.get(place) else { return html! {} };
    let Some(value) = value_of(placed, field) else { return html! {} };
    let unit = if field == Field::Rate { &PERCENT } else { &SECONDS };
    let name = field.name(FaultKind::of(&placed.fault));
    let id = id_of(name);
    let set = |by: i64| send(dispatch, Message::Set(place, field, value + by));
    let shown = decimal(value, unit.hundredth);
    let onchange = {
        let dispatch = dispatch.clone();
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
        <div class="field" key={id.clone()}>
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

/// A choice of a fault; nothing if it has no such field.
pub fn choice(page: &Page, dispatch: &Dispatch, place: usize, field: Field) -> Html {
    let Some(placed) = page.faults.get(place) else { return html! {} };
    let Some(value) = value_of(placed, field) else { return html! {} };
    let name = field.name(FaultKind::of(&placed.fault));
    let options = page.options(place, field).into_iter().map(|(value, name)| (value.to_string(), name)).collect();
    let dispatch = dispatch.clone();
    select(
        name,
        &id_of(name),
        &value.to_string(),
        options,
        Callback::from(move |chosen: String| {
            if let Ok(value) = chosen.parse() {
                dispatch.dispatch(Message::Set(place, field, value));
            }
        }),
    )
}

/// A list to choose from, with its name before it.
pub fn select(name: &str, id: &str, value: &str, options: Vec<(String, String)>, onchosen: Callback<String>) -> Html {
    let onchange = Callback::from(move |event: Event| onchosen.emit(browser::chosen(&event)));
    html! {
        <div class="field" key={id.to_string()}>
            <label for={id.to_string()}>{ name }</label>
            <select id={id.to_string()} {onchange}>
                { for options.into_iter().map(|(option, shown)| html! {
                    <option key={option.clone()} selected={option == value} value={option.clone()}>{ shown }</option>
                }) }
            </select>
        </div>
    }
}

/// A number with at least two digits behind the point, and more if it has them.
pub fn decimal(value: i64, hundredth: i64) -> String {
    let one = hundredth * 100;
    let width = one.ilog10() as usize;
    let sign = if value < 0 { "-" } else { "" };
    let value = value.unsigned_abs();
    let digits = format!("{:0width$}", value % one.unsigned_abs());
    let (shown, rest) = digits.split_at(2);
    format!("{sign}{}.{shown}{}", value / one.unsigned_abs(), rest.trim_end_matches('0'))
}

/// Reads a number; a comma is taken for a point.
pub fn parse_decimal(text: &str, hundredth: i64) -> Option<i64> {
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
