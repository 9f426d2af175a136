//! The faults as text, to be kept in the browser over a reload.

use std::rc::Rc;

use racescope_lesson::{Lesson, MOST_FAULTS, StagedFault};

use super::state::State;

/// The most text that is read back; more was not written by us.
const MOST: usize = 16 * 1024;

/// The faults and the answer of a page as text; `None` if they are the lesson's own.
pub fn to_text(state: &State) -> Option<String> {
    let own = *state.faults == state.lesson.faults && state.predicted.is_none();
    let bytes = postcard::to_allocvec(&(&*state.faults, state.predicted)).ok()?;
    let hex = |text: String, byte: &u8| text + &format!("{byte:02x}");
    (!own).then(|| bytes.iter().fold(format!("{}.", stamp(&state.lesson)), hex))
}

/// The page with the faults and the answer that were kept, or as the lesson sets
/// it if the text belongs to another version of the lesson.
pub fn restore(lesson: Rc<Lesson>, text: &str) -> State {
    let kept = read(&lesson, text);
    let Some((faults, predicted)) = kept else { return State::new(lesson) };
    let mut state = State::with_faults(lesson, Rc::new(faults));
    state.predicted = predicted;
    state
}

fn read(lesson: &Lesson, text: &str) -> Option<(Vec<StagedFault>, Option<u8>)> {
    let (stamped, hex) = text.split_once('.')?;
    if text.len() > MOST || stamped != stamp(lesson) || !hex.is_ascii() || hex.len() % 2 != 0 {
        return None;
    }
    let digits = |at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..hex.len()).step_by(2).map(digits).collect();
    let (faults, predicted): (Vec<StagedFault>, Option<u8>) = postcard::from_bytes(&bytes?).ok()?;
    let nodes = lesson.variants.first()?.scenario.nodes.len();
    let fits = faults.len() <= MOST_FAULTS && faults.iter().all(|staged| usize::from(staged.fault.node()) < nodes);
    fits.then_some((faults, predicted))
}

/// A number that changes when the lesson does.
fn stamp(lesson: &Lesson) -> String {
    let bytes = postcard::to_allocvec(lesson).unwrap_or_default();
    let mix = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    format!("{:08x}", bytes.iter().fold(0x811c_9dc5, mix))
}
