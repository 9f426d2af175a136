//! What clients of `ZooKeeper` ask for, and how they write it.

use super::path::Path;
use crate::system::label::Label;

/// A request of a client, or something that its library does.
///
/// As text they read as in [zkCli](https://zookeeper.apache.org/doc/r3.8.0/zookeeperCLI.html);
/// `exists` is called `stat` there, and `multi` is written as its operations with `;`
/// between them. Data is a [`Label`]. What the library does has words of its own:
/// `connect`, `reconnect`, `ping`, `event`.
///
/// | text | what |
/// |---|---|
/// | `connect 1000` | a new handle, which asks for a session timeout in ms |
/// | `reconnect` | the library finds a server again, and offers its session |
/// | `ping` | the packet that an idle library sends, so that its session lives |
/// | `close` | the session ends now |
/// | `create -s -e /locks/lock- a` | a node: `-s` sequential, `-e` ephemeral, `-c` a container |
/// | `exists -w /locks/lock-0000000000` | its stat; `-w` leaves a watch |
/// | `get /t/v`, `ls /t` | its data, its children |
/// | `set -v 0 /t/v b`, `delete -v 0 /t/v` | only if the version is this; without `-v`, any |
/// | `multi check -v 0 /t/v ; set /t/w b` | all or nothing |
/// | `event` | waits for what a watch or the session reports |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Opens a new handle. A session that the caller had goes on without it.
    Connect {
        /// The session timeout that it asks for, in milliseconds.
        timeout_ms: u16,
    },
    /// Connects the handle again.
    Reconnect,
    /// Keeps the session alive.
    Ping,
    /// Ends the session.
    Close,
    /// Creates a node.
    Create {
        /// Where; with a sequential node, without the number.
        path: Path,
        /// What kind of node.
        mode: Mode,
        /// Its data.
        data: Label,
    },
    /// Asks for the stat of a node that may not be there.
    Exists {
        /// Which node.
        path: Path,
        /// Whether to be told, once, of the next change.
        watch: bool,
    },
    /// Reads the data of a node.
    GetData(Path),
    /// Lists the children of a node.
    GetChildren(Path),
    /// Writes the data of a node.
    SetData(Set),
    /// Deletes a node without children.
    Delete {
        /// Which node.
        path: Path,
        /// The version that it must have.
        version: Version,
    },
    /// Does all of several operations, or none.
    Multi(Multi),
    /// Waits for an event.
    Event,
}

/// What kind of node is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It stays until it is deleted.
    Persistent,
    /// As above, with a number behind the name.
    PersistentSequential,
    /// It goes with the session that created it.
    Ephemeral,
    /// As above, with a number behind the name.
    EphemeralSequential,
    /// The server deletes it some time after its last child has gone.
    Container,
}

/// The version that a node must have: `None` (written -1 by clients) is any.
///
/// Another negative number matches no node, so it is no command here.
pub type Version = Option<u16>;

/// A write of a node's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    /// Which node.
    pub path: Path,
    /// What is written.
    pub data: Label,
    /// The version that it must have.
    pub version: Version,
}

/// An operation of a multi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Goes wrong unless the node has this version.
    Check {
        /// Which node.
        path: Path,
        /// The version that it must have.
        version: Version,
    },
    /// Writes the data of a node.
    Set(Set),
}

/// The operations of a multi, at most [`Multi::MOST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multi(pub [Option<Operation>; Multi::MOST]);

impl Multi {
    /// How many operations a multi has at most.
    pub const MOST: usize = 4;
}

pub(super) fn parse(words: &str) -> Option<Command> {
    let (verb, rest) = words.trim().split_once(' ').unwrap_or((words.trim(), ""));
    let mut words = Words(rest);
    let command = match verb {
        "connect" => Command::Connect { timeout_ms: words.next()?.parse().ok()? },
        "reconnect" => Command::Reconnect,
        "ping" => Command::Ping,
        "close" => Command::Close,
        "event" => Command::Event,
        "create" => create(&mut words)?,
        "exists" => {
            let watch = words.flag("-w");
            Command::Exists { path: words.path()?, watch }
        }
        "get" => Command::GetData(words.path()?),
        "ls" => Command::GetChildren(words.path()?),
        "set" => Command::SetData(set(&mut words)?),
        "delete" => {
            let version = words.version()?;
            Command::Delete { version, path: words.path().filter(|path| path.split().is_some())? }
        }
        "multi" => return multi(rest).map(Command::Multi),
        _ => return None,
    };
    words.next().is_none().then_some(command)
}

fn create(words: &mut Words) -> Option<Command> {
    let (mut sequential, mut ephemeral, mut container) = (false, false, false);
    loop {
        match () {
            () if words.flag("-s") => sequential = true,
            () if words.flag("-e") => ephemeral = true,
            () if words.flag("-c") => container = true,
            () => break,
        }
    }
    let mode = match (container, ephemeral, sequential) {
        (false, false, false) => Mode::Persistent,
        (false, false, true) => Mode::PersistentSequential,
        (false, true, false) => Mode::Ephemeral,
        (false, true, true) => Mode::EphemeralSequential,
        (true, false, false) => Mode::Container,
        // "Containers cannot be ephemeral or sequential", says zkCli.
        (true, ..) => return None,
    };
    let path = words.path()?;
    let (_, last) = path.split()?;
    if sequential && last.sequence.is_some() {
        return None; // a number behind a number is no name of this model
    }
    let data = words.next().map_or(Some(Label::EMPTY), Label::parse)?;
    Some(Command::Create { path, mode, data })
}

fn set(words: &mut Words) -> Option<Set> {
    let version = words.version()?;
    Some(Set { version, path: words.path()?, data: Label::parse(words.next()?)? })
}

fn multi(text: &str) -> Option<Multi> {
    let mut operations = [None; Multi::MOST];
    for (place, part) in text.split(';').enumerate() {
        let mut words = Words(part);
        let operation = match words.next()? {
            "check" => {
                let version = words.version()?;
                Operation::Check { version, path: words.path()? }
            }
            "set" => Operation::Set(set(&mut words)?),
            _ => return None,
        };
        if words.next().is_some() {
            return None;
        }
        *operations.get_mut(place)? = Some(operation);
    }
    Some(Multi(operations))
}

/// The words of a line that are left.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0.trim_start();
        let (word, rest) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
        self.0 = rest;
        Some(word).filter(|word| !word.is_empty())
    }

    /// Whether this flag is next; then it is taken.
    fn flag(&mut self, flag: &str) -> bool {
        let rest = Self(self.0).next();
        let found = rest == Some(flag);
        if found {
            self.next();
        }
        found
    }

    fn path(&mut self) -> Option<Path> {
        Path::parse(self.next()?)
    }

    /// The version after `-v`, or any.
    fn version(&mut self) -> Option<Version> {
        if !self.flag("-v") {
            return Some(None);
        }
        match self.next()? {
            "-1" => Some(None),
            number => number.parse().ok().map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_range_is_no_command() {
        for words in [
            "connect 65536",
            "connect -1",
            "create -c -e /a",
            "create /",
            "create -s /a/b-0000000001",
            "delete /",
            "set -v -2 /a b",
            "set -v 65536 /a b",
            "set /a",
            "ls /a b",
            "multi",
            "multi check -v 0 /a ;",
            "multi check /a ; check /a ; check /a ; check /a ; check /a",
            "nonsense",
            "",
        ] {
            assert_eq!(parse(words), None, "{words}");
        }
    }

    #[test]
    fn minus_one_is_any_version() {
        assert_eq!(parse("delete -v -1 /a"), parse("delete /a"));
        assert!(parse("delete /a").is_some());
    }
}
