//! What was found, in words.

use racescope_engine::explore::Stop;

use super::answer::{Answer, Hunted};
use crate::tell::{counted, grouped, why_stopped};

impl Answer {
    /// Whether schedules were random.
    fn is_random(&self) -> bool {
        self.states == 0
    }

    /// The first words of it, and the rest: "1,288" and "of 4,846 schedules break". A
    /// search that was stopped has no numbers.
    pub fn headline(&self) -> [String; 2] {
        let Some(stop) = self.stopped else {
            let verb = if self.harmful == "1" { "breaks" } else { "break" };
            let schedule = if self.is_random() { "random schedule" } else { "schedule" };
            return [grouped(&self.harmful), format!("of {} {verb}", counted(&self.schedules, schedule))];
        };
        let is_found = |harm: &super::Harm| matches!(harm.shortest, Hunted::Found(_));
        let why = why_stopped(stop, self.states as usize);
        if stop != Stop::Endless {
            return ["Incomplete:".to_string(), why];
        }
        let [first, rest] = if self.harms.iter().any(is_found) {
            ["Some", "schedules break"]
        } else if self.harms.iter().all(|harm| harm.shortest == Hunted::Nowhere) {
            ["No", "schedule breaks"]
        } else {
            ["Incomplete:", "not all states were seen"]
        };
        [first.to_string(), format!("{rest}; {why}")]
    }

    /// How the count was made: "every schedule counted, in 313 states".
    pub fn how_counted(&self) -> String {
        let states = counted(&self.states.to_string(), "state");
        match self.stopped {
            _ if self.is_random() => {
                "what is possible next is equally likely; this finds, and proves nothing".to_string()
            }
            None => format!("every schedule counted, in {states}"),
            Some(Stop::Endless) => "every state seen, and no schedule counted".to_string(),
            Some(_) => format!("stopped at {states}, incomplete"),
        }
    }
}
