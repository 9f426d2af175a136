//! Who relies on a version of a plain storage that isn't there any more, though one of
//! the same number may be.
//!
//! A storage that crashes, or gets an older state back, gives numbers of versions anew.
//! So a write may find the number that it was based on, and still write over what its
//! writer has never read.

use crate::sim::{Ahead, NodeIndex};

/// Clients as bits: those whose version isn't in the past of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Strangers<T> {
    /// In the past of the state that is there.
    now: T,
    /// In the past of the state that lies aside.
    aside: T,
}

/// What of the past of one storage matters for that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Readings {
    /// By what clients have taken from a reply.
    held: Strangers<u32>,
    /// By replies that are on their way to clients.
    answered: Strangers<u32>,
    /// The clients to which such a reply is on its way.
    awaited: u32,
    /// By the messages that nobody waits for.
    strays: Strangers<u8>,
    /// Whether a version was written that isn't in the state that lies aside.
    has_moved_on: bool,
}

/// The bit of the last byte that says whether a storage has moved on; slots have the rest.
const MOVED_ON: u8 = 1 << 7;

impl Readings {
    /// How many bytes it takes to write this down for so many clients.
    pub const fn bytes(clients: usize) -> usize {
        5 * clients.div_ceil(8) + 2
    }

    /// A client's read was answered with the version that is there.
    pub fn read(&mut self, client: NodeIndex) {
        self.awaited |= 1 << client;
        set(&mut self.answered.now, client, false);
        set(&mut self.answered.aside, client, self.has_moved_on);
    }

    /// A client's call is over: it `takes` the reply, or there is none for it.
    pub fn ends_call(&mut self, client: NodeIndex, takes: bool) {
        if takes && self.awaited >> client & 1 == 1 {
            set(&mut self.held.now, client, self.answered.now >> client & 1 == 1);
            set(&mut self.held.aside, client, self.answered.aside >> client & 1 == 1);
        }
        for bits in [&mut self.awaited, &mut self.answered.now, &mut self.answered.aside] {
            set(bits, client, false);
        }
    }

    /// A version was written.
    pub fn written(&mut self) {
        self.has_moved_on = true;
    }

    /// The state that is there was copied aside.
    pub fn saved(&mut self) {
        self.has_moved_on = false;
        self.held.aside = self.held.now;
        self.answered.aside = self.answered.now;
        self.strays.aside = self.strays.now;
    }

    /// The state that lay aside is there again.
    pub fn restored(&mut self) {
        self.has_moved_on = false;
        self.held.now = self.held.aside;
        self.answered.now = self.answered.aside;
        self.strays.now = self.strays.aside;
    }

    /// The storage is as it was at the start, which is in the past of every state.
    pub fn started_anew(&mut self, ahead: Ahead) {
        self.has_moved_on = false;
        self.held.now = ahead.held;
        self.answered.now = ahead.answered;
        self.strays.now = ahead.strays;
    }

    /// No older state can come back.
    pub fn forget_what_lies_aside(&mut self) {
        self.has_moved_on = false;
        self.held.aside = 0;
        self.answered.aside = 0;
        self.strays.aside = 0;
    }

    /// A message of a client's call goes on in this slot, and takes along what it says.
    pub fn goes_astray(&mut self, client: NodeIndex, slot: u8) {
        set_stray(&mut self.strays.now, slot, self.held.now >> client & 1 == 1);
        set_stray(&mut self.strays.aside, slot, self.held.aside >> client & 1 == 1);
    }

    /// Whether a client's write, or that of a stray message, is based on a version that
    /// isn't in the past of the one that is there.
    pub fn is_based_on_another(&self, client: NodeIndex, stray: Option<u8>) -> bool {
        match stray {
            Some(slot) => self.strays.now >> slot & 1 == 1,
            None => self.held.now >> client & 1 == 1,
        }
    }

    /// The clients that are named here, as bits. Whose reply is on its way, the world
    /// says, too.
    pub fn named(&self) -> u32 {
        self.held.now | self.held.aside | self.answered.now | self.answered.aside
    }

    /// Names clients anew, after they have changed places.
    pub fn rename(&mut self, renamed: &[NodeIndex]) {
        for bits in self.clients_mut().into_iter().filter(|bits| **bits != 0) {
            let named = (0..renamed.len()).filter(|client| *bits >> client & 1 == 1);
            *bits = named.fold(0, |bits, client| bits | 1 << renamed[client]);
        }
    }

    /// Writes this down in [`Readings::bytes`].
    pub fn pack(&self, packed: &mut [u8]) {
        let width = (packed.len() - 2) / 5;
        let (clients, rest) = packed.split_at_mut(5 * width);
        for (bytes, bits) in clients.chunks_exact_mut(width).zip(self.clients()) {
            bytes.copy_from_slice(&bits.to_le_bytes()[..width]);
        }
        rest[0] = self.strays.now;
        rest[1] = self.strays.aside | if self.has_moved_on { MOVED_ON } else { 0 };
    }

    /// Reads what [`Readings::pack`] wrote.
    pub fn unpack(packed: &[u8]) -> Self {
        let mut readings = Self::default();
        let width = (packed.len() - 2) / 5;
        let (clients, rest) = packed.split_at(5 * width);
        for (bits, bytes) in readings.clients_mut().into_iter().zip(clients.chunks_exact(width)) {
            *bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u32::from(byte));
        }
        readings.strays = Strangers { now: rest[0], aside: rest[1] & !MOVED_ON };
        readings.has_moved_on = rest[1] & MOVED_ON != 0;
        readings
    }

    fn clients(&self) -> [u32; 5] {
        [self.held.now, self.held.aside, self.answered.now, self.answered.aside, self.awaited]
    }

    fn clients_mut(&mut self) -> [&mut u32; 5] {
        let Self { held, answered, awaited, .. } = self;
        [&mut held.now, &mut held.aside, &mut answered.now, &mut answered.aside, awaited]
    }
}

fn set(bits: &mut u32, client: NodeIndex, is_set: bool) {
    *bits = *bits & !(1 << client) | u32::from(is_set) << client;
}

fn set_stray(bits: &mut u8, slot: u8, is_set: bool) {
    *bits = *bits & !(1 << slot) | u8::from(is_set) << slot;
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use alloc::{format, vec};

    use super::super::bounds::Bounds;
    use super::super::mark::Mark;
    use super::super::monitor::{Lookout, Seen, Watch};
    use crate::check::judge;
    use crate::sim::example::{guarded, impatient, stale_overwrite};
    use crate::sim::{Action, Granularity, Guard, Model, Operation, Request, Scenario, Schedule, World, run_replay};

    const MARKS: [Mark; 2] = [Mark::LostUpdate, Mark::Aba];

    /// Two clients that read, add one and write, without a lock. Each call is one action.
    fn lockless() -> Scenario {
        let mut scenario = stale_overwrite();
        scenario.granularity = Granularity::Call;
        scenario.nodes.remove(2);
        let program = &mut scenario.programs[0];
        program.steps = vec![program.steps[1].clone(), program.steps[3].clone()];
        for step in &mut program.steps {
            if let Operation::Call { server, request } = &mut step.operation {
                *server = 2;
                if let Request::Write { token, .. } = request {
                    *token = None;
                }
            }
        }
        scenario
    }

    /// All schedules, each seen by the searches and judged as a whole.
    struct Everything<'a> {
        model: &'a Model<'a>,
        lookout: &'a Lookout<'a>,
        bounds: &'a Bounds,
        path: Vec<Action>,
        schedules: u64,
        harmful: u64,
    }

    impl Everything<'_> {
        fn walk(&mut self, world: &World, watch: &Watch, seen: u16) {
            let mut possible = Vec::new();
            self.bounds.possible(self.model, world, watch.left, &mut possible);
            if possible.is_empty() {
                self.compare(seen);
            }
            for action in possible {
                let (mut after, mut next) = (world.clone(), *watch);
                let Seen { marks, .. } = self.lookout.apply(self.model, &mut after, &mut next, action);
                self.path.push(action);
                self.walk(&after, &next, seen | marks);
                self.path.pop();
            }
        }

        fn compare(&mut self, seen: u16) {
            let schedule = Schedule { actions: self.path.clone() };
            let run = run_replay(self.model.scenario(), &schedule).expect("what was walked can be walked again");
            let verdict = judge(self.model.scenario(), &run);
            let found = |mark: &Mark| verdict.findings.iter().any(|it| Mark::harm_of(it.property) == Some(*mark));
            let judged: Vec<Mark> = MARKS.into_iter().filter(found).collect();
            assert_eq!(self.lookout.marks_in(seen), judged, "{schedule}");
            self.schedules += 1;
            self.harmful += u64::from(!judged.is_empty());
        }
    }

    /// How many schedules there are, and how many of them do harm, if both agree on each.
    fn check(scenario: &Scenario, bounds: Bounds, expected: &str) {
        let model = Model::under(scenario, &bounds.assumptions());
        let lookout = Lookout::new(scenario, &bounds, &MARKS, None).expect("there are few servers");
        let start = Watch { left: bounds.left(), ..Watch::default() };
        let (path, schedules, harmful) = (Vec::new(), 0, 0);
        let mut all = Everything { model: &model, lookout: &lookout, bounds: &bounds, path, schedules, harmful };
        all.walk(&model.start(), &start, 0);
        assert_eq!(format!("{} of {}", all.harmful, all.schedules), expected, "{bounds}");
    }

    #[test]
    fn searches_and_judges_agree_on_what_comes_back() {
        let compared = guarded(lockless(), Guard::VersionCompareAndSet);
        check(&lockless(), Bounds { restores: 1, ..Bounds::NONE }, "64 of 114");
        check(&lockless(), Bounds { restores: 2, ..Bounds::NONE }, "68 of 134");
        check(&lockless(), Bounds { crashes: 1, restores: 1, ..Bounds::NONE }, "3172 of 6532");
        check(&compared, Bounds { restores: 2, ..Bounds::NONE }, "0 of 114");
    }

    #[test]
    fn searches_and_judges_agree_on_replies_that_nobody_took() {
        let sent = |mut scenario: Scenario| {
            scenario.granularity = Granularity::ServeDeliver;
            impatient(scenario, 400_000)
        };
        let bounds = Bounds { lost_replies: 1, restores: 1, ..Bounds::NONE };
        check(&sent(lockless()), bounds, "222780 of 240116");
        check(&sent(guarded(lockless(), Guard::VersionCompareAndSet)), bounds, "504 of 72548");
    }
}
