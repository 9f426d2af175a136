//! A lesson's text as elements. It is a tree of known blocks, so there is no HTML to fear.

use racescope_lesson::{Block, Inline, Lesson, SectionName};
use yew::{Callback, Html, MouseEvent, html};

use super::browser;
use super::reducer::Dispatch;
use crate::app::Message;

/// A section of a lesson; nothing if it has none.
pub fn section(lesson: &Lesson, name: SectionName, dispatch: &Dispatch) -> Html {
    let blocks = lesson.sections.iter().filter(|section| section.name == name).flat_map(|section| &section.blocks);
    html! { <>{ for blocks.map(|shown| block(shown, dispatch)) }</> }
}

fn block(block: &Block, dispatch: &Dispatch) -> Html {
    match block {
        Block::Paragraph(words) => html! { <p>{ for words.iter().map(|word| inline(word, dispatch)) }</p> },
        Block::List { ordered, items } => {
            let items =
                items.iter().map(|item| html! { <li>{ for item.iter().map(|word| inline(word, dispatch)) }</li> });
            if *ordered {
                html! { <ol class="list">{ for items }</ol> }
            } else {
                html! { <ul class="list">{ for items }</ul> }
            }
        }
        Block::Code { text, .. } => html! { <pre class="program" tabindex="0"><code>{ text.clone() }</code></pre> },
    }
}

fn inline(inline: &Inline, dispatch: &Dispatch) -> Html {
    match inline {
        Inline::Text(text) => html! { { text.clone() } },
        Inline::Strong(text) => html! { <strong>{ text.clone() }</strong> },
        Inline::Emphasis(text) => html! { <em>{ text.clone() }</em> },
        Inline::Code(text) => html! { <code>{ text.clone() }</code> },
        Inline::Link { text, url } => html! { <a href={url.clone()}>{ text.clone() }</a> },
        Inline::Moment { text, at_us } => html! {
            <button class="at" type="button" onclick={go_to(dispatch, *at_us)}>{ text.clone() }</button>
        },
    }
}

/// Moves the playhead to a moment, where it can be seen.
pub fn go_to(dispatch: &Dispatch, at_us: u64) -> Callback<MouseEvent> {
    let dispatch = dispatch.clone();
    Callback::from(move |_| {
        dispatch.dispatch(Message::Seek(at_us));
        browser::show_stage();
    })
}
