//! The finished site on a port of its own, below a folder as a host may have it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tower_http::services::{ServeDir, ServeFile};

/// The folder of the host in which the site lies.
const FOLDER: &str = "/docs/racescope";

/// What runs first in each page, and what this has the site told.
const FIRST: &str = "/first.js";
const COMPLAINTS: &str = "/complaints";

/// What is noted of a site while it is served.
#[derive(Default)]
struct Notes {
    /// The scripts that run first in each page.
    first: Vec<String>,
    /// What was asked for and isn't there, and what a browser complained of.
    complaints: Vec<String>,
}

type Shared = Arc<Mutex<Notes>>;

/// A served site; it is gone when this is dropped.
pub struct Site {
    address: SocketAddr,
    notes: Shared,
    server: JoinHandle<()>,
}

impl Site {
    /// Serves a folder on a free port.
    ///
    /// # Panics
    /// If there is no free port.
    pub async fn serve(dist: &Path) -> Self {
        let notes = Shared::default();
        let missing = ServeFile::new(dist.join("404.html"));
        let router = Router::new()
            .nest_service(FOLDER, ServeDir::new(dist).not_found_service(missing))
            .layer(middleware::from_fn_with_state(notes.clone(), put_first))
            .layer(middleware::from_fn_with_state(notes.clone(), note_missing))
            .route(FIRST, get(first))
            .route(COMPLAINTS, post(complain))
            .with_state(notes.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("a bound port has an address");
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("the server runs until it is dropped");
        });
        Self { address, notes, server }
    }

    /// The address of a page: "lessons/paused-holder/", or "" for the front page.
    pub fn address_of(&self, page: &str) -> String {
        format!("http://{}{FOLDER}/{page}", self.address)
    }

    /// Has a script run in each page from now on, before those of the page. It is a file of
    /// the site, as the policy of the pages demands.
    pub fn run_first(&self, script: &str) {
        locked(&self.notes).first.push(format!("(() => {{ {script} }})();"));
    }

    /// What was asked for and isn't there, and what a browser complained of, in order.
    pub fn complaints(&self) -> Vec<String> {
        locked(&self.notes).complaints.clone()
    }

    /// Asks for a page without any browser: its head and its text.
    ///
    /// # Panics
    /// If there is no answer.
    pub async fn fetch(&self, page: &str) -> (String, String) {
        let mut stream = TcpStream::connect(self.address).await.expect("the site is served");
        let request = format!("GET {FOLDER}/{page} HTTP/1.0\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("a request can be sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer is text");
        let (head, text) = answer.split_once("\r\n\r\n").expect("an answer has a head");
        (head.to_string(), text.to_string())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn locked(notes: &Shared) -> MutexGuard<'_, Notes> {
    notes.lock().expect("nobody panics with the notes in hand")
}

async fn first(State(notes): State<Shared>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/javascript"), (CACHE_CONTROL, "no-store")], locked(&notes).first.join("\n"))
}

async fn complain(State(notes): State<Shared>, complaint: String) {
    locked(&notes).complaints.push(complaint);
}

/// Puts a reference to what runs first at the head of each page.
async fn put_first(State(notes): State<Shared>, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let is_page = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if !is_page || locked(&notes).first.is_empty() {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.expect("a page can be read");
    let page =
        String::from_utf8_lossy(&bytes).replacen("<head>", &format!("<head><script src=\"{FIRST}\"></script>"), 1);
    head.headers.remove(CONTENT_LENGTH);
    Response::from_parts(head, Body::from(page))
}

async fn note_missing(State(notes): State<Shared>, request: Request, next: Next) -> Response {
    let asked = request.uri().to_string();
    let response = next.run(request).await;
    if response.status().is_client_error() {
        locked(&notes).complaints.push(format!("{} {asked}", response.status()));
    }
    response
}
