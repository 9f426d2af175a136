//! The page's program: in a browser it shows the page, elsewhere it only says so.

#[cfg(target_arch = "wasm32")]
fn main() {
    racescope::ui::start();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program runs in a browser: `cargo xtask serve` builds and serves it.");
    std::process::exit(2);
}
