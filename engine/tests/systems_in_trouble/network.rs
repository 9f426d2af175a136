//! Clients that are systems of their own, and a server that they ask over a network which
//! loses messages and brings them late or twice.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use racescope_engine::system::System;

use crate::driver::State;

pub const CLIENTS: usize = 3;
const WALKS: u32 = 600;
const MOST_STEPS: usize = 120;

/// Something that happens to a client, the server or a message.
#[derive(Clone, Copy, Debug)]
enum Happening {
    /// A client that waits for no answer is told something.
    Tell(usize, &'static str),
    /// The same after some of its timers have fired; and so many rounds of its requests and
    /// their answers arrive at once.
    Exchange(usize, &'static str, u8, u8),
    /// The request of a client is served.
    Serve(usize),
    /// An answer reaches its client.
    Deliver(usize),
    /// The message of a client is lost, and the client hears nothing.
    Lose(usize),
    /// The request of a client will be served once more, at any later time.
    Duplicate(usize),
    ServeCopy(u8),
    FireAtClient(usize, u8),
    CrashClient(usize, bool),
    RestartServer(bool),
    SaveServer,
    PutBackServer,
}

fn happening(words: &[&'static str]) -> impl Strategy<Value = Happening> {
    let client = || 0..CLIENTS;
    let told = || select(words.to_vec());
    prop_oneof![
        12 => (client(), told()).prop_map(|(client, words)| Happening::Tell(client, words)),
        16 => (client(), told(), 0..4u8, 1..4u8)
            .prop_map(|(client, words, timers, rounds)| Happening::Exchange(client, words, timers, rounds)),
        16 => client().prop_map(Happening::Serve),
        16 => client().prop_map(Happening::Deliver),
        1 => client().prop_map(Happening::Lose),
        2 => client().prop_map(Happening::Duplicate),
        2 => any::<u8>().prop_map(Happening::ServeCopy),
        6 => (client(), any::<u8>()).prop_map(|(client, timer)| Happening::FireAtClient(client, timer)),
        1 => (client(), any::<bool>()).prop_map(|(client, keeps_memory)| Happening::CrashClient(client, keeps_memory)),
        1 => proptest::bool::weighted(0.8).prop_map(Happening::RestartServer),
        1 => Just(Happening::SaveServer),
        1 => Just(Happening::PutBackServer),
    ]
}

/// The message of a client that is on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Message {
    Request(String),
    Answer(String),
}

/// What there is to be judged after a step.
pub struct Seen<'a> {
    pub clients: &'a [State],
    /// A request that the server has just served, its answer, and the server before.
    pub served: Option<(&'a str, &'a str, &'a State)>,
    /// What a client has just said or asked for, and the client before.
    pub said: Option<(usize, &'a str, &'a State)>,
    /// Whether the server was set back.
    pub is_set_back: bool,
}

struct Network<'a, C: System, S: System> {
    clients: &'a [C],
    server: &'a S,
    client_states: Vec<State>,
    server_state: State,
    aside: Option<State>,
    messages: Vec<Option<Message>>,
    copies: Vec<String>,
}

impl<C: System, S: System> Network<'_, C, S> {
    fn step(&mut self, happening: Happening, judge: &mut dyn FnMut(&Seen)) {
        let mut is_set_back = false;
        match happening {
            Happening::Tell(client, words) => {
                if self.messages[client].is_none() {
                    self.tell(client, words, judge);
                }
                return;
            }
            Happening::Exchange(client, words, timers, rounds) => {
                for from in 0..timers {
                    self.step(Happening::FireAtClient(client, from), judge);
                }
                self.step(Happening::Tell(client, words), judge);
                for _ in 0..rounds {
                    self.step(Happening::Serve(client), judge);
                    self.step(Happening::Deliver(client), judge);
                }
                return;
            }
            Happening::Deliver(client) => {
                if let Some(Message::Answer(answer)) = self.messages[client].clone() {
                    self.messages[client] = None;
                    self.tell(client, &answer, judge);
                }
                return;
            }
            Happening::Serve(client) => {
                if let Some(Message::Request(request)) = self.messages[client].clone() {
                    self.messages[client] = Some(Message::Answer(self.serve(&request, judge)));
                }
                return;
            }
            Happening::ServeCopy(place) => {
                if !self.copies.is_empty() {
                    let request = self.copies.remove(usize::from(place) % self.copies.len());
                    self.serve(&request, judge);
                }
                return;
            }
            Happening::Lose(client) => self.messages[client] = None,
            Happening::Duplicate(client) => {
                if let Some(Message::Request(request)) = &self.messages[client] {
                    self.copies.push(request.clone());
                }
            }
            Happening::FireAtClient(client, from) => {
                self.client_states[client].fire(&self.clients[client], from);
            }
            Happening::CrashClient(client, keeps_memory) => {
                if let Some(Message::Request(request)) = self.messages[client].take() {
                    self.copies.push(request);
                }
                self.client_states[client].restart(&self.clients[client], keeps_memory);
            }
            Happening::RestartServer(keeps_memory) => {
                self.server_state.restart(self.server, keeps_memory);
                is_set_back = !keeps_memory;
            }
            Happening::SaveServer => self.aside = Some(self.server_state.clone()),
            Happening::PutBackServer => {
                if let Some(aside) = self.aside.clone() {
                    self.server_state = aside;
                    is_set_back = true;
                }
            }
        }
        judge(&Seen { clients: &self.client_states, served: None, said: None, is_set_back });
    }

    /// Tells a client something; what it asks for then is on its way.
    fn tell(&mut self, client: usize, words: &str, judge: &mut dyn FnMut(&Seen)) {
        let system = &self.clients[client];
        let before = self.client_states[client].clone();
        let command = system.parse(words).unwrap_or_else(|| panic!("the client doesn't understand: {words}"));
        let Some(said) = self.client_states[client].execute(system, 0, &command) else {
            assert_eq!(self.client_states[client], before, "{words}: a client that waits changes nothing");
            return;
        };
        let said = said.to_string();
        if self.server.parse(&said).is_some() {
            self.messages[client] = Some(Message::Request(said.clone()));
        }
        judge(&Seen {
            clients: &self.client_states,
            served: None,
            said: Some((client, &said, &before)),
            is_set_back: false,
        });
    }

    fn serve(&mut self, request: &str, judge: &mut dyn FnMut(&Seen)) -> String {
        let before = self.server_state.clone();
        let command = self.server.parse(request).expect("only requests are on their way");
        let answer = self.server_state.execute(self.server, 0, &command).expect("a server doesn't wait").to_string();
        if answer.starts_with('4') {
            assert_eq!(self.server_state, before, "{request} → {answer}: a refusal changes nothing");
        }
        judge(&Seen {
            clients: &self.client_states,
            served: Some((request, &answer, &before)),
            said: None,
            is_set_back: false,
        });
        answer
    }
}

/// Has clients talk to a server in random schedules. `start` makes the judge of a walk.
#[track_caller]
pub fn talk<C: System, S: System, J: FnMut(&Seen)>(
    clients: &[C; CLIENTS],
    server: &S,
    words: &[&'static str],
    start: impl Fn() -> J,
) {
    let config = Config { cases: WALKS, failure_persistence: None, ..Config::default() };
    let dice = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let happenings = proptest::collection::vec(happening(words), 1..MOST_STEPS);
    let walked = TestRunner::new_with_rng(config, dice).run(&happenings, |happenings| {
        let mut network = Network {
            clients,
            server,
            client_states: clients.iter().map(State::start).collect(),
            server_state: State::start(server),
            aside: None,
            messages: vec![None; CLIENTS],
            copies: Vec::new(),
        };
        let mut judge = start();
        for happening in happenings {
            network.step(happening, &mut judge);
        }
        Ok(())
    });
    if let Err(failure) = walked {
        panic!("{failure}");
    }
}
