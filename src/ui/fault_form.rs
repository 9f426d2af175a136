//! How the middle of a fault is drawn, by its form.

use yew::{Html, classes, html};

use crate::scene::{FaultBlock, Form, Share, percent};

/// Below this width a block has a lug above it, by which it can be moved: its ends
/// take all of its own room.
const NARROW: Share = 900;

/// Whether a form has a start that can be moved by itself.
pub fn has_start(form: Form) -> bool {
    matches!(form, Form::Block | Form::Down | Form::Slope(_) | Form::Band(_) | Form::Back)
}

/// Whether it has an end that can be moved by itself.
pub fn has_end(form: Form) -> bool {
    has_start(form) || matches!(form, Form::Jump | Form::Late)
}

/// The middle of a fault: what is pressed on to move the whole.
pub fn body(block: &FaultBlock, label: &str) -> Html {
    let y = block.y;
    match block.form {
        Form::Block => html! { <>{ bar(block, y - 14, 28, "body") }{ lug(block) }{ words_inside(block, label) }</> },
        Form::Down => html! {
            <>
                { bar(block, y - 14, 28, "body down") }
                <line class="cross" x1={percent(block.x1)} y1={(y - 14).to_string()} x2={percent(block.x2)} y2={(y + 14).to_string()} />
                <line class="cross" x1={percent(block.x1)} y1={(y + 14).to_string()} x2={percent(block.x2)} y2={(y - 14).to_string()} />
                { lug(block) }{ words_inside(block, label) }
            </>
        },
        Form::Band(to) => html! {
            <>
                { bar(block, y.min(to) - 17, (y - to).abs() + 34, "body band") }
                { words_inside(block, label) }
            </>
        },
        Form::Slope(rise) => {
            let from = if rise < 0 { y - 23 } else { y - 7 };
            html! {
                <>
                    { bar(block, y - 26, 26, "body slope") }
                    <line class="rate" x1={percent(block.x1)} y1={from.to_string()} x2={percent(block.x2)} y2={(from - rise).to_string()} />
                    { words_beside(block, block.x2, y - 12, 10) }
                </>
            }
        }
        Form::Jump => html! {
            <>
                { bar(&sorted(block), y - 19, 4, "body thin") }
                { point(block.x1, y - 17, y) }
                { words_beside(block, block.x1.max(block.x2), y - 13, 10) }
            </>
        },
        Form::Late => html! {
            <>
                <rect class="hit" x={percent(block.x1)} y={(y - 12).to_string()} width={width(block)} height="24" />
                { bar(block, y - 3, 6, "body thin") }
                { words_beside(block, block.x2, y - 10, 8) }
            </>
        },
        Form::Back => html! {
            <>
                <rect class="hit" x={percent(block.x1)} y={(y - 12).to_string()} width={width(block)} height="24" />
                { bar(block, y - 3, 6, "body thin") }
                { words_beside(block, block.x2, y + 4, 10) }
            </>
        },
        Form::Lost | Form::Point => html! {
            <>{ point(block.x1, y - 8, y + 8) }{ words_beside(block, block.x1, y + 4, 10) }</>
        },
    }
}

fn width(block: &FaultBlock) -> String {
    percent((block.x2 - block.x1).max(0))
}

fn sorted(block: &FaultBlock) -> FaultBlock {
    FaultBlock { x1: block.x1.min(block.x2), x2: block.x1.max(block.x2), ..block.clone() }
}

fn bar(block: &FaultBlock, y: i32, height: i32, class: &'static str) -> Html {
    html! { <rect {class} x={percent(block.x1)} y={y.to_string()} width={width(block)} height={height.to_string()} /> }
}

/// What stands at one moment: a post, with room around it for a finger.
fn point(x: Share, top: i32, bottom: i32) -> Html {
    let middle = i32::midpoint(top, bottom);
    html! {
        <svg x={percent(x)} overflow="visible">
            <rect class="hit" x="-14" y={(middle - 16).to_string()} width="28" height="32" />
            <rect class="body post" x="-4" y={top.to_string()} width="8" height={(bottom - top).to_string()} rx="1" />
        </svg>
    }
}

fn lug(block: &FaultBlock) -> Html {
    if block.x2 - block.x1 >= NARROW {
        return html! {};
    }
    html! {
        <svg class="lug" x={percent(i32::midpoint(block.x1, block.x2))} overflow="visible">
            <rect class="hit" x="-12" y={(block.y - 36).to_string()} width="24" height="24" />
            <rect class="handle" x="-8" y={(block.y - 26).to_string()} width="16" height="9" rx="1" />
        </svg>
    }
}

fn words_inside(block: &FaultBlock, label: &str) -> Html {
    let (from, to) = block.untorn;
    let wide = to - from;
    html! {
        <text class="t t-mid strong" x={percent(i32::midpoint(from, to))} y={(block.y + 4).to_string()}>
            if wide.max(0).unsigned_abs() as usize >= 180 * (label.len() + block.words.1.len()) {
                <tspan class="w">{ format!("{label}, ") }</tspan>
            }
            if wide >= 1_700 {
                { block.words.1.clone() }
            } else if wide >= 1_100 {
                <tspan class="w">{ block.words.1.clone() }</tspan>
            }
        </text>
    }
}

/// Words to the right of a place, or to its left where the plot ends.
fn words_beside(block: &FaultBlock, x: Share, y: i32, dx: i32) -> Html {
    let near_the_end = x > 8_200;
    let x = if near_the_end { x.min(10_000).min(block.x1.min(block.x2).max(1_500)) } else { x };
    let dx = if near_the_end { -dx } else { dx };
    html! {
        <text class={classes!("t", "strong", "halo", near_the_end.then_some("t-end"))} x={percent(x)} dx={dx.to_string()} y={y.to_string()}>
            { block.words.1.clone() }
        </text>
    }
}
