//! When processes stand still, and when nodes are down.

use alloc::vec::Vec;

use super::fault::{Fault, Pause, Waking};
use super::scenario::{NodeIndex, Scenario};

/// Spans of time in which nodes do nothing. A node still does something at the very
/// start of a span, and again at its very end.
pub(super) struct Pauses {
    /// In the order of their starts.
    spans: Vec<Span>,
}

#[derive(Clone, Copy)]
struct Span {
    node: NodeIndex,
    start_us: u64,
    end_us: u64,
    /// What is handled first at its end.
    then: Waking,
}

impl Pauses {
    /// The pauses among these faults: processes stand still.
    pub fn new(scenario: &Scenario, faults: &[Fault]) -> Self {
        Self::of_faults(scenario, faults, |fault| match *fault {
            Fault::Pause(Pause { node, at_us, lasts_us, on_waking }) => {
                Some(Span { node, start_us: at_us, end_us: at_us + lasts_us, then: on_waking })
            }
            _ => None,
        })
    }

    /// The crashes among these faults: nodes are down.
    pub fn outages(scenario: &Scenario, faults: &[Fault]) -> Self {
        Self::of_faults(scenario, faults, |fault| match fault {
            Fault::Crash(crash) => Some(Span {
                node: crash.node,
                start_us: crash.at_us,
                end_us: crash.at_us + crash.lasts_us,
                then: Waking::default(),
            }),
            _ => None,
        })
    }

    /// The times in which replication stands still.
    pub fn lags(scenario: &Scenario, faults: &[Fault]) -> Self {
        Self::of_faults(scenario, faults, |fault| match fault {
            Fault::ReplicaLag(lag) => Some(Span {
                node: lag.node,
                start_us: lag.at_us,
                end_us: lag.at_us + lag.lasts_us,
                then: Waking::default(),
            }),
            _ => None,
        })
    }

    /// What a process does, its threads do.
    fn of_faults(scenario: &Scenario, faults: &[Fault], span: impl Fn(&Fault) -> Option<Span>) -> Self {
        let of_all_threads = |span: Span| scenario.threads(span.node).map(move |node| Span { node, ..span });
        let order = |span: &Span| (span.start_us, span.end_us, span.node);
        let mut spans: Vec<Span> = Vec::new();
        // Of spans that are the same, the first says what is handled on waking.
        for span in faults.iter().filter_map(span).flat_map(of_all_threads) {
            let at = spans.partition_point(|other| order(other) <= order(&span));
            spans.insert(at, span);
        }
        Self { spans }
    }

    fn of(&self, node: NodeIndex) -> impl Iterator<Item = &Span> + '_ {
        self.spans.iter().filter(move |span| span.node == node)
    }

    /// Whether a span of a node ends at this very moment.
    pub fn end_at(&self, node: NodeIndex, at_us: u64) -> bool {
        self.of(node).any(|span| span.end_us == at_us)
    }

    /// Whether a node that wakes at this very moment looks at its deadlines first.
    pub fn deadlines_first(&self, node: NodeIndex, at_us: u64) -> bool {
        self.of(node).any(|span| span.end_us == at_us && span.then == Waking::Deadlines)
    }

    /// Whether a node does nothing at this moment.
    pub fn cover(&self, node: NodeIndex, at_us: u64) -> bool {
        self.of(node).any(|span| span.start_us < at_us && at_us < span.end_us)
    }

    /// The first moment, not before `at_us`, at which a node runs.
    pub fn resume_us(&self, node: NodeIndex, at_us: u64) -> u64 {
        self.of(node).fold(at_us, |at, span| if span.start_us < at && at < span.end_us { span.end_us } else { at })
    }

    /// The first moment, not before `at_us`, at which all of these nodes run.
    pub fn all_run_us(&self, nodes: &[NodeIndex], at_us: u64) -> u64 {
        let mut all_run_us = at_us;
        loop {
            let next_us = nodes.iter().fold(all_run_us, |at, &node| self.resume_us(node, at));
            if next_us == all_run_us {
                return all_run_us;
            }
            all_run_us = next_us;
        }
    }

    /// When a node that starts to work at `at_us` has worked for `work_us`.
    pub fn work_us(&self, node: NodeIndex, at_us: u64, work_us: u64) -> u64 {
        let mut done_us = self.resume_us(node, at_us) + work_us;
        let from_us = done_us - work_us;
        let mut reached_us = from_us;
        for span in self.of(node) {
            let start = span.start_us.max(reached_us);
            if span.end_us > start && start >= from_us && start < done_us {
                done_us += span.end_us - start;
                reached_us = span.end_us;
            }
        }
        done_us
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pauses(spans: &[(u64, u64)]) -> Pauses {
        let pause = |&(at_us, end_us): &(u64, u64)| {
            Fault::Pause(Pause { node: 0, at_us, lasts_us: end_us - at_us, on_waking: Waking::Messages })
        };
        let scenario = super::super::example::stale_overwrite();
        Pauses::new(&scenario, &spans.iter().map(pause).collect::<Vec<_>>())
    }

    #[test]
    fn a_process_runs_at_the_very_start_and_end_of_a_pause() {
        let pauses = pauses(&[(10, 20)]);
        assert_eq!([9, 10, 11, 19, 20].map(|at| pauses.resume_us(0, at)), [9, 10, 20, 20, 20]);
        assert_eq!(pauses.resume_us(1, 15), 15, "another node doesn't stand still");
    }

    #[test]
    fn work_goes_on_after_a_pause_where_it_stopped() {
        let pauses = pauses(&[(10, 20)]);
        assert_eq!(pauses.work_us(0, 5, 5), 10, "done at the very start of the pause");
        assert_eq!(pauses.work_us(0, 5, 6), 21);
        assert_eq!(pauses.work_us(0, 15, 3), 23);
        assert_eq!(pauses.work_us(0, 20, 3), 23);
    }

    #[test]
    fn pauses_that_overlap_count_once() {
        let pauses = pauses(&[(10, 20), (15, 30), (40, 50)]);
        assert_eq!(pauses.work_us(0, 5, 6), 31);
        assert_eq!(pauses.work_us(0, 5, 16), 51);
        assert_eq!(pauses.resume_us(0, 12), 30);
    }
}
