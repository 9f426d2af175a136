//! `racescope pages`: a ready-made page for each lesson, beside the app.
//!
//! Each page carries the lesson's text and the events of its runs, so that it can
//! be read, searched and printed before the app has started, or without it.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use racescope::tell::{story, time, verdict};
use racescope_engine::check::judge;
use racescope_engine::sim::run_timed;
use racescope_lesson::{Block, Inline, Lesson, Library, SectionName, Variant, carried};

use super::gate;
use super::html::{between, escape, titled};
use super::matrix;
use super::report::{Report, Status};
use super::voucher;

/// Where the page of the app says that its text goes.
pub const PLACE: &str = "<!-- page -->";

/// How many lessons the build left out because of mistakes, as a number.
const BAD_LESSONS: &str = env!("RACESCOPE_BAD_LESSONS");

/// Writes a page for each lesson beside a built app.
#[derive(Args)]
pub struct Pages {
    /// The folder with the app's index.html. Trunk names it by a variable.
    #[arg(env = "TRUNK_STAGING_DIR")]
    folder: PathBuf,
}

impl Pages {
    /// Writes the pages.
    pub fn report(&self) -> Report {
        let mut report = Report::default();
        if let Err(error) = all_lessons_are_there(BAD_LESSONS) {
            report.fail(Status::BadInput, error);
            return report;
        }
        if racescope::matrix().columns.is_empty() {
            report.fail(Status::BadInput, matrix::NO_MATRIX.to_string());
            return report;
        }
        if let Err(error) = self.write(&racescope::library()) {
            report.fail(Status::BadInput, format!("{}: {error}", self.folder.display()));
        }
        report
    }

    fn write(&self, library: &Library) -> std::io::Result<()> {
        let index = self.folder.join("index.html");
        let page = fs::read_to_string(&index)?;
        for lesson in &library.lessons {
            let folder = self.folder.join("lessons").join(&lesson.id);
            fs::create_dir_all(&folder)?;
            fs::write(folder.join("index.html"), lesson_page(&page, lesson))?;
        }
        gate::write_page(&page, &self.folder.join("gate"))?;
        voucher::write_page(&page, &self.folder.join("voucher"))?;
        matrix::write_pages(&page, &self.folder.join("matrix"))?;
        fs::write(self.folder.join("404.html"), missing_page(&page, library))?;
        fs::write(&index, front_page(&page, library))
    }
}

/// No site goes out with a lesson missing that its author believes to be there.
fn all_lessons_are_there(bad: &str) -> Result<(), String> {
    match bad {
        "0" => Ok(()),
        bad => Err(format!(
            "lessons: this build left out {bad} because of mistakes. `racescope check` names them; mend them and build again."
        )),
    }
}

/// The sections of the text in their order, with the heads that they have.
const SECTIONS: [(SectionName, &str); 3] =
    [(SectionName::Hook, ""), (SectionName::WhatToLookAt, "What to look at"), (SectionName::Recap, "What to remember")];

fn lesson_page(page: &str, lesson: &Lesson) -> String {
    let page = titled(page, &lesson.title, &lesson.summary);
    let page = carrying(&page, &Library { lessons: vec![lesson.clone()] });
    page.replace("=\"./", "=\"../../").replace(PLACE, &text(lesson))
}

/// A page with the lessons that its app shows or lists, and the app that can show them.
fn carrying(page: &str, library: &Library) -> String {
    let page = if library.lessons.iter().any(Lesson::has_systems) { with_systems(page) } else { page.to_string() };
    carrying_as(&page, "library", &carried::to_text(library).expect("plain data has text"))
}

/// A page with something for its app under a name.
pub fn carrying_as(page: &str, name: &str, text: &str) -> String {
    page.replace("<div id=\"app\">", &format!("<div id=\"app\" data-{name}=\"{text}\">"))
}

/// The page of a lesson that has real systems starts the app that has them, too.
pub fn with_systems(page: &str) -> String {
    let page = page.replace("<html ", "<html data-app=\"app-systems\" ");
    page.replace("/app.js\"", "/app-systems.js\"").replace("/app_bg.wasm\"", "/app-systems_bg.wasm\"")
}

/// What hosts show where there is no page. Its paths are those of a lesson, since that
/// is what is asked for by a link that is wrong or old; the app then says the same.
fn missing_page(page: &str, library: &Library) -> String {
    let page = carrying(page, &around_the_first(library));
    let page = between(&page, "<title>", "</title>", "<title>No such page · Racescope</title>");
    let text = contents(library).replace("Between the check and the act", "There is no page here");
    page.replace(PLACE, &text).replace("=\"./", "=\"../../")
}

fn front_page(page: &str, library: &Library) -> String {
    carrying(page, &around_the_first(library)).replace(PLACE, &contents(library))
}

/// What a page needs that shows the first lesson, or as good as none, and lists them all.
fn around_the_first(library: &Library) -> Library {
    library.around(library.lessons.first().map_or("", |lesson| &lesson.id))
}

fn contents(library: &Library) -> String {
    let mut html = String::from("<main class=\"front\" id=\"main\"><h1>Between the check and the act</h1>");
    for (heading, lessons) in library.shelves() {
        let _ = write!(html, "<h2>{}</h2><ol class=\"lessons\">", escape(&heading));
        for lesson in lessons {
            let (id, title, summary) = (escape(&lesson.id), escape(&lesson.title), escape(&lesson.summary));
            let _ = write!(html, "<li><a href=\"./lessons/{id}/\">{title}</a><p>{summary}</p></li>");
        }
        html += "</ol>";
    }
    html += "<p><a href=\"./gate/\">The release gate</a>: signed grants under 100,000 random schedules.</p>";
    html += "<p><a href=\"./voucher/\">The voucher race</a>: how many of twenty clients get the one voucher, counted over all schedules.</p>";
    html + "<p><a href=\"./matrix/\">The safety matrix</a>: which mechanism withstands which trouble.</p></main>"
}

fn text(lesson: &Lesson) -> String {
    let mut html = String::from("<header class=\"top\"><a class=\"brand\" href=\"../../\">Racescope</a></header>");
    html += &format!("<main class=\"front\" id=\"main\"><h1>{}</h1>", escape(&lesson.title));
    for (name, head) in SECTIONS {
        if !head.is_empty() {
            html += &format!("<h2>{head}</h2>");
        }
        for block in lesson.sections.iter().filter(|section| section.name == name).flat_map(|section| &section.blocks) {
            html += &block_html(block);
        }
    }
    for variant in &lesson.variants {
        html += &run_html(lesson, variant);
    }
    if let Some(asked) = &lesson.prediction {
        let options =
            asked.options.iter().fold(String::new(), |list, option| list + "<li>" + &escape(option) + "</li>");
        html += &format!("<h2>A prediction</h2><p>{}</p><ul>{options}</ul>", escape(&asked.question));
    }
    for challenge in &lesson.challenges {
        html += &format!("<h2>{}</h2><p>{}</p>", escape(&challenge.title), escape(&challenge.task));
    }
    for asked in &lesson.questions {
        html += &format!("<h3>{}</h3><p>{}</p>", escape(&asked.question), escape(&asked.answer));
    }
    let sources = lesson.sources.iter().fold(String::new(), |list, source| {
        let (url, title, by) = (escape(&source.url), escape(&source.title), escape(&source.by));
        list + &format!("<li><a href=\"{url}\">{title}</a>, {by}</li>")
    });
    html + "<h2>Sources</h2><ul>" + &sources + "</ul></main>"
}

fn run_html(lesson: &Lesson, variant: &Variant) -> String {
    let trace = run_timed(&variant.scenario, &lesson.plain_faults());
    let found = judge(&variant.scenario, &trace);
    let told = verdict(&variant.scenario, &trace, &found);
    let mut html = format!(
        "<h2>{}</h2><p>{} {}</p><table><tbody>",
        escape(&variant.title),
        escape(&told.headline),
        escape(&told.reason)
    );
    for line in story(&variant.scenario, &trace, &found) {
        let harm = line.harm.map_or_else(String::new, |harm| format!(". <b>{}</b>", escape(&harm)));
        let _ = write!(
            html,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}{harm}</td></tr>",
            time(line.at_us),
            escape(&line.place),
            escape(&line.sentence)
        );
    }
    html + "</tbody></table>"
}

fn block_html(block: &Block) -> String {
    match block {
        Block::Paragraph(words) => format!("<p>{}</p>", inline_html(words)),
        Block::List { ordered, items } => {
            let tag = if *ordered { "ol" } else { "ul" };
            let items = items.iter().fold(String::new(), |items, item| items + "<li>" + &inline_html(item) + "</li>");
            format!("<{tag}>{items}</{tag}>")
        }
        Block::Code { text, .. } => format!("<pre tabindex=\"0\"><code>{}</code></pre>", escape(text)),
    }
}

fn inline_html(words: &[Inline]) -> String {
    let one = |word: &Inline| match word {
        Inline::Text(text) | Inline::Moment { text, .. } => escape(text),
        Inline::Strong(text) => format!("<strong>{}</strong>", escape(text)),
        Inline::Emphasis(text) => format!("<em>{}</em>", escape(text)),
        Inline::Code(text) => format!("<code>{}</code>", escape(text)),
        Inline::Link { text, url } => format!("<a href=\"{}\">{}</a>", escape(url), escape(text)),
    };
    words.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use racescope_lesson::author::PAGES;

    use super::*;

    #[test]
    fn a_page_has_its_own_title_and_paths_two_folders_up() {
        let page =
            "<title>x</title><meta name=\"description\" content=\"x\"><script src=\"./boot.js\"></script><!-- page -->";
        let lesson = racescope::library().lessons.remove(0);
        let html = lesson_page(page, &lesson);
        assert!(html.starts_with(&format!("<title>{} · Racescope</title><meta name=\"description\"", lesson.title)));
        assert!(html.contains("src=\"../../boot.js\""), "{html}");
        let parts =
            ["refuses A’s write with 33", "What to remember", &lesson.challenges[0].task, &lesson.sources[0].url];
        for part in parts {
            assert!(html.contains(&escape(part)), "the page says: {part}");
        }
    }

    #[test]
    fn a_page_that_is_missing_says_so_and_leads_to_the_lessons() {
        let page = "<title>x</title><script src=\"./boot.js\"></script><!-- page -->";
        let html = missing_page(page, &racescope::library());
        assert!(html.starts_with("<title>No such page · Racescope</title><script src=\"../../boot.js\">"), "{html}");
        assert!(html.contains("There is no page here") && html.contains("../../lessons/paused-holder/"), "{html}");
    }

    /// The lessons that a page carries for its app, and whether that app has real systems.
    fn carried_by(page: &str) -> (Library, bool) {
        let (_, rest) = page.split_once("data-library=\"").expect("the page carries lessons");
        let (text, _) = rest.split_once('"').expect("an attribute has an end");
        (carried::from_text(text).expect("it is a library"), page.contains("data-app=\"app-systems\""))
    }

    #[test]
    fn each_page_carries_what_its_app_shows_and_no_more() {
        let page = "<html lang=\"en\"><title>x</title><meta name=\"description\" content=\"x\">\
            <div id=\"app\"><!-- page --></div>";
        let library = racescope::library();
        for lesson in &library.lessons {
            let expected = (Library { lessons: vec![lesson.clone()] }, lesson.has_systems());
            assert_eq!(carried_by(&lesson_page(page, lesson)), expected, "{}", lesson.id);
        }
        for page in [front_page(page, &library), missing_page(page, &library)] {
            let (carried, has_systems) = carried_by(&page);
            assert_eq!(carried.lessons[0], library.lessons[0]);
            assert_eq!(has_systems, library.lessons[0].has_systems());
            assert!(carried.lessons[1..].iter().all(Lesson::is_heading), "the front page only lists the others");
            let names =
                |library: &Library| library.lessons.iter().map(|lesson| lesson.title.clone()).collect::<Vec<_>>();
            assert_eq!(names(&carried), names(&library));
        }
    }

    #[test]
    fn the_pages_to_which_lessons_may_link_are_written() {
        let html = contents(&racescope::library());
        for page in PAGES.into_iter().filter_map(|page| page.strip_prefix("../../")).filter(|page| !page.is_empty()) {
            assert!(html.contains(&format!("href=\"./{page}\"")), "{page}");
        }
    }

    #[test]
    fn a_build_that_left_out_a_lesson_makes_no_site() {
        assert_eq!(all_lessons_are_there("0"), Ok(()));
        let error = all_lessons_are_there("2").expect_err("two lessons are missing");
        assert!(error.starts_with("lessons: this build left out 2 because of mistakes."), "{error}");
        assert_eq!(all_lessons_are_there(BAD_LESSONS), Ok(()));
    }
}
