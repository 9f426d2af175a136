//! The header of every page, with the choice of theme.

use yew::{Callback, Event, Html, KeyboardEvent, Properties, component, html, use_effect_with, use_state};

use super::browser;
use super::icon::icon;

/// What the header shows.
#[derive(Clone, PartialEq, Properties)]
pub struct TopProps {
    /// The title of the lesson; none on the front page.
    #[prop_or_default]
    pub lesson: Option<String>,
}

/// The header of every page.
#[component]
pub fn Top(props: &TopProps) -> Html {
    let root = browser::root_path();
    html! {
        <header class="top">
            <a class="brand" href={root} aria-current={props.lesson.is_none().then_some("page")}>{ "Racescope" }</a>
            if let Some(lesson) = &props.lesson {
                <p class="where"><span class="sep" aria-hidden="true">{ "/" }</span><span class="name">{ lesson.clone() }</span></p>
            }
            <nav class="site" aria-label="Parts of Racescope"><a href={format!("{root}matrix/")}>{ "Safety matrix" }</a></nav>
            <div class="tools"><Display /></div>
        </header>
    }
}

/// The footer of every page.
pub fn foot() -> Html {
    html! {
        <footer class="foot">
            <p>{ "A model in your browser: nothing is sent anywhere." }</p>
            <p>{ "The lease is modelled after a lock on one Redis node." }</p>
        </footer>
    }
}

/// The menu for the theme. The choice lasts.
#[component]
fn Display() -> Html {
    let theme = use_state(|| browser::choice("theme").unwrap_or_else(|| "system".to_string()));
    let onchange = {
        let theme = theme.clone();
        Callback::from(move |event: Event| {
            let value = browser::typed(&event);
            browser::set_choice("theme", &value);
            browser::forget_query();
            browser::keep("racescope.theme", Some(&value).filter(|&value| value != "system").map(String::as_str));
            theme.set(value);
        })
    };
    let option = |value: &'static str, name: &'static str| {
        html! {
            <label><input type="radio" name="theme" {value} checked={*theme == value} onchange={onchange.clone()} /><span>{ name }</span></label>
        }
    };
    let onkeydown = Callback::from(|event: KeyboardEvent| {
        if event.key() == "Escape" {
            browser::close_menus(None);
            browser::focus_first(".menu summary");
        }
    });
    use_effect_with((), |()| {
        let listener = browser::on_press(|event| browser::close_menus(Some(event)));
        move || drop(listener)
    });
    html! {
        <details class="menu" {onkeydown}>
            <summary class="btn quiet">{ icon("display") }<span class="lbl">{ "Display" }</span></summary>
            <div class="pop">
                <fieldset><legend>{ "Theme" }</legend><div class="seg">
                    { option("system", "System") }{ option("light", "Light") }{ option("dark", "Dark") }
                </div></fieldset>
            </div>
        </details>
    }
}
