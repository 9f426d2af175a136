//! What a page carries for its app, as text that an attribute of HTML can hold.
//!
//! Letters stay as they are, so that what the page also says in words takes hardly any
//! room once it is compressed.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What can't stand between double quotes, and the sign of what is written otherwise.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'"').add(b'%').add(b'&').add(b'<').add(b'>');

/// As text for an attribute.
///
/// # Errors
/// None that can happen with plain data; it is passed on all the same.
pub fn to_text(value: &impl Serialize) -> Result<String, postcard::Error> {
    Ok(percent_encode(&postcard::to_allocvec(value)?, ESCAPED).to_string())
}

/// Reads what [`to_text`] wrote; `None` for any other text.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Option<T> {
    let bytes: Vec<u8> = percent_decode_str(text).collect();
    postcard::from_bytes(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_carried_stands_in_an_attribute_and_is_read_again() {
        let value = ("“A” & <b>, 100 %\n".to_string(), [0_u8, 9, 34, 127, 128, 255]);
        let text = to_text(&value).expect("plain data has text");
        assert_eq!(text, "%15%E2%80%9CA%E2%80%9D %26 %3Cb%3E, 100 %25%0A%00%09%22%7F%80%FF");
        assert_eq!(from_text(&text), Some(value));
    }

    #[test]
    fn other_text_is_nothing() {
        for text in ["", "%", "%F", "x", "%FF%FF%FF%FF%FF"] {
            assert_eq!(from_text::<(String, [u8; 6])>(text), None, "{text}");
        }
    }
}
