//! Which scenarios can run: files from strangers are hostile, and a world has a fixed size.

use core::fmt;

use super::command::MOST_CARRIED;
use super::contention::TryAgain;
use super::scenario::{LIMITS, NodeIndex, NodeKind, Operation, Outcome, Program, Register, Request, Scenario, Target};
use super::thing::{Held, Part, Role};
use crate::system::setup::SetupError;

/// Why a scenario cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScenarioError {
    /// Something is above its limit: what, how much, and the limit.
    TooLarge(&'static str, u64, u64),
    /// Something is 0 that must not be.
    Zero(&'static str),
    /// A node, program, step or register that is referred to isn't there.
    Missing(&'static str, u64),
    /// A request goes to a server of the wrong kind.
    WrongServer(NodeIndex),
    /// A program concludes that it got a lock that gives its own tokens, and says no token.
    NoToken(NodeIndex),
    /// A step that takes time, waits or asks a server can't happen at once with another.
    TakesTime,
    /// A real system can't be set up.
    System(SetupError),
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(what, is, most) => write!(f, "{what}: {is} is more than the limit of {most}"),
            Self::Zero(what) => write!(f, "{what}: 0 stands for none, so it must be at least 1"),
            Self::Missing(what, index) => write!(f, "there is no {what} with index {index}"),
            Self::TakesTime => write!(f, "a step that works, waits or asks a server can't happen at once with another"),
            Self::System(error) => write!(f, "{error}"),
            Self::NoToken(node) => {
                write!(f, "only the lock of node {node} gives its tokens: say which one the client concludes it has")
            }
            Self::WrongServer(node) => write!(f, "node {node} doesn't take that request"),
        }
    }
}

impl Scenario {
    /// Checks limits and references, so that a run can neither overflow nor miss.
    ///
    /// # Errors
    /// The first thing that doesn't fit.
    pub fn validate(&self) -> Result<(), ScenarioError> {
        at_most("nodes", self.nodes.len(), LIMITS.nodes)?;
        for node in &self.nodes {
            match &node.kind {
                NodeKind::Client(client) => {
                    at_most_us("the start of a client", client.starts_us)?;
                    let Some(program) = self.programs.get(usize::from(client.program)) else {
                        return Err(ScenarioError::Missing("program", client.program.into()));
                    };
                    if let Some(process) = client.thread_of {
                        let of = self.client(process).filter(|other| other.thread_of.is_none());
                        let shared = of.and_then(|other| self.programs.get(usize::from(other.program)));
                        if shared.is_none_or(|other| other.registers != program.registers) {
                            return Err(ScenarioError::Missing("process with the same values", process.into()));
                        }
                    }
                }
                NodeKind::Lock(lock) => {
                    at_most_us("a latency", lock.latency_us)?;
                    at_most_first("a first token", lock.first_token)?;
                    if lock.first_token == 0 {
                        return Err(ScenarioError::Zero("a first token"));
                    }
                }
                NodeKind::Storage(storage) => {
                    at_most_us("a latency", storage.latency_us)?;
                    at_most_first("a first version", storage.first_version)?;
                    at_most_first("a first fence", storage.first_fence)?;
                }
                NodeKind::System(system) => {
                    at_most_us("a latency", system.latency_us)?;
                    at_most_us("a lag", system.setup.lag_us)?;
                    system.setup.build(super::layout::callers(self)).map_err(ScenarioError::System)?;
                }
                NodeKind::Part(_) => {}
            }
        }
        for node in self.indices() {
            self.validate_role(node)?;
        }
        for program in &self.programs {
            self.validate_program(program)?;
        }
        at_most("cells of state", super::layout::cells_needed(self), LIMITS.cells)
    }

    fn validate_program(&self, program: &Program) -> Result<(), ScenarioError> {
        at_most("steps of a program", program.steps.len(), LIMITS.steps)?;
        at_most("registers of a program", program.registers.len(), LIMITS.registers)?;
        for step in &program.steps {
            at_most_us("the work before a step", step.work_us)?;
            at_most_us("a deadline", step.timeout_us.unwrap_or(0))?;
            if step.at_once && (step.work_us > 0 || !is_local(&step.operation)) {
                return Err(ScenarioError::TakesTime);
            }
            let answers = match &step.operation {
                Operation::Ask { ask, .. } => ask.answers.as_slice(),
                _ => &[],
            };
            let answered = answers.iter().map(|answer| answer.target);
            for target in step.branches.iter().map(|branch| branch.target).chain(answered) {
                if let Target::Step(index) = target
                    && usize::from(index) >= program.steps.len()
                {
                    return Err(ScenarioError::Missing("step", index.into()));
                }
            }
            self.validate_operation(&step.operation, program.registers.len())?;
        }
        Ok(())
    }

    /// What a thing refers to must be there, and be of its kind.
    fn validate_role(&self, node: NodeIndex) -> Result<(), ScenarioError> {
        let there = |place: NodeIndex, is: &dyn Fn(&NodeKind) -> bool| {
            let known = self.nodes.get(usize::from(place)).is_some_and(|node| is(&node.kind));
            if known { Ok(()) } else { Err(ScenarioError::Missing("node for a thing", place.into())) }
        };
        if let NodeKind::Part(Part { of: Some(host), .. }) = self.nodes[usize::from(node)].kind {
            there(host, &|kind| matches!(kind, NodeKind::System(_)))?;
        }
        let is_data = |place| there(place, &|_| self.role(place).is_some_and(Role::is_data));
        match self.role(node) {
            Some(Role::Lock { first_token: 0, .. }) => Err(ScenarioError::Zero("a first token")),
            Some(Role::Lock { first_token, held }) => {
                at_most_first("a first token", *first_token)?;
                match held {
                    // A lock by quorum stands on plain locks, so that asking comes to an end.
                    Held::ByQuorum { members, .. } => members.iter().try_for_each(|&member| {
                        let is_plain = matches!(self.role(member), Some(Role::Lock { held, .. }) if !matches!(held, Held::ByQuorum { .. }));
                        there(member, &|_| is_plain)
                    }),
                    _ => Ok(()),
                }
            }
            Some(Role::Data { first_version: 0, .. }) => Err(ScenarioError::Zero("a first version")),
            Some(Role::Data { first_version, copy_of }) => {
                at_most_first("a first version", *first_version)?;
                copy_of.as_ref().map_or(Ok(()), |&(source, _)| is_data(source))
            }
            Some(Role::Cache { of, .. }) => is_data(*of),
            Some(Role::Server | Role::Effects { .. }) | None => Ok(()),
        }
    }

    fn validate_operation(&self, operation: &Operation, registers: usize) -> Result<(), ScenarioError> {
        let known = |register: Register| {
            if usize::from(register) < registers {
                Ok(())
            } else {
                Err(ScenarioError::Missing("register", register.into()))
            }
        };
        match *operation {
            Operation::Stop | Operation::CheckDeadline => Ok(()),
            Operation::Wait { us } => at_most_us("a wait", us),
            Operation::TryAgain(TryAgain { backoff, tries, .. }) => {
                at_most_us("a wait", backoff.base_us.max(backoff.cap_us))?;
                at_most("tries", backoff.attempts as usize, LIMITS.tries)?;
                known(tries)
            }
            Operation::Compare { register, .. } => known(register),
            Operation::Compute { from, into, .. } => known(from).and_then(|()| known(into)),
            Operation::SetDeadline { us, .. } => at_most_us("a deadline", us),
            Operation::Conclude { lock, outcome, token } => {
                if !self.locks().any(|other| other == lock) {
                    return Err(ScenarioError::WrongServer(lock));
                }
                // Only this lock gives its tokens, so none can be made up for it.
                let is_lease_lock = matches!(self.nodes[usize::from(lock)].kind, NodeKind::Lock(_));
                if is_lease_lock && outcome == Outcome::Granted && token.is_none() {
                    return Err(ScenarioError::NoToken(lock));
                }
                token.map_or(Ok(()), known)
            }
            Operation::Ask { server, ref ask } => {
                if self.role(server).is_none()
                    || !matches!(self.nodes[usize::from(self.host(server))].kind, NodeKind::System(_))
                {
                    return Err(ScenarioError::WrongServer(server));
                }
                let said = ask.say.registers();
                at_most("values in a command", said.len(), MOST_CARRIED)?;
                let given = ask.answers.iter().flat_map(|answer| answer.reply.registers());
                said.into_iter().chain(given).chain(ask.token).chain(ask.segment).try_for_each(known)
            }
            Operation::Call { server, request } => {
                let node = self.nodes.get(usize::from(server));
                let node = node.ok_or(ScenarioError::Missing("node", server.into()))?;
                let fits = match request {
                    Request::Read { .. } | Request::Write { .. } => matches!(node.kind, NodeKind::Storage(_)),
                    _ => matches!(node.kind, NodeKind::Lock(_)),
                };
                if !fits {
                    return Err(ScenarioError::WrongServer(server));
                }
                match request {
                    Request::Acquire { ttl_us, token, .. } | Request::Renew { ttl_us, token } => {
                        at_most_us("a lease", ttl_us).and_then(|()| known(token))
                    }
                    Request::Check { token } | Request::Release { token } => known(token),
                    Request::Command { .. } => Err(ScenarioError::WrongServer(server)),
                    Request::Read { version, value } => known(version).and_then(|()| known(value)),
                    Request::Write { value, based_on, token } => {
                        known(value)?;
                        known(based_on)?;
                        token.map_or(Ok(()), known)
                    }
                }
            }
        }
    }
}

/// Whether a step neither asks a server nor waits.
fn is_local(operation: &Operation) -> bool {
    !matches!(
        operation,
        Operation::Call { .. } | Operation::Ask { .. } | Operation::Wait { .. } | Operation::TryAgain(_)
    )
}

fn at_most(what: &'static str, is: usize, most: usize) -> Result<(), ScenarioError> {
    if is <= most { Ok(()) } else { Err(ScenarioError::TooLarge(what, is as u64, most as u64)) }
}

fn at_most_first(what: &'static str, is: u16) -> Result<(), ScenarioError> {
    at_most(what, is.into(), LIMITS.first_number.into())
}

fn at_most_us(what: &'static str, us: u64) -> Result<(), ScenarioError> {
    if us <= LIMITS.time_us { Ok(()) } else { Err(ScenarioError::TooLarge(what, us, LIMITS.time_us)) }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use super::super::example::stale_overwrite;
    use super::super::scenario::{Client, Node, Target};
    use super::*;

    fn says(change: impl FnOnce(&mut Scenario)) -> String {
        let mut scenario = stale_overwrite();
        change(&mut scenario);
        scenario.validate().map_or_else(|error| error.to_string(), |()| "fits".into())
    }

    fn client(program: u8, starts_us: u64) -> Node {
        Node {
            title: "Client".into(),
            kind: NodeKind::Client(Client { letter: 'C', program, starts_us, thread_of: None }),
        }
    }

    #[test]
    fn an_error_names_what_does_not_fit() {
        assert_eq!(says(|_| ()), "fits");
        assert_eq!(says(|it| it.nodes.extend((0..29).map(|_| client(0, 0)))), "nodes: 33 is more than the limit of 32");
        assert_eq!(
            says(|it| it.nodes[0] = client(0, 3_600_000_001)),
            "the start of a client: 3600000001 is more than the limit of 3600000000"
        );
        assert_eq!(says(|it| it.nodes[0] = client(1, 0)), "there is no program with index 1");
        assert_eq!(says(|it| it.nodes.swap(2, 3)), "node 2 doesn't take that request");
        assert_eq!(
            says(|it| it.programs[0].steps[0].branches[0].target = Target::Step(7)),
            "there is no step with index 7"
        );
        assert_eq!(
            says(|it| it.programs[0].steps[0].timeout_us = Some(3_600_000_001)),
            "a deadline: 3600000001 is more than the limit of 3600000000"
        );
        assert_eq!(says(|it| it.programs[0].registers.truncate(2)), "there is no register with index 2");
    }

    #[test]
    fn tokens_start_where_they_can_neither_mean_none_nor_run_out() {
        let first_token = |token| {
            says(|it| {
                if let NodeKind::Lock(lock) = &mut it.nodes[2].kind {
                    lock.first_token = token;
                }
            })
        };
        assert_eq!(first_token(0), "a first token: 0 stands for none, so it must be at least 1");
        assert_eq!(first_token(45_000), "fits");
        assert_eq!(first_token(45_001), "a first token: 45001 is more than the limit of 45000");
        assert!(usize::from(LIMITS.first_number) + LIMITS.events < usize::from(u16::MAX));
    }
}
