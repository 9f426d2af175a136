//! `cargo xtask size`: what a visitor downloads.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::project::Project;

/// The most that the first visit to a lesson may take, compressed with brotli. What is
/// wanted is 250,000.
const FIRST_LOAD_LIMIT: usize = 281_000;

/// The most that it may take where the lesson has real systems.
const SYSTEMS_LIMIT: usize = 372_500;

/// By what the files of the app are told that has real systems.
const SYSTEMS: &str = "app-systems";

/// One file of the site and its sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    name: String,
    raw: usize,
    gzip: usize,
    brotli: usize,
}

/// Prints the table.
pub fn show(project: &Project) -> Result<()> {
    print!("{}", table(&measure(&project.dist())?));
    Ok(())
}

/// Prints the table and fails if the first load is over its limit.
pub fn check(project: &Project) -> Result<()> {
    let entries = measure(&project.dist())?;
    print!("{}", table(&entries));
    check_limit(first_load(&entries, App::Plain), FIRST_LOAD_LIMIT)?;
    check_limit(first_load(&entries, App::WithSystems), SYSTEMS_LIMIT)
}

fn check_limit(first_load: usize, limit: usize) -> Result<()> {
    if first_load > limit {
        bail!(
            "the first load takes {first_load} bytes, {} more than the limit of {limit}; \
             look for what grew in the table above",
            first_load - limit
        );
    }
    Ok(())
}

/// Which of the two apps a page starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum App {
    Plain,
    WithSystems,
}

/// One app's code and all styles but what is loaded later, one page and one lesson: the
/// largest of each.
fn first_load(entries: &[Entry], app: App) -> usize {
    let is_other = |name: &str| match app {
        App::Plain => name.starts_with(SYSTEMS),
        App::WithSystems => ["app.js", "app_bg.wasm"].contains(&name),
    };
    let code =
        entries.iter().filter(|entry| is_code(&entry.name) && !is_other(&entry.name) && !is_for_later(&entry.name));
    let largest = |wanted: fn(&str) -> bool| {
        let sizes = entries.iter().filter(|entry| wanted(&entry.name));
        sizes.map(|entry| entry.brotli).max().unwrap_or(0)
    };
    code.map(|entry| entry.brotli).sum::<usize>() + largest(is_page) + largest(is_lesson)
}

fn is_code(name: &str) -> bool {
    ["js", "wasm", "css"].contains(&extension(name))
}

/// What searches all schedules is loaded when somebody asks for them; the look of the
/// safety matrix, and the choice of theme without the app, with pages that need no app.
fn is_for_later(name: &str) -> bool {
    ["search.js", "search_bg.wasm", "search-worker.js", "matrix.css", "choose.js"].contains(&name)
}

/// The page of the safety matrix starts no app.
fn is_page(name: &str) -> bool {
    extension(name) == "html" && name != "matrix/index.html"
}

fn is_lesson(name: &str) -> bool {
    name.starts_with("lessons/") && !is_code(name) && !is_page(name)
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn table(entries: &[Entry]) -> String {
    let sum = |size: fn(&Entry) -> usize| entries.iter().map(size).sum::<usize>();
    let total = Entry {
        name: "total".to_owned(),
        raw: sum(|entry| entry.raw),
        gzip: sum(|entry| entry.gzip),
        brotli: sum(|entry| entry.brotli),
    };
    let longest = entries.iter().map(|entry| entry.name.len()).max();
    let width = longest.unwrap_or(0).max("bytes of".len());
    let row = |name: &str, [raw, gzip, brotli]: [&str; 3]| format!("{name:width$} {raw:>10} {gzip:>10} {brotli:>10}\n");
    let heading = row("bytes of", ["raw", "gzip", "brotli"]);
    let rows = entries.iter().chain([&total]).map(|entry| {
        let sizes = [entry.raw, entry.gzip, entry.brotli].map(|size| size.to_string());
        row(&entry.name, sizes.each_ref().map(String::as_str))
    });
    let (plain, systems) = (first_load(entries, App::Plain), first_load(entries, App::WithSystems));
    let last = format!(
        "first load {plain} bytes with brotli, limit {FIRST_LOAD_LIMIT}\n\
         with systems {systems} bytes with brotli, limit {SYSTEMS_LIMIT}\n"
    );
    std::iter::once(heading).chain(rows).chain([last]).collect()
}

fn measure(dist: &Path) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    collect(dist, "", &mut entries)
        .with_context(|| format!("no site in {}; run `cargo xtask build`", dist.display()))?;
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

fn collect(folder: &Path, prefix: &str, entries: &mut Vec<Entry>) -> Result<()> {
    for item in fs::read_dir(folder)? {
        let item = item?;
        let name = format!("{prefix}{}", item.file_name().to_string_lossy());
        if item.file_type()?.is_dir() {
            collect(&item.path(), &format!("{name}/"), entries)?;
        } else {
            let bytes = fs::read(item.path())?;
            let (gzip, brotli) = (gzip_size(&bytes)?, brotli_size(&bytes)?);
            entries.push(Entry { name, raw: bytes.len(), gzip, brotli });
        }
    }
    Ok(())
}

fn gzip_size(bytes: &[u8]) -> Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}

fn brotli_size(bytes: &[u8]) -> Result<usize> {
    let parameters = BrotliEncoderParams { quality: 11, ..Default::default() };
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut &*bytes, &mut compressed, &parameters)?;
    Ok(compressed.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, brotli: usize) -> Entry {
        Entry { name: name.to_owned(), raw: brotli * 3, gzip: brotli + 1, brotli }
    }

    fn site() -> Vec<Entry> {
        vec![
            entry("app-systems.js", 6_000),
            entry("app-systems_bg.wasm", 150_000),
            entry("app.js", 5_000),
            entry("app_bg.wasm", 100_000),
            entry("index.html", 1_000),
            entry("learn/pause.html", 3_000),
            entry("lessons/pause.bin", 700),
            entry("lessons/skew.bin", 900),
            entry("picture.png", 40_000),
            entry("search_bg.wasm", 60_000),
            entry("style.css", 2_000),
        ]
    }

    #[test]
    fn the_first_load_is_the_code_and_the_largest_page_and_lesson() {
        assert_eq!(first_load(&site(), App::Plain), 5_000 + 100_000 + 2_000 + 3_000 + 900);
        assert_eq!(first_load(&site(), App::WithSystems), 6_000 + 150_000 + 2_000 + 3_000 + 900);
        assert_eq!(first_load(&[], App::Plain), 0);
    }

    #[test]
    fn the_table_ends_with_the_total_and_the_first_load() {
        let table = table(&site());
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 1 + 11 + 3);
        assert_eq!(lines[3], "app.js                   15000       5001       5000");
        assert_eq!(lines[12], "total                  1105800     368611     368600");
        assert_eq!(lines[13], "first load 110900 bytes with brotli, limit 281000");
        assert_eq!(lines[14], "with systems 161900 bytes with brotli, limit 372500");
    }

    #[test]
    fn the_limit_itself_is_allowed() {
        check_limit(FIRST_LOAD_LIMIT, FIRST_LOAD_LIMIT).unwrap();
        let error = check_limit(FIRST_LOAD_LIMIT + 5, FIRST_LOAD_LIMIT).unwrap_err().to_string();
        assert!(error.contains("281005 bytes, 5 more than the limit"), "{error}");
    }

    #[test]
    fn repetition_compresses_well_both_ways() {
        let bytes = b"lease ".repeat(1_000);
        assert!(gzip_size(&bytes).unwrap() < 100);
        assert!(brotli_size(&bytes).unwrap() < 50);
    }
}
