//! Names of sessions that only their owner can use: with each goes a seal over it and its owner.

use axum::http::{HeaderMap, HeaderValue};

use super::caller::{Caller, MCP_SESSION};

/// Seals with a key that lives as long as the sessions.
pub(super) struct Seal {
    key: [u8; 32],
}

impl Seal {
    pub(super) fn new() -> Self {
        let mut key = [0; 32];
        // Without random numbers names are sealed as openly as they would be without a seal.
        if let Err(error) = getrandom::fill(&mut key) {
            tracing::error!(%error, "no random numbers for the names of sessions");
        }
        Self { key }
    }

    /// Takes the seal off a session's name; says whether there is one, and refuses a wrong one.
    pub(super) fn open(&self, headers: &mut HeaderMap, caller: &Caller) -> Result<bool, ()> {
        let Some(sealed) = headers.get(MCP_SESSION) else { return Ok(false) };
        let sealed = sealed.to_str().map_err(drop)?;
        let (name, seal) = sealed.rsplit_once('.').ok_or(())?;
        let given = blake3::Hash::from_hex(seal).map_err(drop)?;
        // Hashes are compared in the same time wherever they differ.
        if given != self.over(name, caller) {
            return Err(());
        }
        let name = HeaderValue::from_str(name).map_err(drop)?;
        headers.insert(MCP_SESSION, name);
        Ok(true)
    }

    /// Puts a seal on the name of a session that a response tells.
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
