//! Which addresses a lesson may link to.

use super::mistake::{Complaint, quote};

/// Another site's page: only https.
pub(super) fn check_https(url: &str) -> Result<(), Complaint> {
    let host = url.strip_prefix("https://").unwrap_or_default();
    if host.starts_with(|c: char| c.is_ascii_alphanumeric()) && is_plain(url) {
        return Ok(());
    }
    Err(Complaint::new(format!("{} is no https address", quote(url)), "Write one that begins with \"https://\"."))
}

/// Another site's page, or a path of our own without a scheme or a host.
pub(super) fn check(url: &str) -> Result<(), Complaint> {
    let ours = is_plain(url) && !url.contains([':', '\\']) && !url.starts_with("//") && !url.is_empty();
    if ours { Ok(()) } else { check_https(url) }.map_err(|complaint| {
        Complaint::new(complaint.wrong, "Link to an address that begins with \"https://\", or to a path of our own.")
    })
}

/// Without spaces, quotes, brackets and control characters.
fn is_plain(url: &str) -> bool {
    url.len() <= 500 && url.chars().all(|c| !c.is_whitespace() && !c.is_control() && !"<>\"'`".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_our_own_paths_are_links() {
        for good in ["https://redis.io/docs", "../early-check/", "#recap", "glossary.html#lease"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        let bad = ["http://a.b", "javascript:alert(1)", "//host/x", "https://", "https:///x", "\\\\host", "", "a b"];
        for bad in bad.into_iter().chain(["https://a.b/\"onclick", "data:text/html,x", "JavaScript:x", "x\ny"]) {
            assert!(check(bad).is_err(), "{bad}");
        }
        assert!(check_https("../early-check/").is_err());
    }
}
