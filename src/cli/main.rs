//! The command-line program: the same lessons, runs and words as the page.
//!
//! Exit codes: 0 good, 1 a scenario doesn't show what it says, 2 bad input.
//! Errors go to standard error.

mod assumed;
mod check;
mod claims;
mod explore;
mod figure;
mod find;
mod findings;
mod gate;
mod html;
mod json;
mod matrix;
mod pages;
mod report;
mod run;
mod sampled;
mod schema;
mod sheet;
mod stated;
mod voucher;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// See what happens between a check and the act that relies on it.
#[derive(Parser)]
#[command(name = "racescope", version, about)]
struct Racescope {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(check::Check),
    Run(run::Run),
    Explore(explore::Explore),
    Gate(gate::GateCommand),
    Matrix(matrix::Matrix),
    Pages(pages::Pages),
    Schema(schema::Schema),
}

fn main() -> ExitCode {
    let report = match Racescope::parse().command {
        Command::Check(check) => check.report(),
        Command::Run(run) => run.report(),
        Command::Explore(explore) => explore.report(),
        Command::Gate(gate) => gate.report(),
        Command::Matrix(matrix) => matrix.report(),
        Command::Pages(pages) => pages.report(),
        Command::Schema(schema) => schema.report(),
    };
    report.print()
}
