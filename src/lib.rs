//! Racescope: see what happens between a check and the act that relies on it.
//!
//! Imports go one way: [`tell`] puts a run into words, [`scene`] into shapes,
//! [`search`] asks what all schedules show, [`app`] is the state of a page and its one
//! `update`, and `ui` shows it in a browser. Only `ui` knows that there is a browser.

pub mod app;
pub mod scene;
pub mod search;
pub mod tell;

#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod ui;

#[cfg(not(target_arch = "wasm32"))]
use racescope_lesson::{Library, Matrix};

/// The lessons that were compiled in. In a browser, each page carries its own.
///
/// # Panics
/// If the build put in bytes of another version, which its own test would show.
#[cfg(not(target_arch = "wasm32"))]
pub fn library() -> Library {
    const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bin"));
    Library::from_bytes(LIBRARY).expect("the library was written by the same version")
}

/// The safety matrix that was compiled in: what is asked, not what was found. It has no
/// columns if the build found mistakes in it.
///
/// # Panics
/// If the build put in bytes of another version, which its own test would show.
#[cfg(not(target_arch = "wasm32"))]
pub fn matrix() -> Matrix {
    const MATRIX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/matrix.bin"));
    Matrix::from_bytes(MATRIX).expect("the matrix was written by the same version")
}
