//! Elasticsearch: the row of the table, the rules behind it, and what holds for any
//! requests.

use crate::timers::Timers;
use proptest::prelude::*;
use racescope_engine::system::System;
use racescope_engine::system::elasticsearch::{Elasticsearch, Reply};
use racescope_engine::system::transcript::check;

fn shard(first_seq_no: u16, first_term: u16) -> Elasticsearch {
    Elasticsearch::new(&["d", "e"], first_seq_no, first_term).expect("two short ids")
}

#[test]
fn es1_a_write_that_was_based_on_an_older_change_is_refused() {
    check(
        &shard(362, 2),
        "A PUT _doc/d a → 201 created _version=1 _seq_no=362 _primary_term=2
         A GET _doc/d → 200 _version=1 _seq_no=362 _primary_term=2 a
         B PUT _doc/d b → 200 updated _version=2 _seq_no=363 _primary_term=2
         A PUT _doc/d?if_seq_no=362&if_primary_term=2 c → 409 version_conflict_engine_exception [d]: version conflict, required seqNo [362], primary term [2]. current document has seqNo [363] and primary term [2]
         A GET _doc/d → 200 _version=2 _seq_no=363 _primary_term=2 b
         A PUT _doc/d?if_seq_no=363&if_primary_term=2 c → 200 updated _version=3 _seq_no=364 _primary_term=2",
    );
}

#[test]
fn es1_two_primaries_use_one_number_and_one_version_and_the_term_tells_them_apart() {
    check(
        &shard(362, 2),
        "A PUT _doc/d a → 201 created _version=1 _seq_no=362 _primary_term=2
         H cut off → noted
         A old PUT _doc/d b → 200 updated _version=2 _seq_no=363 _primary_term=2
         A old GET _doc/d → 200 _version=2 _seq_no=363 _primary_term=2 b
         B PUT _doc/d c → 200 updated _version=2 _seq_no=363 _primary_term=3
         H heal → noted
         A old GET _doc/d → 503
         A PUT _doc/d?if_seq_no=363&if_primary_term=2 x → 409 version_conflict_engine_exception [d]: version conflict, required seqNo [363], primary term [2]. current document has seqNo [363] and primary term [3]",
    );
}

#[test]
fn one_counter_serves_all_documents_and_deletes() {
    check(
        &shard(0, 1),
        "A PUT _doc/d a → 201 created _version=1 _seq_no=0 _primary_term=1
         A PUT _doc/e a → 201 created _version=1 _seq_no=1 _primary_term=1
         A DELETE _doc/d?if_seq_no=1&if_primary_term=1 → 409 version_conflict_engine_exception [d]: version conflict, required seqNo [1], primary term [1]. current document has seqNo [0] and primary term [1]
         A DELETE _doc/d?if_seq_no=0&if_primary_term=1 → 200 deleted _version=2 _seq_no=2 _primary_term=1
         A GET _doc/d → 404
         A DELETE _doc/d → 404
         A PUT _doc/d?if_seq_no=2&if_primary_term=1 b → 409 version_conflict_engine_exception [d]: version conflict, required seqNo [2], primary term [1]. but no document was found
         A PUT _create/d b → 201 created _version=3 _seq_no=3 _primary_term=1
         B PUT _create/d c → 409 version_conflict_engine_exception [d]: version conflict, document already exists (current version [3])",
    );
}

#[test]
fn what_is_no_request_is_not_read() {
    for words in [
        "",
        "GET _doc/x",
        "GET _doc/d?if_seq_no=1&if_primary_term=1",
        "PUT _doc/d",
        "PUT _doc/d?if_seq_no=1 a",
        "PUT _create/d?if_seq_no=1&if_primary_term=1 a",
        "old",
        "cut",
    ] {
        assert_eq!(shard(0, 1).parse(words), None, "{words}");
    }
    assert_eq!(Elasticsearch::new(&["four"], 0, 1), None);
    assert_eq!(Elasticsearch::new(&["d"], 0, 0), None);
}

#[test]
fn numbers_do_not_wrap() {
    check(
        &shard(65_534, 65_535),
        "A PUT _doc/d a → 201 created _version=1 _seq_no=65534 _primary_term=65535
         A PUT _doc/d b → 500 no numbers left in this model
         H cut off → 500 no numbers left in this model",
    );
}

proptest! {
    #[test]
    fn a_change_is_named_by_its_number_and_its_term(
        requests in prop::collection::vec((0..7u8, any::<bool>(), 0..12u16, 1..4u16), 0..60),
    ) {
        let shard = shard(0, 1);
        let mut cells = vec![0; shard.length()];
        shard.start(&mut cells);
        let mut named = Vec::new();
        for (kind, to_old, seq_no, term) in requests {
            let old = if to_old { "old " } else { "" };
            let words = match kind {
                0 => "cut off".to_string(),
                1 => "heal".to_string(),
                2 => format!("{old}DELETE _doc/d"),
                3 => format!("{old}PUT _doc/e a"),
                4 => format!("{old}PUT _create/d a"),
                _ => format!("{old}PUT _doc/d?if_seq_no={seq_no}&if_primary_term={term} b"),
            };
            let before = cells.clone();
            let reply = shard.execute(0, &shard.parse(&words).unwrap(), &mut cells, &mut Timers::new(0)).unwrap();
            match reply {
                Reply::Changed(_, state) => {
                    let name = (state.term, state.seq_no);
                    prop_assert!(!named.contains(&name), "{:?} twice", name);
                    named.push(name);
                }
                Reply::Noted => {}
                _ => prop_assert_eq!(before, cells.clone()),
            }
        }
    }
}
