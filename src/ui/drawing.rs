//! A scene on the page: its elements, of which only those are touched that are others.
//!
//! A drag draws hundreds of shapes in each frame, and most stay as they were. They are
//! compared as shapes, which are a few numbers; no element is made up for one that stays.

use std::rc::Rc;

use web_sys::Element;
use yew::{AttrValue, Html, Properties, component, html, use_mut_ref};

use super::browser;
use super::reducer::Same;
use crate::scene::{self, Scene, Shape};

/// What is drawn.
#[derive(Clone, PartialEq, Properties)]
pub struct DrawingProps {
    /// The scene.
    pub scene: Same<Scene>,
    /// The classes of its group.
    pub class: AttrValue,
}

/// A scene as a group of its layers, which are groups of their shapes.
///
/// It is drawn while the page is rendered, not in an effect: on a slow machine the page is
/// shown before its effects have run, and what can be taken would move before the drawing.
#[component]
pub fn Drawing(props: &DrawingProps) -> Html {
    let drawn = use_mut_ref(|| None::<(Element, Same<Scene>)>);
    let mut drawn = drawn.borrow_mut();
    let (group, before) = match drawn.take() {
        Some((group, before)) => (group, before),
        None => match new_group(&props.class) {
            Some(group) => (group, Same(Rc::default())),
            None => return html! {},
        },
    };
    draw(&group, &before, &props.scene);
    *drawn = Some((group.clone(), props.scene.clone()));
    Html::VRef(group.into())
}

fn new_group(class: &str) -> Option<Element> {
    let group = browser::new_element("g")?;
    browser::set_attribute(&group, "class", class);
    browser::set_attribute(&group, "aria-hidden", "true");
    Some(group)
}

/// Turns what is drawn from one scene into another.
fn draw(group: &Element, before: &Scene, now: &Scene) {
    for (place, (before, now)) in before.layers().iter().zip(&now.layers()).enumerate() {
        let layer = browser::child(group, place).or_else(|| browser::add_element(group, "g", None));
        if let Some(layer) = layer.filter(|_| before != now) {
            draw_layer(&layer, before, now);
        }
    }
}

/// What lies between the first and the last shapes that both have is turned into what is
/// there now; what is too much goes, and what is missing comes.
fn draw_layer(layer: &Element, before: &[Shape<'_>], now: &[Shape<'_>]) {
    let head = before.iter().zip(now).take_while(|(before, now)| before == now).count();
    let (before, now) = (&before[head..], &now[head..]);
    let tail = before.iter().rev().zip(now.iter().rev()).take_while(|(before, now)| before == now).count();
    let (before, now) = (&before[..before.len() - tail], &now[..now.len() - tail]);
    for (place, shape) in now.iter().enumerate() {
        let there = browser::child(layer, head + place);
        match before.get(place) {
            Some(before) if before == shape => {}
            Some(before) => {
                if let Some(element) = there {
                    turn(&element, &before.element(), &shape.element());
                }
            }
            None => add(layer, &shape.element(), there.as_ref()),
        }
    }
    for _ in now.len()..before.len() {
        if let Some(element) = browser::child(layer, head + now.len()) {
            element.remove();
        }
    }
}

/// Turns an element into another one of its name.
fn turn(element: &Element, before: &scene::Element, now: &scene::Element) {
    for ((name, now), (_, before)) in now.attributes.iter().zip(&before.attributes) {
        if now != before {
            browser::set_attribute(element, name, now);
        }
    }
    if now.words != before.words {
        element.set_text_content(Some(&now.words));
    }
    let is_alike = |(now, before): (&scene::Element, &scene::Element)| now.name == before.name;
    if now.children.len() == before.children.len() && now.children.iter().zip(&before.children).all(is_alike) {
        for (place, (now, before)) in now.children.iter().zip(&before.children).enumerate() {
            if let Some(child) = browser::child(element, place).filter(|_| now != before) {
                turn(&child, before, now);
            }
        }
    } else {
        element.set_text_content(None);
        now.children.iter().for_each(|child| add(element, child, None));
    }
}

/// Adds an element to another one, before what is there.
fn add(parent: &Element, element: &scene::Element, before: Option<&Element>) {
    let Some(added) = browser::add_element(parent, element.name, before) else { return };
    for (name, value) in element.attributes.iter().filter(|(_, value)| !value.is_empty()) {
        browser::set_attribute(&added, name, value);
    }
    if !element.words.is_empty() {
        added.set_text_content(Some(&element.words));
    }
    element.children.iter().for_each(|child| add(&added, child, None));
}
