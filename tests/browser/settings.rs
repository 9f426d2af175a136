//! What is set once for all pages: it lasts, it holds before the first paint, and it
//! breaks nothing where the browser keeps nothing or what others wrote.

use crate::stage::{LENGTH, TWO_PANES};
use crate::support::Page;

in_each_browser!(
    what_is_set_lasts_on_every_page_and_holds_before_the_first_paint,
    the_theme_is_chosen_on_pages_without_the_app_too_and_nothing_else_is_lost,
    settings_that_others_wrote_give_what_holds_anyway,
    settings_work_where_the_browser_keeps_nothing,
);

/// What is kept, as text.
const KEPT: &str = "localStorage.getItem('racescope.settings')";

/// Notes what is set on the root as soon as there is a body to paint.
const NOTE: &str = "
    new MutationObserver((_, observer) => {
        if (!document.body) return;
        window.setAtFirst = { ...document.documentElement.dataset };
        observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
";

/// Chooses an option of a setting.
pub async fn choose(page: &Page, setting: &str, option: &str) {
    page.act(&format!("document.querySelector('input[name=set-{setting}][value=\"{option}\"]').click()")).await;
}

/// What is chosen in the menu, setting by setting.
async fn chosen(page: &Page) -> Vec<String> {
    page.value("[...document.querySelectorAll('.menu input:checked')].map(input => input.value)").await
}

async fn what_is_set_lasts_on_every_page_and_holds_before_the_first_paint(page: &Page) {
    page.before_each_document(NOTE);
    page.open(TWO_PANES).await;
    assert_eq!(chosen(page).await, ["system", "system", "4", "auto", "auto"]);
    let choices = [("theme", "dark"), ("motion", "reduced"), ("speed", "16"), ("code", "calls"), ("units", "ms")];
    for (setting, option) in choices {
        choose(page, setting, option).await;
    }
    let text = "1;theme=dark;motion=reduced;speed=16;code=calls;units=ms";
    assert_eq!(page.value::<String>(KEPT).await, text);
    for path in ["", "lessons/redlock/", "matrix/redlock/", TWO_PANES] {
        page.visit(path).await;
        page.wait_for("document.querySelector('.menu')").await;
        assert_eq!(page.value::<String>("setAtFirst.theme + ' ' + setAtFirst.motion").await, "dark reduced");
        assert_eq!(chosen(page).await, choices.map(|(_, option)| option), "on “{path}”");
    }
    let shown: String = page.value("document.querySelector('.verdict b').textContent").await;
    assert_eq!(shown, "Broken at 6000 ms.");
    assert_eq!(page.value::<String>(&format!("document.querySelector({LENGTH:?}).value")).await, "4200");
    for (setting, option) in
        [("theme", "system"), ("motion", "system"), ("speed", "4"), ("code", "auto"), ("units", "auto")]
    {
        choose(page, setting, option).await;
    }
    assert!(page.value::<bool>(&format!("{KEPT} === null")).await, "nothing is kept of what holds anyway");
    assert!(!page.value::<bool>("'theme' in document.documentElement.dataset").await);
}

async fn the_theme_is_chosen_on_pages_without_the_app_too_and_nothing_else_is_lost(page: &Page) {
    page.open("").await;
    choose(page, "units", "ms").await;
    for path in ["matrix/", "gate/"] {
        page.visit(path).await;
        page.wait_for("!document.querySelector('#theme').parentElement.hidden").await;
        page.act(
            "const list = document.querySelector('#theme');
                 list.value = 'contrast';
                 list.dispatchEvent(new Event('change'))",
        )
        .await;
        assert_eq!(page.value::<String>("document.documentElement.dataset.theme").await, "contrast");
        assert_eq!(page.value::<String>(KEPT).await, "1;units=ms;theme=contrast");
    }
    page.open(TWO_PANES).await;
    assert_eq!(chosen(page).await, ["contrast", "system", "4", "auto", "ms"]);
}

async fn settings_that_others_wrote_give_what_holds_anyway(page: &Page) {
    page.open("").await;
    let hostile = ["garbage", "2;theme=dark", "1;theme=<b>;motion=full;x", "1;;;=;theme", &"1;theme=dark;".repeat(40)];
    for text in hostile {
        page.act(&format!("localStorage.setItem('racescope.settings', {text:?})")).await;
        page.open(TWO_PANES).await;
        assert!(!page.value::<bool>("'theme' in document.documentElement.dataset").await, "with {text}");
        assert_eq!(chosen(page).await[2..], ["4", "auto", "auto"], "with {text}");
    }
}

async fn settings_work_where_the_browser_keeps_nothing(page: &Page) {
    let script = "Object.defineProperty(window, 'localStorage', {
            get() { throw new DOMException('forbidden', 'SecurityError'); }
        })";
    page.before_each_document(script);
    page.open(TWO_PANES).await;
    choose(page, "theme", "contrast").await;
    assert_eq!(page.value::<String>("document.documentElement.dataset.theme").await, "contrast");
    choose(page, "units", "ms").await;
    page.wait_for("document.querySelector('.verdict b').textContent === 'Broken at 6000 ms.'").await;
}
