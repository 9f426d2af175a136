//! What several tests of lessons need.

pub mod toml_text;
