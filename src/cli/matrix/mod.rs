//! `racescope matrix`: which mechanism withstands what.

mod cells;
mod json;
mod mechanism;
mod page;
mod table;

use std::path::Path;
use std::{fs, io};

use clap::Args;

pub use cells::{Cell, Row, computed};
use racescope_lesson::carried::to_text;
use table::table;

use super::html::titled;
use super::pages::{PLACE, carrying_as, with_systems};
use super::report::{Report, Status};

/// Counts, for each mechanism and each assumption, the schedules that go wrong.
#[derive(Args)]
pub struct Matrix {
    /// One JSON object with all rows and columns.
    #[arg(long)]
    json: bool,
}

impl Matrix {
    /// Computes the matrix and prints it.
    pub fn report(&self) -> Report {
        let mut report = Report::default();
        let matrix = racescope::matrix();
        if matrix.columns.is_empty() {
            report.fail(Status::BadInput, NO_MATRIX.to_string());
            return report;
        }
        let rows = computed(&matrix);
        if self.json {
            report.say(json::line(&matrix, &rows));
        } else {
            table(&matrix, &rows).lines().for_each(|line| report.say(line));
        }
        report
    }
}

/// What is said if the build found mistakes in the folder of the matrix.
pub const NO_MATRIX: &str =
    "matrix: this build left it out because of mistakes, which its warnings name. Mend them and build again.";

/// Writes the page of the matrix and those of its mechanisms into a folder, made of the
/// page of the app.
///
/// # Errors
/// The folder can't be written to.
pub fn write_pages(app: &str, folder: &Path) -> io::Result<()> {
    let matrix = racescope::matrix();
    let rows = computed(&matrix);
    fs::create_dir_all(folder)?;
    fs::write(folder.join("index.html"), page::page(app, &matrix, &rows))?;
    for (row, found) in matrix.rows().zip(&rows) {
        let folder = folder.join(&row.id);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("index.html"), mechanism_page(app, &matrix, row, found))?;
    }
    Ok(())
}

fn mechanism_page(app: &str, matrix: &racescope_lesson::Matrix, row: &racescope_lesson::Row, found: &Row) -> String {
    let carried = mechanism::carried(matrix, row, found);
    let page = titled(app, &carried.lesson.title, &carried.lesson.summary);
    let page = if carried.lesson.has_systems() { with_systems(&page) } else { page };
    let text = to_text(&carried).expect("plain data has text");
    let page = carrying_as(&page, "mechanism", &text);
    page.replace("=\"./", "=\"../../").replace(PLACE, &mechanism::text(matrix, row, found))
}
