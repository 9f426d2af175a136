//! The finished site in a real browser: what a person sees, does and keeps there.

mod access;
mod bytes;
mod counting;
mod counts;
mod drag;
mod kept;
mod keyboard;
mod layout;
mod lessons;
mod matrix;
mod numbers;
mod palette;
mod playback;
mod record;
mod settings;
mod sheets;
mod stage;
#[expect(dead_code, reason = "the benches trace what the browser does")]
mod support;
mod text;
mod why;
