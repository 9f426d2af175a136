//! The project's commands, started as `cargo xtask COMMAND`.
//!
//! Each command sets up what it needs before it does its work, says what it is
//! doing and why, reuses what is already there, and stops with the cure in the
//! message where it cannot go on. Nothing here knows what Racescope computes;
//! this crate only calls other programs in the right order.

mod commands;
mod lockfile;
mod process;
mod project;
mod setup;
mod stages;
mod version;

use std::process::ExitCode;

use project::Project;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  serve [--port N] [--open yes|no]   build the app and serve it on this machine
  build                              build the site into dist/
  test [native|browser]              run every test, or one half of them
  lint                               check formatting and run Clippy
  bench [--write]                    measure the site in a real browser, and its searches
                                     beside other programs; --write keeps the table
  size [--check]                     show the size of dist/, or hold it to its limit
  pages                              write the lesson pages (Trunk calls this)

Each command installs what it needs and says so. Two variables steer it:
  RACESCOPE_WASM_TARGET=installed|rustup|debian   take this way to wasm and no other
  CI=true                                         a missing browser is a failure
";

/// The exit code for a command line that makes no sense, as shells use it.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let project = Project::locate();

    let outcome = match arguments.as_slice() {
        ["serve", options @ ..] => match commands::serve::Options::parse(options) {
            Ok(options) => commands::serve::run(&project, &options),
            Err(reason) => return usage_error(&reason.to_string()),
        },
        ["build"] => commands::build::run(&project),
        ["test"] => commands::test::run(&project, commands::test::Part::All),
        ["test", "native"] => commands::test::run(&project, commands::test::Part::Native),
        ["test", "browser"] => commands::test::run(&project, commands::test::Part::Browser),
        ["bench"] => commands::bench::run(&project, false),
        ["bench", "--write"] => commands::bench::run(&project, true),
        ["lint"] => commands::lint::run(&project),
        ["size"] => commands::size::show(&project),
        ["size", "--check"] => commands::size::check(&project),
        ["pages"] => commands::pages::run(&project),
        ["announce", address] => {
            commands::serve::announce(address);
            Ok(())
        }
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        [] => return usage_error("no command given"),
        unknown => return usage_error(&format!("cannot make sense of `{}`", unknown.join(" "))),
    };

    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn usage_error(reason: &str) -> ExitCode {
    eprint!("error: {reason}\n\n{USAGE}");
    ExitCode::from(EXIT_USAGE)
}
