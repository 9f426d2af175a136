//! The header of every page, with the settings; and the footer.

use yew::{Callback, Html, KeyboardEvent, Properties, component, hook, html, use_effect_with, use_mut_ref};

use super::browser;
use super::icon::icon;
use super::plot::send;
use super::reducer::Dispatch;
use crate::app::{Message, SETTINGS, Setting, Settings};
use crate::tell::PARTS;

/// What the header shows.
#[derive(Clone, PartialEq, Properties)]
pub struct TopProps {
    /// The title of the lesson; none on the front page.
    #[prop_or_default]
    pub lesson: Option<String>,
    /// What is set.
    pub settings: Settings,
    /// Where messages go.
    pub dispatch: Dispatch,
}

/// The header of every page.
#[component]
pub fn Top(props: &TopProps) -> Html {
    let root = browser::root_path();
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
        <header class="top">
            <a class="brand" href={root} aria-current={props.lesson.is_none().then_some("page")}>{ "Racescope" }</a>
            if let Some(lesson) = &props.lesson {
                <p class="where"><span class="sep" aria-hidden="true">{ "/" }</span><span class="name">{ lesson.clone() }</span></p>
            }
            <nav class="site" aria-label="Parts of Racescope">
                { for PARTS.map(|(folder, name)| html! { <a href={format!("{root}{folder}/")}>{ name }</a> }) }
            </nav>
            <div class="tools">
                <details class="menu" {onkeydown}>
                    <summary class="btn quiet">{ icon("display") }<span class="lbl">{ "Settings" }</span></summary>
                    <div class="pop">{ for Setting::ALL.into_iter().map(|setting| group(setting, props)) }</div>
                </details>
            </div>
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

/// One setting with its options.
fn group(setting: Setting, props: &TopProps) -> Html {
    let name = format!("set-{}", setting.name());
    html! {
        <fieldset><legend>{ setting.title() }</legend><div class="seg">
            { for setting.options().iter().enumerate().map(|(place, &(value, shown))| html! {
                <label><input type="radio" name={name.clone()} {value} checked={props.settings.place(setting) == place}
                    onchange={send(&props.dispatch, Message::Choose(setting, place))} /><span>{ shown }</span></label>
            }) }
        </div></fieldset>
    }
}

/// What was set on another page, or another day.
pub fn kept_settings() -> Settings {
    Settings::from_text(&browser::kept(SETTINGS).unwrap_or_default())
}

/// Keeps what is set, and has the style sheet follow.
#[hook]
pub fn use_settings(settings: Settings) {
    let before = use_mut_ref(|| settings);
    use_effect_with(settings, move |&settings| {
        let before = before.replace(settings);
        if before == settings {
            return;
        }
        for setting in [Setting::Theme, Setting::Motion] {
            if before.place(setting) != settings.place(setting) {
                browser::set_choice(setting.name(), settings.kept_as(setting));
                browser::forget_query();
            }
        }
        browser::keep(SETTINGS, settings.to_text().as_deref());
    });
}
