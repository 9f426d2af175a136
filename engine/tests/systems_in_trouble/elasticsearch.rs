//! Elasticsearch: sequence numbers and terms.

use std::collections::BTreeMap;

use racescope_engine::system::elasticsearch::{Elasticsearch, Reply};

use crate::driver::{Promises, Rising, Step, keeps_its_promises, number_after};

const COMMANDS: [&str; 14] = [
    "GET _doc/d",
    "PUT _doc/d a",
    "PUT _create/d b",
    "PUT _doc/d?if_seq_no=#&if_primary_term=# c",
    "PUT _doc/d?if_seq_no=1&if_primary_term=1 d",
    "PUT _doc/e?if_seq_no=#&if_primary_term=1 e",
    "DELETE _doc/d",
    "DELETE _doc/d?if_seq_no=#&if_primary_term=#",
    "PUT _doc/e f",
    "old GET _doc/d",
    "old PUT _doc/d g",
    "old PUT _doc/e?if_seq_no=#&if_primary_term=# h",
    "cut off",
    "heal",
];

#[derive(Default)]
struct Shard {
    term: Rising,
    seq_no: Rising,
    /// The content that each term and number stands for, by the document.
    named: BTreeMap<(u64, u64), String>,
}

impl Promises for Shard {
    type System = Elasticsearch;

    fn looks(&self) -> &'static [&'static str] {
        &["GET _doc/d", "GET _doc/e", "old GET _doc/d", "old GET _doc/e"]
    }

    fn refuses(&self, _: &str, reply: &Reply) -> bool {
        !matches!(reply, Reply::Changed(..) | Reply::Noted)
    }

    fn judge(&mut self, step: &Step<Elasticsearch>) {
        self.term.see(step.after.cells[0].into(), step);
        self.seq_no.see(step.after.cells[1].into(), step);
        if step.is_set_back() {
            self.named.clear();
            return;
        }
        let name = |said: &str| (number_after(said, "_primary_term="), number_after(said, "_seq_no="));
        let Some((_, words, reply)) = step.answer() else { return };
        let path = words.split(['?', ' ']).find(|word| word.starts_with("_doc") || word.starts_with("_create"));
        let (old, path) = (words.starts_with("old"), path.unwrap_or_default());
        if reply.starts_with("200 updated") || reply.starts_with("20") && reply.contains("created") {
            let content = format!("{path} {}", words.rsplit(' ').next().unwrap_or_default());
            let earlier = self.named.insert(name(&reply), content);
            assert_eq!(earlier, None, "{words} → {reply}: one name for two changes");
        }
        if let Some((_, expected)) = words.split_once("if_seq_no=")
            && reply.starts_with("20")
        {
            let shown = (number_after(expected, "term="), number_after(expected, ""));
            let found = step.looked(&format!("{}GET {path}", if old { "old " } else { "" }));
            assert_eq!(name(&found), shown, "{words} → {reply}");
        }
    }
}

#[test]
fn elasticsearch() {
    let shard = Elasticsearch::new(&["d", "e"], 0, 1).expect("two short ids");
    let wanted = ["201 created", "200 updated", "200 deleted", "409", "already exists", "503", "_primary_term=2"];
    keeps_its_promises(&shard, Shard::default, &COMMANDS, &wanted);
}
