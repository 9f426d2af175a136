//! A chromedriver on a port of its own. Its end is the end of its browsers.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

/// A running chromedriver.
pub struct Driver {
    child: Child,
    port: u16,
    /// Kept open, so that the driver can go on writing.
    _output: BufReader<ChildStdout>,
    /// Where the browser keeps its profile; removed at the end.
    _folder: TempDir,
}

impl Driver {
    /// Starts a driver on a port that it chooses.
    ///
    /// # Panics
    /// If it doesn't start, or doesn't say where it listens.
    pub fn start(program: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the browser can be made");
        let mut command = Command::new(program);
        command.env("TMPDIR", folder.path());
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let mut output = BufReader::new(child.stdout.take().expect("its output is piped"));
        let Some(port) = read_port(&mut output) else {
            drop(child.kill());
            panic!("{} doesn't say on which port it listens", program.display());
        };
        Self { child, port, _output: output, _folder: folder }
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
        let asked = self.ask_to_end();
        for _ in 0..100 {
            if asked.is_err() || self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                break;
            }
            sleep(Duration::from_millis(20));
        }
        // If it has ended, both only fail, and that is fine.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The port in the line that says "was started successfully on port 39423."
fn read_port(output: &mut impl BufRead) -> Option<u16> {
    let lines = output.lines().map_while(Result::ok);
    let mut ports = lines.filter_map(|line| {
        let (_, port) = line.split_once("successfully on port ")?;
        port.trim_end_matches('.').parse().ok()
    });
    ports.next()
}
