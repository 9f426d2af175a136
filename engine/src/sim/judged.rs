//! What a command to a real system means to those who judge a run, and what the
//! things on it are in truth.
//!
//! None of this changes what a system does. The judges' own numbers lie beside the
//! system's cells: who holds a lock with which token, which version is there, how
//! many effects there were.

use super::change::Change;
use super::command::{Ask, Meaning};
use super::lock;
use super::model::Model;
use super::record::Record;
use super::scenario::{NodeIndex, Outcome};
use super::storage::{self, Comparison, Relation};
use super::thing::{self, Comparing, EFFECTS, Held, PROMISES, Role};
use super::views::OWN;
use super::world::World;
use crate::system::View;

/// A command that was answered, as it is judged.
#[derive(Clone, Copy)]
pub(super) struct Answered<'a> {
    /// Which process said it, by whichever of its threads.
    pub client: NodeIndex,
    /// The lane that was meant.
    pub lane: NodeIndex,
    /// What was said.
    pub ask: &'a Ask,
    /// What the program makes of the answer.
    pub outcome: Outcome,
    /// From where the answer came, and who sees what was done.
    pub view: View,
    /// The token that the answer gives or the command brings, or 0.
    pub token: u16,
    /// The version that the client had read, or 0.
    pub based_on: u16,
    /// Which effect it is about, or 0.
    pub of: u16,
}

impl Answered<'_> {
    /// Whether it did what it asked for, or may yet do it.
    fn takes_place(&self) -> bool {
        match self.view {
            View::Undone | View::Void => false,
            View::Landed | View::Proposed => true,
            _ => matches!(self.outcome, Outcome::Accepted | Outcome::Done),
        }
    }

    /// Whether others don't see yet what it did, and may never see it.
    pub(super) fn stays_open(&self) -> bool {
        matches!(self.view, View::Open | View::Snapshot | View::Proposed)
    }
}

/// What a client is told beside the words: a token and a version.
pub(super) type Told = [u16; 2];

impl Model<'_> {
    /// Says what an answered command has changed, and what its client knows by it.
    pub(super) fn judge(&self, world: &mut World, it: Answered) -> (Change, Told) {
        let answered = (Change::Answered { outcome: it.outcome }, [0, 0]);
        let Some(role) = self.scenario.role(it.lane) else { return answered };
        if it.view == View::Committed
            && role.is_data()
            && let Some(change @ Change::Accepted { token, version, .. }) = self.publish(world, it.lane, it.client)
        {
            return (change, [token, version]);
        }
        match (role, it.ask.meaning) {
            (Role::Lock { .. }, _) => self.judge_lock(world, it).unwrap_or(answered),
            (Role::Data { .. }, Meaning::Read | Meaning::Write) => self.judge_data(world, it).unwrap_or(answered),
            (Role::Cache { of, .. }, _) => self.judge_cache(world, it, *of).unwrap_or(answered),
            (Role::Effects { .. }, _) => self.judge_effect(world, it).map_or(answered, |change| (change, [0, 0])),
            _ => answered,
        }
    }

    fn judge_effect(&self, world: &mut World, it: Answered) -> Option<Change> {
        let of = it.of;
        let promised = match (it.ask.meaning, it.outcome) {
            (Meaning::Effect, _) if it.takes_place() => false,
            (Meaning::Promise, _) if it.takes_place() => true,
            (Meaning::Effect, Outcome::Refused | Outcome::Lost | Outcome::Hit | Outcome::Held) => {
                return Some(Change::NotEffected { of });
            }
            _ => return None,
        };
        if let Some(change) = self.keep_effect_back(world, it) {
            return Some(change);
        }
        Some(self.count_effect(world, it.lane, promised, of))
    }

    /// An effect or a promise counts from now on.
    pub(super) fn count_effect(&self, world: &mut World, lane: NodeIndex, promised: bool, of: u16) -> Change {
        let count = &mut self.cells_mut(world, lane)[if promised { PROMISES } else { EFFECTS }];
        *count += 1;
        let count = *count;
        if promised { Change::Promised { count, of } } else { Change::Effected { count, of } }
    }

    fn judge_lock(&self, world: &mut World, it: Answered) -> Option<(Change, Told)> {
        let holder = lock::state(self.cells(world, it.lane)).holder;
        let own = holder.filter(|&(client, _)| client == it.client).map(|(_, token)| token);
        let believed = self.belief(world, it.client, it.lane).unwrap_or(it.token);
        let change = match (it.ask.meaning, it.outcome) {
            (Meaning::Acquire, Outcome::Granted) => return Some(self.grant(world, it, own)),
            (Meaning::Acquire, Outcome::Busy) => {
                let (holder, token) = holder?;
                return Some((Change::Busy { holder, token }, [0, 0]));
            }
            (Meaning::Check, Outcome::Held) => Change::StillHeld { token: believed },
            (Meaning::Renew, Outcome::Held) => Change::Renewed { token: believed, ttl_us: 0 },
            (_, Outcome::Lost) => Change::NotHeld { token: believed },
            (Meaning::Release, outcome)
                if own.is_some()
                    && if self.has_truth(it.lane) {
                        self.truth(world, it.lane) != Some(it.client)
                    } else {
                        // Who can't be asked has said so.
                        outcome == Outcome::Done
                    } =>
            {
                lock::free(self.cells_mut(world, it.lane));
                Change::Freed { token: own? }
            }
            _ => return None,
        };
        Some((change, [believed, 0]))
    }

    /// A client was told that it has the lock. `own` is its token if it has it already.
    fn grant(&self, world: &mut World, it: Answered, own: Option<u16>) -> (Change, Told) {
        // Where nobody can be asked, the last answer counts.
        let is_true = !self.has_truth(it.lane) || self.truth(world, it.lane) == Some(it.client);
        let cells = self.cells_mut(world, it.lane);
        let token = match own {
            Some(own) if it.token == 0 || it.token == own => {
                return (Change::StillHeld { token: own }, [own, 0]);
            }
            _ if it.token != 0 => it.token,
            _ => lock::next_token(cells),
        };
        if !is_true {
            return (Change::Answered { outcome: Outcome::Granted }, [token, 0]);
        }
        lock::hold(cells, it.client, token);
        (Change::Granted { token, ttl_us: 0 }, [token, 0])
    }

    fn judge_data(&self, world: &mut World, it: Answered) -> Option<(Change, Told)> {
        let seen = self.version_seen(world, it);
        let writes = it.ask.meaning == Meaning::Write && it.takes_place();
        if writes && let Some(change) = self.keep_back(world, it) {
            return Some((change, [it.token, OWN]));
        }
        let cells = self.cells_mut(world, it.lane);
        let (version, _) = storage::version_and_value(cells);
        let fence = storage::highest_token(cells);
        match (it.ask.meaning, it.outcome) {
            (Meaning::Read, Outcome::Done | Outcome::Hit) if seen == OWN => {
                Some((Change::Answered { outcome: it.outcome }, [0, OWN]))
            }
            (Meaning::Read, Outcome::Done | Outcome::Hit) => {
                Some((Change::Read { version: seen, value: 0 }, [0, seen]))
            }
            (Meaning::Write, _) if writes => {
                let made = thing::next_version(cells);
                storage::note_write(cells, it.token, made);
                // Who has never read builds on nothing, so it can't miss anything either; nor
                // does a write that replaces only what was read.
                let misses_nothing = matches!(it.based_on, 0 | OWN) || it.view == View::Beside;
                let based_on = if misses_nothing { version } else { it.based_on };
                let change = Change::Accepted {
                    token: it.token,
                    based_on,
                    replaced: version,
                    version: made,
                    comparison: None,
                    conditional: it.ask.conditional,
                };
                Some((change, [it.token, made]))
            }
            // Its client is told that it was, and still knows no other version than before.
            (Meaning::Write, Outcome::Accepted | Outcome::Done) => {
                let known = self.version_read(world, it.client, self.scenario.source(it.lane));
                Some((Change::Answered { outcome: it.outcome }, [0, known]))
            }
            (Meaning::Write, Outcome::Refused | Outcome::Lost) => {
                let is_late = it.token != 0 && it.token < fence;
                let is_outdated = !matches!(it.based_on, 0 | OWN) && it.based_on != version;
                // Who sends no token can't have been refused because of one.
                let (brought, relation, kept) = if is_outdated && (it.ask.token.is_none() || !is_late) {
                    (it.based_on, Relation::Different, version)
                } else if is_late {
                    (it.token, Relation::Less, fence)
                } else {
                    return None;
                };
                let comparison = Comparison { brought, relation, kept };
                // Only a fence that names a newer holder says something about the lease.
                let told = if relation == Relation::Less { it.token } else { 0 };
                Some((Change::Refused { token: it.token, based_on: it.based_on, comparison }, [told, 0]))
            }
            _ => None,
        }
    }

    /// Says how a write that brings a segment continues the row. Segments are counted
    /// from 1, and a newer token may begin its row anew. Asked before the write counts.
    pub(super) fn judge_segment(&self, world: &mut World, it: Answered, number: u16) -> Option<Change> {
        it.ask.segment?;
        self.scenario.role(it.lane).filter(|role| role.is_data())?;
        let accepted = match it.outcome {
            _ if it.takes_place() => true,
            Outcome::Refused | Outcome::Lost => false,
            _ => return None,
        };
        let cells = self.cells_mut(world, it.lane);
        let begins = number == 1 && it.token > storage::highest_token(cells);
        let after = if begins { 0 } else { storage::last_segment(cells) };
        if accepted {
            storage::put_segment(cells, number);
        }
        Some(Change::Segment { number, after, accepted })
    }

    fn judge_cache(&self, world: &mut World, it: Answered, of: NodeIndex) -> Option<(Change, Told)> {
        let (newest, _) = storage::version_and_value(self.cells(world, of));
        let cells = self.cells_mut(world, it.lane);
        let (cached, _) = storage::version_and_value(cells);
        // What only its own transaction sees is newer than all that others do.
        let version = if it.based_on == OWN { newest } else { it.based_on };
        match (it.ask.meaning, it.outcome) {
            (Meaning::Read, Outcome::Hit | Outcome::Done) => {
                Some((Change::Read { version: cached, value: 0 }, [0, cached]))
            }
            (Meaning::Fill, _) if it.takes_place() => {
                storage::put_version(cells, version);
                Some((Change::Filled { version, newest }, [0, 0]))
            }
            (Meaning::Fill, Outcome::Refused | Outcome::Lost) => Some((Change::NotFilled { version, newest }, [0, 0])),
            (Meaning::Clear, Outcome::Done | Outcome::Accepted) => {
                storage::put_version(cells, 0);
                Some((Change::Emptied, [0, 0]))
            }
            _ => None,
        }
    }

    /// Whether who holds a lock can be found out by asking.
    fn has_truth(&self, lane: NodeIndex) -> bool {
        matches!(self.scenario.role(lane), Some(Role::Lock { held: Held::ByProbe(_) | Held::ByQuorum { .. }, .. }))
    }

    /// Who holds a lock in truth, by what its server says; by what was answered so
    /// far, where it can't be asked.
    pub(super) fn truth(&self, world: &World, lane: NodeIndex) -> Option<NodeIndex> {
        let Some(Role::Lock { held, .. }) = self.scenario.role(lane) else { return None };
        match held {
            Held::ByAnswers => self.holder(world, lane).map(|(client, _)| client),
            Held::ByProbe(probe) => {
                let reply = self.probe(world, self.scenario.host(lane), &probe.ask);
                self.scenario.clients().find(|&client| self.says(&reply, probe, client))
            }
            Held::ByQuorum { members, needed } => self.scenario.clients().find(|&client| {
                let holds = |&&member: &&NodeIndex| self.truth(world, member) == Some(client);
                members.iter().filter(holds).count() >= usize::from(*needed)
            }),
        }
    }

    /// Notes what has become of the things on a server, after something has happened
    /// to it: `by` a command of a client, or by itself.
    pub(super) fn refresh(
        &self,
        world: &mut World,
        host: NodeIndex,
        by: Option<(NodeIndex, Meaning)>,
        record: &mut impl Record,
    ) {
        for lane in self.scenario.indices() {
            let is_meant = self.scenario.host(lane) == host;
            match self.scenario.role(lane) {
                Some(Role::Lock { held: Held::ByProbe(_), .. }) if is_meant => {
                    self.refresh_lock(world, lane, by, record);
                }
                Some(Role::Lock { held: Held::ByQuorum { members, .. }, .. })
                    if members.iter().any(|&member| self.scenario.host(member) == host) =>
                {
                    self.refresh_lock(world, lane, by, record);
                }
                Some(Role::Cache { empty: Some(probe), .. }) if is_meant => {
                    let reply = self.probe(world, host, &probe.ask);
                    let is_empty = probe.reply.read(&reply, '?', &|_| 0).is_some();
                    let cells = self.cells_mut(world, lane);
                    if is_empty && storage::version_and_value(cells).0 != 0 {
                        storage::put_version(cells, 0);
                        if by.is_some() {
                            record.follows();
                        }
                        record.note(lane, None, Change::Emptied);
                    }
                }
                Some(Role::Data { copy_of: Some((source, questions)), .. })
                    if is_meant || self.scenario.host(*source) == host =>
                {
                    self.refresh_copy(world, lane, (*source, questions), record);
                }
                _ => {}
            }
        }
    }

    fn refresh_lock(
        &self,
        world: &mut World,
        lane: NodeIndex,
        by: Option<(NodeIndex, Meaning)>,
        record: &mut impl Record,
    ) {
        let now = self.truth(world, lane);
        let before = lock::state(self.cells(world, lane)).holder;
        if before.map(|(client, _)| client) == now {
            return;
        }
        if let Some((client, token)) = before {
            lock::free(self.cells_mut(world, lane));
            let change = match by {
                Some((actor, _)) if actor == client => Change::Freed { token },
                Some(_) => Change::Broken { client, token },
                None => Change::Expired { client, token },
            };
            if by.is_some() {
                record.follows();
            }
            record.note(lane, None, change);
        }
        if let Some(client) = now {
            if by.is_some() || before.is_some() {
                record.follows();
            }
            let cells = self.cells_mut(world, lane);
            let token = lock::next_token(cells);
            lock::hold(cells, client, token);
            record.note(lane, None, Change::Passed { client, token });
        }
    }

    /// A copy that says the same as its source has its version.
    fn refresh_copy(
        &self,
        world: &mut World,
        lane: NodeIndex,
        (source, questions): (NodeIndex, &Comparing),
        record: &mut impl Record,
    ) {
        let asked = [(lane, &questions.copy), (source, &questions.source)];
        let replies = asked.map(|(lane, question)| self.probe(world, self.scenario.host(lane), question));
        let (newest, _) = storage::version_and_value(self.cells(world, source));
        let cells = self.cells_mut(world, lane);
        if !replies[0].is_empty() && replies[0] == replies[1] && storage::version_and_value(cells).0 != newest {
            storage::put_version(cells, newest);
            record.note(lane, None, Change::CaughtUp { version: newest });
        }
    }
}
