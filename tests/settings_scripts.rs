//! What is set once for all pages: as it is kept, and what follows from it on a page.

use std::rc::Rc;

use proptest::prelude::*;
use racescope::app::{Message, SPEEDS, Setting, Settings, State, restore};
use racescope::tell::Voice;

fn page(id: &str) -> State {
    State::new(Rc::new(racescope::library().lesson(id).expect("the lesson is there").clone()))
}

fn after(state: &State, messages: &[Message]) -> State {
    messages.iter().fold(state.clone(), |state, &message| state.update(message))
}

/// Checks what is kept after some messages, and that it is read back.
#[track_caller]
fn check(messages: &[Message], expected: Option<&str>) {
    let settings = after(&page("paused-holder"), messages).settings;
    let kept = settings.to_text();
    assert_eq!(kept.as_deref(), expected);
    assert_eq!(Settings::from_text(&kept.unwrap_or_default()), settings);
}

#[test]
fn what_is_set_is_kept_as_one_text_with_the_number_of_its_form() {
    check(&[], None);
    check(&[Message::Choose(Setting::Theme, 2)], Some("1;theme=dark"));
    check(
        &[
            Message::Choose(Setting::Theme, 3),
            Message::Choose(Setting::Motion, 1),
            Message::Faster,
            Message::Speak(Voice::Calls),
            Message::Choose(Setting::Units, 2),
        ],
        Some("1;theme=contrast;motion=reduced;speed=8;code=calls;units=ms"),
    );
    check(&[Message::SetSpeed(SPEEDS[0].0)], Some("1;speed=1"));
    check(&[Message::Choose(Setting::Theme, 2), Message::Choose(Setting::Theme, 0)], None);
}

#[test]
fn an_option_that_is_not_there_changes_nothing() {
    for place in [4, 5, 255, 256, usize::MAX] {
        check(&[Message::Choose(Setting::Theme, place)], None);
    }
}

#[test]
fn what_cannot_be_read_counts_as_not_set() {
    let check = |text: &str, expected: Option<&str>| {
        assert_eq!(Settings::from_text(text).to_text().as_deref(), expected, "{text}");
    };
    for text in ["", "1", "2;theme=dark", "theme=dark", "1;theme=pink", "1;=;;==;theme", "1;Theme=dark", "\u{0};1"] {
        check(text, None);
    }
    check("1;theme=pink;units=ms;later=yes", Some("1;units=ms"));
    check("1;speed=4;speed=16", Some("1;speed=16"));
    check(&format!("1;theme=dark;{}", "x".repeat(200)), None);
}

proptest! {
    #[test]
    fn any_text_gives_settings_that_are_kept_and_read_back(text in "(1;)?[a-z0-9=;é]{0,60}") {
        let settings = Settings::from_text(&text);
        prop_assert_eq!(Settings::from_text(&settings.to_text().unwrap_or_default()), settings);
    }
}

#[test]
fn programs_are_written_as_it_suits_the_lesson_until_it_is_chosen() {
    let (plain, real) = (page("paused-holder"), page("redlock"));
    assert_eq!((plain.voice(), real.voice()), (Voice::Pseudocode, Voice::Calls));
    let chosen = Settings::from_text("1;code=pseudocode");
    assert_eq!(real.with_settings(chosen).voice(), Voice::Pseudocode);
}

#[test]
fn another_unit_tells_all_times_anew_and_changes_nothing_else() {
    let page = page("paused-holder");
    let milliseconds = page.update(Message::Choose(Setting::Units, 2));
    assert_eq!(milliseconds.panes[0].telling.headline, "Broken at 6000 ms.");
    assert_eq!((milliseconds.time(6_000_000), milliseconds.number(1_500_000)), ("6000 ms".into(), "1500".into()));
    let said = |state: &State| state.story(0).into_iter().map(|line| line.sentence).collect::<Vec<_>>();
    assert!(said(&milliseconds).contains(&"pauses for 4200 ms".to_string()), "{:?}", said(&milliseconds));
    assert_eq!(milliseconds.panes[0].scene.faults[0].words.1, "4200 ms");
    let stepped = milliseconds.update(Message::ToEnd);
    assert!(stepped.announcement.starts_with("8000 ms. "), "{}", stepped.announcement);
    assert_eq!(milliseconds.update(Message::Choose(Setting::Units, 0)).panes, page.panes);
    let restored = restore(page.lesson.clone(), "").with_settings(milliseconds.settings);
    assert_eq!(restored.panes, milliseconds.panes);
}

/// Where the playhead stands frame by frame, at a speed, in hundredths of a second.
fn played(state: &State, message: Message, frames: usize) -> Vec<u64> {
    let mut stops = Vec::new();
    let mut now = after(state, &[Message::ToStart, Message::PlayOrPause]);
    for _ in 0..frames {
        now = now.update(message);
        if stops.last() != Some(&(now.cursor_us / 10_000)) {
            stops.push(now.cursor_us / 10_000);
        }
    }
    stops
}

#[test]
fn with_less_motion_the_playhead_goes_from_event_to_event_in_the_same_time() {
    let page = page("paused-holder").update(Message::FoldOrNot);
    let stops = played(&page, Message::ElapsedInSteps(16_000), 100);
    assert_eq!(stops, [0, 20, 40, 60, 75, 100, 125, 140, 150], "only where something happens");
    let glides = played(&page, Message::Elapsed(16_000), 100);
    assert_eq!((glides.len(), glides.last()), (100, Some(&160)));
    let end = after(&page, &[Message::ToStart, Message::PlayOrPause]);
    let end = after(&end, &[Message::ElapsedInSteps(100_000); 81]);
    assert_eq!((end.cursor_us, end.playing), (page.end_us, false));
    let moments = page.moments();
    assert!(stops.iter().skip(1).all(|stop| moments.contains(&(stop * 10_000))));
}

#[test]
fn motion_follows_the_system_unless_it_is_chosen() {
    let steps = |text: &str| [true, false].map(|asks| Settings::from_text(text).steps(asks));
    assert_eq!(steps(""), [true, false]);
    assert_eq!(steps("1;motion=reduced"), [true, true]);
    assert_eq!(steps("1;motion=full"), [false, false]);
}
