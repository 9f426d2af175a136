//! Every kind of fault, added, moved, resized and removed by mouse, by finger and by keys;
//! and the same once more by the form, which must end in the same scenario each time.

use fantoccini::key::Key;
use racescope::app::{Field, Placed, State, restore, to_text, value_of};
use racescope::tell::FaultKind;
use racescope_engine::sim::NodeIndex;

use crate::palette::{chip, on_lane};
use crate::stage::{TWO_PANES, lesson_of, press};
use crate::support::{Page, Pointer, Spot};

in_each_browser!(
    every_kind_of_fault_is_handled_alike_by_mouse_and_by_form,
    every_kind_of_fault_is_handled_alike_by_keys_and_by_form;
    with fingers every_kind_of_fault_is_handled_alike_by_finger_and_by_form,
);

/// Where a fault is brought to, in seconds: to where no message lies over its end.
const AT: f64 = 6.5;

/// How far a fault is moved, in pixels, and how far its end is.
const FURTHER: f64 = 30.0;
/// The same for what moves from one message to another: as far as to the one before.
const BACK: f64 = -260.0;

/// The middle of the fault that is selected, and its end.
const BODY: &str = ".pane .pause.selected .take .body";
const END: &str = ".pane .pause.selected .grip[aria-label$=': end'] .hit";

/// The button that removes it.
const DELETE: &str = ".fault-form .row .link:last-child";

/// What a person does it with.
#[derive(Clone, Copy, PartialEq)]
enum Hand {
    Pointer(Pointer),
    Keys,
}

/// The faults that are on the stage, by what the page keeps of them.
async fn on_stage(page: &Page) -> State {
    let kept: Option<String> = page.value("localStorage.getItem('racescope.lesson.paused-holder')").await;
    kept.map_or_else(|| State::new(lesson_of(TWO_PANES)), |text| restore(lesson_of(TWO_PANES), &text))
}

/// The same as text, to be compared.
fn scenario(state: &State) -> Option<String> {
    to_text(state)
}

async fn is_there(page: &Page, selector: &str) -> bool {
    page.value(&format!("Boolean(document.querySelector({selector:?}))")).await
}

impl Hand {
    async fn add(self, page: &Page, kind: FaultKind, lane: NodeIndex) {
        match self {
            Self::Pointer(Pointer::Mouse) => {
                let from = Spot::of(page, &chip(kind.name())).await;
                Pointer::Mouse.press(page, from).await;
                let to = on_lane(page, 0, lane, AT).await;
                Pointer::Mouse.move_through(page, [from.right_by(20.0), to.right_by(-40.0), to].into_iter()).await;
                Pointer::Mouse.release(page).await;
            }
            Self::Pointer(Pointer::Finger) => {
                Pointer::Finger.click(page, &chip(kind.name())).await;
                let to = on_lane(page, 0, lane, AT).await;
                Pointer::Finger.press(page, to).await;
                Pointer::Finger.release(page).await;
            }
            Self::Keys => {
                page.act(&format!("document.querySelector({:?}).focus()", chip(kind.name()))).await;
                press(page, [Key::Enter.into()]).await;
                press(page, [Key::Left.into(), Key::PageDown.into(), Key::Enter.into()]).await;
            }
        }
    }

    async fn move_it(self, page: &Page, kind: FaultKind) {
        let to_another = matches!(kind, FaultKind::Loss | FaultKind::Reorder);
        let by = if to_another { BACK } else { FURTHER };
        match self {
            Self::Pointer(pointer) => drag(page, pointer, Spot::in_left_part_of(page, BODY).await, by).await,
            Self::Keys => {
                page.act("document.querySelector('.pause.selected .take').focus()").await;
                let step = if to_another { Key::PageDown } else { Key::Right };
                press(page, [Key::Enter, step, step, step, step, Key::Enter].map(char::from)).await;
            }
        }
    }

    async fn resize(self, page: &Page) {
        match self {
            Self::Pointer(pointer) => drag(page, pointer, Spot::of(page, END).await, FURTHER).await,
            Self::Keys => {
                page.act("document.querySelector('.pause.selected .grip[aria-label$=\": end\"]').focus()").await;
                press(page, [Key::Right.into(), Key::Right.into()]).await;
                page.act("document.activeElement.blur()").await;
            }
        }
    }

    async fn remove(self, page: &Page) {
        match self {
            Self::Pointer(pointer) => pointer.click(page, DELETE).await,
            Self::Keys => {
                page.act("document.querySelector('.pause.selected .take').focus()").await;
                press(page, [Key::Delete.into()]).await;
            }
        }
    }
}

async fn drag(page: &Page, pointer: Pointer, from: Spot, by: f64) {
    pointer.press(page, from).await;
    pointer.move_to(page, from.right_by(by / 2.0)).await;
    pointer.move_to(page, from.right_by(by)).await;
    pointer.release(page).await;
}

/// Adds a fault by the form, with the start that it is to have.
async fn add_by_form(page: &Page, kind: FaultKind, wanted: &Placed) {
    let at_us = value_of(wanted, Field::Start).unwrap_or((AT * 1e6) as i64);
    choose(page, "add-kind", kind.name()).await;
    choose_value(page, "add-lane", i64::from(wanted.fault.node())).await;
    type_into(page, "add-time", at_us).await;
    page.act("document.querySelector('.add .btn').focus()").await;
    press(page, [Key::Enter.into()]).await;
}

/// Gives the selected fault, by its form, each number and choice that another one has.
async fn change_by_form(page: &Page, kind: FaultKind, wanted: &Placed) {
    for field in Field::ALL {
        let has = on_stage(page).await.faults.last().and_then(|placed| value_of(placed, field));
        let (Some(has), Some(wants)) = (has, value_of(wanted, field)) else { continue };
        if has != wants {
            let id = format!("field-{}", field.name(kind).to_lowercase().replace(' ', "-"));
            if field.is_choice() {
                choose_value(page, &id, wants).await;
            } else {
                type_into(page, &id, wants).await;
            }
        }
    }
}

async fn choose(page: &Page, id: &str, name: &str) {
    let script = format!(
        "const list = document.getElementById({id:?});
         list.value = [...list.options].find(option => option.textContent === {name:?}).value;
         list.dispatchEvent(new Event('change', {{ bubbles: true }}))"
    );
    page.act(&script).await;
}

async fn choose_value(page: &Page, id: &str, value: i64) {
    let script = format!(
        "const list = document.getElementById({id:?});
         list.value = '{value}';
         list.dispatchEvent(new Event('change', {{ bubbles: true }}))"
    );
    page.act(&script).await;
}

/// Types a number of microseconds, or parts per million as percent.
async fn type_into(page: &Page, id: &str, value: i64) {
    let one = if id == "field-runs" { 10_000 } else { 1_000_000 };
    let text = format!("{}.{:06}", value / one, value % one * (1_000_000 / one));
    page.act(&format!("const field = document.getElementById({id:?}); field.focus(); field.select()")).await;
    press(page, text.chars().chain([Key::Tab.into()])).await;
}

/// Takes every kind of fault through its life with a hand, and then by the form.
async fn handle_all(page: &Page, hand: Hand) {
    page.resize(1440, 1400).await;
    page.open(TWO_PANES).await;
    page.act("document.querySelector('.add').open = true").await;
    let lesson = lesson_of(TWO_PANES);
    let model = &lesson.variants[0].scenario;
    for kind in FaultKind::suiting(model) {
        // Where there is a choice, a lane without the fault that the lesson has there.
        let suiting = model.indices().filter(|&node| kind.suits(model, node)).take(2).last();
        let lane = suiting.expect("a kind that is offered suits a node");
        let before = on_stage(page).await.faults.len();
        hand.add(page, kind, lane).await;
        let added = on_stage(page).await;
        assert_eq!(added.faults.len(), before + 1, "{} is added", kind.name());
        hand.move_it(page, kind).await;
        let moved = on_stage(page).await;
        assert_ne!(scenario(&moved), scenario(&added), "{} is moved", kind.name());
        let mut stages = vec![moved];
        if is_there(page, END).await {
            hand.resize(page).await;
            let resized = on_stage(page).await;
            assert_ne!(Some(scenario(&resized)), stages.last().map(scenario), "{} is resized", kind.name());
            stages.push(resized);
        }
        hand.remove(page).await;
        page.wait_for(&format!("document.querySelectorAll('.fault-row').length === {before}")).await;

        add_by_form(page, kind, &added.faults[before]).await;
        for wanted in std::iter::once(&added).chain(&stages) {
            change_by_form(page, kind, &wanted.faults[before]).await;
            assert_eq!(scenario(&on_stage(page).await), scenario(wanted), "{} by form", kind.name());
        }
        page.act(&format!("document.querySelector({DELETE:?}).focus()")).await;
        press(page, [Key::Enter.into()]).await;
        page.wait_for(&format!("document.querySelectorAll('.fault-row').length === {before}")).await;
    }
}

async fn every_kind_of_fault_is_handled_alike_by_mouse_and_by_form(page: &Page) {
    handle_all(page, Hand::Pointer(Pointer::Mouse)).await;
}

async fn every_kind_of_fault_is_handled_alike_by_finger_and_by_form(page: &Page) {
    page.have_touch_screen().await;
    handle_all(page, Hand::Pointer(Pointer::Finger)).await;
}

async fn every_kind_of_fault_is_handled_alike_by_keys_and_by_form(page: &Page) {
    handle_all(page, Hand::Keys).await;
}
