//! The names by which files and commands call what checkers find.

use racescope_engine::check::{Property, Witness};

/// Properties that do harm, by name.
pub(super) const HARM: [(&str, Property); 2] =
    [("stale-write-accepted", Property::StaleWriteAccepted), ("lost-update", Property::LostUpdate)];

/// Dangers, by name.
pub(super) const DANGERS: [(&str, Witness); 3] = [
    ("stale-write-tried", Witness::StaleWriteTried),
    ("outdated-write-tried", Witness::OutdatedWriteTried),
    ("belief-outlived-lease", Witness::BeliefOutlivedLease),
];

/// A property's name in files and commands.
pub fn property_name(property: Property) -> &'static str {
    match property {
        Property::StaleWriteAccepted => "stale-write-accepted",
        Property::LostUpdate => "lost-update",
        Property::OverlapOfBelief => "overlap-of-belief",
    }
}

/// A danger's name in files and commands.
pub fn witness_name(witness: Witness) -> &'static str {
    match witness {
        Witness::StaleWriteTried => "stale-write-tried",
        Witness::OutdatedWriteTried => "outdated-write-tried",
        Witness::BeliefOutlivedLease => "belief-outlived-lease",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_and_what_is_written_is_the_same() {
        assert!(HARM.iter().all(|&(name, property)| property_name(property) == name));
        assert!(DANGERS.iter().all(|&(name, witness)| witness_name(witness) == name));
    }
}
