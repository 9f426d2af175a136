//! Who is who in a scenario.

use super::command::Ask;
use super::scenario::{Client, NodeIndex, NodeKind, Operation, Program, Scenario};
use super::thing::{Held, Part, Role};
use crate::system;

impl Scenario {
    /// The program of a client, or `None` if the node is no client.
    pub fn program_of(&self, node: NodeIndex) -> Option<&Program> {
        self.client(node).map(|client| &self.programs[usize::from(client.program)])
    }

    /// The client at a node, or `None` if the node is no client.
    pub fn client(&self, node: NodeIndex) -> Option<&Client> {
        match &self.nodes.get(usize::from(node))?.kind {
            NodeKind::Client(client) => Some(client),
            _ => None,
        }
    }

    /// The nodes that are clients, in order.
    pub fn clients(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.indices().filter(|&node| self.client(node).is_some())
    }

    /// The nodes that are lock services, in order.
    pub fn locks(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.indices().filter(|&node| {
            matches!(self.nodes[usize::from(node)].kind, NodeKind::Lock(_))
                || self.role(node).is_some_and(Role::is_lock)
        })
    }

    /// The things on real systems that are read and written, in order.
    pub fn data(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.indices().filter(|&node| self.role(node).is_some_and(Role::is_data))
    }

    /// Whether this is a cache on this server that can't be asked whether it is empty.
    pub(crate) fn is_silent_cache_on(&self, lane: NodeIndex, host: NodeIndex) -> bool {
        self.host(lane) == host && matches!(self.role(lane), Some(Role::Cache { empty: None, .. }))
    }

    /// What is judged on this lane of a real system; `None` for any other node.
    pub fn role(&self, node: NodeIndex) -> Option<&Role> {
        match &self.nodes.get(usize::from(node))?.kind {
            NodeKind::System(system) if system::ARE_HERE => Some(&system.role),
            NodeKind::Part(part) if system::ARE_HERE => Some(&part.role),
            _ => None,
        }
    }

    /// Whether this lane is a thing on a real system that has effects.
    pub fn has_effects(&self, node: NodeIndex) -> bool {
        matches!(self.role(node), Some(Role::Effects { .. }))
    }

    /// Whether another lock stands on this one, such as Redlock on its nodes.
    pub fn is_member(&self, lock: NodeIndex) -> bool {
        self.indices().filter_map(|node| self.role(node)).any(
            |role| matches!(role, Role::Lock { held: Held::ByQuorum { members, .. }, .. } if members.contains(&lock)),
        )
    }

    /// Whether a lock stands on several others, so that no server answers for it.
    pub fn stands_on_others(&self, lock: NodeIndex) -> bool {
        matches!(self.role(lock), Some(Role::Lock { held: Held::ByQuorum { .. }, .. }))
    }

    /// The data that a cache or a copy is made of; any other lane is its own.
    pub fn source(&self, lane: NodeIndex) -> NodeIndex {
        match self.role(lane) {
            Some(Role::Cache { of, .. }) => *of,
            Some(Role::Data { copy_of: Some((source, _)), .. }) => *source,
            _ => lane,
        }
    }

    /// The server behind a lane: the node itself, unless it is a part of another one.
    pub fn host(&self, node: NodeIndex) -> NodeIndex {
        match self.nodes.get(usize::from(node)).map(|node| &node.kind) {
            Some(NodeKind::Part(Part { of: Some(host), .. })) => *host,
            _ => node,
        }
    }

    /// The process of a client: itself, unless it is a thread of another one. Any
    /// other node is its own.
    pub fn process(&self, node: NodeIndex) -> NodeIndex {
        self.client(node).and_then(|client| client.thread_of).unwrap_or(node)
    }

    /// The threads of a process, itself first.
    pub fn threads(&self, process: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let others = self.indices().filter(move |&node| node != process && self.process(node) == process);
        core::iter::once(process).chain(others)
    }

    /// Whether any client is a thread of another one.
    pub fn has_threads(&self) -> bool {
        self.clients().any(|client| self.process(client) != client)
    }

    /// What a client says at a step of its program, if it is a command.
    pub fn ask(&self, client: NodeIndex, step: u8) -> Option<&Ask> {
        match &self.program_of(client)?.steps.get(usize::from(step))?.operation {
            Operation::Ask { ask, .. } if system::ARE_HERE => Some(ask),
            _ => None,
        }
    }

    /// All nodes, in order.
    pub fn indices(&self) -> impl Iterator<Item = NodeIndex> + use<> {
        0..self.nodes.len() as NodeIndex
    }

    /// How long a message between this server and a client takes, in microseconds.
    pub fn latency_us(&self, server: NodeIndex) -> u64 {
        match &self.nodes[usize::from(self.host(server))].kind {
            NodeKind::Client(_) | NodeKind::Part(_) => 0,
            NodeKind::System(system) => system.latency_us,
            NodeKind::Lock(lock) => lock.latency_us,
            NodeKind::Storage(storage) => storage.latency_us,
        }
    }
}
