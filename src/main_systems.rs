//! The program of a page whose lesson has real systems; the same as `app` otherwise.

#[cfg(target_arch = "wasm32")]
fn main() {
    racescope::ui::start();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program runs in a browser: `cargo xtask serve` builds and serves it.");
    std::process::exit(2);
}
