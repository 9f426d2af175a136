//! The scheduler that throws dice: each enabled action is equally likely.

use alloc::vec::Vec;

use rand_core::Rng;
use rand_pcg::Pcg32;
use rand_pcg::rand_core::SeedableRng;

use super::change::Action;
use super::model::Model;
use super::recorder::Recorder;
use super::replay::Schedule;
use super::scenario::Scenario;
use super::trace::Trace;

/// Runs a scenario without time: at each step one of the enabled actions, drawn
/// from the seed. At most `expiries` leases end early. Equal seeds give equal runs.
///
/// Returns the run and the schedule that [`super::run_replay`] repeats.
pub fn run_random(scenario: &Scenario, seed: u64, expiries: u32) -> (Trace, Schedule) {
    let model = Model::new(scenario);
    let mut dice = Pcg32::seed_from_u64(seed);
    let mut world = model.start();
    let mut recorder = Recorder::new(scenario, &[]);
    let mut enabled = Vec::new();
    let mut schedule = Schedule::default();
    let mut expiries_left = expiries;
    loop {
        model.enabled(&world, &mut enabled);
        if expiries_left == 0 {
            enabled.retain(|action| !matches!(action, Action::Expire(_)));
        }
        if enabled.is_empty() || recorder.is_full() {
            return (recorder.finish(model.is_at_its_end(&world, &enabled)), schedule);
        }
        let action = enabled[below(&mut dice, enabled.len() as u32) as usize];
        if let Action::Expire(_) = action {
            expiries_left -= 1;
        }
        recorder.now_us += 1;
        model.apply(&mut world, action, &mut recorder);
        schedule.actions.push(action);
    }
}

/// A number below `bound`, each equally likely (Lemire 2019: multiply, and reject
/// the few products that would favour some).
pub(crate) fn below(dice: &mut Pcg32, bound: u32) -> u32 {
    let unfair = bound.wrapping_neg() % bound;
    loop {
        let product = u64::from(dice.next_u32()) * u64::from(bound);
        if product as u32 >= unfair {
            return (product >> 32) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_the_bound_comes_about_equally_often() {
        let mut dice = Pcg32::seed_from_u64(7);
        let mut counts = [0u32; 3];
        for _ in 0..30_000 {
            counts[below(&mut dice, 3) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (9_700..10_300).contains(count)), "{counts:?}");
    }
}
