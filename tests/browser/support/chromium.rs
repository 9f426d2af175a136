//! What is particular about Chromium: its own tools, its log and its trace.

use std::path::Path;

use fantoccini::error::CmdError;
use serde_json::{Value, json};

use super::browser::Start;
use super::page::Page;

/// What chromedriver is asked to start.
pub fn wishes(program: &Path, start: &Start) -> Value {
    let mut arguments = vec![
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--disable-quic",
    ];
    if start.less_motion {
        arguments.push("--force-prefers-reduced-motion");
    }
    let mut wishes = json!({
        "browserName": "chrome",
        "goog:chromeOptions": { "binary": program, "args": arguments },
        "goog:loggingPrefs": { "browser": "ALL" },
    });
    if let Some(categories) = start.traces {
        wishes["goog:loggingPrefs"]["performance"] = json!("ALL");
        wishes["goog:chromeOptions"]["perfLoggingPrefs"] =
            json!({ "enableNetwork": false, "enablePage": false, "traceCategories": categories });
    }
    wishes
}

/// Gives the window another size, in pixels of a style sheet.
pub async fn resize(page: &Page, width: u32, height: u32) {
    let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
    devtools(page, "Emulation.setDeviceMetricsOverride", size).await;
}

/// Makes the window one that can be touched.
pub async fn have_touch_screen(page: &Page) {
    let touch = json!({ "enabled": true, "maxTouchPoints": 1 });
    devtools(page, "Emulation.setTouchEmulationEnabled", touch).await;
}

/// Has the system ask for what style sheets know by these names and values.
pub async fn prefer(page: &Page, features: &[(&str, &str)]) {
    let features = features.iter().map(|(name, value)| json!({ "name": name, "value": value }));
    let features: Vec<_> = features.collect();
    devtools(page, "Emulation.setEmulatedMedia", json!({ "features": features })).await;
}

/// One event of a finger. The driver's own touch actions lose moves that come in a
/// request of their own, so this speaks to the browser.
pub async fn touch(page: &Page, kind: &str, at: Option<(f64, f64)>) {
    let points: Vec<Value> = at.map(|(x, y)| json!({ "x": x, "y": y })).into_iter().collect();
    devtools(page, "Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points })).await;
}

/// Gives a command to the browser's own tools.
///
/// # Panics
/// If they refuse it.
pub async fn devtools(page: &Page, command: &str, parameters: Value) {
    let body = json!({ "cmd": command, "params": parameters });
    let done = page.order("goog/cdp/execute", body).await;
    done.unwrap_or_else(|error| panic!("{command}: {error}"));
}

/// What the browser has traced from its start until now, in its own form. It traces no
/// further.
///
/// # Panics
/// If it doesn't trace.
pub async fn trace(page: &Page) -> Vec<Value> {
    let log = log(page, "performance").await.unwrap_or_else(|error| panic!("there is no trace: {error}"));
    let messages = log.as_array().into_iter().flatten().filter_map(|entry| entry["message"].as_str());
    let parsed = messages.filter_map(|text| serde_json::from_str::<Value>(text).ok());
    let traced = parsed.filter(|entry| entry["message"]["method"] == "Tracing.dataCollected");
    traced.map(|mut entry| entry["message"]["params"].take()).collect()
}

/// What it has complained of in its log.
pub async fn complaints(page: &Page) -> Result<Vec<String>, CmdError> {
    let log = log(page, "browser").await?;
    let severe = log.as_array().into_iter().flatten().filter(|entry| entry["level"] == "SEVERE");
    Ok(severe.map(|entry| entry["message"].to_string()).collect())
}

async fn log(page: &Page, kind: &str) -> Result<Value, CmdError> {
    page.order("se/log", json!({ "type": kind })).await
}
