//! What is read around a run: the prediction, the interview questions, the sources.

use super::field::Field;
use super::links;
use super::mistake::{Complaint, quote};
use super::shape::{Kind, Shape, Slot, need};
use super::table::Fields;
use crate::{Prediction, Question, Source};

/// The most answers that a prediction offers.
const MOST_OPTIONS: usize = 6;

/// The most questions of a lesson, and the most sources.
const MOST_READ: usize = 20;

/// What `[prediction]` is.
pub(super) const PREDICTION: Kind = Kind::Table(|| vec![Shape::of(&[ASKED])]);

/// What `[[questions]]` is.
pub(super) const QUESTIONS: Kind =
    Kind::List { of: &Kind::Table(|| vec![Shape::of(&[QUESTION])]), least: 0, most: Some(MOST_READ) };

/// What `[[sources]]` is.
pub(super) const SOURCES: Kind =
    Kind::List { of: &Kind::Table(|| vec![Shape::of(&[SOURCE])]), least: 0, most: Some(MOST_READ) };

const ASKED: &[Slot] = &[
    need("question", Kind::Text, "question = \"…\""),
    need("because", Kind::Text, "because = \"…\""),
    need("options", Kind::List { of: &Kind::Text, least: 2, most: Some(MOST_OPTIONS) }, "options = [\"…\", \"…\"]"),
    need("answer", Kind::Answer, "answer = 1, for the first option"),
];

const QUESTION: &[Slot] =
    &[need("question", Kind::Text, "question = \"…\""), need("answer", Kind::Text, "answer = \"…\"")];

const SOURCE: &[Slot] = &[
    need("title", Kind::Text, "title = \"…\""),
    need("by", Kind::Text, "by = \"…\""),
    need("url", Kind::Address, "url = \"https://…\""),
];

/// Reads `[prediction]`, which may be missing.
pub(super) fn prediction(fields: &mut Fields) -> Option<Prediction> {
    let mut fields = fields.get("prediction")?.table()?;
    let question = fields.text("question");
    let because = fields.text("because");
    let options = fields.get("options").and_then(|field| options(&field));
    let answer = fields.get("answer").and_then(|field| answer_among(&field, options.as_deref()?));
    fields.finish();
    Some(Prediction { question: question?, options: options?, answer: answer?, because: because? })
}

fn options(field: &Field) -> Option<Vec<String>> {
    let before = field.source.mistakes();
    let elements = field.elements();
    if field.source.mistakes() > before {
        return None;
    }
    if !(2..=MOST_OPTIONS).contains(&elements.len()) {
        let wrong = format!("{} options leave nothing to predict", elements.len());
        field.complain(Complaint::new(wrong, format!("Offer 2 to {MOST_OPTIONS}.")));
        return None;
    }
    let options: Vec<String> = elements.iter().map(Field::text).collect::<Option<_>>()?;
    for (place, option) in options.iter().enumerate().filter(|(place, option)| options[..*place].contains(option)) {
        let wrong = format!("{} is an option already", quote(option));
        elements[place].complain(Complaint::new(wrong, "Offer something else, or take it out."));
    }
    Some(options)
}

/// The place of the answer, which is given by its number, counted from 1, or by its text.
fn answer_among(field: &Field, options: &[String]) -> Option<u8> {
    if field.peek().is_none() {
        return field.number_in(1..=options.len() as u16).map(|number| number as u8 - 1);
    }
    let text = field.text()?;
    let place = options.iter().position(|option| *option == text);
    if place.is_none() {
        let cure = format!("Copy the text of an option, or write its number, from 1 to {}.", options.len());
        field.complain(Complaint::new(format!("{} is none of the options", quote(&text)), cure));
    }
    place.map(|place| place as u8)
}

/// Reads `[[questions]]`.
pub(super) fn questions(fields: &mut Fields) -> Vec<Question> {
    let question = |mut fields: Fields| {
        let (question, answer) = (fields.text("question"), fields.text("answer"));
        fields.finish();
        Some(Question { question: question?, answer: answer? })
    };
    fields.tables("questions").into_iter().filter_map(question).collect()
}

/// Reads `[[sources]]`.
pub(super) fn sources(fields: &mut Fields) -> Vec<Source> {
    let source = |mut fields: Fields| {
        let (title, by) = (fields.text("title"), fields.text("by"));
        let url = fields.get("url").and_then(|field| address(&field));
        fields.finish();
        Some(Source { title: title?, by: by?, url: url? })
    };
    fields.tables("sources").into_iter().filter_map(source).collect()
}

fn address(field: &Field) -> Option<String> {
    let url = field.word()?;
    links::check_https(url).map_err(|complaint| field.complain(complaint)).ok()?;
    Some(url.to_string())
}
