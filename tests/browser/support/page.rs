//! A page in a browser: opened, asked by scripts, and judged by what it complained of.

use std::time::{Duration, Instant};

use axum::http::Method;
use fantoccini::error::CmdError;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use url::{ParseError, Url};

use super::browser::{Browser, Start};
use super::driver::Driver;
use super::settings::Settings;
use super::site::Site;
use super::{chromium, firefox};

/// The size of the window unless a test asks for another.
const WIDE: (u32, u32) = (1440, 1000);

/// How long a page may take until it shows what a test waits for.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a script may run: on a busy machine axe-core takes its time.
const LONGEST_SCRIPT_MS: u32 = 240_000;

/// Runs in each document before its own scripts, and tells the site what goes wrong there.
/// It also notes when the stage is there.
const WATCH: &str = "
    const tell = (kind, text) => {
        const request = new XMLHttpRequest();
        request.open('POST', '/complaints', false);
        request.send(`${kind}: ${text} (on ${location.href})`);
    };
    addEventListener('error', event =>
        tell('error', event.message ?? `${event.target.src ?? event.target.href} is not to be had`), true);
    addEventListener('unhandledrejection', event => tell('rejected', event.reason));
    addEventListener('securitypolicyviolation', event =>
        tell('policy broken', `${event.violatedDirective} ${event.blockedURI}`));
    const error = console.error;
    console.error = (...words) => { error(...words); tell('console', words.join(' ')); };
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
    /// Which browser it is.
    pub browser: Browser,
    /// The browser.
    pub client: Client,
    /// The site that it looks at.
    pub site: Site,
    driver: Driver,
}

impl Page {
    /// Starts a browser, which shows nothing yet.
    ///
    /// # Panics
    /// If it doesn't start.
    pub async fn start(browser: Browser, start: &Start<'_>) -> Self {
        let site = Site::serve(&Settings::from_environment().dist).await;
        let programs = browser.programs();
        let driver = Driver::start(browser, &programs, start);
        let mut wishes = browser.wishes(&programs.browser, start);
        wishes["timeouts"] = json!({ "script": LONGEST_SCRIPT_MS });
        let Value::Object(wishes) = wishes else { unreachable!("the wishes are an object") };
        let mut builder = ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new());
        let client = builder.capabilities(wishes).connect(&driver.address()).await;
        let client = client.unwrap_or_else(|error| panic!("{} doesn't start: {error}", programs.browser.display()));
        let page = Self { browser, client, site, driver };
        page.before_each_document(WATCH);
        if browser == Browser::Firefox {
            firefox::may_be_narrow(&page).await;
        }
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

    /// Runs a script that does something to the page, and lets the page draw what follows:
    /// not every browser has done so by the time that a script has ended.
    pub async fn act(&self, script: &str) {
        self.run::<()>(script).await;
        self.settle().await;
    }

    /// The value of an expression in the page.
    pub async fn value<T: DeserializeOwned>(&self, expression: &str) -> T {
        self.run(&format!("return {expression}")).await
    }

    /// Waits until an expression is true in the page, or in the one that is about to come:
    /// between two pages, drivers say nothing or an error of their own.
    ///
    /// # Panics
    /// If it isn't, for long.
    pub async fn wait_for(&self, expression: &str) {
        let start = Instant::now();
        loop {
            let told = self.client.execute(&format!("return Boolean({expression})"), Vec::new()).await;
            if matches!(told, Ok(Value::Bool(true))) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "waited in vain for: {expression}\nat last it was {told:?}");
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
    pub fn before_each_document(&self, script: &str) {
        self.site.run_first(script);
    }

    /// Gives the window another size, in pixels of a style sheet.
    ///
    /// # Panics
    /// If it can't have that size.
    pub async fn resize(&self, width: u32, height: u32) {
        if self.browser == Browser::Chromium {
            return chromium::resize(self, width, height).await;
        }
        // The size of a window is that with its bars.
        let (across, down): (u32, u32) = self.value("[outerWidth - innerWidth, outerHeight - innerHeight]").await;
        self.client.set_window_size(width + across, height + down).await.expect("the window has a size");
        self.wait_for(&format!("innerWidth === {width} && innerHeight === {height}")).await;
    }

    /// Makes the window one that can be touched, if the browser can have one. The page may
    /// lay itself out for it.
    pub async fn have_touch_screen(&self) {
        if self.browser == Browser::Chromium {
            chromium::have_touch_screen(self).await;
        }
    }

    /// Has the system ask for what style sheets know by these names and values, and for
    /// nothing else; whether that can be done to this browser while it runs.
    pub async fn prefer(&self, features: &[(&str, &str)]) -> bool {
        match self.browser {
            Browser::Chromium => chromium::prefer(self, features).await,
            Browser::Firefox => return firefox::prefer(self, features).await,
            Browser::WebKit => return features.is_empty() || features == [("prefers-color-scheme", "light")],
        }
        true
    }

    /// Gives a command that not every driver knows.
    pub async fn order(&self, path: &'static str, body: Value) -> Result<Value, CmdError> {
        self.client.issue_cmd(Order { path, body }).await
    }

    /// What the browser has traced from its start until now, in its own form. It traces no
    /// further.
    pub async fn trace(&self) -> Vec<Value> {
        chromium::trace(self).await
    }

    /// Ends the browser and returns what it complained of.
    pub async fn close(self) -> Vec<String> {
        let told = match self.browser {
            Browser::Chromium => chromium::complaints(&self).await,
            Browser::Firefox => firefox::complaints(&self).await,
            Browser::WebKit => Ok(Vec::new()),
        };
        // A browser that can't be asked what it complained of is a complaint too.
        let mut complaints = told.unwrap_or_else(|error| vec![format!("there is no log: {error}")]);
        complaints.extend(self.site.complaints());
        // A browser that is already gone can't be closed, and the driver ends it anyway.
        drop(self.client.close().await);
        drop(self.driver);
        complaints
    }
}

/// A command beyond the standard.
#[derive(Debug)]
struct Order {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Order {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}
