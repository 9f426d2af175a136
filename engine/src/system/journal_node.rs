//! A `JournalNode` of HDFS, which fences writers by their epoch.
//!
//! Modelled after
//! <https://github.com/apache/hadoop/blob/trunk/hadoop-hdfs-project/hadoop-hdfs/src/main/java/org/apache/hadoop/hdfs/qjournal/server/Journal.java>:
//!
//! - A `NameNode` that becomes active asks a majority of nodes to promise it an epoch
//!   higher than all before (`newEpoch`), and then starts a segment of the log.
//! - Each request shows its writer's epoch. A lower one than was promised is refused; a
//!   higher one raises the promise, which ends the segment that was open.
//! - Edits are taken only from the writer that started the segment.
//!
//! Two numbers are on the node's disk: the epoch it promised last, and the one of the
//! last writer. Left out: transaction ids and recovery of segments.

use alloc::vec::Vec;
use core::fmt;

use super::names::number;
use super::{Caller, ClockKind, System, Time, Timer};
use crate::system::Cell;

/// A node, whose disk is empty at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalNode;

/// A request; the number is the epoch of its writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `newEpoch 2`: promise to refuse lower ones.
    NewEpoch(u16),
    /// `startLogSegment epoch=2`
    StartLogSegment(u16),
    /// `journal epoch=2`: write an edit.
    Journal(u16),
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It is done.
    Done,
    /// The edit is written; so many are now on the disk.
    Journaled(u16),
    /// That epoch, or a higher one, was promised already.
    AlreadyPromised {
        /// What was asked for.
        proposed: u16,
        /// What was promised last.
        promised: u16,
    },
    /// Another writer was promised a higher epoch.
    LessThanPromised {
        /// The writer's epoch.
        epoch: u16,
        /// What was promised last.
        promised: u16,
    },
    /// The epoch was promised, but the writer hasn't started a segment here: the node
    /// missed that request.
    NotTheWriter {
        /// The writer's epoch.
        epoch: u16,
        /// The one that started the last segment.
        writer: u16,
    },
    /// It is the writer's epoch, and no segment is open.
    NoSegment,
    /// The model counts no more than 65,535 edits.
    Full,
}

const PROMISED: usize = 0;
const WRITER: usize = 1;
const OPEN: usize = 2; // 1 if a segment is open
const EDITS: usize = 3;

/// The check of each request, which keeps the promise.
fn check(epoch: u16, cells: &mut [Cell]) -> Result<(), Reply> {
    let promised = cells[PROMISED];
    if epoch < promised {
        return Err(Reply::LessThanPromised { epoch, promised });
    }
    if epoch > promised {
        promise(epoch, cells);
    }
    Ok(())
}

fn promise(epoch: u16, cells: &mut [Cell]) {
    cells[PROMISED] = epoch;
    cells[OPEN] = 0;
}

fn journal(epoch: u16, cells: &mut [Cell]) -> Result<Reply, Reply> {
    check(epoch, cells)?;
    let writer = cells[WRITER];
    if epoch != writer {
        return Err(Reply::NotTheWriter { epoch, writer });
    }
    if cells[OPEN] == 0 {
        return Err(Reply::NoSegment);
    }
    cells[EDITS] = cells[EDITS].checked_add(1).ok_or(Reply::Full)?;
    Ok(Reply::Journaled(cells[EDITS]))
}

fn start_segment(epoch: u16, cells: &mut [Cell]) -> Result<Reply, Reply> {
    check(epoch, cells)?;
    cells[WRITER] = epoch;
    cells[OPEN] = 1;
    Ok(Reply::Done)
}

impl System for JournalNode {
    type Command = Command;
    type Reply = Reply;
    /// It has no timers.
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Command> {
        let words: Vec<&str> = words.split_whitespace().collect();
        let epoch = |text: &str| number(text.strip_prefix("epoch=")?);
        match words.as_slice() {
            ["newEpoch", epoch] => number(epoch).map(Command::NewEpoch),
            ["startLogSegment", shown] => epoch(shown).map(Command::StartLogSegment),
            ["journal", shown] => epoch(shown).map(Command::Journal),
            _ => None,
        }
    }

    fn length(&self) -> usize {
        4
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, _: Caller, command: &Command, cells: &mut [Cell], _: &mut dyn Time) -> Option<Reply> {
        let promised = cells[PROMISED];
        Some(match *command {
            Command::NewEpoch(proposed) if proposed <= promised => Reply::AlreadyPromised { proposed, promised },
            Command::NewEpoch(proposed) => {
                promise(proposed, cells);
                Reply::Done
            }
            Command::StartLogSegment(epoch) => start_segment(epoch, cells).unwrap_or_else(|refusal| refusal),
            Command::Journal(epoch) => journal(epoch, cells).unwrap_or_else(|refusal| refusal),
        })
    }

    fn fire(&self, _: Timer, _: &mut [Cell], _: &mut dyn Time) {}

    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], _: &mut dyn Time) {
        if keeps_memory {
            cells[OPEN] = 0;
        } else {
            cells.fill(0);
        }
    }

    fn timers(&self) -> u8 {
        0
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => write!(f, "ok"),
            Self::Journaled(edits) => write!(f, "ok: {edits}"),
            Self::AlreadyPromised { proposed, promised } => {
                write!(f, "IOException: Proposed epoch {proposed} <= last promise {promised}")
            }
            Self::LessThanPromised { epoch, promised } => {
                write!(f, "IOException: IPC's epoch {epoch} is less than the last promised epoch {promised}")
            }
            // The source has two spaces there.
            Self::NotTheWriter { epoch, writer } => {
                write!(f, "IOException: IPC's epoch {epoch} is not the current writer epoch  {writer}")
            }
            Self::NoSegment => write!(f, "JournalOutOfSyncException: Can't write, no segment open"),
            Self::Full => write!(f, "IOException: no room left in this model"),
        }
    }
}
