//! The driver of a browser, on a port of its own.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{sleep, spawn};
use std::time::Duration;

use tempfile::TempDir;

use super::browser::{Browser, Programs, Start};
use super::screen::Screen;
use super::webkit;

/// How long to wait before it is looked again whether a driver has come, or has gone.
const PAUSE: Duration = Duration::from_millis(20);

/// How often a driver is started before it is given up.
const TRIES: u32 = 3;

/// A running driver.
pub struct Driver {
    child: Child,
    port: u16,
    /// Whether it can be asked to end.
    ends_when_asked: bool,
    /// Where the browser keeps its profile; removed at the end.
    _folder: TempDir,
    /// What the browser is shown on, if it needs that.
    _screen: Option<Screen>,
}

impl Driver {
    /// Starts the driver of a browser on a free port. The port may be taken by somebody
    /// else before it listens there, and then it ends; so it is started again.
    ///
    /// # Panics
    /// If it doesn't start, or never listens.
    pub fn start(browser: Browser, programs: &Programs, start: &Start) -> Self {
        let driver = (0..TRIES).find_map(|_| Self::try_to_start(browser, programs, start));
        driver.unwrap_or_else(|| panic!("{} doesn't listen", programs.driver.display()))
    }

    /// `None` if it doesn't listen.
    fn try_to_start(browser: Browser, programs: &Programs, start: &Start) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder for the browser can be made");
        let screen = programs.screen.as_deref().map(Screen::start);
        let mut command = command(browser, &programs.driver, folder.path(), start);
        if let Some(screen) = &screen {
            command.env("DISPLAY", screen.name());
        }
        let given = (browser == Browser::WebKit).then(free_port);
        if let Some(port) = given {
            command.arg(format!("--port={port}"));
        }
        let spawned = command.spawn();
        let mut child = spawned.unwrap_or_else(|error| panic!("{}: {error}", programs.driver.display()));
        let port = match (browser, given) {
            (Browser::Firefox, _) => hear_port(&mut child, "Listening on 127.0.0.1:"),
            (_, None) => hear_port(&mut child, "successfully on port "),
            (_, Some(port)) => reach(port),
        };
        let Some(port) = port else {
            drop(child.kill());
            drop(child.wait());
            return None;
        };
        Some(Self { child, port, ends_when_asked: browser == Browser::Chromium, _folder: folder, _screen: screen })
    }

    /// Where it listens.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Asks the driver to end, which ends its browsers too.
    fn ask_to_end(&self) -> std::io::Result<()> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        write!(stream, "GET /shutdown HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if self.ends_when_asked && self.ask_to_end().is_ok() {
            for _ in 0..100 {
                if self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                    break;
                }
                sleep(PAUSE);
            }
        }
        // If it has ended, both only fail, and that is fine.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn command(browser: Browser, program: &Path, folder: &Path, start: &Start) -> Command {
    let mut command = Command::new(program);
    command.env("TMPDIR", folder).stdin(Stdio::null()).stderr(Stdio::null());
    // Only those that choose a port have something to say.
    command.stdout(if browser == Browser::WebKit { Stdio::null() } else { Stdio::piped() });
    match browser {
        Browser::Chromium => drop(command.arg("--port=0")),
        // The tests read its console, and set what the system prefers.
        Browser::Firefox => drop(command.args(["--port=0", "--websocket-port=0", "--allow-system-access"])),
        Browser::WebKit => webkit::prepare(&mut command, folder, start).expect("its folder can be written to"),
    }
    command
}

/// Hears from a driver which port it has chosen.
fn hear_port(child: &mut Child, before_port: &str) -> Option<u16> {
    let mut output = BufReader::new(child.stdout.take()?);
    let port = read_port(&mut output, before_port);
    // Where nobody reads, the driver couldn't go on writing.
    spawn(move || output.lines().map_while(Result::ok).for_each(drop));
    port
}

/// A port for a driver that has to be told one.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("a bound port has an address").port()
}

/// Waits until a driver listens on the port that it was told.
fn reach(port: u16) -> Option<u16> {
    let mut looks = (0..500).map(|_| {
        sleep(PAUSE);
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    looks.any(|is_there| is_there).then_some(port)
}

/// The port in the first line that has these words before one.
fn read_port(output: &mut impl BufRead, before_port: &str) -> Option<u16> {
    let lines = output.lines().map_while(Result::ok);
    let mut ports = lines.filter_map(|line| {
        let (_, port) = line.split_once(before_port)?;
        port.trim().trim_end_matches('.').parse().ok()
    });
    ports.next()
}
