//! The authenticated caller of a request.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::HeaderMap;
use forebay_app::bounds::{MAX_PROJECT_NAME_CHARS, MAX_SESSION_NAME_CHARS};
use forebay_app::team::tokens::Token;
use forebay_domain::rights::Rights;

/// The header that names a caller's conversation.
pub(super) const SESSION: &str = "forebay-session";
/// The header that names an MCP session.
pub(super) const MCP_SESSION: &str = "mcp-session-id";

/// The header that names a team project.
const PROJECT: &str = "forebay-project";

/// An authenticated caller.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    pub(super) address: IpAddr,
    pub(super) token: Option<Arc<Token>>,
}

/// The peer's IP address.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) IpAddr);

impl Caller {
    /// Callers without a token are the user of this machine.
    pub(super) fn rights(&self) -> Rights {
        self.token.as_ref().map_or(Rights::ALL, |token| token.grants.rights)
    }

    /// The rights on a server of a gateway.
    pub(super) fn rights_on(&self, server: &str) -> Rights {
        self.token.as_ref().map_or(Rights::ALL, |token| token.grants.on_server(server))
    }

    pub(super) fn workspace(&self) -> Option<&str> {
        self.token.as_ref().and_then(|token| token.workspace.as_deref())
    }

    /// The client name recorded with its entries.
    pub(super) fn name(&self) -> &str {
        self.token.as_ref().map_or("http", |token| &token.name)
    }

    /// The key for rate limiting.
    pub(super) fn key(&self) -> String {
        match &self.token {
            Some(token) => token.id.clone(),
            None => network(self.address),
        }
    }
}

/// The key of an address for limits: of IPv6 the network, because one caller has all of its addresses.
pub(super) fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
        address @ IpAddr::V4(_) => address.to_string(),
    }
}

/// The conversation of a request, if it names one. Callers never share one.
pub(super) fn session(headers: &HeaderMap, caller: &Caller) -> Option<String> {
    let named = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let word = named(SESSION).or_else(|| named(MCP_SESSION))?;
    let plain: String =
        word.chars().filter(char::is_ascii_graphic).take(MAX_SESSION_NAME_CHARS).collect();
    (!plain.is_empty()).then(|| match &caller.token {
        Some(token) => format!("{}:{plain}", token.id),
        None => plain,
    })
}

/// The project of a request, if it names one.
pub(super) fn project(headers: &HeaderMap) -> Option<String> {
    let word = headers.get(PROJECT)?.to_str().ok()?.trim();
    (!word.is_empty()).then(|| word.chars().take(MAX_PROJECT_NAME_CHARS).collect())
}
