//! A `JournalNode` of HDFS: the row of the table, the rules behind it, and what holds for
//! any requests.

use crate::timers::Timers;
use proptest::prelude::*;
use racescope_engine::system::System;
use racescope_engine::system::journal_node::{JournalNode, Reply};
use racescope_engine::system::transcript::check;

#[test]
fn h1_a_writer_of_an_older_epoch_is_refused() {
    check(
        &JournalNode,
        "A newEpoch 1 → ok
         A startLogSegment epoch=1 → ok
         A journal epoch=1 → ok: 1
         B newEpoch 2 → ok
         B startLogSegment epoch=2 → ok
         A journal epoch=1 → IOException: IPC's epoch 1 is less than the last promised epoch 2
         B journal epoch=2 → ok: 2",
    );
}

#[test]
fn h1_a_writer_whose_segment_the_node_has_missed_is_not_the_current_writer() {
    check(
        &JournalNode,
        "A newEpoch 2 → ok
         A startLogSegment epoch=2 → ok
         B newEpoch 3 → ok
         B journal epoch=3 → IOException: IPC's epoch 3 is not the current writer epoch  2
         B startLogSegment epoch=3 → ok
         B journal epoch=3 → ok: 1",
    );
}

#[test]
fn an_epoch_is_promised_once() {
    check(
        &JournalNode,
        "A newEpoch 2 → ok
         B newEpoch 2 → IOException: Proposed epoch 2 <= last promise 2
         B newEpoch 1 → IOException: Proposed epoch 1 <= last promise 2",
    );
}

#[test]
fn a_higher_epoch_ends_the_segment_even_if_its_request_is_refused() {
    check(
        &JournalNode,
        "A newEpoch 1 → ok
         A startLogSegment epoch=1 → ok
         B journal epoch=2 → IOException: IPC's epoch 2 is not the current writer epoch  1
         A journal epoch=1 → IOException: IPC's epoch 1 is less than the last promised epoch 2",
    );
}

#[test]
fn promises_are_on_disk_and_an_open_segment_is_not() {
    check(
        &JournalNode,
        "A newEpoch 2 → ok
         A startLogSegment epoch=2 → ok
         restart
         A journal epoch=2 → JournalOutOfSyncException: Can't write, no segment open
         B newEpoch 1 → IOException: Proposed epoch 1 <= last promise 2
         restart without memory
         B newEpoch 1 → ok",
    );
}

#[test]
fn what_is_no_request_is_not_read() {
    for words in ["", "newEpoch", "newEpoch x", "journal 1", "journal epoch=65535"] {
        assert_eq!(JournalNode.parse(words), None, "{words}");
    }
}

proptest! {
    #[test]
    fn a_promise_never_goes_back_and_only_its_writer_writes(
        requests in prop::collection::vec((0..3u8, 0..5u16, any::<bool>()), 0..60),
    ) {
        let mut cells = vec![0; JournalNode.length()];
        let mut promised = 0;
        for (kind, epoch, restarts) in requests {
            let words = match kind {
                0 => format!("newEpoch {epoch}"),
                1 => format!("startLogSegment epoch={epoch}"),
                _ => format!("journal epoch={epoch}"),
            };
            let edits = cells[3];
            let command = JournalNode.parse(&words).unwrap();
            let reply = JournalNode.execute(0, &command, &mut cells, &mut Timers::new(0)).unwrap();
            prop_assert!(promised <= cells[0]);
            promised = cells[0];
            if let Reply::Journaled(_) = reply {
                prop_assert!(epoch == promised && epoch == cells[1]);
            } else {
                prop_assert_eq!(edits, cells[3]);
            }
            prop_assert!(cells[1] <= promised);
            if restarts {
                JournalNode.restart(true, &mut cells, &mut Timers::new(0));
            }
        }
    }
}
