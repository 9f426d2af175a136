//! A lock on a system that can't be asked who holds it: what clients are told counts.

mod written;

use racescope_engine::sim::{Change, run_timed};
use written::lesson;

/// Two clients take a lock, one after another, and then say something else to it.
fn told(command: &str, means: &str, starts: &str) -> String {
    let toml = format!(
        r#"
[nodes.A]
client = "update"

[nodes.B]
client = "update"
starts = "{starts}"

[nodes.chubby]
title = "Chubby"
system = "chubby"
latency = "50 ms"
keeps = "lock"

[[programs.update]]
step = "ask"
server = "chubby"
say = "TryAcquire exclusive"
means = "acquire"
answers = [{{ reply = "ok", is = "granted" }}, {{ reply = "busy", is = "busy", then = "stop" }}]

[[programs.update]]
step = "ask"
server = "chubby"
say = "{command}"
means = "{means}"
answers = [{{ reply = "ok" }}]
"#
    );
    let run = run_timed(&lesson(&toml).variants[0].scenario, &[]);
    let mut text = String::new();
    for (_, event, change) in run.changes() {
        let client = event.client.map_or('-', |client| ['A', 'B'][usize::from(client)]);
        match change {
            Change::Granted { token, .. } => text += &format!("{client} granted {token}\n"),
            Change::Freed { token } => text += &format!("{client} freed {token}\n"),
            _ => {}
        }
    }
    text
}

#[test]
fn who_gives_the_lock_back_holds_it_no_more() {
    assert_eq!(told("Release", "release", "3 s"), "A granted 1\nA freed 1\nB granted 2\nB freed 2\n");
}

#[test]
fn whoever_was_granted_last_holds_the_lock() {
    // A's session ends long before B comes, and nobody sees that.
    assert_eq!(told("KeepAlive", "check", "50 s"), "A granted 1\nB granted 2\n");
}
