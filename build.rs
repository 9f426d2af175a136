//! Compiles the folder of lessons into the bytes that the program carries.
//!
//! A lesson with a mistake is left out and told of in a warning, since its author
//! needs the command to mend it. How many were left out goes on to the program, and
//! no site is built from fewer lessons than there are.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use racescope_lesson::Matrix;
use racescope_lesson::author::{read_library, read_matrix};

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=lessons");
    println!("cargo::rerun-if-changed=matrix");
    let target = env::var_os("OUT_DIR").map(PathBuf::from).expect("cargo says where to write");
    let shelf = read_library(Path::new("lessons"));
    for mistake in &shelf.mistakes {
        println!("cargo::warning={mistake}");
    }
    println!("cargo::rustc-env=RACESCOPE_BAD_LESSONS={}", shelf.bad);
    let library = shelf.library();
    let files = [("library.bin", library.to_bytes()), ("matrix.bin", matrix().to_bytes())];
    for (name, bytes) in files {
        if let Err(error) = fs::write(target.join(name), bytes.expect("plain data has bytes")) {
            println!("cargo::error={name} can't be written: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// The safety matrix; an empty one if it has mistakes, which are told of in warnings.
fn matrix() -> Matrix {
    read_matrix(Path::new("matrix")).unwrap_or_else(|mistakes| {
        for mistake in &mistakes {
            println!("cargo::warning={mistake}");
        }
        Matrix::default()
    })
}
