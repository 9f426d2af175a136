//! Everything that a person can do on a lesson's page.

use racescope_engine::sim::NodeIndex;

use super::bring::{WireEnd, WireName};
use super::counting::CountMessage;
use super::edit::Handle;
use super::field::Field;
use super::motion::Side;
use super::playback::Speed;
use super::settings::Setting;
use crate::tell::{FaultKind, Voice};

/// Something that happens to a page: on its stage, or in the panel of all schedules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// On the stage or in the text.
    Message(Message),
    /// In the panel of all schedules.
    Count(CountMessage),
}

impl From<Message> for Act {
    fn from(message: Message) -> Self {
        Self::Message(message)
    }
}

impl From<CountMessage> for Act {
    fn from(message: CountMessage) -> Self {
        Self::Count(message)
    }
}

/// One thing that a person did, or that time did while playing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Move the playhead to a moment, in microseconds.
    Seek(u64),
    /// Move the playhead to the next event of any pane.
    StepForward,
    /// Move the playhead to the event before.
    StepBack,
    /// Move the playhead to the start.
    ToStart,
    /// Move the playhead to the end.
    ToEnd,
    /// Move the playhead to the first harm in any pane.
    ToFirstViolation,
    /// Move the playhead to a moment and say what happens there, in microseconds.
    GoTo(u64),
    /// Start anew at the end, or no longer.
    LoopOrNot,
    /// Draw idle time as long as it is, or fold it.
    FoldOrNot,
    /// Play at the next slower speed.
    Slower,
    /// Play at the next faster speed.
    Faster,
    /// Move the playhead to where the next pane parts from the first one, or else to the
    /// first that does.
    ToParting,
    /// Show why a pane ended as it did, or no longer.
    ExplainOrNot(usize),
    /// Play, from the start if the playhead is at the end; or pause.
    PlayOrPause,
    /// This much real time has passed while playing, in microseconds.
    Elapsed(u64),
    /// The same, where the playhead goes from event to event instead of gliding.
    ElapsedInSteps(u64),
    /// Set something for all pages to the option in this place.
    Choose(Setting, usize),
    /// Play at another speed.
    SetSpeed(Speed),
    /// Show programs as pseudocode, or as the real calls.
    Speak(Voice),
    /// Select a fault, by its place in the list, or none.
    Select(Option<usize>),
    /// Take hold of a fault with a pointer: of its middle or of one of its ends.
    Grab(usize, Handle),
    /// Take hold of it with keys.
    GrabByKeys(usize, Handle),
    /// Move what is held to where it was taken plus this many microseconds, or parts per
    /// million for a slope.
    MoveTo(i64),
    /// Move what is held by this many microseconds.
    MoveBy(i64),
    /// Let go of what is held, where it is now.
    Drop,
    /// The focus has left what is held, or the key is up: keys let go of it, and a
    /// pointer doesn't.
    FocusLeft,
    /// Put what is held back where it was.
    Cancel,
    /// Give a field of a fault a new value.
    Set(usize, Field, i64),
    /// Put an edge of a fault just before or just after the nearest event, or beside the
    /// next one if it already lies there.
    Snap(usize, Handle, Side),
    /// Take a fault off the stage.
    Delete(usize),
    /// Add a fault like another one, after it.
    Duplicate(usize),
    /// Choose a kind from the palette; the same kind again puts it away.
    Bring(FaultKind),
    /// Take what was chosen to a lane and a moment, in microseconds.
    BringTo(NodeIndex, u64),
    /// Take it off the lanes; it is still chosen.
    BringAway,
    /// Take it down by this many lanes and later by this many microseconds.
    BringBy(isize, i64),
    /// Add a fault of a kind on a lane at a moment, in microseconds.
    Add(FaultKind, NodeIndex, u64),
    /// Take a message of a pane at one of its ends, with a pointer.
    GrabWire(usize, WireName, WireEnd),
    /// The same with keys.
    GrabWireByKeys(usize, WireName, WireEnd),
    /// Take back the last change of the faults.
    Undo,
    /// Do again what was taken back.
    Redo,
    /// Go back to the lesson's own faults.
    Reset,
    /// Answer the question before the run.
    Predict(u8),
    /// Start a challenge, by its place in the list.
    StartChallenge(usize),
    /// Give one more hint for a challenge.
    Hint(usize),
}
