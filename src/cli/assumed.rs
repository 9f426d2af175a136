//! What the command line assumes instead of what a file does.

use racescope_engine::explore::Bounds;
use racescope_lesson::author::{Settings, bound_names, set_bound};

/// What `--set` and `--assume` change.
#[derive(Default)]
pub struct Changes {
    /// What is read in place of what is in the file.
    pub settings: Settings,
    /// What is assumed instead of what the file assumes.
    assumed: Option<Vec<(String, u64)>>,
    set: Vec<(String, u64)>,
}

impl Changes {
    /// Reads what `--set` and `--assume` were given.
    ///
    /// # Errors
    /// Something sets nothing, or something else sets the same; as a sentence.
    pub fn read(set: &[String], assume: &[String]) -> Result<Self, String> {
        let mut changes = Self::default();
        for (option, settings) in [("--set", set), ("--assume", assume)] {
            if let Some(name) = first_twice(&names(settings)) {
                return Err(format!("{option} names {name} twice. Name it once."));
            }
        }
        let (set_names, assumed_names) = (names(set), names(assume));
        if let Some(name) = set_names.iter().find(|name| assumed_names.contains(name)) {
            return Err(format!("--set and --assume both name {name}. Name it in one of them."));
        }
        if assume.len() > 1 && assumed_names.iter().any(|name| name == "nothing") {
            return Err("--assume nothing stands alone. Leave it out, or the others.".to_string());
        }
        for set in set {
            match setting(set).ok_or_else(|| not_a_setting(set))? {
                ("clients", Some(number)) => {
                    changes.settings.clients = Some(u16::try_from(number).unwrap_or(u16::MAX));
                }
                (name, Some(number)) => changes.set.push((name.to_string(), number)),
                (_, None) => return Err(not_a_setting(set)),
            }
        }
        for assumption in assume {
            let assumed = changes.assumed.get_or_insert_default();
            match setting(assumption).ok_or_else(|| not_a_setting(assumption))? {
                ("nothing", None) => {}
                (name, number) => assumed.push((name.to_string(), number.unwrap_or(1))),
            }
        }
        Ok(changes)
    }

    /// What may go wrong in a schedule, from what a file says about it.
    ///
    /// # Errors
    /// There is no such bound, it is out of bounds, or it can't matter; as a sentence.
    pub fn bounds(&self, of_the_file: Bounds) -> Result<Bounds, String> {
        // How many leases end early is no assumption, but how far the search goes.
        let nothing = Bounds { expiries: of_the_file.expiries, ..Bounds::NONE };
        let mut bounds = if self.assumed.is_some() { nothing } else { of_the_file };
        let named = || self.assumed.iter().flatten().chain(&self.set);
        for (name, number) in named() {
            set_bound(&mut bounds, name, *number).map_err(|error| format!("{name}={number}: {error}"))?;
        }
        let asks_for_expiries = named().any(|(name, number)| name == "expiries" && *number > 0);
        if asks_for_expiries && !bounds.timers_can_win() {
            return Err(
                "expiries assumes nothing by itself: a lease ends early only if something holds its holder up or \
                        a clock is wrong. Assume pauses, late_messages, clock_steps or clock_rates, too."
                    .to_string(),
            );
        }
        Ok(bounds)
    }
}

/// The names in `name=number` or `name`, as files write them.
fn names(settings: &[String]) -> Vec<String> {
    settings.iter().filter_map(|text| Some(setting(text)?.0.replace('-', "_"))).collect()
}

fn first_twice(names: &[String]) -> Option<&String> {
    (1..names.len()).find(|&place| names[..place].contains(&names[place])).map(|place| &names[place])
}

/// The parts of `name=number` or `name`.
fn setting(text: &str) -> Option<(&str, Option<u64>)> {
    match text.split_once('=') {
        Some((name, number)) => Some((name, Some(number.parse().ok()?))),
        None => Some((text, None)),
    }
}

fn not_a_setting(text: &str) -> String {
    let names = bound_names().join(", ");
    format!("{text} sets nothing. Write a name and a whole number, such as clients=3. The names are clients, {names}.")
}
