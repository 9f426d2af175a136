//! Everything that a person can do on a lesson's page.

use super::edit::Handle;
use super::playback::Speed;

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
    /// Play, from the start if the playhead is at the end; or pause.
    PlayOrPause,
    /// This much real time has passed while playing, in microseconds.
    Elapsed(u64),
    /// Play at another speed.
    SetSpeed(Speed),
    /// Select a fault, by its place in the list, or none.
    Select(Option<usize>),
    /// Take hold of a fault with a pointer: of its middle or of one of its ends.
    Grab(usize, Handle),
    /// Take hold of it with keys.
    GrabByKeys(usize, Handle),
    /// Move what is held to where it was taken plus this many microseconds.
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

/// A number of a fault that a form can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// When it starts, in microseconds.
    Start,
    /// How long it lasts or by how much it is late, in microseconds.
    Length,
    /// How far a clock jumps, in microseconds; below zero is back.
    Jump,
    /// How much faster a clock runs, in parts per million.
    Rate,
}
