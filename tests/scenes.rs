//! Drawings as text: what stands where, before any browser has a say.

use expect_test::{Expect, expect};
use racescope::app::{Message, Pane, State};
use racescope::scene::{Glyph, LaneKind, Scene, Text, draw_chain};
use racescope::tell::FaultKind;
use racescope_engine::check::{Belief, beliefs};
use racescope_engine::sim::NodeIndex;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A place across as a share of the plot in per cent, rounded.
fn across(share: i32) -> String {
    format!("{}%", (share + 50) / 100)
}

fn words(text: &Text) -> String {
    text.words.iter().map(|(_, words)| words.as_str()).collect()
}

fn as_text(scene: &Scene) -> String {
    let mut lines = vec![format!("height {}", scene.height)];
    for line in scene.back.iter().chain(&scene.front).filter(|line| !line.role.class().contains("rule")) {
        let (class, x1, x2) = (line.role.class(), across(line.x1), across(line.x2));
        lines.push(format!("line {class}: {x1},{} to {x2},{}", line.y1, line.y2));
    }
    for rect in &scene.rects {
        lines.push(format!(
            "{}: {} to {}, {}+{}",
            rect.role.class(),
            across(rect.x1),
            across(rect.x2),
            rect.y,
            rect.height
        ));
    }
    for gap in &scene.gaps {
        lines.push(format!("folded: {} to {}, {}+{}", across(gap.x1), across(gap.x2), gap.y, gap.height));
    }
    for text in scene.texts.iter().filter(|text| !text.role.class().contains("ruler")) {
        lines.push(format!("text at {},{} {:?}: {}", across(text.x), text.y, text.anchor, words(text)));
    }
    for mark in &scene.marks {
        lines.push(format!("{:?} at {},{}", mark.glyph, across(mark.x), mark.y));
    }
    for tag in &scene.tags {
        lines.push(format!("tag {} at {},{}", tag.text, across(tag.x), tag.y));
    }
    for badge in &scene.badges {
        lines.push(format!("step {} at {},{}", badge.number, across(badge.x), badge.y));
    }
    for fault in &scene.faults {
        lines.push(format!("fault {} from {} to {} at {}", fault.place, across(fault.x1), across(fault.x2), fault.y));
    }
    lines.retain(|line| !line.contains("line tick"));
    lines.join("\n") + "\n"
}

fn page(id: &str) -> State {
    State::new(Rc::new(racescope::library().lesson(id).expect("the lesson is there").clone()))
}

fn check(pane: usize, expected: &Expect) {
    let page = page("paused-holder");
    expected.assert_eq(&as_text(&page.panes[pane].scene));
}

#[test]
fn the_lease_alone_ends_in_a_diamond() {
    check(
        0,
        &expect![[r#"
            height 370
            line msg req: 4%,102 to 7%,246
            line msg rep: 7%,246 to 10%,102
            line msg req: 12%,102 to 15%,308
            line msg rep: 15%,308 to 19%,102
            line msg req: 36%,196 to 39%,246
            line msg rep: 39%,246 to 42%,196
            line msg req: 44%,196 to 48%,308
            line msg rep: 48%,308 to 51%,196
            line msg write: 55%,196 to 59%,308
            line msg rep: 59%,308 to 62%,196
            line msg write harm: 67%,102 to 71%,308
            line msg rep: 71%,308 to 74%,102
            line msg req: 72%,196 to 75%,246
            line msg rep: 75%,246 to 78%,196
            line msg req: 84%,102 to 87%,246
            line msg rep: 87%,246 to 89%,102
            line guide: 34%,55 to 34%,268
            line idle: 2%,257 to 99%,257
            line idle: 2%,102 to 4%,102
            line run: 4%,102 to 89%,102
            line idle: 89%,102 to 99%,102
            line guide: 34%,55 to 34%,80
            line guide: 34%,246 to 34%,268
            line idle: 2%,196 to 36%,196
            line run: 36%,196 to 78%,196
            line idle: 78%,196 to 99%,196
            belief a: 10% to 34%, 60+20
            belief a false: 34% to 84%, 60+20
            hatch a: 34% to 84%, 60+20
            belief b: 42% to 72%, 154+20
            truth a: 7% to 34%, 246+22
            truth b: 39% to 75%, 246+22
            version: 2% to 59%, 308+24
            version b: 59% to 71%, 308+24
            edge b: 59% to 59%, 308+24
            version lost: 71% to 99%, 308+24
            folded: 26% to 31%, 31+340
            text at 10%,74 Start: I hold 33
            text at 34%,74 Start: I hold 33: false
            text at 34%,51 Start: belief and truth part: 3.40 s
            text at 42%,168 Start: I hold 34
            text at 7%,261 Start: A 33
            text at 39%,261 Start: B 34
            text at 31%,324 Start: v7
            text at 59%,324 Start: v8 B
            text at 71%,324 Start: v9 A 33
            text at 2%,354 Start: not kept
            text at 71%,299 Start: 33 accepted
            text at 71%,354 Start: B’s v8 is lostv8 lost
            Accepted at 59%,308
            Step at 21%,102
            Parting at 34%,47
            Step at 53%,196
            Harm at 71%,350
            tag A 33 at 69%,238
            fault 0 from 22% to 66% at 102
        "#]],
    );
}

#[test]
fn the_fence_ends_in_a_double_bar_and_the_comparison() {
    check(
        1,
        &expect![[r#"
            height 370
            line msg req: 4%,102 to 7%,246
            line msg rep: 7%,246 to 10%,102
            line msg req: 12%,102 to 15%,308
            line msg rep: 15%,308 to 19%,102
            line msg req: 36%,196 to 39%,246
            line msg rep: 39%,246 to 42%,196
            line msg req: 44%,196 to 48%,308
            line msg rep: 48%,308 to 51%,196
            line msg write: 55%,196 to 59%,308
            line msg rep: 59%,308 to 62%,196
            line msg write: 67%,102 to 71%,300
            line msg rep: 71%,308 to 74%,102
            line msg req: 72%,196 to 75%,246
            line msg rep: 75%,246 to 78%,196
            line msg req: 84%,102 to 87%,246
            line msg rep: 87%,246 to 89%,102
            line guide: 34%,55 to 34%,268
            line idle: 2%,257 to 99%,257
            line idle: 2%,102 to 4%,102
            line run: 4%,102 to 89%,102
            line idle: 89%,102 to 99%,102
            line guide: 34%,55 to 34%,80
            line guide: 34%,246 to 34%,268
            line idle: 2%,196 to 36%,196
            line run: 36%,196 to 78%,196
            line idle: 78%,196 to 99%,196
            line guard: 2%,357 to 59%,357
            line guard: 59%,357 to 59%,352
            line guard: 59%,352 to 99%,352
            belief a: 10% to 34%, 60+20
            belief a false: 34% to 74%, 60+20
            hatch a: 34% to 74%, 60+20
            belief b: 42% to 72%, 154+20
            truth a: 7% to 34%, 246+22
            truth b: 39% to 75%, 246+22
            version: 2% to 59%, 308+24
            version b: 59% to 99%, 308+24
            edge b: 59% to 59%, 308+24
            folded: 26% to 31%, 31+340
            text at 71%,299 Start: 33 < 34
            text at 10%,74 Start: I hold 33
            text at 34%,74 Start: I hold 33: false
            text at 34%,51 Start: belief and truth part: 3.40 s
            text at 42%,168 Start: I hold 34
            text at 7%,261 Start: A 33
            text at 39%,261 Start: B 34
            text at 31%,324 Start: v7
            text at 59%,324 Start: v8 B 34
            text at 2%,353 Start: 32
            text at 59%,348 Start: 34
            Accepted at 59%,308
            Refused at 71%,308
            Step at 21%,102
            Parting at 34%,47
            Step at 53%,196
            tag A 33 at 70%,238
            fault 0 from 22% to 66% at 102
        "#]],
    );
}

/// Who holds what and what is said about it in the lanes of servers, without messages.
fn check_servers(page: &State, pane: usize, expected: &Expect) {
    let Pane { scene, layout, .. } = &*page.panes[pane];
    let mut text = String::new();
    for lane in layout.lanes.iter().filter(|lane| lane.kind != LaneKind::Client) {
        let inside = |y: i32| (lane.top..lane.top + lane.height).contains(&y);
        text += &format!("{}, {} pixels\n", lane.title, lane.height);
        for rect in scene.rects.iter().filter(|rect| inside(rect.y) && !rect.role.class().starts_with("edge")) {
            text += &format!("  {}: {} to {}\n", rect.role.class(), across(rect.x1), across(rect.x2));
        }
        for said in scene.texts.iter().filter(|said| inside(said.y) && !said.role.class().contains("own")) {
            text += &format!("  at {}: {}\n", across(said.x), words(said));
        }
        for mark in scene.marks.iter().filter(|mark| inside(mark.y)) {
            text += &format!("  {:?} at {}\n", mark.glyph, across(mark.x));
        }
    }
    text += &format!("{} pixels in all\n", scene.height);
    expected.assert_eq(&text);
}

#[test]
fn five_nodes_of_redlock_fit_on_a_screen_and_show_who_has_which() {
    let page = page("redlock");
    let redis_3 = page.lesson.variants[0].scenario.nodes.iter().position(|node| node.title == "Redis 3");
    let node = NodeIndex::try_from(redis_3.expect("it is there")).expect("nodes are few");
    let page = page.update(Message::Add(FaultKind::ClockStep, node, 2_000_000));
    check_servers(
        &page,
        0,
        &expect![[r#"
            Redlock, 62 pixels
              truth a: 4% to 22%
              truth b: 34% to 46%
              at 4%: A 33
              at 34%: B 34
              Lost at 4%
            Redis 1, 34 pixels
              truth a: 3% to 64%
              at 3%: A
              Lost at 5%
            Redis 2, 34 pixels
              truth a: 3% to 64%
              at 3%: A
            Redis 3, 74 pixels
              truth a: 4% to 22%
              truth b: 33% to 46%
              at 4%: A
              at 33%: B
            Redis 4, 34 pixels
              truth b: 13% to 15%
              truth b: 34% to 46%
              at 34%: B
            Redis 5, 34 pixels
              truth b: 14% to 16%
              truth b: 34% to 47%
              at 34%: B
            PostgreSQL, 90 pixels
              version: 2% to 44%
              version b: 44% to 63%
              version lost: 63% to 99%
              at 44%: UPDATE 1
              at 2%: v1
              at 63%: v3 A 33, from v1
              at 63%: 33 accepted
              at 63%: B’s v2 is lostv2 lost
              Accepted at 44%
              Harm at 63%
            580 pixels in all
        "#]],
    );
}

#[test]
fn a_fill_that_is_refused_is_drawn_with_the_words_of_the_cache() {
    check_servers(
        &page("stale-cache-set"),
        1,
        &expect![[r#"
        PostgreSQL, 90 pixels
          version: 2% to 19%
          version b: 19% to 99%
          at 19%: UPDATE 1
          at 2%: v1
          at 19%: v2 B
          Accepted at 19%
        memcached, 90 pixels
          version c: 44% to 99%
          at 44%: HD
          at 63%: EX: refused
          at 44%: v2 C
          Accepted at 44%
          Refused at 63%
        492 pixels in all
    "#]],
    );
}

#[test]
fn a_chain_is_drawn_with_its_arrows_its_bands_and_a_number_for_each_step() {
    let lesson = racescope::library().lesson("paused-holder").expect("the lesson is there").clone();
    let page = State::new(Rc::new(lesson));
    let (pane, scenario) = (&page.panes[0], &page.lesson.variants[0].scenario);
    let chain: Vec<u32> = page.why(0).iter().map(|step| step.event).collect();
    let drawn = draw_chain(scenario, &pane.trace, &pane.verdict, page.scale, &pane.layout, &chain);
    expect![[r#"
        height 370
        line msg req: 36%,196 to 39%,246
        line msg write: 55%,196 to 59%,308
        line msg write harm: 67%,102 to 71%,308
        line guide: 34%,55 to 34%,268
        line guide: 34%,55 to 34%,80
        line guide: 34%,246 to 34%,268
        belief a: 10% to 34%, 60+20
        belief a false: 34% to 84%, 60+20
        hatch a: 34% to 84%, 60+20
        truth a: 7% to 34%, 246+22
        truth b: 39% to 75%, 246+22
        version b: 59% to 71%, 308+24
        edge b: 59% to 59%, 308+24
        version lost: 71% to 99%, 308+24
        folded: 26% to 31%, 31+340
        text at 10%,74 Start: I hold 33
        text at 34%,74 Start: I hold 33: false
        text at 34%,51 Start: belief and truth part: 3.40 s
        text at 7%,261 Start: A 33
        text at 39%,261 Start: B 34
        text at 59%,324 Start: v8 B
        text at 71%,324 Start: v9 A 33
        text at 2%,354 Start: not kept
        text at 71%,299 Start: 33 accepted
        text at 71%,354 Start: B’s v8 is lostv8 lost
        Accepted at 59%,308
        Parting at 34%,47
        Harm at 71%,350
        tag A 33 at 69%,238
        step 1 at 22%,42
        step 2 at 34%,230
        step 3 at 39%,245
        step 4 at 59%,292
        step 5 at 71%,292
    "#]]
    .assert_eq(&as_text(&drawn));
}

/// What is drawn of a kind in a pane: where and how often it has to be is known.
fn count(scene: &Scene, glyph: Glyph) -> usize {
    scene.marks.iter().filter(|mark| mark.glyph == glyph).count()
}

#[test]
fn each_parting_of_belief_and_truth_and_each_harm_is_marked_in_each_pane() {
    for lesson in racescope::library().lessons {
        let page = State::new(Rc::new(lesson));
        for (variant, pane) in page.lesson.variants.iter().zip(&page.panes) {
            let parts = |belief: &Belief| {
                let parts = belief.false_from.map(|event| event.max(belief.begins));
                parts.is_some_and(|parts| belief.ends.is_none_or(|ends| ends > parts))
            };
            let partings = beliefs(&variant.scenario, &pane.trace).into_iter().filter(parts).count();
            let harms: BTreeSet<u32> = pane.verdict.harm().iter().map(|found| found.event).collect();
            let drawn = (count(&pane.scene, Glyph::Parting), count(&pane.scene, Glyph::Harm));
            assert_eq!(drawn, (partings, harms.len()), "{}: {}", page.lesson.id, variant.id);
            let below = pane.scene.marks.iter().find(|mark| mark.y >= pane.scene.height);
            assert_eq!(below, None, "{}: {}", page.lesson.id, variant.id);
        }
    }
}

#[test]
fn all_panes_of_a_lesson_have_the_same_rows() {
    for lesson in racescope::library().lessons {
        let page = State::new(Rc::new(lesson));
        let heights: Vec<i32> = page.panes.iter().map(|pane| pane.scene.height).collect();
        assert!(heights.windows(2).all(|pair| pair[0] == pair[1]), "{}: {heights:?}", page.lesson.id);
    }
}
