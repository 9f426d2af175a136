//! `DynamoDB`: conditional writes, reads that lag, and tokens of transactions.

use std::collections::BTreeSet;

use racescope_engine::system::dynamodb::{Dynamodb, Reply};

use crate::driver::{Promises, Step, What, keeps_its_promises, number_after};

const COMMANDS: [&str; 15] = [
    "GetItem l",
    "GetItem l ConsistentRead",
    "PutItem l v=1, owner=a",
    "PutItem l v=1, owner=b IF attribute_not_exists(pk)",
    "UpdateItem l SET v=v+1 IF v=:#",
    "UpdateItem l SET v=v+1, owner=:b IF v=:#",
    "UpdateItem l SET v=v+1 IF v<:4 AND owner<>:a",
    "UpdateItem l SET owner=:a IF attribute_exists(pk)",
    "DeleteItem l IF owner=:a",
    "DeleteItem l",
    "PutItem m v=1",
    "TransactWriteItems ClientRequestToken=t1 Put l v=1; Update m SET v=v+1",
    "TransactWriteItems ClientRequestToken=t2 Update l SET v=v+1 IF v=:#; Update m SET v=v+1",
    "TransactWriteItems ClientRequestToken=t1 Put l v=2; Update m SET v=v+1",
    "TransactWriteItems Update m SET v=v+1; ConditionCheck l IF v=:1",
];

#[derive(Default)]
struct Table {
    /// What `l` has been since the server was set back: a read that lags may show any.
    been: BTreeSet<String>,
    /// The transactions whose tokens the server remembers.
    remembered: BTreeSet<String>,
}

const CONSISTENT: [&str; 2] = ["GetItem l ConsistentRead", "GetItem m ConsistentRead"];

impl Promises for Table {
    type System = Dynamodb;

    fn looks(&self) -> &'static [&'static str] {
        &["GetItem l", "GetItem m", CONSISTENT[0], CONSISTENT[1]]
    }

    fn refuses(&self, _: &str, reply: &Reply) -> bool {
        *reply != Reply::Written
    }

    fn judge(&mut self, step: &Step<Dynamodb>) {
        if step.is_set_back() {
            // The copy that lags may be of any state before.
            self.remembered.clear();
            self.been = BTreeSet::from([step.look("GetItem l"), step.look(CONSISTENT[0])]);
            return;
        }
        self.been.insert(step.looked(CONSISTENT[0]));
        self.been.insert(step.look(CONSISTENT[0]));
        assert!(self.been.contains(&step.look("GetItem l")), "a read shows what never was");
        if let What::Fired(1..) = step.what {
            // One of the tokens is forgotten; which one isn't told.
            self.remembered.clear();
        }
        let Some((_, words, reply)) = step.answer() else { return };
        if self.remembered.contains(words) {
            assert_eq!(reply, "200", "{words}: a retry hears what the first request heard");
            assert_eq!(step.before.cells, step.after.cells, "{words}: it was done before");
        }
        if reply != "200" {
            return;
        }
        if words.starts_with("TransactWriteItems ClientRequestToken") {
            self.remembered.insert(words.to_string());
        } else if words.contains("IF v=:") && words.starts_with("UpdateItem") {
            let shown = number_after(words, "IF v=:");
            assert_eq!(number_after(&step.looked(CONSISTENT[0]), "v="), shown, "{words} → {reply}");
            assert_eq!(number_after(&step.look(CONSISTENT[0]), "v="), shown + 1, "{words} → {reply}");
        } else if words.contains("not_exists") {
            assert_eq!(step.looked(CONSISTENT[0]), "200 (no item)", "{words} → {reply}");
        }
    }
}

#[test]
fn dynamodb() {
    let wanted = [
        "200 {v=2",
        "(no item)",
        "ConditionalCheckFailedException",
        "TransactionCanceledException",
        "IdempotentParameterMismatch",
    ];
    keeps_its_promises(&Dynamodb::new(&["l", "m"], 500_000), Table::default, &COMMANDS, &wanted);
}
