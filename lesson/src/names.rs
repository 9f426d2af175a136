//! The names by which files, commands and JSON call what checkers find.
//!
//! Each name stands here once. The table is read both ways, and the compiler asks
//! for the name of whatever is added to the engine.

use racescope_engine::check::{Property, Witness};

macro_rules! names {
    ($what:literal, $Kind:ident, $ALL:ident, $name_of:ident, $named:ident, $($Variant:ident = $name:literal),+) => {
        #[doc = concat!("Every ", $what, " with its name.")]
        pub const $ALL: &[(&str, $Kind)] = &[$(($name, $Kind::$Variant)),+];

        #[doc = concat!("The name of a ", $what, ".")]
        pub const fn $name_of(of: $Kind) -> &'static str {
            match of {
                $($Kind::$Variant => $name),+
            }
        }

        #[doc = concat!("The ", $what, " of this name, if there is one.")]
        pub fn $named(name: &str) -> Option<$Kind> {
            $ALL.iter().find(|(known, _)| *known == name).map(|&(_, found)| found)
        }
    };
}

names!(
    "property",
    Property,
    PROPERTIES,
    property_name,
    property_named,
    StaleWriteAccepted = "stale-write-accepted",
    LostUpdate = "lost-update",
    OverlapOfBelief = "overlap-of-belief",
    TokenRegression = "token-regression",
    EffectTwice = "effect-twice",
    NoProgress = "no-progress",
    OutcomeUnknown = "outcome-unknown",
    Aba = "aba",
    StaleCacheEntry = "stale-cache-entry",
    LimitExceeded = "limit-exceeded",
    EffectLost = "effect-lost",
    SegmentSkipped = "segment-skipped",
    ForgedGrantAccepted = "forged-grant-accepted",
    OrphanedLock = "orphaned-lock"
);

names!(
    "danger",
    Witness,
    DANGERS,
    danger_name,
    danger_named,
    StaleWriteTried = "stale-write-tried",
    OutdatedWriteTried = "outdated-write-tried",
    BeliefOutlivedLease = "belief-outlived-lease",
    CounterSetBack = "counter-set-back",
    EffectTwiceTried = "effect-twice-tried",
    MessageLost = "message-lost",
    WriteUnanswered = "write-unanswered",
    GaveUp = "gave-up",
    AbaTried = "aba-tried",
    StaleFillTried = "stale-fill-tried",
    EffectBeyondLimitTried = "effect-beyond-limit-tried",
    PromiseLeftOpen = "promise-left-open",
    SegmentOutOfOrderTried = "segment-out-of-order-tried",
    ForgedGrantTried = "forged-grant-tried",
    RefusedByOrphan = "refused-by-orphan",
    KeptWaiting = "kept-waiting"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_there_and_back() {
        for &(name, property) in PROPERTIES {
            assert_eq!((property_name(property), property_named(name)), (name, Some(property)));
        }
        for &(name, danger) in DANGERS {
            assert_eq!((danger_name(danger), danger_named(name)), (name, Some(danger)));
        }
        assert_eq!((property_named("stale-write-tried"), danger_named("")), (None, None));
    }

    #[test]
    fn no_two_things_have_one_name() {
        let mut names: Vec<&str> = PROPERTIES.iter().map(|(name, _)| *name).collect();
        names.extend(DANGERS.iter().map(|(name, _)| *name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
