//! What an author may have meant by a name that isn't there.

use super::mistake::{Complaint, list, quote};

/// The complaint about a name that isn't among the known ones.
pub(super) fn unknown(what: &str, name: &str, known: &[&str]) -> Complaint {
    let wrong = format!("there is no {what} {}", quote(name));
    Complaint::new(
        wrong,
        match nearest(name, known) {
            Some(near) => format!("Did you mean {}?", quote(near)),
            None if known.is_empty() => format!("Write a {what} first."),
            None => format!("Write {}.", list(known)),
        },
    )
}

/// No name that is worth a guess is longer.
const LONGEST: usize = 80;

/// The known name that is most like this one, if one is like it at all.
pub(super) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let name: String = name.chars().take(LONGEST).collect::<String>().to_lowercase();
    let distance = |known: &&str| strsim::damerau_levenshtein(&name, &known.to_lowercase());
    let best = known.iter().filter(|known| known.len() <= LONGEST).min_by_key(|known| distance(known))?;
    let most = (best.chars().count().max(name.chars().count()) + 1) / 3;
    (distance(best) <= most).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_finds_its_name_and_nonsense_finds_none() {
        let known = ["lost-update", "stale-write-accepted"];
        assert_eq!(nearest("lost-updaet", &known), Some("lost-update"));
        assert_eq!(nearest("Stale-write-acepted", &known), Some("stale-write-accepted"));
        assert_eq!(nearest("deadlock", &known), None);
        assert_eq!(nearest("C", &["A", "B"]), None);
        assert_eq!(nearest("anything", &[]), None);
    }
}
