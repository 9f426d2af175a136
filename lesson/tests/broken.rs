//! Each broken file is answered by exactly the message that lies beside it.
//!
//! `broken/` holds pairs: `name.toml` or `name.md`, and `name.txt` with every line
//! that `racescope check` would print. The other half of each lesson is `good.toml`
//! or `good.md`. With `RACESCOPE_BLESS=1` the messages are written anew, to be read
//! before they are committed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use racescope_lesson::author::{dead_links, prove, read_lesson};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The names of the cases, and whether the broken file of each is the Markdown.
fn cases() -> BTreeSet<(String, bool)> {
    let mut cases = BTreeSet::new();
    let mut messages = BTreeSet::new();
    for entry in fs::read_dir(tests().join("broken")).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => assert!(cases.insert((name, false))),
            Some("md") => assert!(cases.insert((name, true))),
            Some("txt") => assert!(messages.insert(name)),
            _ => panic!("{} is neither a broken file nor a message", path.display()),
        }
    }
    if !blesses() {
        let names: BTreeSet<String> = cases.iter().map(|(name, _)| name.clone()).collect();
        assert_eq!(names, messages, "each broken file has its message, and each message its file");
    }
    cases
}

fn blesses() -> bool {
    env::var_os("RACESCOPE_BLESS").is_some()
}

/// Lays out the folder of a case and gives what is said about it.
fn answer(name: &str, is_text: bool) -> String {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("broken");
    let folder = root.join(name);
    fs::create_dir_all(&folder).expect("the folder can be made");
    let (broken, good) = (tests().join("broken").join(name), tests().join("good"));
    let (toml, text) = if is_text { (good, broken) } else { (broken, good) };
    fs::copy(toml.with_extension("toml"), folder.join("lesson.toml")).expect("the file can be copied");
    fs::copy(text.with_extension("md"), folder.join("lesson.md")).expect("the file can be copied");
    let mistakes = match read_lesson(&folder) {
        Err(mistakes) => mistakes,
        Ok(draft) => prove(&draft).into_iter().chain(dead_links(&draft, &["paused-holder"])).collect(),
    };
    let prefix = format!("{}/", root.display());
    mistakes.iter().map(|mistake| mistake.to_string().replace(&prefix, "") + "\n").collect()
}

#[test]
fn each_broken_file_is_answered_by_its_message() {
    let cases = cases();
    assert!(cases.len() >= 30);
    let mut wrong = String::new();
    for (name, is_text) in cases {
        let file = tests().join("broken").join(&name).with_extension("txt");
        let answer = answer(&name, is_text);
        let placed = |line: &str| line.split_once(": ").is_some_and(|(place, _)| place.matches(':').count() == 1);
        assert!(answer.lines().all(placed), "{name}: each mistake has its line:\n{answer}");
        if blesses() {
            fs::write(file, answer).expect("the message can be written");
            continue;
        }
        let expected = fs::read_to_string(file).expect("the message is there");
        if answer != expected {
            wrong += &format!("{name}: expected\n{expected}but got\n{answer}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_good_halves_are_good() {
    fs::create_dir_all(Path::new(env!("CARGO_TARGET_TMPDIR")).join("good")).expect("the folder can be made");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("good");
    fs::copy(tests().join("good.toml"), folder.join("lesson.toml")).expect("the file can be copied");
    fs::copy(tests().join("good.md"), folder.join("lesson.md")).expect("the file can be copied");
    let draft = read_lesson(&folder).expect("it has no mistake");
    assert_eq!(prove(&draft), []);
}
