//! A lock on a system that can't be asked who holds it: what clients are told counts.

use std::fs;
use std::path::Path;

use racescope_engine::sim::{Change, run_timed};
use racescope_lesson::author::read_lesson;

/// Two clients take a lock, one after another, and then say something else to it.
fn told(command: &str, means: &str, starts: &str) -> String {
    let lesson = format!(
        r#"
format = 1
title = "Chubby"
summary = "A lock that can't be asked."
order = 1
shows = "60 s"

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

[[variants]]
id = "plain"
title = "Plain"
remark = "As it is"
reaches = ["gave-up"]
"#
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("by-answers-{}", command.to_lowercase()));
    fs::create_dir_all(&folder).expect("the folder can be made");
    fs::write(folder.join("lesson.toml"), lesson).expect("the file can be written");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good.md"), folder.join("lesson.md")).expect("a text");
    let draft = read_lesson(&folder).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    let run = run_timed(&draft.lesson.variants[0].scenario, &[]);
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
