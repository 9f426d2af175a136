//! A line of text: words, stresses, code, links and moments of the run.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::links;
use super::mistake::{Complaint, quote};
use super::quantity::duration_us;
use crate::Inline;

/// What the address of a moment begins with.
pub(super) const MOMENT: &str = "at:";

/// A line of text while it is read.
#[derive(Default)]
pub(super) struct Line {
    done: Vec<Inline>,
    /// Plain text that isn't in `done` yet.
    plain: String,
    /// The stretch that is open, with its text so far.
    open: Option<(Stretch, String)>,
}

enum Stretch {
    Strong,
    Emphasis,
    Link(String),
}

impl Line {
    /// Takes the next piece.
    pub fn take(&mut self, event: Event) -> Result<(), Complaint> {
        match event {
            Event::Text(text) => self.text().push_str(&text),
            Event::SoftBreak => self.text().push(' '),
            Event::Code(code) if self.open.is_none() => self.add(Inline::Code(code.to_string())),
            Event::Code(code) => {
                self.text().push_str(&code);
                return refuse("code inside another stretch of text is not taken", "Take the stars or the link away.");
            }
            Event::HardBreak => {
                self.text().push(' ');
                return refuse("a forced line break is not taken", "Begin a new paragraph.");
            }
            Event::Start(Tag::Strong) => return self.begin(Stretch::Strong),
            Event::Start(Tag::Emphasis) => return self.begin(Stretch::Emphasis),
            Event::Start(Tag::Link { dest_url, .. }) => return self.begin(Stretch::Link(dest_url.to_string())),
            Event::Start(Tag::Image { .. }) => return refuse("a picture is not taken", "Say it in words."),
            Event::End(TagEnd::Strong | TagEnd::Emphasis | TagEnd::Link) => return self.end(),
            _ => {}
        }
        Ok(())
    }

    /// The whole line; the next one begins empty.
    pub fn finish(&mut self) -> Vec<Inline> {
        self.flush();
        self.open = None;
        std::mem::take(&mut self.done)
    }

    /// The whole line without its stresses and links; the next one begins empty.
    pub fn finish_as_text(&mut self) -> String {
        let text = |inline: Inline| match inline {
            Inline::Text(text)
            | Inline::Strong(text)
            | Inline::Emphasis(text)
            | Inline::Code(text)
            | Inline::Link { text, .. }
            | Inline::Moment { text, .. } => text,
        };
        self.finish().into_iter().map(text).collect()
    }

    fn text(&mut self) -> &mut String {
        self.open.as_mut().map_or(&mut self.plain, |(_, text)| text)
    }

    fn flush(&mut self) {
        if !self.plain.is_empty() {
            self.done.push(Inline::Text(std::mem::take(&mut self.plain)));
        }
    }

    fn add(&mut self, inline: Inline) {
        self.flush();
        self.done.push(inline);
    }

    fn begin(&mut self, stretch: Stretch) -> Result<(), Complaint> {
        if self.open.is_some() {
            return refuse("stretches of text can't be inside each other", "Keep either the stars or the link.");
        }
        self.open = Some((stretch, String::new()));
        Ok(())
    }

    fn end(&mut self) -> Result<(), Complaint> {
        let Some((stretch, text)) = self.open.take() else { return Ok(()) };
        let inline = match stretch {
            Stretch::Strong => Inline::Strong(text),
            Stretch::Emphasis => Inline::Emphasis(text),
            Stretch::Link(url) => match url.strip_prefix(MOMENT) {
                Some(at) => moment(text, at)?,
                None => links::check(&url).map(|()| Inline::Link { text, url })?,
            },
        };
        self.add(inline);
        Ok(())
    }
}

/// A moment; where its text is a time, it must be the same one.
fn moment(text: String, at: &str) -> Result<Inline, Complaint> {
    let at_us = duration_us(at)?;
    match duration_us(&text) {
        Ok(read_us) if read_us != at_us => {
            let wrong = format!("the link reads {} and leads to {}", quote(&text), quote(at));
            refuse(wrong, "Let both be the same moment.")
        }
        _ => Ok(Inline::Moment { text, at_us }),
    }
}

fn refuse<T>(wrong: impl Into<String>, cure: &str) -> Result<T, Complaint> {
    Err(Complaint::new(wrong, cure))
}
