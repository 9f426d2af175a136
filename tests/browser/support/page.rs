//! A page in a browser: opened, asked by scripts, and judged by what it complained of.

use std::time::{Duration, Instant};

use axum::http::Method;
use fantoccini::error::CmdError;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use url::{ParseError, Url};

use super::driver::Driver;
use super::settings::Settings;
use super::site::Site;

/// The size of the window unless a test asks for another.
const WIDE: (u32, u32) = (1440, 1000);

/// How long a page may take until it shows what a test waits for.
const PATIENCE: Duration = Duration::from_secs(15);

/// Runs in each document before its own scripts. It has a broken policy said in
/// the console, and notes when the stage is there.
const WATCH: &str = "
    addEventListener('securitypolicyviolation', event =>
        console.error('policy broken:', event.violatedDirective, event.blockedURI));
    const observer = new MutationObserver(() => {
        if (document.querySelector('.stage .verdict')) {
            window.stageStoodAt = performance.now();
            observer.disconnect();
        }
    });
    observer.observe(document, { childList: true, subtree: true });
";

/// A page in a browser of its own.
pub struct Page {
    /// The browser.
    pub client: Client,
    /// The site that it looks at.
    pub site: Site,
    driver: Driver,
}

impl Page {
    /// Starts a browser, which shows nothing yet. It traces what it does if categories of
    /// its trace are given.
    ///
    /// # Panics
    /// If it doesn't start.
    pub async fn start(settings: &Settings, categories: Option<&str>) -> Self {
        let site = Site::serve(&settings.dist).await;
        let driver = Driver::start(&settings.chromedriver);
        let Value::Object(wishes) = wishes(settings, categories) else { unreachable!("the wishes are an object") };
        let mut builder = ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new());
        let client = builder.capabilities(wishes).connect(&driver.address()).await;
        let client = client.unwrap_or_else(|error| panic!("{} doesn't start: {error}", settings.chromium.display()));
        let page = Self { client, site, driver };
        page.before_each_document(WATCH).await;
        page.resize(WIDE.0, WIDE.1).await;
        page
    }

    /// Opens a page of the site, which may have no stage.
    ///
    /// # Panics
    /// If it can't be opened.
    pub async fn visit(&self, page: &str) {
        self.client.goto(&self.site.address_of(page)).await.expect("the page can be opened");
    }

    /// Opens a page of the site and waits for its stage.
    pub async fn open(&self, page: &str) {
        self.visit(page).await;
        self.wait_for("document.querySelector('.stage .verdict')").await;
    }

    /// Runs a script in the page and takes what it returns.
    ///
    /// # Panics
    /// If the script throws, or returns something else than is expected.
    pub async fn run<T: DeserializeOwned>(&self, script: &str) -> T {
        let value = self.client.execute(script, Vec::new()).await;
        let value = value.unwrap_or_else(|error| panic!("{error}\nin the script: {script}"));
        serde_json::from_value(value).unwrap_or_else(|error| panic!("{error}\nreturned by the script: {script}"))
    }

    /// The value of an expression in the page.
    pub async fn value<T: DeserializeOwned>(&self, expression: &str) -> T {
        self.run(&format!("return {expression}")).await
    }

    /// Waits until an expression is true in the page.
    ///
    /// # Panics
    /// If it isn't, for long.
    pub async fn wait_for(&self, expression: &str) {
        let start = Instant::now();
        while !self.value::<bool>(&format!("Boolean({expression})")).await {
            assert!(start.elapsed() < PATIENCE, "waited in vain for: {expression}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Lets the page draw twice: the driver doesn't wait until it has taken an input.
    pub async fn settle(&self) {
        self.run::<()>(
            "return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))",
        )
        .await;
    }

    /// Runs a script in each document to come, before its own scripts.
    pub async fn before_each_document(&self, script: &str) {
        self.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script })).await;
    }

    /// Gives the window another size, in pixels of a style sheet.
    pub async fn resize(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", size).await;
    }

    /// Makes the window one that can be touched. The page may lay itself out for it.
    pub async fn have_touch_screen(&self) {
        let touch = json!({ "enabled": true, "maxTouchPoints": 1 });
        self.devtools("Emulation.setTouchEmulationEnabled", touch).await;
    }

    /// Gives a command to the browser's own tools.
    ///
    /// # Panics
    /// If they refuse it.
    pub async fn devtools(&self, command: &str, parameters: Value) {
        let body = json!({ "cmd": command, "params": parameters });
        let done = self.client.issue_cmd(DriverCommand { path: "goog/cdp/execute", body }).await;
        done.unwrap_or_else(|error| panic!("{command}: {error}"));
    }

    /// What the browser has traced from its start until now, in its own form. It traces no
    /// further.
    ///
    /// # Panics
    /// If it doesn't trace.
    pub async fn trace(&self) -> Vec<Value> {
        let log = self.log("performance").await.unwrap_or_else(|error| panic!("there is no trace: {error}"));
        let messages = log.as_array().into_iter().flatten().filter_map(|entry| entry["message"].as_str());
        let parsed = messages.filter_map(|text| serde_json::from_str::<Value>(text).ok());
        let traced = parsed.filter(|entry| entry["message"]["method"] == "Tracing.dataCollected");
        traced.map(|mut entry| entry["message"]["params"].take()).collect()
    }

    async fn log(&self, kind: &str) -> Result<Value, CmdError> {
        let command = DriverCommand { path: "se/log", body: json!({ "type": kind }) };
        self.client.issue_cmd(command).await
    }

    /// Ends the browser and returns what it complained of.
    pub async fn close(self) -> Vec<String> {
        let log = self.log("browser").await.unwrap_or_else(|error| json!([told_of(&error)]));
        let severe = log.as_array().into_iter().flatten().filter(|entry| entry["level"] == "SEVERE");
        let mut complaints: Vec<String> = severe.map(|entry| entry["message"].to_string()).collect();
        complaints.extend(self.site.missing());
        // A browser that is already gone can't be closed, and the driver ends it anyway.
        drop(self.client.close().await);
        drop(self.driver);
        complaints
    }
}

/// A browser that can't be asked what it complained of is a complaint too.
fn told_of(error: &CmdError) -> Value {
    json!({ "level": "SEVERE", "message": format!("there is no log: {error}") })
}

/// What the browser is asked to be.
fn wishes(settings: &Settings, categories: Option<&str>) -> Value {
    let arguments = [
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
    let mut wishes = json!({
        "browserName": "chrome",
        "goog:chromeOptions": { "binary": settings.chromium, "args": arguments },
        "goog:loggingPrefs": { "browser": "ALL" },
    });
    if let Some(categories) = categories {
        wishes["goog:loggingPrefs"]["performance"] = json!("ALL");
        wishes["goog:chromeOptions"]["perfLoggingPrefs"] =
            json!({ "enableNetwork": false, "enablePage": false, "traceCategories": categories });
    }
    wishes
}

/// A command that only chromedriver knows.
#[derive(Debug)]
struct DriverCommand {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for DriverCommand {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}
