//! An S3 bucket: objects that are written whole, under a condition or not.
//!
//! - `If-None-Match: *` writes only if the key is free, `If-Match` only if the
//!   object has this `ETag`; else the answer is 412
//!   (<https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html>).
//!   `DELETE` takes `If-Match` too
//!   (<https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-deletes.html>).
//! - The `ETag` of a plain single upload is the MD5 of the content
//!   (<https://docs.aws.amazon.com/AmazonS3/latest/API/API_Object.html>). So it
//!   says what the content is, and not which write it came from: after A, B, A it is
//!   what it was. It is displayed as `md5(…)` of the content.
//! - An upload takes a while. If the object was changed during it, a conditional
//!   one may be answered 409 `ConditionalRequestConflict`
//!   (<https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html>). That
//!   isn't a refusal of the condition: read the `ETag` anew, and try again.
//!
//! An upload that takes a while is sent with `Expect: 100-continue`: first its
//! headers, then its body. Left out: multipart uploads, versions, encryption (whose
//! `ETag` is no MD5).

use alloc::vec::Vec;
use core::fmt;

use super::names::{Keys, Word};
use super::{Caller, ClockKind, System, Time, Timer};
use crate::system::Cell;

/// A bucket.
#[derive(Clone, Debug)]
pub struct S3 {
    keys: Keys,
    overlap: Overlap,
    callers: u8,
}

/// What a conditional upload is told if the object was changed during it. The
/// documents allow both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Its condition is judged when the body has come: 412 if it doesn't hold.
    PreconditionFailed,
    /// 409, whether or not its condition would hold.
    Conflict,
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `GET KEY`
    Get(usize),
    /// `PUT KEY CONTENT [If-None-Match: * | If-Match: ETAG]`: arrives whole.
    Put(usize, Word, Condition),
    /// `PUT KEY [If-None-Match: * | If-Match: ETAG] Expect: 100-continue`: the
    /// headers of an upload.
    Headers(usize, Condition),
    /// `BODY CONTENT`: the body of the caller's upload.
    Body(Word),
    /// `DELETE KEY [If-Match: ETAG]`
    Delete(usize, Condition),
}

/// Under which condition a request happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Under none.
    Always,
    /// `If-None-Match: *`
    NoObject,
    /// `If-Match: "md5(CONTENT)"`
    Content(Word),
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// 200 with the object.
    Object(Word),
    /// 200 with the `ETag` of what was written.
    Written(Word),
    /// The headers are fine: send the body.
    Continue,
    /// 204: the object isn't there (any more).
    NoContent,
    /// 404: the key has no object.
    NoSuchKey,
    /// 409: the object was changed during the upload.
    Conflict,
    /// 412: the condition doesn't hold.
    PreconditionFailed,
    /// 400: a body without headers.
    IncompleteBody,
    /// 503: the bucket was set up for fewer callers.
    SlowDown,
}

// The cells of an upload.
const KEY: usize = 0; // the key plus one, or 0
const CONDITION: usize = 1; // 0, 1 or 2, in the order of `Condition`
const CONTENT: usize = 2;
const OVERTAKEN: usize = 3; // 1 if the object was changed since
const UPLOAD: usize = 4;

impl S3 {
    /// A bucket that knows these keys, and so many callers, each of whom can have an
    /// upload on the way.
    pub fn new(keys: &[&str], overlap: Overlap, callers: u8) -> Self {
        Self { keys: Keys::new(keys), overlap, callers }
    }

    fn upload(&self, caller: Caller) -> core::ops::Range<usize> {
        let start = self.keys.count() + usize::from(caller) * UPLOAD;
        start..start + UPLOAD
    }

    /// Sets or takes away an object, and tells the uploads on the way to its key.
    fn change(&self, key: usize, content: Option<Word>, cells: &mut [Cell]) {
        cells[key] = Word::cell_of(content);
        for upload in cells[self.keys.count()..].chunks_exact_mut(UPLOAD) {
            if usize::from(upload[KEY]) == key + 1 {
                upload[OVERTAKEN] = 1;
            }
        }
    }

    fn put(&self, key: usize, content: Word, condition: Condition, cells: &mut [Cell]) -> Reply {
        if let Some(refusal) = condition.refusal(Word::from_cell(cells[key])) {
            return refusal;
        }
        self.change(key, Some(content), cells);
        Reply::Written(content)
    }

    fn begin(&self, caller: Caller, key: usize, condition: Condition, cells: &mut [Cell]) -> Reply {
        if caller >= self.callers {
            return Reply::SlowDown;
        }
        if let Some(refusal) = condition.refusal(Word::from_cell(cells[key])) {
            return refusal;
        }
        let (kind, content) = match condition {
            Condition::Always => (0, 0),
            Condition::NoObject => (1, 0),
            Condition::Content(content) => (2, content.to_cell()),
        };
        cells[self.upload(caller)].copy_from_slice(&[key as Cell + 1, kind, content, 0]);
        Reply::Continue
    }

    fn finish(&self, caller: Caller, content: Word, cells: &mut [Cell]) -> Reply {
        if caller >= self.callers {
            return Reply::SlowDown;
        }
        let upload = &mut cells[self.upload(caller)];
        let Some(key) = usize::from(upload[KEY]).checked_sub(1) else { return Reply::IncompleteBody };
        let condition = match (upload[CONDITION], Word::from_cell(upload[CONTENT])) {
            (2, Some(content)) => Condition::Content(content),
            (1, _) => Condition::NoObject,
            _ => Condition::Always,
        };
        let overtaken = upload[OVERTAKEN] != 0;
        upload.fill(0);
        if overtaken && condition != Condition::Always && self.overlap == Overlap::Conflict {
            return Reply::Conflict;
        }
        self.put(key, content, condition, cells)
    }

    fn delete(&self, key: usize, condition: Condition, cells: &mut [Cell]) -> Reply {
        if let Some(refusal) = condition.refusal(Word::from_cell(cells[key])) {
            return refusal;
        }
        self.change(key, None, cells);
        Reply::NoContent
    }

    fn condition(words: &[&str]) -> Option<Condition> {
        match words {
            [] => Some(Condition::Always),
            ["If-None-Match:", "*"] => Some(Condition::NoObject),
            ["If-Match:", tag] => {
                let content = tag.strip_prefix("\"md5(")?.strip_suffix(")\"")?;
                Some(Condition::Content(Word::parse(content)?))
            }
            _ => None,
        }
    }
}

impl Condition {
    /// The answer if it doesn't hold for an object or its absence.
    fn refusal(self, object: Option<Word>) -> Option<Reply> {
        match (self, object) {
            (Self::NoObject, Some(_)) => Some(Reply::PreconditionFailed),
            (Self::Content(_), None) => Some(Reply::NoSuchKey),
            (Self::Content(content), Some(object)) if content != object => Some(Reply::PreconditionFailed),
            _ => None,
        }
    }
}

impl System for S3 {
    type Command = Command;
    type Reply = Reply;
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Command> {
        let words: Vec<&str> = words.split_whitespace().collect();
        match words.as_slice() {
            ["GET", key] => Some(Command::Get(self.keys.find(key)?)),
            ["PUT", key, condition @ .., "Expect:", "100-continue"] => {
                Some(Command::Headers(self.keys.find(key)?, Self::condition(condition)?))
            }
            ["PUT", key, content, condition @ ..] => {
                Some(Command::Put(self.keys.find(key)?, Word::parse(content)?, Self::condition(condition)?))
            }
            ["BODY", content] => Some(Command::Body(Word::parse(content)?)),
            ["DELETE", key, condition @ ..] => {
                let condition = Self::condition(condition)?;
                (condition != Condition::NoObject).then_some(Command::Delete(self.keys.find(key)?, condition))
            }
            _ => None,
        }
    }

    fn length(&self) -> usize {
        self.keys.count() + usize::from(self.callers) * UPLOAD
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, caller: Caller, command: &Command, cells: &mut [Cell], _: &mut dyn Time) -> Option<Reply> {
        Some(match *command {
            Command::Get(key) => Word::from_cell(cells[key]).map_or(Reply::NoSuchKey, Reply::Object),
            Command::Put(key, content, condition) => self.put(key, content, condition, cells),
            Command::Headers(key, condition) => self.begin(caller, key, condition, cells),
            Command::Body(content) => self.finish(caller, content, cells),
            Command::Delete(key, condition) => self.delete(key, condition, cells),
        })
    }

    fn fire(&self, _: Timer, _: &mut [Cell], _: &mut dyn Time) {}

    fn disconnect(&self, caller: Caller, cells: &mut [Cell], _: &mut dyn Time) {
        if caller < self.callers {
            cells[self.upload(caller)].fill(0);
        }
    }

    fn timers(&self) -> u8 {
        0
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(content) => write!(f, "200 OK {content} ETag: \"md5({content})\""),
            Self::Written(content) => write!(f, "200 OK ETag: \"md5({content})\""),
            Self::Continue => write!(f, "100 Continue"),
            Self::NoContent => write!(f, "204 No Content"),
            Self::NoSuchKey => write!(f, "404 NoSuchKey"),
            Self::Conflict => write!(f, "409 ConditionalRequestConflict"),
            Self::PreconditionFailed => write!(f, "412 Precondition Failed"),
            Self::IncompleteBody => write!(f, "400 IncompleteBody"),
            Self::SlowDown => write!(f, "503 Slow Down"),
        }
    }
}
