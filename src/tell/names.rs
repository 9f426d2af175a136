//! Names, numbers and times as people read them.

use racescope_engine::sim::{Comparison, Fault, Leg, NodeIndex, Scenario, Waking};

/// The pages that the site has beside its lessons: their folders and their names.
pub const PARTS: [(&str, &str); 3] =
    [("matrix", "Safety matrix"), ("gate", "Release gate"), ("voucher", "Voucher race")];

/// A moment or a duration with its unit: "6.00 s".
pub fn time(us: u64) -> String {
    format!("{} s", seconds(us))
}

/// A moment in seconds with two digits, rounded: "6.00".
pub fn seconds(us: u64) -> String {
    let hundredths = (us + 5_000) / 10_000;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// A duration in the unit that suits it, without needless digits: "3 s", "250 ms".
pub fn duration(us: u64) -> String {
    let (unit_us, unit) = match us {
        0 => (1_000_000, "s"),
        _ if us >= 100_000 => (1_000_000, "s"),
        _ if us >= 1_000 => (1_000, "ms"),
        _ => (1, "µs"),
    };
    in_unit(us, unit_us, unit)
}

/// A duration in a unit of so many microseconds, without needless digits.
pub(super) fn in_unit(us: u64, unit_us: u64, unit: &str) -> String {
    let digits = format!("{:06}", us % unit_us * (1_000_000 / unit_us));
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("{}{point}{digits} {unit}", us / unit_us)
}

/// How long something lasts: "4.20 s", and in a finer unit what two digits don't show.
pub fn lasting(us: u64) -> String {
    if us < 10_000 { duration(us) } else { time(us) }
}

/// What stands for a node where space is short: a client's letter, or its title.
pub fn letter(scenario: &Scenario, node: NodeIndex) -> String {
    match scenario.client(node) {
        Some(client) => client.letter.to_string(),
        None => title(scenario, node),
    }
}

/// Where an event happens, as the list of events names it: "A", "Lock", "Storage".
pub fn place(scenario: &Scenario, node: NodeIndex) -> String {
    let name = letter(scenario, node);
    match name.split_once(' ') {
        Some((first, "service")) => first.to_string(),
        _ => name,
    }
}

fn title(scenario: &Scenario, node: NodeIndex) -> String {
    scenario.nodes.get(usize::from(node)).map_or_else(|| "nobody".to_string(), |node| node.title.clone())
}

/// A comparison as it is spelled out: "33 < 34".
pub fn comparison(comparison: Comparison) -> String {
    comparison.to_string()
}

/// What a fault does, in a clause: "A stands still from 1.50 s for 4.20 s".
pub fn clause_of_fault(scenario: &Scenario, fault: &Fault) -> String {
    clause(scenario, fault, &ROUNDED)
}

/// The same with all its digits, so that the fault can be made again from it: "A stands
/// still from 1.500012 s for 4.20 s".
pub fn exact_clause_of_fault(scenario: &Scenario, fault: &Fault) -> String {
    let on_waking = match fault {
        Fault::Pause(pause) if pause.on_waking == Waking::Deadlines => {
            ", and looks at its deadline first when it wakes"
        }
        _ => "",
    };
    clause(scenario, fault, &EXACT) + on_waking
}

/// How the numbers of a fault are written.
struct Digits {
    moment: fn(u64) -> String,
    lasting: fn(u64) -> String,
    rate: fn(i32) -> String,
}

const ROUNDED: Digits = Digits { moment: time, lasting, rate: rate_of };

const EXACT: Digits = Digits { moment: exact_time, lasting: exact_time, rate: exact_rate };

/// A time in seconds with two digits, and as many more as it takes: "1.500012 s".
fn exact_time(us: u64) -> String {
    format!("{} s", exactly(us))
}

/// A clock's rate with all its digits: "1.250001× speed".
fn exact_rate(rate_ppm: i32) -> String {
    let ppm = i64::from(rate_ppm) + 1_000_000;
    format!("{}× speed", exactly(ppm.unsigned_abs()))
}

/// So many millionths with at least two digits behind the point.
fn exactly(millionths: u64) -> String {
    let digits = format!("{:06}", millionths % 1_000_000);
    let kept = digits.trim_end_matches('0').len().max(2);
    format!("{}.{}", millionths / 1_000_000, &digits[..kept])
}

fn clause(scenario: &Scenario, fault: &Fault, digits: &Digits) -> String {
    let &Digits { moment: time, lasting, rate: rate_of } = digits;
    let node = letter(scenario, fault.node());
    match *fault {
        Fault::Pause(pause) => {
            format!("{node} stands still from {} for {}", time(pause.at_us), lasting(pause.lasts_us))
        }
        Fault::ClockStep(step) => {
            let way = if step.by_us < 0 { "back" } else { "forward" };
            format!("the clock of {node} jumps {way} by {} at {}", lasting(step.by_us.unsigned_abs()), time(step.at_us))
        }
        Fault::ClockRate(rate) => format!(
            "the clock of {node} runs at {} from {} for {}",
            rate_of(rate.rate_ppm),
            time(rate.at_us),
            lasting(rate.lasts_us)
        ),
        Fault::MessageDelay(delay) => {
            let leg = leg(delay.leg);
            format!("{leg} {} of {node} is late by {}", u32::from(delay.call) + 1, lasting(delay.by_us))
        }
        Fault::Crash(crash) => {
            let memory = if crash.keeps_memory { "with" } else { "without" };
            format!(
                "{node} is down from {} for {}, and comes back {memory} its memory",
                time(crash.at_us),
                lasting(crash.lasts_us)
            )
        }
        Fault::MessageLoss(loss) => format!("{} {} of {node} is lost", leg(loss.leg), u32::from(loss.call) + 1),
        Fault::MessageDuplicate(copy) => {
            format!("request {} of {node} arrives again {} later", u32::from(copy.call) + 1, lasting(copy.by_us))
        }
        Fault::Partition(cut) => {
            let cuts = if cut.one_way { "can’t reach" } else { "is cut off from" };
            let other = letter(scenario, cut.other);
            format!("{node} {cuts} {other} from {} for {}", time(cut.at_us), lasting(cut.lasts_us))
        }
        Fault::SnapshotRestore(restore) => {
            format!("{node} gets its state of {} back at {}", time(restore.taken_us), time(restore.at_us))
        }
        Fault::ForcedUnlock(unlock) => format!("an operator breaks the lease of {node} at {}", time(unlock.at_us)),
        Fault::StateLoss(loss) => format!("{node} forgets its state at {}", time(loss.at_us)),
        Fault::MessageReorder(it) => format!("request {} of {node} is overtaken", u32::from(it.call) + 1),
        Fault::ReplicaLag(lag) => {
            format!("the copies of {node} lag from {} for {}", time(lag.at_us), lasting(lag.lasts_us))
        }
        Fault::LeaderChange(change) => format!("{node} changes its leader at {}", time(change.at_us)),
    }
}

/// A message by its leg.
pub(super) fn leg(leg: Leg) -> &'static str {
    match leg {
        Leg::Request => "request",
        Leg::Reply => "reply",
    }
}

/// A clock's rate against true time: "1.25× speed".
pub fn rate_of(rate_ppm: i32) -> String {
    let hundredths = (i64::from(rate_ppm) + 1_000_000 + 5_000) / 10_000;
    format!("{}.{:02}× speed", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_two_digits() {
        assert_eq!([0, 3_400_001, 3_405_000, 12_000_000].map(time), ["0.00 s", "3.40 s", "3.41 s", "12.00 s"]);
    }

    #[test]
    fn durations_have_the_unit_that_suits_them() {
        assert_eq!([3_000_000, 250_000, 1_250, 7, 0].map(duration), ["3 s", "0.25 s", "1.25 ms", "7 µs", "0 s"]);
    }

    #[test]
    fn what_is_too_short_for_two_digits_has_a_finer_unit() {
        assert_eq!([4_200_000, 10_000, 9_000, 3].map(lasting), ["4.20 s", "0.01 s", "9 ms", "3 µs"]);
    }

    #[test]
    fn what_is_exact_has_as_many_digits_as_it_takes() {
        assert_eq!([1_500_012, 4_200_000, 3].map(exact_time), ["1.500012 s", "4.20 s", "0.000003 s"]);
        assert_eq!([0, 250_001].map(exact_rate), ["1.00× speed", "1.250001× speed"]);
    }

    #[test]
    fn rates_are_factors() {
        assert_eq!([0, 250_000, -500_000].map(rate_of), ["1.00× speed", "1.25× speed", "0.50× speed"]);
    }
}
