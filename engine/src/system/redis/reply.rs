//! The answers of Redis, in its own words.

use core::fmt;

use super::command::UnknownCommand;
use super::connection::MOST_QUEUED;
use super::text::Text;

/// What a command is answered.
///
/// It is written as `redis-cli` shows the raw protocol, but for the marks of
/// integers and strings: `+OK`, `nil`, `1`, `a`, `""` for the empty string,
/// `-ERR …`, and `[OK, 1]` for a list, in which nothing has a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// One answer.
    One(Answer),
    /// The answers of what `EXEC` has run.
    List(Answers),
    /// The server has no such command.
    Unknown(UnknownCommand),
}

/// One answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// `+OK`.
    Ok,
    /// `+QUEUED`: it will run with `EXEC`.
    Queued,
    /// There is no value; or a condition did not hold; or `EXEC` has done nothing.
    Nil,
    /// An integer.
    Integer(i64),
    /// A string.
    Text(Text),
    /// An error.
    Error(Error),
    /// An error that ended a script. What it had written before stays written.
    ScriptError(Error),
}

/// The answers of a queue, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answers {
    answers: [Answer; MOST_QUEUED],
    count: u8,
}

/// An error in the words of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// Options contradict each other or are not known.
    Syntax,
    /// An expiry of 0.
    InvalidExpire,
    /// The value is not an integer.
    NotAnInteger,
    /// A counter would go beyond the largest number. In the model that is the largest
    /// [`super::Value`]; in Redis it is 2⁶³ − 1.
    Overflow,
    /// A string is asked for where a hash is, or the other way round.
    WrongType,
    /// `EXEC` came without `MULTI`.
    ExecWithoutMulti,
    /// `DISCARD` came without `MULTI`.
    DiscardWithoutMulti,
    /// `MULTI` came after `MULTI`.
    NestedMulti,
    /// `WATCH` came after `MULTI`.
    WatchInsideMulti,
    /// A command was refused since `MULTI`, so nothing is run.
    ExecAbort,
    /// The queue is full. Redis has no limit of its own there, and says this when the
    /// server is out of memory.
    OutOfMemory,
    /// The server has no place for another connection.
    TooManyClients,
    /// A replica takes no writes.
    ReadOnly,
}

impl Answers {
    pub(super) fn new() -> Self {
        Self { answers: [Answer::Nil; MOST_QUEUED], count: 0 }
    }

    pub(super) fn push(&mut self, answer: Answer) {
        if let Some(place) = self.answers.get_mut(usize::from(self.count)) {
            *place = answer;
            self.count += 1;
        }
    }

    /// The answers, in the order of the commands.
    pub fn as_slice(&self) -> &[Answer] {
        self.answers.get(..self.count.into()).unwrap_or_default()
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(answer) => {
                let mark = match answer {
                    Answer::Ok | Answer::Queued => "+",
                    Answer::Error(_) | Answer::ScriptError(_) => "-",
                    Answer::Nil | Answer::Integer(_) | Answer::Text(_) => "",
                };
                write!(f, "{mark}{answer}")
            }
            Self::List(answers) => {
                f.write_str("[")?;
                for (place, answer) in answers.as_slice().iter().enumerate() {
                    let comma = if place == 0 { "" } else { ", " };
                    write!(f, "{comma}{answer}")?;
                }
                f.write_str("]")
            }
            Self::Unknown(command) => write!(f, "-{command}"),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => f.write_str("OK"),
            Self::Queued => f.write_str("QUEUED"),
            Self::Nil => f.write_str("nil"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Text(text) if text.as_str().is_empty() => f.write_str("\"\""),
            Self::Text(text) => write!(f, "{text}"),
            Self::Error(error) => write!(f, "{error}"),
            // The server names the script by its hash here.
            Self::ScriptError(error) => write!(f, "{error} script: …, on @user_script:1."),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Syntax => "ERR syntax error",
            Self::InvalidExpire => "ERR invalid expire time in 'set' command",
            Self::NotAnInteger => "ERR value is not an integer or out of range",
            Self::Overflow => "ERR increment or decrement would overflow",
            Self::WrongType => "WRONGTYPE Operation against a key holding the wrong kind of value",
            Self::ExecWithoutMulti => "ERR EXEC without MULTI",
            Self::DiscardWithoutMulti => "ERR DISCARD without MULTI",
            Self::NestedMulti => "ERR MULTI calls can not be nested",
            Self::WatchInsideMulti => "ERR WATCH inside MULTI is not allowed",
            Self::ExecAbort => "EXECABORT Transaction discarded because of previous errors.",
            Self::OutOfMemory => "OOM command not allowed when used memory > 'maxmemory'.",
            Self::TooManyClients => "ERR max number of clients reached",
            Self::ReadOnly => "READONLY You can't write against a read only replica.",
        })
    }
}

impl fmt::Display for UnknownCommand {
    /// The server ends this line with a space, which is left out here.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeleteIf([key, condition, value]) => {
                write!(f, "ERR unknown command 'DELEX', with args beginning with: '{key}' '{condition}' '{value}'")
            }
            Self::NoSuch => f.write_str("ERR unknown command 'NOSUCH', with args beginning with:"),
        }
    }
}
