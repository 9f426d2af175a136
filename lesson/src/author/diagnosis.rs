//! Why a system doesn't know a command, as far as that can be told.
//!
//! A system says only yes or no. So each part of a command is put in another's place,
//! until the system knows it: what had to be changed is what was wrong.

use std::ops::Range;

use racescope_engine::system::setup::{Server, Setup, variants};

use super::mistake::{Complaint, list, quote};
use super::nearest::unknown;

/// The complaint about a command that a system doesn't know.
pub(super) fn unknown_command(server: &dyn Server, setup: &Setup, command: &str) -> Complaint {
    let wrong = format!("{} doesn't know the command {}", name(setup), code(command));
    let try_out = Trial { server, command };
    let cause = try_out.variant(setup).or_else(|| try_out.case(setup)).or_else(|| try_out.number());
    let cause = cause.or_else(|| try_out.word(setup));
    match cause {
        Some(Complaint { wrong: why, cure }) => Complaint::new(format!("{wrong}: {why}"), cure),
        None => Complaint::new(wrong, shapes(setup)),
    }
}

fn name(setup: &Setup) -> String {
    setup.variant.as_ref().map_or_else(|| setup.kind.clone(), |variant| format!("{} {variant}", setup.kind))
}

fn code(text: &str) -> String {
    let shown: String = text.chars().take(80).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("`{shown}{more}`")
}

fn shapes(setup: &Setup) -> String {
    let keys: Vec<&str> = setup.keys.iter().map(String::as_str).collect();
    let known = match keys.as_slice() {
        [] => String::new(),
        [one] => format!(", with its key {}", quote(one)),
        many => format!(", with its keys {}", list(many).replace(" or ", " and ")),
    };
    format!("Write it in one of the shapes that docs/reference/systems.md lists{known}.")
}

struct Trial<'s> {
    server: &'s dyn Server,
    command: &'s str,
}

impl Trial<'_> {
    fn knows(&self, part: &Range<usize>, instead: &str) -> bool {
        let command = self.command;
        self.server.knows(&format!("{}{instead}{}", &command[..part.start], &command[part.end..]))
    }

    /// Whether another variant of the system knows the command.
    fn variant(&self, setup: &Setup) -> Option<Complaint> {
        let knows = |variant: &str| {
            let other = Setup { variant: Some(variant.to_string()), ..setup.clone() };
            other.build(1).is_ok_and(|server| server.knows(self.command))
        };
        let knowing: Vec<&str> = variants(&setup.kind).iter().copied().filter(|variant| knows(variant)).collect();
        (!knowing.is_empty()).then(|| {
            let cure = format!("Add variant = {} to the system.", list(&knowing));
            Complaint::new("another variant of it does", cure)
        })
    }

    /// Whether only capital or small letters are wrong.
    fn case(&self, setup: &Setup) -> Option<Complaint> {
        let is_name = |word: &str| setup.keys.iter().chain(&setup.words).any(|known| known == word);
        for turn in [str::to_ascii_uppercase as fn(&str) -> String, str::to_ascii_lowercase] {
            let turned = |word| if is_name(word) { word.to_string() } else { turn(word) };
            let written: Vec<String> = self.command.split(' ').map(turned).collect();
            let written = written.join(" ");
            if self.server.knows(&written) {
                return Some(Complaint::new("capital and small letters differ", format!("Write {}.", code(&written))));
            }
        }
        None
    }

    /// Whether a number is out of bounds, and which bounds these are.
    fn number(&self) -> Option<Complaint> {
        let parts = stretches(self.command, |letter| letter.is_ascii_digit());
        parts.into_iter().find_map(|digits| {
            let is_negative = self.command[..digits.start].ends_with(" -") && digits.start > 0;
            let part = if is_negative { digits.start - 1..digits.end } else { digits };
            let number = &self.command[part.clone()];
            let knows = |number: u64| self.knows(&part, &number.to_string());
            let least = [0, 1].into_iter().find(|&least| knows(least))?;
            let value: u64 = if is_negative { 0 } else { number.parse().unwrap_or(u64::MAX) };
            if value <= least {
                let wrong = format!("the number {} is too small here", shortened(number));
                return Some(Complaint::new(wrong, format!("Write {least} or more.")));
            }
            let (mut known, mut beyond) = (least, value);
            while beyond - known > 1 {
                let middle = known + (beyond - known) / 2;
                *(if knows(middle) { &mut known } else { &mut beyond }) = middle;
            }
            let wrong = format!("the number {} is too large here", shortened(number));
            Some(Complaint::new(wrong, format!("Write {known} at most.")))
        })
    }

    /// Whether a key or a value isn't among those that the system has.
    fn word(&self, setup: &Setup) -> Option<Complaint> {
        let parts = stretches(self.command, |letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
        let known: Vec<&str> = setup.words.iter().map(String::as_str).collect();
        let keys: Vec<&str> = setup.keys.iter().map(String::as_str).collect();
        parts.into_iter().find_map(|part| {
            let word = &self.command[part.clone()];
            let longest = (1..=12).rev().find(|&length| self.knows(&part, &"q".repeat(length)));
            if let Some(longest) = longest {
                let cure = format!("Use 1 to {longest} out of a-z, 0-9, \"-\", \"_\" and \".\".");
                return Some(Complaint::new(format!("{} is no value here", quote(word)), cure));
            }
            if known.iter().any(|known| self.knows(&part, known)) {
                let cure = format!("Add it to words, or use {}, or a number.", list(&known));
                return Some(Complaint::new(format!("{} is none of its words", quote(word)), cure));
            }
            keys.iter().any(|key| self.knows(&part, key)).then(|| unknown("key", word, &keys))
        })
    }
}

fn shortened(number: &str) -> String {
    const MOST: usize = 24;
    if number.len() > MOST { format!("{}…", &number[..MOST]) } else { number.to_string() }
}

/// The stretches of a text that consist of such letters only, in order.
fn stretches(text: &str, belongs: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let mut stretches: Vec<Range<usize>> = Vec::new();
    for (at, letter) in text.char_indices().filter(|&(_, letter)| belongs(letter)) {
        match stretches.last_mut() {
            Some(last) if last.end == at => last.end += letter.len_utf8(),
            _ => stretches.push(at..at + letter.len_utf8()),
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(kind: &str, command: &str) -> String {
        let [keys, words] = [["lock", "stock"], ["b", "new"]].map(|all| all.map(str::to_string).to_vec());
        let setup = Setup { kind: kind.to_string(), keys, words, ..Setup::default() };
        let server = setup.build(3).expect("its names fit");
        assert!(!server.knows(command), "{command} is known");
        unknown_command(&*server, &setup, command).to_string()
    }

    #[test]
    fn what_had_to_be_changed_is_named() {
        let all = [
            ("redis", "set lock b nx"),
            ("redis", "SET lock 70000"),
            ("redis", "SET lock b PX 4294967296"),
            ("redis", "SET lokc b"),
            ("redis", "SET lock nope"),
            ("redis", "SETT lock b"),
            ("etcd", "put verylongname a"),
            ("chubby", "TryAcquire exclusive lock-delay=61s"),
            ("outside", "nothing of it"),
        ];
        let said: Vec<String> = all.iter().map(|(kind, command)| says(kind, command)).collect();
        expect_test::expect![[r#"
            redis doesn't know the command `set lock b nx`: capital and small letters differ. Write `SET lock b NX`.
            redis doesn't know the command `SET lock 70000`: the number 70000 is too large here. Write 65279 at most.
            redis doesn't know the command `SET lock b PX 4294967296`: the number 4294967296 is too large here. Write 4294967295 at most.
            redis doesn't know the command `SET lokc b`: there is no key "lokc". Did you mean "lock"?
            redis doesn't know the command `SET lock nope`: "nope" is none of its words. Add it to words, or use "b" or "new", or a number.
            redis doesn't know the command `SETT lock b`. Write it in one of the shapes that docs/reference/systems.md lists, with its keys "lock" and "stock".
            etcd doesn't know the command `put verylongname a`: "verylongname" is no value here. Use 1 to 6 out of a-z, 0-9, "-", "_" and ".".
            chubby doesn't know the command `TryAcquire exclusive lock-delay=61s`: the number 61 is too large here. Write 60 at most.
            outside doesn't know the command `nothing of it`. Write it in one of the shapes that docs/reference/systems.md lists, with its keys "lock" and "stock"."#]].assert_eq(&said.join("\n"));
    }
}
