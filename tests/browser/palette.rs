//! Faults brought onto the stage by a mouse, by a finger, by keys and by a form;
//! messages held back; faults pinned and taken away; the playhead on its ruler.

use std::time::Duration;

use fantoccini::key::Key;
use racescope::app::{Message, State};
use racescope::tell::FaultKind;

use crate::stage::{Shown, TWO_PANES, UNDO, lesson_of, microseconds, press, tab_to, verdicts};
use crate::support::{Page, Pointer, Spot};

in_each_browser!(
    a_fault_is_brought_alike_by_mouse_by_finger_by_keys_and_by_form,
    escape_while_it_is_dragged_from_the_palette_leaves_nothing_behind,
    a_message_is_held_back_at_its_sending_by_mouse_and_at_its_arrival_by_mouse_and_keys,
    a_fault_is_pinned_copied_and_deleted_by_form_and_keys,
    the_playhead_follows_a_pointer_on_the_ruler,
);

const CLIENT_B: u8 = 1;

/// A place on a lane of a pane of the lesson with two panes, at a moment in seconds.
pub async fn on_lane(page: &Page, pane: usize, lane: u8, seconds: f64) -> Spot {
    let share = State::new(lesson_of(TWO_PANES)).scale.share(Duration::from_secs_f64(seconds).as_micros() as u64);
    let script = format!(
        "const plot = document.querySelectorAll('svg.plot')[{pane}];
         plot.scrollIntoView({{ block: 'center', behavior: 'instant' }});
         const box = plot.getBoundingClientRect();
         const lane = document.querySelectorAll('.gutter')[{pane}].children[{lane}].getBoundingClientRect();
         return [box.left + box.width * {share} / 10_000, lane.top + lane.height / 2]"
    );
    let (x, y) = page.run(&script).await;
    page.settle().await;
    Spot { x, y }
}

/// The middle of a kind of fault in the palette.
pub fn chip(name: &str) -> String {
    let place = FaultKind::ALL.iter().position(|kind| kind.name() == name).expect("there is such a kind");
    format!(".palette li:nth-child({}) .chip", place + 1)
}

/// The faults as the list beside the stage has them.
async fn listed(page: &Page) -> Vec<String> {
    page.value("[...document.querySelectorAll('.fault-row')].map(row => row.textContent.replace(/\\s+/g, ' ').trim())")
        .await
}

/// Checks that a crash of B was added, and that the panes show what it leads to.
async fn assert_crash_of_b(page: &Page, way: &str) {
    let shown = Shown::on(page).await;
    assert_eq!((shown.undo.as_str(), shown.length.as_str()), ("Undo: add crash of B", "1.00"), "by {way}");
    let at_us = microseconds(&shown.start);
    assert!((at_us - 4_000_000).abs() <= 50_000, "by {way}: at {}", shown.start);
    let native =
        State::new(lesson_of(TWO_PANES)).update(Message::Add(FaultKind::Crash, CLIENT_B, at_us.unsigned_abs()));
    assert_eq!(shown.verdicts, verdicts(&native), "by {way}");
    let rows = listed(page).await;
    assert!(rows.len() == 2 && rows[1].starts_with("CrashClient B"), "by {way}: {rows:?}");
}

async fn a_fault_is_brought_alike_by_mouse_by_finger_by_keys_and_by_form(page: &Page) {
    page.have_touch_screen().await;
    page.resize(1440, 1400).await;
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;

    let from = Spot::of(page, &chip("Crash")).await;
    Pointer::Mouse.press(page, from).await;
    let to = on_lane(page, 1, CLIENT_B, 4.0).await;
    Pointer::Mouse.move_through(page, [from.right_by(20.0), to.right_by(-40.0), to].into_iter()).await;
    assert_ne!(Shown::on(page).await.verdicts, own.verdicts, "the panes run while it is over a lane");
    Pointer::Mouse.release(page).await;
    assert_crash_of_b(page, "mouse").await;
    Pointer::Mouse.click(page, UNDO).await;
    assert_eq!(Shown::on(page).await, own);

    if page.browser.has_fingers() {
        Pointer::Finger.click(page, &chip("Crash")).await;
        page.wait_for("document.querySelector('.chip.chosen')").await;
        let to = on_lane(page, 0, CLIENT_B, 4.0).await;
        page.run::<()>("window.clicks = 0").await;
        Pointer::Finger.press(page, to).await;
        Pointer::Finger.release(page).await;
        page.wait_for(
            "document.querySelectorAll('.fault-row').length === 2 && !document.querySelector('.chip.chosen')",
        )
        .await;
        assert_crash_of_b(page, "finger").await;
        Pointer::Mouse.click(page, UNDO).await;
    }

    page.act(&format!("document.querySelector({:?}).focus()", chip("Crash"))).await;
    press(page, [Key::Enter.into()]).await;
    press(page, [Key::Down.into(), Key::PageDown.into(), Key::PageDown.into(), Key::Enter.into()]).await;
    assert_crash_of_b(page, "keys").await;
    assert!(
        page.value::<bool>("document.activeElement.matches('.pause.selected .take')").await,
        "the focus goes along"
    );
    Pointer::Mouse.click(page, UNDO).await;

    page.act(
        "document.querySelector('.add').open = true;
             const choose = (id, name) => {
                 const list = document.querySelector(id);
                 list.value = [...list.options].find(option => option.textContent === name).value;
                 list.dispatchEvent(new Event('change', { bubbles: true }));
             };
             choose('#add-kind', 'Crash');
             choose('#add-lane', 'Client B');
             document.querySelector('#add-time').focus();
             document.querySelector('#add-time').select()",
    )
    .await;
    press(page, "4".chars().chain([Key::Tab.into(), Key::Enter.into()])).await;
    assert_crash_of_b(page, "form").await;
}

async fn escape_while_it_is_dragged_from_the_palette_leaves_nothing_behind(page: &Page) {
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    let from = Spot::of(page, &chip("Pause")).await;
    Pointer::Mouse.press(page, from).await;
    let to = on_lane(page, 0, 0, 0.3).await;
    Pointer::Mouse.move_through(page, [from.right_by(9.0), to].into_iter()).await;
    press(page, [Key::Escape.into()]).await;
    Pointer::Mouse.release(page).await;
    assert_eq!(Shown::on(page).await, own);
    assert_eq!(listed(page).await.len(), 1);
}

async fn a_message_is_held_back_at_its_sending_by_mouse_and_at_its_arrival_by_mouse_and_keys(page: &Page) {
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    let head: (f64, f64) = page
        .run(
            "const knob = document.querySelector('.wire:nth-child(2) .knob').getBoundingClientRect();
                 return [knob.left + knob.width / 2, knob.top + knob.height / 2 - 2]",
        )
        .await;
    let head = Spot { x: head.0, y: head.1 };
    Pointer::Mouse.press(page, head).await;
    Pointer::Mouse.move_through(page, [head.right_by(20.0), head.right_by(60.0)].into_iter()).await;
    Pointer::Mouse.release(page).await;
    let rows = listed(page).await;
    assert!(rows.len() == 2 && rows[1].starts_with("PauseLock service"), "{rows:?}");
    assert_eq!(Shown::on(page).await.undo, "Undo: add pause of Lock service");
    Pointer::Mouse.click(page, UNDO).await;
    assert_eq!(Shown::on(page).await, own);

    let tail: (f64, f64) = page
        .run(
            "const knob = document.querySelector('.wire:nth-child(2) .knob:last-child').getBoundingClientRect();
                 return [knob.left + knob.width / 2, knob.top + knob.height / 2 + 16]",
        )
        .await;
    let tail = Spot { x: tail.0.round() - 1.0, y: tail.1 };
    Pointer::Mouse.press(page, tail).await;
    Pointer::Mouse.move_through(page, [tail.right_by(20.0), tail.right_by(60.0)].into_iter()).await;
    Pointer::Mouse.release(page).await;
    assert_eq!(Shown::on(page).await.undo, "Undo: add delay of A");
    Pointer::Mouse.click(page, UNDO).await;

    page.act("document.querySelector('.wire').focus()").await;
    press(page, [Key::Enter.into(), Key::Right.into(), Key::Right.into(), Key::Enter.into()]).await;
    assert_eq!(Shown::on(page).await.undo, "Undo: add delay of A");
    assert_eq!(page.value::<String>("document.querySelector('#field-late-by').value").await, "0.20");
}

async fn a_fault_is_pinned_copied_and_deleted_by_form_and_keys(page: &Page) {
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    page.act(
        "const list = document.querySelector('#field-applies-to');
             list.value = '1';
             list.dispatchEvent(new Event('change', { bubbles: true }))",
    )
    .await;
    let pinned = Shown::on(page).await;
    assert!(pinned.verdicts[0].starts_with("Clean.") && pinned.verdicts[1] == own.verdicts[1], "{pinned:?}");
    assert_eq!(page.value::<u32>("document.querySelectorAll('.pane .pause').length").await, 1);

    tab_to(page, ".pause .take").await;
    press(page, ['d']).await;
    assert_eq!(listed(page).await.len(), 2);
    page.act("document.querySelector('.pause.selected .take').focus()").await;
    press(page, [Key::Delete.into()]).await;
    assert_eq!(listed(page).await.len(), 1);
    assert!(page.value::<bool>("document.activeElement !== document.body").await, "the focus isn't lost");
}

async fn the_playhead_follows_a_pointer_on_the_ruler(page: &Page) {
    page.open(TWO_PANES).await;
    let at = on_lane(page, 0, 0, 2.0).await;
    let top: f64 = page.value("document.querySelector('svg.plot').getBoundingClientRect().top").await;
    let flag = Spot { y: top + 10.0, ..at };
    Pointer::Mouse.press(page, flag).await;
    Pointer::Mouse.move_to(page, flag.right_by(50.0)).await;
    Pointer::Mouse.release(page).await;
    let shown = microseconds(&Shown::on(page).await.playhead);
    assert!((2_500_000..4_500_000).contains(&shown), "{shown}");
}
