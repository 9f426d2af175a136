//! The state of a lesson's page and the one function that changes it. No browser
//! is known here: the page sends a [`Message`] for each thing that a person does,
//! and shows the [`State`] that [`State::update`] returns.

mod challenge;
mod edit;
mod history;
mod keep;
mod message;
mod pane;
mod playback;
mod state;

pub use challenge::ChallengeState;
pub use edit::{Grab, Handle, field_us};
pub use history::History;
pub use keep::{restore, to_text};
pub use message::{Field, Message};
pub use pane::Pane;
pub use playback::{SPEEDS, Speed};
pub use state::{Faults, State};
