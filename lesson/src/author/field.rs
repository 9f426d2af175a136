//! One value of a file, with its place, read as what it should be.

use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::DeValue;

use super::cause::Cause;
use super::mistake::{Complaint, quote};
use super::nearest::unknown;
use super::quantity::{duration_us, no_unit, rate_ppm, shift_us};
use super::shape::{Kind, names};
use super::source::Source;
use super::table::Fields;

/// A value with its place. Each way to read it reports what doesn't fit, and then
/// gives `None`.
#[derive(Clone)]
pub(super) struct Field<'a> {
    pub source: &'a Source,
    /// Its name for people, such as `nodes.lock.latency`.
    pub path: String,
    /// Where it is in the file, in bytes.
    pub at: usize,
    pub value: &'a DeValue<'a>,
    /// What it holds, as the tables of the format have it.
    pub kind: &'static Kind,
}

impl<'a> Field<'a> {
    /// Reports that this value is wrong.
    pub fn complain(&self, complaint: Complaint) {
        self.source.report(self.at, &self.path, complaint);
    }

    /// Reports that this value is wrong, unless that only follows from what defines the
    /// names that it refers to.
    pub fn complain_unless(&self, complaint: Complaint, cause: Cause) {
        self.source.report_unless(self.at, &self.path, complaint, cause);
    }

    /// That it is read as what the tables of the format say, which editors are told.
    fn is_read_as(&self, kind: bool) {
        debug_assert!(kind, "{} is read as another kind of field than it is", self.path);
    }

    fn reject<T>(&self, wrong: impl Into<String>, cure: impl Into<String>) -> Option<T> {
        self.complain(Complaint::new(wrong, cure));
        None
    }

    fn keep<T>(&self, read: Result<T, Complaint>) -> Option<T> {
        read.map_err(|complaint| self.complain(complaint)).ok()
    }

    /// A string, exactly as it is.
    pub fn word(&self) -> Option<&'a str> {
        match self.value {
            DeValue::String(text) => Some(text),
            other => self.reject(format!("this is {}, not text", kind(other)), "Put the text in quotes."),
        }
    }

    /// A string if it is one, without a word about it if it isn't.
    pub fn peek(&self) -> Option<&'a str> {
        match self.value {
            DeValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether this is a list without elements.
    pub fn is_empty_list(&self) -> bool {
        matches!(self.value, DeValue::Array(elements) if elements.is_empty())
    }

    /// Yes or no if it is that, without a word about it if it isn't.
    pub fn peek_truth(&self) -> Option<bool> {
        match self.value {
            DeValue::Boolean(truth) => Some(*truth),
            _ => None,
        }
    }

    /// Text for people, on one line: line breaks and runs of spaces become one space.
    pub fn text(&self) -> Option<String> {
        self.is_read_as(matches!(self.kind, Kind::Text | Kind::Answer));
        let text = self.word()?.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            return self.reject("the text is empty", "Write it, or leave the field out if it may be missing.");
        }
        if text.chars().any(char::is_control) {
            return self.reject("the text has a control character", "Take it out.");
        }
        if let Some(letter) = text.chars().find(|&letter| is_unseen(letter)) {
            let wrong = format!("the text has the character U+{:04X}, which nobody sees", u32::from(letter));
            return self.reject(wrong, "Take it out.");
        }
        let is_title = self.path.rsplit('.').next() == Some("title");
        let most = if is_title { MOST_IN_A_TITLE } else { MOST_IN_A_TEXT };
        if text.chars().count() > most {
            let wrong = format!("the text is longer than {most} characters");
            return self.reject(wrong, "Say it in fewer words.");
        }
        Some(text)
    }

    /// A duration in microseconds.
    pub fn duration_us(&self) -> Option<u64> {
        self.is_read_as(matches!(self.kind, Kind::Duration));
        self.keep(self.quantity(duration_us))
    }

    /// A duration in microseconds that isn't zero.
    pub fn span_us(&self) -> Option<u64> {
        self.is_read_as(matches!(self.kind, Kind::Span));
        match self.keep(self.quantity(duration_us))? {
            0 => self.reject("no time at all does nothing", "Write a longer time, or take the entry out."),
            us => Some(us),
        }
    }

    /// How far a clock jumps, in microseconds.
    pub fn shift_us(&self) -> Option<i64> {
        self.is_read_as(matches!(self.kind, Kind::Shift));
        self.keep(self.quantity(shift_us))
    }

    /// How fast a clock runs, in parts per million above the true rate.
    pub fn rate_ppm(&self) -> Option<i32> {
        self.is_read_as(matches!(self.kind, Kind::Rate));
        match self.value {
            DeValue::String(text) => self.keep(rate_ppm(text)),
            DeValue::Integer(number) => self.quoted(&number.to_string()),
            DeValue::Float(number) => self.quoted(number.as_str()),
            other => self.reject(format!("this is {}, not a rate", kind(other)), "Write a rate such as \"1.5\"."),
        }
    }

    /// Rates are exact decimals, which a number of TOML is not.
    fn quoted<T>(&self, number: &str) -> Option<T> {
        self.reject(format!("the rate {number} has no quotes"), format!("Write \"{number}\"."))
    }

    fn quantity<T>(&self, read: fn(&str) -> Result<T, Complaint>) -> Result<T, Complaint> {
        match self.value {
            DeValue::String(text) => read(text),
            DeValue::Integer(number) => Err(no_unit(&number.to_string(), &number.to_string())),
            DeValue::Float(number) => Err(no_unit(number.as_str(), number.as_str())),
            other => Err(Complaint::new(
                format!("this is {}, not a duration", kind(other)),
                "Write a duration such as \"200 ms\".",
            )),
        }
    }

    /// A whole number within the bounds of this field.
    pub fn number(&self) -> Option<u16> {
        self.is_read_as(matches!(self.kind, Kind::Number(..)));
        let Kind::Number(least, most) = *self.kind else { return None };
        self.number_in(least..=most)
    }

    /// A whole number within bounds that the rest of the file sets.
    pub fn number_in(&self, bounds: RangeInclusive<u16>) -> Option<u16> {
        let (least, most) = (bounds.start(), bounds.end());
        let cure = format!("Write a whole number from {least} to {most}.");
        let DeValue::Integer(number) = self.value else {
            return self.reject(format!("this is {}, not a whole number", kind(self.value)), cure);
        };
        match u16::from_str_radix(number.as_str(), number.radix()) {
            Ok(value) if bounds.contains(&value) => Some(value),
            _ => self.reject(format!("{number} is out of bounds"), cure),
        }
    }

    /// Yes or no.
    pub fn truth(&self) -> Option<bool> {
        self.is_read_as(matches!(self.kind, Kind::Truth | Kind::Is(_)));
        match self.value {
            DeValue::Boolean(truth) => Some(*truth),
            other => self.reject(format!("this is {}, not a truth value", kind(other)), "Write true or false."),
        }
    }

    /// One of a few names.
    pub fn one_of<T: Copy>(&self, what: &str, known: &[(&'static str, T)]) -> Option<T> {
        let names = names(known);
        self.is_read_as(matches!(self.kind, Kind::OneOf(known) if known() == names));
        self.place_among(what, &names, None).map(|place| known[place].1)
    }

    /// The place of a name among those of the author's own.
    pub fn place_in(&self, what: &str, names: &[&str], defined_by: Option<Cause>) -> Option<usize> {
        self.is_read_as(matches!(self.kind, Kind::Name));
        self.place_among(what, names, defined_by)
    }

    fn place_among(&self, what: &str, names: &[&str], defined_by: Option<Cause>) -> Option<usize> {
        let name = self.word()?;
        let place = names.iter().position(|known| *known == name);
        if place.is_none() {
            match defined_by {
                Some(cause) => self.complain_unless(unknown(what, name, names), cause),
                None => self.complain(unknown(what, name, names)),
            }
        }
        place
    }

    /// A name that is defined here: short, and fit for a link and a command line.
    pub fn new_name(&self) -> Option<&'a str> {
        self.is_read_as(matches!(self.kind, Kind::Name));
        let name = self.word()?;
        self.keep(check_name(name)).map(|()| name)
    }

    /// A table, field by field.
    pub fn table(&self) -> Option<Fields<'a>> {
        self.is_read_as(matches!(self.kind, Kind::Table(_) | Kind::Over(_) | Kind::Named { .. }));
        match self.value {
            DeValue::Table(table) => Some(Fields::new(self.source, self.path.clone(), self.at, table, self.kind)),
            other => self.reject(format!("this is {}, not a table", kind(other)), "Write it as a table of fields."),
        }
    }

    /// The elements of a list that has as many as it may.
    pub fn counted(&self) -> Option<Vec<Field<'a>>> {
        let before = self.source.mistakes();
        let elements = self.elements();
        if self.source.mistakes() > before {
            return None;
        }
        let Kind::List { least, most, .. } = *self.kind else { return Some(elements) };
        let most = most.unwrap_or(usize::MAX);
        if (least..=most).contains(&elements.len()) {
            return Some(elements);
        }
        let cure = match (least, most) {
            (_, usize::MAX) => format!("Have at least {least}."),
            (0, _) => format!("Have at most {most}."),
            _ => format!("Have {least} to {most}."),
        };
        match elements.len() {
            0 => self.reject("the list is empty", cure),
            length => self.reject(format!("a list of {length} doesn't do"), cure),
        }
    }

    /// The elements of a list, each of which may be there once.
    pub fn different_elements(&self) -> Vec<Field<'a>> {
        let elements = self.elements();
        for (place, field) in elements.iter().enumerate() {
            let Some(text) = field.peek() else { continue };
            if elements[..place].iter().any(|other| other.peek() == Some(text)) {
                field.complain(Complaint::new(format!("{} is there already", quote(text)), "Take it out."));
            }
        }
        elements
    }

    /// The elements of a list; nothing, and a report, if this is none.
    pub fn elements(&self) -> Vec<Field<'a>> {
        let DeValue::Array(array) = self.value else {
            self.complain(Complaint::new(
                format!("this is {}, not a list", kind(self.value)),
                format!("Write a list in brackets, or tables that begin with [[{}]].", self.path),
            ));
            return Vec::new();
        };
        self.is_read_as(matches!(self.kind, Kind::List { .. }));
        let Kind::List { of: kind, .. } = self.kind else { return Vec::new() };
        let element = |(place, value): (usize, &'a Spanned<DeValue<'a>>)| Field {
            source: self.source,
            path: format!("{}[{}]", self.path, place + 1),
            at: value.span().start,
            value: value.get_ref(),
            kind,
        };
        array.iter().enumerate().map(element).collect()
    }
}

/// The longest title, in characters. It is a heading, and a row in lists.
const MOST_IN_A_TITLE: usize = 120;

/// The longest other text, in characters.
const MOST_IN_A_TEXT: usize = 2_000;

/// Whether a character has no width, or turns others around: two texts that look the
/// same must be the same (<https://www.unicode.org/reports/tr36/>).
pub(super) fn is_unseen(letter: char) -> bool {
    matches!(letter,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

/// Whether a name is short, and fit for a link and a command line.
pub(super) fn check_name(name: &str) -> Result<(), Complaint> {
    const MOST: usize = 40;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if !name.is_empty() && name.len() <= MOST && name.chars().all(fits) && !name.starts_with('-') {
        return Ok(());
    }
    Err(Complaint::new(
        format!("{} is no name", quote(name)),
        "Use 1 to 40 letters of ASCII, digits and dashes, such as \"paused-holder\".",
    ))
}

fn kind(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a decimal number",
        DeValue::Boolean(_) => "a truth value",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
