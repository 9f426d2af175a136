//! A Riak bucket: no value goes that the writer of a later one hadn't read.

use racescope_engine::system::riak::{Concurrent, Reply, Riak};

use crate::driver::{Promises, Rising, Step, keeps_its_promises, numbers};

const COMMANDS: [&str; 6] = ["PUT k a #", "PUT k b #", "PUT k c #", "PUT k d", "PUT m e #", "GET k"];

struct Bucket {
    concurrent: Concurrent,
    context: Rising,
}

/// The values and the context of a read.
fn seen(answer: &str) -> (Vec<&str>, u64) {
    match answer.split_once(" context ") {
        Some((values, context)) => (values.split(' ').skip(1).collect(), numbers(context)[0]),
        None => (Vec::new(), 0),
    }
}

impl Promises for Bucket {
    type System = Riak;

    fn looks(&self) -> &'static [&'static str] {
        &["GET k", "GET m"]
    }

    fn refuses(&self, _: &str, reply: &Reply) -> bool {
        *reply != Reply::NoContent
    }

    fn judge(&mut self, step: &Step<Riak>) {
        let (was, is) = (step.looked("GET k"), step.look("GET k"));
        let ((values_before, context_before), (values, context)) = (seen(&was), seen(&is));
        self.context.see(context, step);
        if step.is_set_back() {
            return;
        }
        let written = step.answer().filter(|(_, words, reply)| words.starts_with("PUT k") && reply == "204");
        let Some((_, words, _)) = written else {
            assert_eq!(was, is, "only a write changes a key");
            return;
        };
        let words: Vec<&str> = words.split(' ').collect();
        assert_eq!((values.last(), context), (Some(&words[2]), context_before + 1), "{words:?}");
        let brought = words.get(3).map_or(0, |context| numbers(context)[0]);
        let knew_all = self.concurrent == Concurrent::LastWriteWins || brought == context_before;
        let stayed = &values[..values.len() - 1];
        assert!(values_before.ends_with(stayed), "{words:?}: from {was} to {is}");
        assert!(!knew_all || stayed.is_empty(), "{words:?}: from {was} to {is}");
        assert!(knew_all || !stayed.is_empty(), "{words:?}: the newest value was unknown and must stay");
        assert!(brought > 0 || knew_all || stayed == values_before, "{words:?}: from {was} to {is}");
    }
}

#[test]
fn riak() {
    for (concurrent, several) in [(Concurrent::Siblings, "300 "), (Concurrent::LastWriteWins, "200 ")] {
        let start = || Bucket { concurrent, context: Rising::default() };
        keeps_its_promises(&Riak::new(&["k", "m"], concurrent), start, &COMMANDS, &["204", "400", "404", several]);
    }
}
