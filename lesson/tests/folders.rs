//! Folders: what belongs into them, and what is said about the rest.

use std::fs;
use std::path::{Path, PathBuf};

use racescope_lesson::author::{Mistake, read_lesson, read_library};

/// An empty folder of a test's own.
fn empty(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("folders").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("it is ours");
    }
    fs::create_dir_all(&folder).expect("it can be made");
    folder
}

fn put_lesson(folder: &Path, toml: &str) {
    let good = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    fs::create_dir_all(folder).expect("it can be made");
    fs::write(folder.join("lesson.toml"), toml).expect("it can be written");
    fs::copy(good.join("good.md"), folder.join("lesson.md")).expect("it can be copied");
}

const GOOD: &str = include_str!("good.toml");

fn lines(root: &Path, mistakes: &[Mistake]) -> Vec<String> {
    let prefix = format!("{}/", root.display());
    mistakes.iter().map(|mistake| mistake.to_string().replace(&prefix, "")).collect()
}

#[test]
fn lessons_come_in_their_order_and_are_called_like_their_folders() {
    let root = empty("order");
    put_lesson(&root.join("a"), &GOOD.replace("order = 1", "order = 2"));
    put_lesson(&root.join("b"), GOOD);
    let shelf = read_library(&root);
    assert_eq!((shelf.bad, shelf.mistakes.len()), (0, 0));
    let library = shelf.library();
    let ids: Vec<&str> = library.lessons.iter().map(|lesson| lesson.id.as_str()).collect();
    assert_eq!(ids, ["b", "a"]);
}

#[test]
fn lessons_in_a_folder_of_folders_stand_under_its_name() {
    let root = empty("shelves");
    put_lesson(&root.join("old-cases/a"), &GOOD.replace("order = 1", "order = 2"));
    put_lesson(&root.join("b"), &GOOD.replace("order = 1", "order = 3"));
    put_lesson(&root.join("old-cases/c"), GOOD);
    let library = read_library(&root).library();
    let shelves = library.shelves().into_iter().map(|(heading, lessons)| {
        let ids: Vec<&str> = lessons.iter().map(|lesson| lesson.id.as_str()).collect();
        format!("{heading}: {}", ids.join(" "))
    });
    assert_eq!(shelves.collect::<Vec<_>>(), ["Lessons: b", "Old cases: c a"]);
}

#[test]
fn strays_and_places_taken_twice_are_mistakes() {
    let root = empty("strays");
    put_lesson(&root.join("a"), GOOD);
    put_lesson(&root.join("b"), GOOD);
    fs::write(root.join("a/picture.png"), "").expect("it can be written");
    fs::write(root.join("notes.txt"), "").expect("it can be written");
    put_lesson(&root.join("c"), GOOD);
    put_lesson(&root.join("no name"), GOOD);
    put_lesson(&root.join("shelf/b"), &GOOD.replace("order = 1", "order = 2"));
    let shelf = read_library(&root);
    assert_eq!(
        lines(&root, &shelf.mistakes),
        [
            "a/picture.png: this file belongs to no lesson. A lesson is a lesson.toml and a lesson.md, and nothing else.",
            "c/lesson.toml:4: order: 1 is the place of the lesson \"b\" too. Choose a number of its own.",
            "no name: \"no name\" is no name. Use 1 to 40 letters of ASCII, digits and dashes, such as \"paused-holder\".",
            "notes.txt: this file belongs to no lesson. Put only folders here, one for each lesson.",
            "shelf/b: another shelf has a lesson of this name. The name of its folder is the name of a lesson. Choose another one.",
        ]
    );
    let good: Vec<&str> = shelf.drafts.iter().map(|draft| draft.lesson.id.as_str()).collect();
    assert_eq!((shelf.bad, good), (5, vec!["b"]), "what is good can be read beside what isn't");
}

#[test]
fn missing_large_and_unreadable_files_are_mistakes() {
    let root = empty("files");
    put_lesson(&root.join("missing"), GOOD);
    fs::remove_file(root.join("missing/lesson.md")).expect("it is there");
    put_lesson(&root.join("large"), &format!("{GOOD}\n#{}", "x".repeat(256 * 1024)));
    put_lesson(&root.join("latin"), GOOD);
    fs::write(root.join("latin/lesson.toml"), b"format = 1\ntitle = \"caf\xe9\"\n").expect("it can be written");
    let shelf = read_library(&root);
    assert_eq!(
        lines(&root, &shelf.mistakes),
        [
            "large/lesson.toml: the file is larger than 256 KiB. Split the lesson in two.",
            "latin/lesson.toml:2: this is not UTF-8 text. Save the file as UTF-8.",
            "missing/lesson.md: the file is missing. Write it; every lesson needs one.",
        ]
    );
    assert!(read_lesson(&root.join("nowhere")).is_err());
    assert_eq!(read_library(&root.join("nowhere")).bad, 1);
}

#[test]
fn a_file_full_of_mistakes_is_answered_soon_and_briefly() {
    let root = empty("many");
    let fields: Vec<String> = (0..10_000).map(|number| format!("unknown{number} = 1")).collect();
    put_lesson(&root, &format!("{}\n{GOOD}", fields.join("\n")));
    assert_eq!(read_lesson(&root).expect_err("much is wrong").len(), 100);
}
