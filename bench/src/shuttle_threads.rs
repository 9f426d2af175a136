//! The scenario as threads for shuttle: one for each client, and one that lets leases end.

use std::sync::Arc as StdArc;
use std::sync::atomic::{AtomicU64, Ordering};

use shuttle::scheduler::RandomScheduler;
use shuttle::sync::{Arc, Condvar, Mutex};
use shuttle::{Config, Runner, thread};

use super::Setting;

/// What all threads share.
#[derive(Default)]
struct Shared {
    /// The token of the holder, or 0.
    holder: u8,
    last_token: u8,
    value: u8,
    highest: u8,
    /// How many clients are done.
    done: usize,
    /// Whether a stale write has been accepted.
    stale: bool,
}

/// The shared state; who waits for the lease to be free or taken waits for a change.
#[derive(Default)]
struct World {
    shared: Mutex<Shared>,
    changed: Condvar,
}

impl World {
    /// One action: nothing comes between.
    fn act<T>(&self, action: impl FnOnce(&mut Shared) -> T) -> T {
        action(&mut self.shared.lock().expect("no thread panics"))
    }

    /// An action that waits until it can happen.
    fn act_when<T>(&self, can: impl Fn(&Shared) -> bool, action: impl FnOnce(&mut Shared) -> T) -> T {
        let mut shared = self.shared.lock().expect("no thread panics");
        while !can(&shared) {
            shared = self.changed.wait(shared).expect("no thread panics");
        }
        let done = action(&mut shared);
        self.changed.notify_all();
        done
    }

    fn client(&self, fenced: bool) {
        let token = self.act_when(
            |shared| shared.holder == 0,
            |shared| {
                shared.last_token += 1;
                shared.holder = shared.last_token;
                shared.holder
            },
        );
        if self.act(|shared| shared.holder == token) {
            let value = self.act(|shared| shared.value);
            let value = self.act(|_| value + 1);
            self.act(|shared| {
                if !fenced || token >= shared.highest {
                    shared.stale |= token < shared.highest;
                    shared.highest = shared.highest.max(token);
                    shared.value = value;
                }
            });
            self.act_when(
                |_| true,
                |shared| {
                    if shared.holder == token {
                        shared.holder = 0;
                    }
                },
            );
        }
        self.act_when(|_| true, |shared| shared.done += 1);
    }

    /// Lets a lease that is held end, unless all clients are done before that.
    fn expire(&self, clients: usize) {
        self.act_when(|shared| shared.holder != 0 || shared.done == clients, |shared| shared.holder = 0);
    }
}

/// Runs so many random schedules from a seed, and returns how many there were and how
/// many of them had a stale write accepted.
pub fn run(setting: Setting, clients: usize, seed: u64, schedules: usize) -> (u64, u64) {
    let counts = StdArc::new((AtomicU64::new(0), AtomicU64::new(0)));
    let counted = counts.clone();
    let scheduler = RandomScheduler::new_from_seed(seed, schedules);
    Runner::new(scheduler, Config::new()).run(move || {
        let world = Arc::new(World::default());
        let mut threads = Vec::new();
        for _ in 0..clients {
            let world = world.clone();
            threads.push(thread::spawn(move || world.client(setting.fenced)));
        }
        let timer = world.clone();
        threads.push(thread::spawn(move || (0..setting.expiries).for_each(|_| timer.expire(clients))));
        for thread in threads {
            thread.join().expect("no thread panics");
        }
        counted.0.fetch_add(1, Ordering::Relaxed);
        counted.1.fetch_add(u64::from(world.act(|shared| shared.stale)), Ordering::Relaxed);
    });
    (counts.0.load(Ordering::Relaxed), counts.1.load(Ordering::Relaxed))
}
