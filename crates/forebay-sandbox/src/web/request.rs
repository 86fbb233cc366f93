//! Sends one request to a server that the user configured, without following redirects.

use std::time::Duration;

use ureq::Agent;
use ureq::http::header;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::DefaultConnector;

use super::{FetchError, agent, read_body, request_error};

/// A POST if there is a body, else a GET.
#[derive(Debug, Clone)]
pub struct HttpRequest {
    pub url: String,
    pub bearer: Option<String>,
    /// The content type and the content.
    pub body: Option<(String, Vec<u8>)>,
    /// The maximum size of the response body.
    pub max_bytes: u64,
    pub timeout: Duration,
}

/// A response with any status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    pub status: u16,
    pub body: Vec<u8>,
}

/// Sends a request. No address policy applies, because the user configured the server.
pub fn send(request: &HttpRequest) -> Result<HttpResponse, FetchError> {
    let agent = Agent::with_parts(
        agent::config(request.timeout, agent::proxy_for(&request.url)),
        DefaultConnector::default(),
        DefaultResolver::default(),
    );
    let bearer = request.bearer.as_ref().map(|token| format!("Bearer {token}"));
    let sent = match &request.body {
        None => {
            let mut builder = agent.get(&request.url);
            if let Some(bearer) = &bearer {
                builder = builder.header(header::AUTHORIZATION, bearer);
            }
            builder.call()
        }
        Some((content_type, body)) => {
            let mut builder = agent.post(&request.url).header(header::CONTENT_TYPE, content_type);
            if let Some(bearer) = &bearer {
                builder = builder.header(header::AUTHORIZATION, bearer);
            }
            builder.send(body.as_slice())
        }
    };
    let response = sent.map_err(|error| request_error(request.timeout, &request.url, &error))?;
    let status = response.status().as_u16();
    let body = read_body(response, &request.url, request.max_bytes, request.timeout)?;
    Ok(HttpResponse { status, body })
}
