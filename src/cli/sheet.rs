//! A ready-made page that is complete as it is: it starts no app.

use racescope::tell::PARTS;

use super::html::{between, escape, titled};
use super::pages::PLACE;

/// What the head has instead of the app.
const STYLES: &str = "\n<link rel=\"stylesheet\" href=\"./matrix.css\">\n\
    <link rel=\"stylesheet\" href=\"./figure.css\">\n</head>";

/// A page in a folder of the site.
pub struct Sheet<'a> {
    /// Its folder, one of those of the parts.
    pub folder: &'a str,
    /// Its title.
    pub title: &'a str,
    /// What it is about, in plain text.
    pub about: &'a str,
}

impl Sheet<'_> {
    /// The page, made of the page of the app, of which it keeps the head and the symbols.
    pub fn page(&self, app: &str, main: &str) -> String {
        let page = titled(app, self.title, self.about);
        let (head, body) = page.split_once("</head>").unwrap_or((&page, ""));
        let is_of_the_app = |line: &&str| {
            line.contains("boot.js") || line.contains("rel=\"modulepreload\"") || line.contains("rel=\"preload\"")
        };
        let kept: Vec<&str> = head.lines().filter(|line| !is_of_the_app(line)).collect();
        let head = kept.join("\n") + STYLES;
        let body = between(body, "<noscript>", "</noscript>", "");
        let text = format!("{}<main class=\"sheet\" id=\"main\">{main}</main>", self.top());
        (head + &body).replace("=\"./", "=\"../").replace(PLACE, &text)
    }

    fn top(&self) -> String {
        // The choice of theme is there once its script is.
        format!(
            "<header class=\"top\"><a class=\"brand\" href=\"../\">Racescope</a>\
             {}<label class=\"tools\" hidden>Theme <select id=\"theme\"><option value=\"system\">System</option>\
             <option value=\"light\">Light</option><option value=\"dark\">Dark</option>\
             <option value=\"contrast\">High contrast</option></select></label></header>\
             <script type=\"module\" src=\"../choose.js\"></script>",
            parts("../", self.folder)
        )
    }
}

/// The links to the pages beside the lessons, from a page that stands in one of them or in none; `root` leads
/// from there to the root of the site.
pub fn parts(root: &str, here: &str) -> String {
    let part = |(folder, name): (&str, &str)| {
        let here = if folder == here { " aria-current=\"page\"" } else { "" };
        format!("<a href=\"{root}{folder}/\"{here}>{}</a>", escape(name))
    };
    format!("<nav class=\"site\" aria-label=\"Parts of Racescope\">{}</nav>", PARTS.map(part).concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_starts_no_app_and_knows_where_it_is() {
        let app = "<title>x</title>\n<meta name=\"description\" content=\"x\">\n<link href=\"./a.css\">\n\
            <link rel=\"preload\" href=\"./app.wasm\">\n<script type=\"module\" src=\"./boot.js\"></script>\n</head>\
            <noscript>no</noscript><div><!-- page --></div>";
        let page = Sheet { folder: "gate", title: "A", about: "B" }.page(app, "text");
        assert!(page.starts_with("<title>A · Racescope</title>"), "{page}");
        assert!(page.contains("href=\"../a.css\"") && !page.contains("boot.js") && !page.contains("noscript"));
        assert!(!page.contains("preload"), "{page}");
        assert!(page.contains("<a href=\"../gate/\" aria-current=\"page\">Release gate</a>"), "{page}");
        assert!(page.contains("<a href=\"../matrix/\">Safety matrix</a>"), "{page}");
    }
}
