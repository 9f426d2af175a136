//! Faults from text, and events as text.
//!
//! An event reads `#12 6.15 Storage accepted A v9 over v8 (read v7) token 33 (#11)`:
//! its place and second, where it happened, what, and the place of its cause.

use racescope_engine::sim::{
    Change, ClockRate, ClockStep, Crash, Event, EventIndex, Fault, ForcedUnlock, Leg, MessageDelay, MessageDuplicate,
    MessageLoss, MessageReorder, NodeIndex, NodeKind, Outcome, Partition, Pause, Request, Scenario, SnapshotRestore,
    StateLoss, Trace, Waking, What,
};

/// Reads faults, one a line.
pub fn faults(text: &str) -> Vec<Fault> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(fault).collect()
}

/// Reads a fault, such as `pause A 1.5 s for 4.2 s`, `loss A 2 reply` or
/// `partition A storage 1.5 s for 1 s one-way`.
fn fault(line: &str) -> Fault {
    let words: Vec<&str> = line.split(' ').filter(|&word| word != "s").collect();
    let us = |place: usize| (words[place].parse::<f64>().expect("seconds") * 1e6).round() as i64;
    let at = |place| us(place).unsigned_abs();
    let has = |word| words.contains(&word);
    let node_of = node;
    let node = node_of(words[1]);
    let call = || words[2].parse().expect("a call");
    let leg = || if words[3] == "request" { Leg::Request } else { Leg::Reply };
    match words[0] {
        "pause" => {
            let on_waking = if has("deadlines-first") { Waking::Deadlines } else { Waking::Messages };
            Fault::Pause(Pause { node, at_us: at(2), lasts_us: at(4), on_waking })
        }
        "step" => Fault::ClockStep(ClockStep { node, at_us: at(2), by_us: us(4) }),
        "rate" => {
            let rate_ppm = words[6].parse().expect("parts per million");
            Fault::ClockRate(ClockRate { node, at_us: at(2), lasts_us: at(4), rate_ppm })
        }
        "delay" => Fault::MessageDelay(MessageDelay { node, call: call(), leg: leg(), by_us: at(5) }),
        "crash" => Fault::Crash(Crash { node, at_us: at(2), lasts_us: at(4), keeps_memory: has("with-memory") }),
        "loss" => Fault::MessageLoss(MessageLoss { node, call: call(), leg: leg() }),
        "duplicate" => Fault::MessageDuplicate(MessageDuplicate { node, call: call(), by_us: at(4) }),
        "partition" => {
            let other = node_of(words[2]);
            Fault::Partition(Partition { node, other, at_us: at(3), lasts_us: at(5), one_way: has("one-way") })
        }
        "restore" => Fault::SnapshotRestore(SnapshotRestore { node, at_us: at(2), taken_us: at(4) }),
        "unlock" => Fault::ForcedUnlock(ForcedUnlock { node, at_us: at(2) }),
        "overtaken" => Fault::MessageReorder(MessageReorder { node, call: call() }),
        "forget" => Fault::StateLoss(StateLoss { node, at_us: at(2) }),
        other => panic!("{other} is no fault"),
    }
}

fn node(name: &str) -> NodeIndex {
    ["A", "B", "lock", "storage", "nobody"].iter().position(|&known| known == name).expect("a node") as NodeIndex
}

/// An event as one line.
pub fn line(scenario: &Scenario, run: &Trace, index: EventIndex) -> String {
    let event = run.event(index);
    let at = seconds(event.at_us);
    let cause = event.cause.map_or(String::new(), |cause| format!(" (#{cause})"));
    format!("#{index} {at} {} {}{cause}\n", lane(scenario, event.actor), what(scenario, run, event))
}

/// Seconds with the digits that are needed: `0.15`, `4`.
fn seconds(us: u64) -> String {
    let digits = format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
    digits.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn lane(scenario: &Scenario, node: NodeIndex) -> String {
    match &scenario.nodes[usize::from(node)].kind {
        NodeKind::Client(client) => client.letter.to_string(),
        NodeKind::Lock(_) => "Lock".into(),
        NodeKind::Storage(_) => "Storage".into(),
        NodeKind::System(_) | NodeKind::Part(_) => scenario.nodes[usize::from(node)].title.clone(),
    }
}

fn what(scenario: &Scenario, run: &Trace, event: &Event) -> String {
    let change = match event.what {
        What::Change(change) => change,
        What::FaultBegins(place) => return format!("{} begins", trouble(&run.faults[usize::from(place)])),
        What::FaultEnds(place) => return format!("{} ends", trouble(&run.faults[usize::from(place)])),
    };
    let who = event.client.map_or(String::new(), |client| lane(scenario, client));
    match change {
        Change::Sent { server, request, token } => {
            let verb = verb(request);
            let travels = event.arrives_us > 0;
            let arrives = if travels { format!(", there at {}", seconds(event.arrives_us)) } else { String::new() };
            format!("sent {verb}{} to {}{arrives}", with(token), lane(scenario, server))
        }
        Change::Computed { value } => format!("computed {value}"),
        Change::Compared { value, with } => format!("compared {value} with {with}"),
        Change::Waited => "waited".into(),
        Change::Learned { outcome, token, .. } => format!("learned {}{}", told(outcome), with(token)),
        Change::Finished => "finished".into(),
        Change::Stopped => "stopped".into(),
        Change::Granted { token, ttl_us } => format!("granted {who} token {token} for {}", seconds(ttl_us)),
        Change::Busy { holder, token } => format!("told {who} busy, {} holds token {token}", lane(scenario, holder)),
        Change::StillHeld { token } => format!("told {who} held{}", with(token)),
        Change::NotHeld { token } => format!("told {who} not held{}", with(token)),
        Change::Renewed { token, ttl_us } => format!("renewed {who} token {token} for {}", seconds(ttl_us)),
        Change::Freed { token } => format!("freed by {who} token {token}"),
        Change::Expired { client, token } => format!("ended the lease of {} token {token}", lane(scenario, client)),
        Change::Broken { client, token } => format!("lost the lease of {} token {token}", lane(scenario, client)),
        Change::Forgotten { next: None } => "forgot everything".into(),
        Change::Forgotten { next: Some(next) } => format!("forgot everything, next token {next}"),
        Change::Lost { leg, server } => {
            let (from, to) = match leg {
                Leg::Request => ("the request to ", lane(scenario, server)),
                Leg::Reply => ("the reply to ", who),
            };
            format!("lost {from}{to}")
        }
        Change::Duplicated { server } => {
            format!("doubled the request to {}, there at {}", lane(scenario, server), seconds(event.arrives_us))
        }
        Change::Crashed { keeps_memory } => {
            format!("crashed, {} memory", if keeps_memory { "with" } else { "without" })
        }
        Change::Restarted => "started again".into(),
        Change::Saved => "copied its state aside".into(),
        Change::LockRestored { holder, next } => {
            let held =
                holder.map_or("free".into(), |(client, token)| format!("{} token {token}", lane(scenario, client)));
            format!("restored: {held}, next token {next}")
        }
        Change::StorageRestored { version, fence } => format!("restored: v{version}, fence {fence}"),
        Change::Read { version, value } => format!("read by {who} v{version} = {value}"),
        Change::Pending { token, based_on } => format!("pending, token {token}, based on {based_on}"),
        Change::EffectPending { of, promised } => {
            format!("{} {of} pending", if promised { "promise" } else { "effect" })
        }
        Change::Undone { client } => format!("undone for {client}"),
        Change::Accepted { token, based_on, replaced, version, comparison, .. } => {
            let because = comparison.map_or(String::new(), |comparison| format!(": {comparison}"));
            format!("accepted {who} v{version} over v{replaced} (read v{based_on}){}{because}", with(token))
        }
        Change::Refused { token, based_on, comparison } => {
            format!("refused {who} (read v{based_on}){}: {comparison}", with(token))
        }
        Change::Answered { outcome } => format!("answered {who}: {}", told(outcome)),
        Change::Waits => format!("keeps the command of {who}"),
        Change::Passed { client, token } => format!("passed to {} token {token}", lane(scenario, client)),
        Change::Filled { version, newest } => format!("filled by {who} with v{version} of v{newest}"),
        Change::NotFilled { version, newest } => format!("not filled by {who} with v{version} of v{newest}"),
        Change::Emptied => "emptied".into(),
        Change::CaughtUp { version } => format!("caught up with v{version}"),
        Change::Effected { count, .. } => format!("effect {count} of {who}"),
        Change::NotEffected { .. } => format!("no effect for {who}"),
        Change::Promised { count, .. } => format!("promise {count} to {who}"),
        Change::DeadlineSet => "noted a deadline".into(),
        Change::DeadlinePassed => "let its deadline pass".into(),
        Change::LeaderChanged => "changed its leader".into(),
        Change::Segment { number, after, accepted: true } => format!("has segment {number} after {after}"),
        Change::Segment { number, after, accepted: false } => format!("has no segment {number} after {after}"),
    }
}

fn with(token: u16) -> String {
    if token == 0 { String::new() } else { format!(" token {token}") }
}

fn verb(request: Request) -> &'static str {
    match request {
        Request::Acquire { .. } => "acquire",
        Request::Check { .. } => "check",
        Request::Renew { .. } => "renew",
        Request::Release { .. } => "release",
        Request::Read { .. } => "read",
        Request::Write { .. } => "write",
        Request::Command { .. } => "command",
    }
}

fn told(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Granted => "granted",
        Outcome::Busy => "busy",
        Outcome::Held => "held",
        Outcome::Lost => "lost",
        Outcome::Accepted => "accepted",
        Outcome::Refused => "refused",
        Outcome::TimedOut => "nothing in time",
        Outcome::Below => "below",
        Outcome::AtLeast => "at least",
        Outcome::Hit => "hit",
        Outcome::Miss => "miss",
        Outcome::Unknown => "unknown",
        Outcome::InTime => "in time",
        Outcome::Late => "late",
        Outcome::Unexpected => "something unexpected",
        Outcome::Exhausted => "no try left",
    }
}

fn trouble(fault: &Fault) -> &'static str {
    match fault {
        Fault::Pause(_) => "pause",
        Fault::ClockStep(_) => "clock step",
        Fault::ClockRate(_) => "clock rate",
        Fault::MessageDelay(_) => "late message",
        Fault::Crash(_) => "crash",
        Fault::MessageLoss(_) => "lost message",
        Fault::MessageDuplicate(_) => "doubled message",
        Fault::Partition(_) => "partition",
        Fault::SnapshotRestore(_) => "restore",
        Fault::ForcedUnlock(_) => "forced unlock",
        Fault::StateLoss(_) => "state loss",
        Fault::MessageReorder(_) => "overtaken message",
        Fault::ReplicaLag(_) => "replica lag",
        Fault::LeaderChange(_) => "leader change",
    }
}
