//! The messages of a run as what can be taken hold of at either end.

use racescope_engine::sim::{Change, Event, Leg, NodeIndex};

use super::shapes::Scene;
use super::{Share, Sheet};

/// One message: whose call it belongs to, when it travels, and where its arrow lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The client whose call it is.
    pub client: NodeIndex,
    /// The server that the call asks.
    pub server: NodeIndex,
    /// Which of the client's calls, counted from 0.
    pub call: u16,
    /// Which of the call's messages.
    pub leg: Leg,
    /// When it was sent, in microseconds.
    pub sent_us: u64,
    /// When it arrives or is lost, in microseconds.
    pub arrives_us: u64,
    /// Where its arrow starts, across.
    pub x1: Share,
    /// Where its arrow starts, down.
    pub y1: i32,
    /// Where its arrow ends, across.
    pub x2: Share,
    /// Where its arrow ends, down.
    pub y2: i32,
}

impl Wire {
    /// The node that sends it.
    pub fn sender(&self) -> NodeIndex {
        if self.leg == Leg::Request { self.client } else { self.server }
    }
}

pub(super) fn draw(sheet: &Sheet<'_>, scene: &mut Scene) {
    for (_, event, change) in sheet.trace.changes() {
        let Some(client) = event.client else { continue };
        let wire = match change {
            Change::Sent { server, .. } => wire(sheet, event, client, server, Leg::Request),
            _ if event.actor != client && event.arrives_us > event.at_us => {
                wire(sheet, event, client, event.actor, Leg::Reply)
            }
            _ => continue,
        };
        let is_known = |known: &Wire| (known.client, known.call, known.leg) == (wire.client, wire.call, wire.leg);
        if !scene.wires.iter().any(is_known) {
            scene.wires.push(wire);
        }
    }
    // What was lost ends where it was lost, and a reply that was lost was sent too.
    for (_, event, change) in sheet.trace.changes() {
        let (Change::Lost { leg, .. }, Some(client)) = (change, event.client) else { continue };
        let is_it = |wire: &&mut Wire| (wire.client, wire.call, wire.leg) == (client, event.call, leg);
        if let Some(wire) = scene.wires.iter_mut().find(is_it) {
            wire.arrives_us = event.at_us.max(wire.sent_us);
        } else if leg == Leg::Reply {
            let mut events = sheet.trace.events.iter();
            let served = events.find(|it| (it.actor, it.client, it.call) == (event.actor, Some(client), event.call));
            let sent = wire(sheet, served.unwrap_or(event), client, event.actor, leg);
            let lost = Wire { arrives_us: event.at_us, x2: sheet.scale.share(event.at_us), ..sent };
            let at = scene.wires.partition_point(|wire| wire.sent_us <= lost.sent_us);
            scene.wires.insert(at, lost);
        }
    }
}

fn wire(sheet: &Sheet<'_>, event: &Event, client: NodeIndex, server: NodeIndex, leg: Leg) -> Wire {
    let (from, to) = if leg == Leg::Request { (client, server) } else { (server, client) };
    let arrives_us = event.arrives_us.max(event.at_us);
    Wire {
        client,
        server,
        call: event.call,
        leg,
        sent_us: event.at_us,
        arrives_us,
        x1: sheet.scale.share(event.at_us),
        y1: sheet.layout.lane(from).message_y(),
        x2: sheet.scale.share(arrives_us),
        y2: sheet.layout.lane(to).message_y(),
    }
}
