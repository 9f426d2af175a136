//! Kubernetes leader election: the Lease object, and a candidate with its own clock.
//!
//! - [`ApiServer`] keeps the Lease. An update shows the `resourceVersion` that it was
//!   based on, and is answered 409 if the object has moved since
//!   (<https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions>).
//!   No clock of the server takes part.
//! - [`Candidate`] is the client's half
//!   (<https://github.com/kubernetes/client-go/blob/master/tools/leaderelection/leaderelection.go>).
//!   It ignores the times in the record, and measures on its own clock how long ago it
//!   saw the record change: a constant lead or a step of a clock does no harm, and a
//!   clock that runs fast does.
//!
//! What a candidate asks for is displayed as the server reads it, and the other way
//! round, so that a driver carries the words between them.
//!
//! This does not fence: a leader that was paused learns that it isn't one only when it
//! goes on, and the header of the source says that it "does not guarantee that only one
//! client is acting as a leader".

mod api_server;
mod candidate;
mod record;

pub use api_server::{ApiServer, Reply, Request};
pub use candidate::{Candidate, ConfigError, Election, Event, Step};
pub use record::{Object, Record};
