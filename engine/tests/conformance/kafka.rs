//! Kafka: the rows of the table, the rules behind them, and what holds for any requests.

use crate::timers::Timers;
use proptest::prelude::*;
use racescope_engine::system::kafka::{Kafka, Reply, TransactionVersion};
use racescope_engine::system::transcript::check;
use racescope_engine::system::{Decided, System, View};

const BEFORE: Kafka = Kafka { transactions: TransactionVersion::OneEpochForAll };
const WITH_KIP_890: Kafka = Kafka { transactions: TransactionVersion::OneEpochEach };

#[test]
fn k1_an_older_producer_of_the_same_transactional_id_is_fenced() {
    check(
        &BEFORE,
        "A InitProducerId → ok 1:0
         B InitProducerId → ok 1:1
         A AddPartitionsToTxn 1:0 → PRODUCER_FENCED: There is a newer producer with the same transactionalId which fences the current one.
         B AddPartitionsToTxn 1:1 → ok
         B Produce 1:1 m1 → ok offset 0
         A Produce 1:0 m0 → INVALID_PRODUCER_EPOCH: Epoch of producer 1 at offset 1 in t-0 is 0, which is smaller than the last seen epoch 1
         B EndTxn 1:1 commit → ok
         B Fetch → [m1]",
    );
}

#[test]
fn k1_a_new_producer_aborts_what_the_older_one_has_under_way() {
    check(
        &BEFORE,
        "A InitProducerId → ok 1:0
         A AddPartitionsToTxn 1:0 → ok
         A Produce 1:0 m0 → ok offset 0
         B InitProducerId → ok 1:1
         A Produce 1:0 m1 → INVALID_PRODUCER_EPOCH: Epoch of producer 1 at offset 1 in t-0 is 0, which is smaller than the last seen epoch 1
         A EndTxn 1:0 commit → PRODUCER_FENCED: There is a newer producer with the same transactionalId which fences the current one.
         B Fetch → []",
    );
}

#[test]
fn k2_before_kip_890_a_late_message_joins_the_next_transaction() {
    check(
        &BEFORE,
        "A InitProducerId → ok 1:0
         A AddPartitionsToTxn 1:0 → ok
         A EndTxn 1:0 abort → ok
         A AddPartitionsToTxn 1:0 → ok
         A Produce 1:0 m1 → ok offset 0
         A EndTxn 1:0 commit → ok
         B Fetch → [m1]",
    );
}

#[test]
fn k2_with_kip_890_a_late_message_has_an_old_epoch() {
    check(
        &WITH_KIP_890,
        "A InitProducerId → ok 1:0
         A AddPartitionsToTxn 1:0 → ok
         A EndTxn 1:0 abort → ok 1:1
         A Produce 1:0 m1 → INVALID_PRODUCER_EPOCH: Epoch of producer 1 at offset 0 in t-0 is 0, which is smaller than the last seen epoch 1
         A Produce 1:1 m2 → ok offset 0
         A EndTxn 1:1 commit → ok 1:2
         B Fetch → [m2]",
    );
}

#[test]
fn a_message_outside_of_a_transaction_hangs_and_holds_consumers_up() {
    check(
        &BEFORE,
        "A InitProducerId → ok 1:0
         A AddPartitionsToTxn 1:0 → ok
         A Produce 1:0 m1 → ok offset 0
         A EndTxn 1:0 commit → ok
         A Produce 1:0 m2 → ok offset 1
         B Fetch → [m1]
         A EndTxn 1:0 commit → INVALID_TXN_STATE
         B Fetch → [m1]",
    );
}

#[test]
fn a_producer_that_was_never_made_is_unknown() {
    check(
        &WITH_KIP_890,
        "A Produce 1:0 m → INVALID_PRODUCER_ID_MAPPING
         A EndTxn 0:0 abort → INVALID_PRODUCER_ID_MAPPING
         A InitProducerId → ok 1:0
         A EndTxn 1:0 commit → INVALID_TXN_STATE
         A EndTxn 1:0 abort → ok 1:1
         A Produce 1:2 m → INVALID_PRODUCER_ID_MAPPING",
    );
}

#[test]
fn used_up_epochs_bring_a_new_producer_id() {
    let mut cells = vec![0; BEFORE.length()];
    let mut execute = |words: &str| {
        let command = BEFORE.parse(words).unwrap();
        BEFORE.execute(0, &command, &mut cells, &mut Timers::new(0)).unwrap().to_string()
    };
    for _ in 0..32_766 {
        execute("InitProducerId");
    }
    assert_eq!(execute("InitProducerId"), "ok 1:32766");
    assert_eq!(execute("InitProducerId"), "ok 2:0");
    assert_eq!(execute("Produce 1:32766 m"), "INVALID_PRODUCER_ID_MAPPING");
    assert_eq!(execute("Produce 2:0 m"), "ok offset 0");
}

#[test]
fn what_is_no_request_is_not_read() {
    for words in ["", "Produce 1 m", "Produce 1:0", "EndTxn 1:0", "EndTxn 1:0 maybe", "Produce 1:65535 m"] {
        assert_eq!(BEFORE.parse(words), None, "{words}");
    }
}

proptest! {
    #[test]
    fn consumers_read_just_what_those_who_judge_are_told(
        each in any::<bool>(),
        requests in prop::collection::vec((0..3u8, 0..8u8, 0..4u16), 0..40),
    ) {
        let kafka = if each { WITH_KIP_890 } else { BEFORE };
        let mut cells = vec![0; kafka.length()];
        let (mut open, mut counts) = ([0; 3], 0);
        for (caller, kind, epoch) in requests {
            let words = match kind {
                0 => "InitProducerId".to_string(),
                1 => format!("AddPartitionsToTxn 1:{epoch}"),
                2..5 => format!("Produce 1:{epoch} m"),
                5..7 => format!("EndTxn 1:{epoch} commit"),
                _ => format!("EndTxn 1:{epoch} abort"),
            };
            let command = kafka.parse(&words).unwrap();
            let own = usize::from(caller);
            match kafka.decides(&command, &cells) {
                Some(Decided::OthersCommitted) => {
                    let others = (0..3).filter(|&other| other != own);
                    counts += others.map(|other| std::mem::take(&mut open[other])).sum::<usize>();
                }
                Some(Decided::AllUndone) => open = [0; 3],
                Some(decided) => prop_assert!(false, "{:?}", decided),
                None => {}
            }
            let reply = kafka.execute(caller, &command, &mut cells, &mut Timers::new(0)).unwrap();
            match kafka.view(caller, &command, Some(&reply), &cells) {
                View::Open => open[own] += 1,
                View::Committed => counts += std::mem::take(&mut open[own]),
                view => prop_assert_eq!(view, View::Shared),
            }
            let fetched = kafka.execute(0, &kafka.parse("Fetch").unwrap(), &mut cells, &mut Timers::new(0)).unwrap();
            prop_assert_eq!(fetched.to_string().matches('m').count(), counts, "after {}", words);
        }
    }

    #[test]
    fn a_refused_request_changes_nothing_and_epochs_only_rise(
        each in any::<bool>(),
        requests in prop::collection::vec((0..5u8, 0..3u16, 0..6u16), 0..60),
    ) {
        let kafka = if each { WITH_KIP_890 } else { BEFORE };
        let mut cells = vec![0; kafka.length()];
        for (kind, id, epoch) in requests {
            let words = match kind {
                0 => "InitProducerId".to_string(),
                1 => format!("AddPartitionsToTxn {id}:{epoch}"),
                2 => format!("Produce {id}:{epoch} m"),
                3 => format!("EndTxn {id}:{epoch} commit"),
                _ => format!("EndTxn {id}:{epoch} abort"),
            };
            let before = cells.clone();
            let reply = kafka.execute(0, &kafka.parse(&words).unwrap(), &mut cells, &mut Timers::new(0)).unwrap();
            let done = matches!(reply, Reply::Done | Reply::Producer(_) | Reply::Produced(_));
            prop_assert!(done || before == cells, "{} {}", words, reply);
            prop_assert!((before[0], before[1]) <= (cells[0], cells[1]));
            // With an epoch for each transaction, nobody but the newest producer writes.
            if each && matches!(reply, Reply::Produced(_)) {
                prop_assert_eq!((id, epoch), (before[0], before[1]));
            }
        }
    }
}
