//! What came of the gate, for people.

use racescope::tell::{counted, grouped};
use racescope_engine::gate::{Failure, Harm, Times};

use super::Passage;

/// The bounds of the bars of a histogram, in milliseconds.
pub const BOUNDS_MS: [u64; 11] = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 60_000];

/// How many letters the longest bar has.
const LONGEST_BAR: usize = 40;

/// What the gate is about, in words.
pub const ABOUT: [&str; 2] = [
    "From the end of a lease until the first write of the next owner is accepted, if that was waiting:",
    "From when the outcome of a write is unknown until it is known:",
];

/// All of it, line by line.
pub fn lines(passage: &Passage) -> Vec<String> {
    let mut lines = vec![headline(passage), String::new()];
    lines.push("Accepted although it must not be:".to_string());
    lines.extend(counts(&harms(passage)));
    lines.push(String::new());
    lines.push("What was made to go wrong, and how often:".to_string());
    lines.extend(counts(&failures(passage)));
    lines.push(String::new());
    lines.push(writes(passage));
    lines.extend(counts(&refusals(passage)));
    for (about, times) in ABOUT.into_iter().zip([passage.summary.hand_offs(), passage.summary.reconciliations()]) {
        lines.push(String::new());
        lines.push(about.to_string());
        lines.push(format!("  {}", in_short(&times)));
        lines.extend(bars(&histogram(&times)));
    }
    lines.push(String::new());
    lines.push(format!("A small instance, searched to its end ({}):", passage.exhaustive.bounds));
    lines.push(format!("  {}", passage.exhaustive.sentence()));
    lines.push("Random schedules find; they never prove. The search to its end proves, for its instance.".to_string());
    lines
}

/// What was run, and whether it went well: at random, and in the small instance.
pub fn headline(passage: &Passage) -> String {
    let all = counted(&passage.summary.schedules.to_string(), "random schedule");
    let without =
        passage.without.map_or_else(String::new, |check| format!(", by resources that don't check: {}", check.name()));
    let found = match passage.summary.bad {
        0 => "nothing bad was accepted".to_string(),
        bad => are_bad(&bad.to_string()),
    };
    let small = match passage.exhaustive.bad() {
        None => "the search of a small instance was stopped".to_string(),
        Some(bad) => {
            let all = counted(&passage.exhaustive.found.schedules().decimal(), "schedule");
            format!(
                "of all {all} of a small instance, {}",
                if bad == "0" { "none is bad".to_string() } else { are_bad(&bad) }
            )
        }
    };
    format!("{all} of signed grants from the seed {}{without}: {found}; {small}.", passage.seed)
}

/// "1 is bad", "288 are bad".
pub fn are_bad(count: &str) -> String {
    format!("{} {} bad", grouped(count), if count == "1" { "is" } else { "are" })
}

/// Each kind of harm with its count.
pub fn harms(passage: &Passage) -> Vec<(&'static str, u32)> {
    let mut harms: Vec<_> =
        Harm::ALL.into_iter().map(|harm| (harm.name(), passage.summary.harms[harm as usize])).collect();
    harms.push(("not reconciled", passage.summary.total.unreconciled));
    harms
}

/// Each kind of failure with its count.
pub fn failures(passage: &Passage) -> Vec<(&'static str, u32)> {
    let count = |failure: Failure| (failure.name(), passage.summary.total.failures[failure as usize]);
    Failure::ALL.into_iter().map(count).collect()
}

/// Each kind of refusal with its count.
pub fn refusals(passage: &Passage) -> Vec<(&'static str, u32)> {
    passage.summary.total.refused.iter().map(|(&said, &count)| (said, count)).collect()
}

/// What became of all writes.
pub fn writes(passage: &Passage) -> String {
    let total = &passage.summary.total;
    let [accepted, repeated] = [total.accepted, total.repeated].map(|n| grouped(&n.to_string()));
    let all = counted(&total.writes.to_string(), "write");
    format!("{all}: {accepted} accepted, {repeated} answered with an earlier receipt, the others refused:")
}

fn counts(counts: &[(&'static str, u32)]) -> Vec<String> {
    counts.iter().map(|(name, count)| format!("  {name:26} {:>9}", grouped(&count.to_string()))).collect()
}

/// The marks of a distribution: `min 12.3 ms, median …`.
pub fn in_short(times: &Times) -> String {
    let marks = [("min", 0), ("median", 50), ("p90", 90), ("p99", 99), ("max", 100)];
    let mark = |(name, percent)| format!("{name} {} ms", ms(times.percentile_us(percent)));
    let count = counted(&times.count().to_string(), "time");
    format!("{count}: {}", marks.map(mark).join(", "))
}

/// Microseconds as milliseconds, to a tenth.
pub fn ms(us: u64) -> String {
    let tenths = (us + 50) / 100;
    format!("{}.{}", grouped(&(tenths / 10).to_string()), tenths % 10)
}

/// How many took less than each bound; those at either end that nothing took are left out.
pub fn histogram(times: &Times) -> Vec<(String, usize)> {
    let names = BOUNDS_MS.iter().map(|bound| format!("< {} ms", grouped(&bound.to_string())));
    let names = names.chain([format!("≥ {} ms", grouped(&BOUNDS_MS[BOUNDS_MS.len() - 1].to_string()))]);
    let bars: Vec<(String, usize)> = names.zip(times.histogram(&BOUNDS_MS)).collect();
    let Some(first) = bars.iter().position(|(_, count)| *count > 0) else { return Vec::new() };
    let last = bars.iter().rposition(|(_, count)| *count > 0).unwrap_or(first);
    bars[first..=last].to_vec()
}

/// One line a bar.
fn bars(counts: &[(String, usize)]) -> Vec<String> {
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let line = |(name, count): &(String, usize)| {
        let bar = "#".repeat((count * LONGEST_BAR).div_ceil(most));
        format!("  {name:>11} {:>9} {bar}", grouped(&count.to_string())).trim_end().to_string()
    };
    counts.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_have_one_digit_behind_the_point() {
        let written = [0, 49, 50, 12_345, 1_234_567_890].map(ms);
        assert_eq!(written, ["0.0", "0.0", "0.1", "12.3", "1,234,567.9"]);
    }
}
