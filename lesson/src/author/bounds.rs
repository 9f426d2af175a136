//! Bounds: what of all that may go wrong goes wrong in one schedule, and how often.

use racescope_engine::explore::Bounds;

use super::shape::{Kind, Shape, Slot, may};
use super::table::Fields;

/// What `[bounds]` is.
pub(super) const BOUNDS: Kind = Kind::Table(|| vec![Shape::of(&[SWITCHES, NUMBERS])]);

/// The largest bound. Beyond a few, a search says nothing more and takes for ever.
const MOST: u8 = 9;

const SWITCHES: &[Slot] = &[
    may("pauses", Kind::Truth),
    may("late_messages", Kind::Truth),
    may("clock_steps", Kind::Truth),
    may("clock_rates", Kind::Truth),
];

const NUMBER: Kind = Kind::Number(0, MOST as u16);

const NUMBERS: &[Slot] = &[
    may("expiries", NUMBER),
    may("lost_requests", NUMBER),
    may("lost_replies", NUMBER),
    may("duplicates", NUMBER),
    may("crashes", NUMBER),
    may("halts", NUMBER),
    may("restores", NUMBER),
    may("forced_unlocks", NUMBER),
    may("state_losses", NUMBER),
];

/// Where a bound lies.
#[derive(Clone, Copy)]
enum Place {
    Switch(fn(&mut Bounds) -> &mut bool),
    Number(fn(&mut Bounds) -> &mut u8),
}

const NAMES: [(&str, Place); 13] = [
    ("pauses", Place::Switch(|bounds| &mut bounds.pauses)),
    ("late_messages", Place::Switch(|bounds| &mut bounds.late_messages)),
    ("clock_steps", Place::Switch(|bounds| &mut bounds.clock_steps)),
    ("clock_rates", Place::Switch(|bounds| &mut bounds.clock_rates)),
    ("expiries", Place::Number(|bounds| &mut bounds.expiries)),
    ("lost_requests", Place::Number(|bounds| &mut bounds.lost_requests)),
    ("lost_replies", Place::Number(|bounds| &mut bounds.lost_replies)),
    ("duplicates", Place::Number(|bounds| &mut bounds.duplicates)),
    ("crashes", Place::Number(|bounds| &mut bounds.crashes)),
    ("halts", Place::Number(|bounds| &mut bounds.halts)),
    ("restores", Place::Number(|bounds| &mut bounds.restores)),
    ("forced_unlocks", Place::Number(|bounds| &mut bounds.forced_unlocks)),
    ("state_losses", Place::Number(|bounds| &mut bounds.state_losses)),
];

/// Reads `[bounds]`. What it doesn't name is as it is by default.
pub(super) fn read(fields: &mut Fields) -> Option<Bounds> {
    read_over(fields, Bounds::default())
}

/// Reads `[bounds]`. What it doesn't name is as it is already.
pub(super) fn read_over(fields: &mut Fields, mut bounds: Bounds) -> Option<Bounds> {
    let Some(field) = fields.get("bounds") else { return Some(bounds) };
    let mut table = field.table()?;
    for (name, place) in NAMES {
        match (table.get(name), place) {
            (Some(field), Place::Switch(place)) => *place(&mut bounds) = field.truth()?,
            (Some(field), Place::Number(place)) => *place(&mut bounds) = field.number()? as u8,
            (None, _) => {}
        }
    }
    table.finish();
    Some(bounds)
}

/// The names of all bounds, in files and on the command line.
pub fn bound_names() -> Vec<&'static str> {
    NAMES.iter().map(|(name, _)| *name).collect()
}

/// All bounds with their names, as files write them, and what they are set to; 1 for what
/// is on.
pub fn bounds_by_name(bounds: &Bounds) -> Vec<(&'static str, u8)> {
    let mut bounds = *bounds;
    let of = |(name, place): (&'static str, Place)| match place {
        Place::Switch(place) => (name, u8::from(*place(&mut bounds))),
        Place::Number(place) => (name, *place(&mut bounds)),
    };
    NAMES.map(of).to_vec()
}

/// Sets the bound of this name. A dash in it stands for an underscore.
///
/// # Errors
/// There is no such bound, or the number is out of bounds; as a sentence.
pub fn set_bound(bounds: &mut Bounds, name: &str, number: u64) -> Result<(), String> {
    let name = name.replace('-', "_");
    let Some((_, place)) = NAMES.iter().find(|(known, _)| *known == name) else {
        return Err(format!("there is no bound {name}. Name one of these: {}.", bound_names().join(", ")));
    };
    match (*place, u8::try_from(number)) {
        (Place::Switch(place), Ok(number @ 0..=1)) => *place(bounds) = number == 1,
        (Place::Switch(_), _) => return Err(format!("{number} is out of bounds. Set 1 for yes or 0 for no.")),
        (Place::Number(place), Ok(number @ 0..=MOST)) => *place(bounds) = number,
        (Place::Number(_), _) => return Err(format!("{number} is out of bounds. Set a number from 0 to {MOST}.")),
    }
    Ok(())
}
