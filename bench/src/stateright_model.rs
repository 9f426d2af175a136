//! The scenario as a model for Stateright, as lean as that allows: a state is a few bytes
//! without a heap, and a client is known by its token, so that sorting the clients is all
//! that symmetry takes.

use stateright::{Model, Property, Representative};

use super::Setting;

/// What a client does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// It acquires the lease, if that is free.
    Acquire,
    /// It checks that it still holds the lease, or else stops.
    Check,
    /// It reads the value.
    Read,
    /// It computes the next value.
    Compute,
    /// It writes, with its token.
    Write,
    /// It releases the lease, if that is still its own.
    Release,
    /// Nothing more.
    Done,
}

/// A client: where it is, and what it has in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Client {
    step: Step,
    token: u8,
    value: u8,
}

/// A state of all there is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State<const CLIENTS: usize> {
    clients: [Client; CLIENTS],
    /// The token of the holder, or 0.
    holder: u8,
    last_token: u8,
    value: u8,
    highest: u8,
    expiries_left: u8,
    /// Whether a stale write has been accepted.
    pub stale: bool,
}

/// One thing that can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The client with this number takes its next step.
    Step(usize),
    /// The lease ends while it is held.
    Expire,
}

/// The model for so many clients.
#[derive(Clone, Copy, Debug)]
pub struct Reference<const CLIENTS: usize>(pub Setting);

impl<const CLIENTS: usize> Model for Reference<CLIENTS> {
    type State = State<CLIENTS>;
    type Action = Action;

    fn init_states(&self) -> Vec<State<CLIENTS>> {
        let client = Client { step: Step::Acquire, token: 0, value: 0 };
        vec![State {
            clients: [client; CLIENTS],
            holder: 0,
            last_token: 0,
            value: 0,
            highest: 0,
            expiries_left: self.0.expiries,
            stale: false,
        }]
    }

    fn actions(&self, state: &State<CLIENTS>, actions: &mut Vec<Action>) {
        for (number, client) in state.clients.iter().enumerate() {
            let can = match client.step {
                Step::Acquire => state.holder == 0,
                Step::Done => false,
                _ => true,
            };
            if can {
                actions.push(Action::Step(number));
            }
        }
        if state.holder != 0 && state.expiries_left > 0 {
            actions.push(Action::Expire);
        }
    }

    fn next_state(&self, last: &State<CLIENTS>, action: Action) -> Option<State<CLIENTS>> {
        let mut state = last.clone();
        match action {
            Action::Expire => {
                state.holder = 0;
                state.expiries_left -= 1;
            }
            Action::Step(number) => state.step(number, self.0.fenced),
        }
        Some(state)
    }

    /// The second one is there because Stateright stops when all are decided.
    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("no stale write", |_, state: &State<CLIENTS>| !state.stale),
            Property::always("tokens count up", |_, state: &State<CLIENTS>| state.holder <= state.last_token),
        ]
    }
}

impl<const CLIENTS: usize> State<CLIENTS> {
    fn step(&mut self, number: usize, fenced: bool) {
        let client = &mut self.clients[number];
        let mut next = Step::Done;
        match client.step {
            Step::Acquire => {
                self.last_token += 1;
                self.holder = self.last_token;
                client.token = self.last_token;
                next = Step::Check;
            }
            Step::Check if client.token == self.holder => next = Step::Read,
            Step::Read => {
                client.value = self.value;
                next = Step::Compute;
            }
            Step::Compute => {
                client.value += 1;
                next = Step::Write;
            }
            Step::Write => {
                if !fenced || client.token >= self.highest {
                    self.stale |= client.token < self.highest;
                    self.highest = self.highest.max(client.token);
                    self.value = client.value;
                }
                next = Step::Release;
            }
            Step::Release if client.token == self.holder => self.holder = 0,
            Step::Check | Step::Release | Step::Done => {}
        }
        client.step = next;
    }
}

impl<const CLIENTS: usize> Representative for State<CLIENTS> {
    fn representative(&self) -> Self {
        let mut state = self.clone();
        state.clients.sort_unstable();
        state
    }
}
