//! The page of the matrix: a table that is read without a script.

use racescope::tell::{self, rounded};
use racescope_lesson::{Column, Matrix, Row as Named};

use super::table::{DOES_NOT_APPLY, exact, some_or_none, why_not};
use super::{Cell, Row};
use crate::html::escape;
use crate::sheet::Sheet;

/// The title of the page.
const TITLE: &str = "The safety matrix";

/// What the page is about.
const ABOUT: &str = "Which mechanism withstands which trouble. Each cell is a search of every schedule: press it to see \
                     the shortest one that goes wrong, and drag its faults.";

/// The page, made of the one of the app.
pub fn page(app: &str, matrix: &Matrix, rows: &[Row]) -> String {
    let about = escape(ABOUT);
    let main = format!(
        "<div class=\"story intro\"><div><h1>{TITLE}</h1><p>{about}</p></div>{KEY}<div class=\"fine\">{FINE}{}</div></div>{}",
        pauses_and_jumps(matrix, rows),
        table(matrix, rows)
    );
    Sheet { folder: "matrix", title: TITLE, about: ABOUT }.page(app, &main)
}

/// How a cell is read.
const KEY: &str = "<ul class=\"key\" aria-label=\"How to read a cell\">\
    <li><span class=\"sw\"><svg class=\"vi\" viewBox=\"0 0 16 16\" aria-hidden=\"true\"><use href=\"#i-holds\"/></svg>\
    0 of n</span> holds: all n schedules were searched, and none does the harm</li>\
    <li><span class=\"sw bad\"><span class=\"plate\"><svg class=\"vi\" viewBox=\"0 0 16 16\" aria-hidden=\"true\">\
    <use href=\"#i-broken\"/></svg>k of n</span></span> broken: k of the n schedules do it</li>\
    <li><span class=\"sw idle\">doesn’t apply</span> nothing there can go wrong in this way</li></ul>";

/// What a count means, and what it doesn't.
const FINE: &str = "<p>Each assumption stands alone: a column says what may go wrong, and nothing \
    else does. What is counted stands under each mechanism: the harm that it is there to prevent. Large numbers are \
    rounded; the page of a mechanism has them in full.</p>\
    <p>The fencing token is there twice. It keeps what it promises: no write after a newer one. An update can be lost \
    all the same, by a late write that comes before the first one of the next holder. A snapshot that is restored \
    takes back what came after it; that by itself isn’t counted. A search lets the leases of several servers end in any \
    order.</p>";

/// Why two columns say the same, as far as they do.
fn pauses_and_jumps(matrix: &Matrix, rows: &[Row]) -> String {
    let place = |is_it: fn(&Column) -> bool| matrix.columns.iter().position(is_it);
    let pauses = place(|column| column.bounds.pauses && !column.bounds.clock_steps);
    let jumps = place(|column| column.bounds.clock_steps && !column.bounds.pauses);
    let (Some(pauses), Some(jumps)) = (pauses, jumps) else { return String::new() };
    let counts = |cell: &Cell| (cell.schedules.clone(), cell.harmful.clone());
    let same = rows.iter().filter(|row| counts(&row.cells[pauses]) == counts(&row.cells[jumps])).count();
    format!(
        "<p>{} and {} count the same in {same} of {} rows: in either a lease may end at any moment while its holder goes \
         on, and a search asks for no more. What differs is how it comes about, on the stage: by a holder that stands \
         still, or by a clock that jumps.</p>",
        escape(&matrix.columns[pauses].title),
        escape(&matrix.columns[jumps].title),
        rows.len()
    )
}

fn table(matrix: &Matrix, rows: &[Row]) -> String {
    let heads = matrix
        .columns
        .iter()
        .fold(String::new(), |heads, column| heads + &format!("<th scope=\"col\">{}</th>", escape(&column.title)));
    let mut html = format!(
        "<table class=\"matrix\"><caption class=\"vh\">Rows are mechanisms, and columns are what may go wrong. Each \
         cell says how many of all schedules do harm.</caption><thead><tr><td></td>{heads}</tr></thead>"
    );
    let mut rows = rows.iter();
    let columns = matrix.columns.len() + 1;
    for group in &matrix.groups {
        let title = escape(&group.title);
        html += &format!("<tbody><tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{columns}\">{title}</th></tr>");
        for (row, found) in group.rows.iter().zip(rows.by_ref()) {
            html += &line(matrix, row, found);
        }
        html += "</tbody>";
    }
    html + "</table>"
}

fn line(matrix: &Matrix, row: &Named, found: &Row) -> String {
    let variant = matrix.variant(row);
    let (id, title, remark) = (escape(&row.id), escape(&variant.title), escape(&variant.remark));
    let counted = escape(tell::mark(row.harm));
    let head = format!(
        "<tr><th scope=\"row\"><a href=\"./{id}/\">{title}</a><span>{remark}</span>\
         <span class=\"counted\">counted: {counted}</span></th>"
    );
    let cells = matrix.columns.iter().zip(&found.cells);
    cells.fold(head, |line, (column, found)| line + &cell(row, column, found)) + "</tr>"
}

fn cell(row: &Named, column: &Column, cell: &Cell) -> String {
    let (class, icon, word) = if cell.is_broken() { ("bad", "broken", "broken") } else { ("ok", "holds", "holds") };
    let (class, icon, word) = match (cell.is_complete(), cell.is_broken()) {
        (true, _) => (class.to_string(), icon, word),
        (false, true) => (format!("{class} part"), icon, word),
        (false, false) => ("part".to_string(), "cut", "unknown"),
    };
    let icon = format!("<svg class=\"vi\" viewBox=\"0 0 16 16\" aria-hidden=\"true\"><use href=\"#i-{icon}\"/></svg>");
    let (class, icon, word) = if cell.applies {
        (class, icon, format!("{word}: "))
    } else {
        ("idle".to_string(), String::new(), String::new())
    };
    let (head, under) = if !cell.applies {
        (DOES_NOT_APPLY.to_string(), why_not(&column.bounds).to_string())
    } else if cell.is_complete() {
        (rounded(&cell.harmful.decimal()), format!("of {}", rounded(&cell.schedules.decimal())))
    } else {
        (some_or_none(cell).to_string(), "incomplete".to_string())
    };
    format!(
        "<td class=\"{class}\"><a href=\"./{row}/#{column}\" data-col=\"{column_title}\" title=\"{exact}\">\
         <span class=\"plate\">{icon}<span><span class=\"vh\">{word}</span>{head} <small>{under}</small></span></span></a></td>",
        column_title = escape(&column.title),
        row = escape(&row.id),
        column = escape(&column.id),
        exact = escape(&exact(cell)),
    )
}
