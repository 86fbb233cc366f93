//! Fetches pages over HTTP, within limits, from addresses that a policy allows.
//!
//! [`fetch`] follows redirects itself. Before each hop it passes the resolved addresses of the host to the
//! [`AddressPolicy`] and connects only to those that it allows, so that the host cannot resolve to another
//! machine between the check and the connection (DNS rebinding). [`send`], [`download`] and [`HttpClient`] are for servers
//! that the user or the build names; no policy applies to them.

mod agent;
mod dns;
mod download;
mod exchange;
mod redirect;
mod request;

pub use self::download::{Download, download};
pub use self::exchange::{
    AbortHandle, HttpClient, HttpConnection, HttpExchange, HttpMethod, StreamedResponse,
};
pub use self::request::{HttpRequest, HttpResponse, send};

use std::io::{self, Read};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use ureq::http::{Response, StatusCode, header};
use ureq::{Body, Error};

/// A page to fetch, and the limits.
#[derive(Debug, Clone)]
pub struct FetchSpec {
    pub url: String,
    /// The validators of the cached version.
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// The maximum size of the decompressed page.
    pub max_bytes: u64,
    /// For the whole fetch: DNS, connections, redirects and the page.
    pub timeout: Duration,
}

/// Returns the addresses of the URL's host that may be connected to, or why none may.
///
/// It is called without addresses before the host is resolved, and with them before the connection.
pub type AddressPolicy<'a> = &'a dyn Fn(&str, Option<&[IpAddr]>) -> Result<Vec<IpAddr>, String>;

/// The result of a fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchOutcome {
    Page(Page),
    /// The cached version is current.
    NotModified,
}

/// A fetched page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The final URL, after redirects.
    pub url: String,
    /// For example `text/html`, in lowercase; empty if the server sent no content type.
    pub mime: String,
    pub charset: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub body: Vec<u8>,
}

/// Why a fetch failed.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("{url} is not fetched: {reason}")]
    Refused { url: String, reason: String },
    #[error("{0} does not resolve")]
    Unresolved(String),
    #[error("{url} answered with {status}")]
    Status { url: String, status: u16 },
    #[error("{0} has more than {MAX_REDIRECTS} redirects")]
    TooManyRedirects(String),
    #[error("{url} redirects to `{to}`, which is not a valid HTTP URL")]
    InvalidRedirect { url: String, to: String },
    #[error("{url} redirects to another server, which gets no request: {to}")]
    ForeignRedirect { url: String, to: String },
    #[error("{url} is larger than {} MB", limit / (1024 * 1024))]
    TooLarge { url: String, limit: u64 },
    #[error("{url} did not answer in {} s", timeout.as_secs())]
    Timeout { url: String, timeout: Duration },
    #[error("{url}: {reason}")]
    Failed { url: String, reason: String },
}

const MAX_REDIRECTS: usize = 10;

/// Fetches a page.
pub fn fetch(spec: &FetchSpec, policy: AddressPolicy<'_>) -> Result<FetchOutcome, FetchError> {
    let deadline = Instant::now() + spec.timeout;
    let mut url = spec.url.clone();
    for _ in 0..=MAX_REDIRECTS {
        let response = send_hop(spec, &url, deadline, policy)?;
        let status = response.status();
        if let Some(to) = redirect_target(&response) {
            url = redirect::resolve(&url, &to)
                .ok_or_else(|| FetchError::InvalidRedirect { url: url.clone(), to })?;
        } else if status == StatusCode::NOT_MODIFIED {
            return Ok(FetchOutcome::NotModified);
        } else if status.is_success() {
            return read_page(spec, url, response).map(FetchOutcome::Page);
        } else {
            return Err(FetchError::Status { url, status: status.as_u16() });
        }
    }
    Err(FetchError::TooManyRedirects(spec.url.clone()))
}

/// Sends one request, without following redirects.
fn send_hop(
    spec: &FetchSpec,
    url: &str,
    deadline: Instant,
    policy: AddressPolicy<'_>,
) -> Result<Response<Body>, FetchError> {
    let remaining = deadline.saturating_duration_since(Instant::now());
    if remaining.is_zero() {
        return Err(FetchError::Timeout { url: url.to_owned(), timeout: spec.timeout });
    }
    let agent = agent::agent_for(url, remaining, policy)?;
    let mut request = agent.get(url);
    for (name, value) in
        [(header::IF_NONE_MATCH, &spec.etag), (header::IF_MODIFIED_SINCE, &spec.last_modified)]
    {
        if let Some(value) = value {
            request = request.header(name, value);
        }
    }
    request.call().map_err(|error| request_error(spec.timeout, url, &error))
}

/// Returns the location of a redirect response.
fn redirect_target(response: &Response<Body>) -> Option<String> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    header_value(response, header::LOCATION).filter(|_| is_redirect)
}

fn header_value(response: &Response<Body>, name: header::HeaderName) -> Option<String> {
    let value = response.headers().get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
}

fn read_page(spec: &FetchSpec, url: String, response: Response<Body>) -> Result<Page, FetchError> {
    let content_type = header_value(&response, header::CONTENT_TYPE).unwrap_or_default();
    let (etag, last_modified) =
        (header_value(&response, header::ETAG), header_value(&response, header::LAST_MODIFIED));
    let body = read_body(response, &url, spec.max_bytes, spec.timeout)?;
    let mime = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    Ok(Page { url, mime, charset: charset(&content_type), etag, last_modified, body })
}

/// Reads and decompresses a body of at most `limit` bytes.
fn read_body(
    response: Response<Body>,
    url: &str,
    limit: u64,
    timeout: Duration,
) -> Result<Vec<u8>, FetchError> {
    let mut body = Vec::new();
    let reader = response.into_body().into_reader();
    reader
        .take(limit + 1)
        .read_to_end(&mut body)
        .map_err(|error| io_error(timeout, url, &error))?;
    if body.len() as u64 > limit {
        return Err(FetchError::TooLarge { url: url.to_owned(), limit });
    }
    Ok(body)
}

/// Returns the charset in `text/html; charset="utf-8"`.
fn charset(content_type: &str) -> Option<String> {
    let parameters =
        content_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let mut named = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    named.next().map(|(_, value)| value.trim().trim_matches('"').to_owned())
}

fn request_error(timeout: Duration, url: &str, error: &Error) -> FetchError {
    let url = url.to_owned();
    match error {
        Error::Timeout(_) => FetchError::Timeout { url, timeout },
        Error::HostNotFound => FetchError::Unresolved(url),
        Error::Io(error) => io_error(timeout, &url, error),
        other => FetchError::Failed { url, reason: other.to_string() },
    }
}

fn io_error(timeout: Duration, url: &str, error: &io::Error) -> FetchError {
    let url = url.to_owned();
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    let is_timeout =
        error.kind() == io::ErrorKind::TimedOut || matches!(inner, Some(Error::Timeout(_)));
    if is_timeout {
        return FetchError::Timeout { url, timeout };
    }
    FetchError::Failed { url, reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_charset_in_any_spelling() {
        assert_eq!(charset("text/html; charset=utf-8").as_deref(), Some("utf-8"));
        assert_eq!(charset("text/html;x=1; CharSet=\"latin1\"").as_deref(), Some("latin1"));
        assert_eq!(charset("text/html"), None);
    }
}
