//! The fields of a form: a number with its unit and its buttons, and a choice.

use yew::{Callback, Event, Html, KeyboardEvent, html};

use super::browser;
use super::icon::icon;
use super::plot::send;
use super::reducer::{Dispatch, Page};
use crate::app::{Field, Message, value_of};
use crate::tell::{FaultKind, Units};

/// How a field's number is written: its unit, how many microseconds (or parts per
/// million) one of it is, how many digits it has at least, and by how much buttons change it.
#[derive(Clone, Copy)]
pub struct Unit {
    /// What stands behind the number.
    pub name: &'static str,
    one: i64,
    digits: usize,
    step: i64,
}

const SECONDS: Unit = Unit { name: "s", one: 1_000_000, digits: 2, step: 100_000 };
const MILLISECONDS: Unit = Unit { name: "ms", one: 1_000, digits: 0, step: 100_000 };
const PERCENT: Unit = Unit { name: "% faster", one: 10_000, digits: 2, step: 10_000 };

/// The unit of times in forms.
pub fn unit_of_times(units: Units) -> Unit {
    if units == Units::Milliseconds { MILLISECONDS } else { SECONDS }
}

/// The id of a field, by what it is called on a kind of fault.
fn id_of(name: &str) -> String {
    format!("field-{}", name.to_ascii_lowercase().replace(' ', "-"))
}

/// A number of a fault; nothing if it has no such field.
pub fn number(page: &Page, dispatch: &Dispatch, place: usize, field: Field) -> Html {
    let Some(placed) = page.faults.get(place) else { return html! {} };
    let Some(value) = value_of(placed, field) else { return html! {} };
    let unit = if field == Field::Rate { PERCENT } else { unit_of_times(page.settings.units()) };
    let name = field.name(FaultKind::of(&placed.fault));
    let id = id_of(name);
    let set = |by: i64| send(dispatch, Message::Set(place, field, value + by));
    let shown = unit.written(value);
    let onchange = {
        let dispatch = dispatch.clone();
        let shown = shown.clone();
        Callback::from(move |event: Event| {
            let typed = unit.read(&browser::typed(&event));
            // The field shows what is so; what was typed comes back through the state if it fits.
            browser::put_back(&event, &shown);
            if let Some(value) = typed {
                dispatch.dispatch(Message::Set(place, field, value));
            }
        })
    };
    let onkeydown = {
        let shown = shown.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                browser::put_back(&event, &shown);
            }
        })
    };
    html! {
        <div class="field" key={id.clone()}>
            <label for={id.clone()}>{ name }</label>
            <span class="num">
                <button type="button" aria-label={format!("{name}: less")} onclick={set(-unit.step)}>{ icon("minus") }</button>
                <input {id} type="text" inputmode="decimal" autocomplete="off" value={shown} {onchange} {onkeydown} />
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

impl Unit {
    /// A number with as many digits as the unit has at least, and more if it has them.
    pub fn written(self, value: i64) -> String {
        let width = self.one.ilog10() as usize;
        let sign = if value < 0 { "-" } else { "" };
        let value = value.unsigned_abs();
        let digits = format!("{:0width$}", value % self.one.unsigned_abs());
        let (shown, rest) = digits.split_at(self.digits);
        let digits = format!(".{shown}{}", rest.trim_end_matches('0'));
        format!("{sign}{}{}", value / self.one.unsigned_abs(), if digits == "." { "" } else { &digits })
    }

    /// Reads a number; a comma is taken for a point. A unit of time behind it counts.
    pub fn read(self, text: &str) -> Option<i64> {
        let text = text.trim().trim_end_matches('%');
        let (text, one) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
            (Some(text), _) => (text, MILLISECONDS.one),
            (None, Some(text)) => (text, SECONDS.one),
            (None, None) => (text, self.one),
        };
        parse_decimal(&text.trim().replace(',', ".").replace('−', "-"), one)
    }
}

fn parse_decimal(text: &str, one: i64) -> Option<i64> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, digits) = text.split_once('.').unwrap_or((text, ""));
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
