//! What the command says of paths that lead to no lesson and no scenario: one line
//! with the place and the cure, and never a wait for a file without an end.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Once;
use std::time::{Duration, Instant};

/// Far longer than any of these calls takes on a busy machine.
const SOON: Duration = Duration::from_secs(30);

/// The folder with the odd files, which are made once.
fn folder() -> PathBuf {
    static MADE: Once = Once::new();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("odd_files");
    MADE.call_once(|| make(&folder));
    folder
}

fn make(folder: &Path) {
    if folder.exists() {
        fs::remove_dir_all(folder).expect("it is ours");
    }
    for name in ["nothing", "folder.toml", "lessons-elsewhere/lesson.toml", "empty"] {
        fs::create_dir_all(folder.join(name)).expect("it can be made");
    }
    let binary: Vec<u8> = (0..=255).collect();
    let large = "#".repeat(2_000_000);
    let files: [(&str, &[u8]); 7] = [
        ("notes.txt", b"Not a lesson.\n"),
        ("sentence.toml", b"this is not = TOML [\n"),
        ("empty.toml", b""),
        ("binary.toml", &binary),
        ("large.toml", large.as_bytes()),
        ("empty/lesson.toml", b""),
        ("empty/lesson.md", b""),
    ];
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).expect("it can be written");
    }
}

/// Calls the program in the folder of odd files, and checks how it ends and what it
/// says, with the ids of all lessons as three dots.
#[track_caller]
fn check(command: &str, path: impl AsRef<OsStr>, told: &str) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_racescope"))
        .arg(command)
        .arg(path)
        .current_dir(folder())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let started = Instant::now();
    while child.try_wait().expect("it can be asked").is_none() {
        if started.elapsed() > SOON {
            child.kill().expect("it is ours");
            panic!("{command} waits for ever");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let ended = child.wait_with_output().expect("it has ended");
    let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
    let library = racescope::library();
    let ids: Vec<&str> = library.lessons.iter().map(|lesson| lesson.id.as_str()).collect();
    assert_eq!(errors.replace(&ids.join(", "), "…").trim_end(), told);
    assert_eq!((ended.status.code(), ended.stdout.len()), (Some(2), 0), "bad input, and no result");
}

/// What follows the name of a path, for each command.
#[track_caller]
fn check_all(path: &str, by_check: &str, by_run: &str, by_explore: &str) {
    check("check", path, &format!("{path}{by_check}"));
    check("run", path, &format!("{path}{by_run}"));
    check("explore", path, &format!("{path}{by_explore}"));
}

const A_FOLDER: &str = "Name a folder that holds lessons, each a folder with a lesson.toml and a lesson.md.";
const A_LESSON: &str = "Name a lesson's folder, or one of these: ….";
const A_STUDY: &str = "Name a scenario file, whose name ends in .toml, a lesson's folder, or one of these: ….";

#[test]
fn a_path_that_leads_nowhere_gets_the_cure_of_its_command() {
    let (missing, no_lesson) = (": there is no such folder. Look at its name.", ": there is no lesson of this name");
    check_all("nowhere", missing, &format!("{no_lesson}. {A_LESSON}"), &format!("{no_lesson}. {A_STUDY}"));
    let no_file = ": there is no such file. Name a scenario file, whose name ends in .toml.";
    check_all("nowhere.toml", missing, &format!("{no_lesson}. {A_LESSON}"), no_file);
    let bare = ": there is no lesson.toml in this folder";
    let by_check = format!(": there is no lesson in this folder. {A_FOLDER}");
    check_all("nothing", &by_check, &format!("{bare}. {A_LESSON}"), &format!("{bare}. {A_STUDY}"));
}

#[test]
fn a_file_of_another_kind_is_no_lesson() {
    let stray = ": this file belongs to no lesson";
    let by_check = format!("{stray}. {A_FOLDER}");
    check_all("notes.txt", &by_check, &format!("{stray}. {A_LESSON}"), &format!("{stray}. {A_STUDY}"));
    for (name, by_explore) in [
        (
            "sentence.toml",
            ":1: this is not TOML: key with no value, expected `=`. Mend the line; https://toml.io shows how each thing is written.",
        ),
        ("empty.toml", ":1: format: is missing. Add format = 1."),
        ("binary.toml", ":2: this is not UTF-8 text. Save the file as UTF-8."),
        ("large.toml", ": the file is larger than 256 KiB. Split the scenario in two."),
    ] {
        let of_another = ": this file is no lesson.toml, and `racescope explore` reads scenario files";
        check_all(name, &format!("{of_another}. {A_FOLDER}"), &format!("{of_another}. {A_LESSON}"), by_explore);
    }
}

#[test]
fn a_folder_in_the_place_of_a_file_is_called_one() {
    let a_folder = ": this is a folder and not a file. Name a file of text.";
    check("explore", "folder.toml", &format!("folder.toml{a_folder}"));
    for command in ["check", "run", "explore"] {
        let told = "lessons-elsewhere/lesson.toml: this is a folder and not a file. Name a file of text.\n\
            lessons-elsewhere/lesson.md: the file is missing. Write it; every lesson needs one.";
        check(command, "lessons-elsewhere", told);
    }
}

#[test]
fn an_empty_lesson_is_told_what_it_needs() {
    let told = "empty/lesson.toml:1: format: is missing. Add format = 1.\n\
        empty/lesson.md:1: Hook: the section is missing. Add \"## Hook\" and its text.\n\
        empty/lesson.md:1: What to look at: the section is missing. Add \"## What to look at\" and its text.\n\
        empty/lesson.md:1: Recap: the section is missing. Add \"## Recap\" and its text.";
    for (command, path) in [("check", "empty"), ("run", "empty/lesson.toml"), ("explore", "empty/lesson.md")] {
        check(command, path, told);
    }
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_not_read() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    let endless = folder.join("endless");
    fs::create_dir_all(&endless).expect("it can be made");
    symlink("/dev/zero", folder.join("zero.toml")).expect("it can be linked");
    symlink("/dev/zero", endless.join("lesson.md")).expect("it can be linked");
    for pipe in [folder.join("pipe.toml"), endless.join("lesson.toml")] {
        assert!(Command::new("mkfifo").arg(pipe).status().expect("mkfifo is there").success());
    }
    let no_file = ": this is a pipe, a device or the like and not a file. Name a file of text.";
    check("explore", "pipe.toml", &format!("pipe.toml{no_file}"));
    check("explore", "zero.toml", &format!("zero.toml{no_file}"));
    check("explore", "/dev/zero", &format!("/dev/zero: this file belongs to no lesson. {A_STUDY}"));
    for command in ["check", "run", "explore"] {
        let told = format!("endless/lesson.toml{no_file}\nendless/lesson.md{no_file}");
        check(command, "endless", &told);
    }
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_text_is_told_on_one_line() {
    use std::os::unix::ffi::OsStrExt;
    let odd = OsStr::from_bytes(b"caf\xe9\n.toml");
    check("check", odd, "caf\u{fffd}\\n.toml: there is no such folder. Look at its name.");
    check("run", odd, &format!("caf\u{fffd}\\n.toml: there is no lesson of this name. {A_LESSON}"));
    let told = "caf\u{fffd}\\n.toml: there is no such file. Name a scenario file, whose name ends in .toml.";
    check("explore", odd, told);
    fs::write(folder().join(odd), "format = 1\n").expect("it can be written");
    let told = "caf\u{fffd}\\n.toml: \"caf\u{fffd}\\n\" is no name. \
        Use 1 to 40 letters of ASCII, digits and dashes, such as \"paused-holder\".";
    check("explore", odd, told);
}
