//! The panel of all schedules, as scripts of messages: what it counts, says and plays.
//! The search runs here as it does in a worker, a slice at a time.

use std::ops::ControlFlow;
use std::rc::Rc;

use racescope::app::{Assumption, CountMessage, Found, State, Which};
use racescope::search::{Answer, Ask, Progress, Reply, Scope, Search};
use racescope_engine::explore::{Bounds, Mark, Question, Stop, random_schedule, realise, survey};
use racescope_engine::sim::Operation;
use racescope_engine::sim::example::{reference, stale_overwrite};
use racescope_lesson::Lesson;

fn lesson(id: &str) -> Rc<Lesson> {
    Rc::new(racescope::library().lesson(id).expect("the lesson is there").clone())
}

fn page(id: &str) -> State {
    State::new(lesson(id))
}

/// All replies to a question, as bytes there and back.
fn replies(ask: &Ask) -> Vec<Reply> {
    let bytes = ask.to_bytes().expect("a question has bytes");
    let mut search = Search::new(Ask::from_bytes(&bytes).expect("they can be read"));
    let mut replies = Vec::new();
    while !matches!(replies.last(), Some(Reply::Done(_))) {
        let bytes = search.go_on().to_bytes().expect("a reply has bytes");
        replies.push(Reply::from_bytes(&bytes).expect("they can be read"));
    }
    replies
}

/// The page when the search that is under way has come to its end, and those after it.
fn counted(mut state: State) -> State {
    while let Some(run) = state.counting.run {
        let scenario = state.lesson.variants[run.variant].scenario.clone();
        for reply in replies(&state.counting.ask(scenario)) {
            state = state.update(CountMessage::Heard(run.number, Some(reply)));
        }
    }
    state
}

fn answer(state: &State, variant: usize) -> &Answer {
    match &state.counting.found[variant] {
        Found::Answer(answer) => answer,
        other => panic!("nothing was counted: {other:?}"),
    }
}

/// The first line of each variant.
fn headlines(state: &State) -> Vec<String> {
    (0..state.lesson.variants.len()).map(|variant| answer(state, variant).headline().join(" ")).collect()
}

#[test]
fn nothing_is_counted_before_it_is_asked_for() {
    let page = page("paused-holder");
    assert_eq!(page.counting.run, None);
    assert!(page.counting.found.iter().all(|found| *found == Found::Nothing));
}

#[test]
fn the_counts_are_those_of_the_search_itself() {
    let page = counted(page("paused-holder").update(CountMessage::Start));
    for (place, variant) in page.lesson.variants.iter().enumerate() {
        let question = Question::of_harm(page.lesson.bounds);
        let found = survey(&variant.scenario, &question, &mut |_| ControlFlow::Continue(())).exploration;
        let answer = answer(&page, place);
        assert_eq!((answer.stopped, &answer.schedules), (None, &found.schedules().decimal()));
        for harm in &answer.harms {
            assert_eq!(harm.schedules, found.showing(harm.mark).decimal(), "{}: {:?}", variant.id, harm.mark);
        }
    }
    let said = &page.announcement;
    assert!(said.starts_with(&format!("{}: {}.", page.lesson.variants[0].title, headlines(&page)[0])), "{said}");
}

#[test]
fn the_shortest_counterexample_breaks_one_pane_and_not_the_other() {
    let before = page("paused-holder");
    let counted = counted(before.update(CountMessage::Start));
    let shortest = answer(&counted, 0).harms.iter().position(|harm| harm.schedules != "0").expect("some harm is done");
    let played = counted.update(CountMessage::Play(0, Which::Shortest(shortest)));
    assert_ne!(played.faults, before.faults);
    assert!(played.faults.iter().all(|placed| placed.pane.is_none()), "the faults are shared by all panes");
    let harm: Vec<usize> = played.panes.iter().map(|pane| pane.verdict.harm().len()).collect();
    assert!(harm[0] > 0 && harm[1] == 0, "{harm:?}");
    assert_eq!(Some(played.cursor_us), played.panes[0].first_harm_us());
    assert_eq!(played.history.undo_name(), Some("play a schedule"));
    assert_eq!(played.update(racescope::app::Message::Undo).faults, before.faults);
}

#[test]
fn each_sample_shows_what_its_group_does() {
    let counted = counted(page("paused-holder").update(CountMessage::Start));
    for variant in 0..counted.lesson.variants.len() {
        for (place, group) in answer(&counted, variant).groups.iter().enumerate() {
            let sample = group.sample.as_ref().expect("samples were asked for");
            let Ok(faults) = &sample.faults else { continue };
            let played = counted.update(CountMessage::Play(variant, Which::Sample(place)));
            let harm = played.panes[variant].verdict.harm();
            assert_eq!(!harm.is_empty(), group.is_harmful(), "{:?} under {faults:?}", group.marks);
        }
    }
}

#[test]
fn a_search_that_is_stopped_says_so_and_what_it_says_later_comes_too_late() {
    let started = page("paused-holder").update(CountMessage::Start);
    let run = started.counting.run.expect("it has started");
    let progress = Progress { states: 1_234, actions: 5_678 };
    let going = started.update(CountMessage::Heard(run.number, Some(Reply::Progress(progress))));
    assert_eq!(going.counting.run.map(|run| run.progress), Some(progress));
    let stopped = going.update(CountMessage::Stop);
    assert_eq!((stopped.counting.run, &stopped.counting.found[0]), (None, &Found::Stopped(progress)));
    let later = stopped.update(CountMessage::Heard(run.number, Some(Reply::Progress(Progress::default()))));
    assert_eq!(later, stopped);
    let failed = started.update(CountMessage::Heard(run.number, None));
    assert_eq!((failed.counting.run, &failed.counting.found[0]), (None, &Found::Failed));
}

#[test]
fn other_assumptions_are_counted_anew() {
    let assume = |value| CountMessage::Assume(Assumption::Expiries, value);
    let before = page("paused-holder").update(assume(0));
    assert_eq!(before.counting.run, None, "nothing was asked for yet");
    let none = counted(before.update(CountMessage::Start));
    assert_eq!(answer(&none, 0).harmful, "0");
    let one = none.update(assume(1));
    assert!(one.counting.run.is_some() && one.counting.found[0] == Found::Nothing);
    assert_ne!(answer(&counted(one.clone()), 0).harmful, "0");
    assert_eq!(one.update(assume(99)).counting.bounds.expiries, 3);
    let own = one.update(CountMessage::AssumeOwn);
    assert_eq!(own.counting.bounds, own.lesson.bounds);
    assert_eq!(own.update(CountMessage::AssumeOwn), own);
}

#[test]
fn a_search_that_is_too_large_gives_no_number() {
    let page = page("paused-holder");
    let scenario = page.lesson.variants[0].scenario.clone();
    let ask = Ask { states: 100, ..Ask::of_page(scenario, page.lesson.bounds) };
    let replies = replies(&ask);
    let Some(Reply::Done(answer)) = replies.last() else { panic!("it comes to an end") };
    assert_eq!((answer.stopped, answer.schedules.as_str()), (Some(Stop::States), ""));
    assert_eq!(answer.headline()[0], "Incomplete:");
    assert!(answer.groups.is_empty() && answer.how_counted().ends_with("incomplete"));
}

#[test]
fn schedules_without_number_are_searched_for_harm_all_the_same() {
    // It does more than sleep before it asks again, and so it isn't taken for waiting.
    let mut endless = stale_overwrite();
    endless.programs[0].steps[6].operation = Operation::Compute { from: 1, into: 1, add: 0 };
    let headline = |bounds| {
        let ask = Ask::of_page(endless.clone(), bounds);
        let Some(Reply::Done(answer)) = replies(&ask).pop() else { panic!("it comes to an end") };
        (answer.stopped, answer.headline())
    };
    let (stopped, [first, rest]) = headline(Bounds::expiries(1));
    assert_eq!((stopped, first.as_str()), (Some(Stop::Endless), "Some"));
    assert_eq!(rest, "schedules break; a loop can go round for ever, so that there is no number of schedules");
    let (stopped, [first, _]) = headline(Bounds::NONE);
    assert_eq!((stopped, first.as_str()), (Some(Stop::Endless), "No"));
}

#[test]
fn without_reductions_there_are_more_states_and_the_same_counts() {
    let of = |scope| {
        let ask = Ask { scope, ..Ask::of_page(reference(3), Bounds::expiries(2)) };
        let Some(Reply::Done(answer)) = replies(&ask).pop() else { panic!("it comes to an end") };
        answer
    };
    let (reduced, raw) = (of(Scope::All), of(Scope::AllUnreduced));
    assert!(raw.states > 5 * reduced.states, "{} and {}", raw.states, reduced.states);
    assert_eq!((&raw.schedules, &raw.harmful), (&reduced.schedules, &reduced.harmful));
    assert_eq!(raw.schedules, "6217224");
}

#[test]
fn random_schedules_come_from_their_seed_and_can_be_played() {
    let of = |seed| {
        let scope = Scope::Random { seed, schedules: 1_000 };
        let ask = Ask { scope, ..Ask::of_page(stale_overwrite(), Bounds::expiries(2)) };
        let replies = replies(&ask);
        assert!(replies.len() > 1, "others can do something in between");
        let Some(Reply::Done(answer)) = replies.into_iter().next_back() else { panic!("it comes to an end") };
        answer
    };
    let answer = of(1);
    assert_eq!((&answer, answer.schedules.as_str()), (&of(1), "1000"));
    assert_ne!(answer, of(2));
    let first = answer.groups.first().expect("they show something");
    let faults = first.sample.as_ref().and_then(|sample| sample.faults.as_ref().ok());
    assert!(first.is_harmful() && faults.is_some_and(|faults| !faults.is_empty()), "{first:?}");
}

#[test]
fn the_page_looks_at_random_schedules_and_plays_one_by_its_number() {
    let drawn = counted(page("paused-holder").update(CountMessage::Draw));
    let lines = headlines(&drawn);
    assert!(lines[0].ends_with(" of 100,000 random schedules break") && !lines[0].starts_with("0 "), "{lines:?}");
    assert!(!answer(&drawn, 1).harms.iter().any(|harm| harm.mark == Mark::StaleWriteAccepted && harm.schedules != "0"));
    assert!(answer(&drawn, 1).how_counted().ends_with("proves nothing"));
    let group = answer(&drawn, 0).groups.first().expect("something was found").clone();
    let number = group.number.expect("a random schedule has a number");
    let schedule = random_schedule(&drawn.lesson.variants[0].scenario, &drawn.counting.bounds, 1, number);
    let found = realise(&drawn.lesson.variants[0].scenario, &schedule, &drawn.counting.bounds).expect("it has times");
    assert_eq!(group.sample.and_then(|sample| sample.faults.ok()), Some(found.faults));
    let played = drawn.update(CountMessage::Play(0, Which::Sample(0)));
    assert_eq!(Some(played.cursor_us), played.panes[0].first_harm_us());
    let other = drawn.update(CountMessage::Seed(2));
    assert!(other.counting.run.is_some(), "another seed is looked at at once");
    assert_eq!(drawn.update(CountMessage::Seed(1)).counting.run, None);
    let all = counted(drawn.update(CountMessage::Start));
    assert!(headlines(&all)[0].ends_with(" schedules break") && !headlines(&all)[0].contains("random"));
    assert_eq!(all.update(CountMessage::Seed(7)).counting.run, None, "all schedules are the same from every seed");
}

#[test]
fn a_question_of_another_version_is_refused() {
    let bytes = Ask::of_page(stale_overwrite(), Bounds::default()).to_bytes().expect("a question has bytes");
    let other = [&[bytes[0] + 1], &bytes[1..]].concat();
    assert!(Ask::from_bytes(&other).is_err_and(|error| error.ends_with("Reload the page.")));
    for length in 0..bytes.len() {
        assert!(Ask::from_bytes(&bytes[..length]).is_err(), "{length} bytes are no question");
    }
}
