//! Mistakes that only follow from others.
//!
//! A name that can't be read is unknown wherever it is used. Telling so each time would
//! send the author to places that are right.

/// What defines the names that a field refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Nodes,
    Programs,
    /// The labels of the same program; of any, if it isn't a program that refers to them.
    Labels,
    /// The values of any program, since threads share theirs.
    Values,
    Variants,
}

/// The fields that say what a node is, and what an operator can do to it.
const ROLES: [&str; 9] =
    ["client", "lock", "storage", "system", "part_of", "quorum", "keeps", "unlock", "change_leader"];

/// The fields of a step that name what it puts somewhere, and the one that says whether
/// it does.
const PUTS: [&str; 7] = ["step", "token", "version", "value", "into", "tries", "answers"];

impl Cause {
    /// Whether a mistake in one field can leave names unknown to which another refers.
    pub fn is_in(self, field: &str, user: &str) -> bool {
        let parts: Vec<&str> = field.split('.').collect();
        let names: Vec<&str> = parts.iter().map(|part| without_place(part)).collect();
        match (self, names.as_slice()) {
            (Self::Nodes, ["nodes"] | ["variants", "nodes"] | ["nodes", _] | ["variants", "nodes", _])
            | (Self::Programs | Self::Values, ["programs"] | ["programs", _])
            | (Self::Labels, ["programs"])
            | (
                Self::Values,
                ["nodes"] | ["nodes", _] | ["nodes", _, "thread_of"] | ["programs", _, "answers", "reply"],
            )
            | (Self::Variants, ["variants"] | ["variants", "id"]) => true,
            (Self::Nodes, ["nodes", _, role] | ["variants", "nodes", _, role]) => ROLES.contains(role),
            (Self::Labels, ["programs", program] | ["programs", program, "label"]) => {
                let own = user.strip_prefix("programs.").and_then(|user| user.split('.').next());
                own.is_none_or(|own| without_place(own) == *program)
            }
            (Self::Values, ["programs", _, puts]) => PUTS.contains(puts),
            _ => false,
        }
    }
}

/// A part of a path without the place in a list.
fn without_place(part: &str) -> &str {
    part.split('[').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Cause::{self, Labels, Nodes, Programs, Values, Variants};

    #[track_caller]
    fn check(cause: Cause, field: &str, user: &str, follows: bool) {
        assert_eq!(cause.is_in(field, user), follows, "{field} and {user}");
    }

    #[test]
    fn what_defines_a_name_is_a_cause_and_what_is_beside_it_is_none() {
        check(Nodes, "nodes.lock", "programs.update[1].lock", true);
        check(Nodes, "variants[2].nodes.lock.keeps", "programs.update[1].lock", true);
        check(Nodes, "nodes.lock.latency", "programs.update[1].lock", false);
        check(Programs, "programs", "nodes.A.client", true);
        check(Programs, "programs.update[2].ttl", "nodes.A.client", false);
        check(Labels, "programs.update[2].label", "programs.update[1].on_busy", true);
        check(Labels, "programs.other[2].label", "programs.update[1].on_busy", false);
        check(Labels, "programs.update[2].label", "tally.of", true);
        check(Labels, "programs.update[2].ttl", "programs.update[1].on_busy", false);
        check(Values, "programs.update[1].answers[2].reply", "programs.update[2].say", true);
        check(Values, "programs.update[1].server", "programs.update[2].say", false);
        check(Variants, "variants[1].id", "challenges[1].variant", true);
        check(Variants, "variants[1].title", "challenges[1].variant", false);
    }
}
