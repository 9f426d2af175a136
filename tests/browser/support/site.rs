//! The finished site on a port of its own, below a folder as a host may have it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tower_http::services::ServeDir;

/// The folder of the host in which the site lies.
const FOLDER: &str = "/docs/racescope";

/// What was asked for and isn't there.
type Missing = Arc<Mutex<Vec<String>>>;

/// A served site; it is gone when this is dropped.
pub struct Site {
    address: SocketAddr,
    missing: Missing,
    server: JoinHandle<()>,
}

impl Site {
    /// Serves a folder on a free port.
    ///
    /// # Panics
    /// If there is no free port.
    pub async fn serve(dist: &Path) -> Self {
        let missing = Missing::default();
        let router = Router::new()
            .nest_service(FOLDER, ServeDir::new(dist))
            .layer(middleware::from_fn_with_state(missing.clone(), note_missing));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("a bound port has an address");
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("the server runs until it is dropped");
        });
        Self { address, missing, server }
    }

    /// The address of a page: "lessons/paused-holder/", or "" for the front page.
    pub fn address_of(&self, page: &str) -> String {
        format!("http://{}{FOLDER}/{page}", self.address)
    }

    /// What was asked for and isn't there, in order.
    pub fn missing(&self) -> Vec<String> {
        self.missing.lock().expect("nobody panics with the list in hand").clone()
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

async fn note_missing(State(missing): State<Missing>, request: Request, next: Next) -> Response {
    let asked = request.uri().to_string();
    let response = next.run(request).await;
    if response.status().is_client_error() {
        missing.lock().expect("nobody panics with the list in hand").push(format!("{} {asked}", response.status()));
    }
    response
}
