//! The reference scenario of the searches, written for two other programs that search
//! schedules: [Stateright](https://www.stateright.rs), a model checker, and
//! [shuttle](https://docs.rs/shuttle), which runs threads in random orders.
//!
//! So many clients acquire a lease, check that they still hold it or else stop, read,
//! compute, write with their token, and release. Each of these is one action. A lease can
//! end while it is held, so many times in all. Storage accepts every write, or refuses
//! those with a token lower than the highest that it has accepted.

pub mod shuttle_threads;
pub mod stateright_model;
pub mod table;

/// The scenario with its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// How many leases end while they are held, at most.
    pub expiries: u8,
    /// Whether storage refuses a lower token.
    pub fenced: bool,
}
