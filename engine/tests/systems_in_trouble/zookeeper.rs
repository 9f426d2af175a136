//! `ZooKeeper`: zxids, versions, sequence numbers and nodes that go with their sessions.

use std::sync::atomic::{AtomicUsize, Ordering};

use racescope_engine::system::zookeeper::{Reply, Sizes, ZooKeeper};
use racescope_engine::system::{Caller, System};

use crate::driver::{CALLERS, Promises, Rising, State, Step, What, keeps_its_promises, number_after, numbers};

const COMMANDS: [&str; 27] = [
    "connect 1000",
    "connect 1000",
    "connect 5000",
    "reconnect",
    "reconnect",
    "ping",
    "close",
    "event",
    "create /q",
    "create /v a",
    "create -e /leader a",
    "create -e /leader b",
    "create -s -e /q/n-",
    "create -s /q/n-",
    "create -c /c",
    "create -e /c/e",
    "exists -w /leader",
    "ls /q",
    "get /leader",
    "set -v # /v b",
    "set /v c",
    "delete -v # /v",
    "delete /leader",
    "delete /q/n-0000000000",
    "set -v 0 /v b",
    "multi check -v # /v ; set /v d",
    "multi check -v 0 /v ; set /v d",
];

#[derive(Default)]
struct Server {
    zxid: Rising,
    /// The last number behind a name that was given out.
    sequence: Option<u64>,
    /// Who has created `/leader` last, within the session that it has.
    leader: Option<Caller>,
}

/// What somebody is told who connects and asks; `None` if there is no room for a session.
fn told(state: &State, system: &ZooKeeper, words: &str) -> Option<String> {
    let mut state = state.clone();
    let mut say = |words: &str| state.execute(system, CALLERS, &system.parse(words).expect("it is a command"));
    say("connect 5000").filter(|reply| matches!(reply, Reply::Connected { .. }))?;
    say(words).map(|reply| reply.to_string())
}

/// How many bystanders there were.
static BYSTANDERS: AtomicUsize = AtomicUsize::new(0);

/// What all see: who leads, the queue, and two other nodes.
const SEEN: [&str; 4] = ["get /leader", "ls /q", "exists /v", "ls /c"];

/// The state after a bystander has come, has made a node, and has not been heard of until
/// its session was over; `None` if there is no room for one.
fn after_a_bystander(state: &State, system: &ZooKeeper) -> Option<State> {
    let mut state = state.clone();
    let timer = (0..system.timers()).find(|&timer| !state.is_armed(timer))?;
    let say =
        |state: &mut State, words: &str| state.execute(system, CALLERS, &system.parse(words).expect("it is a command"));
    say(&mut state, "connect 1000").filter(|reply| matches!(reply, Reply::Connected { .. }))?;
    say(&mut state, "create -e /b").filter(|reply| reply.to_string() == "Created /b")?;
    assert_eq!(state.fire(system, timer), Some(timer), "the session of the bystander has a timer of its own");
    let reply = say(&mut state, "reconnect").map(|reply| reply.to_string());
    assert_eq!(reply.as_deref(), Some("SessionExpired"), "it hears so when it comes back");
    Some(state)
}

impl Promises for Server {
    type System = ZooKeeper;

    /// Who only looks has no session, and so sees nothing: [`told`] looks instead.
    fn looks(&self) -> &'static [&'static str] {
        &[]
    }

    fn refuses(&self, words: &str, reply: &Reply) -> bool {
        // A reconnect that fails tells the client that its session has ended.
        matches!(reply, Reply::Failed(_)) && words != "reconnect"
    }

    fn greeting(&self) -> Option<&'static str> {
        Some("connect 5000")
    }

    fn judge(&mut self, step: &Step<ZooKeeper>) {
        self.zxid.see(step.after.cells[0].into(), step);
        if step.is_set_back() {
            (self.sequence, self.leader) = (None, None);
            return;
        }
        let (was, is) = (step.before, step.after);
        if matches!(step.what, What::Restarted | What::Disconnected(_)) {
            for words in SEEN {
                let (was, is) = (told(was, step.system, words), told(is, step.system, words));
                assert_eq!(was, is, "{words}: neither a restart nor a lost connection ends a session");
            }
        }
        if let Some(after) = after_a_bystander(is, step.system) {
            assert_eq!(told(&after, step.system, "exists /b").as_deref(), Some("null"), "its node goes with it");
            for words in SEEN {
                let (was, is) = (told(is, step.system, words), told(&after, step.system, words));
                assert_eq!(was, is, "{words}: the end of a session takes nothing of anybody else");
            }
            BYSTANDERS.fetch_add(1, Ordering::Relaxed);
        }
        let Some((caller, words, reply)) = step.answer() else { return };
        if let Some(name) = reply.strip_prefix("Created /q/n-") {
            let number = numbers(name)[0];
            assert!(self.sequence.is_none_or(|last| number > last), "{number} was given before");
            self.sequence = Some(number);
        }
        if reply == "Created /leader" {
            let before = told(was, step.system, "exists /leader");
            assert!(before.is_none_or(|found| found == "null"), "there was a leader");
            self.leader = Some(caller);
        }
        let has_ended = reply == "SessionExpired" || words == "close" && reply == "ok";
        if has_ended && self.leader == Some(caller) {
            let left = told(is, step.system, "exists /leader");
            assert!(left.is_none_or(|found| found == "null"), "{words} → {reply}: the node has outlived its session");
        }
        if has_ended || self.leader == Some(caller) && words.starts_with("connect") {
            self.leader = self.leader.filter(|&leader| leader != caller);
        }
        let is_done = ["version", "ok", "[true, version"].iter().any(|done| reply.starts_with(done));
        if words.contains("-v ") && is_done {
            let shown = number_after(words, "-v ");
            let found = told(was, step.system, "exists /v");
            let version = found.map_or(shown, |found| number_after(&found, "version "));
            assert_eq!(version, shown, "{words} → {reply}");
        }
    }
}

#[test]
fn zookeeper() {
    let sizes = Sizes { callers: CALLERS + 1, sessions: 10, nodes: 12 };
    let server = ZooKeeper::new(sizes, 500).expect("it is small enough").with_container_check(2_000);
    let wanted = [
        "Created /leader",
        "Created /q/n-0000000001",
        "Created /c/e",
        "NodeExists",
        "BadVersion",
        "SessionExpired",
        "ConnectionLoss",
        "[true, version 1]",
        "type:Node",
        "state:Expired",
    ];
    keeps_its_promises(&server, Server::default, &COMMANDS, &wanted);
    assert!(BYSTANDERS.load(Ordering::Relaxed) > 1_000, "bystanders have come and gone");
}
