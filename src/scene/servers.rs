//! The lanes of servers: who holds the lease, and what storage has accepted.

use racescope_engine::check::{Finding, Property};
use racescope_engine::sim::{
    Change, EventIndex, NodeIndex, NodeKind, Part, Role as Thing, SystemNode, VersionedRegister,
};

use super::glyphs::Glyph;
use super::layout::{Lane, LaneKind};
use super::messages::harm_label;
use super::shapes::{Anchor, Line, Mark, Rect, Room, Scene, Text};
use super::style::{Role, Tint};
use super::{Share, Sheet};
use crate::tell::{letter, replaced};

pub(super) fn draw(sheet: &Sheet<'_>, scene: &mut Scene) {
    for lane in &sheet.layout.lanes {
        match &sheet.scenario.nodes[usize::from(lane.node)].kind {
            NodeKind::Lock(_) => holders(sheet, lane, scene),
            NodeKind::System(SystemNode { role, .. }) | NodeKind::Part(Part { role, .. }) => match role {
                Thing::Lock { .. } => holders(sheet, lane, scene),
                Thing::Data { first_version, .. } => versions(sheet, lane, *first_version, scene),
                Thing::Cache { .. } => versions(sheet, lane, 0, scene),
                Thing::Effects { .. } => effects(sheet, lane, scene),
                Thing::Server => {}
            },
            NodeKind::Storage(storage) => {
                versions(sheet, lane, storage.first_version, scene);
                fence(sheet, lane, storage, scene);
            }
            NodeKind::Client(_) => debug_assert_eq!(lane.kind, LaneKind::Client),
        }
    }
    let mut named: Option<EventIndex> = None;
    for event in sheet.harms_done().into_iter().filter(|&event| sheet.shows(event)) {
        // Where harm follows harm at once, the first one is named and the others are marked.
        let has_room = named.is_none_or(|before| sheet.at(event) - sheet.at(before) >= 2_600);
        harm(sheet, event, has_room, scene);
        named = if has_room { Some(event) } else { named };
    }
}

fn holders(sheet: &Sheet<'_>, lane: &Lane, scene: &mut Scene) {
    let end = sheet.scale.share(sheet.scale.end_us());
    let height = lane.band_height();
    if sheet.only.is_none() {
        scene.back.push(Line::level(sheet.scale.share(0), end, lane.band_y() + height / 2, Role::Idle));
    }
    let mut granted: Option<Held> = None;
    let mut band = |Held { since, client, token }: Held, ends: Option<EventIndex>| {
        if !sheet.shows(since) && !ends.is_some_and(|ends| sheet.shows(ends)) {
            return;
        }
        let (from, until) = (sheet.at(since), ends.map_or(end, |ends| sheet.at(ends)));
        let tint = Tint::of(sheet.scenario, client);
        scene.rects.push(Rect { x1: from, x2: until, y: lane.band_y(), height, role: Role::Truth(tint) });
        // Of a member only the holder counts; its grants have no numbers of their own.
        let is_member = lane.kind == LaneKind::Member;
        let letter = letter(sheet.scenario, client);
        let (needs, words) = if is_member { (300, letter) } else { (900, format!("{letter} {token}")) };
        let (x, until) = sheet.scale.untorn(from, until);
        if until - x >= needs {
            let y = lane.band_y() + height / 2 + 4;
            scene.texts.push(Text::new(x, y, Role::OnTruth(tint), Anchor::Start, words).moved(6));
        }
    };
    for (now, event, change) in sheet.trace.changes().filter(|(_, event, _)| event.actor == lane.node) {
        match (change, event.client) {
            (Change::Passed { client, token }, _) => {
                if let Some(held) = granted.replace(Held { since: now, client, token }) {
                    band(held, Some(now));
                }
            }
            (Change::Granted { token, .. }, Some(client)) => {
                let client = sheet.scenario.process(client);
                granted = Some(Held { since: now, client, token });
            }
            (
                Change::Freed { .. }
                | Change::Expired { .. }
                | Change::Broken { .. }
                | Change::Forgotten { .. }
                | Change::LockRestored { .. }
                | Change::Crashed { keeps_memory: false },
                _,
            ) => {
                if let Some(held) = granted.take() {
                    band(held, Some(now));
                }
                if let Change::LockRestored { holder: Some((client, token)), .. } = change {
                    granted = Some(Held { since: now, client, token });
                }
            }
            _ => {}
        }
    }
    if let Some(held) = granted {
        band(held, None);
    }
}

/// Who holds a lock, since which event, with which token.
struct Held {
    since: EventIndex,
    client: NodeIndex,
    token: u16,
}

/// A version that storage holds for a while.
struct Block {
    from: Share,
    version: u16,
    write: Option<EventIndex>,
}

fn versions(sheet: &Sheet<'_>, lane: &Lane, first_version: u16, scene: &mut Scene) {
    let mut blocks = vec![Block { from: sheet.scale.share(0), version: first_version, write: None }];
    for (index, event, change) in sheet.trace.changes().filter(|(_, event, _)| event.actor == lane.node) {
        let (version, write) = match change {
            Change::Accepted { version, .. } | Change::Filled { version, .. } => (version, Some(index)),
            Change::StorageRestored { version, .. } | Change::CaughtUp { version } => (version, None),
            Change::Emptied => (0, None),
            Change::Crashed { keeps_memory: false } => (first_version, None),
            _ => continue,
        };
        blocks.push(Block { from: sheet.scale.share(event.at_us), version, write });
    }
    let end = sheet.scale.share(sheet.scale.end_us());
    for (place, block) in blocks.iter().enumerate() {
        let until = blocks.get(place + 1).map_or(end, |next| next.from).min(end);
        let is_shown = block.write.map_or(sheet.only.is_none(), |write| sheet.shows(write));
        if is_shown && block.from < end && block.version != 0 {
            draw_version(sheet, lane, block, until, scene);
        }
    }
}

fn draw_version(sheet: &Sheet<'_>, lane: &Lane, block: &Block, until: Share, scene: &mut Scene) {
    let y = lane.band_y();
    let x = block.from;
    let rect = |x2, role| Rect { x1: x, x2, y, height: 24, role };
    let write = block.write.and_then(|index| match sheet.trace.event(index).what {
        racescope_engine::sim::What::Change(Change::Accepted { token, version, based_on, .. }) => {
            Some((index, sheet.trace.event(index).client?, token, version, based_on))
        }
        racescope_engine::sim::What::Change(Change::Filled { version, newest }) => {
            Some((index, sheet.trace.event(index).client?, 0, version, newest))
        }
        _ => None,
    });
    let Some((index, client, token, version, based_on)) = write else {
        scene.rects.push(rect(until, Role::FirstVersion));
        let words = format!("v{}", block.version);
        let (x, _) = sheet.scale.untorn(x, until);
        scene.texts.push(Text::new(x, y + 16, Role::Label, Anchor::Start, words).moved(6));
        return;
    };
    let harms = sheet.harms(index);
    let tint = Tint::of(sheet.scenario, client);
    scene.rects.push(rect(until, if harms { Role::LostVersion } else { Role::Version(tint) }));
    if !harms {
        scene.rects.push(rect((x + 70).min(until), Role::Edge(tint)));
    }
    let (x, until) = sheet.scale.untorn(x, until);
    let width = until - x;
    let name = format!("v{version} {}", letter(sheet.scenario, client));
    let with = if token == 0 || width < 1_500 { String::new() } else { format!(" {token}") };
    let from = if harms && width >= 3_000 { format!(", from v{based_on}") } else { String::new() };
    let room = if width >= 1_100 { Room::Any } else { Room::Wide };
    let words = [(room, name.as_str()), (Room::Wide, with.as_str()), (Room::Wider, from.as_str())];
    if width >= 750 {
        let role = if harms { Role::OnHarm } else { Role::Strong };
        scene.texts.push(Text::by_room(x, y + 16, role, &words).moved(9));
    }
}

/// A mark for each effect, with its number. Of several at once the last one says it.
fn effects(sheet: &Sheet<'_>, lane: &Lane, scene: &mut Scene) {
    let mut last: Option<Share> = None;
    for (index, event, change) in sheet.trace.changes().filter(|(_, event, _)| event.actor == lane.node) {
        let (Change::Effected { count, .. }, Some(client)) = (change, event.client) else { continue };
        if !sheet.shows(index) {
            continue;
        }
        let (x, y) = (sheet.scale.share(event.at_us), lane.band_y());
        let tint = Tint::of(sheet.scenario, client);
        scene.rects.push(Rect { x1: x, x2: x + 70, y, height: 24, role: Role::Edge(tint) });
        let words = format!("{} {count}", letter(sheet.scenario, client));
        if last.is_some_and(|last| x - last < 900) {
            scene.texts.pop();
        }
        scene.texts.push(Text::new(x, y + 16, Role::Strong, Anchor::Start, words).moved(9));
        last = Some(x);
    }
}

fn fence(sheet: &Sheet<'_>, lane: &Lane, storage: &VersionedRegister, scene: &mut Scene) {
    if !sheet.shows_any(|event| event.actor == lane.node) {
        return;
    }
    let base = lane.top + 77;
    let first = sheet.scale.share(0);
    let keeps_version = storage.guard == racescope_engine::sim::Guard::VersionCompareAndSet;
    if !storage.guard.keeps_fence() && !keeps_version {
        let text = Text::new(first, base - 3, Role::Soft, Anchor::Start, "not kept");
        scene.texts.push(text.moved(6));
        return;
    }
    let first_kept = if keeps_version { storage.first_version } else { storage.first_fence };
    let mut kept = first_kept;
    let mut from = first;
    let mut step = 0;
    let number = |x: Share, y: i32, kept: u16, scene: &mut Scene| {
        let text = Text::new(x, y - 4, Role::Strong, Anchor::Start, kept.to_string());
        scene.texts.push(text.moved(6));
    };
    number(from, base, kept, scene);
    let mut numbered = from;
    let harms: Vec<Share> = sheet.harms_done().into_iter().map(|event| sheet.at(event)).collect();
    for (_, event, change) in sheet.trace.changes().filter(|(_, event, _)| event.actor == lane.node) {
        let next = match change {
            Change::Accepted { version, .. } if keeps_version => version,
            Change::Accepted { token, .. } => token.max(kept),
            Change::StorageRestored { version, .. } if keeps_version => version,
            Change::StorageRestored { fence, .. } => fence,
            Change::Crashed { keeps_memory: false } => first_kept,
            _ => continue,
        };
        if next == kept {
            continue;
        }
        let x = sheet.scale.share(event.at_us);
        let y = base - step * 5;
        scene.front.push(Line::level(from, x, y, Role::Fence));
        step = (step + 1).min(2);
        let y_next = base - step * 5;
        scene.front.push(Line::down(x, y, y_next, Role::Fence));
        // A number that would lie on another one or on the words about harm is left out;
        // the line still rises.
        let is_by_harm = harms.iter().any(|harm| (-500..2_600).contains(&(x - harm)));
        if x - numbered >= 500 && !is_by_harm {
            number(x, y_next, next, scene);
            numbered = x;
        }
        (from, kept) = (x, next);
    }
    let end = sheet.scale.share(sheet.scale.end_us());
    scene.front.push(Line::level(from, end.max(from), base - step * 5, Role::Fence));
}

/// The moment of harm, where storage accepted what it shouldn't have, for one.
fn harm(sheet: &Sheet<'_>, event: EventIndex, is_named: bool, scene: &mut Scene) {
    let lane = sheet.layout.lane(sheet.trace.event(event).actor);
    let (x, y) = (sheet.at(event), lane.harm_y());
    scene.marks.push(Mark { x, y, glyph: Glyph::Harm });
    if !is_named {
        return;
    }
    harm_label(sheet, event, scene);
    let is_lost = |found: &&Finding| found.event == event && found.property == Property::LostUpdate;
    let lost = sheet.verdict.findings.iter().find(is_lost).and_then(|_| replaced(sheet.scenario, sheet.trace, event));
    if let Some(lost) = lost {
        let short = lost.split_once('’').map_or(lost.as_str(), |(_, rest)| rest.trim_start_matches("s "));
        let short = short.replace(" is lost", " lost");
        let words = [(Room::Wide, lost.as_str()), (Room::Narrow, short.as_str())];
        scene.texts.push(Text::by_room(x, y + 4, Role::Harm, &words).moved(13).kept_inside(2_400));
    }
}
