//! What a client gets, as streams of events: one for each of its POST requests, and one for what no request is about.
//!
//! Events stay for a while after they were sent, so that a client whose connection broke can take a stream up again. A stream
//! that is not read keeps answers and requests; of notifications it keeps less, and their server waits for a client that
//! reads slowly. All streams together are bounded: what was sent is forgotten first, and an answer without room becomes an
//! error.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use forebay_app::bounds::{
    MAX_KEPT_EVENTS, MAX_KEPT_STREAMS, MAX_LINE_BYTES, MAX_UNANSWERED, MAX_UNREAD_BYTES,
    READ_TIMEOUT,
};
use rmcp::model::ErrorCode;
use tokio::sync::watch;

use crate::doors::wrap::{Members, Outbox, id_key};

/// The stream of what no request is about.
pub(super) const UNASKED: u64 = 0;

/// The streams of a session.
#[derive(Default)]
pub(super) struct Streams {
    state: Mutex<State>,
    /// A reader has read, or is gone.
    room: Condvar,
}

struct State {
    streams: BTreeMap<u64, Stream>,
    /// Streams by the ids of unanswered requests.
    by_request: HashMap<String, u64>,
    by_progress_token: HashMap<String, u64>,
    last: u64,
    /// Streams with all answers, oldest first.
    complete: VecDeque<u64>,
    /// Bytes of all events.
    bytes: usize,
    has_ended: bool,
}

#[derive(Default)]
struct Stream {
    events: VecDeque<Arc<str>>,
    /// The number of the first event that is kept.
    first: u64,
    /// The number of the first event that no reader has got.
    unread: u64,
    unread_bytes: usize,
    unanswered: HashSet<String>,
    progress_tokens: Vec<String>,
    /// Whether its client takes one answer and nothing else.
    has_answer_only: bool,
    /// The reader that counts; `None` while there is none.
    reader: Option<u64>,
    last_reader: u64,
    changes: watch::Sender<()>,
}

/// A request, as a stream needs to know it.
pub(super) struct Request {
    /// Its id, as it is compared.
    pub(super) id: String,
    pub(super) progress_token: Option<String>,
}

/// Why a request cannot be taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    #[error("a request with this id is not answered yet")]
    IdInUse,
    #[error("too many requests of this session are not answered yet")]
    TooMany,
}

/// An event of a stream.
#[derive(Debug)]
pub(super) struct Event {
    /// Identifies it to a client that reconnects.
    pub(super) id: String,
    pub(super) message: Arc<str>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            streams: BTreeMap::from([(UNASKED, Stream::default())]),
            by_request: HashMap::new(),
            by_progress_token: HashMap::new(),
            last: UNASKED,
            complete: VecDeque::new(),
            bytes: 0,
            has_ended: false,
        }
    }
}

impl Streams {
    /// Opens a stream for the answers to some requests.
    pub(super) fn open(
        &self,
        requests: Vec<Request>,
        has_answer_only: bool,
    ) -> Result<u64, Refused> {
        let mut state = self.state();
        let is_in_use = |request: &Request| state.by_request.contains_key(&request.id);
        let ids: HashSet<&str> = requests.iter().map(|request| request.id.as_str()).collect();
        if ids.len() < requests.len() || requests.iter().any(is_in_use) {
            return Err(Refused::IdInUse);
        }
        if state.by_request.len() + requests.len() > MAX_UNANSWERED {
            return Err(Refused::TooMany);
        }
        state.last += 1;
        let number = state.last;
        let mut stream = Stream { has_answer_only, ..Stream::default() };
        for Request { id, progress_token } in requests {
            state.by_request.insert(id.clone(), number);
            stream.unanswered.insert(id);
            if let Some(token) = progress_token {
                state.by_progress_token.insert(token.clone(), number);
                stream.progress_tokens.push(token);
            }
        }
        state.streams.insert(number, stream);
        Ok(number)
    }

    /// Reads a stream behind an event, or from the first unread one. An earlier reader of the stream ends.
    pub(super) fn read(self: &Arc<Self>, stream: u64, behind: Option<u64>) -> Option<Reader> {
        let mut state = self.state();
        let known = state.streams.get_mut(&stream)?;
        known.last_reader += 1;
        known.reader = Some(known.last_reader);
        let end = known.first + known.events.len() as u64;
        let next = behind.map_or(known.unread, |event| event.saturating_add(1));
        let next = next.clamp(known.first, end);
        let (number, changes) = (known.last_reader, known.changes.subscribe());
        known.changes.send_replace(());
        Some(Reader { streams: Arc::clone(self), stream, number, next, changes })
    }

    /// Waits no longer for the answer to a request.
    pub(super) fn give_up(&self, id: &str) {
        let (mut state, id) = (self.state(), id_key(id));
        if let Some(number) = state.by_request.remove(&id) {
            state.is_answered(number, &id);
        }
    }

    /// Ends all streams.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.has_ended = true;
        for stream in state.streams.values() {
            stream.changes.send_replace(());
        }
        self.room.notify_all();
    }

    /// Whether the client reads, or waits for an answer.
    pub(super) fn are_in_use(&self) -> bool {
        let state = self.state();
        !state.by_request.is_empty() || state.streams.values().any(|stream| stream.reader.is_some())
    }

    pub(super) fn have_unanswered(&self) -> bool {
        !self.state().by_request.is_empty()
    }

    /// Adds a notification, if need be once the client has read others.
    fn notify(&self, stream: u64, message: &str) {
        let has_no_room = |state: &mut State| {
            let is_full = |stream: &Stream| !stream.has_room(message);
            state.streams.get(&stream).is_some_and(is_full) || !state.make_room(message.len())
        };
        let waits = |state: &mut State| {
            let is_read = |stream: &Stream| stream.reader.is_some();
            !state.has_ended
                && state.streams.get(&stream).is_some_and(is_read)
                && has_no_room(state)
        };
        let waited = self.room.wait_timeout_while(self.state(), READ_TIMEOUT, waits);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if has_no_room(&mut state) {
            tracing::warn!("a notification is dropped: its client does not read");
            return;
        }
        state.push(stream, message);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outbox for Arc<Streams> {
    fn answer(&self, id: &str, message: &str) {
        let (mut state, key) = (self.state(), id_key(id));
        // The client may have given it up.
        let Some(number) = state.by_request.remove(&key) else { return };
        if state.make_room(message.len()) {
            state.push(number, message);
        } else {
            state.push(number, &answer_without_room(id));
        }
        state.is_answered(number, &key);
    }

    fn deliver(&self, message: &str, unanswered: &dyn Fn() -> Vec<String>) {
        let Ok(members) = Members::parse(message) else { return };
        if members.get("id").is_some() {
            let mut state = self.state();
            let stream = state.stream_of(&unanswered()).unwrap_or(UNASKED);
            if !state.make_room(message.len()) {
                tracing::warn!("a request of a server is dropped: its client does not read");
                return;
            }
            return state.push(stream, message);
        }
        let params = members.object("params");
        let token = params.as_ref().and_then(|params| params.get("progressToken"));
        let stream = {
            let state = self.state();
            let of_token = token.and_then(|token| state.by_progress_token.get(token).copied());
            let of_token = of_token.filter(|number| state.takes_more(*number));
            let is_heard = || state.streams.get(&UNASKED).is_some_and(|one| one.reader.is_some());
            match of_token {
                Some(stream) => stream,
                None if is_heard() => UNASKED,
                None => state.stream_of(&unanswered()).unwrap_or(UNASKED),
            }
        };
        self.notify(stream, message);
    }
}

impl State {
    /// The stream of the first of these requests that takes more than its answer.
    fn stream_of(&self, requests: &[String]) -> Option<u64> {
        let mut streams = requests.iter().filter_map(|id| self.by_request.get(id).copied());
        streams.find(|number| self.takes_more(*number))
    }

    fn takes_more(&self, number: u64) -> bool {
        self.streams.get(&number).is_some_and(|stream| !stream.has_answer_only)
    }

    fn push(&mut self, number: u64, message: &str) {
        let Some(stream) = self.streams.get_mut(&number) else { return };
        // In an event, a carriage return would end the line; in JSON it is white space.
        stream.events.push_back(message.replace('\r', " ").into());
        stream.unread_bytes += message.len();
        stream.changes.send_replace(());
        self.bytes += message.len();
    }

    /// Forgets what was sent, and then answers without a reader, until there is room; returns whether there is.
    fn make_room(&mut self, bytes: usize) -> bool {
        if self.has_room(bytes) {
            return true;
        }
        self.bytes -= self.streams.values_mut().map(Stream::forget_read).sum::<usize>();
        while !self.has_room(bytes) {
            let streams = &self.streams;
            let is_unread =
                |number: &u64| streams.get(number).is_none_or(|stream| stream.reader.is_none());
            let Some(at) = self.complete.iter().position(is_unread) else { return false };
            if let Some(number) = self.complete.remove(at) {
                self.forget(number);
            }
        }
        true
    }

    fn has_room(&self, bytes: usize) -> bool {
        self.bytes == 0 || self.bytes + bytes <= MAX_LINE_BYTES
    }

    fn forget(&mut self, number: u64) {
        let forgotten = self.streams.remove(&number);
        self.bytes -= forgotten.map_or(0, |stream| stream.bytes());
    }

    fn is_answered(&mut self, number: u64, id: &str) {
        let Some(stream) = self.streams.get_mut(&number) else { return };
        stream.unanswered.remove(id);
        if !stream.unanswered.is_empty() {
            return;
        }
        for token in &stream.progress_tokens {
            self.by_progress_token.remove(token);
        }
        stream.changes.send_replace(());
        self.complete.push_back(number);
        self.forget_oldest();
    }

    /// Forgets streams with all answers that nobody reads.
    fn forget_oldest(&mut self) {
        let streams = &mut self.streams;
        let bytes = &mut self.bytes;
        let mut excess = self.complete.len().saturating_sub(MAX_KEPT_STREAMS);
        self.complete.retain(|number| {
            let is_read = streams.get(number).is_some_and(|stream| stream.reader.is_some());
            let is_kept = excess == 0 || is_read;
            if !is_kept {
                excess -= 1;
                *bytes -= streams.remove(number).map_or(0, |stream| stream.bytes());
            }
            is_kept
        });
    }
}

/// The answer to a request whose own answer cannot be kept.
fn answer_without_room(id: &str) -> String {
    let (code, mb) = (ErrorCode::INTERNAL_ERROR.0, MAX_LINE_BYTES / (1024 * 1024));
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"the answer is dropped: {mb} MB of this session are not read yet"}}}}"#
    )
}

impl Stream {
    fn has_room(&self, message: &str) -> bool {
        self.unread_bytes == 0 || self.unread_bytes + message.len() <= MAX_UNREAD_BYTES
    }

    fn get(&self, number: u64) -> Option<Arc<str>> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.events.get(at).cloned()
    }

    fn bytes(&self) -> usize {
        self.events.iter().map(|message| message.len()).sum()
    }

    /// Notes that a reader has got an event, and forgets old ones; returns their bytes.
    fn note_read(&mut self, number: u64) -> usize {
        if number >= self.unread {
            self.unread = number + 1;
            self.unread_bytes -= self.get(number).map_or(0, |message| message.len());
        }
        self.forget_before(self.unread.saturating_sub(MAX_KEPT_EVENTS as u64))
    }

    /// Forgets all that readers have got; returns its bytes.
    fn forget_read(&mut self) -> usize {
        self.forget_before(self.unread)
    }

    fn forget_before(&mut self, number: u64) -> usize {
        let mut bytes = 0;
        while self.first < number {
            let Some(event) = self.events.pop_front() else { break };
            self.first += 1;
            bytes += event.len();
        }
        bytes
    }
}

/// The events of a stream, as they come.
pub(super) struct Reader {
    streams: Arc<Streams>,
    stream: u64,
    /// Its number among the readers of the stream.
    number: u64,
    next: u64,
    changes: watch::Receiver<()>,
}

impl Reader {
    /// Returns the next event; `None` after the last one, or if another reader has taken the stream over.
    pub(super) async fn next(&mut self) -> Option<Event> {
        loop {
            self.changes.borrow_and_update();
            if let Poll::Ready(found) = self.poll() {
                return found;
            }
            self.changes.changed().await.ok()?;
        }
    }

    /// Whether no further event comes.
    pub(super) fn is_at_end(&self) -> bool {
        let state = self.streams.state();
        let stream = state.streams.get(&self.stream);
        stream.is_none_or(|stream| stream.unanswered.is_empty() && stream.get(self.next).is_none())
    }

    /// The next event, or `None` at the end.
    fn poll(&mut self) -> Poll<Option<Event>> {
        let mut guard = self.streams.state();
        let state = &mut *guard;
        let has_ended = state.has_ended;
        let Some(stream) = state.streams.get_mut(&self.stream) else { return Poll::Ready(None) };
        if stream.reader != Some(self.number) {
            return Poll::Ready(None);
        }
        // What it has not read yet may be forgotten if an earlier reader has.
        self.next = self.next.max(stream.first);
        let Some(message) = stream.get(self.next) else {
            let is_complete = self.stream != UNASKED && stream.unanswered.is_empty();
            return if is_complete || has_ended { Poll::Ready(None) } else { Poll::Pending };
        };
        let id = format!("{}.{}", self.stream, self.next);
        state.bytes -= stream.note_read(self.next);
        self.next += 1;
        self.streams.room.notify_all();
        Poll::Ready(Some(Event { id, message }))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.streams.state();
        if let Some(stream) = state.streams.get_mut(&self.stream)
            && stream.reader == Some(self.number)
        {
            stream.reader = None;
            state.forget_oldest();
        }
        self.streams.room.notify_all();
    }
}

#[cfg(test)]
mod tests;
