//! The matrix as a table of text, and its cells in a few words.

use racescope::tell::{self, grouped, rounded};
use racescope_engine::explore::Bounds;
use racescope_lesson::Matrix;

use super::{Cell, Row};

/// The matrix as a table: a line for each mechanism, with a cell for each assumption.
pub fn table(matrix: &Matrix, rows: &[Row]) -> String {
    let mut lines: Vec<Vec<String>> = vec![heads(matrix)];
    let mut rows = rows.iter();
    for group in &matrix.groups {
        lines.push(vec![group.title.clone()]);
        for row in &group.rows {
            let name = format!("  {}", matrix.variant(row).title);
            let cells = rows.next().map_or(&[][..], |row| &row.cells);
            let cells = cells.iter().map(short);
            lines.push([name, tell::mark(row.harm).to_string()].into_iter().chain(cells).collect());
        }
    }
    let columns = matrix.columns.len() + 2;
    // A group's title may stand over the columns beside it.
    let whole = || lines.iter().filter(|line| line.len() == columns);
    let width = |place: usize| whole().map(|line| line[place].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let padded = |line: &Vec<String>| {
        let cells = line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    lines.iter().map(padded).collect()
}

fn heads(matrix: &Matrix) -> Vec<String> {
    let titles = matrix.columns.iter().map(|column| column.title.clone());
    [String::new(), "what is counted".to_string()].into_iter().chain(titles).collect()
}

/// What a cell says where what is assumed can't happen.
pub const DOES_NOT_APPLY: &str = "doesn’t apply";

/// Why what is assumed can't happen.
pub fn why_not(bounds: &Bounds) -> &'static str {
    if bounds.state_losses > 0 { "nothing there forgets" } else { "it can’t happen there" }
}

/// A cell where there is little room: "1,288 of 4,846".
pub fn short(cell: &Cell) -> String {
    if !cell.applies {
        DOES_NOT_APPLY.to_string()
    } else if cell.is_complete() {
        format!("{} of {}", rounded(&cell.harmful.decimal()), rounded(&cell.schedules.decimal()))
    } else {
        format!("{}, incomplete", some_or_none(cell))
    }
}

/// A cell with all its digits, as a clause.
pub fn exact(cell: &Cell) -> String {
    if cell.is_complete() {
        format!("{} of {} schedules", grouped(&cell.harmful.decimal()), grouped(&cell.schedules.decimal()))
    } else {
        let states = grouped(&cell.states.to_string());
        format!("{}, but the search stopped at {states} states and is incomplete", some_or_none(cell))
    }
}

/// What is known of a cell whose schedules were not all counted.
pub fn some_or_none(cell: &Cell) -> &'static str {
    if cell.is_broken() { "some" } else { "none found" }
}

#[cfg(test)]
mod tests {
    use racescope_engine::explore::{Count, Stop};

    use super::*;

    #[test]
    fn a_search_that_stopped_is_never_told_as_a_count() {
        let cell = Cell {
            states: 2_000_001,
            stopped: Some(Stop::States),
            schedules: Count::Small(0),
            harmful: Count::Small(0),
            shortest: None,
            faults: None,
            played: None,
            applies: true,
        };
        assert_eq!(short(&cell), "none found, incomplete");
        assert_eq!(exact(&cell), "none found, but the search stopped at 2,000,001 states and is incomplete");
        assert_eq!(short(&Cell { faults: Some(Vec::new()), ..cell }), "some, incomplete");
    }

    #[test]
    fn what_cannot_happen_is_not_told_as_withstood() {
        let cell = Cell {
            states: 9,
            stopped: None,
            schedules: Count::Small(20),
            harmful: Count::Small(0),
            shortest: None,
            faults: None,
            played: None,
            applies: false,
        };
        assert_eq!(short(&cell), "doesn’t apply");
    }
}
