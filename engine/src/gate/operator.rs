//! What operators do, on purpose or in need.

use alloc::format;

use super::agenda::Event;
use super::books::RESOURCES;
use super::failure::Failure;
use super::serve::key;
use super::trial::Trial;
use crate::system::System;
use crate::system::grant::{Command, Reply, Request};

/// Something that an operator does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    Snapshot,
    /// Sets the registry back. So many times it is put off if no token would be given again
    /// at once.
    Restore(u8),
    RevokeEpoch,
    ChangePolicy,
    /// Lets a resource go on whose writes were stopped.
    Resume(usize),
}

/// How often a registry is looked at, to set it back by one grant.
const MOST_LOOKS: u8 = 60;

/// How long it takes until somebody sees to a resource whose writes were stopped, in
/// microseconds: between half a second and five.
const SEES_TO_IT_US: (u32, u32) = (500_000, 5_000_000);

impl Trial<'_> {
    /// Plans when operators do what is to go wrong in this schedule.
    pub(super) fn plan_operations(&mut self) {
        if self.is_planned(Failure::RegistrySetBack) {
            let at_us = u64::from(self.between(20_000, 600_000));
            let later_us = at_us + u64::from(self.between(100_000, 1_200_000));
            self.agenda.note(at_us, Event::Operate(Operation::Snapshot));
            let looks = if self.chance(2, 3) { MOST_LOOKS } else { 0 };
            self.agenda.note(later_us, Event::Operate(Operation::Restore(looks)));
        }
        let plans =
            [(Failure::EpochRevoked, Operation::RevokeEpoch), (Failure::PolicyChanged, Operation::ChangePolicy)];
        for (failure, operation) in plans {
            if self.is_planned(failure) {
                let at_us = u64::from(self.between(100_000, 1_200_000));
                self.agenda.note(at_us, Event::Operate(operation));
            }
        }
    }

    /// Somebody is called since writes have stopped.
    pub(super) fn call_an_operator(&mut self, resource: usize) {
        let at_us = self.now_us + u64::from(self.between(SEES_TO_IT_US.0, SEES_TO_IT_US.1));
        self.agenda.note(at_us, Event::Operate(Operation::Resume(resource)));
    }

    pub(super) fn operate(&mut self, operation: Operation) {
        let is_in_use = self.books.leases.held.iter().any(Option::is_some);
        match operation {
            Operation::Snapshot => {
                self.books.snapshot = Some(self.books.leases);
                self.books.fences_in_snapshot = [0, 1].map(|resource| self.books.latest_fence(resource));
                self.operator(Request::TakeSnapshot);
            }
            Operation::Restore(looks @ 1..) if !self.would_give_a_token_again() => {
                let at_us = self.now_us + u64::from(self.between(5_000, 30_000));
                self.agenda.note(at_us, Event::Operate(Operation::Restore(looks - 1)));
            }
            Operation::Restore(_) => self.restore(),
            Operation::RevokeEpoch => {
                if let Reply::Epoch(epoch) = self.operator(Request::RevokeEpoch) {
                    self.books.epoch = epoch;
                    if is_in_use {
                        self.bring_about(Failure::EpochRevoked);
                    }
                }
            }
            Operation::ChangePolicy => {
                if let Reply::Policy(policy) = self.operator(Request::ChangePolicy) {
                    self.books.leases.policy = policy;
                    if is_in_use {
                        self.bring_about(Failure::PolicyChanged);
                    }
                }
            }
            Operation::Resume(resource) => {
                self.operator(Request::Resume(resource));
                let book = &mut self.books.resources[resource];
                book.halted = false;
                let held = &mut self.books.leases.held[resource];
                if held.is_some_and(|grant| grant.fence <= book.highest) {
                    *held = None;
                    self.ended_us[resource] = Some(self.now_us);
                }
                self.tell(|| format!("an operator lets writes to {} go on", key(resource)));
            }
        }
    }

    /// Whether the registry, set back now, gives the token once more that was accepted last.
    fn would_give_a_token_again(&self) -> bool {
        let next = self.books.fences_in_snapshot.map(|fence| fence + 1);
        (0..RESOURCES).any(|resource| self.books.resources[resource].highest == next[resource])
    }

    fn restore(&mut self) {
        let Some(snapshot) = self.books.snapshot else { return };
        self.operator(Request::RestoreSnapshot);
        let had = self.books.leases;
        self.books.leases = snapshot;
        for (resource, ended_us) in self.ended_us.iter_mut().enumerate() {
            if had.held[resource].is_some() && snapshot.held[resource].is_none() {
                *ended_us = Some(self.now_us);
            }
        }
        self.bring_about(Failure::RegistrySetBack);
    }

    /// Executes a command of no client.
    pub(super) fn operator(&mut self, request: Request) -> Reply {
        let command = Command { request, lost: false };
        let reply = self.gate.system.execute(super::trial::OPERATOR, &command, &mut self.cells, &mut self.alarms);
        reply.unwrap_or(Reply::Lost)
    }
}
