//! What the page on the format of a lesson shows of the command is what the command does.
//!
//! A console block of the page holds commands, each behind a `$`, and what they print.
//! With `RACESCOPE_BLESS=1` what they print is written anew, to be read before it is
//! committed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// How a command begins on the page.
const PROMPT: &str = "$ cargo run -- ";

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/lesson-format.md")
}

/// The text of the first fenced block in this language that holds a piece of text.
fn block<'p>(page: &'p str, language: &str, piece: &str) -> &'p str {
    let fence = format!("\n```{language}\n");
    let blocks = page.split(fence.as_str()).skip(1).filter_map(|rest| rest.split_once("\n```"));
    let mut texts = blocks.map(|(text, _)| text);
    texts.find(|text| text.contains(piece)).unwrap_or_else(|| panic!("no block of {language} holds {piece}"))
}

/// A folder of a test's own with what the commands of the page name: its whole lesson,
/// and the scenarios.
fn folder(test: &str, page: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("doc_samples").join(test);
    let (lesson, scenarios) = (root.join("drafts/late-packet"), root.join("tests/scenarios"));
    for folder in [&lesson, &scenarios] {
        fs::create_dir_all(folder).expect("the folder can be made");
    }
    fs::write(lesson.join("lesson.toml"), block(page, "toml", "format = 1")).expect("it can be written");
    fs::write(lesson.join("lesson.md"), block(page, "markdown", "## Hook")).expect("it can be written");
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    for entry in fs::read_dir(kept).expect("the scenarios are there") {
        let file = entry.expect("it can be read").path();
        fs::copy(&file, scenarios.join(file.file_name().expect("a file has a name"))).expect("it can be copied");
    }
    root
}

/// What a command of the page prints, which must end well.
fn printed(folder: &Path, arguments: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_racescope"));
    let output = command.args(arguments.split(' ')).current_dir(folder).output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("it prints text");
    assert!(output.status.success(), "{arguments}: {}", text(output.stderr));
    text(output.stdout)
}

/// The page with what its commands print. Where the page shows nothing, nothing is put.
fn played(page: &str, folder: &Path) -> String {
    let (mut new, mut in_console, mut shown) = (String::new(), false, None::<String>);
    for line in page.lines() {
        if let Some(arguments) = line.strip_prefix(PROMPT).filter(|_| in_console) {
            shown = Some(printed(folder, arguments));
        } else if line.starts_with("```") {
            (in_console, shown) = (line == "```console", None);
        } else if in_console {
            new += &shown.take().unwrap_or_default();
            continue;
        }
        new += line;
        new += "\n";
    }
    new
}

#[test]
fn each_command_of_the_page_prints_what_stands_below_it() {
    let text = fs::read_to_string(page()).expect("the page is there");
    let new = played(&text, &folder("commands", &text));
    if env::var_os("RACESCOPE_BLESS").is_some() {
        fs::write(page(), new).expect("the page can be written");
    } else if let Some((is, should)) = text.lines().zip(new.lines()).find(|(is, should)| is != should) {
        panic!("the page says\n{is}\nbut it is\n{should}");
    } else {
        assert_eq!(text.len(), new.len(), "the page says more or less than is printed");
    }
}

#[test]
fn the_whole_lesson_of_the_page_ends_as_the_page_says() {
    let text = fs::read_to_string(page()).expect("the page is there");
    let verdicts: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("> ")).collect();
    let run = printed(&folder("verdicts", &text), "run drafts/late-packet");
    let told: Vec<&str> =
        run.lines().filter(|line| line.starts_with("Broken ") || line.starts_with("Holds.")).collect();
    assert_eq!((told, verdicts.len()), (verdicts, 2));
}
