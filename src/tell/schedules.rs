//! All schedules of a scenario in words: what was assumed, what was counted, and why
//! a search stopped. The page and the command say the same.

use racescope_engine::explore::{Bounds, Mark, Stop, patient};
use racescope_engine::sim::{Fault, Granularity, NodeIndex, Scenario};

use super::kinds::FaultKind;

/// Under what every count holds: "2 clients; processes may pause; at most 2 leases end
/// early; a call is one action".
pub fn what_is_assumed(scenario: &Scenario, bounds: &Bounds) -> String {
    let clients = counted(&scenario.clients().count().to_string(), "client");
    let waits = if patient(scenario).is_some() { "; who finds the lock taken waits for it" } else { "" };
    let bounds = bounds.of(&what_may_forget(scenario));
    format!("{clients}; {bounds}; {}{waits}", granularity(scenario.granularity))
}

/// The names of what can forget all that it knows: "Redis or memcached". Plain storage
/// can't, and neither can a client.
fn what_may_forget(scenario: &Scenario) -> String {
    let may_forget = |&node: &NodeIndex| FaultKind::StateLoss.suits(scenario, node);
    let titles: Vec<&str> =
        scenario.indices().filter(may_forget).map(|node| scenario.nodes[usize::from(node)].title.as_str()).collect();
    if titles.is_empty() { "a service".to_string() } else { titles.join(" or ") }
}

/// Why there are faults that aren't assumed, if there are any.
pub fn beyond_what_is_assumed(faults: &[Fault], bounds: &Bounds) -> Option<&'static str> {
    let mut extra = faults.iter().filter(|fault| !bounds.assumes(fault)).peekable();
    extra.peek()?;
    Some(if extra.any(|fault| matches!(fault, Fault::ClockStep(_) | Fault::ClockRate(_))) {
        "No times were found for this order of timers with right clocks: the clock is wrong although that isn’t assumed."
    } else {
        "What stands still or is late without being assumed only brings the order about: every order of steps and \
         messages is counted, however long each takes."
    })
}

/// How much of a call is one action.
pub fn granularity(granularity: Granularity) -> &'static str {
    match granularity {
        Granularity::Call => "a call is one action",
        Granularity::ServeDeliver => "a call is two actions: serve, deliver",
        Granularity::SendServeDeliver => "a call is three actions: send, serve, deliver",
    }
}

/// What a schedule shows, in a few words.
pub fn mark(mark: Mark) -> &'static str {
    match mark {
        Mark::StaleWriteAccepted => "stale write accepted",
        Mark::StaleWriteRefused => "stale write refused",
        Mark::LostUpdate => "update lost",
        Mark::OverlapOfBelief => "two believe that they hold the lock",
        Mark::TokenRegression => "token went back",
        Mark::GaveUp => "client gave up",
        Mark::NoProgress => "client waits for ever",
        Mark::Aba => "change and change back unnoticed",
        Mark::StaleCacheEntry => "stale cache entry",
        Mark::StaleCacheEntryStays => "stale cache entry stays",
        Mark::LimitExceeded => "limit exceeded",
        Mark::SegmentSkipped => "segment skipped",
        Mark::ForgedGrantAccepted => "forged grant accepted",
    }
}

/// What schedules of one outcome show: "stale write accepted, update lost".
pub fn marks(marks: &[Mark]) -> String {
    if marks.is_empty() {
        return "nothing of this".to_string();
    }
    marks.iter().map(|&shown| mark(shown)).collect::<Vec<_>>().join(", ")
}

/// Why a search was stopped after so many states.
pub fn why_stopped(stop: Stop, states: usize) -> String {
    let states = counted(&states.to_string(), "state");
    match stop {
        Stop::States => format!("it may meet no more than {states}"),
        Stop::Memory => {
            format!("{states} took all the memory that {} may", if states == "1 state" { "it" } else { "they" })
        }
        Stop::Length => "a schedule takes more actions than can be counted".to_string(),
        Stop::Cancelled => format!("the search was stopped after {states}"),
        Stop::Endless => "a loop can go round for ever, so that there is no number of schedules".to_string(),
        Stop::TooManyServers => "it has more storages or lock services than a search can watch".to_string(),
        Stop::TellsTime => "a client is told how much time is left, which only a run in time can say".to_string(),
        Stop::Unexpected => "a program gets an answer that it doesn't know".to_string(),
    }
}

/// The share of what there is in percent, rounded down: "26.5 %". What is there is never
/// told as nothing.
pub fn percent(per_million: u32) -> String {
    let thousandths = per_million / 1_000;
    if thousandths == 0 { "under 0.1 %".to_string() } else { format!("{}.{} %", thousandths / 10, thousandths % 10) }
}

/// So many of something that takes an s: "1 state", "4,846 schedules".
pub fn counted(digits: &str, one: &str) -> String {
    format!("{} {one}{}", grouped(digits), if digits == "1" { "" } else { "s" })
}

/// A number of schedules where there is little room: exact with up to seven digits, and
/// else rounded to three, such as "9.78 × 10¹¹".
pub fn rounded(digits: &str) -> String {
    const EXACT: usize = 7;
    let Some(power) = digits.len().checked_sub(1).filter(|_| digits.len() > EXACT) else { return grouped(digits) };
    let rounded = digits[..4].parse::<u32>().map_or(0, |first| (first + 5) / 10);
    // Rounding 9.996 makes it 10.00.
    let (rounded, power) = if rounded == 1_000 { (100, power + 1) } else { (rounded, power) };
    let raise = |digit: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit.to_digit(10)? as usize);
    let raised: String = power.to_string().chars().filter_map(raise).collect();
    format!("{}.{:02} × 10{raised}", rounded / 100, rounded % 100)
}

/// Digits in groups of three: "720,393,048".
pub fn grouped(digits: &str) -> String {
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_from_the_right() {
        assert_eq!(["7", "1288", "720393048"].map(grouped), ["7", "1,288", "720,393,048"]);
    }

    #[test]
    fn many_digits_are_rounded_to_three() {
        let told = ["4846", "9999999", "10000000", "978034284176", "99960000000"].map(rounded);
        assert_eq!(told, ["4,846", "9,999,999", "1.00 × 10⁷", "9.78 × 10¹¹", "1.00 × 10¹¹"]);
    }

    #[test]
    fn one_is_told_as_one_and_little_never_as_nothing() {
        assert_eq!(["0", "1", "4846"].map(|digits| counted(digits, "state")), ["0 states", "1 state", "4,846 states"]);
        assert_eq!([0, 999, 1_000, 265_786].map(percent), ["under 0.1 %", "under 0.1 %", "0.1 %", "26.5 %"]);
    }

    #[test]
    fn a_search_that_stopped_says_why() {
        let told = [Stop::States, Stop::Memory].map(|stop| why_stopped(stop, 1_234_567));
        let expected =
            ["it may meet no more than 1,234,567 states", "1,234,567 states took all the memory that they may"];
        assert_eq!(told, expected);
    }
}
