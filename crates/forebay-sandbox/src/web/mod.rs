//! Fetching over HTTP: one page, within bounds, from addresses that somebody has allowed.
//!
//! [`fetch`] follows redirects itself. Before each hop it asks the [`Gate`], with the addresses that the
//! host has; what the gate lets pass is what is dialled, so that a name cannot mean another machine
//! between the question and the connection.

mod agent;
mod ask;
mod location;
mod resolve;

pub use self::ask::{Answered, Asked, ask};

use std::io::{self, Read};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use ureq::http::{Response, StatusCode, header};
use ureq::{Body, Error};

/// What to fetch, and how far to go for it.
#[derive(Debug, Clone)]
pub struct FetchSpec {
    pub url: String,
    /// What the server said of the version that is at hand.
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// The page's size at most, when it is unpacked.
    pub most_bytes: u64,
    /// For all of it: names, connections, redirects and the page.
    pub time: Duration,
}

/// Says which addresses of a URL's host may be dialled, or why none may.
///
/// It is asked without addresses before the name is resolved, and with them before it is dialled.
pub type Gate<'a> = &'a dyn Fn(&str, Option<&[IpAddr]>) -> Result<Vec<IpAddr>, String>;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    Page(Page),
    /// The version at hand is the newest.
    Unchanged,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Where it was found in the end.
    pub url: String,
    /// `text/html`, in lower case; empty where the server said nothing.
    pub mime: String,
    pub charset: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub body: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("{url} is not fetched: {why}")]
    Refused { url: String, why: String },
    #[error("{0} does not resolve")]
    Unresolved(String),
    #[error("{url} answered with {status}")]
    Status { url: String, status: u16 },
    #[error("{0} has more than {MOST_HOPS} redirects")]
    TooManyHops(String),
    #[error("{url} leads to `{to}`, which is no URL")]
    WrongLocation { url: String, to: String },
    #[error("{url} is larger than {} MB", most / (1024 * 1024))]
    TooLarge { url: String, most: u64 },
    #[error("{url} did not answer in {} s", time.as_secs())]
    TooSlow { url: String, time: Duration },
    #[error("{url}: {what}")]
    Failed { url: String, what: String },
}

const MOST_HOPS: usize = 10;

/// Fetches a page.
pub fn fetch(spec: &FetchSpec, gate: Gate<'_>) -> Result<Fetched, FetchError> {
    let deadline = Instant::now() + spec.time;
    let mut url = spec.url.clone();
    for _ in 0..=MOST_HOPS {
        let response = hop(spec, &url, deadline, gate)?;
        let status = response.status();
        if let Some(to) = redirect(&response) {
            url = location::join(&url, &to)
                .ok_or_else(|| FetchError::WrongLocation { url: url.clone(), to })?;
        } else if status == StatusCode::NOT_MODIFIED {
            return Ok(Fetched::Unchanged);
        } else if status.is_success() {
            return read(spec, url, response).map(Fetched::Page);
        } else {
            return Err(FetchError::Status { url, status: status.as_u16() });
        }
    }
    Err(FetchError::TooManyHops(spec.url.clone()))
}

/// Asks one server.
fn hop(
    spec: &FetchSpec,
    url: &str,
    deadline: Instant,
    gate: Gate<'_>,
) -> Result<Response<Body>, FetchError> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(FetchError::TooSlow { url: url.to_owned(), time: spec.time });
    }
    let agent = agent::for_hop(url, left, gate)?;
    let mut request = agent.get(url);
    for (name, value) in
        [(header::IF_NONE_MATCH, &spec.etag), (header::IF_MODIFIED_SINCE, &spec.last_modified)]
    {
        if let Some(value) = value {
            request = request.header(name, value);
        }
    }
    request.call().map_err(|error| explained(spec.time, url, &error))
}

/// Where a response sends its reader.
fn redirect(response: &Response<Body>) -> Option<String> {
    let sends_on = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    header_of(response, header::LOCATION).filter(|_| sends_on)
}

fn header_of(response: &Response<Body>, name: header::HeaderName) -> Option<String> {
    let value = response.headers().get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
}

fn read(spec: &FetchSpec, url: String, response: Response<Body>) -> Result<Page, FetchError> {
    let kind = header_of(&response, header::CONTENT_TYPE).unwrap_or_default();
    let (etag, last_modified) =
        (header_of(&response, header::ETAG), header_of(&response, header::LAST_MODIFIED));
    let mut body = Vec::new();
    let unpacked = response.into_body().into_reader();
    unpacked
        .take(spec.most_bytes + 1)
        .read_to_end(&mut body)
        .map_err(|error| broken_off(spec.time, &url, &error))?;
    if body.len() as u64 > spec.most_bytes {
        return Err(FetchError::TooLarge { url, most: spec.most_bytes });
    }
    let mime = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    Ok(Page { url, mime, charset: charset(&kind), etag, last_modified, body })
}

/// The character set in `text/html; charset="utf-8"`.
fn charset(kind: &str) -> Option<String> {
    let parameters = kind.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let mut named = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    named.next().map(|(_, value)| value.trim().trim_matches('"').to_owned())
}

fn explained(time: Duration, url: &str, error: &Error) -> FetchError {
    let url = url.to_owned();
    match error {
        Error::Timeout(_) => FetchError::TooSlow { url, time },
        Error::HostNotFound => FetchError::Unresolved(url),
        Error::Io(error) => broken_off(time, &url, error),
        other => FetchError::Failed { url, what: other.to_string() },
    }
}

fn broken_off(time: Duration, url: &str, error: &io::Error) -> FetchError {
    let url = url.to_owned();
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    let is_late =
        error.kind() == io::ErrorKind::TimedOut || matches!(inner, Some(Error::Timeout(_)));
    if is_late {
        return FetchError::TooSlow { url, time };
    }
    FetchError::Failed { url, what: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_set_is_read_in_any_spelling() {
        assert_eq!(charset("text/html; charset=utf-8").as_deref(), Some("utf-8"));
        assert_eq!(charset("text/html;x=1; CharSet=\"latin1\"").as_deref(), Some("latin1"));
        assert_eq!(charset("text/html"), None);
    }
}
