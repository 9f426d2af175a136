//! Tables of what was measured, and the file that keeps them.

use std::path::Path;
use std::{env, fs, io};

/// Names the file that keeps the tables, if it is to be written.
const FILE: &str = "RACESCOPE_BENCHMARKS";

/// Prints a table, and puts it into its place in the file that the environment names, if
/// it names one. The place lies between two comments with the name of the table.
///
/// # Errors
/// The file has no such place, or can't be read or written.
pub fn publish(name: &str, table: &str) -> io::Result<()> {
    println!("{table}");
    let Some(file) = env::var_os(FILE) else { return Ok(()) };
    let text = fs::read_to_string(&file)?;
    let Some(text) = with_table(&text, name, table) else {
        let file = Path::new(&file).display();
        return Err(io::Error::other(format!("{file} has no lines {:?}", [mark(name, "begin"), mark(name, "end")])));
    };
    fs::write(file, text)
}

/// How many processes wait for a processor, where the system says so.
pub fn load() -> String {
    let said = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    said.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown").to_string()
}

fn mark(name: &str, which: &str) -> String {
    format!("<!-- cargo xtask bench --write: {name}, {which} -->\n")
}

fn with_table(text: &str, name: &str, table: &str) -> Option<String> {
    let (begin, end) = (mark(name, "begin"), mark(name, "end"));
    let (before, rest) = text.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}{table}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::with_table;

    #[test]
    fn a_table_takes_the_place_of_the_last_one_of_its_name() {
        let text = |table: &str| {
            format!(
                "a\n<!-- cargo xtask bench --write: x, begin -->\n{table}<!-- cargo xtask bench --write: x, end -->\nb\n"
            )
        };
        assert_eq!(with_table(&text("old\n"), "x", "new\n"), Some(text("new\n")));
        assert_eq!(with_table(&text("old\n"), "y", "new\n"), None);
    }
}
