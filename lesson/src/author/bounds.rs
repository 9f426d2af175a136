//! Bounds: how much of what may go wrong at all goes wrong in one schedule.

use racescope_engine::explore::Bounds;

use super::shape::{Kind, Shape, Slot, may};
use super::table::Fields;

/// What `[bounds]` is.
pub(super) const BOUNDS: Kind = Kind::Table(|| vec![Shape::of(&[SLOTS])]);

/// The largest bound. Beyond a few, a search says nothing more and takes for ever.
const MOST: u16 = 9;

const SLOTS: &[Slot] = &[may("expiries", Kind::Number(0, MOST))];

type Place = fn(&mut Bounds) -> &mut u8;

const NAMES: [(&str, Place); 1] = [("expiries", |bounds| &mut bounds.expiries)];

/// Reads `[bounds]`. What it doesn't name is as it is by default.
pub(super) fn read(fields: &mut Fields) -> Option<Bounds> {
    let mut bounds = Bounds::default();
    let Some(mut table) = fields.get("bounds").map(|field| field.table()) else { return Some(bounds) };
    let table = table.as_mut()?;
    for (name, place) in NAMES {
        if let Some(field) = table.get(name) {
            *place(&mut bounds) = field.number()? as u8;
        }
    }
    Some(bounds)
}

/// The names of all bounds, in files and on the command line.
pub fn bound_names() -> Vec<&'static str> {
    NAMES.iter().map(|(name, _)| *name).collect()
}

/// Sets the bound of this name.
///
/// # Errors
/// There is no such bound, or the number is out of bounds; as a sentence.
pub fn set_bound(bounds: &mut Bounds, name: &str, number: u64) -> Result<(), String> {
    let Some((_, place)) = NAMES.iter().find(|(known, _)| *known == name) else {
        return Err(format!("there is no bound {name}. Name one of these: {}.", bound_names().join(", ")));
    };
    match u8::try_from(number) {
        Ok(number) if u16::from(number) <= MOST => *place(bounds) = number,
        _ => return Err(format!("{name}: {number} is out of bounds. Set a number from 0 to {MOST}.")),
    }
    Ok(())
}
