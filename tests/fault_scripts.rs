//! Every kind of fault added, moved, resized, pinned and removed on a lesson's page by
//! each way that there is, as scripts of messages: the ways end in the same faults.

use std::rc::Rc;

use racescope::app::{
    Field, Handle, Message, Placed, Side, State, WireEnd, WireName, message_value, restore, to_text, value_of,
};
use racescope::tell::{FaultKind, clause_of_fault};
use racescope_engine::sim::{Fault, Leg};

const A: u8 = 0;
const B: u8 = 1;
const LOCK: u8 = 2;
const STORAGE: u8 = 3;

/// The page of the lesson with two panes and no fault on it.
fn bare() -> State {
    let lesson = racescope::library().lesson("paused-holder").expect("the lesson is there").clone();
    State::new(Rc::new(lesson)).update(Message::Delete(0))
}

fn after(state: &State, messages: &[Message]) -> State {
    messages.iter().fold(state.clone(), |state, &message| state.update(message))
}

/// The faults in words, one a line, with the pane that each is pinned to.
fn told(state: &State) -> String {
    let scenario = &state.lesson.variants[0].scenario;
    let one = |placed: &Placed| {
        let pinned = placed.pane.map_or_else(String::new, |pane| format!(", in pane {pane} only"));
        clause_of_fault(scenario, &placed.fault) + &pinned
    };
    state.faults.iter().map(one).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(messages: &[Message], expected: &str) {
    assert_eq!(told(&after(&bare(), messages)), expected);
}

/// A lane that suits each kind, and what is said of it when it is added there at 2 s.
const ADDED: [(FaultKind, u8, &str); 11] = [
    (FaultKind::Pause, A, "A stands still from 2.00 s for 1.00 s"),
    (FaultKind::Crash, B, "B is down from 2.00 s for 1.00 s, and comes back without its memory"),
    (FaultKind::ClockStep, LOCK, "the clock of Lock service jumps forward by 8.00 s at 2.00 s"),
    (FaultKind::ClockRate, LOCK, "the clock of Lock service runs at 1.50× speed from 2.00 s for 2.00 s"),
    (FaultKind::Delay, A, "reply 3 of A is late by 1.00 s"),
    (FaultKind::Loss, A, "reply 3 of A is lost"),
    (FaultKind::Duplicate, A, "request 3 of A arrives again 1.00 s later"),
    (FaultKind::Partition, B, "B is cut off from Lock service from 2.00 s for 1.00 s"),
    (FaultKind::Restore, STORAGE, "Storage gets its state of 1.00 s back at 2.00 s"),
    (FaultKind::ForcedUnlock, LOCK, "an operator breaks the lease of Lock service at 2.00 s"),
    (FaultKind::StateLoss, LOCK, "Lock service forgets its state at 2.00 s"),
];

#[test]
fn each_kind_is_added_alike_by_mouse_by_press_by_keys_and_by_form() {
    for (kind, lane, expected) in ADDED {
        let at_us = 2_000_000;
        let dragged = [
            Message::Bring(kind),
            Message::BringTo(lane, 700_000),
            Message::BringAway,
            Message::BringTo(lane, at_us),
            Message::Drop,
        ];
        let pressed = [Message::Bring(kind), Message::BringTo(lane, at_us), Message::Drop];
        let form = [Message::Add(kind, lane, at_us)];
        check(&dragged, expected);
        check(&pressed, expected);
        check(&form, expected);

        let mut keyed = after(&bare(), &[Message::Seek(1_500_000), Message::Bring(kind), Message::BringBy(0, 0)]);
        for _ in 0..5 {
            keyed = keyed.update(Message::BringBy(0, 100_000));
        }
        for _ in 0..4 {
            if keyed.bring.as_ref().and_then(|brought| brought.over).is_some_and(|(node, _)| node != lane) {
                keyed = keyed.update(Message::BringBy(1, 0));
            }
        }
        let keyed = keyed.update(Message::Drop);
        assert_eq!(told(&keyed), expected, "{} by keys", kind.name());
        assert_eq!(keyed.panes, after(&bare(), &form).panes, "{}", kind.name());
        let name = format!("add {} of", kind.name().to_lowercase());
        assert!(
            keyed.history.undo_name().is_some_and(|undo| undo.starts_with(&name)),
            "{:?}",
            keyed.history.undo_name()
        );
        assert_eq!(told(&keyed.update(Message::Undo)), "", "one step takes {} back", kind.name());
    }
}

#[test]
fn all_panes_run_under_what_is_over_a_lane_and_without_it_when_it_is_away_or_put_back() {
    let own = bare();
    let over = after(&own, &[Message::Bring(FaultKind::Crash), Message::BringTo(A, 1_000_000)]);
    assert_ne!(over.panes, own.panes);
    for message in [Message::BringAway, Message::Cancel, Message::Bring(FaultKind::Crash)] {
        let away = over.update(message);
        assert_eq!((&away.panes, &away.faults), (&own.panes, &own.faults), "{message:?}");
    }
    let dropped_away = after(&over, &[Message::BringAway, Message::Drop]);
    assert_eq!((&dropped_away.faults, dropped_away.history.undo_name()), (&own.faults, own.history.undo_name()));
}

#[test]
fn what_does_not_suit_a_lane_is_not_added_and_says_why() {
    let script = [Message::Bring(FaultKind::StateLoss), Message::BringTo(A, 1_000_000), Message::Drop];
    check(&script, "");
    let form = bare().update(Message::Add(FaultKind::StateLoss, A, 1_000_000));
    assert_eq!(told(&form), "");
    assert!(form.announcement.starts_with("State loss doesn’t go on this lane"), "{}", form.announcement);
}

/// A drag of a part of what was added, beside what the form sets for the same.
type Move = (FaultKind, Handle, i64, Vec<(Field, i64)>);

fn moves() -> Vec<Move> {
    use Field::{Jump, Length, Rate, Start, Taken};
    use Handle::{End, Middle, Slope, Start as First};
    vec![
        (FaultKind::Pause, Middle, 400_000, vec![(Start, 2_400_000)]),
        (FaultKind::Pause, First, -500_000, vec![(Start, 1_500_000), (Length, 1_500_000)]),
        (FaultKind::Pause, End, 700_000, vec![(Length, 1_700_000)]),
        (FaultKind::Crash, Middle, -300_000, vec![(Start, 1_700_000)]),
        (FaultKind::Crash, End, -300_000, vec![(Length, 700_000)]),
        (FaultKind::ClockStep, Middle, 100_000, vec![(Start, 2_100_000)]),
        (FaultKind::ClockStep, End, -8_800_000, vec![(Jump, -800_000)]),
        (FaultKind::ClockRate, Slope, -700_000, vec![(Rate, -200_000)]),
        (FaultKind::ClockRate, First, 300_000, vec![(Start, 2_300_000), (Length, 1_700_000)]),
        (FaultKind::ClockRate, End, 300_000, vec![(Length, 2_300_000)]),
        (FaultKind::Delay, End, 250_000, vec![(Length, 1_250_000)]),
        (FaultKind::Duplicate, End, -400_000, vec![(Length, 600_000)]),
        (FaultKind::Partition, Middle, -500_000, vec![(Start, 1_500_000)]),
        (FaultKind::Partition, End, 500_000, vec![(Length, 1_500_000)]),
        (FaultKind::Restore, First, -300_000, vec![(Taken, 700_000)]),
        (FaultKind::Restore, End, 300_000, vec![(Start, 2_300_000)]),
        (FaultKind::ForcedUnlock, Middle, 300_000, vec![(Start, 2_300_000)]),
        (FaultKind::StateLoss, Middle, 300_000, vec![(Start, 2_300_000)]),
    ]
}

#[test]
fn each_kind_is_moved_and_resized_alike_by_mouse_by_keys_and_by_form() {
    for (kind, handle, by, fields) in moves() {
        let (_, lane, _) = ADDED.into_iter().find(|(added, ..)| *added == kind).expect("every kind is added above");
        let added = bare().update(Message::Add(kind, lane, 2_000_000));
        let by_form =
            fields.iter().fold(added.clone(), |page, &(field, value)| page.update(Message::Set(0, field, value)));
        let by_keys = after(&added, &[Message::GrabByKeys(0, handle), Message::MoveBy(by), Message::Drop]);
        assert_eq!(told(&by_keys), told(&by_form), "{} by its {handle:?}", kind.name());
        assert_eq!(by_keys.panes, by_form.panes);
        let dragged = [Message::Grab(0, handle), Message::MoveTo(by / 2), Message::MoveTo(by), Message::Drop];
        let by_mouse = after(&added, &dragged);
        let near = |field: &(Field, i64)| {
            value_of(&by_mouse.faults[0], field.0).is_some_and(|value| value.abs_diff(field.1) <= 50_000)
        };
        assert!(fields.iter().all(near), "{} by its {handle:?}: {}", kind.name(), told(&by_mouse));
        assert_eq!(told(&by_mouse.update(Message::Undo)), told(&added), "one drag is one step");
    }
}

#[test]
fn each_kind_is_copied_and_deleted_as_one_step_each() {
    for (kind, lane, expected) in ADDED {
        let added = bare().update(Message::Add(kind, lane, 2_000_000));
        let copied = added.update(Message::Duplicate(0));
        assert_eq!(copied.faults.len(), 2, "{}", kind.name());
        assert_eq!(copied.selected, Some(1));
        let deleted = copied.update(Message::Delete(1));
        assert_eq!(told(&deleted), expected);
        assert_eq!(deleted.faults, added.faults);
        assert!(deleted.announcement.starts_with("Deleted "), "{}", deleted.announcement);
        assert_eq!(after(&deleted, &[Message::Undo, Message::Undo]).faults, added.faults);
        let kept = restore(added.lesson.clone(), &to_text(&copied).expect("there is something to keep"));
        assert_eq!(kept.faults, copied.faults, "{} comes back after a reload", kind.name());
    }
}

#[test]
fn a_fault_that_is_pinned_befalls_one_pane() {
    let shared = bare().update(Message::Add(FaultKind::Crash, A, 500_000));
    let pinned = shared.update(Message::Set(0, Field::Pane, 1));
    assert_eq!(told(&pinned).rsplit(", ").next(), Some("in pane 1 only"));
    assert_eq!(pinned.panes[0].trace, bare().panes[0].trace);
    assert_eq!(pinned.panes[1].trace, shared.panes[1].trace);
    assert_eq!((pinned.panes[0].places.len(), pinned.panes[1].places.as_slice()), (0, [0].as_slice()));
    assert_eq!(pinned.history.undo_name(), Some("change the panes of crash of A"));
    assert_eq!(pinned.update(Message::Set(0, Field::Pane, 7)).faults, pinned.faults, "there is no such pane");
    assert_eq!(pinned.update(Message::Set(0, Field::Pane, -1)).faults, shared.faults);
}

#[test]
fn lanes_agree_in_all_panes_when_a_clock_is_wrong_in_one() {
    let script = [Message::Add(FaultKind::ClockRate, A, 500_000), Message::Set(0, Field::Pane, 1)];
    let page = after(&bare(), &script);
    assert_eq!(page.panes[0].layout, page.panes[1].layout);
    assert!(page.panes[0].layout.height > bare().panes[0].layout.height);
}

#[test]
fn choices_of_a_fault_are_made_among_what_there_is() {
    let names =
        |page: &State, field| page.options(0, field).into_iter().map(|(_, name)| name).collect::<Vec<_>>().join(", ");
    let cut = bare().update(Message::Add(FaultKind::Partition, A, 1_000_000));
    assert_eq!(names(&cut, Field::Node), "Client A, Client B, Storage");
    assert_eq!(names(&cut, Field::Other), "Client B, Lock service, Storage");
    assert_eq!(names(&cut, Field::Pane), "all panes, Lease only, Lease and fencing token");
    let one_way = after(&cut, &[Message::Set(0, Field::Other, STORAGE.into()), Message::Set(0, Field::OneWay, 1)]);
    assert_eq!(told(&one_way), "A can’t reach Storage from 1.00 s for 1.00 s");
    let lock = bare().update(Message::Add(FaultKind::ForcedUnlock, LOCK, 1_000_000));
    assert_eq!(names(&lock, Field::Node), "Lock service");
    assert_eq!(
        lock.update(Message::Set(0, Field::Node, A.into())).faults,
        lock.faults,
        "a client has no lease to break"
    );
    let late = bare().update(Message::Add(FaultKind::Delay, A, 0));
    assert_eq!(names(&late, Field::Message).split(", ").next(), Some("0.20 s A → Lock service"));
    let other = late.update(Message::Set(0, Field::Message, message_value(B, 0, Leg::Reply)));
    assert_eq!(told(&other), "reply 1 of B is late by 1.00 s");
}

#[test]
fn a_message_is_late_when_it_is_held_at_its_arrival_and_its_sender_stands_still_at_its_sending() {
    let name = WireName { client: A, call: 0, leg: Leg::Request };
    let at = |end| [Message::GrabWire(0, name, end), Message::MoveTo(500_000), Message::Drop];
    check(&at(WireEnd::Arrival), "request 1 of A is late by 0.50 s");
    check(&at(WireEnd::Sending), "A stands still from 0.19 s for 0.50 s");
    let late = after(&bare(), &at(WireEnd::Arrival));
    assert_eq!(late.history.undo_name(), Some("add delay of A"));
    let wire = |page: &State| {
        page.panes[0].scene.wires.iter().find(|wire| wire.client == A).map(|wire| (wire.sent_us, wire.arrives_us))
    };
    assert_eq!((wire(&bare()), wire(&late)), (Some((200_000, 400_000)), Some((200_000, 900_000))));
    assert_eq!(wire(&after(&bare(), &at(WireEnd::Sending))), Some((700_000, 900_000)));

    let later = after(&late, &at(WireEnd::Arrival));
    assert_eq!(told(&later), "request 1 of A is late by 1.00 s", "the same delay grows");
    assert_eq!(told(&later.update(Message::Undo)), told(&late));
    let stands = after(&after(&bare(), &at(WireEnd::Sending)), &at(WireEnd::Sending));
    assert_eq!(told(&stands), "A stands still from 0.19 s for 1.00 s", "the same pause grows");

    for nothing in
        [vec![Message::Drop], vec![Message::MoveTo(300_000), Message::Cancel], vec![Message::MoveTo(-9), Message::Drop]]
    {
        let script: Vec<Message> =
            std::iter::once(Message::GrabWire(1, name, WireEnd::Arrival)).chain(nothing).collect();
        check(&script, "");
    }
}

#[test]
fn a_lost_message_moves_to_the_next_one() {
    let script = [
        Message::Add(FaultKind::Loss, A, 200_000),
        Message::GrabByKeys(0, Handle::Middle),
        Message::MoveBy(200_000),
        Message::Drop,
    ];
    check(&script[..1], "request 1 of A is lost");
    let moved = after(&bare(), &script);
    assert!(matches!(moved.faults[0].fault, Fault::MessageLoss(_)));
    assert_ne!(told(&moved), "request 1 of A is lost");
}

#[test]
fn an_overtaken_request_becomes_another_request() {
    let script = [
        Message::Add(FaultKind::Reorder, A, 200_000),
        Message::GrabByKeys(0, Handle::Middle),
        Message::MoveBy(700_000),
        Message::Drop,
    ];
    check(&script[..1], "request 1 of A is overtaken");
    check(&script, "request 2 of A is overtaken");
}

#[test]
fn an_edge_is_put_just_before_and_just_after_an_event() {
    let pause = |script: &[Message]| {
        let added = bare().update(Message::Add(FaultKind::Pause, A, 1_970_000));
        let Fault::Pause(pause) = after(&added, script).faults[0].fault else { panic!("it is a pause") };
        (pause.at_us, pause.at_us + pause.lasts_us)
    };
    let times: Vec<u64> = bare().update(Message::Add(FaultKind::Pause, A, 1_970_000)).moments();
    let snap = |handle, side| [Message::Snap(0, handle, side)];
    let (before, _) = pause(&snap(Handle::Start, Side::Before));
    let (after_it, _) = pause(&snap(Handle::Start, Side::After));
    assert!(times.contains(&(before + 10_000)), "just before an event: {before}");
    assert!(times.contains(&after_it), "a fault at the moment of an event comes after it: {after_it}");
    let (_, end) = pause(&snap(Handle::End, Side::Before));
    assert!(times.contains(&end), "the end of a fault at the moment of an event comes before it: {end}");
    let twice = pause(&[Message::Snap(0, Handle::Start, Side::After), Message::Snap(0, Handle::Start, Side::After)]).0;
    assert!(twice > after_it, "pressed again, it goes on to the next event");
}

#[test]
fn a_pointer_that_comes_near_an_event_is_held_by_it() {
    let added = bare().update(Message::Add(FaultKind::Pause, B, 2_000_000));
    let start = |moved_us| {
        let page = after(&added, &[Message::Grab(0, Handle::Middle), Message::MoveTo(moved_us), Message::Drop]);
        page.faults[0].fault.at_us().unwrap_or_default()
    };
    // A releases its lease, or asks for something, at a moment that B's pause doesn't move.
    let event = 1_000_000;
    assert!(bare().moments().contains(&event));
    let reach = added.end_us.cast_signed() / 200;
    assert_eq!(start(-1_000_000 - reach / 2), event - 10_000, "just before");
    assert_eq!(start(-1_000_000 + reach / 2), event, "just after");
}

#[test]
fn a_stage_that_is_full_takes_no_more_and_says_so() {
    let mut page = bare();
    for place in 0..40 {
        page = page.update(Message::Add(FaultKind::Pause, A, place * 100_000));
    }
    assert_eq!(page.faults.len(), racescope_lesson::MOST_FAULTS);
    assert!(page.announcement.contains("Delete one first"), "{}", page.announcement);
    assert_eq!(page.update(Message::Bring(FaultKind::Crash)).bring, None);
    assert_eq!(page.update(Message::Duplicate(0)).faults, page.faults);
}

#[test]
fn a_fault_beyond_the_stage_makes_it_longer() {
    let far = bare().update(Message::Add(FaultKind::Pause, A, 20_000_000));
    assert!(far.end_us >= 21_000_000, "the stage shows up to {}", far.end_us);
}

proptest::proptest! {
    #[test]
    fn no_script_of_wild_numbers_breaks_a_page(numbers in proptest::collection::vec((0_u8..16, proptest::num::i64::ANY, 0_usize..4), 1..12)) {
        let mut page = bare();
        for (which, number, place) in numbers {
            let kind = FaultKind::ALL[usize::from(which) % FaultKind::ALL.len()];
            let lane = number.unsigned_abs() as u8 & 7;
            let field = Field::ALL[usize::from(which) % Field::ALL.len()];
            let handle = [Handle::Middle, Handle::Start, Handle::End, Handle::Slope][place];
            let name = WireName { client: lane, call: which.into(), leg: Leg::Reply };
            page = page.update(match which {
                0 | 1 => Message::Add(kind, lane, number.unsigned_abs()),
                2 | 3 => Message::Set(place, field, number),
                4 => Message::Grab(place, handle),
                5 => Message::MoveTo(number),
                6 => Message::Drop,
                7 => Message::Bring(kind),
                8 => Message::BringTo(lane, number.unsigned_abs()),
                9 => Message::Delete(place),
                10 => Message::Duplicate(place),
                11 => Message::GrabWire(place, name, WireEnd::Sending),
                12 => Message::Snap(place, handle, Side::Before),
                13 => Message::BringBy(number as isize, number),
                14 => Message::Cancel,
                _ => Message::Undo,
            });
            for placed in page.faults.iter() {
                proptest::prop_assert_eq!(placed.fault, placed.fault.clamped());
            }
        }
    }
}
