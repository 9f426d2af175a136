//! Durations and rates: what is read, what is refused with which words, and that
//! writing and reading agree.

use proptest::prelude::*;
use racescope_lesson::author::{duration_us, rate_ppm, shift_us, write_duration};

#[test]
fn durations_are_read_exactly() {
    let cases = [
        ("3 s", 3_000_000),
        ("3s", 3_000_000),
        ("1.5 s", 1_500_000),
        ("0.000001 s", 1),
        ("1.5000000 s", 1_500_000),
        ("200 ms", 200_000),
        ("0.2 ms", 200),
        ("7 us", 7),
        ("7 µs", 7),
        ("7\u{3bc}s", 7),
        ("0.1 min", 6_000_000),
        ("60 min", 3_600_000_000),
        ("0 s", 0),
    ];
    for (text, us) in cases {
        assert_eq!(duration_us(text), Ok(us), "{text}");
    }
}

#[test]
fn what_is_no_duration_is_refused_with_a_cure() {
    let cases = [
        ("3", r#""3" has no unit. Write "3 ms" or "3 s"."#),
        ("3 ", r#""3 " has no unit. Write "3 ms" or "3 s"."#),
        ("3 sec", r#""3 sec" has the unknown unit "sec". Write "3 s"."#),
        ("3  s", r#""3  s" has the unknown unit " s". The units are "us", "ms", "s" or "min"."#),
        ("", r#""" doesn't begin with a number. Write a number and a unit, such as "200 ms"."#),
        ("s", r#""s" doesn't begin with a number. Write a number and a unit, such as "200 ms"."#),
        ("-1 s", r#""-1 s" has a sign. A duration is a number and a unit, such as "200 ms"."#),
        ("1.5000001 s", r#""1.5000001 s" is finer than a microsecond. Leave out the last digits."#),
        ("0.5 us", r#""0.5 us" is finer than a microsecond. Leave out the last digits."#),
        ("61 min", r#""61 min" is longer than an hour. Write at most "60 min"."#),
        ("99999999999999999999 s", r#""99999999999999999999 s" is longer than an hour. Write at most "60 min"."#),
    ];
    for (text, message) in cases {
        assert_eq!(duration_us(text).map_err(|complaint| complaint.to_string()), Err(message.to_string()), "{text}");
    }
    for text in [".5 s", "5. s", "1.2.3 s", "1,5 s", "1e3 s", "٣ s", "999999999999999999999 s", "\u{0}"] {
        assert!(duration_us(text).is_err(), "{text}");
    }
}

#[test]
fn a_shift_says_which_way() {
    assert_eq!(shift_us("+2 s"), Ok(2_000_000));
    assert_eq!(shift_us("-0.5 ms"), Ok(-500));
    let complaint = shift_us("2 s").expect_err("it has no sign");
    assert_eq!(complaint.to_string(), r#""2 s" doesn't say which way. Write "+2 s" or "-2 s"."#);
    for text in ["+-2 s", "++2 s", "+ 2 s", "+", "", "±2 s"] {
        assert!(shift_us(text).is_err(), "{text}");
    }
}

#[test]
fn a_rate_is_an_exact_decimal() {
    assert_eq!(rate_ppm("1"), Ok(0));
    assert_eq!(rate_ppm("1.5"), Ok(500_000));
    assert_eq!(rate_ppm("0.999999"), Ok(-1));
    assert_eq!(rate_ppm("0"), Ok(-1_000_000));
    assert_eq!(rate_ppm("10"), Ok(9_000_000));
    for text in ["10.000001", "1.0000001", "-1", "1.5x", "", "NaN", "1e1"] {
        assert!(rate_ppm(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(us in 0..=3_600_000_000_u64) {
        prop_assert_eq!(duration_us(&write_duration(us)), Ok(us));
    }

    #[test]
    fn one_duration_is_the_same_in_every_unit(ms in 0..=3_600_000_u64) {
        prop_assert_eq!(duration_us(&format!("{ms} ms")), Ok(ms * 1_000));
        prop_assert_eq!(duration_us(&format!("{} us", ms * 1_000)), Ok(ms * 1_000));
        prop_assert_eq!(duration_us(&format!("{}.{:03} s", ms / 1_000, ms % 1_000)), Ok(ms * 1_000));
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,40}", tail in "[0-9.]{0,30} ?(s|ms|us|min|)") {
        for text in [text.as_str(), tail.as_str()] {
            let _ = (duration_us(text), shift_us(text), rate_ppm(text));
        }
    }
}
