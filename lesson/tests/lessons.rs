//! Every lesson of the project can be read, shows what it says, and is whole.

use std::path::Path;

use racescope_lesson::author::{prove, read_library};
use racescope_lesson::{Lesson, Library};

fn library() -> Library {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lessons");
    read_library(&folder).unwrap_or_else(|mistakes| {
        panic!("{}", mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    })
}

#[test]
fn every_lesson_shows_what_it_says() {
    let prove = |lesson: &Lesson| prove(lesson, Path::new(&lesson.id));
    let mistakes: Vec<String> = library().lessons.iter().flat_map(prove).map(|mistake| mistake.to_string()).collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn every_lesson_has_all_that_a_learner_needs() {
    for lesson in library().lessons {
        let id = &lesson.id;
        assert!(lesson.variants.len() >= 2, "{id}: the broken variant stands beside the fixed one");
        assert!(lesson.prediction.is_some(), "{id}: a prediction comes before the run");
        assert!(!lesson.challenges.is_empty(), "{id}: something to do");
        assert!(lesson.questions.len() >= 3, "{id}: interview questions");
        assert!(!lesson.sources.is_empty(), "{id}: facts come from somewhere");
    }
}

#[test]
fn a_library_survives_its_bytes() {
    let library = library();
    let bytes = library.to_bytes().expect("plain data has bytes");
    assert_eq!(Library::from_bytes(&bytes), Ok(library));
}
