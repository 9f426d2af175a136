//! The state at a moment, derived from the run: what clients believe, what the
//! lock services hold, what storage has accepted.

use racescope_engine::check::{Belief, beliefs};
use racescope_engine::sim::{Change, Event, EventIndex, NodeIndex, NodeKind, Role, Scenario, Trace, What};

use super::names::{comparison, letter};

/// The state at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Snapshot {
    /// For each client in order: the token of the lease that it believes to hold, and
    /// whether it does.
    beliefs: Vec<(NodeIndex, Option<(u16, bool)>)>,
    /// For each lock service in order: who holds its lease, with which token.
    holders: Vec<(NodeIndex, Option<(NodeIndex, u16)>)>,
    /// For each storage in order, what it keeps.
    storages: Vec<(NodeIndex, StorageState)>,
    /// The nodes that are down.
    down: Vec<NodeIndex>,
}

/// What a storage keeps at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StorageState {
    /// The version that is there.
    version: u16,
    /// Who wrote it; `None` if it was there from the start.
    writer: Option<NodeIndex>,
    /// The highest token accepted; `None` if the storage doesn't keep it.
    fence: Option<u16>,
    /// Its last answer to a write.
    answer: Option<String>,
}

/// One row of the table of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What the row is about: "A believes".
    pub label: String,
    /// What is so: "holds 33".
    pub value: String,
    /// Whether it is a belief that isn't true.
    pub untrue: bool,
    /// What was so before the events at this moment, if it was something else.
    pub was: Option<String>,
}

/// The state after all events up to a moment, its own included.
fn snapshot(scenario: &Scenario, trace: &Trace, beliefs: &[Belief], at_us: u64) -> Snapshot {
    let mut state = start(scenario);
    let past = trace.events.iter().take_while(|event| event.at_us <= at_us);
    let now = past.map(|event| change(scenario, &mut state, event)).count() as EventIndex;
    for (client, held) in &mut state.beliefs {
        // A thread believes what its process believes.
        let believer = scenario.process(*client);
        let is_open = |belief: &&Belief| {
            belief.client == believer && belief.begins < now && belief.ends.is_none_or(|ends| ends >= now)
        };
        let last = beliefs.iter().rev().find(is_open);
        *held = last.map(|belief| (belief.token, belief.false_from.is_none_or(|parts| parts >= now)));
    }
    state
}

fn start(scenario: &Scenario) -> Snapshot {
    let storage = |node: NodeIndex| match &scenario.nodes[usize::from(node)].kind {
        NodeKind::Storage(storage) => {
            let fence = storage.guard.keeps_fence().then_some(storage.first_fence);
            Some((node, StorageState { version: storage.first_version, writer: None, fence, answer: None }))
        }
        _ => match scenario.role(node)? {
            Role::Data { first_version, .. } => {
                Some((node, StorageState { version: *first_version, writer: None, fence: None, answer: None }))
            }
            Role::Cache { .. } => Some((node, StorageState { version: 0, writer: None, fence: None, answer: None })),
            Role::Server | Role::Lock { .. } | Role::Effects { .. } => None,
        },
    };
    Snapshot {
        beliefs: scenario.clients().map(|client| (client, None)).collect(),
        holders: scenario.locks().map(|lock| (lock, None)).collect(),
        storages: scenario.indices().filter_map(storage).collect(),
        down: Vec::new(),
    }
}

fn change(scenario: &Scenario, state: &mut Snapshot, event: &Event) {
    let What::Change(change) = event.what else { return };
    match change {
        Change::Crashed { .. } => state.down.push(event.actor),
        Change::Restarted => state.down.retain(|&node| node != event.actor),
        _ => {}
    }
    let holder = state.holders.iter_mut().find(|(node, _)| *node == event.actor).map(|(_, holder)| holder);
    let storage = state.storages.iter_mut().find(|(node, _)| *node == event.actor).map(|(_, storage)| storage);
    match (change, holder, storage) {
        (Change::Passed { client, token }, Some(holder), _) => *holder = Some((client, token)),
        (Change::Filled { version, .. }, .., Some(storage)) => {
            (storage.version, storage.writer) = (version, event.client);
            storage.answer = Some(format!("v{version} taken"));
        }
        (Change::CaughtUp { version }, .., Some(storage)) => (storage.version, storage.writer) = (version, None),
        (Change::Emptied, .., Some(storage)) => (storage.version, storage.writer) = (0, None),
        (Change::NotFilled { version, .. }, .., Some(storage)) => {
            storage.answer = Some(format!("v{version} not taken"));
        }
        (Change::Granted { token, .. }, Some(holder), _) => {
            *holder = event.client.map(|client| (scenario.process(client), token));
        }
        (
            Change::Freed { .. }
            | Change::Expired { .. }
            | Change::Broken { .. }
            | Change::Forgotten { .. }
            | Change::Crashed { keeps_memory: false },
            Some(holder),
            _,
        ) => *holder = None,
        (Change::LockRestored { holder: restored, .. }, Some(holder), _) => *holder = restored,
        (Change::Crashed { keeps_memory: false }, .., Some(storage)) => {
            let first = start(scenario).storages.into_iter().find(|(node, _)| *node == event.actor);
            if let Some((_, first)) = first {
                *storage = first;
            }
        }
        (Change::StorageRestored { version, fence }, .., Some(storage)) => {
            (storage.version, storage.writer) = (version, None);
            storage.fence = storage.fence.map(|_| fence);
        }
        (Change::Accepted { token, version, comparison: made, .. }, .., Some(storage)) => {
            (storage.version, storage.writer) = (version, event.client);
            storage.fence = storage.fence.map(|fence| fence.max(token));
            let made = made.map_or_else(String::new, |made| format!(", {}", comparison(made)));
            storage.answer = Some(format!("{} accepted{made}", brought(token, version)));
        }
        (Change::Refused { comparison: made, .. }, .., Some(storage)) => {
            storage.answer = Some(format!("{} refused", comparison(made)));
        }
        _ => {}
    }
}

fn brought(token: u16, version: u16) -> String {
    if token == 0 { format!("v{version}") } else { token.to_string() }
}

/// The table of states at a moment, with what the events of that moment changed.
pub fn rows(scenario: &Scenario, trace: &Trace, at_us: u64) -> Vec<Row> {
    let latest = trace.events.iter().rev().find(|event| event.at_us <= at_us).map(|event| event.at_us);
    let beliefs = beliefs(scenario, trace);
    let at = |at_us| plain_rows(scenario, &snapshot(scenario, trace, &beliefs, at_us));
    let now = at(at_us);
    let before = match latest {
        Some(latest) if latest > 0 => at(latest - 1),
        _ => plain_rows(scenario, &start(scenario)),
    };
    let compare = |(now, before): (Row, Row)| Row { was: (now.value != before.value).then_some(before.value), ..now };
    now.into_iter().zip(before).map(compare).collect()
}

fn plain_rows(scenario: &Scenario, state: &Snapshot) -> Vec<Row> {
    let row = |label: String, value: String| Row { label, value, untrue: false, was: None };
    let and_down = |node: NodeIndex| if state.down.contains(&node) { ", down" } else { "" };
    let mut rows = Vec::new();
    for &(client, belief) in &state.beliefs {
        let true_now = belief.is_none_or(|(_, true_now)| true_now);
        let value = belief.map_or_else(|| "holds nothing".to_string(), |(token, _)| format!("holds {token}"));
        let value = value + and_down(client);
        rows.push(Row { untrue: !true_now, ..row(format!("{} believes", letter(scenario, client)), value) });
    }
    for &(lock, holder) in &state.holders {
        let value = match holder {
            // The grants of a member have no numbers of their own.
            Some((client, _)) if scenario.is_member(lock) => letter(scenario, client),
            Some((client, token)) => format!("{}, {token}", letter(scenario, client)),
            None => "free".to_string(),
        };
        rows.push(row(letter(scenario, lock), value + and_down(lock)));
    }
    for (node, storage) in &state.storages {
        let by = storage.writer.map_or_else(String::new, |writer| format!(" by {}", letter(scenario, writer)));
        let holds = if storage.version == 0 { "empty".to_string() } else { format!("v{}{by}", storage.version) };
        rows.push(row(letter(scenario, *node), holds + and_down(*node)));
        if storage.fence.is_none() && scenario.role(*node).is_some() {
            continue;
        }
        let fence = storage.fence.map_or_else(|| "not kept".to_string(), |fence| fence.to_string());
        let of = if state.storages.len() > 1 { format!(", {}", letter(scenario, *node)) } else { String::new() };
        rows.push(row(format!("Highest fence{of}"), fence));
        rows.push(row(format!("Last answer{of}"), storage.answer.clone().unwrap_or_else(|| "none yet".to_string())));
    }
    rows
}
