//! What is particular about Firefox: its preferences, and its console.

use std::path::Path;

use fantoccini::error::CmdError;
use serde_json::{Value, json};

use super::browser::Start;
use super::page::Page;

/// What geckodriver is asked to start.
pub fn wishes(program: &Path, start: &Start) -> Value {
    let preferences = json!({
        "ui.prefersReducedMotion": i32::from(start.less_motion),
        "layout.css.prefers-color-scheme.content-override": LIGHT,
        "dom.w3c_touch_events.enabled": 1,
        // Its own pair is too pale for anybody who forces colours. This one can be read, but
        // only as a pair.
        "ui.highlight": "#ffff00",
        "ui.highlighttext": "#000000",
    });
    json!({
        "browserName": "firefox",
        "moz:firefoxOptions": { "binary": program, "args": ["-headless"], "prefs": preferences },
    })
}

/// The values of the preference that says which theme pages see.
const DARK: i32 = 0;
const LIGHT: i32 = 1;
/// The values of the preference that says whose colours pages have.
const OWN_COLOURS: i32 = 0;
const FORCED_COLOURS: i32 = 2;

/// Has the system ask for what style sheets know by these names and values; whether it can.
pub async fn prefer(page: &Page, features: &[(&str, &str)]) -> bool {
    let asked = |name: &str, value: &str| features.contains(&(name, value));
    if asked("prefers-contrast", "more") {
        return false;
    }
    let theme = if asked("prefers-color-scheme", "dark") { DARK } else { LIGHT };
    let colours = if asked("forced-colors", "active") { FORCED_COLOURS } else { OWN_COLOURS };
    let script = format!(
        "Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', {theme});
         Services.prefs.setIntPref('browser.display.document_color_use', {colours});"
    );
    in_browser_itself(page, &script).await.expect("preferences can be set");
    true
}

/// Lets the window be as narrow as a phone: the browser's own bars would forbid it.
pub async fn may_be_narrow(page: &Page) {
    let script = "document.documentElement.style.setProperty('min-width', '0', 'important');";
    in_browser_itself(page, script).await.expect("its own window can be changed");
}

/// The errors in its console that come from the site, with broken policies among them.
pub async fn complaints(page: &Page) -> Result<Vec<String>, CmdError> {
    let script = format!(
        "return Services.console.getMessageArray()
             .filter(message => message instanceof Ci.nsIScriptError && !(message.flags & 1))
             .filter(message => (message.sourceName + message.errorMessage).includes({:?}))
             .map(message => message.sourceName + ': ' + message.errorMessage)",
        page.site.address_of("")
    );
    let told = in_browser_itself(page, &script).await?;
    Ok(serde_json::from_value(told).unwrap_or_default())
}

/// Runs a script in the browser's own window instead of the page.
async fn in_browser_itself(page: &Page, script: &str) -> Result<Value, CmdError> {
    page.order("moz/context", json!({ "context": "chrome" })).await?;
    let done = page.client.execute(script, Vec::new()).await;
    page.order("moz/context", json!({ "context": "content" })).await?;
    done
}
