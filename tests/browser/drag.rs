//! The pause, moved and resized by a mouse and by a finger.

use std::rc::Rc;

use fantoccini::key::Key;
use racescope_lesson::Lesson;

use crate::stage::{END, LENGTH, MIDDLE, Shown, THREE_PANES, TWO_PANES, UNDO, lesson_of, press, tab_to};
use crate::support::{Page, Pointer, Spot};

in_each_browser!(
    one_part_after_the_other_can_be_dragged_without_a_click_between,
    mouse_finger_keyboard_and_number_field_end_in_the_same_pause_and_verdicts,
    a_mouse_moves_the_whole_pause,
    what_a_drag_has_turned_into_another_drawing_is_as_if_drawn_anew,
    escape_puts_a_dragged_pause_back_and_leaves_no_step_to_undo,
    a_drag_that_comes_back_to_where_it_began_is_no_step,
    a_mouse_drags_the_stale_overwrite_away_and_back_in_two_panes,
    a_mouse_drags_the_stale_overwrite_away_and_back_in_three_panes;
    with fingers a_finger_drags_the_stale_overwrite_away_and_back_on_a_small_screen,
);

/// Moves what is pressed on until the stage shows what is wanted, and checks on
/// the way that it always shows the truth. Returns where the pointer is then.
async fn move_until(
    page: &Page,
    pointer: Pointer,
    lesson: &Rc<Lesson>,
    from: Spot,
    step: f64,
    wanted: impl Fn(&Shown) -> bool,
) -> Spot {
    let mut at = from;
    for _ in 0..200 {
        at = at.right_by(step);
        pointer.move_to(page, at).await;
        let shown = Shown::on(page).await;
        shown.assert_true(lesson);
        if wanted(&shown) {
            return at;
        }
    }
    panic!("moved to {at:?}, and it still shows {:?}", Shown::on(page).await);
}

/// Whether the length is one that arrow keys reach too.
fn is_whole_tenth(shown: &Shown) -> bool {
    shown.length.ends_with('0')
}

async fn drag_shorter_and_longer(page: &Page, pointer: Pointer, path: &str) {
    let lesson = lesson_of(path);
    page.open(path).await;
    let own = Shown::on(page).await;
    let start = Spot::of(page, END).await;
    pointer.press(page, start).await;
    let clean = move_until(page, pointer, &lesson, start, -5.0, Shown::is_clean).await;
    let grown = move_until(page, pointer, &lesson, clean, 5.0, Shown::is_broken_beside_holding).await;
    move_until(page, pointer, &lesson, grown, -5.0, Shown::is_clean).await;
    pointer.release(page).await;

    let let_go = Shown::on(page).await;
    assert!(let_go.is_clean(), "it stays where it was let go: {let_go:?}");
    assert_eq!(let_go.undo, "Undo: move the end of pause of A");
    pointer.click(page, UNDO).await;
    assert_eq!(Shown::on(page).await, own, "one drag is one step back");
}

async fn a_mouse_drags_the_stale_overwrite_away_and_back_in_two_panes(page: &Page) {
    drag_shorter_and_longer(page, Pointer::Mouse, TWO_PANES).await;
}

async fn a_mouse_drags_the_stale_overwrite_away_and_back_in_three_panes(page: &Page) {
    drag_shorter_and_longer(page, Pointer::Mouse, THREE_PANES).await;
}

async fn a_finger_drags_the_stale_overwrite_away_and_back_on_a_small_screen(page: &Page) {
    page.have_touch_screen().await;
    page.resize(390, 844).await;
    drag_shorter_and_longer(page, Pointer::Finger, TWO_PANES).await;
}

async fn one_part_after_the_other_can_be_dragged_without_a_click_between(page: &Page) {
    page.open(TWO_PANES).await;
    for part in [END, MIDDLE, END, MIDDLE] {
        let before = Shown::on(page).await;
        let from = Spot::of(page, part).await;
        Pointer::Mouse.press(page, from).await;
        Pointer::Mouse.move_to(page, from.right_by(-12.0)).await;
        Pointer::Mouse.move_to(page, from.right_by(-24.0)).await;
        Pointer::Mouse.release(page).await;
        let after = Shown::on(page).await;
        let (moved, kept) = if part == END {
            (before.length != after.length, before.start == after.start)
        } else {
            (before.start != after.start, before.length == after.length)
        };
        assert!(moved && kept, "{part}: {before:?} became {after:?}");
    }
}

async fn mouse_finger_keyboard_and_number_field_end_in_the_same_pause_and_verdicts(page: &Page) {
    let lesson = lesson_of(TWO_PANES);
    page.have_touch_screen().await;
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;

    let start = Spot::of(page, END).await;
    Pointer::Mouse.press(page, start).await;
    let clean = move_until(page, Pointer::Mouse, &lesson, start, -5.0, Shown::is_clean).await;
    let at = move_until(page, Pointer::Mouse, &lesson, clean, -1.0, is_whole_tenth).await;
    Pointer::Mouse.release(page).await;
    let by_mouse = Shown::on(page).await;
    assert!(by_mouse.is_clean(), "{by_mouse:?}");
    Pointer::Mouse.click(page, UNDO).await;

    if page.browser.has_fingers() {
        let start = Spot::of(page, END).await;
        Pointer::Finger.press(page, start).await;
        Pointer::Finger.move_to(page, Spot { y: start.y, ..at }).await;
        Pointer::Finger.release(page).await;
        assert_eq!(Shown::on(page).await, by_mouse, "the finger went as far as the mouse");
        Pointer::Finger.click(page, UNDO).await;
        assert_eq!(Shown::on(page).await, own);
    }

    tab_to(page, ".grip[aria-label$=': end']").await;
    while Shown::on(page).await.length != by_mouse.length {
        press(page, [Key::Left.into()]).await;
        assert!(Shown::on(page).await.length >= by_mouse.length, "the keys went past it");
    }
    assert_eq!(Shown::on(page).await, by_mouse, "the keys end where the mouse did");

    page.run::<()>("localStorage.clear()").await;
    page.open(TWO_PANES).await;
    type_into(page, LENGTH, &by_mouse.length).await;
    let by_field = Shown::on(page).await;
    assert_eq!(by_field.undo, "Undo: change the length of pause of A");
    assert_eq!(Shown { undo: by_mouse.undo.clone(), ..by_field }, by_mouse, "the field ends where the mouse did");
}

/// Writes a number over what stands in a field.
async fn type_into(page: &Page, selector: &str, text: &str) {
    page.act(&format!("const field = document.querySelector({selector:?}); field.focus(); field.select()")).await;
    press(page, text.chars().chain([Key::Enter.into()])).await;
}

async fn a_mouse_moves_the_whole_pause(page: &Page) {
    let lesson = lesson_of(TWO_PANES);
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    let start = Spot::of(page, MIDDLE).await;
    Pointer::Mouse.press(page, start).await;
    move_until(page, Pointer::Mouse, &lesson, start, 5.0, |shown| shown.verdicts != own.verdicts).await;
    Pointer::Mouse.release(page).await;
    let moved = Shown::on(page).await;
    assert_eq!(moved.length, own.length);
    assert_ne!(moved.start, own.start);
    assert_eq!(moved.undo, "Undo: move pause of A");
    Pointer::Mouse.click(page, UNDO).await;
    assert_eq!(Shown::on(page).await, own);
}

async fn escape_puts_a_dragged_pause_back_and_leaves_no_step_to_undo(page: &Page) {
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    let start = Spot::of(page, END).await;
    Pointer::Mouse.press(page, start).await;
    Pointer::Mouse.move_to(page, start.right_by(-60.0)).await;
    assert_ne!(Shown::on(page).await.length, own.length);
    press(page, [Key::Escape.into()]).await;
    assert_eq!(Shown::on(page).await, own);
    Pointer::Mouse.move_to(page, start.right_by(-80.0)).await;
    Pointer::Mouse.release(page).await;
    assert_eq!(Shown::on(page).await, own, "what was put back isn't taken along again");
}

async fn a_drag_that_comes_back_to_where_it_began_is_no_step(page: &Page) {
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    let start = Spot::of(page, END).await;
    Pointer::Mouse.press(page, start).await;
    Pointer::Mouse.move_to(page, start.right_by(-60.0)).await;
    Pointer::Mouse.move_to(page, start).await;
    Pointer::Mouse.release(page).await;
    assert_eq!(Shown::on(page).await, own);
}

/// The drawings of all panes, element by element, each with its attributes in order.
async fn drawings(page: &Page) -> String {
    page.run(
        "const told = node => {
             const set = [...node.attributes].map(it => `${it.name}=${it.value}`).sort().join(' ');
             const within = [...node.children].map(told).join('');
             return `<${node.localName} ${set}>${within || node.textContent}`;
         };
         return [...document.querySelectorAll('.scene')].map(told).join('\\n')",
    )
    .await
}

async fn what_a_drag_has_turned_into_another_drawing_is_as_if_drawn_anew(page: &Page) {
    for path in ["lessons/late-replica/", TWO_PANES, THREE_PANES] {
        page.open(path).await;
        let own = drawings(page).await;
        let start = Spot::of(page, END).await;
        Pointer::Mouse.press(page, start).await;
        let there_and_back = (1..=24).map(|step| if step <= 18 { -step } else { step - 36 });
        Pointer::Mouse.move_through(page, there_and_back.map(|step| start.right_by(5.0 * f64::from(step)))).await;
        Pointer::Mouse.release(page).await;
        page.settle().await;
        let dragged = drawings(page).await;
        assert_ne!(dragged, own, "the drag has changed the drawings of {path}");
        page.client.refresh().await.expect("the page can be reloaded");
        page.wait_for("document.querySelector('.stage .verdict')").await;
        assert_eq!(dragged, drawings(page).await, "{path}");
    }
}
