//! `lesson.md`: sections, and the blocks in them.
//!
//! What a lesson's text can hold is a closed list, and everything else is refused
//! with a cure: what isn't drawn can't be missed, and HTML never reaches a page.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

use super::field::is_unseen;
use super::inline::{Line, MOMENT};
use super::links::lesson_of;
use super::mistake::{Complaint, quote};
use super::nearest::unknown;
use super::places::TextPlace;
use super::source::Source;
use crate::{Block, Section, SectionName};

const SECTIONS: [(&str, SectionName); 3] =
    [("Hook", SectionName::Hook), ("What to look at", SectionName::WhatToLookAt), ("Recap", SectionName::Recap)];

/// The text of a lesson, and where its moments are.
#[derive(Default)]
pub(super) struct Text {
    pub sections: Vec<Section>,
    pub moments: Vec<TextPlace>,
    /// The lessons to which it links, and where.
    pub lessons: Vec<(String, TextPlace)>,
}

/// Reads the text of a lesson.
pub(super) fn read(source: &Source) -> Text {
    let mut reader = Reader { source, text: Text::default(), open: Open::Nothing, line: Line::default() };
    for (event, span) in Parser::new(source.text()).into_offset_iter() {
        reader.take(event, &span);
    }
    reader.look_for_missing();
    reader.text
}

/// The block that is being read.
enum Open {
    Nothing,
    Heading,
    Paragraph,
    List { ordered: bool, items: Vec<Vec<crate::Inline>> },
    Code { language: String, text: String },
}

struct Reader<'s> {
    source: &'s Source,
    text: Text,
    open: Open,
    /// The stretches of text of the block that is being read.
    line: Line,
}

impl Reader<'_> {
    fn complain(&self, at: &Range<usize>, wrong: impl Into<String>, cure: impl Into<String>) {
        self.source.report(at.start, self.section(), Complaint::new(wrong, cure));
    }

    /// The heading below which the reader is, or nothing.
    fn section(&self) -> &'static str {
        self.text.sections.last().map_or("", |section| title(section.name))
    }

    /// Notes where a moment is, or a link to a lesson. In a heading there is none: of
    /// that, only the words are read.
    fn note_link(&mut self, event: &Event, span: &Range<usize>) {
        let Event::Start(Tag::Link { dest_url, .. }) = event else { return };
        if matches!(self.open, Open::Heading) {
            return;
        }
        let place = TextPlace { section: self.section(), line: self.source.line(span.start) };
        if dest_url.starts_with(MOMENT) {
            self.text.moments.push(place);
        } else if let Some(lesson) = lesson_of(dest_url) {
            self.text.lessons.push((lesson.to_string(), place));
        }
    }

    /// Two texts that look the same must be the same.
    fn look_for_unseen(&self, event: &Event, span: &Range<usize>) {
        let (Event::Text(text) | Event::Code(text)) = event else { return };
        if let Some(letter) = text.chars().find(|&letter| is_unseen(letter)) {
            let wrong = format!("the text has the character U+{:04X}, which nobody sees", u32::from(letter));
            self.complain(span, wrong, "Take it out.");
        }
    }

    fn take(&mut self, event: Event, span: &Range<usize>) {
        self.look_for_unseen(&event, span);
        match (event, &mut self.open) {
            (Event::Start(tag), _) if is_block(&tag) => self.begin(tag, span),
            (Event::End(TagEnd::Heading(_)), _) => self.end_heading(span),
            (Event::End(TagEnd::Paragraph), Open::Paragraph) => {
                let block = Block::Paragraph(self.line.finish());
                self.end(block, span);
            }
            (Event::End(TagEnd::Item), Open::List { items, .. }) => items.push(self.line.finish()),
            (Event::End(TagEnd::List(_) | TagEnd::CodeBlock), _) => {
                let block = match std::mem::replace(&mut self.open, Open::Nothing) {
                    Open::List { ordered, items } => Block::List { ordered, items },
                    Open::Code { language, text } => Block::Code { language, text },
                    _ => return,
                };
                self.end(block, span);
            }
            (Event::Text(more), Open::Code { text, .. }) => text.push_str(&more),
            (Event::Html(_) | Event::InlineHtml(_), _) => {
                self.complain(span, "HTML is not taken", "Write it in Markdown, or put it in backticks to show it.");
            }
            (Event::Rule, _) => self.complain(span, "a line across is not taken", "Take it out."),
            (event, _) => {
                self.note_link(&event, span);
                if let Err(complaint) = self.line.take(event) {
                    self.complain(span, complaint.wrong, complaint.cure);
                }
            }
        }
    }

    fn begin(&mut self, tag: Tag, span: &Range<usize>) {
        let inside_list = matches!(self.open, Open::List { .. });
        match tag {
            // A paragraph in a list's item adds nothing to the item.
            Tag::Item | Tag::Paragraph if inside_list => {}
            Tag::List(_) | Tag::CodeBlock(_) if inside_list => {
                self.complain(span, "a list holds only lines of text", "Put the inner block after the list.");
            }
            Tag::Heading { level: HeadingLevel::H2, .. } => self.open = Open::Heading,
            Tag::Heading { .. } => {
                self.open = Open::Nothing;
                self.complain(
                    span,
                    "only headings of the second level are taken",
                    "Write \"## \" and a section's name.",
                );
            }
            Tag::Paragraph => self.open = Open::Paragraph,
            Tag::List(first) => self.open = Open::List { ordered: first.is_some(), items: Vec::new() },
            Tag::CodeBlock(CodeBlockKind::Fenced(language)) if !language.is_empty() => {
                self.open = Open::Code { language: language.to_string(), text: String::new() };
            }
            Tag::CodeBlock(_) => {
                self.complain(
                    span,
                    "these lines don't say what they are written in",
                    "Begin them with ```redis, ```sql or the like.",
                );
            }
            Tag::HtmlBlock => {}
            _ => self.complain(span, "this kind of block is not taken", "Write paragraphs, lists and lines of code."),
        }
    }

    fn end(&mut self, block: Block, span: &Range<usize>) {
        self.open = Open::Nothing;
        match self.text.sections.last_mut() {
            Some(section) => section.blocks.push(block),
            None => self.complain(span, "this text is in no section", "Put it below \"## Hook\"."),
        }
    }

    fn end_heading(&mut self, span: &Range<usize>) {
        let is_ours = matches!(self.open, Open::Heading);
        let heading = self.line.finish_as_text();
        self.open = Open::Nothing;
        if !is_ours {
            return;
        }
        let known = SECTIONS.map(|(title, _)| title);
        let Some(&(_, name)) = SECTIONS.iter().find(|(title, _)| *title == heading) else {
            let complaint = unknown("section", &heading, &known);
            return self.source.report(span.start, "", complaint);
        };
        if self.text.sections.last().is_some_and(|last| last.name >= name) {
            let wrong = format!("the section {} is there twice or too late", quote(&heading));
            self.source.report(span.start, "", Complaint::new(wrong, format!("Their order is {}.", known.join(", "))));
        }
        self.text.sections.push(Section { name, blocks: Vec::new() });
    }

    fn look_for_missing(&self) {
        for (title, name) in SECTIONS {
            match self.text.sections.iter().find(|section| section.name == name) {
                None => self.report_end(title, "the section is missing", format!("Add \"## {title}\" and its text.")),
                Some(section) if section.blocks.is_empty() => {
                    self.report_end(title, "the section is empty", "Write its text.".to_string());
                }
                Some(_) => {}
            }
        }
    }

    fn report_end(&self, title: &str, wrong: &str, cure: String) {
        self.source.report(self.source.text().trim_end().len(), title, Complaint::new(wrong, cure));
    }
}

fn is_block(tag: &Tag) -> bool {
    !matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. })
}

fn title(name: SectionName) -> &'static str {
    SECTIONS.iter().find(|(_, known)| *known == name).map_or("", |(title, _)| title)
}
