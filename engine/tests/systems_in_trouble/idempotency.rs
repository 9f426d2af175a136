//! Idempotency keys: requests that are repeated, crash and are forgotten.

use racescope_engine::system::idempotency::{Idempotency, Reply, Steps};

use crate::driver::{Promises, Rising, Step, What, keeps_its_promises, numbers};

const COMMANDS: [&str; 9] =
    ["POST k a", "POST k a", "POST k b", "POST m a", "EFFECT", "EFFECT", "ANSWER", "ANSWER", "EFFECTS k"];

struct Service {
    steps: Steps,
    effects: Rising,
    /// The answer that the server remembers for `k`, and the body that it was for.
    stored: Option<(u64, char)>,
}

impl Promises for Service {
    type System = Idempotency;

    fn looks(&self) -> &'static [&'static str] {
        &["EFFECTS k", "EFFECTS m"]
    }

    fn refuses(&self, _: &str, reply: &Reply) -> bool {
        !matches!(reply, Reply::Reserved | Reply::Effect(_) | Reply::Created(_))
    }

    fn judge(&mut self, step: &Step<Idempotency>) {
        let (was, is) = (numbers(&step.looked("EFFECTS k"))[0], numbers(&step.look("EFFECTS k"))[0]);
        self.effects.see(is, step);
        if step.is_set_back() {
            // What a state that was put back has stored is asked for when it is met.
            self.stored = None;
            return;
        }
        assert!(is <= was + 1, "one effect at a time");
        if let What::Fired(0) = step.what {
            self.stored = None;
        }
        let Some((_, words, reply)) = step.answer() else {
            assert_eq!(was, is, "only a request makes an effect");
            return;
        };
        let makes = if self.steps == Steps::Apart { "effect " } else { "201 effect " };
        assert!(was == is || reply.starts_with(makes), "{words} → {reply} made an effect");
        if let (true, Some(number)) = (words.starts_with("POST k"), reply.strip_prefix("200 effect ")) {
            let found = (number.parse().expect("a number"), words.chars().last().unwrap_or_default());
            assert_eq!(*self.stored.get_or_insert(found), found, "a retry has the first answer");
        }
    }
}

#[test]
fn idempotency() {
    for steps in [Steps::Apart, Steps::OneTransaction] {
        let service = Idempotency::new(&["k", "m"], steps, 1_000_000, 4);
        let start = || Service { steps, effects: Rising::default(), stored: None };
        let wanted = ["reserved", "201 effect 2", "200 effect 1", "422", "out of turn"];
        keeps_its_promises(&service, start, &COMMANDS, &wanted);
    }
}
