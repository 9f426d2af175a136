//! Messages: what was asked, and what came back.

use racescope_engine::sim::{Change, Event, EventIndex, Leg, Meaning, NodeIndex, Outcome, Request, What};

use super::Sheet;
use super::glyphs::Glyph;
use super::shapes::{Head, Line, Mark, Scene, Tag, Text};
use super::style::{Role, Tint};
use super::{Anchor, Room};
use crate::tell::{comparison, letter};

/// The messages of one call, by the events in which they left and ended.
#[derive(Default)]
struct Call {
    /// The request, and the copies of it.
    requests: Vec<EventIndex>,
    /// Where a server handled one of them, or where it was lost.
    ends: Vec<EventIndex>,
    /// Where the reply was lost.
    lost_reply: Option<EventIndex>,
}

pub(super) fn draw(sheet: &Sheet<'_>, scene: &mut Scene) {
    let calls = calls(sheet);
    for (_, event, change) in sheet.trace.changes() {
        let Change::Sent { server, request, .. } = change else { continue };
        let Some((_, call)) = calls.iter().find(|(name, _)| *name == (event.actor, event.call)) else { continue };
        for (place, &sent) in call.requests.iter().enumerate() {
            let end = call.ends.get(place).copied();
            if sheet.shows(sent) || end.is_some_and(|end| sheet.shows(end)) {
                draw_request(sheet, sheet.trace.event(sent), server, request, end, scene);
            }
            let is_heard = |it: &Event| (it.actor, it.client, it.call) == (event.actor, event.client, event.call);
            let hears = sheet.shows_any(|it| is_heard(it) && matches!(it.what, What::Change(Change::Learned { .. })));
            if let Some(served) = end.filter(|&end| hears && !is_lost(sheet, end)) {
                reply_line(sheet, server, event.actor, sheet.trace.event(served), call.lost_reply, scene);
            }
        }
    }
}

/// All calls, by their client and their number. Messages and ends are in the order
/// in which they arrive, so that they belong together.
fn calls(sheet: &Sheet<'_>) -> Vec<((NodeIndex, u16), Call)> {
    let mut calls: Vec<((NodeIndex, u16), Call)> = Vec::new();
    for (index, event, change) in sheet.trace.changes() {
        let Some(client) = event.client else { continue };
        let name = (client, event.call);
        let place = calls.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            calls.push((name, Call::default()));
            calls.len() - 1
        });
        let call = &mut calls[place].1;
        match change {
            Change::Sent { .. } | Change::Duplicated { .. } => {
                let arrives_us = |&sent: &EventIndex| sheet.trace.event(sent).arrives_us;
                let at = call.requests.partition_point(|sent| arrives_us(sent) <= event.arrives_us);
                call.requests.insert(at, index);
            }
            Change::Lost { leg: Leg::Reply, .. } => call.lost_reply = Some(index),
            Change::Lost { leg: Leg::Request, .. } => call.ends.push(index),
            _ if event.actor != client => call.ends.push(index),
            _ => {}
        }
    }
    calls
}

fn is_lost(sheet: &Sheet<'_>, end: EventIndex) -> bool {
    matches!(sheet.trace.event(end).what, What::Change(Change::Lost { .. }))
}

fn draw_request(
    sheet: &Sheet<'_>,
    event: &Event,
    server: NodeIndex,
    request: Request,
    end: Option<EventIndex>,
    scene: &mut Scene,
) {
    match end.filter(|&end| is_lost(sheet, end)) {
        Some(lost) => {
            let role = if is_write(request) { Role::Write } else { Role::Request };
            lost_line(sheet, (event.actor, server), event, sheet.trace.event(lost), role, scene);
        }
        None => request_line(sheet, event, server, request, end, scene),
    }
}

/// A message that never arrives: it ends in a cross, half-way or where it was when
/// it was lost.
fn lost_line(
    sheet: &Sheet<'_>,
    (from, to): (NodeIndex, NodeIndex),
    sent: &Event,
    lost: &Event,
    role: Role,
    scene: &mut Scene,
) {
    let (y1, y_there) = (sheet.layout.lane(from).message_y(), sheet.layout.lane(to).message_y());
    let (x1, x2) = (sheet.scale.share(sent.at_us), sheet.scale.share(lost.at_us));
    let travels_us = sent.arrives_us.saturating_sub(sent.at_us);
    let hundredths = match (lost.at_us - sent.at_us).min(travels_us) * 100 {
        0 => 50,
        passed => i32::try_from(passed / travels_us).unwrap_or(100),
    };
    let y2 = y1 + (y_there - y1) * hundredths / 100;
    scene.back.push(Line { x1, y1, x2, y2, role, head: Head::None });
    scene.marks.push(Mark { x: x2, y: y2, glyph: Glyph::Lost });
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
    let is_write = is_write(request);
    let harms = served.is_some_and(|served| sheet.harms(served));
    let (role, head) = match (is_write, harms) {
        (_, true) => (Role::HarmfulWrite, Head::Harm),
        (true, false) => (Role::Write, Head::Filled),
        (false, false) => (Role::Request, Head::Filled),
    };
    let refused = served.filter(|_| is_write).and_then(|served| refusal(sheet, sheet.trace.event(served)));
    let y2 = if refused.is_some() { to.message_y() - 8 } else { to.message_y() };
    let head = if refused.is_some() { Head::None } else { head };
    scene.back.push(Line { x1, y1: from.message_y(), x2, y2, role, head });
    let Some(served) = served.filter(|_| is_write) else { return };
    let x = sheet.at(served);
    let y = to.message_y();
    if let Some(made) = &refused {
        scene.marks.push(Mark { x, y, glyph: Glyph::Refused });
        let rest = if x <= 7_000 { ": refused" } else { "" };
        // A comparison is short, the words of a server may not be.
        let (any, wide) = if made.len() > 10 { ("", made.as_str()) } else { (made.as_str(), "") };
        let narrow = wide.split(' ').next().unwrap_or_default();
        let words = [(Room::Any, any), (Room::Wide, wide), (Room::Narrow, narrow), (Room::Wider, rest)];
        scene.texts.push(Text::by_room(x, y - 9, Role::Strong, &words).moved(11).kept_inside(2_000));
    } else if !harms && matches!(sheet.trace.event(served).what, What::Change(change) if accepts(change)) {
        scene.marks.push(Mark { x, y, glyph: Glyph::Accepted });
        if let Some(made) = accepted_by(sheet, served) {
            scene.texts.push(Text::by_room(x, y - 9, Role::Label, &[(Room::Widest, made.as_str())]).moved(22));
        }
    }
    if let (true, Some(token)) = (refused.is_some() || harms, token_of(sheet, served)) {
        let y = to.top - 42;
        let along = (x - x1) * (y - from.message_y()) / (y2 - from.message_y()).max(1);
        scene.tags.push(Tag {
            x: x1 + along,
            y,
            tint: Tint::of(sheet.scenario, event.actor),
            text: format!("{} {token}", letter(sheet.scenario, event.actor)),
        });
    }
}

/// Whether a request changes what its server keeps, or would.
fn is_write(request: Request) -> bool {
    matches!(
        request,
        Request::Write { .. } | Request::Command { meaning: Meaning::Write | Meaning::Fill | Meaning::Effect, .. }
    )
}

/// Whether by a change a server takes what it was sent.
fn accepts(change: Change) -> bool {
    matches!(change, Change::Accepted { .. } | Change::Filled { .. } | Change::Effected { .. })
}

/// Why a write was refused: the words of the server if it has some, or else what it compared.
fn refusal(sheet: &Sheet<'_>, served: &Event) -> Option<String> {
    let What::Change(change) = served.what else { return None };
    let made = match change {
        Change::Refused { comparison: made, .. } => comparison(made),
        Change::NotFilled { .. }
        | Change::NotEffected { .. }
        | Change::Answered { outcome: Outcome::Refused | Outcome::Lost } => String::new(),
        _ => return None,
    };
    Some(sheet.trace.said(served).filter(|words| !words.is_empty()).map_or(made, one_line))
}

/// Words that are short enough to stand beside a mark.
fn one_line(words: &str) -> String {
    let line = words.split('⏎').next().unwrap_or_default().trim();
    match line.char_indices().nth(18) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_string(),
    }
}

/// The comparison that let a write through, if it has room before the next write.
fn accepted_by(sheet: &Sheet<'_>, served: EventIndex) -> Option<String> {
    let storage = sheet.trace.event(served).actor;
    let decides = |change| {
        accepts(change)
            || matches!(change, Change::Refused { .. } | Change::NotFilled { .. } | Change::NotEffected { .. })
    };
    let mut later = sheet
        .trace
        .changes()
        .filter(|&(index, event, change)| index > served && event.actor == storage && decides(change));
    let room = later.next().map_or(10_000, |(_, event, _)| sheet.scale.share(event.at_us)) - sheet.at(served);
    match sheet.trace.event(served).what {
        What::Change(Change::Accepted { comparison: Some(made), .. }) if room >= 1_400 => Some(comparison(made)),
        What::Change(_) if room >= 1_400 => sheet.trace.said(sheet.trace.event(served)).map(one_line),
        _ => None,
    }
}

fn token_of(sheet: &Sheet<'_>, served: EventIndex) -> Option<u16> {
    match sheet.trace.event(served).what {
        What::Change(Change::Accepted { token, .. } | Change::Refused { token, .. }) if token != 0 => Some(token),
        _ => None,
    }
}

fn reply_line(
    sheet: &Sheet<'_>,
    server: NodeIndex,
    client: NodeIndex,
    served: &Event,
    lost: Option<EventIndex>,
    scene: &mut Scene,
) {
    if served.arrives_us <= served.at_us {
        // Nobody waits for the reply to a copy, so none of them is drawn.
        if let Some(lost) = lost.map(|lost| sheet.trace.event(lost)).filter(|lost| lost.at_us >= served.at_us) {
            lost_line(sheet, (server, client), served, lost, Role::Reply, scene);
        }
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
    let text = Text::by_room(sheet.at(event), y, Role::Harm, &words).moved(11).kept_inside(2_500);
    debug_assert!(text.anchor != Anchor::Middle, "a label stands beside its arrow");
    scene.texts.push(text);
}
