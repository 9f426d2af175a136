//! Keeps the layers and the house rules: reads every source file and manifest, and
//! says of each broken rule where it is broken and what to do.
//!
//! A rule here is a plain function from a path and a text to complaints, so that a
//! fake text can show that it is able to fail.

use std::fs;
use std::path::{Path, PathBuf};

/// A file of the project, by its path from the root.
struct Source {
    path: String,
    text: String,
}

impl Source {
    fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|extension| extension == "rs")
    }

    fn is_in(&self, folders: &[&str]) -> bool {
        folders.iter().any(|folder| self.path.starts_with(folder))
    }

    /// The lines with their numbers, without `//` comments.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines()).map(|(number, line)| (number, without_comment(line)))
    }
}

/// Cuts a `//` comment off, but not the `//` of an address in a string.
fn without_comment(line: &str) -> &str {
    let comment = line.match_indices("//").find(|&(at, _)| !line[..at].ends_with(':'));
    comment.map_or(line, |(at, _)| &line[..at])
}

/// Whether a line has a word, with no letter, digit or `_` around it.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part))
}

/// Complains about each line of code that has one of these words.
fn banned(source: &Source, words: &[&str], cure: &str) -> Vec<String> {
    let complain = |(number, line): (usize, &str)| {
        let word = words.iter().find(|word| has_word(line, word))?;
        Some(format!("{}:{number}: `{word}`: {cure}", source.path))
    };
    source.code().filter_map(complain).collect()
}

/// `src/` imports one way only: tell, then scene, then search, then app, then ui.
fn imports_go_one_way(source: &Source) -> Vec<String> {
    const LAYERS: [&str; 5] = ["tell", "scene", "search", "app", "ui"];
    let own = LAYERS.iter().position(|layer| source.is_in(&[&format!("src/{layer}/"), &format!("src/{layer}.rs")]));
    let Some(own) = own else { return Vec::new() };
    let above = &LAYERS[own + 1..];
    let mut complaints = Vec::new();
    for (number, line) in source.code() {
        if line.contains("crate::{") {
            let cure = "import from one layer a line, so that the layers can be read off the imports";
            complaints.push(format!("{}:{number}: `crate::{{`: {cure}", source.path));
        }
        let named = above.iter().find(|layer| ["crate::", "super::"].iter().any(|root| names(line, root, layer)));
        if let Some(layer) = named {
            let cure = format!("`{}` must not know `{layer}`; move what both need down, or pass it in", LAYERS[own]);
            complaints.push(format!("{}:{number}: {cure}", source.path));
        }
    }
    complaints
}

/// Whether a line names a layer as a path from a root.
fn names(line: &str, root: &str, layer: &str) -> bool {
    line.match_indices(root).any(|(at, _)| has_word(&line[at..], layer) && line[at + root.len()..].starts_with(layer))
}

/// Only the page knows that there is a browser, and one file makes the raw calls.
fn the_browser_stays_in_its_place(source: &Source) -> Vec<String> {
    const CRATES: [&str; 5] = ["web_sys", "js_sys", "wasm_bindgen", "gloo", "yew"];
    if !source.is_rust() || !source.is_in(&["src/", "engine/src/", "lesson/src/"]) {
        return Vec::new();
    }
    if !source.is_in(&["src/ui/", "src/main.rs", "src/worker/"]) {
        return banned(
            source,
            &CRATES,
            "only src/ui, src/main.rs and src/worker know the browser; keep this layer testable natively",
        );
    }
    if source.is_in(&["src/ui/browser.rs"]) {
        return Vec::new();
    }
    let cure = "raw calls of the browser belong in src/ui/browser.rs; give it a function with a plain signature";
    let mut complaints = banned(source, &["js_sys"], cure);
    for (number, line) in source.code() {
        if let Some(call) = ["window()", "document()"].iter().find(|&call| line.contains(call)) {
            complaints.push(format!("{}:{number}: `{call}`: {cure}", source.path));
        }
    }
    complaints
}

/// Same input, same bytes: nothing in the engine depends on the machine.
fn the_engine_is_pure(source: &Source) -> Vec<String> {
    const WORDS: [&str; 7] = ["HashMap", "HashSet", "Instant", "SystemTime", "f32", "f64", "thread"];
    if !source.is_in(&["engine/src/"]) {
        return Vec::new();
    }
    let mut complaints = banned(
        source,
        &WORDS,
        "the engine must run the same everywhere; use a BTreeMap, a Vec, integers of microseconds",
    );
    if source.path == "engine/src/lib.rs" && !source.text.contains("\n#![no_std]\n") {
        complaints.push(format!("{}:1: put `#![no_std]` back; it keeps clocks, threads and I/O out", source.path));
    }
    complaints
}

/// A file that fits a reader's head; tests at its end don't count.
fn files_are_short(source: &Source) -> Vec<String> {
    const MOST: usize = 400;
    if !source.is_rust() || !source.is_in(&["src/", "engine/src/", "lesson/src/"]) {
        return Vec::new();
    }
    let lines = source.text.lines().take_while(|line| *line != "#[cfg(test)]").count();
    let cure = format!("{lines} lines are more than {MOST}; split the file by what it is about");
    if lines > MOST { vec![format!("{}:{lines}: {cure}", source.path)] } else { Vec::new() }
}

/// Nothing is left for later, and no test is switched off.
fn nothing_is_left_over(source: &Source) -> Vec<String> {
    let leftovers = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("#[", "ignore"),
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
    ];
    let complain = |(number, line): (usize, &str)| {
        let found = leftovers.iter().find(|&leftover| line.contains(leftover))?;
        Some(format!("{}:{number}: `{found}`: do it now, or open an issue and take the mark out", source.path))
    };
    if source.is_rust() { (1..).zip(source.text.lines()).filter_map(complain).collect() } else { Vec::new() }
}

/// A page with a strict policy for styles drops inline ones.
fn styles_are_classes(source: &Source) -> Vec<String> {
    if !source.is_rust() || !source.is_in(&["src/ui/"]) {
        return Vec::new();
    }
    let inline = |line: &str| line.contains(" style=") || line.trim_start().starts_with("style=");
    let cure = "inline style: give it a class in static/, or an SVG attribute";
    source
        .code()
        .filter(|(_, line)| inline(line))
        .map(|(number, _)| format!("{}:{number}: {cure}", source.path))
        .collect()
}

/// No path of somebody's machine.
fn no_machine_paths(source: &Source) -> Vec<String> {
    let places = ["/ro|ot/", "/Us|ers/", "/t|mp/", "/wo|rk/main", "/wo|rk/shared"].map(|place| place.replace('|', ""));
    let home = ["/ho", "me/"].concat();
    let somebodys = |rest: &str| {
        let name = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '-' && letter != '_');
        name.is_some_and(|end| end > 0 && rest[end..].starts_with('/'))
    };
    let complain = |(number, line): (usize, &str)| {
        let at_home = line.match_indices(&home).any(|(at, _)| somebodys(&line[at + home.len()..]));
        let found = at_home || places.iter().any(|place| line.contains(place));
        let cure = "a path of one machine: take it from the environment, or say it relative to the project";
        found.then(|| format!("{}:{number}: {cure}", source.path))
    };
    (1..).zip(source.text.lines()).filter_map(complain).collect()
}

/// Each file says first what it is for.
fn files_say_what_they_are_for(source: &Source) -> Vec<String> {
    if !source.is_rust() || source.text.starts_with("//!") {
        return Vec::new();
    }
    vec![format!("{}:1: begin the file with a `//!` sentence that says what it is for", source.path)]
}

/// What each manifest may depend on, and that the workspace's lints hold in it.
fn manifests_keep_the_layers(source: &Source) -> Vec<String> {
    const ENGINE: [&str; 9] =
        ["hashbrown", "hmac", "litemap", "num-bigint", "postcard", "rand_core", "rand_pcg", "serde", "sha2"];
    const WEB: [&str; 7] =
        ["yew", "web-sys", "js-sys", "wasm-bindgen", "wasm-bindgen-futures", "gloo", "console_error_panic_hook"];
    if !source.path.ends_with("Cargo.toml") {
        return Vec::new();
    }
    let mut complaints = Vec::new();
    let mut section = "";
    for (number, line) in (1..).zip(source.text.lines()) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
            continue;
        }
        let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
        let is_dependency =
            section.ends_with("dependencies") && !name.is_empty() && !name.starts_with('#') && line.contains('=');
        if !is_dependency || line.starts_with(' ') {
            continue;
        }
        if source.path == "engine/Cargo.toml" && section == "dependencies" && !ENGINE.contains(&name) {
            let cure = format!(
                "the engine depends on nothing but {}; write it by hand or do it a layer up",
                ENGINE.join(", ")
            );
            complaints.push(format!("{}:{number}: `{name}`: {cure}", source.path));
        }
        if WEB.contains(&name) && !section.contains("wasm32") {
            let cure = "crates of the browser belong to the wasm32 target of the root package only";
            complaints.push(format!("{}:{number}: `{name}`: {cure}", source.path));
        }
        if WEB.contains(&name) && source.path != "Cargo.toml" {
            let cure = "only the root package knows the browser";
            complaints.push(format!("{}:{number}: `{name}`: {cure}", source.path));
        }
    }
    if !source.text.contains("[lints]\nworkspace = true") {
        complaints
            .push(format!("{}:1: add `[lints]` with `workspace = true`, so that the house lints hold", source.path));
    }
    if source.path == "Cargo.toml" && !source.text.contains("[workspace.lints.rust]\nunsafe_code = \"forbid\"") {
        complaints
            .push(format!("{}:1: put `unsafe_code = \"forbid\"` back first in [workspace.lints.rust]", source.path));
    }
    complaints
}

type Rule = fn(&Source) -> Vec<String>;

const RULES: [Rule; 9] = [
    imports_go_one_way,
    the_browser_stays_in_its_place,
    the_engine_is_pure,
    files_are_short,
    nothing_is_left_over,
    styles_are_classes,
    no_machine_paths,
    files_say_what_they_are_for,
    manifests_keep_the_layers,
];

/// All files that people write, in the order of their paths.
fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    collect(root, &mut paths);
    paths.sort();
    let read = |path: &PathBuf| {
        let relative = path.strip_prefix(root).expect("it was found below the root");
        let text = fs::read_to_string(path).ok()?;
        Some(Source { path: relative.to_string_lossy().replace('\\', "/"), text })
    };
    paths.iter().filter_map(read).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    const SKIPPED: [&str; 4] = [".git", "target", "node_modules", "dist"];
    const KINDS: [&str; 10] = ["rs", "toml", "md", "json", "js", "css", "html", "yml", "yaml", "sh"];
    for entry in fs::read_dir(folder).expect("a folder of the project can be read") {
        let path = entry.expect("an entry of a folder can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let kind = path.extension().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !SKIPPED.contains(&name.as_ref()) {
            collect(&path, paths);
        } else if path.is_file() && KINDS.contains(&kind.as_ref()) {
            paths.push(path);
        }
    }
}

#[test]
fn the_project_keeps_its_layers_and_house_rules() {
    let sources = sources();
    assert!(sources.iter().any(|source| source.path == "engine/src/lib.rs"), "the engine's files were found");
    let complaints: Vec<String> =
        sources.iter().flat_map(|source| RULES.iter().flat_map(|rule| rule(source))).collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// Checks that a rule accepts one text, and complains about another at this place.
fn check(rule: Rule, path: &str, good: &str, bad: &str, at: &str) {
    let judge = |text: &str| rule(&Source { path: path.into(), text: text.into() });
    assert_eq!(judge(good), Vec::<String>::new());
    let complaints = judge(bad);
    assert!(complaints.iter().any(|complaint| complaint.starts_with(at)), "{complaints:?} should start with {at}");
}

#[test]
fn an_import_against_the_way_is_found() {
    let good = "//! Not crate::app.\nuse crate::tell::Names;\nuse super::scale;\nlet x = crate::tell::app;\n";
    check(
        imports_go_one_way,
        "src/scene/a.rs",
        good,
        "use crate::app::State;\n",
        "src/scene/a.rs:1: `scene` must not know `app`",
    );
    check(
        imports_go_one_way,
        "src/tell/mod.rs",
        "",
        "\nuse super::scene;\n",
        "src/tell/mod.rs:2: `tell` must not know `scene`",
    );
    check(
        imports_go_one_way,
        "src/app/a.rs",
        "use crate::scene;",
        "crate::ui::start()",
        "src/app/a.rs:1: `app` must not know `ui`",
    );
    check(imports_go_one_way, "src/app/a.rs", "", "use crate::{tell, ui};", "src/app/a.rs:1: `crate::{`");
    check(imports_go_one_way, "src/ui/a.rs", "use crate::app;", "use crate::{app};", "src/ui/a.rs:1: `crate::{`");
}

#[test]
fn a_browser_outside_its_place_is_found() {
    let rule = the_browser_stays_in_its_place;
    check(rule, "src/app/a.rs", "// yew\nlet yewtree = 1;", "use yew::prelude::*;", "src/app/a.rs:1: `yew`");
    check(rule, "lesson/src/a.rs", "", "\nweb_sys::window()", "lesson/src/a.rs:2: `web_sys`");
    check(rule, "src/ui/a.rs", "use web_sys::PointerEvent;", "js_sys::Date::now()", "src/ui/a.rs:1: `js_sys`");
    check(rule, "src/ui/a.rs", "let window = 1;", "gloo::utils::window()", "src/ui/a.rs:1: `window()`");
    check(rule, "src/ui/a.rs", "", "x.document()", "src/ui/a.rs:1: `document()`");
    assert!(rule(&Source { path: "src/ui/browser.rs".into(), text: "web_sys::window()".into() }).is_empty());
}

#[test]
fn an_engine_that_depends_on_the_machine_is_found() {
    let rule = the_engine_is_pure;
    check(
        rule,
        "engine/src/a.rs",
        "// no HashMap\nlet threads = 0xf32;",
        "x: HashMap<u8, u8>",
        "engine/src/a.rs:1: `HashMap`",
    );
    for word in ["HashSet", "Instant", "SystemTime", "f32", "f64", "thread"] {
        let at = format!("engine/src/a.rs:2: `{word}`");
        check(rule, "engine/src/a.rs", "", &format!("\nlet x: {word} = y;"), &at);
    }
    check(rule, "engine/src/lib.rs", "//! A.\n#![no_std]\n", "//! A.\n", "engine/src/lib.rs:1: put `#![no_std]` back");
}

#[test]
fn a_long_file_is_found_and_its_tests_do_not_count() {
    let good = "x\n".repeat(400) + "#[cfg(test)]\n" + &"x\n".repeat(400);
    check(files_are_short, "src/a.rs", &good, &"x\n".repeat(401), "src/a.rs:401: 401 lines are more than 400");
}

#[test]
fn what_is_left_over_is_found() {
    let marks = ["// TO|DO: later", "// FIX|ME", "#[ig|nore]", "to|do!()", "unimple|mented!()"];
    for mark in marks {
        check(nothing_is_left_over, "xtask/src/a.rs", "// to do", &mark.replace('|', ""), "xtask/src/a.rs:1: `");
    }
}

#[test]
fn an_inline_style_is_found() {
    let good = "// style=\n<rect x=\"1\" class=\"a\" data-style=\"b\" />";
    check(styles_are_classes, "src/ui/a.rs", good, "<p style=\"color: red\">", "src/ui/a.rs:1: inline style");
    check(styles_are_classes, "src/ui/a.rs", "", "\n    style={format!(\"x\")}", "src/ui/a.rs:2: inline style");
}

#[test]
fn a_path_of_a_machine_is_found() {
    let good = "see /homepage/a, /home/, target/debug and https://example.org/users/a";
    for place in ["/ho|me/ann/x", "/ro|ot/x", "/Us|ers/ann", "/t|mp/x", "/wo|rk/main/x", "/wo|rk/shared/x"] {
        check(
            no_machine_paths,
            "README.md",
            good,
            &format!("\nin {}", place.replace('|', "")),
            "README.md:2: a path of one machine",
        );
    }
}

#[test]
fn a_file_that_does_not_say_what_it_is_for_is_found() {
    check(files_say_what_they_are_for, "src/a.rs", "//! A.", "use std::fmt;", "src/a.rs:1: begin the file with");
}

#[test]
fn a_manifest_that_breaks_the_layers_is_found() {
    let rule = manifests_keep_the_layers;
    let lints = "[lints]\nworkspace = true\n";
    let with = |text: &str| format!("{text}\n{lints}");
    let engine = with("[dependencies]\nserde.workspace = true\n[dev-dependencies]\nproptest.workspace = true");
    check(rule, "engine/Cargo.toml", &engine, &with("[dependencies]\ntokio = \"1\""), "engine/Cargo.toml:2: `tokio`");
    check(rule, "engine/Cargo.toml", &engine, "[dependencies]\n", "engine/Cargo.toml:1: add `[lints]`");
    check(rule, "lesson/Cargo.toml", lints, &with("[dependencies]\ngloo = \"1\""), "lesson/Cargo.toml:2: `gloo`");
    let forbid = "[workspace.lints.rust]\nunsafe_code = \"forbid\"\n";
    let wasm = "[target.'cfg(target_arch = \"wasm32\")'.dependencies]\nyew = \"1\"\nweb-sys = { features = [\n    \"Document\",\n] }\n";
    let root = with(&format!("{forbid}{wasm}"));
    check(rule, "Cargo.toml", &root, &with(&format!("{forbid}[dependencies]\nyew = \"1\"")), "Cargo.toml:4: `yew`");
    check(rule, "Cargo.toml", &root, &with("[dependencies]"), "Cargo.toml:1: put `unsafe_code");
    check(rule, "engine/Cargo.toml", &engine, &with(wasm), "engine/Cargo.toml:2: `yew`");
}
