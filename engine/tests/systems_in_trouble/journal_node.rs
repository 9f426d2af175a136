//! A `JournalNode` and the epochs that it promised.

use racescope_engine::system::journal_node::{JournalNode, Reply};

use crate::driver::{Promises, Rising, Step, keeps_its_promises, number_after};

const COMMANDS: [&str; 9] = [
    "newEpoch 1",
    "newEpoch #",
    "newEpoch 7",
    "startLogSegment epoch=1",
    "startLogSegment epoch=#",
    "startLogSegment epoch=7",
    "journal epoch=1",
    "journal epoch=#",
    "journal epoch=7",
];

const PROMISED: usize = 0;
const WRITER: usize = 1;
const EDITS: usize = 3;

#[derive(Default)]
struct Node {
    promised: Rising,
    writer: Rising,
    edits: Rising,
}

impl Promises for Node {
    type System = JournalNode;

    fn looks(&self) -> &'static [&'static str] {
        &[]
    }

    fn refuses(&self, _: &str, reply: &Reply) -> bool {
        matches!(reply, Reply::AlreadyPromised { .. } | Reply::LessThanPromised { .. })
    }

    fn judge(&mut self, step: &Step<JournalNode>) {
        let cells = &step.after.cells;
        self.promised.see(cells[PROMISED].into(), step);
        self.writer.see(cells[WRITER].into(), step);
        self.edits.see(cells[EDITS].into(), step);
        assert!(cells[WRITER] <= cells[PROMISED]);
        let Some((_, words, reply)) = step.answer() else { return };
        if reply.starts_with("ok:") {
            let epoch = number_after(words, "=");
            assert_eq!([cells[PROMISED], cells[WRITER]].map(u64::from), [epoch; 2], "{words}: only its writer writes");
        } else {
            assert_eq!(step.before.cells[EDITS], cells[EDITS], "{words} → {reply}");
        }
    }
}

#[test]
fn journal_node() {
    let wanted =
        ["ok: 2", "Proposed epoch", "less than the last promised", "not the current writer", "no segment open"];
    keeps_its_promises(&JournalNode, Node::default, &COMMANDS, &wanted);
}
