//! Why a pane ended as it did, and where panes part, as the page tells it.

use std::rc::Rc;

use expect_test::{Expect, expect};
use racescope::app::{Field, Handle, Message, State};
use racescope::tell::seconds;

fn page(id: &str, script: &[Message]) -> State {
    let lesson = Rc::new(racescope::library().lesson(id).expect("the lesson is there").clone());
    script.iter().fold(State::new(lesson), |state, &message| state.update(message))
}

fn told(remarks: impl IntoIterator<Item = (u64, String)>) -> String {
    let lines = remarks.into_iter().map(|(at_us, text)| format!("{} {text}\n", seconds(at_us)));
    lines.collect::<Vec<_>>().concat()
}

/// The steps of a pane's explanation.
fn check_why(page: &State, pane: usize, expected: &Expect) {
    expected.assert_eq(&told(page.why(pane).into_iter().map(|step| (step.at_us, step.text))));
}

/// What a pane has in common with the first one, and where they part.
fn check_comparison(page: &State, pane: usize, expected: &Expect) {
    expected.assert_eq(&told(page.compared(pane)));
}

#[test]
fn a_stale_write_is_told_from_the_pause_to_the_lost_version() {
    check_why(
        &page("paused-holder", &[]),
        0,
        &expect![[r#"
        1.50 A pauses for 4.20 s.
        3.40 Lock ends A’s lease 33, by its own clock; A’s belief is false from here on.
        3.75 Lock grants 34 to B for 3 s.
        5.15 Storage accepts B’s write with 34: v8.
        6.00 Storage accepts A’s write with 33: v9. It had accepted 34 before, and didn’t compare 33 with it. B’s v8 is lost.
    "#]],
    );
}

#[test]
fn a_refusal_is_told_with_the_comparison_that_refused_it() {
    check_why(
        &page("paused-holder", &[]),
        1,
        &expect![[r#"
        1.50 A pauses for 4.20 s.
        3.40 Lock ends A’s lease 33, by its own clock; A’s belief is false from here on.
        3.75 Lock grants 34 to B for 3 s.
        5.15 Storage accepts B’s write with 34, since 34 > 32: v8.
        6.00 Storage refuses A’s write with 33: 33 < 34, a newer token was here.
    "#]],
    );
}

#[test]
fn an_entry_that_stayed_for_a_while_is_told_with_its_end() {
    let page = page("late-replica", &[]);
    let pane = page.panes.iter().position(|pane| pane.verdict.worst().is_some_and(|worst| worst.until.is_some()));
    check_why(
        &page,
        pane.expect("an old entry is replaced in one of the panes"),
        &expect![[r#"
        1.00 Row in DynamoDB accepts W’s write: v2: 200.
        3.30 Its replica gives v1 to R: 200 {v=1}.
        3.55 Redis takes v1 from R, although v2 is there: 1.
        8.55 Redis has no entry any more.
    "#]],
    );
}

#[test]
fn what_is_clean_has_nothing_to_explain() {
    check_why(&page("paused-holder", &[Message::Delete(0)]), 0, &expect![[""]]);
}

#[test]
fn each_step_is_an_event_of_its_run_in_the_order_in_which_they_happened() {
    for lesson in racescope::library().lessons {
        let page = State::new(Rc::new(lesson));
        for (place, pane) in page.panes.iter().enumerate() {
            let steps = page.why(place);
            assert!(steps.windows(2).all(|pair| pair[0].event < pair[1].event), "{}: {steps:?}", page.lesson.id);
            assert!(steps.iter().all(|step| step.at_us == pane.trace.event(step.event).at_us), "{}", page.lesson.id);
            assert!(steps.len() >= pane.telling.chain.len(), "{}: {steps:?}", page.lesson.id);
        }
    }
}

#[test]
fn an_explanation_is_announced_and_put_away_again() {
    let explained = page("paused-holder", &[Message::ExplainOrNot(0)]);
    assert_eq!((explained.explained.as_slice(), explained.playing), (&[true, false][..], false));
    assert_eq!(explained.announcement, "Why, in 5 steps. A pauses for 4.20 s.");
    let put_away = explained.update(Message::ExplainOrNot(0));
    assert_eq!((put_away.explained[0], put_away.announcement.as_str()), (false, "The whole run is shown."));
    assert_eq!(explained.update(Message::ExplainOrNot(7)), explained, "there is no such pane");
}

#[test]
fn two_panes_agree_until_one_of_them_refuses() {
    check_comparison(
        &page("paused-holder", &[]),
        1,
        &expect![[r#"
        5.75 Up to 5.75 s, the same happens in both: 21 events.
        5.15 At 5.15 s, Storage compares only in “Lease and fencing token”: 34 > 32.
        6.00 At 6.00 s they part. Lease only: Storage accepts A’s write with 33: v9. B’s v8 is lost. Lease and fencing token: Storage refuses A’s write with 33: 33 < 34, a newer token was here.
        6.00 From there on, 8 events in both, 2 events only in “Lease only”, and 2 events only in “Lease and fencing token”.
    "#]],
    );
}

#[test]
fn panes_under_a_pause_that_does_no_harm_differ_in_what_they_compare_only() {
    let short = page("paused-holder", &[Message::Set(0, Field::Length, 800_000)]);
    check_comparison(
        &short,
        1,
        &expect![[r#"
            0.00 The same happens in “Lease only” and in “Lease and fencing token”.
            2.60 At 2.60 s, Storage compares only in “Lease and fencing token”: 33 > 32.
        "#]],
    );
    assert!(short.partings.is_empty());
    assert_eq!(short.update(Message::ToParting).cursor_us, short.cursor_us);
}

#[test]
fn a_fault_in_one_pane_only_parts_them_where_it_starts() {
    let pinned = page("paused-holder", &[Message::Set(0, Field::Pane, 1)]);
    assert_eq!(pinned.partings, [1_500_000]);
    check_comparison(
        &pinned,
        1,
        &expect![[r#"
        1.40 Up to 1.40 s, the same happens in both: 7 events.
        1.50 At 1.50 s they part. Lease only: A sends its write with 33 to the storage, at 1.55 s. Lease and fencing token: A pauses for 4.20 s.
        1.50 From there on, 11 events in both, 10 events only in “Lease only”, and 13 events only in “Lease and fencing token”.
    "#]],
    );
}

#[test]
fn the_playhead_goes_from_parting_to_parting_and_round_again() {
    let three = page("early-check", &[Message::ToStart]);
    let mut cursors = Vec::new();
    let mut at = three.clone();
    for _ in 0..=three.partings.len() {
        at = at.update(Message::ToParting);
        cursors.push(at.cursor_us);
    }
    assert!(!three.partings.is_empty(), "the panes part somewhere");
    assert_eq!(cursors[..three.partings.len()], three.partings);
    assert_eq!(cursors.last(), three.partings.first());
    assert!(at.announcement.contains(&three.lesson.variants[1].title), "both sides are said: {}", at.announcement);
}

#[test]
fn where_panes_part_follows_a_drag() {
    let script = [Message::Grab(0, Handle::End), Message::MoveTo(-100_000)];
    assert_eq!(page("paused-holder", &script).partings, [5_900_000]);
}
