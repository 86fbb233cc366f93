//! A session at a server: its id, the revision that was agreed on, and the messages that start it again.

use std::sync::{Mutex, MutexGuard};

use super::super::json::Members;
use super::{Message, lock};

#[derive(Default)]
pub(super) struct RemoteSession {
    state: Mutex<State>,
    /// Held while a session is started again.
    renewal: Mutex<()>,
}

#[derive(Default)]
struct State {
    id: Option<String>,
    revision: Option<String>,
    /// How often the server has agreed to start it.
    starts: u64,
    /// Whether the server names its sessions, also after one is lost.
    has_ids: bool,
    initialize: Option<Message>,
    initialized: Option<Message>,
}

impl RemoteSession {
    pub(super) fn will_start(&self, initialize: &Message) {
        *self.state() = State { initialize: Some(initialize.clone()), ..State::default() };
    }

    pub(super) fn is_started(&self, initialized: &Message) {
        self.state().initialized = Some(initialized.clone());
    }

    /// Notes what the answer to `initialize` says, before the client can send more.
    pub(super) fn note(&self, id: Option<&str>, answer: &[u8]) {
        let text = String::from_utf8_lossy(answer);
        let answer = Members::parse(&text).ok();
        let result = answer.as_ref().and_then(|answer| answer.object("result"));
        let mut state = self.state();
        let revision = result.and_then(|result| result.string("protocolVersion"));
        // A refusal leaves the session as it is.
        if revision.is_some() {
            state.revision = revision;
            state.id = id.map(str::to_owned);
            state.has_ids |= id.is_some();
            state.starts += 1;
        }
    }

    /// How often the server has agreed to start it.
    pub(super) fn starts(&self) -> u64 {
        self.state().starts
    }

    /// Whether a server may have lost it: only one that names its sessions can tell.
    pub(super) fn can_be_lost(&self) -> bool {
        self.state().has_ids
    }

    pub(super) fn id(&self) -> Option<String> {
        self.state().id.clone()
    }

    /// The messages that start a session like this one.
    pub(super) fn start_messages(&self) -> Option<(Message, Option<Message>)> {
        let state = self.state();
        Some((state.initialize.clone()?, state.initialized.clone()))
    }

    /// Forgets the session; returns its id.
    pub(super) fn forget(&self) -> Option<String> {
        let mut state = self.state();
        state.revision = None;
        state.id.take()
    }

    pub(super) fn renewal(&self) -> MutexGuard<'_, ()> {
        lock(&self.renewal)
    }

    /// The headers of a message that does not name its revision itself.
    pub(super) fn headers(&self) -> Vec<(String, String)> {
        let state = self.state();
        [("Mcp-Session-Id", &state.id), ("MCP-Protocol-Version", &state.revision)]
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)))
            .collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}
