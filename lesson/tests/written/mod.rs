//! Lessons of which a test writes only what it is about.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use racescope_lesson::Lesson;
use racescope_lesson::author::{Mistake, read_lesson};

const HEAD: &str = "format = 1\ntitle = \"T\"\nsummary = \"S\"\norder = 1\nshows = \"60 s\"\n";
const VARIANT: &str = "[[variants]]\nid = \"only\"\ntitle = \"T\"\nremark = \"R\"\nreaches = [\"message-lost\"]\n";

/// The lesson of one variant that has these nodes, programs and faults, which must be good.
pub fn lesson(toml: &str) -> Lesson {
    try_lesson(toml).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// The same, or what is wrong with it, without the name of the file.
pub fn try_lesson(toml: &str) -> Result<Lesson, String> {
    static LESSONS: AtomicUsize = AtomicUsize::new(0);
    // Tests of one program run beside each other, and so do programs.
    let name = format!("{}-{}", std::process::id(), LESSONS.fetch_add(1, Ordering::Relaxed));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("written").join(name);
    fs::create_dir_all(&folder).expect("the folder can be made");
    fs::write(folder.join("lesson.toml"), format!("{HEAD}{toml}{VARIANT}")).expect("the file can be written");
    fs::write(folder.join("lesson.md"), include_str!("../good.md")).expect("the file can be written");
    let read = read_lesson(&folder);
    fs::remove_dir_all(&folder).expect("it is ours");
    let without_place =
        |mistake: &Mistake| mistake.to_string().rsplit_once("lesson.toml:").map(|(_, rest)| rest.to_string());
    let told = |mistakes: Vec<Mistake>| mistakes.iter().filter_map(without_place).collect::<Vec<_>>().join("\n");
    read.map(|draft| draft.lesson).map_err(told)
}
