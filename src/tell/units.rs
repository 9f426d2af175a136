//! Times told in the unit that a reader wants.

use super::names::in_unit;

/// In which unit times are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// Moments in seconds, and durations in the unit that suits each.
    #[default]
    Suited,
    /// All in seconds.
    Seconds,
    /// All in milliseconds.
    Milliseconds,
}

/// How a unit is written behind a number, and how many microseconds it has. The longer
/// word comes first.
const KNOWN: [(&str, u64); 4] = [(" seconds", 1_000_000), (" s", 1_000_000), (" ms", 1_000), (" µs", 1)];

impl Units {
    /// A text as [`crate::tell`] wrote it, with each time in it told in this unit. A moment
    /// stays as exact as it was told.
    pub fn told(self, text: &str) -> String {
        let mut told = String::new();
        let mut rest = text;
        // "v7 s" is no time.
        let mut is_apart = self != Self::Suited;
        while let Some(letter) = rest.chars().next() {
            let time = if is_apart { self.time(rest) } else { None };
            is_apart = self != Self::Suited && !letter.is_ascii_alphanumeric() && letter != '.';
            if let Some((said, after)) = time {
                told += &said;
                rest = after;
            } else {
                told.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
        told
    }

    /// The time that a text begins with in this unit, and the rest of the text; nothing if
    /// it begins with none.
    fn time(self, text: &str) -> Option<(String, &str)> {
        let (mut value, mut behind_point, mut end) = (0_u64, None, 0);
        for letter in text.bytes() {
            match (letter, behind_point) {
                (b'0'..=b'9', _) => {
                    value = value.checked_mul(10)?.checked_add(u64::from(letter - b'0'))?;
                    behind_point = behind_point.map(|digits| digits + 1);
                }
                (b'.', None) => behind_point = Some(0),
                _ => break,
            }
            end += 1;
        }
        let (number, behind) = text.split_at(end);
        let (unit, unit_us) = KNOWN.into_iter().find(|(unit, _)| end > 0 && behind.starts_with(unit))?;
        let after = &behind[unit.len()..];
        let us = value.checked_mul(unit_us)? / 10_u64.checked_pow(behind_point.unwrap_or(0))?;
        let said = match self {
            _ if after.starts_with(|letter: char| letter.is_ascii_alphanumeric()) => return None,
            Self::Milliseconds => in_unit(us, 1_000, "ms"),
            _ if unit_us == 1_000_000 => format!("{number}{unit}"),
            _ => in_unit(us, 1_000_000, "s"),
        };
        Some((said, after))
    }
}

#[cfg(test)]
mod tests {
    use super::Units;

    #[test]
    fn each_time_in_a_text_is_told_in_the_unit_and_nothing_else() {
        let check = |text: &str, seconds: &str, milliseconds: &str| {
            assert_eq!(Units::Suited.told(text), text);
            assert_eq!(Units::Seconds.told(text), seconds);
            assert_eq!(Units::Milliseconds.told(text), milliseconds);
        };
        check("Broken at 6.00 s.", "Broken at 6.00 s.", "Broken at 6000 ms.");
        check(
            "waits 250 ms, then 1.5 ms, from 1.50 s for 12 µs",
            "waits 0.25 s, then 0.0015 s, from 1.50 s for 0.000012 s",
            "waits 250 ms, then 1.5 ms, from 1500 ms for 0.012 ms",
        );
        check("6.00 seconds. A holds 33", "6.00 seconds. A holds 33", "6000 ms. A holds 33");
        check("−3.00 s, +0.05 s", "−3.00 s, +0.05 s", "−3000 ms, +50 ms");
        for text in ["33 < 34: refused, v7 stands", "v7 s", "7 seconds0", "3 slots", "1.2.3 s", "", "9"] {
            check(text, text, text);
        }
        let long = "99999999999999999999 s";
        check(long, long, long);
    }
}
