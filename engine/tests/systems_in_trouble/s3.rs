//! S3: conditional writes, whole and with an upload that takes a while.

use racescope_engine::system::s3::{Overlap, Reply, S3};

use crate::driver::{CALLERS, Promises, Step, What, keeps_its_promises};

const COMMANDS: [&str; 14] = [
    "GET k",
    "PUT k a",
    "PUT k b If-None-Match: *",
    "PUT k b If-Match: \"md5(a)\"",
    "PUT k a If-Match: \"md5(b)\"",
    "PUT k Expect: 100-continue",
    "PUT k If-None-Match: * Expect: 100-continue",
    "PUT k If-Match: \"md5(a)\" Expect: 100-continue",
    "BODY b",
    "BODY b",
    "BODY c",
    "DELETE k",
    "DELETE k If-Match: \"md5(a)\"",
    "DELETE k If-Match: \"md5(b)\"",
];

/// The condition of the upload that each caller has on the way, as it was written.
struct Bucket {
    overlap: Overlap,
    uploads: [Option<(String, bool)>; CALLERS as usize],
}

impl Bucket {
    fn start(overlap: Overlap) -> Self {
        Self { overlap, uploads: [const { None }; CALLERS as usize] }
    }
}

/// Whether a condition holds for an object, as `GET` shows it.
fn holds(condition: &str, object: &str) -> bool {
    if condition.contains("If-None-Match") {
        return object == "404 NoSuchKey";
    }
    let tag = condition.split_once("If-Match: ").map(|(_, tag)| tag.split(' ').next().unwrap_or_default());
    tag.is_none_or(|tag| object.ends_with(tag))
}

impl Promises for Bucket {
    type System = S3;

    fn looks(&self) -> &'static [&'static str] {
        &["GET k"]
    }

    fn refuses(&self, words: &str, reply: &Reply) -> bool {
        // A body ends its upload whatever becomes of it.
        !words.starts_with("BODY") && !matches!(reply, Reply::Written(_) | Reply::NoContent | Reply::Continue)
    }

    fn judge(&mut self, step: &Step<S3>) {
        let (was, is) = (step.looked("GET k"), step.look("GET k"));
        match step.what {
            What::SetBack => {
                *self = Self::start(self.overlap);
                return;
            }
            What::Disconnected(caller) => self.uploads[usize::from(caller)] = None,
            _ => {}
        }
        assert!(was == is || step.answer().is_some(), "only a request changes an object");
        let Some((caller, words, reply)) = step.answer() else { return };
        let own = &mut self.uploads[usize::from(caller)];
        let condition = match own {
            Some((condition, _)) if words.starts_with("BODY") => condition.clone(),
            // An upload that is older than what the judge knows.
            None if words.starts_with("BODY") => return,
            _ => words.to_string(),
        };
        let is_done = reply.starts_with("200 OK E") || reply == "204 No Content" && is != was;
        assert!(!is_done || holds(&condition, &was), "{words} → {reply} over {was}");
        assert!(is_done || was == is, "{words} → {reply}");
        if words.starts_with("BODY") {
            let overtaken = own.take().is_some_and(|(_, overtaken)| overtaken);
            let is_conditional = condition.contains("Match");
            let conflicts = overtaken && is_conditional && self.overlap == Overlap::Conflict;
            assert_eq!(reply.starts_with("409"), conflicts, "{words} → {reply}");
        } else if reply == "100 Continue" {
            *own = Some((words.to_string(), false));
        }
        if is_done || reply == "204 No Content" {
            for (_, overtaken) in self.uploads.iter_mut().flatten() {
                *overtaken = true;
            }
        }
    }
}

#[test]
fn s3() {
    for overlap in [Overlap::PreconditionFailed, Overlap::Conflict] {
        let wanted = ["200 OK ETag", "100 Continue", "404", "412", "204", "400 IncompleteBody"];
        let bucket = S3::new(&["k"], overlap, 4);
        keeps_its_promises(&bucket, || Bucket::start(overlap), &COMMANDS, &wanted);
    }
}
