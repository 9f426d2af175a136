//! Effects outside of a transaction: idempotency keys, an outbox and sagas.

use crate::timers::Timers;
use proptest::prelude::*;
use racescope_engine::system::idempotency::{Idempotency, Steps};
use racescope_engine::system::outbox::{Consumer, Outbox, Publishing};
use racescope_engine::system::saga::{Memory, Saga};
use racescope_engine::system::{Caller, System, transcript::check};

fn keys(steps: Steps) -> Idempotency {
    Idempotency::new(&["k", "m"], steps, 3_600_000_000, 4)
}

#[test]
fn a_retry_gets_the_stored_answer_and_another_body_is_refused() {
    for steps in [Steps::Apart, Steps::OneTransaction] {
        check(
            &keys(steps),
            "A POST k a → reserved
             A EFFECT → effect 1
             A ANSWER → 201 effect 1
             A POST k a → 200 effect 1
             B POST k b → 422 other body
             A EFFECTS k → 1",
        );
    }
}

#[test]
fn while_the_first_request_runs_another_is_told_so() {
    check(
        &keys(Steps::Apart),
        "A POST k a → reserved
         B POST k a → 409 in progress
         B POST k b → 409 in progress
         B EFFECT → out of turn
         A ANSWER → out of turn
         A EFFECT → effect 1
         A EFFECT → out of turn
         A POST m a → out of turn
         A ANSWER → 201 effect 1
         B POST k a → 200 effect 1",
    );
}

#[test]
fn a_crash_after_the_reservation_leaves_it_in_progress_and_no_one_knows() {
    for (steps_before_the_crash, effects) in [("", "0"), ("A EFFECT → effect 1\n", "1")] {
        check(
            &keys(Steps::Apart),
            &format!(
                "A POST k a → reserved
                 {steps_before_the_crash}
                 A disconnects
                 A POST k a → 409 in progress
                 restart
                 A POST k a → 409 in progress
                 B EFFECTS k → {effects}"
            ),
        );
    }
}

#[test]
fn in_one_transaction_a_crash_takes_all_of_it_back_and_the_next_one_goes_on() {
    check(
        &keys(Steps::OneTransaction),
        "A POST k a → reserved
         B POST k a → (waits)
         A EFFECT → effect 1
         C EFFECTS k → 0
         A disconnects
         B … POST k a → reserved
         B EFFECT → effect 1
         restart
         B POST k a → reserved
         B EFFECT → effect 1
         B ANSWER → 201 effect 1
         A POST k a → 200 effect 1
         A EFFECTS k → 1",
    );
}

#[test]
fn a_key_that_was_forgotten_makes_the_effect_again() {
    for steps in [Steps::Apart, Steps::OneTransaction] {
        check(
            &keys(steps),
            "A POST k a → reserved
             A EFFECT → effect 1
             A ANSWER → 201 effect 1
             wait 3599 s
             A POST k a → 200 effect 1
             wait 1 s
             A POST k a → reserved
             A EFFECT → effect 2
             A ANSWER → 201 effect 2
             A EFFECTS k → 2",
        );
    }
}

#[test]
fn a_request_that_outlives_its_key_makes_its_effect_beside_the_next() {
    check(
        &keys(Steps::Apart),
        "A POST k a → reserved
         wait 3600 s
         B POST k a → reserved
         A EFFECT → effect 1
         A ANSWER → 201 effect 1
         C POST k a → 409 in progress
         B EFFECT → effect 2
         B ANSWER → 201 effect 2
         C POST k a → 200 effect 2",
    );
}

fn outbox(publishing: Publishing, consumer: Consumer) -> Outbox {
    Outbox { publishing, consumer }
}

#[test]
fn an_event_is_there_exactly_if_its_order_is() {
    check(
        &outbox(Publishing::Outbox, Consumer::Deduplicates),
        "A ORDER aborts → rolled back
         B PUBLISH → nothing
         A ORDER → committed event 1
         A disconnects
         B PUBLISH → published 1
         B MARK → marked 1
         B PUBLISH → nothing
         C TAKE → effect of 1
         C ACK → acknowledged
         C TAKE → nothing",
    );
}

#[test]
fn a_second_write_loses_the_event_if_the_writer_crashes_before_it() {
    check(
        &outbox(Publishing::SecondWrite, Consumer::Deduplicates),
        "A ORDER → committed event 1
         A disconnects
         A PUBLISH → nothing
         C EFFECTS 1 → 0",
    );
}

#[test]
fn a_relay_that_crashes_before_the_mark_publishes_twice() {
    for (consumer, second, effects) in
        [(Consumer::Deduplicates, "1 seen before", 1), (Consumer::Trusts, "effect of 1", 2)]
    {
        check(
            &outbox(Publishing::Outbox, consumer),
            &format!(
                "A ORDER → committed event 1
                 A ORDER → committed event 2
                 B PUBLISH → published 1
                 B disconnects
                 B MARK → nothing
                 B PUBLISH → published 1
                 B MARK → marked 1
                 B MARK → nothing
                 B PUBLISH → published 2
                 C TAKE → effect of 1
                 C ACK → acknowledged
                 C TAKE → {second}
                 C ACK → acknowledged
                 C TAKE → effect of 2
                 C EFFECTS 1 → {effects}"
            ),
        );
    }
}

#[test]
fn a_consumer_that_crashes_before_the_acknowledgement_gets_the_message_again() {
    check(
        &outbox(Publishing::Outbox, Consumer::Deduplicates),
        "A ORDER → committed event 1
         B PUBLISH → published 1
         C TAKE → effect of 1
         C disconnects
         C TAKE → 1 seen before
         C ACK → acknowledged
         C ACK → nothing
         C EFFECTS 1 → 1",
    );
}

fn saga(memory: Memory) -> Saga {
    Saga::new(&["seat", "card"], memory)
}

#[test]
fn a_compensation_that_comes_first_leaves_a_tombstone_for_the_late_action() {
    check(
        &saga(Memory::Tombstones),
        "A UNDO seat 1 → tombstone
         A DO seat 1 → refused: it was taken back
         A UNDO seat 1 → undone before
         B LOOK seat 1 → not in effect
         A DO seat 2 → done",
    );
}

#[test]
fn without_a_tombstone_the_late_action_stays_for_ever() {
    check(
        &saga(Memory::Forgets),
        "A UNDO seat 1 → nothing to undo
         A DO seat 1 → done
         B LOOK seat 1 → in effect",
    );
}

#[test]
fn a_saga_is_not_isolated_and_its_steps_come_twice_without_harm() {
    check(
        &saga(Memory::Tombstones),
        "A DO seat 1 → done
         A DO seat 1 → done before
         B LOOK seat 1 → in effect
         A DO card 1 fails → failed
         A UNDO seat 1 fails → failed
         B LOOK seat 1 → in effect
         A UNDO seat 1 → undone
         A UNDO seat 1 → undone before
         A UNDO card 1 → tombstone
         A DO seat 1 → refused: it was taken back
         B LOOK seat 1 → not in effect",
    );
}

#[test]
fn what_is_no_message_is_refused() {
    for words in ["POST k", "POST unknown a", "POST k LONG", "EFFECT k", ""] {
        assert_eq!(keys(Steps::Apart).parse(words), None, "{words}");
    }
    for words in ["ORDER 1", "MARK 1", "EFFECTS 0", "EFFECTS 9", "EFFECTS 70000", ""] {
        assert_eq!(outbox(Publishing::Outbox, Consumer::Trusts).parse(words), None, "{words}");
    }
    for words in ["DO seat", "DO seat 0", "DO seat 5", "UNDO unknown 1", "LOOK seat 1 fails", ""] {
        assert_eq!(saga(Memory::Tombstones).parse(words), None, "{words}");
    }
}

/// Lets callers do random things, and a timer or a crash come between. After each
/// step `holds` is asked with the cells.
fn play<S: System>(system: &S, steps: &[(Caller, u8, String)], mut holds: impl FnMut(&S, &[u16], &str)) {
    let mut cells = vec![0; system.length()];
    system.start(&mut cells);
    let mut timers = Timers::new(system.timers());
    for (caller, chance, words) in steps {
        match chance {
            0 => system.disconnect(*caller, &mut cells, &mut timers),
            1 => system.restart(true, &mut cells, &mut timers),
            2..5 if timers.take(chance - 2) => system.fire(chance - 2, &mut cells, &mut timers),
            _ => {
                let before = cells.clone();
                let command = system.parse(words).expect("it was written right");
                let reply = system.execute(*caller, &command, &mut cells, &mut timers);
                assert!(reply.is_some() || cells == before, "a request that waits changes nothing");
                let reply = reply.map_or(String::new(), |reply| reply.to_string());
                holds(system, &cells, &format!("{words} → {reply}"));
            }
        }
    }
}

fn steps(words: &[&'static str]) -> impl Strategy<Value = Vec<(Caller, u8, String)>> {
    let words = proptest::sample::select(words.to_vec()).prop_map(str::to_string);
    proptest::collection::vec((0..10u8, 0..30u8, words), 0..80)
}

proptest! {
    #[test]
    fn in_one_transaction_there_are_as_many_effects_as_answers(
        steps in steps(&["POST k a", "POST k b", "EFFECT", "EFFECT", "ANSWER", "ANSWER", "EFFECTS k"]),
    ) {
        let mut answers = 0;
        play(&keys(Steps::OneTransaction), &steps, |_, cells, said| {
            const EFFECTS_OF_K: usize = 4;
            answers += u16::from(said.contains("→ 201"));
            assert_eq!(cells[EFFECTS_OF_K], answers, "{said}");
        });
    }

    #[test]
    fn a_consumer_that_keeps_ids_makes_each_effect_at_most_once_and_an_outbox_loses_none(
        steps in steps(&["ORDER", "PUBLISH", "PUBLISH", "MARK", "TAKE", "ACK"]),
    ) {
        let system = outbox(Publishing::Outbox, Consumer::Deduplicates);
        let (mut orders, mut published) = (0u16, [false; 9]);
        let mut end = Vec::new();
        play(&system, &steps, |_, cells, said| {
            orders += u16::from(said.contains("committed"));
            if let Some(event) = said.strip_prefix("PUBLISH → published ") {
                published[event.parse::<usize>().unwrap()] = true;
            }
            end = cells.to_vec();
        });
        for event in 1..=orders.min(8) {
            let ask = |words: String| {
                let command = system.parse(&words).unwrap();
                system.execute(0, &command, &mut end.clone(), &mut Timers::new(0)).unwrap().to_string()
            };
            let effects: u16 = ask(format!("EFFECTS {event}")).parse().unwrap();
            prop_assert!(effects <= 1);
            let waits = end[usize::from(event)] == 1;
            prop_assert!(waits || published[usize::from(event)], "event {} was lost", event);
        }
    }

    #[test]
    fn a_step_that_was_taken_back_never_is_in_effect_again(
        steps in steps(&["DO seat 1", "UNDO seat 1", "DO card 1", "UNDO card 1", "UNDO card 1 fails"]),
    ) {
        let mut taken_back = [false; 2];
        play(&saga(Memory::Tombstones), &steps, |_, cells, said| {
            let step = usize::from(said.contains("card"));
            taken_back[step] |= said.contains("undone") || said.contains("tombstone");
            assert!(!(taken_back[step] && cells[step] == 1), "{said}");
        });
    }
}
