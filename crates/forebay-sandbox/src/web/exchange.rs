//! Requests to a server that the user configured. Responses are read as they arrive, and another thread can abort them.
//!
//! A request has a connection of its own, because only a whole client of the library can be shut down; connections that
//! are done are reused.

use std::fmt;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ureq::http::header::{ACCEPT_ENCODING, HeaderMap};
use ureq::http::{Method, Request, Response};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, AsSendBody, Body};

use super::{FetchError, agent, redirect, request_error};

/// Connections that are kept for later requests.
const MAX_IDLE: usize = 16;
/// A server that moved, behind another one that moved too.
const MAX_REDIRECTS: usize = 3;

/// The connections to one server.
#[derive(Debug, Default)]
pub struct HttpClient {
    idle: Mutex<Vec<Agent>>,
}

/// A connection, for one request after another.
#[derive(Debug)]
pub struct HttpConnection {
    client: Arc<HttpClient>,
    agent: Agent,
    is_aborted: Arc<AtomicBool>,
}

/// Ends the exchange on a connection, from any thread.
#[derive(Debug, Clone)]
pub struct AbortHandle {
    agent: Agent,
    is_aborted: Arc<AtomicBool>,
}

/// A request.
#[derive(Debug, Clone, Copy)]
pub struct HttpExchange<'a> {
    pub method: HttpMethod<'a>,
    pub url: &'a str,
    pub headers: &'a [(String, String)],
    /// For everything up to the end of the response; without one it may take as long as it wants.
    pub timeout: Option<Duration>,
}

#[derive(Debug, Clone, Copy)]
pub enum HttpMethod<'a> {
    Get,
    /// With this body.
    Post(&'a [u8]),
    Delete,
}

/// A response whose body is still to be read.
pub struct StreamedResponse {
    pub status: u16,
    pub body: Box<dyn Read + Send>,
    headers: HeaderMap,
}

impl HttpClient {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// A connection that no other request uses.
    pub fn connection(self: &Arc<Self>, url: &str) -> HttpConnection {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let agent = idle.unwrap_or_else(|| {
            Agent::with_parts(
                agent::unhurried_config(agent::proxy_for(url)),
                DefaultConnector::default(),
                DefaultResolver::default(),
            )
        });
        HttpConnection { client: Arc::clone(self), agent, is_aborted: Arc::default() }
    }
}

impl HttpConnection {
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle { agent: self.agent.clone(), is_aborted: Arc::clone(&self.is_aborted) }
    }

    pub fn is_aborted(&self) -> bool {
        self.is_aborted.load(Ordering::Acquire)
    }

    /// Sends a request. A redirect is followed if it keeps method and host, so that no other server gets the headers.
    pub fn send(&self, exchange: &HttpExchange<'_>) -> Result<StreamedResponse, FetchError> {
        let mut url = exchange.url.to_owned();
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send_once(exchange, &url)?;
            let Some(to) = moved_to(&response) else { return Ok(response) };
            let Some(target) = redirect::resolve(&url, &to) else {
                return Err(FetchError::InvalidRedirect { url, to });
            };
            if !is_same_server(&url, &target) {
                return Err(FetchError::ForeignRedirect { url, to });
            }
            url = target;
        }
        Err(FetchError::TooManyRedirects(exchange.url.to_owned()))
    }

    fn send_once(
        &self,
        exchange: &HttpExchange<'_>,
        url: &str,
    ) -> Result<StreamedResponse, FetchError> {
        let timeout = exchange.timeout;
        let method = match exchange.method {
            HttpMethod::Get => Method::GET,
            HttpMethod::Post(_) => Method::POST,
            HttpMethod::Delete => Method::DELETE,
        };
        // Compressed events would wait for each other.
        let mut builder =
            Request::builder().method(method).uri(url).header(ACCEPT_ENCODING, "identity");
        for (name, value) in exchange.headers {
            builder = builder.header(name, value);
        }
        let failed = |error: &ureq::Error| request_error(timeout.unwrap_or_default(), url, error);
        let sent = match exchange.method {
            HttpMethod::Post(body) => builder.body(body).map(|request| self.run(request, timeout)),
            _ => builder.body(()).map(|request| self.run(request, timeout)),
        };
        let sent = sent.map_err(|error| failed(&error.into()))?;
        sent.map(StreamedResponse::new).map_err(|error| failed(&error))
    }
}

impl HttpConnection {
    fn run(
        &self,
        request: Request<impl AsSendBody>,
        timeout: Option<Duration>,
    ) -> Result<Response<Body>, ureq::Error> {
        self.agent.run(self.agent.configure_request(request).timeout_global(timeout).build())
    }
}

impl Drop for HttpConnection {
    fn drop(&mut self) {
        let mut idle = self.client.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_aborted() && idle.len() < MAX_IDLE {
            idle.push(self.agent.clone());
        }
    }
}

impl AbortHandle {
    /// Ends the exchange; what it still reads or sends fails.
    pub fn abort(self) {
        self.is_aborted.store(true, Ordering::Release);
        self.agent.shutdown();
    }
}

impl StreamedResponse {
    fn new(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let body = Box::new(body.into_reader());
        Self { status: parts.status.as_u16(), body, headers: parts.headers }
    }

    /// The value of a header, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl fmt::Debug for StreamedResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamedResponse")
            .field("status", &self.status)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

/// Where a request has to be sent instead, unchanged.
fn moved_to(response: &StreamedResponse) -> Option<String> {
    let is_moved = matches!(response.status, 307 | 308);
    response.header("location").filter(|_| is_moved).map(str::to_owned)
}

/// Whether a redirect stays with the server and its encryption.
fn is_same_server(from: &str, to: &str) -> bool {
    let parts = |url: &str| url::Url::parse(url).ok();
    let (Some(from), Some(to)) = (parts(from), parts(to)) else { return false };
    let is_upgrade = from.scheme() == "http" && to.scheme() == "https";
    from.host() == to.host() && (from.origin() == to.origin() || is_upgrade)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_stay_with_their_server() {
        for (to, is_followed) in [
            ("http://a.example/mcp/", true),
            ("https://a.example/mcp", true),
            ("http://b.example/mcp", false),
            ("http://a.example:81/mcp", false),
        ] {
            assert_eq!(is_same_server("http://a.example/mcp", to), is_followed, "{to}");
        }
        assert!(!is_same_server("https://a.example/mcp", "http://a.example/mcp"));
    }
}
