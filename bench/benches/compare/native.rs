//! What is measured on this machine without a browser.

use std::time::Instant;

use racescope::search::{Answer, Ask, Reply, Search};
use racescope_bench::Setting;
use racescope_bench::stateright_model::Reference;
use stateright::{Checker, Model};

/// How long something takes, in milliseconds, and what it gives.
pub fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let began = Instant::now();
    let done = work();
    (began.elapsed().as_secs_f64() * 1_000.0, done)
}

/// How long the answer to a question takes, and how many states were met.
pub fn measure(ask: &Ask) -> (f64, usize) {
    let (ms, answer) = timed(|| answer(ask));
    assert_eq!(answer.stopped, None, "the search comes to its end");
    (ms, answer.states as usize)
}

fn answer(ask: &Ask) -> Answer {
    let mut search = Search::new(ask.clone());
    loop {
        if let Reply::Done(answer) = search.go_on() {
            return answer;
        }
    }
}

/// How long Stateright takes with one thread, and how many states it met: breadth first,
/// or depth first with its symmetry reduction.
pub fn stateright(clients: usize, setting: Setting, by_symmetry: bool) -> (f64, usize) {
    match clients {
        3 => exhaust::<3>(setting, by_symmetry),
        4 => exhaust::<4>(setting, by_symmetry),
        _ => exhaust::<5>(setting, by_symmetry),
    }
}

fn exhaust<const CLIENTS: usize>(setting: Setting, by_symmetry: bool) -> (f64, usize) {
    let checker = Reference::<CLIENTS>(setting).checker().threads(1);
    timed(|| {
        if by_symmetry {
            checker.symmetry().spawn_dfs().join().unique_state_count()
        } else {
            checker.spawn_bfs().join().unique_state_count()
        }
    })
}
