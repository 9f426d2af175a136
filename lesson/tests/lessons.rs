//! Every lesson of the project can be read, shows what it says, and is whole.

use std::path::Path;

use racescope_engine::check::judge;
use racescope_engine::sim::{Scenario, example, run_timed};
use racescope_lesson::Library;
use racescope_lesson::author::{Mistake, Shelf, dead_links, prove, read_library};

fn lines(mistakes: &[Mistake]) -> String {
    mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn shelf() -> Shelf {
    let shelf = read_library(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../lessons"));
    assert_eq!((shelf.bad, lines(&shelf.mistakes).as_str()), (0, ""));
    shelf
}

fn library() -> Library {
    shelf().library()
}

#[test]
fn every_lesson_shows_what_it_says() {
    let shelf = shelf();
    let ids: Vec<&str> = shelf.drafts.iter().map(|draft| draft.lesson.id.as_str()).collect();
    let mistakes = |draft| prove(draft).into_iter().chain(dead_links(draft, &ids));
    let mistakes: Vec<Mistake> = shelf.drafts.iter().flat_map(mistakes).collect();
    assert!(mistakes.is_empty(), "{}", lines(&mistakes));
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

#[test]
fn the_first_lesson_takes_place_at_the_moments_of_the_example_in_the_engine() {
    let library = library();
    let lesson = library.lesson("paused-holder").expect("it is there");
    let moments = |scenario: &Scenario| -> Vec<(u64, u8)> {
        run_timed(scenario, &lesson.plain_faults()).events.iter().map(|event| (event.at_us, event.actor)).collect()
    };
    assert_eq!(moments(&lesson.variants[0].scenario), moments(&example::stale_overwrite()));
}

#[test]
fn without_any_fault_no_lesson_does_harm() {
    for lesson in library().lessons {
        for variant in &lesson.variants {
            let trace = run_timed(&variant.scenario, &[]);
            assert!(trace.complete, "{}: {}: the run is cut short", lesson.id, variant.id);
            let harm = judge(&variant.scenario, &trace).harm().len();
            assert_eq!(harm, 0, "{}: {}: the harm must come from the faults", lesson.id, variant.id);
        }
    }
}
