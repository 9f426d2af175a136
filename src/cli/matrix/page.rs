//! The page of the matrix: a table that is read without a script.

use racescope::tell::{self, rounded};
use racescope_lesson::{Column, Matrix, Row as Named};

use super::table::{exact, some_or_none};
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
        "<div class=\"story intro\"><div><h1>{TITLE}</h1><p>{about}</p></div>{KEY}{FINE}</div>{}",
        table(matrix, rows)
    );
    Sheet { folder: "matrix", title: TITLE, about: ABOUT }.page(app, &main)
}

/// How a cell is read.
const KEY: &str = "<ul class=\"key\" aria-label=\"How to read a cell\">\
    <li><span class=\"sw\"><svg class=\"vi\" viewBox=\"0 0 16 16\" aria-hidden=\"true\"><use href=\"#i-holds\"/></svg>\
    0 of n</span> holds: all n schedules were searched, and none does the harm</li>\
    <li><span class=\"sw bad\"><span class=\"plate\"><svg class=\"vi\" viewBox=\"0 0 16 16\" aria-hidden=\"true\">\
    <use href=\"#i-broken\"/></svg>k of n</span></span> broken: k of the n schedules do it</li></ul>";

/// What a count means, and what it doesn't.
const FINE: &str = "<div class=\"fine\"><p>Each assumption stands alone: a column says what may go wrong, and nothing \
    else does. What is counted stands under each mechanism: the harm that it is there to prevent. Large numbers are \
    rounded; the page of a mechanism has them in full.</p>\
    <p>The fencing token is there twice. It keeps what it promises: no write after a newer one. An update can be lost \
    all the same, by a late write that comes before the first one of the next holder. A snapshot that is restored \
    takes back what came after it; that by itself isn’t counted. A search lets the leases of several servers end in any \
    order.</p></div>";

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
    let (head, under) = if cell.is_complete() {
        (rounded(&cell.harmful.decimal()), format!("of {}", rounded(&cell.schedules.decimal())))
    } else {
        (some_or_none(cell).to_string(), "incomplete".to_string())
    };
    format!(
        "<td class=\"{class}\"><a href=\"./{row}/#{column}\" data-col=\"{column_title}\" title=\"{exact}\">\
         <span class=\"plate\"><svg class=\"vi\" viewBox=\"0 0 16 16\" aria-hidden=\"true\"><use href=\"#i-{icon}\"/></svg>\
         <span><span class=\"vh\">{word}: </span>{head} <small>{under}</small></span></span></a></td>",
        column_title = escape(&column.title),
        row = escape(&row.id),
        column = escape(&column.id),
        exact = escape(&exact(cell)),
    )
}
