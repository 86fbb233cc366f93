//! Streams that no request waits for: that on which a server speaks unasked, and those that stay open after their answer.
//!
//! They end with the connection, also if the server leaves them open: in a gateway, the process goes on.

use std::collections::HashMap;
use std::sync::Mutex;

use forebay_app::bounds::MAX_LINGERING_STREAMS;
use forebay_sandbox::web::AbortHandle;

use super::lock;

#[derive(Default)]
pub(super) struct BackgroundStreams(Mutex<State>);

#[derive(Default)]
struct State {
    has_ended: bool,
    /// The stream on which the server speaks unasked.
    notices: Option<AbortHandle>,
    lingering: HashMap<u64, AbortHandle>,
    last_number: u64,
}

/// A stream that stays open, until this is dropped.
pub(super) struct Lingering<'a> {
    streams: &'a BackgroundStreams,
    number: u64,
}

impl BackgroundStreams {
    /// Has the stream on which the server speaks unasked end with the connection, and ends the one before; returns whether it
    /// may be opened.
    pub(super) fn replace_notices(&self, abort: AbortHandle) -> bool {
        let mut state = lock(&self.0);
        if state.has_ended {
            return false;
        }
        let before = state.notices.replace(abort);
        drop(state);
        before.into_iter().for_each(AbortHandle::abort);
        true
    }

    /// Has a stream end with the connection; `None` if it may not stay open.
    pub(super) fn linger(&self, abort: AbortHandle) -> Option<Lingering<'_>> {
        let mut state = lock(&self.0);
        if state.has_ended || state.lingering.len() >= MAX_LINGERING_STREAMS {
            return None;
        }
        state.last_number += 1;
        let number = state.last_number;
        state.lingering.insert(number, abort);
        Some(Lingering { streams: self, number })
    }

    /// Ends all of them, and those that would be opened.
    pub(super) fn end(&self) {
        let mut state = lock(&self.0);
        state.has_ended = true;
        let open: Vec<AbortHandle> = std::mem::take(&mut state.lingering)
            .into_values()
            .chain(state.notices.take())
            .collect();
        drop(state);
        open.into_iter().for_each(AbortHandle::abort);
    }
}

impl Drop for Lingering<'_> {
    fn drop(&mut self) {
        lock(&self.streams.0).lingering.remove(&self.number);
    }
}
