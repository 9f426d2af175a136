//! What is particular about `WebKitGTK`: what it reads of its system when it starts.

use std::fs;
use std::io::Result;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::browser::Start;

/// Its toolbar would forbid a window as narrow as a phone.
const NARROW_TOOLBAR: &str =
    "* { min-width: 0; padding: 0; margin: 0; font-size: 1px; -gtk-icon-transform: scale(0.1); }";

/// What `WebKitWebDriver` is asked to start.
pub fn wishes(program: &Path) -> Value {
    json!({ "webkitgtk:browserOptions": { "binary": program, "args": ["--automation"] } })
}

/// Gives the driver a system of its own, which its browser will look at.
pub fn prepare(command: &mut Command, folder: &Path, start: &Start) -> Result<()> {
    let settings = folder.join("gtk-3.0");
    fs::create_dir(&settings)?;
    fs::write(settings.join("gtk.css"), NARROW_TOOLBAR)?;
    let animations = i32::from(!start.less_motion);
    fs::write(settings.join("settings.ini"), format!("[Settings]\ngtk-enable-animations={animations}\n"))?;
    for variable in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"] {
        command.env(variable, folder);
    }
    // A page's wasm has ended here by an “Out of bounds memory access” that no other engine
    // shows. What compiles wasm in WebKit on Linux is likely to blame, since others hear of
    // it too: https://github.com/tauri-apps/tauri/issues/7154 and
    // https://github.com/oven-sh/bun/issues/17146. So here wasm is interpreted.
    command.env("JSC_useBBQJIT", "0").env("JSC_useOMGJIT", "0");
    // There is nobody on the bus of a machine that only tests.
    command.env("NO_AT_BRIDGE", "1");
    Ok(())
}
