//! Version vectors: the row of the table, and the laws of a partial order with joins.

use proptest::prelude::*;
use racescope_engine::version_vector::{Causality, VersionVector};

type Two = VersionVector<2>;

#[test]
fn vv1_versions_are_before_concurrent_or_the_same() {
    let compare = |left: [u16; 2], right: [u16; 2]| VersionVector(left).compare(&VersionVector(right));
    assert_eq!(compare([1, 1], [1, 2]), Causality::Before);
    assert_eq!(compare([1, 2], [1, 1]), Causality::After);
    assert_eq!(compare([2, 0], [0, 1]), Causality::Concurrent);
    assert_eq!(compare([1, 0], [1, 0]), Causality::Same);
}

#[test]
fn a_count_never_wraps_and_a_replica_must_exist() {
    assert_eq!(Two::EMPTY.changed_by(1), Some(VersionVector([0, 1])));
    assert_eq!(VersionVector([u16::MAX, 0]).changed_by(0), None);
    assert_eq!(Two::EMPTY.changed_by(2), None);
}

fn vector() -> impl Strategy<Value = VersionVector<3>> {
    prop_oneof![[0..3u16, 0..3u16, 0..3u16], any::<[u16; 3]>()].prop_map(VersionVector)
}

proptest! {
    #[test]
    fn versions_are_partially_ordered(a in vector(), b in vector(), c in vector()) {
        prop_assert!(a <= a);
        prop_assert_eq!(a <= b && b <= a, a == b);
        prop_assert!(!(a <= b && b <= c) || a <= c);
        let mirrored = match a.compare(&b) {
            Causality::Before => Causality::After,
            Causality::After => Causality::Before,
            other => other,
        };
        prop_assert_eq!(b.compare(&a), mirrored);
    }

    #[test]
    fn a_merge_is_the_least_version_that_knows_both(a in vector(), b in vector(), c in vector()) {
        let merged = a.merged(&b);
        prop_assert!(a <= merged && b <= merged);
        prop_assert!(!(a <= c && b <= c) || merged <= c);
        prop_assert_eq!(merged, b.merged(&a));
        prop_assert_eq!(merged.merged(&c), a.merged(&b.merged(&c)));
        prop_assert_eq!(a.merged(&a), a);
    }

    #[test]
    fn a_change_makes_a_later_version_and_two_changes_apart_are_concurrent(a in vector()) {
        if let (Some(left), Some(right)) = (a.changed_by(0), a.changed_by(1)) {
            prop_assert!(a < left && a < right);
            prop_assert_eq!(left.compare(&right), Causality::Concurrent);
        }
    }
}
