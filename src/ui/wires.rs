//! The messages of a pane, to be taken at their ends: held at its arrival, one is made
//! late; held at its sending, its sender is made to stand still.

use racescope_engine::sim::Leg;
use yew::{Callback, Html, KeyboardEvent, PointerEvent, Properties, component, html, use_mut_ref};

use super::browser;
use super::hold::{Held, Hold, step_of, use_pointer};
use super::plot::send;
use super::reducer::{Dispatch, Same};
use crate::app::{Message, Pane, WireEnd, WireName};
use crate::scene::{TimeScale, Wire, percent};
use crate::tell::seconds;

/// What can be taken of a pane's messages.
#[derive(Clone, PartialEq, Properties)]
pub struct WiresProps {
    /// The pane.
    pub pane: Same<Pane>,
    /// Its place among the panes.
    pub place: usize,
    /// Where moments lie.
    pub scale: TimeScale,
    /// Whether something is held.
    pub is_held: bool,
    /// Where messages go.
    pub dispatch: Dispatch,
}

/// One thing to take hold of for each message.
#[component]
pub fn Wires(props: &WiresProps) -> Html {
    let held: Held = use_mut_ref(|| None);
    use_pointer(&held, props.is_held, props.scale, &props.dispatch);
    let leaves = send(&props.dispatch, Message::FocusLeft);
    html! {
        <g class="wires" role="group" aria-label="Messages" onfocusout={leaves}>
            { for props.pane.scene.wires.iter().filter(|wire| wire.x1 < 10_000).map(|wire| one(props, wire, &held)) }
        </g>
    }
}

fn one(props: &WiresProps, wire: &Wire, held: &Held) -> Html {
    let name = WireName { client: wire.client, call: wire.call, leg: wire.leg };
    let place = props.place;
    let onpointerdown = {
        let (held, dispatch, wire) = (held.clone(), props.dispatch.clone(), *wire);
        Callback::from(move |event: PointerEvent| {
            if event.button() != 0 || held.borrow().is_some() {
                return;
            }
            let Some(down) = browser::height_in_plot(&event) else { return };
            let nearer_start = (down - wire.y1).abs() < (down - wire.y2).abs();
            let end = if nearer_start { WireEnd::Sending } else { WireEnd::Arrival };
            if let Some(plot) = browser::take_pointer(&event) {
                *held.borrow_mut() = Some(Hold::new(&event, plot, false));
                dispatch.dispatch(Message::GrabWire(place, name, end));
            }
        })
    };
    let onkeydown = {
        let (dispatch, is_held) = (props.dispatch.clone(), props.is_held);
        Callback::from(move |event: KeyboardEvent| keys(&event, &dispatch, place, name, is_held))
    };
    let (x1, x2) = (percent(wire.x1), percent(wire.x2));
    html! {
        <g class="wire" key={number(wire)} role="button" tabindex="-1" data-object="" aria-label={label(props, wire)} {onpointerdown} {onkeydown}>
            <line class="hit" x1={x1.clone()} y1={wire.y1.to_string()} x2={x2.clone()} y2={wire.y2.to_string()} />
            <circle class="knob" cx={x1} cy={wire.y1.to_string()} r="4" />
            <circle class="knob" cx={x2} cy={wire.y2.to_string()} r="4" />
        </g>
    }
}

fn number(wire: &Wire) -> u64 {
    u64::from(wire.client) << 17 | u64::from(wire.call) << 1 | u64::from(wire.leg == Leg::Reply)
}

/// Enter holds a message back, by keys; arrow keys otherwise lead to what is near.
fn keys(event: &KeyboardEvent, dispatch: &Dispatch, place: usize, name: WireName, is_held: bool) {
    let end = if event.shift_key() { WireEnd::Sending } else { WireEnd::Arrival };
    match event.key().as_str() {
        "Enter" | " " if is_held => dispatch.dispatch(Message::Drop),
        "Enter" | " " => dispatch.dispatch(Message::GrabWireByKeys(place, name, end)),
        "Escape" if is_held => dispatch.dispatch(Message::Cancel),
        key if is_held => match step_of(key, event.shift_key()) {
            Some(by_us) => dispatch.dispatch(Message::MoveBy(by_us)),
            None => return,
        },
        key if browser::focus_neighbour(event, key) => {}
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}

fn label(props: &WiresProps, wire: &Wire) -> String {
    let title = |node: u8| props.pane.layout.lanes[usize::from(node)].title.clone();
    let (client, server) = (title(wire.client), title(wire.server));
    let (what, from, to) =
        if wire.leg == Leg::Request { ("Request", client, server) } else { ("Reply", server, client) };
    format!(
        "{what} from {from} to {to}, {} to {} seconds; Enter holds back its arrival, Shift and Enter its sending.",
        seconds(wire.sent_us),
        seconds(wire.arrives_us)
    )
}
