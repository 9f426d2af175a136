//! One event in words.

use racescope_engine::sim::{
    Change, Comparison, Event, Fault, Guard, Leg, NodeIndex, NodeKind, Outcome, Relation, Request, Scenario, Trace,
    What,
};

use super::names::{comparison, duration, lasting, leg, letter, rate_of, time};

/// What happened, as a clause whose subject is the lane: "grants 33 to A for 3 s".
pub fn sentence(scenario: &Scenario, trace: &Trace, event: &Event) -> String {
    match event.what {
        What::Change(change) => with_words(trace, event, of_change(scenario, trace, event, change)),
        What::FaultBegins(place) => {
            trace.faults.get(usize::from(place)).map_or_else(String::new, |fault| begins(scenario, fault))
        }
        What::FaultEnds(place) => {
            trace.faults.get(usize::from(place)).map_or_else(String::new, |fault| ends(scenario, fault))
        }
    }
}

/// A clause with what a real system was told or has answered.
fn with_words(trace: &Trace, event: &Event, clause: String) -> String {
    match trace.said(event) {
        Some(words) if !words.is_empty() => format!("{clause}: {words}"),
        _ => clause,
    }
}

/// In whose call something happened; what follows from something is in its call.
fn client_of(trace: &Trace, event: &Event) -> Option<NodeIndex> {
    let mut event = event;
    while event.client.is_none() {
        event = trace.event(event.cause?);
    }
    event.client
}

fn of_change(scenario: &Scenario, trace: &Trace, event: &Event, change: Change) -> String {
    let client = client_of(trace, event).map_or_else(String::new, |client| letter(scenario, client));
    match change {
        Change::Sent { server, request, token } => asks(scenario, server, request, token),
        Change::Computed { .. } => "computes its result".to_string(),
        Change::Compared { value, with } if value < with => format!("finds {value}, which is below {with}"),
        Change::Compared { value, with } => format!("finds {value}, which is not below {with}"),
        Change::Waited => "has waited".to_string(),
        // Not every answer of a real system is a value.
        Change::Learned { outcome: Outcome::Done, token: 0, server } if scenario.role(server).is_some() => {
            "has the answer".to_string()
        }
        // Nobody answers for a lock that stands on others: the client concludes it.
        Change::Learned { outcome: Outcome::Lost, token, server } if scenario.stands_on_others(server) => {
            format!("believes no more that it holds {token}")
        }
        Change::Learned { outcome, token, .. } => learns(outcome, token),
        Change::Finished => "has finished".to_string(),
        Change::Stopped => "gives up".to_string(),
        Change::Granted { token, ttl_us: 0 } => format!("grants {token} to {client}"),
        Change::Granted { token, ttl_us } => format!("grants {token} to {client} for {}", duration(ttl_us)),
        Change::Busy { holder, token } => {
            format!("refuses {client}: {} holds {token}", letter(scenario, holder))
        }
        Change::StillHeld { token } => format!("tells {client} that {token} is still held"),
        Change::NotHeld { token: 0 } => format!("tells {client} that the lock isn’t its own"),
        Change::NotHeld { token } => format!("tells {client} that {token} isn’t the lease that is held"),
        Change::Renewed { token, ttl_us: 0 } => format!("keeps {token} for {client}"),
        Change::Renewed { token, ttl_us } => format!("gives {token} a new term of {}", duration(ttl_us)),
        Change::Freed { .. } if scenario.is_member(event.actor) => format!("is free: {client} gave it back"),
        Change::Freed { token } => format!("is free: {client} gave {token} back"),
        Change::Expired { client, .. } if scenario.is_member(event.actor) => {
            format!("ends {}’s lease, by its own clock", letter(scenario, client))
        }
        Change::Expired { client, token } => {
            format!("ends {}’s lease {token}, by its own clock", letter(scenario, client))
        }
        Change::Broken { client, token } => {
            format!("is free: an operator broke {}’s lease {token}", letter(scenario, client))
        }
        Change::Forgotten { next: None } => "forgets all that it knew".to_string(),
        Change::Forgotten { next: Some(next) } => {
            format!("forgets its holder and its counter, and will grant {next} next")
        }
        Change::Lost { leg: Leg::Request, server } => {
            format!("has its request to {} lost on the way", named(scenario, server))
        }
        Change::Lost { leg: Leg::Reply, .. } => format!("has its reply to {client} lost on the way"),
        Change::Duplicated { server } => {
            format!("has its request to {} doubled on the way", named(scenario, server))
        }
        Change::Crashed { keeps_memory: true } => "crashes, and keeps its memory".to_string(),
        Change::Crashed { keeps_memory: false } => "crashes, and loses its memory".to_string(),
        Change::Restarted => "starts again".to_string(),
        Change::Saved => "has its state copied aside".to_string(),
        Change::LockRestored { holder, next } => {
            format!("has its older state back: {}, and it will grant {next} next", held(scenario, holder))
        }
        Change::StorageRestored { version, .. } => format!("has its older state back: v{version}"),
        Change::Read { version, .. } => format!("gives v{version} to {client}"),
        Change::Accepted { token, version, comparison, .. } => {
            let because = comparison.map_or_else(String::new, |made| format!(", since {made}"));
            format!("accepts {client}’s write{}{because}: v{version}", with(token))
        }
        Change::Pending { token, .. } => {
            format!("takes {client}’s write{}, which others don’t see until it is committed", with(token))
        }
        Change::EffectPending { promised: false, .. } => {
            format!("notes it for {client}: it counts once it is committed")
        }
        Change::EffectPending { .. } => format!("notes the promise to {client}: it counts once it is committed"),
        Change::Undone { client } => undone(scenario, event.actor, client),
        Change::Refused { token, comparison: made, .. } => {
            format!(
                "refuses {client}’s write{}: {}{}",
                with(token),
                comparison(made),
                refusal(scenario, event.actor, token, made)
            )
        }
        Change::Answered { outcome } => answers(outcome, &client),
        Change::Waits => format!("keeps the command of {client} for now"),
        Change::Passed { client, .. } if scenario.is_member(event.actor) => {
            format!("now has {} as its holder", letter(scenario, client))
        }
        Change::Passed { client, token } => format!("now has {} as its holder, with {token}", letter(scenario, client)),
        Change::Filled { version, newest } => filled(version, newest, event.client.map(|_| client.as_str())),
        Change::NotFilled { version, .. } => format!("doesn’t take v{version} from {client}"),
        Change::Emptied if event.client.is_some() => "has no entry now".to_string(),
        Change::Emptied => "has no entry any more".to_string(),
        Change::CaughtUp { version } => format!("has caught up with v{version}"),
        Change::Effected { count: 1, .. } => format!("does it for {client}, for the first time"),
        Change::Effected { count, .. } => format!("does it for {client}: {count} times by now"),
        Change::NotEffected { .. } => format!("doesn’t do it for {client}"),
        Change::Promised { count, .. } => format!("promises it to {client}: {count} promised by now"),
        Change::DeadlineSet => "notes a deadline on its own clock".to_string(),
        Change::DeadlinePassed => "is past its deadline, whether or not it looks".to_string(),
        Change::LeaderChanged => "has another leader".to_string(),
        Change::Segment { number, after, accepted } => segment(number, after, accepted),
    }
}

/// A segment that a server took or didn't take, and the last one that it had.
fn segment(number: u16, after: u16, accepted: bool) -> String {
    match (after, accepted) {
        (0, true) => format!("has segment {number} as its first one"),
        (_, true) => format!("has segment {number} now, after {after}"),
        (0, false) => format!("has no segment yet, so it doesn’t take {number}"),
        (_, false) => format!("still has {after} as its last segment, not {number}"),
    }
}

/// What an entry holds now: a client has filled it, or nobody, when an older state came back.
fn filled(version: u16, newest: u16, client: Option<&str>) -> String {
    let taken = match client {
        Some(client) => format!("takes v{version} from {client}"),
        None => format!("has v{version} again"),
    };
    if version < newest { format!("{taken}, although v{newest} is there") } else { taken }
}

/// Who holds a lock.
fn held(scenario: &Scenario, holder: Option<(NodeIndex, u16)>) -> String {
    holder.map_or_else(
        || "nobody holds it".to_string(),
        |(client, token)| format!("{} holds {token}", letter(scenario, client)),
    )
}

/// What a server answers, where nothing that is judged has changed.
fn answers(outcome: Outcome, client: &str) -> String {
    match outcome {
        Outcome::Unexpected => format!("answers {client} with something that its program doesn’t know"),
        Outcome::Refused | Outcome::Busy | Outcome::Lost => format!("answers {client} with no"),
        _ => format!("answers {client}"),
    }
}

fn asks(scenario: &Scenario, server: NodeIndex, request: Request, token: u16) -> String {
    let of = named(scenario, server);
    match request {
        Request::Acquire { .. } if !expires(scenario, server) => format!("asks {of} for the lock"),
        Request::Acquire { ttl_us, .. } => format!("asks {of} for a lease of {}", duration(ttl_us)),
        Request::Check { .. } => format!("asks {of} whether {token} is still held"),
        Request::Renew { .. } => format!("asks {of} for a new term of {token}"),
        Request::Release { .. } => format!("gives {token} back to {of}"),
        Request::Read { .. } => format!("asks {of} for the value"),
        Request::Write { .. } => format!("sends its write{} to {of}", with(token)),
        Request::Command { .. } => format!("says to {}", scenario.nodes[usize::from(server)].title),
    }
}

/// Whether the leases of a lock service end by themselves.
fn expires(scenario: &Scenario, lock: NodeIndex) -> bool {
    !matches!(&scenario.nodes[usize::from(lock)].kind, NodeKind::Lock(lock) if !lock.expires)
}

/// A server inside of a sentence: "the storage", but "Redis 4".
fn named(scenario: &Scenario, server: NodeIndex) -> String {
    let title = &scenario.nodes[usize::from(server)].title;
    if scenario.role(server).is_some() { title.clone() } else { format!("the {}", title.to_lowercase()) }
}

fn learns(outcome: Outcome, token: u16) -> String {
    match outcome {
        Outcome::Done if token == 0 => "has the value".to_string(),
        Outcome::Done => format!("is told that {token} is given back"),
        Outcome::Granted => format!("holds {token}, and believes so"),
        Outcome::Busy => "is told that the lock is taken".to_string(),
        // A row in a transaction is held without a token.
        Outcome::Held if token == 0 => "is told that it holds the row".to_string(),
        Outcome::Held => format!("is told that it still holds {token}"),
        Outcome::Lost if token == 0 => "is told that the lock isn’t its own".to_string(),
        Outcome::Lost => format!("is told that {token} was over"),
        Outcome::Accepted => "is told that its write succeeded".to_string(),
        Outcome::Refused => "is told that its write was refused".to_string(),
        Outcome::Below | Outcome::AtLeast => "has compared".to_string(),
        Outcome::TimedOut => "stops waiting, and doesn’t know what happened".to_string(),
        Outcome::Hit => "has found an entry".to_string(),
        Outcome::Miss => "has found no entry".to_string(),
        Outcome::Unknown => "is told that nobody knows what happened".to_string(),
        Outcome::InTime => "finds its deadline still ahead".to_string(),
        Outcome::Late => "finds that its deadline has passed".to_string(),
        Outcome::Unexpected => "doesn’t know this answer, and gives up".to_string(),
        Outcome::Exhausted => "has tried as often as it may".to_string(),
    }
}

fn begins(scenario: &Scenario, fault: &Fault) -> String {
    match *fault {
        Fault::Pause(pause) => format!("pauses for {}", lasting(pause.lasts_us)),
        Fault::ClockStep(step) if step.by_us < 0 => {
            format!("has its clock set back by {}", lasting(step.by_us.unsigned_abs()))
        }
        Fault::ClockStep(step) => format!("has its clock set forward by {}", lasting(step.by_us.unsigned_abs())),
        Fault::ClockRate(rate) => format!("has its clock run at {}", rate_of(rate.rate_ppm)),
        Fault::MessageDelay(delay) => format!("has a message that is late by {}", lasting(delay.by_us)),
        Fault::Crash(crash) => format!("is down for {}", lasting(crash.lasts_us)),
        Fault::MessageLoss(loss) => format!("has a {} that won’t arrive", leg(loss.leg)),
        Fault::MessageDuplicate(copy) => format!("has a request that arrives again {} later", lasting(copy.by_us)),
        Fault::Partition(cut) => {
            let cuts = if cut.one_way { "can’t reach" } else { "is cut off from" };
            format!("{cuts} {} for {}", letter(scenario, cut.other), lasting(cut.lasts_us))
        }
        Fault::SnapshotRestore(restore) => format!("is set back to its state of {}", time(restore.taken_us)),
        Fault::ForcedUnlock(_) => "is unlocked by an operator, who asks nobody".to_string(),
        Fault::StateLoss(_) => "loses its state".to_string(),
        Fault::MessageReorder(_) => "has a request that the next one overtakes".to_string(),
        Fault::ReplicaLag(lag) => format!("sends nothing to its copies for {}", lasting(lag.lasts_us)),
        Fault::LeaderChange(_) => "changes its leader".to_string(),
    }
}

/// That nobody will see what a client's transaction has done.
fn undone(scenario: &Scenario, server: NodeIndex, client: NodeIndex) -> String {
    let did = if scenario.has_effects(server) { "done" } else { "written" };
    format!("undoes what {} has {did}", letter(scenario, client))
}

fn ends(scenario: &Scenario, fault: &Fault) -> String {
    match fault {
        Fault::Pause(_) => "wakes, and doesn’t notice that time has passed".to_string(),
        Fault::ClockRate(_) => "has its clock run at true speed again".to_string(),
        Fault::Crash(_) => "is no longer down".to_string(),
        Fault::Partition(cut) => format!("can reach {} again", letter(scenario, cut.other)),
        Fault::ReplicaLag(_) => "sends to its copies again".to_string(),
        _ => String::new(),
    }
}

/// One event in a few words that name their subject, for a chain of causes: "lease 33 ends".
pub fn short(scenario: &Scenario, trace: &Trace, event: &Event) -> String {
    let actor = letter(scenario, event.actor);
    let client = client_of(trace, event).map_or_else(|| actor.clone(), |client| letter(scenario, client));
    match event.what {
        What::FaultBegins(place) => match trace.faults.get(usize::from(place)) {
            Some(Fault::Pause(_)) => format!("{actor} pauses"),
            Some(Fault::MessageDelay(_)) => format!("a message of {actor} is late"),
            Some(Fault::Crash(_)) => format!("{actor} crashes"),
            Some(Fault::MessageLoss(loss)) => format!("a {} of {actor} won’t arrive", leg(loss.leg)),
            Some(Fault::MessageDuplicate(_)) => format!("a request of {actor} will come twice"),
            Some(Fault::Partition(cut)) => format!("{actor} and {} are cut off", letter(scenario, cut.other)),
            Some(Fault::SnapshotRestore(_)) => format!("{actor} is set back"),
            Some(Fault::ForcedUnlock(_)) => "an operator steps in".to_string(),
            Some(Fault::StateLoss(_)) => format!("{actor} loses its state"),
            Some(Fault::MessageReorder(_)) => format!("a request of {actor} is overtaken"),
            Some(Fault::ReplicaLag(_)) => format!("the copies of {actor} lag"),
            Some(Fault::LeaderChange(_)) => format!("{actor} changes its leader"),
            Some(Fault::ClockStep(_) | Fault::ClockRate(_)) | None => format!("the clock of {actor} goes wrong"),
        },
        What::FaultEnds(place) => match trace.faults.get(usize::from(place)) {
            Some(Fault::Crash(_)) => format!("{actor} is up again"),
            Some(Fault::Partition(_)) => format!("{actor} is no longer cut off"),
            Some(Fault::ReplicaLag(_)) => format!("the copies of {actor} catch up"),
            _ => format!("{actor} wakes"),
        },
        What::Change(change) => match change {
            Change::Granted { token, .. } => format!("{client} gets {token}"),
            Change::Expired { token, .. } => format!("lease {token} ends"),
            Change::Passed { client, token } => format!("{} gets {token}", letter(scenario, client)),
            Change::Filled { version, .. } if event.client.is_none() => format!("{actor} has v{version} again"),
            Change::Filled { version, .. } => format!("{client} puts v{version} into {actor}"),
            Change::NotFilled { version, .. } => format!("{actor} doesn’t take {client}’s v{version}"),
            Change::Effected { count, .. } => format!("{client} does it, number {count}"),
            Change::NotEffected { .. } => format!("it isn’t done for {client}"),
            Change::DeadlinePassed => format!("{actor}’s deadline passes"),
            Change::Freed { token } => format!("{client} gives {token} back"),
            Change::Read { version, .. } => format!("{client} reads v{version}"),
            Change::Accepted { version, token, .. } => format!("{client}’s v{version}{} is accepted", with(token)),
            Change::Pending { token, .. } => format!("{client} writes{}, uncommitted", with(token)),
            Change::EffectPending { promised, .. } => {
                format!("{client} {}, uncommitted", if promised { "is promised it" } else { "does it" })
            }
            Change::Undone { client } if scenario.has_effects(event.actor) => {
                format!("what {} did is undone", letter(scenario, client))
            }
            Change::Undone { client } => format!("{}’s write is undone", letter(scenario, client)),
            Change::Refused { token, comparison: made, .. } => {
                format!("{client}’s write{} is refused, {}", with(token), comparison(made))
            }
            Change::Learned { outcome: Outcome::Granted, token, .. } => format!("{client} believes it holds {token}"),
            Change::Learned { outcome: Outcome::TimedOut, .. } => format!("{client} stops waiting"),
            Change::Sent { .. } if event.client.is_some() => format!("{client} sends"),
            Change::Broken { token, .. } => format!("an operator breaks lease {token}"),
            Change::Forgotten { next: None } => format!("{actor} forgets"),
            Change::Forgotten { next: Some(next) } => format!("{actor} forgets, next is {next}"),
            Change::Lost { leg: of, .. } => format!("a {} of {client} is lost", leg(of)),
            Change::Duplicated { .. } => format!("a request of {client} is doubled"),
            Change::Crashed { .. } => format!("{actor} crashes"),
            Change::Restarted => format!("{actor} starts again"),
            Change::Saved => format!("{actor} is copied aside"),
            Change::LockRestored { next, .. } => format!("{actor} is set back, next is {next}"),
            Change::StorageRestored { version, .. } => format!("{actor} is set back to v{version}"),
            _ => format!("{actor} {}", sentence(scenario, trace, event)),
        },
    }
}

fn with(token: u16) -> String {
    if token == 0 { String::new() } else { format!(" with {token}") }
}

/// What the compared numbers are, once, where the reader may not know.
fn refusal(scenario: &Scenario, storage: NodeIndex, token: u16, made: Comparison) -> &'static str {
    match &scenario.nodes[usize::from(storage)].kind {
        NodeKind::Storage(storage) if storage.guard == Guard::VersionCompareAndSet => {
            ", the version that it read is gone"
        }
        NodeKind::Storage(storage) if storage.guard.keeps_fence() && token == 0 => ", it carries no token",
        NodeKind::Storage(storage) if storage.guard.keeps_fence() && made.relation == Relation::Equal => {
            ", this token has written before"
        }
        NodeKind::Storage(storage) if storage.guard.keeps_fence() => ", a newer token was here",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_has_a_token_only_if_it_is_a_lease() {
        assert_eq!(learns(Outcome::Held, 33), "is told that it still holds 33");
        assert_eq!(learns(Outcome::Held, 0), "is told that it holds the row");
    }
}
