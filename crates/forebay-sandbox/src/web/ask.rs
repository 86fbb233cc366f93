//! Asking a server that the user named himself: one request, one answer, no redirects.

use std::io::Read;
use std::net::IpAddr;
use std::time::Duration;

use ureq::Agent;
use ureq::http::{Uri, header};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::DefaultConnector;

use super::{FetchError, agent, broken_off, explained};

/// One request: a POST where there is a body, else a GET.
#[derive(Debug, Clone)]
pub struct Asked {
    pub url: String,
    pub bearer: Option<String>,
    /// What kind of content it is, and the content.
    pub body: Option<(String, Vec<u8>)>,
    /// The answer's size at most.
    pub most_bytes: u64,
    pub time: Duration,
}

/// What came back, whatever the status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub status: u16,
    pub body: Vec<u8>,
}

/// Asks a server. Nobody is asked whether its address may be dialled: the user gave it for this.
pub fn ask(asked: &Asked) -> Result<Answered, FetchError> {
    let proxy = ureq::Proxy::try_from_env().filter(|_| !is_on_this_machine(&asked.url));
    let agent = Agent::with_parts(
        agent::config(asked.time, proxy),
        DefaultConnector::default(),
        DefaultResolver::default(),
    );
    let bearer = asked.bearer.as_ref().map(|token| format!("Bearer {token}"));
    let sent = match &asked.body {
        None => {
            let mut request = agent.get(&asked.url);
            if let Some(bearer) = &bearer {
                request = request.header(header::AUTHORIZATION, bearer);
            }
            request.call()
        }
        Some((kind, body)) => {
            let mut request = agent.post(&asked.url).header(header::CONTENT_TYPE, kind);
            if let Some(bearer) = &bearer {
                request = request.header(header::AUTHORIZATION, bearer);
            }
            request.send(body.as_slice())
        }
    };
    let response = sent.map_err(|error| explained(asked.time, &asked.url, &error))?;
    let status = response.status().as_u16();
    let mut body = Vec::new();
    let unpacked = response.into_body().into_reader();
    unpacked
        .take(asked.most_bytes + 1)
        .read_to_end(&mut body)
        .map_err(|error| broken_off(asked.time, &asked.url, &error))?;
    if body.len() as u64 > asked.most_bytes {
        return Err(FetchError::TooLarge { url: asked.url.clone(), most: asked.most_bytes });
    }
    Ok(Answered { status, body })
}

/// A proxy would look for it on its own machine.
fn is_on_this_machine(url: &str) -> bool {
    let Ok(url) = url.parse::<Uri>() else { return false };
    let host = url.host().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_proxy_is_asked_for_this_machine() {
        for url in ["http://localhost:1/v1", "http://127.0.0.1", "https://[::1]:8/x"] {
            assert!(is_on_this_machine(url), "{url}");
        }
        for url in ["http://localhost.example.org/", "http://10.0.0.1/", "http://[::2]/"] {
            assert!(!is_on_this_machine(url), "{url}");
        }
    }
}
