//! Which addresses a lesson may link to.

use super::draft::Draft;
use super::field::{check_name, is_unseen};
use super::mistake::{Complaint, Mistake, list, quote};
use super::nearest::unknown;

/// The pages of the site that are no lesson, as the page of a lesson links to them.
pub const PAGES: [&str; 3] = ["../../", "../../gate/", "../../matrix/"];

/// Another site's page: only https.
pub(super) fn check_https(url: &str) -> Result<(), Complaint> {
    let host = url.strip_prefix("https://").unwrap_or_default();
    if host.starts_with(|c: char| c.is_ascii_alphanumeric()) && is_plain(url) {
        return Ok(());
    }
    Err(Complaint::new(format!("{} is no https address", quote(url)), "Write one that begins with \"https://\"."))
}

/// Another site's page, a lesson or another page of our own. Whether there is such a
/// lesson, [`dead_links`] says.
pub(super) fn check(url: &str) -> Result<(), Complaint> {
    if PAGES.contains(&url) || lesson_of(url).is_some() || check_https(url).is_ok() {
        return Ok(());
    }
    let wrong = format!("{} is no https address and no page of this site", quote(url));
    let cure = format!("Begin with \"https://\", or write \"../NAME/\" with the name of a lesson, {}.", list(&PAGES));
    Err(Complaint::new(wrong, cure))
}

/// The lesson to which an address leads, if it is one that may be.
pub(super) fn lesson_of(url: &str) -> Option<&str> {
    let name = url.strip_prefix("../")?.strip_suffix('/')?;
    check_name(name).is_ok().then_some(name)
}

/// The links in a lesson's text that lead to none of these lessons.
pub fn dead_links(draft: &Draft, lessons: &[&str]) -> Vec<Mistake> {
    let links = draft.places.lessons.iter().enumerate();
    let dead = links.filter(|(_, (name, _))| !lessons.contains(&name.as_str()));
    dead.map(|(place, (name, _))| draft.mistake_at_link(place, unknown("lesson", name, lessons))).collect()
}

/// Without spaces, quotes, brackets and characters that nobody sees.
fn is_plain(url: &str) -> bool {
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !is_unseen(c) && !"<>\"'`".contains(c);
    url.len() <= 500 && url.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_our_own_pages_are_links() {
        for good in ["https://redis.io/docs", "../early-check/", "../../", "../../matrix/"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        let bad = ["http://a.b", "javascript:alert(1)", "//host/x", "https://", "https:///x", "\\\\host", "", "a b"];
        let away = ["/lessons/nope", "../../../etc/passwd", "../..", "../early-check", "#recap", "glossary.html#lease"];
        let odd = ["https://a.b/\"onclick", "https://a.b/\u{202E}c", "data:text/html,x", "JavaScript:x", "x\ny"];
        for bad in bad.into_iter().chain(away).chain(odd) {
            assert!(check(bad).is_err(), "{bad}");
        }
        assert!(check_https("../early-check/").is_err());
    }
}
