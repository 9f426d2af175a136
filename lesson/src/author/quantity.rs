//! Durations and rates as people write them, in integer arithmetic.

use racescope_engine::sim::LIMITS;

use super::mistake::{Complaint, list, quote};

/// The units of time, with their lengths in microseconds.
const UNITS: [(&str, u64); 4] = [("us", 1), ("ms", 1_000), ("s", 1_000_000), ("min", 60_000_000)];

/// The microsecond as it is printed, with the sign for micro and with the Greek letter.
const MICROSECONDS: [&str; 2] = ["µs", "μs"];

/// The units that can be written.
pub(super) fn unit_names() -> Vec<&'static str> {
    UNITS.iter().map(|(name, _)| *name).chain(MICROSECONDS).collect()
}

/// The most digits that a number may have.
const DIGITS: usize = 20;

/// Reads a duration such as `"3 s"`, `"1.5 s"` or `"200ms"` as microseconds.
///
/// # Errors
/// The text has no unit or an unknown one, is no plain number, is negative, is
/// finer than a microsecond, or is longer than an hour.
pub fn duration_us(text: &str) -> Result<u64, Complaint> {
    if text.starts_with(['-', '+']) {
        return Err(Complaint::new(
            format!("{} has a sign", quote(text)),
            "A duration is a number and a unit, such as \"200 ms\".",
        ));
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    if number.is_empty() {
        let wrong = format!("{} doesn't begin with a number", quote(text));
        return Err(Complaint::new(wrong, "Write a number and a unit, such as \"200 ms\"."));
    }
    let unit = rest.strip_prefix(' ').unwrap_or(rest);
    let scale = scale_of(text, number, unit)?;
    let us = Decimal::read(number)?.times(scale).ok_or_else(|| {
        Complaint::new(format!("{} is finer than a microsecond", quote(text)), "Leave out the last digits.")
    })?;
    match u64::try_from(us) {
        Ok(us) if us <= LIMITS.time_us => Ok(us),
        _ => Err(Complaint::new(format!("{} is longer than an hour", quote(text)), "Write at most \"60 min\".")),
    }
}

fn scale_of(text: &str, number: &str, unit: &str) -> Result<u64, Complaint> {
    if unit.is_empty() {
        return Err(no_unit(&quote(text), number));
    }
    let unit = if MICROSECONDS.contains(&unit) { UNITS[0].0 } else { unit };
    UNITS.iter().find(|(known, _)| *known == unit).map(|&(_, scale)| scale).ok_or_else(|| {
        let known = UNITS.map(|(known, _)| known);
        let meant = match unit {
            "sec" | "secs" | "second" | "seconds" | "S" => Some("s"),
            "m" | "mins" | "minute" | "minutes" => Some("min"),
            "msec" | "millisecond" | "milliseconds" => Some("ms"),
            "usec" | "microsecond" | "microseconds" => Some("us"),
            _ => None,
        };
        let cure = meant.map_or_else(
            || format!("The units are {}.", list(&known)),
            |meant| format!("Write {}.", quote(&format!("{number} {meant}"))),
        );
        Complaint::new(format!("{} has the unknown unit {}", quote(text), quote(unit)), cure)
    })
}

/// The complaint about a number without a unit.
pub(super) fn no_unit(written: &str, number: &str) -> Complaint {
    let number = if number.len() <= DIGITS { number } else { "200" };
    Complaint::new(format!("{written} has no unit"), format!("Write \"{number} ms\" or \"{number} s\"."))
}

/// Reads how far a clock jumps, such as `"+2 s"` or `"-300 ms"`, as microseconds.
///
/// # Errors
/// The text has no sign, or what follows the sign is no duration.
pub fn shift_us(text: &str) -> Result<i64, Complaint> {
    let (sign, rest) = match text.split_at_checked(1) {
        Some(("+", rest)) => (1, rest),
        Some(("-", rest)) => (-1, rest),
        _ => {
            duration_us(text)?;
            let cure = format!("Write {} or {}.", quote(&format!("+{text}")), quote(&format!("-{text}")));
            return Err(Complaint::new(format!("{} doesn't say which way", quote(text)), cure));
        }
    };
    Ok(sign * duration_us(rest)?.cast_signed())
}

/// Reads how fast a clock runs, such as `"1.5"` for half as fast again, as parts
/// per million above the true rate.
///
/// # Errors
/// The text is no plain number, has more than six decimals, or is more than 10.
pub fn rate_ppm(text: &str) -> Result<i32, Complaint> {
    const MOST: u128 = 10_000_000;
    let ppm = Decimal::read(text)?.times(1_000_000).ok_or_else(|| {
        Complaint::new(format!("{} is finer than a millionth", quote(text)), "Write at most six decimals.")
    })?;
    if ppm > MOST {
        return Err(Complaint::new(
            format!("{} is more than ten times too fast", quote(text)),
            "Write at most \"10\".",
        ));
    }
    Ok(ppm as i32 - 1_000_000)
}

/// Writes a duration so that [`duration_us`] reads it back.
pub fn write_duration(us: u64) -> String {
    let (unit, scale) = match us {
        0 => return "0 s".to_string(),
        1..1_000 => ("us", 1_u64),
        1_000..1_000_000 => ("ms", 1_000),
        _ => ("s", 1_000_000),
    };
    let places = scale.ilog10() as usize;
    let fraction = format!("{:0places$}", us % scale);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{}{point}{fraction} {unit}", us / scale)
}

/// A number as it was written, exactly.
struct Decimal {
    digits: u128,
    places: u32,
}

impl Decimal {
    fn read(text: &str) -> Result<Self, Complaint> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let plain = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !plain(whole) || !plain(fraction) {
            return Err(Complaint::new(
                format!("{} is not a plain number", quote(text)),
                "Write digits, with a point between them where needed, such as \"0.5\".",
            ));
        }
        if text.len() > DIGITS {
            return Err(Complaint::new(format!("{} has too many digits", quote(text)), "Write fewer than 20."));
        }
        let digits = whole.bytes().chain(fraction.bytes()).fold(0, |sum, byte| sum * 10 + u128::from(byte - b'0'));
        Ok(Self { digits, places: fraction.len() as u32 })
    }

    /// The number in units that are `scale` times smaller; `None` if that isn't whole.
    fn times(&self, scale: u64) -> Option<u128> {
        let (digits, parts) = (self.digits * u128::from(scale), 10_u128.pow(self.places));
        digits.is_multiple_of(parts).then(|| digits / parts)
    }
}
