//! The lanes of clients: what they do, what they believe, and how long it is true.

use racescope_engine::check::Belief;
use racescope_engine::sim::{Change, NodeIndex};

use super::glyphs::Glyph;
use super::layout::{Lane, LaneKind};
use super::shapes::{Line, Mark, Rect, Room, Scene, Text};
use super::style::{Role, Tint};
use super::{Share, Sheet};
use crate::tell::time;

/// The height of a belief's band, in pixels.
const BAND: i32 = 20;

pub(super) fn draw(sheet: &Sheet<'_>, beliefs: &[Belief], scene: &mut Scene) {
    for lane in sheet.layout.lanes.iter().filter(|lane| lane.kind == LaneKind::Client) {
        if sheet.only.is_none() {
            activity(sheet, lane, scene);
        }
        let is_shown = |belief: &&Belief| {
            let is_lit = sheet.shows(belief.begins) || belief.parting().is_some_and(|event| sheet.shows(event));
            belief.client == lane.node && is_lit
        };
        for belief in beliefs.iter().filter(is_shown) {
            draw_belief(sheet, lane, belief, scene);
            draw_parting(sheet, lane, belief, beliefs, scene);
        }
    }
}

fn activity(sheet: &Sheet<'_>, lane: &Lane, scene: &mut Scene) {
    let starts_us = sheet.scenario.client(lane.node).map_or(0, |client| client.starts_us);
    let (first, last) = (sheet.scale.share(0), sheet.scale.share(sheet.scale.end_us()));
    let starts = sheet.scale.share(starts_us).min(last);
    let ends = ended(sheet, lane.node).unwrap_or(last).min(last);
    let y = lane.run_y();
    scene.front.push(Line::level(first, starts, y, Role::Idle));
    scene.front.push(Line::level(starts, ends, y, Role::Run));
    scene.front.push(Line::level(ends, last, y, Role::Idle));
    for (_, event, change) in sheet.trace.changes() {
        if event.actor == lane.node && matches!(change, Change::Computed { .. } | Change::Compared { .. }) {
            scene.marks.push(Mark { x: sheet.scale.share(event.at_us), y, glyph: Glyph::Step });
        }
    }
}

fn ended(sheet: &Sheet<'_>, client: NodeIndex) -> Option<Share> {
    let mut changes = sheet.trace.changes();
    let ended = changes
        .find(|(_, event, change)| event.actor == client && matches!(change, Change::Finished | Change::Stopped));
    ended.map(|(_, event, _)| sheet.scale.share(event.at_us))
}

fn draw_belief(sheet: &Sheet<'_>, lane: &Lane, belief: &Belief, scene: &mut Scene) {
    let tint = Tint::of(sheet.scenario, belief.client);
    let y = lane.band_y();
    let begins = sheet.at(belief.begins);
    let ends = belief.ends.map_or(sheet.scale.share(sheet.scale.end_us()), |ends| sheet.at(ends));
    let parts = belief.parting().map(|event| sheet.at(event)).filter(|&parts| parts < ends);
    let rect = |x1, x2, role| Rect { x1, x2, y, height: BAND, role };
    let true_until = parts.unwrap_or(ends);
    if true_until > begins {
        scene.rects.push(rect(begins, true_until, Role::Belief(tint)));
        let (x, until) = sheet.scale.untorn(begins, true_until);
        if let Some(words) = holds(until - x, belief.token) {
            scene.texts.push(Text { words, ..Text::by_room(x, y + 14, Role::Label, &[]) }.moved(5));
        }
    }
    let Some(parts) = parts else { return };
    scene.rects.push(rect(parts, ends, Role::FalseBelief(tint)));
    scene.rects.push(rect(parts, ends, Role::Hatch(tint)));
    let (x, until) = sheet.scale.untorn(parts, ends);
    if let Some(words) = holds_falsely(until - x, belief.token) {
        scene.texts.push(Text { words, ..Text::by_room(x, y + 14, Role::Halo, &[]) }.moved(8));
    }
}

/// The moment at which a belief and the truth part: a ring in the believer's lane, its
/// name, and a line through that lane and the lock's. Between the two it passes behind.
fn draw_parting(sheet: &Sheet<'_>, lane: &Lane, belief: &Belief, others: &[Belief], scene: &mut Scene) {
    let Some(event) = belief.parting() else { return };
    let x = sheet.at(event);
    let ring_y = lane.top + 17;
    let lock = sheet.layout.lane(belief.lock);
    let (from, to) = (ring_y + 8, lock.band_y() + 22);
    scene.back.push(Line::down(x, from, to, Role::Guide));
    scene.front.push(Line::down(x, from, lane.band_y() + BAND, Role::Guide));
    scene.front.push(Line::down(x, lock.band_y(), to, Role::Guide));
    scene.marks.push(Mark { x, y: ring_y, glyph: Glyph::Parting });
    let nearest = others.iter().filter(|other| other.client == belief.client && *other != belief);
    let nearest = nearest.filter_map(|other| Some((sheet.at(other.parting()?) - x).abs())).min().unwrap_or(10_000);
    let name = if nearest < 5_000 { "" } else { "belief and truth part: " };
    let at = time(sheet.trace.event(event).at_us);
    if nearest >= 1_800 {
        let words = [(Room::Wide, name), (Room::Any, at.as_str())];
        scene.texts.push(Text::by_room(x, ring_y + 4, Role::Label, &words).moved(13).kept_inside(4_800));
    }
}

/// Nothing is shrunk to fit: words that have no room are left out.
fn holds(width: Share, token: u16) -> Option<Vec<(Room, String)>> {
    match width {
        1_400.. => Some(vec![(Room::Wide, "I hold ".to_string()), (Room::Any, token.to_string())]),
        600.. => Some(vec![(Room::Any, token.to_string())]),
        _ => None,
    }
}

fn holds_falsely(width: Share, token: u16) -> Option<Vec<(Room, String)>> {
    match width {
        2_700.. => Some(vec![(Room::Wide, "I hold ".to_string()), (Room::Any, format!("{token}: false"))]),
        1_500.. => Some(vec![(Room::Wide, format!("{token}: false")), (Room::Narrow, "false".to_string())]),
        _ => None,
    }
}
