//! What `ZooKeeper` answers.

use core::fmt;

use super::command::Multi;
use super::path::{Component, Path};
use crate::system::label::Label;

/// An answer of the server, or of the library that speaks to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The handle is connected.
    Connected {
        /// The session timeout that the server granted, in milliseconds.
        timeout_ms: u16,
    },
    /// The answer to a ping.
    Pong,
    /// It is done, and there is nothing to tell.
    Done,
    /// A node was created, with this name.
    Created(Path),
    /// The stat of a node.
    Stat(Stat),
    /// There is no such node, says `exists`, and that is no error.
    Null,
    /// The data of a node.
    Data(Label),
    /// The children of a node.
    Children(Children),
    /// What each operation of a multi came to.
    Multi([Option<Part>; Multi::MOST]),
    /// What a watch or the session reports.
    Event(Event),
    /// It was refused, or never arrived.
    Failed(Failure),
}

/// The numbers that `ZooKeeper` keeps of a node; those of time and length are left out.
/// See <https://zookeeper.apache.org/doc/r3.8.0/zookeeperProgrammers.html#sc_zkStatStructure>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The zxid of the change that created it. Grows from one incarnation to the next.
    pub czxid: u16,
    /// The zxid of the last change of its data.
    pub mzxid: u16,
    /// The zxid of the last change of its list of children.
    pub pzxid: u16,
    /// How often its data has changed since it was created: 0 again after a delete.
    pub version: u16,
    /// How often its list of children has changed: creates and deletes.
    pub cversion: u32,
    /// How many children it has.
    pub num_children: u16,
}

/// What an operation of a multi came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The version was the one asked for.
    Checked,
    /// The data was written.
    Written(Stat),
    /// It would have worked, but one behind it didn't.
    RolledBack,
    /// It went wrong.
    Failed(Failure),
    /// One before it went wrong.
    RuntimeInconsistency,
}

/// What the handler of an event is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The node of a watch has changed.
    Node(Change, Path),
    /// There is no connection. The session may live or not; nobody here knows.
    Disconnected,
    /// The session has ended; the handle is of no more use.
    Expired,
}

/// How a watched node has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was created.
    Created,
    /// It was deleted.
    Deleted,
    /// Its data was written.
    DataChanged,
}

/// Why a request didn't succeed: the codes of `KeeperException`
/// (<https://zookeeper.apache.org/doc/r3.8.0/apidocs/zookeeper-server/org/apache/zookeeper/KeeperException.html>).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The node, or its parent, isn't there.
    NoNode,
    /// The node is there already.
    NodeExists,
    /// The node has another version.
    BadVersion,
    /// The node has children.
    NotEmpty,
    /// An ephemeral node has no children.
    NoChildrenForEphemerals,
    /// There is no connection.
    ConnectionLoss,
    /// The session has ended, and the client has heard of it.
    SessionExpired,
    /// The caller has no handle, or has closed it.
    NotConnected,
    /// The model is too small for it; a real server would have done it.
    BeyondModel(Limit),
}

/// What the model has no more of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Callers.
    Callers,
    /// Sessions.
    Sessions,
    /// Nodes, and paths that are watched.
    Nodes,
    /// Watches of one caller, with the events that it hasn't taken yet.
    Watches,
    /// Numbers of 16 bits.
    Numbers,
}

/// The children of a node, sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Children {
    list: [Component; Children::MOST],
    length: u8,
}

impl Children {
    /// How many nodes a model has at most, and so how many children.
    pub const MOST: usize = 12;

    /// The sorted list of at most [`Children::MOST`] children; more are left out.
    pub(super) fn new(children: impl Iterator<Item = Component>) -> Self {
        let mut list = [Component::default(); Self::MOST];
        let mut length = 0;
        for (place, child) in list.iter_mut().zip(children) {
            *place = child;
            length += 1;
        }
        list[..usize::from(length)].sort_unstable();
        Self { list, length }
    }

    /// The children, sorted by name and number.
    pub fn list(&self) -> &[Component] {
        &self.list[..usize::from(self.length)]
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected { timeout_ms } => write!(f, "negotiated timeout = {timeout_ms}"),
            Self::Pong => f.write_str("ping response"),
            Self::Done => f.write_str("ok"),
            Self::Created(path) => write!(f, "Created {path}"),
            Self::Stat(stat) => write!(f, "{stat}"),
            Self::Null => f.write_str("null"),
            Self::Data(data) if data.is_empty() => f.write_str("null"),
            Self::Data(data) => write!(f, "{data}"),
            Self::Children(children) => bracketed(f, children.list()),
            Self::Multi(parts) => bracketed(f, parts.iter().flatten()),
            Self::Event(event) => write!(f, "{event}"),
            Self::Failed(failure) => write!(f, "{failure}"),
        }
    }
}

fn bracketed(f: &mut fmt::Formatter<'_>, list: impl IntoIterator<Item = impl fmt::Display>) -> fmt::Result {
    f.write_str("[")?;
    for (place, item) in list.into_iter().enumerate() {
        write!(f, "{}{item}", if place == 0 { "" } else { ", " })?;
    }
    f.write_str("]")
}

impl fmt::Display for Stat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { czxid, mzxid, pzxid, version, cversion, num_children } = self;
        write!(f, "version {version}, czxid {czxid}, mzxid {mzxid}")?;
        write!(f, ", pzxid {pzxid}, cversion {cversion}, numChildren {num_children}")
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checked => f.write_str("true"),
            Self::Written(stat) => write!(f, "version {}", stat.version),
            Self::RolledBack => f.write_str("RolledBack"),
            Self::Failed(failure) => write!(f, "{failure}"),
            Self::RuntimeInconsistency => f.write_str("RuntimeInconsistency"),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(change, path) => {
                let kind = match change {
                    Change::Created => "NodeCreated",
                    Change::Deleted => "NodeDeleted",
                    Change::DataChanged => "NodeDataChanged",
                };
                write!(f, "WatchedEvent state:SyncConnected type:{kind} path:{path}")
            }
            Self::Disconnected => f.write_str("WatchedEvent state:Disconnected type:None path:null"),
            Self::Expired => f.write_str("WatchedEvent state:Expired type:None path:null"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoNode => "NoNode",
            Self::NodeExists => "NodeExists",
            Self::BadVersion => "BadVersion",
            Self::NotEmpty => "NotEmpty",
            Self::NoChildrenForEphemerals => "NoChildrenForEphemerals",
            Self::ConnectionLoss => "ConnectionLoss",
            Self::SessionExpired => "SessionExpired",
            Self::NotConnected => "Not connected",
            Self::BeyondModel(Limit::Callers) => "(the model has no such caller)",
            Self::BeyondModel(Limit::Sessions) => "(the model has no more sessions)",
            Self::BeyondModel(Limit::Nodes) => "(the model has no more nodes)",
            Self::BeyondModel(Limit::Watches) => "(the model has no more watches)",
            Self::BeyondModel(Limit::Numbers) => "(the model's numbers have 16 bits)",
        })
    }
}
