//! The state of a lesson's page and the one function that changes it. No browser
//! is known here: the page sends a [`Message`] for each thing that a person does,
//! and shows the [`State`] that [`State::update`] returns.

mod assumption;
mod bring;
mod challenge;
mod counting;
mod edit;
mod field;
mod history;
mod keep;
mod message;
mod motion;
mod pane;
mod placed;
mod playback;
mod settings;
mod state;

pub use assumption::Assumption;
pub use bring::{Bring, WireEnd, WireName};
pub use challenge::ChallengeState;
pub use counting::{CountMessage, Counting, Found, Run, Which};
pub use edit::{Grab, Handle};
pub use field::{Field, message_value, value_of};
pub use history::History;
pub use keep::{restore, to_text};
pub use message::{Act, Message};
pub use motion::Side;
pub use pane::Pane;
pub use placed::Placed;
pub use playback::{SPEEDS, Speed};
pub use settings::{SETTINGS, Setting, Settings};
pub use state::{Faults, State};
