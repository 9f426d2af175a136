//! The limits of a lesson are those of the engine and of the page.

use std::fs;
use std::path::Path;

use racescope_engine::sim::LIMITS;
use racescope_lesson::MOST_FAULTS;
use racescope_lesson::author::read_lesson;

const GOOD: &str = include_str!("good.toml");

/// Whether a lesson with this TOML can be read, or all that is said about it.
fn read(name: &str, toml: &str) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("limits").join(name);
    fs::create_dir_all(&folder).expect("it can be made");
    fs::write(folder.join("lesson.toml"), toml).expect("it can be written");
    fs::write(folder.join("lesson.md"), include_str!("good.md")).expect("it can be written");
    read_lesson(&folder).map(drop).map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect())
}

#[test]
fn numbers_begin_where_the_engine_lets_them() {
    let kind = "storage = \"versioned-register\",";
    for field in ["first_version", "first_value", "first_fence"] {
        let with = |number: u16| GOOD.replace(kind, &format!("{kind} {field} = {number},"));
        assert_eq!(read("numbers", &with(LIMITS.first_number)), Ok(()), "{field}");
        assert!(read("numbers", &with(LIMITS.first_number + 1)).is_err(), "{field}");
    }
    let with = |number: u16| GOOD.replace("title = \"Lock", &format!("first_token = {number}, title = \"Lock"));
    assert_eq!(read("numbers", &with(LIMITS.first_number)), Ok(()));
    let refusal = read("numbers", &with(LIMITS.first_number + 1)).expect_err("it is beyond the limit");
    assert!(refusal.contains("Write a whole number from 1 to 45000."), "{refusal}");
}

#[test]
fn a_list_holds_as_many_faults_as_are_kept() {
    let fault = "[[faults]]\npause = \"A\"\nat = \"1 s\"\nlasts = \"4 s\"\n";
    let faults =
        |count: usize| (1..=count).map(|place| fault.replace("1 s", &format!("{place} s"))).collect::<String>();
    let with = |count: usize| GOOD.replace(fault, &faults(count));
    assert_eq!(read("faults", &with(MOST_FAULTS)), Ok(()));
    let refusal = read("faults", &with(MOST_FAULTS + 1)).expect_err("it is one too many");
    assert!(refusal.contains(&format!("Have at most {MOST_FAULTS}.")), "{refusal}");
}
