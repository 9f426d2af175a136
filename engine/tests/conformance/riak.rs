//! A Riak bucket: which values stay, by what their writers knew.

use racescope_engine::system::riak::{Concurrent, Riak};
use racescope_engine::system::transcript::check;

#[test]
fn two_who_have_read_the_same_leave_two_siblings_until_one_has_read_both() {
    check(
        &Riak::new(&["k", "m"], Concurrent::Siblings),
        "A GET k → 404 not found
         A PUT k x → 204
         A GET k → 200 x context 1
         B GET k → 200 x context 1
         A PUT k a 1 → 204
         B PUT k b 1 → 204
         C GET k → 300 a b context 3
         C PUT k c 3 → 204
         A GET k → 200 c context 4
         A GET m → 404 not found",
    );
}

#[test]
fn a_write_replaces_what_its_context_knows_and_nothing_else() {
    check(
        &Riak::new(&["k"], Concurrent::Siblings),
        "A PUT k a → 204
         B PUT k b → 204
         C PUT k c 1 → 204
         A GET k → 300 b c context 3
         A PUT k d 4 → 400 bad context
         A PUT k d → 204
         A PUT k e → 204
         A PUT k f → 503 overloaded
         restart
         A GET k → 300 b c d e context 5",
    );
}

#[test]
fn the_last_write_wins_over_one_that_it_does_not_know() {
    check(
        &Riak::new(&["k"], Concurrent::LastWriteWins),
        "A PUT k x → 204
         A PUT k a 1 → 204
         B PUT k b 1 → 204
         C GET k → 200 b context 3",
    );
}
