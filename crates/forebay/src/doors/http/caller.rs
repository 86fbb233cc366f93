//! Who sends a request, as the guard found out.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::HeaderMap;
use forebay_app::team::tokens::Token;
use forebay_domain::rights::Rights;

/// The header with which a caller names its conversation.
pub(super) const SESSION: &str = "forebay-session";
/// The one with which an MCP client names its session.
pub(super) const MCP_SESSION: &str = "mcp-session-id";

/// The header with which a caller names the project of its team.
const PROJECT: &str = "forebay-project";

const LONGEST_SESSION: usize = 128;
const LONGEST_PROJECT: usize = 64;

/// A caller that was let in.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    pub(super) address: IpAddr,
    pub(super) token: Option<Arc<Token>>,
}

/// The address at the other end, which the listener knows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) IpAddr);

impl Caller {
    /// Who comes without a token is the user of this machine.
    pub(super) fn rights(&self) -> Rights {
        self.token.as_ref().map_or(Rights::ALL, |token| token.rights)
    }

    pub(super) fn workspace(&self) -> Option<&str> {
        self.token.as_ref().and_then(|token| token.workspace.as_deref())
    }

    /// The name under which it stores what it stores.
    pub(super) fn name(&self) -> &str {
        self.token.as_ref().map_or("http", |token| &token.name)
    }

    /// What requests are counted by.
    pub(super) fn key(&self) -> String {
        match &self.token {
            Some(token) => token.id.clone(),
            None => self.address.to_string(),
        }
    }
}

/// The conversation that a request belongs to, if it names one. Two callers never share one.
pub(super) fn session(headers: &HeaderMap, caller: &Caller) -> Option<String> {
    let named = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let word = named(SESSION).or_else(|| named(MCP_SESSION))?;
    let plain: String = word.chars().filter(char::is_ascii_graphic).take(LONGEST_SESSION).collect();
    (!plain.is_empty()).then(|| match &caller.token {
        Some(token) => format!("{}:{plain}", token.id),
        None => plain,
    })
}

/// The project that a request is about, if it names one.
pub(super) fn project(headers: &HeaderMap) -> Option<String> {
    let word = headers.get(PROJECT)?.to_str().ok()?.trim();
    (!word.is_empty()).then(|| word.chars().take(LONGEST_PROJECT).collect())
}
