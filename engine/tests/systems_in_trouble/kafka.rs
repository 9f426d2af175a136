//! Kafka: producers' epochs, and what a consumer reads.

use racescope_engine::system::kafka::{Kafka, Reply, TransactionVersion};

use crate::driver::{Promises, Step, keeps_its_promises, numbers};

const COMMANDS: [&str; 15] = [
    "InitProducerId",
    "AddPartitionsToTxn #:#",
    "AddPartitionsToTxn 1:0",
    "AddPartitionsToTxn 1:1",
    "Produce #:# x",
    "Produce 1:0 a",
    "Produce 1:1 b",
    "Produce 1:2 c",
    "EndTxn #:# commit",
    "EndTxn 1:0 commit",
    "EndTxn 1:0 abort",
    "EndTxn 1:1 commit",
    "EndTxn 1:2 abort",
    "Fetch",
    "Fetch",
];

const ONGOING: usize = 2;
const COUNT: usize = 5;
const LOG: usize = 6;

struct Log {
    transactions: TransactionVersion,
}

impl Promises for Log {
    type System = Kafka;

    fn looks(&self) -> &'static [&'static str] {
        &["Fetch"]
    }

    fn refuses(&self, _: &str, reply: &Reply) -> bool {
        !matches!(reply, Reply::Done | Reply::Producer(_) | Reply::Produced(_))
    }

    fn judge(&mut self, step: &Step<Kafka>) {
        if step.is_set_back() {
            return;
        }
        let newest = |cells: &[u16]| (cells[0], cells[1]);
        let (was, is) = (newest(&step.before.cells), newest(&step.after.cells));
        assert!(was <= is, "{is:?} after {was:?}");
        let read = |said: String| said.trim_end_matches(']').to_string();
        let (had, has) = (read(step.looked("Fetch")), read(step.look("Fetch")));
        assert!(has.starts_with(&had), "what was read stays as it is: {had}, {has}");
        let Some((_, words, reply)) = step.answer() else { return };
        // Before KIP-890, a message that comes without a transaction hangs until one ends.
        let ends = words.starts_with("EndTxn") || words.starts_with("Init") && step.before.cells[ONGOING] != 0;
        if reply.starts_with("ok") && ends {
            let undecided =
                |cells: &[u16]| (0..usize::from(cells[COUNT])).filter(|at| cells[LOG + 2 * at + 1] == 0).count();
            assert_eq!(undecided(&step.after.cells), 0, "{words}: all before its end is decided");
            let messages = |list: &str| list.matches(['a', 'b', 'c', 'x']).count();
            let more = if words.ends_with("commit") { undecided(&step.before.cells) } else { 0 };
            assert_eq!(messages(&has), messages(&had) + more, "{words}: {has} after {had}");
        }
        if reply.starts_with("ok offset") {
            let shown = numbers(words);
            let is_newest = shown[..2] == [u64::from(was.0), u64::from(was.1)];
            assert!(is_newest || self.transactions == TransactionVersion::OneEpochForAll, "{words} after {was:?}");
        }
    }
}

#[test]
fn kafka() {
    for transactions in [TransactionVersion::OneEpochForAll, TransactionVersion::OneEpochEach] {
        let wanted = ["ok 1:2", "ok offset 2", "[a", "PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH", "INVALID_TXN_STATE"];
        keeps_its_promises(&Kafka { transactions }, || Log { transactions }, &COMMANDS, &wanted);
    }
}
