//! Bits of HTML that ready-made pages are put together from.

/// Text as it stands in HTML: it can't become markup.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Puts `new` in the place of what starts with `from` and ends with `to`.
pub fn between(page: &str, from: &str, to: &str, new: &str) -> String {
    let Some((before, rest)) = page.split_once(from) else { return page.to_string() };
    let Some((_, after)) = rest.split_once(to) else { return page.to_string() };
    format!("{before}{new}{after}")
}

/// The page with a title and a description of its own.
pub fn titled(page: &str, title: &str, about: &str) -> String {
    let page = between(page, "<title>", "</title>", &format!("<title>{} · Racescope</title>", escape(title)));
    let about = format!("<meta name=\"description\" content=\"{}\">", escape(about));
    between(&page, "<meta name=\"description\"", ">", &about)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("<b title=\"&\">"), "&lt;b title=&quot;&amp;&quot;&gt;");
    }

    #[test]
    fn a_title_takes_the_place_of_the_other_one() {
        let page = "<title>x</title><meta name=\"description\" content=\"x\">";
        let expected = "<title>A &amp; B · Racescope</title><meta name=\"description\" content=\"C\">";
        assert_eq!(titled(page, "A & B", "C"), expected);
    }
}
