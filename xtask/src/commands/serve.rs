//! `cargo xtask serve`: the site on this machine, rebuilt when a file changes.

use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::build;
use crate::project::Project;
use crate::setup::{Toolbox, in_ci};

const HOST: &str = "127.0.0.1";
const USUAL_PORT: u16 = 8080;
/// How many ports after the wanted one are tried if it is taken.
const OTHER_PORTS: u16 = 50;
/// How often to look whether the server is up.
const PAUSE: Duration = Duration::from_millis(200);

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    port: u16,
    /// Open a browser, do not, or do if there is a desktop to open it on.
    open: Option<bool>,
}

impl Options {
    /// Reads the options after `serve`.
    pub fn parse(arguments: &[&str]) -> Result<Self> {
        let mut options = Self { port: USUAL_PORT, open: None };
        let mut rest = arguments;
        loop {
            rest = match rest {
                [] => return Ok(options),
                ["--port", port, rest @ ..] => {
                    options.port = port.parse().with_context(|| format!("`{port}` is not a port number"))?;
                    rest
                }
                ["--open", "yes", rest @ ..] => {
                    options.open = Some(true);
                    rest
                }
                ["--open", "no", rest @ ..] => {
                    options.open = Some(false);
                    rest
                }
                [unknown, ..] => bail!("cannot make sense of `{unknown}` after `serve`"),
            }
        }
    }
}

/// Sets up what is missing, then builds and serves until it is stopped.
pub fn run(project: &Project, options: &Options) -> Result<()> {
    let toolbox = Toolbox::prepare(project)?;
    // Trunk's server starts even if its own first build fails, and would then
    // show an older site or none.
    build::build(project, &toolbox)?;
    let port = free_port(options.port)?;
    if port != options.port {
        eprintln!("Port {} is taken, so this is port {port}.", options.port);
    }
    eprintln!("Starting the server; the address follows. Ctrl+C ends it.");
    start_announcer(port)?;

    let port = port.to_string();
    // Trunk's reloading would put a script into the page, which our content
    // security policy refuses.
    let mut arguments = vec!["serve", "--release", "--no-autoreload", "--address", HOST];
    arguments.extend(["--port", &port]);
    if options.open.unwrap_or_else(has_desktop) {
        arguments.push("--open");
    }
    become_program(&mut toolbox.trunk(project, &arguments))
}

/// Waits until the server answers and then prints where it is. This is a process
/// of its own, because the one that was started becomes the server.
pub fn announce(address: &str) {
    let server = parent();
    while TcpStream::connect(address).is_err() {
        if parent() != server {
            return;
        }
        thread::sleep(PAUSE);
    }
    eprintln!("\nRacescope is at http://{address}/\n");
}

fn start_announcer(port: u16) -> Result<()> {
    let myself = std::env::current_exe().context("cannot find the program of this command")?;
    Command::new(myself)
        .args(["announce", &format!("{HOST}:{port}")])
        .stdin(Stdio::null())
        .spawn()
        .context("cannot start the program of this command again")?;
    Ok(())
}

fn free_port(wanted: u16) -> Result<u16> {
    (wanted..=wanted.saturating_add(OTHER_PORTS))
        .find(|port| TcpListener::bind((HOST, *port)).is_ok())
        .with_context(|| format!("no free port from {wanted} on; choose another with `--port N`"))
}

fn has_desktop() -> bool {
    let display = ["DISPLAY", "WAYLAND_DISPLAY"];
    let has_display = display.iter().any(|name| std::env::var_os(name).is_some());
    !in_ci() && (cfg!(not(target_os = "linux")) || has_display)
}

/// On Unix the server takes the place of this process, so that whatever ends
/// this process ends the server and leaves no port occupied.
#[cfg(unix)]
fn become_program(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    let error = command.stdin(Stdio::null()).exec();
    Err(error).context("could not start trunk")
}

#[cfg(not(unix))]
fn become_program(command: &mut Command) -> Result<()> {
    crate::process::run(command)
}

/// The process that started this one, which changes when that one ends.
#[cfg(unix)]
fn parent() -> u32 {
    std::os::unix::process::parent_id()
}

#[cfg(not(unix))]
fn parent() -> u32 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_may_come_in_any_order() {
        let expected = Options { port: 9000, open: Some(false) };
        assert_eq!(Options::parse(&["--open", "no", "--port", "9000"]).unwrap(), expected);
        assert_eq!(Options::parse(&["--port", "9000", "--open", "no"]).unwrap(), expected);
        assert_eq!(Options::parse(&[]).unwrap(), Options { port: USUAL_PORT, open: None });
    }

    #[test]
    fn nonsense_is_named() {
        let error = Options::parse(&["--port", "many"]).unwrap_err();
        assert_eq!(error.to_string(), "`many` is not a port number");
        let error = Options::parse(&["--open"]).unwrap_err();
        assert_eq!(error.to_string(), "cannot make sense of `--open` after `serve`");
    }

    #[test]
    fn a_taken_port_is_passed_over() {
        let taken = TcpListener::bind((HOST, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let free = free_port(port).unwrap();
        assert!(free > port);
    }
}
