//! Messages: what was asked, and what came back.

use racescope_engine::sim::{Change, Event, EventIndex, NodeIndex, Request, What};

use super::Sheet;
use super::glyphs::Glyph;
use super::shapes::{Head, Line, Mark, Scene, Tag, Text};
use super::style::{Role, Tint};
use super::{Anchor, Room};
use crate::tell::comparison;

pub(super) fn draw(sheet: &Sheet<'_>, scene: &mut Scene) {
    for (index, event, change) in sheet.trace.changes() {
        if let Change::Sent { server, request, .. } = change {
            let served = served_by(sheet, index, event);
            request_line(sheet, event, server, request, served, scene);
            if let Some(served) = served {
                reply_line(sheet, server, event.actor, sheet.trace.event(served), scene);
            }
        }
    }
}

/// The event in which the server handled a request.
fn served_by(sheet: &Sheet<'_>, sent: EventIndex, event: &Event) -> Option<EventIndex> {
    let later = sheet.trace.events.iter().enumerate().skip(sent as usize + 1);
    let served = later
        .map(|(index, later)| (index as EventIndex, later))
        .find(|(_, later)| later.client == event.client && later.call == event.call && later.actor != event.actor);
    served.map(|(index, _)| index)
}

fn request_line(
    sheet: &Sheet<'_>,
    event: &Event,
    server: NodeIndex,
    request: Request,
    served: Option<EventIndex>,
    scene: &mut Scene,
) {
    let (from, to) = (sheet.layout.lane(event.actor), sheet.layout.lane(server));
    let (x1, x2) = (sheet.scale.share(event.at_us), sheet.scale.share(event.arrives_us.max(event.at_us)));
    let is_write = matches!(request, Request::Write { .. });
    let harms = served.is_some_and(|served| sheet.harms(served));
    let (role, head) = match (is_write, harms) {
        (_, true) => (Role::HarmfulWrite, Head::Harm),
        (true, false) => (Role::Write, Head::Filled),
        (false, false) => (Role::Request, Head::Filled),
    };
    let refused = served.and_then(|served| match sheet.trace.event(served).what {
        What::Change(Change::Refused { comparison, .. }) => Some(comparison),
        _ => None,
    });
    let y2 = if refused.is_some() { to.message_y() - 8 } else { to.message_y() };
    let head = if refused.is_some() { Head::None } else { head };
    scene.back.push(Line { x1, y1: from.message_y(), x2, y2, role, head });
    let Some(served) = served.filter(|_| is_write) else { return };
    let x = sheet.at(served);
    let y = to.message_y();
    if let Some(made) = refused {
        scene.marks.push(Mark { x, y, glyph: Glyph::Refused });
        let made = comparison(made);
        let rest = if x <= 7_000 { ": refused" } else { "" };
        let words = [(Room::Any, made.as_str()), (Room::Wider, rest)];
        scene.texts.push(Text::by_room(x, y - 9, Role::Strong, &words).moved(11).kept_inside(2_000));
    } else if !harms {
        scene.marks.push(Mark { x, y, glyph: Glyph::Accepted });
        if let Some(made) = accepted_by(sheet, served) {
            scene.texts.push(Text::by_room(x, y - 9, Role::Label, &[(Room::Widest, made.as_str())]).moved(22));
        }
    }
    if let (true, Some(token)) = (refused.is_some() || harms, token_of(sheet, served)) {
        let y = to.top - 42;
        let along = (x - x1) * (y - from.message_y()) / (y2 - from.message_y()).max(1);
        scene.tags.push(Tag { x: x1 + along, y, tint: Tint::of(sheet.scenario, event.actor), text: token.to_string() });
    }
}

/// The comparison that let a write through, if it has room before the next write.
fn accepted_by(sheet: &Sheet<'_>, served: EventIndex) -> Option<String> {
    let storage = sheet.trace.event(served).actor;
    let is_write = |change| matches!(change, Change::Accepted { .. } | Change::Refused { .. });
    let mut later = sheet
        .trace
        .changes()
        .filter(|&(index, event, change)| index > served && event.actor == storage && is_write(change));
    let room = later.next().map_or(10_000, |(_, event, _)| sheet.scale.share(event.at_us)) - sheet.at(served);
    match sheet.trace.event(served).what {
        What::Change(Change::Accepted { comparison: Some(made), .. }) if room >= 1_400 => Some(comparison(made)),
        _ => None,
    }
}

fn token_of(sheet: &Sheet<'_>, served: EventIndex) -> Option<u16> {
    match sheet.trace.event(served).what {
        What::Change(Change::Accepted { token, .. } | Change::Refused { token, .. }) if token != 0 => Some(token),
        _ => None,
    }
}

fn reply_line(sheet: &Sheet<'_>, server: NodeIndex, client: NodeIndex, served: &Event, scene: &mut Scene) {
    if served.arrives_us <= served.at_us {
        return;
    }
    let (from, to) = (sheet.layout.lane(server), sheet.layout.lane(client));
    scene.back.push(Line {
        x1: sheet.scale.share(served.at_us),
        y1: from.message_y(),
        x2: sheet.scale.share(served.arrives_us),
        y2: to.message_y(),
        role: Role::Reply,
        head: Head::Open,
    });
}

/// The text at the moment of harm stands by its arrow.
pub(super) fn harm_label(sheet: &Sheet<'_>, event: EventIndex, scene: &mut Scene) {
    let Some(token) = token_of(sheet, event) else { return };
    let y = sheet.layout.lane(sheet.trace.event(event).actor).band_y() - 9;
    let number = format!("{token} ");
    let words = [(Room::Wide, number.as_str()), (Room::Any, "accepted")];
    let text = Text::by_room(sheet.at(event), y, Role::Harm, &words).moved(11).kept_inside(2_000);
    debug_assert!(text.anchor != Anchor::Middle, "a label stands beside its arrow");
    scene.texts.push(text);
}
