//! One number for many runs: the same natively and in wasm, or something depends
//! on the machine.

use alloc::vec::Vec;

use rand_core::Rng;
use rand_pcg::Pcg32;
use rand_pcg::rand_core::SeedableRng;

use super::example;
use super::fault::{
    ClockRate, ClockStep, Crash, Fault, ForcedUnlock, LeaderChange, Leg, MessageDelay, MessageDuplicate, MessageLoss,
    MessageReorder, Partition, Pause, ReplicaLag, SnapshotRestore, StateLoss, Waking,
};
use super::random::run_random;
use super::scenario::{Granularity, NodeIndex, NodeKind, Operation, Request, Scenario};
use super::storage::Guard;
use super::timed::run_timed;

/// Mixes the digests of `count` timed and `count` random runs, whose scenarios and
/// faults are drawn from the seeds that start at `from`. Some have a real system, so it
/// needs the feature `systems`.
pub fn digest_of_seeds(from: u64, count: u32) -> u64 {
    let seeds = (0..u64::from(count)).map(|place| from.wrapping_add(place));
    seeds.fold(0xcbf2_9ce4_8422_2325, |digest, seed| {
        let mut dice = Dice(Pcg32::seed_from_u64(seed));
        let scenario = dice.scenario();
        let faults = dice.faults(scenario.nodes.len() as u32);
        let timed = run_timed(&scenario, &faults).digest();
        let (random, _) = run_random(&scenario, seed, 2);
        mix(mix(digest, timed), random.digest())
    })
}

fn mix(digest: u64, number: u64) -> u64 {
    (digest.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

const GRANULARITIES: [Granularity; 3] = [Granularity::Call, Granularity::ServeDeliver, Granularity::SendServeDeliver];

const GUARDS: [Guard; 4] = [Guard::LastWriteWins, Guard::FenceBelow, Guard::FenceAtMost, Guard::VersionCompareAndSet];

struct Dice(Pcg32);

impl Dice {
    fn below(&mut self, bound: u32) -> u32 {
        self.0.next_u32() % bound
    }

    fn us(&mut self) -> u64 {
        u64::from(self.below(8_000_000))
    }

    /// One of the examples with another guard, other times and another granularity.
    fn scenario(&mut self) -> Scenario {
        let mut scenario = match self.below(3) {
            0 => example::stale_overwrite(),
            1 => example::reference(self.below(3) as usize + 2),
            _ => example::replicated(self.below(2) as usize + 2),
        };
        scenario.granularity = GRANULARITIES[self.below(3) as usize];
        for node in &mut scenario.nodes {
            match &mut node.kind {
                NodeKind::Client(client) => client.starts_us = self.us(),
                NodeKind::Lock(lock) => lock.latency_us = self.us() / 16,
                NodeKind::Storage(storage) => {
                    storage.guard = GUARDS[self.below(4) as usize];
                    storage.latency_us = self.us() / 16;
                }
                NodeKind::System(system) => {
                    system.latency_us = self.us() / 16;
                    system.setup.lag_us = self.us() / 4;
                }
                NodeKind::Part(_) => {}
            }
        }
        if self.below(2) == 0 {
            scenario = example::impatient(scenario, self.us() / 4 + 1);
        }
        for step in &mut scenario.programs[0].steps {
            step.work_us = self.us() / 8;
            if let Operation::Call { request: Request::Acquire { ttl_us, .. }, .. } = &mut step.operation {
                *ttl_us = self.us();
            }
        }
        scenario
    }

    fn faults(&mut self, nodes: u32) -> Vec<Fault> {
        let count = self.below(6);
        (0..count).map(|_| self.fault(nodes)).collect()
    }

    fn fault(&mut self, nodes: u32) -> Fault {
        let node = self.below(nodes) as NodeIndex;
        let (at_us, lasts_us) = (self.us(), self.us());
        let leg = if self.below(2) == 0 { Leg::Request } else { Leg::Reply };
        let (call, by_us) = (self.below(6) as u16, lasts_us);
        match self.below(14) {
            0 => {
                let on_waking = if self.below(2) == 0 { Waking::Messages } else { Waking::Deadlines };
                Fault::Pause(Pause { node, at_us, lasts_us, on_waking })
            }
            1 => Fault::ClockStep(ClockStep { node, at_us, by_us: lasts_us.cast_signed() - 4_000_000 }),
            2 => {
                let rate_ppm = self.below(3_000_000).cast_signed() - 1_000_000;
                Fault::ClockRate(ClockRate { node, at_us, lasts_us, rate_ppm })
            }
            3 => Fault::MessageDelay(MessageDelay { node, call, leg, by_us }),
            4 => Fault::Crash(Crash { node, at_us, lasts_us, keeps_memory: self.below(2) == 0 }),
            5 => Fault::MessageLoss(MessageLoss { node, call, leg }),
            6 => Fault::MessageDuplicate(MessageDuplicate { node, call, by_us }),
            7 => {
                let other = self.below(nodes) as NodeIndex;
                Fault::Partition(Partition { node, other, at_us, lasts_us, one_way: self.below(2) == 0 })
            }
            8 => Fault::SnapshotRestore(SnapshotRestore { node, at_us: at_us + lasts_us, taken_us: at_us }),
            9 => Fault::ForcedUnlock(ForcedUnlock { node, at_us }),
            10 => Fault::StateLoss(StateLoss { node, at_us }),
            11 => Fault::MessageReorder(MessageReorder { node, call }),
            12 => Fault::ReplicaLag(ReplicaLag { node, at_us, lasts_us }),
            _ => Fault::LeaderChange(LeaderChange { node, at_us }),
        }
    }
}
