//! Session ids bound to their owner: each carries a MAC over the id and its owner.

use axum::http::{HeaderMap, HeaderValue};
use forebay_app::{AppError, random_bytes};

use super::caller::{Caller, MCP_SESSION};

/// Computes MACs with a random key that lives as long as the sessions.
pub(super) struct SessionMac {
    key: [u8; 32],
}

impl SessionMac {
    /// Fails without a source of random bytes: a known key would let anybody take over a session.
    pub(super) fn new() -> Result<Self, AppError> {
        Ok(Self { key: random_bytes()? })
    }

    /// Verifies and strips the MAC of a session id; returns whether there is one, and an error if it is wrong.
    pub(super) fn open(&self, headers: &mut HeaderMap, caller: &Caller) -> Result<bool, ()> {
        let Some(sealed) = headers.get(MCP_SESSION) else { return Ok(false) };
        let sealed = sealed.to_str().map_err(drop)?;
        let (name, seal) = sealed.rsplit_once('.').ok_or(())?;
        let given = blake3::Hash::from_hex(seal).map_err(drop)?;
        // blake3 compares hashes in constant time.
        if given != self.over(name, caller) {
            return Err(());
        }
        let name = HeaderValue::from_str(name).map_err(drop)?;
        headers.insert(MCP_SESSION, name);
        Ok(true)
    }

    /// Appends the MAC to the session id of a response.
    pub(super) fn close(&self, headers: &mut HeaderMap, caller: &Caller) {
        let Some(name) = headers.get(MCP_SESSION).and_then(|name| name.to_str().ok()) else {
            return;
        };
        let sealed = format!("{name}.{}", self.over(name, caller).to_hex());
        if let Ok(sealed) = HeaderValue::from_str(&sealed) {
            headers.insert(MCP_SESSION, sealed);
        }
    }

    fn over(&self, name: &str, caller: &Caller) -> blake3::Hash {
        let owner = caller.token.as_ref().map_or("", |token| &token.id);
        blake3::keyed_hash(&self.key, format!("{name}\0{owner}").as_bytes())
    }
}
