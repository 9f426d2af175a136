//! Kafka: one transactional id and one partition, fenced by the producer's epoch.
//!
//! - `InitProducerId` for a transactional id brings an epoch that is higher than all
//!   before, and aborts what is under way. The coordinator refuses older ones with
//!   `PRODUCER_FENCED`
//!   (<https://cwiki.apache.org/confluence/display/KAFKA/KIP-588%3A+Allow+producers+to+recover+gracefully+from+transaction+timeouts>).
//! - The partition knows epochs from what was written to it, and refuses an older one
//!   with `INVALID_PRODUCER_EPOCH`
//!   (<https://github.com/apache/kafka/blob/trunk/storage/src/main/java/org/apache/kafka/storage/internals/log/ProducerAppendInfo.java>).
//! - One epoch for a producer's whole life isn't enough: a write that was delayed in
//!   the network joins the next transaction of the same producer. With KIP-890 each
//!   transaction ends with a new epoch, and the partition asks the coordinator
//!   (<https://cwiki.apache.org/confluence/display/KAFKA/KIP-890%3A+Transactions+Server-Side+Defense>).
//! - An epoch has 16 bits with a sign; when they are used up, there is a new producer id.
//!
//! A message carries its producer id and epoch, so one that comes late is written later
//! in a transcript. Left out: sequence numbers, and timeouts of transactions.

use alloc::vec::Vec;
use core::fmt;

use super::names::{Word, number};
use super::{Caller, ClockKind, Decided, System, Time, Timer, View};
use crate::system::Cell;

/// A coordinator and the leader of a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kafka {
    /// What each transaction does to the epoch.
    pub transactions: TransactionVersion,
}

/// The feature `transaction.version`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionVersion {
    /// Before KIP-890: one epoch until the next `InitProducerId`.
    OneEpochForAll,
    /// With KIP-890: each transaction ends with a new epoch.
    OneEpochEach,
}

/// Who sends a request: a producer id and its epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Producer {
    /// The producer id, from 1.
    pub id: u16,
    /// Its epoch.
    pub epoch: u16,
}

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `InitProducerId`: what `initTransactions` of the client sends.
    Init,
    /// `AddPartitionsToTxn 1:0`: begins a transaction, before KIP-890.
    AddPartitions(Producer),
    /// `Produce 1:0 VALUE`: writes a message.
    Produce(Producer, Word),
    /// `EndTxn 1:0 commit` or `EndTxn 1:0 abort`
    End(Producer, Decision),
    /// `Fetch`: what a consumer reads with `read_committed`.
    Fetch,
}

/// How a transaction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Its messages are to be read.
    Commit,
    /// They aren't.
    Abort,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It is done.
    Done,
    /// The producer id and epoch to go on with.
    Producer(Producer),
    /// The message is written at this offset.
    Produced(u16),
    /// Committed messages in front of the first that is undecided.
    Fetched([Option<Word>; MESSAGES]),
    /// The coordinator knows a newer epoch. This is fatal for the producer.
    Fenced,
    /// The partition knows a newer epoch.
    InvalidEpoch {
        /// Who sent the message.
        producer: Producer,
        /// Where it would have been written.
        offset: u16,
        /// The newest epoch.
        newest: u16,
    },
    /// There is no transaction to end.
    InvalidState,
    /// The producer id isn't the one of the transactional id, or has no such epoch.
    UnknownProducer,
    /// The model's partition has room for [`MESSAGES`] only, or its producer ids are used up.
    Full,
}

/// How many messages the partition has room for.
pub const MESSAGES: usize = 8;

/// The last epoch that a producer is given.
const LAST_EPOCH: u16 = i16::MAX as u16 - 1;

const ID: usize = 0; // of the newest producer, or 0
const EPOCH: usize = 1; // its epoch at the coordinator
const ONGOING: usize = 2; // 1 during a transaction
const SEEN_ID: usize = 3; // the newest producer at the partition
const SEEN_EPOCH: usize = 4;
const COUNT: usize = 5;
const LOG: usize = 6; // for each message its value, and how it ended

const UNDECIDED: Cell = 0;
const COMMITTED: Cell = 1;
const ABORTED: Cell = 2;

impl Kafka {
    fn init(cells: &mut [Cell]) -> Reply {
        if !next_epoch(cells) {
            return Reply::Full;
        }
        if cells[ONGOING] != 0 {
            end(Decision::Abort, cells);
        }
        Reply::Producer(newest(cells))
    }

    /// The coordinator's check.
    fn check(producer: Producer, cells: &[Cell]) -> Option<Reply> {
        let newest = newest(cells);
        if producer.id == 0 || producer.id != newest.id {
            return Some(Reply::UnknownProducer);
        }
        (producer.epoch != newest.epoch).then_some(Reply::Fenced)
    }

    fn produce(self, producer: Producer, value: Word, cells: &mut [Cell]) -> Reply {
        let newest = newest(cells);
        if producer.id == 0 || producer.id != newest.id || producer.epoch > newest.epoch {
            return Reply::UnknownProducer;
        }
        // The partition by itself only knows of writes and of the ends of transactions.
        let seen_epoch = match self.transactions {
            TransactionVersion::OneEpochEach => newest.epoch,
            TransactionVersion::OneEpochForAll if cells[SEEN_ID] == producer.id => cells[SEEN_EPOCH],
            TransactionVersion::OneEpochForAll => 0,
        };
        if producer.epoch < seen_epoch {
            return Reply::InvalidEpoch { producer, offset: cells[COUNT], newest: seen_epoch };
        }
        let count = usize::from(cells[COUNT]);
        if count >= MESSAGES {
            return Reply::Full;
        }
        if self.transactions == TransactionVersion::OneEpochEach {
            cells[ONGOING] = 1;
        }
        note(producer, cells);
        cells[LOG + 2 * count] = value.to_cell();
        cells[LOG + 2 * count + 1] = UNDECIDED;
        cells[COUNT] += 1;
        Reply::Produced(count as u16)
    }

    fn end(self, producer: Producer, decision: Decision, cells: &mut [Cell]) -> Reply {
        if let Some(refusal) = Self::check(producer, cells) {
            return refusal;
        }
        let each = self.transactions == TransactionVersion::OneEpochEach;
        if cells[ONGOING] == 0 && !(each && decision == Decision::Abort) {
            return Reply::InvalidState;
        }
        if each && !next_epoch(cells) {
            return Reply::Full;
        }
        end(decision, cells);
        if each { Reply::Producer(newest(cells)) } else { Reply::Done }
    }
}

fn newest(cells: &[Cell]) -> Producer {
    Producer { id: cells[ID], epoch: cells[EPOCH] }
}

/// Gives out the next epoch, or a new producer id; false if there is none left.
fn next_epoch(cells: &mut [Cell]) -> bool {
    if cells[ID] != 0 && cells[EPOCH] < LAST_EPOCH {
        cells[EPOCH] += 1;
        return true;
    }
    let Some(id) = cells[ID].checked_add(1).filter(|&id| id < Cell::MAX) else { return false };
    cells[ID] = id;
    cells[EPOCH] = 0;
    true
}

/// Writes the marker of an end to the partition, with the coordinator's epoch. It
/// decides on all that is undecided, also what came before the transaction.
fn end(decision: Decision, cells: &mut [Cell]) {
    cells[ONGOING] = 0;
    note(newest(cells), cells);
    let how = if decision == Decision::Commit { COMMITTED } else { ABORTED };
    for message in 0..usize::from(cells[COUNT]) {
        let ended = &mut cells[LOG + 2 * message + 1];
        if *ended == UNDECIDED {
            *ended = how;
        }
    }
}

/// The partition remembers who wrote to it last.
fn note(producer: Producer, cells: &mut [Cell]) {
    cells[SEEN_ID] = producer.id;
    cells[SEEN_EPOCH] = producer.epoch;
}

fn fetch(cells: &[Cell]) -> Reply {
    let messages = cells[LOG..].chunks_exact(2).take(cells[COUNT].into());
    let decided = messages.take_while(|message| message[1] != UNDECIDED);
    let mut fetched = [None; MESSAGES];
    for (place, message) in fetched.iter_mut().zip(decided.filter(|message| message[1] == COMMITTED)) {
        *place = Word::from_cell(message[0]);
    }
    Reply::Fetched(fetched)
}

impl System for Kafka {
    type Command = Command;
    type Reply = Reply;
    /// It has no timers.
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Command> {
        let words: Vec<&str> = words.split_whitespace().collect();
        let producer = |text: &str| {
            let (id, epoch) = text.split_once(':')?;
            Some(Producer { id: number(id)?, epoch: number(epoch)? })
        };
        match words.as_slice() {
            ["InitProducerId"] => Some(Command::Init),
            ["AddPartitionsToTxn", from] => producer(from).map(Command::AddPartitions),
            ["Produce", from, value] => Some(Command::Produce(producer(from)?, Word::parse(value)?)),
            ["EndTxn", from, "commit"] => Some(Command::End(producer(from)?, Decision::Commit)),
            ["EndTxn", from, "abort"] => Some(Command::End(producer(from)?, Decision::Abort)),
            ["Fetch"] => Some(Command::Fetch),
            _ => None,
        }
    }

    fn length(&self) -> usize {
        LOG + 2 * MESSAGES
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, _: Caller, command: &Command, cells: &mut [Cell], _: &mut dyn Time) -> Option<Reply> {
        Some(match *command {
            Command::Init => Self::init(cells),
            Command::AddPartitions(producer) => Self::check(producer, cells).unwrap_or_else(|| {
                cells[ONGOING] = 1;
                Reply::Done
            }),
            Command::Produce(producer, value) => self.produce(producer, value, cells),
            Command::End(producer, decision) => self.end(producer, decision, cells),
            Command::Fetch => fetch(cells),
        })
    }

    fn fire(&self, _: Timer, _: &mut [Cell], _: &mut dyn Time) {}

    fn timers(&self) -> u8 {
        0
    }

    fn has_transactions(&self) -> bool {
        true
    }

    /// A transaction is the producer's, and what it has written is in the log.
    fn transactions_outlive_connections(&self) -> bool {
        true
    }

    /// What a `read_committed` consumer sees: nothing of a message before the end of a
    /// transaction, even if it came without one.
    fn view(&self, _: Caller, command: &Command, reply: Option<&Reply>, _: &[Cell]) -> View {
        match (command, reply) {
            (Command::Produce(..), Some(Reply::Produced(_))) => View::Open,
            (Command::End(_, Decision::Commit), Some(Reply::Done | Reply::Producer(_))) => View::Committed,
            _ => View::Shared,
        }
    }

    /// The end of a transaction decides on all messages that came before it, whoever sent
    /// them; so does a newer producer, which aborts what it finds under way.
    fn decides(&self, command: &Command, cells: &[Cell]) -> Option<Decided> {
        if !has_undecided(cells) {
            return None;
        }
        let mut after = cells.to_vec();
        let decided = match *command {
            Command::Init => {
                Self::init(&mut after);
                Decided::AllUndone
            }
            Command::End(producer, decision) => {
                self.end(producer, decision, &mut after);
                if decision == Decision::Commit { Decided::OthersCommitted } else { Decided::AllUndone }
            }
            Command::AddPartitions(_) | Command::Produce(..) | Command::Fetch => return None,
        };
        (!has_undecided(&after)).then_some(decided)
    }
}

/// Whether the partition has a message about whose transaction nothing is decided.
fn has_undecided(cells: &[Cell]) -> bool {
    cells[LOG..].chunks_exact(2).take(cells[COUNT].into()).any(|message| message[1] == UNDECIDED)
}

impl fmt::Display for Producer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.id, self.epoch)
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => write!(f, "ok"),
            Self::Producer(producer) => write!(f, "ok {producer}"),
            Self::Produced(offset) => write!(f, "ok offset {offset}"),
            Self::Fetched(messages) => {
                write!(f, "[")?;
                for (place, message) in messages.iter().flatten().enumerate() {
                    write!(f, "{}{message}", if place > 0 { ", " } else { "" })?;
                }
                write!(f, "]")
            }
            Self::Fenced => write!(
                f,
                "PRODUCER_FENCED: There is a newer producer with the same transactionalId which fences the current one."
            ),
            Self::InvalidEpoch { producer: Producer { id, epoch }, offset, newest } => write!(
                f,
                "INVALID_PRODUCER_EPOCH: Epoch of producer {id} at offset {offset} in t-0 is {epoch}, \
                 which is smaller than the last seen epoch {newest}"
            ),
            Self::InvalidState => write!(f, "INVALID_TXN_STATE"),
            Self::UnknownProducer => write!(f, "INVALID_PRODUCER_ID_MAPPING"),
            Self::Full => write!(f, "KAFKA_STORAGE_ERROR: no room left in this model"),
        }
    }
}
