//! What a person does on a lesson's page, as scripts of messages, and what the page
//! then says. No browser is needed for any of it.

use std::rc::Rc;

use racescope::app::{Field, Handle, Message, Placed, State, restore, to_text, value_of};
use racescope::tell::FaultKind;
use racescope_engine::sim::Fault;
use racescope_lesson::{Ending, Lesson};

fn lesson(id: &str) -> Rc<Lesson> {
    Rc::new(racescope::library().lesson(id).expect("the lesson is there").clone())
}

fn page(id: &str) -> State {
    State::new(lesson(id))
}

fn after(state: &State, messages: &[Message]) -> State {
    messages.iter().fold(state.clone(), |state, &message| state.update(message))
}

/// The pause in hundredths of a second, and the headlines of all panes.
fn summary(state: &State) -> String {
    let pauses: Vec<String> = state
        .faults
        .iter()
        .map(|staged| match staged.fault {
            Fault::Pause(pause) => format!("{}+{}", pause.at_us / 10_000, pause.lasts_us / 10_000),
            _ => "other".to_string(),
        })
        .collect();
    let panes: Vec<&str> = state.panes.iter().map(|pane| pane.telling.headline.as_str()).collect();
    format!("{} | {}", pauses.join(" "), panes.join(" "))
}

#[track_caller]
fn check(id: &str, messages: &[Message], expected: &str) {
    assert_eq!(summary(&after(&page(id), messages)), expected);
}

#[test]
fn a_lesson_opens_at_its_moment_of_harm_with_nothing_moving() {
    let page = page("paused-holder");
    assert_eq!((page.cursor_us, page.playing), (6_000_000, false));
    assert_eq!(summary(&page), "150+420 | Broken at 6.00 s. Holds.");
}

#[test]
fn a_shorter_pause_leaves_both_panes_clean_and_a_longer_one_breaks_again() {
    let held = [Message::Grab(0, Handle::End), Message::MoveTo(-3_400_000)];
    check("paused-holder", &held, "150+80 | Clean. Clean.");
    let longer = [Message::Grab(0, Handle::End), Message::MoveTo(-3_400_000), Message::MoveTo(-100_000), Message::Drop];
    check("paused-holder", &longer, "150+410 | Broken at 5.90 s. Holds.");
}

#[test]
fn dragging_typing_and_keys_end_in_the_same_state() {
    let dragged = [Message::Grab(0, Handle::End), Message::MoveTo(-2_000_000), Message::Drop];
    let typed = [Message::Set(0, Field::Length, 2_200_000)];
    let keyed = {
        let mut keys = vec![Message::Grab(0, Handle::End)];
        keys.extend([Message::MoveBy(-100_000); 20]);
        keys.push(Message::Drop);
        keys
    };
    let ends = [dragged.as_slice(), &typed, &keyed].map(|script| after(&page("paused-holder"), script));
    assert_eq!(ends[0].faults, ends[1].faults);
    assert_eq!(ends[1].faults, ends[2].faults);
    assert_eq!(ends[0].panes, ends[2].panes);
}

#[test]
fn a_drag_is_one_step_back_and_can_be_done_again() {
    let dragged = after(
        &page("paused-holder"),
        &[Message::Grab(0, Handle::Middle), Message::MoveTo(300_000), Message::MoveTo(700_000), Message::Drop],
    );
    assert_eq!(dragged.history.undo_name(), Some("move pause of A"));
    let undone = dragged.update(Message::Undo);
    assert_eq!(summary(&undone), summary(&page("paused-holder")));
    assert_eq!(undone.history.undo_name(), None);
    assert_eq!(summary(&undone.update(Message::Redo)), summary(&dragged));
}

#[test]
fn when_the_focus_leaves_keys_let_go_and_a_pointer_does_not() {
    let keys = [Message::GrabByKeys(0, Handle::End), Message::MoveBy(-1_000_000), Message::FocusLeft];
    let keyed = after(&page("paused-holder"), &keys);
    assert_eq!((keyed.grab.is_none(), keyed.history.undo_name()), (true, Some("move the end of pause of A")));
    let pointer = [Message::Grab(0, Handle::End), Message::FocusLeft, Message::MoveTo(-1_000_000), Message::Drop];
    assert_eq!(after(&page("paused-holder"), &pointer).faults, keyed.faults);
}

#[test]
fn a_pointer_takes_over_from_keys_and_a_second_finger_from_nobody() {
    let script = [
        Message::GrabByKeys(0, Handle::End),
        Message::MoveBy(-1_000_000),
        Message::Grab(0, Handle::Middle),
        Message::FocusLeft,
        Message::Grab(0, Handle::Start),
        Message::MoveTo(500_000),
        Message::Drop,
    ];
    check("paused-holder", &script, "200+320 | Clean. Clean.");
    let undone = after(&page("paused-holder"), &script).update(Message::Undo);
    assert_eq!(summary(&undone), summary(&after(&page("paused-holder"), &[Message::Set(0, Field::Length, 3_200_000)])));
}

#[test]
fn a_press_without_a_move_changes_nothing() {
    let short = after(&page("paused-holder"), &[Message::Set(0, Field::Length, 50_000)]);
    let pressed = after(&short, &[Message::Grab(0, Handle::End), Message::MoveTo(0), Message::Drop]);
    assert_eq!((&pressed.faults, pressed.history.undo_name()), (&short.faults, short.history.undo_name()));
}

#[test]
fn a_drag_that_is_cancelled_leaves_no_trace() {
    let script = [Message::Grab(0, Handle::Start), Message::MoveTo(900_000), Message::Cancel];
    let cancelled = after(&page("paused-holder"), &script);
    assert_eq!(cancelled.faults, page("paused-holder").faults);
    assert_eq!(cancelled.history.undo_name(), None);
}

#[test]
fn an_end_that_is_dragged_leaves_the_other_where_it_is() {
    let start = [Message::Grab(0, Handle::Start), Message::MoveTo(700_000), Message::Drop];
    check("paused-holder", &start, "220+350 | Clean. Clean.");
    let too_far = [Message::Grab(0, Handle::Start), Message::MoveTo(90_000_000), Message::Drop];
    check("paused-holder", &too_far, "560+10 | Clean. Clean.");
    let before_the_start = [Message::Grab(0, Handle::Middle), Message::MoveTo(-90_000_000), Message::Drop];
    check("paused-holder", &before_the_start, "0+420 | Clean. Clean.");
}

#[test]
fn numbers_from_strangers_stay_within_the_limits() {
    let page = after(
        &page("paused-holder"),
        &[Message::Set(0, Field::Length, i64::MAX), Message::Set(0, Field::Start, i64::MIN)],
    );
    assert_eq!(summary(&page), "0+360000 | Cut short. Cut short.");
    let gone = after(
        &page,
        &[Message::Grab(9, Handle::End), Message::MoveTo(5), Message::Drop, Message::Set(9, Field::Start, 5)],
    );
    assert_eq!(summary(&gone), summary(&page), "a fault that isn't there changes nothing");
}

#[test]
fn the_playhead_goes_from_event_to_event() {
    let steps = |script: &[Message]| after(&page("paused-holder"), script).cursor_us;
    assert_eq!(steps(&[Message::ToStart, Message::StepForward]), 200_000);
    assert_eq!(steps(&[Message::ToStart, Message::StepForward, Message::StepForward, Message::StepBack]), 200_000);
    assert_eq!(steps(&[Message::StepForward]), 6_100_000);
    assert_eq!(steps(&[Message::ToStart, Message::ToFirstViolation]), 6_000_000);
    assert_eq!(steps(&[Message::Seek(u64::MAX)]), 8_000_000);
}

#[test]
fn playing_moves_the_playhead_and_nothing_else() {
    let page = page("paused-holder");
    let mut playing = after(&page, &[Message::ToStart, Message::PlayOrPause, Message::Elapsed(40_000)]);
    assert_eq!((playing.cursor_us, playing.playing), (40_000, true));
    for (speed, _) in racescope::app::SPEEDS {
        playing = after(&playing, &[Message::SetSpeed(speed), Message::Elapsed(16_000)]);
        assert_eq!(playing.panes, page.panes, "speed changes no outcome");
    }
    assert_eq!(playing.cursor_us, 40_000 + 4_000 + 8_000 + 16_000 + 32_000 + 64_000);
    let slept = playing.update(Message::Elapsed(3_600_000_000));
    assert!(slept.cursor_us < playing.cursor_us + 1_000_000, "a tab that slept doesn't jump ahead");
}

#[test]
fn playing_stops_at_the_end_and_starts_anew_from_there() {
    let at_end =
        after(&page("paused-holder"), &[Message::Seek(7_990_000), Message::PlayOrPause, Message::Elapsed(50_000)]);
    assert_eq!((at_end.cursor_us, at_end.playing), (8_000_000, false));
    assert_eq!(after(&at_end, &[Message::PlayOrPause]).cursor_us, 0);
}

#[test]
fn idle_time_is_folded_for_all_panes_at_once_and_unfolded_by_a_switch() {
    let page = page("paused-holder");
    let folds = |page: &State| page.scale.folds().iter().map(|fold| (fold.from_us, fold.to_us)).collect::<Vec<_>>();
    assert_eq!(folds(&page), [(1_750_000, 3_150_000)]);
    let unfolded = page.update(Message::FoldOrNot);
    assert_eq!((folds(&unfolded), unfolded.announcement.as_str()), (vec![], "All time is shown."));
    assert_eq!(summary(&unfolded), summary(&page), "what happens is the same");
    let folded = unfolded.update(Message::FoldOrNot);
    assert_eq!((&folded.panes, folded.announcement.as_str()), (&page.panes, "Folded: 1.4 s from 1.75 s."));
    let held = after(&page, &[Message::Grab(0, Handle::End), Message::MoveTo(-4_000_000), Message::FoldOrNot]);
    assert_eq!(held.scale, page.scale, "nothing is rescaled under the pointer");
    assert_eq!(folds(&held.update(Message::Drop)), [], "without the pause, nothing is idle for long");
}

#[test]
fn folded_time_passes_as_quickly_as_it_looks() {
    let script = [Message::Seek(1_740_000), Message::PlayOrPause, Message::Elapsed(10_000), Message::Elapsed(90_000)];
    let playing = after(&page("paused-holder"), &script);
    assert_eq!((playing.cursor_us, playing.playing), (2_100_000, true));
    let frames = [Message::Elapsed(90_000); 3];
    assert_eq!(after(&playing, &frames).cursor_us, 3_150_000);
    assert_eq!(after(&playing, &frames).update(Message::Elapsed(50_000)).cursor_us, 3_200_000);
}

#[test]
fn a_loop_starts_anew_at_the_end_until_it_is_switched_off() {
    let at_end = [Message::Seek(7_990_000), Message::LoopOrNot, Message::PlayOrPause, Message::Elapsed(50_000)];
    let looped = after(&page("paused-holder"), &at_end);
    assert_eq!((looped.cursor_us, looped.playing), (0, true));
    assert_eq!(looped.update(Message::LoopOrNot).announcement, "Stops at the end.");
    let on = after(&looped, &[Message::LoopOrNot, Message::Seek(7_990_000), Message::PlayOrPause]);
    assert!(!on.update(Message::Elapsed(50_000)).playing);
}

#[test]
fn keys_go_through_the_speeds_and_stay_within_them() {
    let said = |script: &[Message]| after(&page("paused-holder"), script).announcement;
    assert_eq!(said(&[Message::Slower]), "Speed ½.");
    assert_eq!(said(&[Message::Slower; 5]), "Speed ¼.");
    assert_eq!(said(&[Message::Faster; 5]), "Speed 4×.");
}

/// The page with a fault of this kind on this node, and its place: the one that is
/// there, or one that is added.
fn with_fault(page: State, place: usize, fault: &Fault) -> (State, usize) {
    let kind = FaultKind::of(fault);
    let is_it = |placed: &Placed| (FaultKind::of(&placed.fault), placed.fault.node()) == (kind, fault.node());
    if page.faults.get(place).is_some_and(is_it) {
        return (page, place);
    }
    let page = page.update(Message::Add(kind, fault.node(), fault.at_us().unwrap_or(0)));
    let place = page.faults.len() - 1;
    (page, place)
}

#[test]
fn every_challenge_is_solved_by_its_solution_on_the_page() {
    for lesson in racescope::library().lessons {
        let lesson = Rc::new(lesson);
        for (place, challenge) in lesson.challenges.iter().enumerate() {
            let started = State::new(lesson.clone()).update(Message::StartChallenge(place));
            assert!(!started.challenges[place].solved, "{}: {}", lesson.id, challenge.title);
            let fields = |fault| {
                [Field::Message, Field::Taken, Field::Memory, Field::Start, Field::Length, Field::Jump, Field::Rate]
                    .into_iter()
                    .filter_map(move |field| Some((field, value_of(&Placed::new(fault), field)?)))
            };
            let solved = challenge.solution.iter().enumerate().fold(started, |page, (place, staged)| {
                let (page, place) = with_fault(page, place, &staged.fault);
                fields(staged.fault).fold(page, |page, (field, value)| page.update(Message::Set(place, field, value)))
            });
            assert!(solved.challenges[place].solved, "{}: {} by the form alone", lesson.id, challenge.title);
        }
    }
}

#[test]
fn a_goal_can_be_how_a_client_ends() {
    let mut lesson = Lesson::clone(&lesson("paused-holder"));
    let check = |lesson: &Lesson, solved| {
        let started = State::new(Rc::new(lesson.clone())).update(Message::StartChallenge(1));
        // The solution of the lesson: the pause is over in time.
        let shorter = started.update(Message::Set(0, Field::Length, 3_000_000));
        assert_eq!(shorter.challenges[1].solved, solved);
    };
    check(&lesson, true);
    lesson.challenges[1].goal.ends = vec![(0, Ending::GaveUp)];
    check(&lesson, false);
    lesson.challenges[1].goal.ends = vec![(0, Ending::Finished)];
    check(&lesson, true);
}

#[test]
fn hints_come_one_at_a_time_and_run_out() {
    let mut page = page("paused-holder").update(Message::StartChallenge(0));
    let all = page.lesson.challenges[0].hints.len();
    for given in 1..=all + 2 {
        page = page.update(Message::Hint(0));
        assert_eq!(page.challenges[0].hints, given.min(all));
        assert_eq!(page.announcement, page.lesson.challenges[0].hints[given.min(all) - 1]);
    }
}

#[test]
fn what_was_dragged_comes_back_after_a_reload() {
    let dragged = after(&page("early-check"), &[Message::Set(0, Field::Length, 1_230_000), Message::Predict(1)]);
    let text = to_text(&dragged).expect("there is something to keep");
    let back = restore(lesson("early-check"), &text);
    assert_eq!((&back.faults, back.predicted, &back.panes), (&dragged.faults, Some(1), &dragged.panes));
    assert_eq!(to_text(&page("early-check")), None, "the lesson's own faults need no keeping");
}

#[test]
fn a_challenge_goes_on_after_a_reload() {
    let script = [Message::StartChallenge(1), Message::Hint(1), Message::Set(0, Field::Length, 3_000_000)];
    let solved = after(&page("paused-holder"), &script);
    let back = restore(lesson("paused-holder"), &to_text(&solved).expect("there is something to keep"));
    assert_eq!(back.challenges, solved.challenges);
    assert!(back.challenges[1].solved && back.challenges[1].hints == 1);
}

#[test]
fn a_drag_that_passes_through_a_solution_solves_nothing() {
    let script = [Message::StartChallenge(1), Message::Grab(0, Handle::End), Message::MoveTo(-1_200_000)];
    let passing = after(&page("paused-holder"), &script);
    assert!(!after(&passing, &[Message::MoveTo(-10_000), Message::Drop]).challenges[1].solved);
    assert!(after(&passing, &[Message::Drop]).challenges[1].solved);
}

proptest::proptest! {
    #[test]
    fn kept_numbers_from_strangers_are_brought_within_limits(at_us: u64, lasts_us: u64, node: u8, predicted: Option<u8>) {
        let mut strange = page("paused-holder");
        let pause = racescope_engine::sim::Pause { node, at_us, lasts_us, on_waking: racescope_engine::sim::Waking::Messages };
        strange.faults = Rc::new(vec![Placed::new(Fault::Pause(pause))]);
        strange.predicted = predicted;
        let back = restore(lesson("paused-holder"), &to_text(&strange).expect("a strange pause is something to keep"));
        let options = back.lesson.prediction.as_ref().map_or(0, |asked| asked.options.len());
        proptest::prop_assert!(back.predicted.is_none_or(|option| usize::from(option) < options));
        for staged in back.faults.iter() {
            proptest::prop_assert_eq!(staged.fault, staged.fault.clamped());
        }
    }
}

#[test]
fn kept_text_that_does_not_fit_gives_the_lessons_own_faults() {
    let other = to_text(&after(&page("early-check"), &[Message::Predict(1)])).unwrap_or_default();
    let long = "0".repeat(1_000_000);
    for text in ["", ".", "00000000.ff", "zz", "é.é", other.as_str(), long.as_str()] {
        assert_eq!(summary(&restore(lesson("paused-holder"), text)), summary(&page("paused-holder")), "{text:.20}");
    }
}

#[test]
fn a_long_pause_makes_the_stage_longer_when_it_is_let_go() {
    let held = after(&page("paused-holder"), &[Message::Grab(0, Handle::End), Message::MoveTo(6_000_000)]);
    assert_eq!(held.end_us, 8_000_000, "nothing is rescaled under the pointer");
    assert_eq!(held.update(Message::Drop).end_us, 14_000_000);
}
