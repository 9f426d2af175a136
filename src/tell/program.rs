//! Programs as lines of code: as pseudocode, or as the real calls that are modelled.

use racescope_engine::backoff;
use racescope_engine::sim::{
    Ask, Client, Guard, Meaning, NodeIndex, NodeKind, Operation, Outcome, Program, Register, Request, Scenario, Step,
    Target, TryAgain,
};
use racescope_engine::system::ClockKind;

use super::names::duration;

/// How the lines of a program are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// In plain words that look like code.
    Pseudocode,
    /// As the calls of the real systems: of redis-cli, psql, etcdctl and so on. What asks
    /// nobody stays in plain words.
    Calls,
}

impl Voice {
    /// Both, in the order in which they are offered.
    pub const ALL: [Self; 2] = [Self::Pseudocode, Self::Calls];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pseudocode => "pseudocode",
            Self::Calls => "calls",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|voice| voice.name() == name)
    }
}

/// The program of a client, a line for each step; none for another node. Lines count
/// from 1 where one leads to another.
pub fn program(scenario: &Scenario, client: NodeIndex, voice: Voice) -> Vec<String> {
    let (Some(runs), Some(program)) = (scenario.client(client), scenario.program_of(client)) else {
        return Vec::new();
    };
    let writer = Writer { scenario, client: runs, program, voice };
    (0..).zip(&program.steps).map(|(place, step)| writer.line(place, step)).collect()
}

struct Writer<'a> {
    scenario: &'a Scenario,
    client: &'a Client,
    program: &'a Program,
    voice: Voice,
}

impl Writer<'_> {
    fn line(&self, place: usize, step: &Step) -> String {
        let (text, leads) = match &step.operation {
            Operation::Ask { server, ask } => (self.ask(*server, ask), self.answers(place, ask)),
            other => (self.operation(other), Vec::new()),
        };
        let branches = step.branches.iter().filter(|branch| self.leads_away(place, branch.target));
        let branches = branches.map(|branch| (outcome(branch.outcome).to_string(), branch.target));
        let mut line = text;
        for (when, target) in leads.into_iter().chain(branches) {
            line += &format!("; {when} → {}", lead(target));
        }
        line
    }

    fn leads_away(&self, place: usize, target: Target) -> bool {
        match target {
            Target::Next => false,
            Target::Step(step) => usize::from(step) != place + 1,
            Target::Stop => true,
            Target::End => place + 1 < self.program.steps.len(),
        }
    }

    fn name(&self, register: Register) -> &str {
        self.program.registers.get(usize::from(register)).map_or("", String::as_str)
    }

    fn node(&self, node: NodeIndex) -> &str {
        self.scenario.nodes.get(usize::from(node)).map_or("", |node| &node.title)
    }

    fn ask(&self, server: NodeIndex, ask: &Ask) -> String {
        match self.voice {
            Voice::Calls => {
                format!("{}> {}", self.node(server), ask.say.named(self.client.letter, &self.program.registers))
            }
            Voice::Pseudocode => format!("{}({})", verb(ask.meaning), self.node(server)),
        }
    }

    /// Where answers lead that don't lead to the next line.
    fn answers(&self, place: usize, ask: &Ask) -> Vec<(String, Target)> {
        let away = ask.answers.iter().filter(|answer| self.leads_away(place, answer.target));
        away.map(|answer| {
            let when = match self.voice {
                Voice::Calls => answer.reply.named(self.client.letter, &self.program.registers),
                Voice::Pseudocode if answer.outcome == Outcome::Done && ask.answers.len() > 1 => "else".to_string(),
                Voice::Pseudocode => outcome(answer.outcome).to_string(),
            };
            (when, answer.target)
        })
        .collect()
    }

    fn operation(&self, operation: &Operation) -> String {
        match *operation {
            Operation::Call { server, request } if self.voice == Voice::Calls => self.call(server, request),
            Operation::Call { server, request } => self.plain_call(server, request),
            Operation::Compute { from, into, add: 0 } => format!("{} ← {}", self.name(into), self.name(from)),
            Operation::Compute { from, into, add } => format!("{} ← {} + {add}", self.name(into), self.name(from)),
            Operation::Compare { register, with } => format!("compare {} with {with}", self.name(register)),
            Operation::Wait { us } => format!("sleep {}", duration(us)),
            Operation::TryAgain(again) => self.sleep(again),
            Operation::SetDeadline { us, clock: ClockKind::Monotonic } => format!("deadline ← now + {}", duration(us)),
            Operation::SetDeadline { us, clock: ClockKind::Wall } => {
                format!("deadline ← date + {}", duration(us))
            }
            Operation::CheckDeadline => "compare now with deadline".to_string(),
            Operation::Conclude { lock, outcome: Outcome::Granted, .. } => format!("I hold {}", self.node(lock)),
            Operation::Conclude { lock, .. } => format!("I don’t hold {} any more", self.node(lock)),
            Operation::Stop => "give up".to_string(),
            Operation::Ask { .. } => String::new(),
        }
    }

    /// The sleep before another try, as its rule stands in
    /// <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>.
    fn sleep(&self, TryAgain { backoff, tries, .. }: TryAgain) -> String {
        let (base, cap, tries) = (duration(backoff.base_us), duration(backoff.cap_us), self.name(tries));
        let exponential = format!("min({cap}, {base} · 2^{tries})");
        let rule = match backoff.kind {
            backoff::Kind::Immediate => "sleep 0".to_string(),
            backoff::Kind::Exponential => format!("sleep {exponential}"),
            backoff::Kind::FullJitter => format!("sleep random(0, {exponential})"),
            backoff::Kind::EqualJitter => format!("e ← {exponential}; sleep e/2 + random(0, e/2)"),
            backoff::Kind::DecorrelatedJitter => format!("sleep min({cap}, random({base}, 3 · last sleep))"),
        };
        format!("{rule}; {} tries in all", backoff.attempts)
    }

    fn plain_call(&self, server: NodeIndex, request: Request) -> String {
        let node = self.node(server);
        match request {
            Request::Acquire { ttl_us, token, .. } => {
                format!("{} ← acquire({node}, {})", self.name(token), duration(ttl_us))
            }
            Request::Check { token } => format!("check({node}, {})", self.name(token)),
            Request::Renew { ttl_us, token } => format!("renew({node}, {}, {})", self.name(token), duration(ttl_us)),
            Request::Release { token } => format!("release({node}, {})", self.name(token)),
            Request::Read { version, value } => format!("{}, {} ← read({node})", self.name(value), self.name(version)),
            Request::Write { value, token: Some(token), .. } => {
                format!("write({node}, {}, {})", self.name(value), self.name(token))
            }
            Request::Write { value, .. } => format!("write({node}, {})", self.name(value)),
            Request::Command { .. } => String::new(),
        }
    }

    /// What the two plain servers are modelled after: a key of Redis with a counter in
    /// the same script, and a row of a table.
    fn call(&self, server: NodeIndex, request: Request) -> String {
        let me = self.client.letter.to_ascii_lowercase();
        match request {
            Request::Acquire { ttl_us, .. } => {
                format!("redis> EVAL \"SET lock {me} NX PX {} and INCR fence\"", ttl_us / 1_000)
            }
            Request::Check { .. } => "redis> GET lock".to_string(),
            Request::Renew { ttl_us, .. } => {
                format!("redis> EVAL \"if GET lock is {me} then PEXPIRE lock {}\"", ttl_us / 1_000)
            }
            Request::Release { .. } => format!("redis> EVAL \"if GET lock is {me} then DEL lock\""),
            Request::Read { .. } => "sql> SELECT value, version FROM t WHERE id = 1".to_string(),
            Request::Write { value, based_on, token } => {
                let (value, based_on) = (self.name(value), self.name(based_on));
                let token = token.map_or("0", |token| self.name(token));
                let (set, condition) = match self.guard(server) {
                    Some(Guard::FenceBelow) => (format!(", fence = :{token}"), format!(" AND fence < :{token}")),
                    Some(Guard::FenceAtMost) => (format!(", fence = :{token}"), format!(" AND fence <= :{token}")),
                    Some(Guard::VersionCompareAndSet) => (String::new(), format!(" AND version = :{based_on}")),
                    _ => (String::new(), String::new()),
                };
                format!("sql> UPDATE t SET value = :{value}, version = version + 1{set} WHERE id = 1{condition}")
            }
            Request::Command { .. } => String::new(),
        }
    }

    fn guard(&self, server: NodeIndex) -> Option<Guard> {
        match &self.scenario.nodes.get(usize::from(server))?.kind {
            NodeKind::Storage(storage) => Some(storage.guard),
            _ => None,
        }
    }
}

/// Where a branch leads, by the number of the line.
fn lead(target: Target) -> String {
    match target {
        Target::Next => "next".to_string(),
        Target::Step(step) => format!("line {}", step + 1),
        Target::Stop => "give up".to_string(),
        Target::End => "end".to_string(),
    }
}

fn verb(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Nothing => "ask",
        Meaning::Acquire => "acquire",
        Meaning::Check => "check",
        Meaning::Renew => "renew",
        Meaning::Release => "release",
        Meaning::Read => "read",
        Meaning::Write => "write",
        Meaning::Fill => "fill",
        Meaning::Clear => "clear",
        Meaning::Effect => "act on",
        Meaning::Promise => "promise",
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "then",
        Outcome::Granted => "granted",
        Outcome::Busy => "busy",
        Outcome::Held => "held",
        Outcome::Lost => "lost",
        Outcome::Accepted => "accepted",
        Outcome::Refused => "refused",
        Outcome::TimedOut => "no answer",
        Outcome::Below => "below",
        Outcome::AtLeast => "not below",
        Outcome::Hit => "hit",
        Outcome::Miss => "miss",
        Outcome::Unknown | Outcome::Unexpected => "unknown",
        Outcome::InTime => "in time",
        Outcome::Late => "late",
        Outcome::Exhausted => "no try left",
    }
}
