//! The faults as text, to be kept in the browser over a reload.

use std::rc::Rc;

use racescope_engine::sim::Fault;
use racescope_lesson::{Lesson, MOST_FAULTS};

use super::challenge::ChallengeState;
use super::placed::Placed;
use super::state::State;

/// The most text that is read back; more was not written by us.
const MOST: usize = 16 * 1024;

/// The form of what is kept: another one can't be read.
const FORM: u32 = 2;

/// What a reader has dragged, answered and solved, as text; `None` if that is nothing.
pub fn to_text(state: &State) -> Option<String> {
    let untouched = state.challenges.iter().all(|challenge| *challenge == ChallengeState::default());
    let own = state.faults == state.own_faults() && state.predicted.is_none() && untouched;
    let bytes = postcard::to_allocvec(&(&*state.faults, state.predicted, &state.challenges)).ok()?;
    let hex = |text: String, byte: &u8| text + &format!("{byte:02x}");
    (!own).then(|| bytes.iter().fold(format!("{}.", stamp(&state.lesson)), hex))
}

/// The page with what was kept, or as the lesson sets
/// it if the text belongs to another version of the lesson.
pub fn restore(lesson: Rc<Lesson>, text: &str) -> State {
    let kept = read(&lesson, text);
    let Some((faults, predicted, challenges)) = kept else { return State::new(lesson) };
    let mut state = State::with_faults(lesson, Rc::new(faults));
    state.predicted = predicted;
    state.challenge = challenges.iter().rposition(|challenge| challenge.started && !challenge.solved);
    state.challenges = challenges;
    state
}

type Kept = (Vec<Placed>, Option<u8>, Vec<ChallengeState>);

/// What a text says, if it fits the lesson. Its numbers are brought within what a
/// run can hold: the text may not be ours.
fn read(lesson: &Lesson, text: &str) -> Option<Kept> {
    let (stamped, hex) = text.split_once('.')?;
    if text.len() > MOST || stamped != stamp(lesson) || !hex.is_ascii() || hex.len() % 2 != 0 {
        return None;
    }
    let digits = |at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..hex.len()).step_by(2).map(digits).collect();
    let (mut faults, predicted, challenges): Kept = postcard::from_bytes(&bytes?).ok()?;
    for placed in &mut faults {
        placed.fault = placed.fault.clamped();
    }
    let options = lesson.prediction.as_ref().map_or(0, |asked| asked.options.len());
    let predicted = predicted.filter(|&option| usize::from(option) < options);
    let nodes = lesson.variants.first()?.scenario.nodes.len();
    let fits = faults.len() <= MOST_FAULTS
        && faults.iter().all(|placed| fits_on(placed, nodes, lesson.variants.len()))
        && challenges.len() == lesson.challenges.len()
        && challenges.iter().zip(&lesson.challenges).all(|(state, challenge)| state.hints <= challenge.hints.len());
    fits.then_some((faults, predicted, challenges))
}

/// Whether all that a fault names is there.
fn fits_on(placed: &Placed, nodes: usize, panes: usize) -> bool {
    let other = if let Fault::Partition(cut) = placed.fault { cut.other } else { 0 };
    let pane = placed.pane.unwrap_or(0);
    [placed.fault.node(), other].into_iter().all(|node| usize::from(node) < nodes) && usize::from(pane) < panes
}

/// A number that changes when the lesson does, or the form of what is kept.
fn stamp(lesson: &Lesson) -> String {
    let named = lesson.variants.iter().map(|variant| &variant.scenario);
    let nodes: Vec<&str> = named.flat_map(|scenario| &scenario.nodes).map(|node| node.title.as_str()).collect();
    let asked = lesson.prediction.as_ref().map(|asked| (&asked.question, &asked.options));
    let starts: Vec<_> = lesson.challenges.iter().map(|challenge| (&challenge.title, &challenge.start)).collect();
    let known = (FORM, &lesson.title, lesson.shows_us, &lesson.faults, nodes, asked, starts);
    let bytes = postcard::to_allocvec(&known).unwrap_or_default();
    let mix = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    format!("{:08x}", bytes.iter().fold(0x811c_9dc5, mix))
}
