//! Reading the version that a program prints about itself.

use std::path::Path;
use std::process::Command;

use crate::process;

/// The version that `PROGRAM --version` prints, if it runs at all.
pub fn version_of(program: &Path) -> Option<String> {
    let text = process::output(Command::new(program).arg("--version")).ok()?;
    version_in(&text).map(str::to_owned)
}

/// The first number before the first dot.
pub fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

/// The first word that looks like a version, as programs print more or fewer
/// words around it.
fn version_in(text: &str) -> Option<&str> {
    text.split_whitespace()
        .map(|word| word.strip_prefix('v').unwrap_or(word))
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found_among_other_words() {
        for (text, version) in [
            ("trunk 0.21.14", "0.21.14"),
            ("wasm-bindgen 0.2.130", "0.2.130"),
            ("wasm-opt version 132 (version_132)", "132"),
            ("v20.20.2", "20.20.2"),
            ("Chromium 156.0.8078.108 built on Debian", "156.0.8078.108"),
            ("ChromeDriver 156.0.8078.108 (0123abc)", "156.0.8078.108"),
        ] {
            assert_eq!(version_in(text), Some(version), "{text}");
        }
    }

    #[test]
    fn words_without_a_number_are_no_version() {
        assert_eq!(version_in("very new"), None);
        assert_eq!(version_in(""), None);
    }

    #[test]
    fn the_major_version_is_a_number() {
        assert_eq!(major("156.0.8078.108"), Some(156));
        assert_eq!(major("132"), Some(132));
        assert_eq!(major("next"), None);
    }
}
