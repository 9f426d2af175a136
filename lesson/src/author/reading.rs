//! What is read around a run: the prediction, the interview questions, the sources.

use super::field::Field;
use super::links;
use super::mistake::{Complaint, quote};
use super::table::Fields;
use crate::{Prediction, Question, Source};

/// The most answers that a prediction offers.
const MOST_OPTIONS: usize = 6;

/// Reads `[prediction]`, which may be missing.
pub(super) fn prediction(fields: &mut Fields) -> Option<Prediction> {
    let mut fields = fields.get("prediction")?.table()?;
    let question = fields.text("question");
    let because = fields.text("because");
    let options = fields.need("options", "options = [\"…\", \"…\"]").and_then(|field| options(&field));
    let answer = fields.need("answer", "answer = 1, for the first option");
    let answer = answer.and_then(|field| answer_among(&field, options.as_deref()?));
    fields.finish();
    Some(Prediction { question: question?, options: options?, answer: answer?, because: because? })
}

fn options(field: &Field) -> Option<Vec<String>> {
    let elements = field.elements();
    if !(2..=MOST_OPTIONS).contains(&elements.len()) {
        let wrong = format!("{} options leave nothing to predict", elements.len());
        field.complain(Complaint::new(wrong, format!("Offer 2 to {MOST_OPTIONS}.")));
        return None;
    }
    elements.iter().map(Field::text).collect()
}

/// The place of the answer, which is given by its number, counted from 1, or by its text.
fn answer_among(field: &Field, options: &[String]) -> Option<u8> {
    if field.peek().is_none() {
        return field.number(1..=options.len() as u16).map(|number| number as u8 - 1);
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
        let url = fields.need("url", "url = \"https://…\"").and_then(|field| address(&field));
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
