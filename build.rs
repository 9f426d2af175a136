//! Compiles the folder of lessons into the bytes that the app carries.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use racescope_lesson::author::read_library;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=lessons");
    let target = env::var_os("OUT_DIR").map(PathBuf::from).expect("cargo says where to write");
    let library = match read_library(Path::new("lessons")) {
        Ok(library) => library,
        Err(mistakes) => {
            for mistake in mistakes {
                println!("cargo::error={mistake}");
            }
            return ExitCode::FAILURE;
        }
    };
    let bytes = library.to_bytes().expect("plain data has bytes");
    if let Err(error) = fs::write(target.join("library.bin"), bytes) {
        println!("cargo::error=the compiled lessons can't be written: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
