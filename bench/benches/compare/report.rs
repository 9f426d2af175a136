//! The table of what was measured.

#![allow(clippy::cast_precision_loss, reason = "a figure of a bench needs no sixteen digits")]

use std::fmt::Write as _;

/// Times in milliseconds, each with the states that were met.
#[derive(Default)]
pub struct Times(Vec<(f64, usize)>);

/// Counting every schedule, with so many clients.
pub struct Counted {
    clients: usize,
    reduced: bool,
    pub browser: Times,
    pub native: Times,
    pub stateright: Times,
}

/// Random schedules.
#[derive(Default)]
#[allow(clippy::struct_field_names, reason = "each is a time in milliseconds, and its unit belongs to its name")]
pub struct Random {
    pub first_in_browser_ms: f64,
    pub browser_ms: f64,
    pub native_ms: f64,
    pub shuttle_ms: f64,
}

/// All that was measured.
#[derive(Default)]
pub struct Report {
    pub load_before: String,
    pub load_after: String,
    pub counted: Vec<Counted>,
    pub random: Random,
    pub voucher_browser_ms: f64,
    pub voucher_native_ms: f64,
}

/// The median of numbers.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

impl Times {
    pub fn push(&mut self, measured: (f64, usize)) {
        self.0.push(measured);
    }

    fn ms(&self) -> f64 {
        median(self.0.iter().map(|(ms, _)| *ms).collect())
    }

    fn states(&self) -> usize {
        self.0.first().map_or(0, |(_, states)| *states)
    }

    /// Millions of unique states a second.
    fn speed(&self) -> f64 {
        self.states() as f64 / self.ms() / 1_000.0
    }

    fn cell(&self) -> String {
        format!("{:.1} ms, {} states, {:.2} M/s", self.ms(), self.states(), self.speed())
    }
}

impl Counted {
    pub fn new(clients: usize, reduced: bool) -> Self {
        let times = Times::default;
        Self { clients, reduced, browser: times(), native: times(), stateright: times() }
    }
}

impl Report {
    fn row(&self, clients: usize, reduced: bool) -> &Counted {
        let is_it = |row: &&Counted| row.clients == clients && row.reduced == reduced;
        self.counted.iter().find(is_it).expect("it was measured")
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let _ = writeln!(
            text,
            "{cores} cores; load average {} before and {} after. Medians; M/s are millions of unique states a second.\n",
            self.load_before, self.load_after
        );
        for (reduced, title, rival) in [
            (true, "With reductions", "Stateright, depth first, by symmetry"),
            (false, "Without reductions", "Stateright, breadth first"),
        ] {
            let _ = writeln!(text, "| {title}, clients | Racescope in Chromium | Racescope native | {rival} |");
            text += "|---|---|---|---|\n";
            for row in self.counted.iter().filter(|row| row.reduced == reduced) {
                let cells = [&row.browser, &row.native, &row.stateright].map(Times::cell);
                let _ = writeln!(text, "| {} | {} |", row.clients, cells.join(" | "));
            }
            text += "\n";
        }
        let Random { first_in_browser_ms, browser_ms, native_ms, shuttle_ms } = self.random;
        let _ = writeln!(
            text,
            "| | Racescope in Chromium | Racescope native | shuttle |\n|---|---|---|---|\n\
             | 100,000 random schedules, 4 clients | {browser_ms:.0} ms; {first_in_browser_ms:.0} ms as the first call, which starts the worker | {native_ms:.0} ms | {shuttle_ms:.0} ms |\n\
             | voucher race of 20 clients, exact | {:.0} ms | {:.0} ms | |\n",
            self.voucher_browser_ms, self.voucher_native_ms
        );
        text += "| bar | measured | met |\n|---|---|---|\n";
        for (bar, measured, met) in self.bars() {
            let _ = writeln!(text, "| {bar} | {measured} | {} |", if met { "yes" } else { "**no**" });
        }
        text
    }

    /// What was aimed at, what was measured, and whether that is good enough.
    fn bars(&self) -> Vec<(&'static str, String, bool)> {
        let ms = |clients| self.row(clients, true).browser.ms();
        let raw = self.row(4, false);
        let breadth_first = raw.stateright.ms() / ms(4);
        let parity = raw.browser.speed() / raw.native.speed();
        let speed = raw.browser.speed();
        let random_ms = self.random.first_in_browser_ms;
        let at_most = |bar, ms: f64, most: f64| (bar, format!("{ms:.1} ms"), ms <= most);
        vec![
            at_most("every schedule of 4 clients, in Chromium: at most 30 ms", ms(4), 30.0),
            at_most("every schedule of 5 clients, in Chromium: at most 300 ms", ms(5), 300.0),
            (
                "4 clients in Chromium: at least 5 times faster than Stateright natively, breadth first, one thread",
                format!("{breadth_first:.1} times"),
                breadth_first >= 5.0,
            ),
            (
                "4 clients without reductions, in Chromium: at least 2.5 M unique states a second",
                format!("{speed:.2} M/s"),
                speed >= 2.5,
            ),
            ("the same: at least half as fast as natively", format!("{:.0} %", parity * 100.0), parity >= 0.5),
            at_most("100,000 random schedules of 4 clients, in Chromium, first call: at most 250 ms", random_ms, 250.0),
            at_most("voucher race of 20 clients, in Chromium: at most 200 ms", self.voucher_browser_ms, 200.0),
        ]
    }
}
