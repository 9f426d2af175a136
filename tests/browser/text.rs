//! What a host sends before any script has run.

use std::rc::Rc;

use racescope::app::State;
use racescope::tell::time;

use crate::stage::verdicts;
use crate::support::{Settings, Site};

/// The text of a page without its tags.
fn words(html: &str) -> String {
    let mut parts = html.split('<');
    let first = parts.next().unwrap_or_default().to_string();
    let text = parts.fold(first, |text, part| text + part.split_once('>').map_or("", |(_, rest)| rest));
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// Runs a test with the served site and no browser.
fn with_site(test: impl AsyncFnOnce(&Site)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
    runtime.block_on(async { test(&Site::serve(&Settings::from_environment().dist).await).await });
}

#[test]
fn each_lesson_can_be_read_without_scripts() {
    with_site(async |site| {
        for lesson in racescope::library().lessons {
            let (head, html) = site.fetch(&format!("lessons/{}/", lesson.id)).await;
            assert!(head.starts_with("HTTP/1.0 200"), "{head}");
            assert!(html.contains(&format!("<title>{} · Racescope</title>", lesson.title)));
            let text = words(&html);
            assert!(text.contains(&lesson.title));
            let state = State::new(Rc::new(lesson.clone()));
            for line in (0..state.panes.len()).flat_map(|place| state.story(place)) {
                let told = format!("{}{}{}", time(line.at_us), line.place, line.sentence);
                assert!(text.contains(&told), "{}: {told}", lesson.id);
            }
            for verdict in verdicts(&state) {
                assert!(text.contains(&verdict), "{}: {verdict}", lesson.id);
            }
            let hook = lesson.sections.iter().find(|section| section.name == racescope_lesson::SectionName::Hook);
            assert!(hook.is_some() && html.matches("<p>").count() > 2, "the story of {} is there", lesson.id);
        }
    });
}

#[test]
fn the_front_page_names_each_lesson_without_scripts() {
    with_site(async |site| {
        let (_, html) = site.fetch("").await;
        for lesson in racescope::library().lessons {
            assert!(words(&html).contains(&lesson.summary), "{}", lesson.id);
            assert!(html.contains(&format!("href=\"./lessons/{}/\"", lesson.id)));
        }
    });
}

#[test]
fn a_lesson_that_is_not_there_is_the_hosts_plain_404() {
    with_site(async |site| {
        let (head, _) = site.fetch("lessons/nothing/").await;
        assert!(head.starts_with("HTTP/1.0 404"), "{head}");
        assert_eq!(site.complaints().len(), 1, "and the tests would notice it");
    });
}

#[test]
fn each_file_has_the_type_that_browsers_ask_for() {
    with_site(async |site| {
        let types = [
            ("", "text/html"),
            ("app.js", "text/javascript"),
            ("boot.js", "text/javascript"),
            ("tokens.css", "text/css"),
            ("icon.svg", "image/svg+xml"),
        ];
        for (file, kind) in types {
            let (head, _) = site.fetch(file).await;
            assert!(head.to_lowercase().contains(&format!("content-type: {kind}")), "{file}: {head}");
        }
    });
}
