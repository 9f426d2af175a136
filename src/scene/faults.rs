//! Faults as what can be taken hold of, and clocks that are wrong as they tick.

use racescope_engine::sim::{Fault, Leg, NodeClock, What};

use super::Sheet;
use super::layout::{Lane, LaneKind};
use super::shapes::{Anchor, FaultBlock, Form, Line, Scene, Text};
use super::style::Role;
use super::wires::Wire;
use crate::tell::{FaultKind, rate_of, time};

pub(super) fn draw(sheet: &Sheet<'_>, scene: &mut Scene) {
    for lane in sheet.layout.lanes.iter().filter(|lane| lane.has_clock) {
        own_clock(sheet, lane, scene);
    }
    for (place, fault) in (0..).zip(&sheet.trace.faults) {
        if let Some(block) = block(sheet, place, fault, scene) {
            scene.faults.push(block);
        }
    }
}

fn block(sheet: &Sheet<'_>, place: u16, fault: &Fault, scene: &Scene) -> Option<FaultBlock> {
    let lane = sheet.layout.lanes.get(usize::from(fault.node()))?;
    let form = match fault {
        Fault::Pause(_) | Fault::ReplicaLag(_) => Form::Block,
        Fault::Crash(_) => Form::Down,
        Fault::ClockStep(_) => Form::Jump,
        Fault::ClockRate(rate) => Form::Slope(rise(rate.rate_ppm)),
        Fault::MessageDelay(_) | Fault::MessageDuplicate(_) => Form::Late,
        Fault::MessageLoss(_) | Fault::MessageReorder(_) => Form::Lost,
        Fault::Partition(cut) => Form::Band(sheet.layout.lanes.get(usize::from(cut.other))?.message_y()),
        Fault::SnapshotRestore(_) => Form::Back,
        Fault::ForcedUnlock(_) | Fault::StateLoss(_) | Fault::LeaderChange(_) => Form::Point,
    };
    let (from_us, to_us, y) = match fault {
        Fault::MessageDelay(delay) => late(sheet, place, fault, delay.by_us, scene)?,
        Fault::MessageDuplicate(copy) => {
            let (sent_us, arrives_us, y) = late(sheet, place, fault, 0, scene)?;
            let _ = sent_us;
            (arrives_us, arrives_us.saturating_add(copy.by_us), y)
        }
        Fault::MessageLoss(_) | Fault::MessageReorder(_) => {
            let wire = wire_of(fault, scene)?;
            (wire.arrives_us, wire.arrives_us, sheet.layout.lane(wire.client).message_y())
        }
        Fault::ClockStep(step) => (step.at_us, step.at_us.saturating_add_signed(step.by_us), lane.clock_y()),
        Fault::ClockRate(rate) => (rate.at_us, rate.at_us.saturating_add(rate.lasts_us), lane.clock_y()),
        Fault::SnapshotRestore(restore) => (restore.taken_us, restore.at_us, point_y(lane)),
        _ => {
            let at_us = fault.at_us()?;
            (at_us, at_us.saturating_add(fault.lasts_us().unwrap_or(0)), point_y(lane))
        }
    };
    // What lasts longer than the plot shows ends at its edge.
    let (x1, x2) = (sheet.scale.share(from_us), sheet.scale.share(to_us.min(sheet.scale.end_us())));
    Some(FaultBlock { place, x1, x2, y, form, words: words(fault), untorn: sheet.scale.untorn(x1, x2) })
}

/// Where a block lies on a lane: on the line of a client, and above a server's band.
fn point_y(lane: &Lane) -> i32 {
    if lane.kind == LaneKind::Client { lane.run_y() } else { lane.top + 14 }
}

/// What a block says: its number, and perhaps a word before it.
fn words(fault: &Fault) -> (String, String) {
    let name = FaultKind::of(fault).name().to_ascii_lowercase();
    let number = match fault {
        Fault::ClockStep(step) => {
            let sign = if step.by_us < 0 { "−" } else { "+" };
            return (String::new(), format!("{sign}{}", time(step.by_us.unsigned_abs())));
        }
        Fault::ClockRate(rate) => return (String::new(), rate_of(rate.rate_ppm)),
        Fault::MessageDelay(delay) => format!("+{}", time(delay.by_us)),
        Fault::MessageDuplicate(_) => "again".to_string(),
        Fault::MessageLoss(_) => "lost".to_string(),
        Fault::SnapshotRestore(_) => "restored".to_string(),
        Fault::ForcedUnlock(_) => "unlocked".to_string(),
        Fault::StateLoss(_) => "forgets".to_string(),
        Fault::MessageReorder(_) => "overtaken".to_string(),
        Fault::LeaderChange(_) => "new leader".to_string(),
        Fault::Partition(_) => "cut".to_string(),
        Fault::Pause(_) | Fault::Crash(_) | Fault::ReplicaLag(_) => time(fault.lasts_us().unwrap_or(0)),
    };
    (name, number)
}

/// How far the slope of a rate rises, in pixels: twice true time is as steep as it gets.
fn rise(rate_ppm: i32) -> i32 {
    (rate_ppm / 62_500).clamp(-16, 16)
}

/// The message that a fault befalls.
fn wire_of(fault: &Fault, scene: &Scene) -> Option<Wire> {
    let (call, leg) = fault.message()?;
    let is_it = |wire: &&Wire| (wire.client, wire.call, wire.leg) == (fault.node(), call, leg);
    scene.wires.iter().find(is_it).copied()
}

/// From when to when a message is late, in microseconds, and at which height it
/// arrives. The run says when it was sent, even if it never arrived.
fn late(sheet: &Sheet<'_>, place: u16, fault: &Fault, by_us: u64, scene: &Scene) -> Option<(u64, u64, i32)> {
    if let Some(wire) = wire_of(fault, scene) {
        let to = sheet.layout.lane(if wire.leg == Leg::Request { wire.server } else { wire.client });
        return Some((wire.arrives_us.saturating_sub(by_us).max(wire.sent_us), wire.arrives_us, to.message_y()));
    }
    let began = sheet.trace.events.iter().find(|event| event.what == What::FaultBegins(place))?;
    let y = sheet.layout.lane(fault.node()).message_y();
    Some((began.at_us, began.at_us.saturating_add(by_us), y))
}

/// The ruler of a node whose clock is wrong: a tick wherever its wall clock shows a
/// whole step, so that a fast clock ticks closer and a jump leaves ticks out.
fn own_clock(sheet: &Sheet<'_>, lane: &Lane, scene: &mut Scene) {
    let clock = NodeClock::new(lane.node, &sheet.trace.faults);
    let y = lane.clock_y();
    let end_us = sheet.scale.end_us();
    scene.front.push(Line::level(sheet.scale.share(0), sheet.scale.share(end_us), y, Role::Clock));
    let step_us = sheet.scale.step_us().cast_signed();
    let mut last = i64::MIN;
    let mut labelled = None;
    // True time is walked through in small steps: a clock may also go back.
    for part in 0..=PARTS {
        let at_us = end_us * part / PARTS;
        let shown = (clock.wall_us(at_us) + end_us.cast_signed() / PARTS.cast_signed() / 2).div_euclid(step_us);
        if shown == last {
            continue;
        }
        last = shown;
        let x = sheet.scale.share(at_us);
        scene.front.push(Line::down(x, y - 5, y, Role::Clock));
        let has_room = labelled.is_none_or(|before| x - before >= 700);
        if has_room && part > 0 {
            labelled = Some(x);
            let shown_us = shown * step_us;
            let sign = if shown_us < 0 { "−" } else { "" };
            let label = format!("{sign}{}", whole(shown_us.unsigned_abs()));
            let anchor = if part == PARTS { Anchor::End } else { Anchor::Middle };
            scene.texts.push(Text::new(x, y + 12, Role::ClockText, anchor, label));
        }
    }
}

/// How finely a clock's ticks are placed: a four-hundredth of the stage.
const PARTS: u64 = 400;

fn whole(us: u64) -> String {
    let tenths = us / 100_000;
    if tenths.is_multiple_of(10) { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
}
