//! Whatever a file holds, reading it ends, and ends without a panic.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use racescope_engine::system::setup::{Setting, kinds, takes};
use racescope_lesson::author::{prove, read_lesson};

const TOML: &str = include_str!("good.toml");
const TEXT: &str = include_str!("good.md");

/// Pieces that make files go wrong in interesting ways.
const PIECES: [&str; 24] = [
    "",
    "\n",
    "[[variants]]\n",
    "[nodes.A]\n",
    "\"",
    "{",
    "}",
    "]",
    "= 1",
    "= \"3 s\"",
    "= [[1]]",
    "-1",
    "65536",
    "null",
    "on_busy = \"work\"",
    "clock_rate",
    "\u{0}",
    "é",
    "](at:9s)",
    "<b>",
    "**",
    "```\n",
    "## Recap\n",
    "- ",
];

/// Reads a lesson, and gives what is said about it.
fn read(name: &str, toml: &str, text: &str) -> Vec<String> {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join(name);
    fs::create_dir_all(&folder).expect("it can be made");
    fs::write(folder.join("lesson.toml"), toml).expect("it can be written");
    fs::write(folder.join("lesson.md"), text).expect("it can be written");
    let mistakes = match read_lesson(&folder) {
        Ok(draft) => prove(&draft),
        Err(mistakes) => {
            assert!(!mistakes.is_empty(), "a lesson that isn't taken has a reason");
            mistakes
        }
    };
    mistakes.iter().map(ToString::to_string).collect()
}

/// The text with a stretch replaced by another piece.
fn spoilt(text: &str, from: usize, length: usize, piece: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let from = from % chars.len();
    let to = (from + length).min(chars.len());
    chars[..from].iter().chain(&piece.chars().collect::<Vec<_>>()).chain(&chars[to..]).collect()
}

proptest! {
    #[test]
    fn a_spoilt_lesson_is_read_or_refused(
        from in any::<usize>(),
        length in 0..30_usize,
        piece in prop::sample::select(&PIECES[..]),
        other in any::<usize>(),
    ) {
        read("spoilt", &spoilt(TOML, from, length, piece), &spoilt(TEXT, other, length, piece));
    }

    #[test]
    fn any_text_is_read_or_refused(toml in "\\PC{0,200}", text in "(\\PC|\n){0,200}") {
        read("any", &toml, &text);
    }

    #[test]
    fn any_values_are_read_or_refused(starts in "[0-9]{1,9} (us|ms|s)", ttl in "[0-9]{1,9} us", work in "[0-9]{1,10} us") {
        let toml = TOML.replace("3.5 s", &starts).replace("\"3 s\"", &format!("\"{ttl}\"")).replace("150 ms", &work);
        read("values", &toml, TEXT);
    }
}

/// A lesson of two clients, and of as many as there are letters, with a system of so many
/// keys.
fn with_keys(kind: &str, keys: usize, clients: usize) -> String {
    let keys: Vec<String> = (0..keys).map(|at| format!("\"k{at}\"")).collect();
    let keys = if takes(kind, Setting::Keys) { format!("keys = [{}], ", keys.join(", ")) } else { String::new() };
    let system = format!("s = {{ system = \"{kind}\", {keys}latency = \"1 ms\", title = \"S\" }}\n");
    let clients = format!("writer = {{ client = \"update\", count = {clients} }}\n");
    TOML.replace("A = { client = \"update\" }\n", &(clients + &system))
        .replace("B = { client = \"update\", starts = \"3.5 s\" }\n", "")
}

#[test]
fn any_number_of_keys_and_clients_is_read_or_refused_in_words() {
    for kind in kinds() {
        for keys in [0, 1, 32, 64, 65, 254, 255, 256] {
            for clients in [1, 2, 9, 26] {
                let toml = with_keys(kind, keys, clients);
                let said = read("keys", &toml, TEXT).join("\n");
                // What has no keys at all is only told that nobody asks the system.
                let too_many = takes(kind, Setting::Keys) && keys > 32;
                assert!(!too_many || said.contains("nodes.s.keys: a list of"), "{kind}, {keys} keys: {said}");
            }
        }
    }
}

#[test]
fn deep_nesting_is_refused() {
    let deep = format!("format = {}1{}", "[".repeat(50_000), "]".repeat(50_000));
    read("deep", &deep, &format!("## Hook\n\n{}x", "> ".repeat(50_000)));
    read("deep", &deep, &format!("## Hook\n\n{}x{}", "[".repeat(50_000), "](a)".repeat(50_000)));
    read("deep", &deep, &"*a **b ".repeat(30_000));
}
