//! What was sent to MCP clients over HTTP, kept for those whose connection broke off.
//!
//! An answer may be ready while its client is away. It is kept in memory until others need the room;
//! whoever comes back gets what came after the last event it saw, and the answer when that is ready.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use parking_lot::Mutex;
use rmcp::model::JsonRpcMessage;
use rmcp::transport::streamable_http_server::session::{
    EventId, EventStore, EventStoreError, EventStream, ServerSseMessage,
};
use tokio::sync::watch;

/// What all streams may take.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// What a stream takes beside its messages.
const PER_STREAM: usize = 512;
/// Of one stream the newest: what is said on the way to an answer ages fast.
const MOST_IN_STREAM: usize = 64;

/// The events of all streams. A stream's name cannot be guessed, and so neither can its events'.
#[derive(Default)]
pub(super) struct Events {
    shelf: Mutex<Shelf>,
}

#[derive(Default)]
struct Shelf {
    streams: HashMap<String, Arc<Stream>>,
    /// The names of the streams, longest untouched first; a stream stands in it for each time it was
    /// touched, and only the last one counts.
    order: VecDeque<(String, usize)>,
    bytes: usize,
}

/// One request's events, or those of a session.
struct Stream {
    told: watch::Sender<Told>,
}

#[derive(Default)]
struct Told {
    events: VecDeque<ServerSseMessage>,
    /// How many there were, those that are gone included.
    count: usize,
    bytes: usize,
    is_answered: bool,
}

#[derive(Debug, thiserror::Error)]
#[error("there is no such event, or it was too long ago")]
struct NoSuchEvent;

#[async_trait::async_trait]
impl EventStore for Events {
    async fn store_event(
        &self,
        stream_id: &str,
        event: &ServerSseMessage,
    ) -> Result<EventId, EventStoreError> {
        Ok(self.shelf.lock().put(stream_id, event))
    }

    async fn replay_events_after(
        &self,
        last_event_id: &str,
    ) -> Result<EventStream, EventStoreError> {
        let (name, index) = last_event_id.rsplit_once('.').ok_or(NoSuchEvent)?;
        let index: usize = index.parse().map_err(|_| NoSuchEvent)?;
        let stream = self.shelf.lock().streams.get(name).cloned().ok_or(NoSuchEvent)?;
        Ok(following(stream.told.subscribe(), index.saturating_add(1)))
    }
}

impl Shelf {
    fn put(&mut self, name: &str, event: &ServerSseMessage) -> EventId {
        let stream = self.streams.entry(name.to_owned()).or_insert_with(|| {
            self.bytes += PER_STREAM;
            Arc::new(Stream { told: watch::Sender::default() })
        });
        let (mut id, mut grown) = (String::new(), 0);
        stream.told.send_modify(|told| {
            let before = told.bytes;
            id = told.add(name, event);
            self.bytes = self.bytes + told.bytes - before;
            grown = told.count;
        });
        self.order.push_back((name.to_owned(), grown));
        self.make_room();
        id
    }

    /// Forgets the streams that were longest untouched.
    fn make_room(&mut self) {
        while self.bytes > MOST_BYTES || self.order.len() > MOST_BYTES / PER_STREAM {
            let Some((name, count)) = self.order.pop_front() else { return };
            let is_last = |stream: &Arc<Stream>| stream.told.borrow().count == count;
            if self.streams.get(&name).is_some_and(is_last)
                && let Some(stream) = self.streams.remove(&name)
            {
                self.bytes -= stream.told.borrow().bytes + PER_STREAM;
            }
        }
    }
}

impl Told {
    fn add(&mut self, name: &str, event: &ServerSseMessage) -> EventId {
        let id = format!("{name}.{}", self.count);
        let mut event = event.clone();
        event.event_id = Some(id.clone());
        self.count += 1;
        self.bytes += size(&event);
        self.is_answered |= is_answer(&event);
        self.events.push_back(event);
        if self.events.len() > MOST_IN_STREAM
            && let Some(oldest) = self.events.pop_front()
        {
            self.bytes -= size(&oldest);
        }
        id
    }

    /// The first event from `index` on that is still there, and the index after it.
    fn from(&self, index: usize) -> Option<(ServerSseMessage, usize)> {
        let first = self.count - self.events.len();
        let index = index.max(first);
        Some((self.events.get(index - first)?.clone(), index + 1))
    }
}

/// The events from `index` on, as they come, up to the answer or to when the stream is forgotten.
fn following(told: watch::Receiver<Told>, index: usize) -> EventStream {
    let events = stream::unfold((told, index), |(mut told, index)| async move {
        let is_there = |told: &Told| told.from(index).is_some() || told.is_answered;
        let (event, next) = told.wait_for(is_there).await.ok()?.from(index)?;
        Some((event, (told, next)))
    });
    Box::pin(events.fuse())
}

fn is_answer(event: &ServerSseMessage) -> bool {
    use JsonRpcMessage::{Error, Response};
    matches!(event.message.as_deref(), Some(Response(_) | Error(_)))
}

/// How many bytes a message takes, as it is sent.
fn size(event: &ServerSseMessage) -> usize {
    let mut counter = Counter(0);
    // What cannot be written is not sent either.
    let _ = event.message.as_ref().map(|message| serde_json::to_writer(&mut counter, message));
    counter.0
}

struct Counter(usize);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(what: &str) -> ServerSseMessage {
        let params = json!({ "level": "info", "data": what });
        let message =
            json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params });
        ServerSseMessage::from_message(serde_json::from_value(message).unwrap())
    }

    fn answer() -> ServerSseMessage {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
        ServerSseMessage::from_message(serde_json::from_value(message).unwrap())
    }

    fn now<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    #[test]
    fn who_comes_back_gets_what_came_after_and_no_more() {
        now(async {
            let events = Events::default();
            let first = events.store_event("a", &said("one")).await.unwrap();
            let second = events.store_event("a", &said("two")).await.unwrap();
            events.store_event("b", &said("of another")).await.unwrap();
            let last = events.store_event("a", &answer()).await.unwrap();
            let replayed = events.replay_events_after(&first).await.unwrap();
            let ids: Vec<_> = replayed.filter_map(|event| async { event.event_id }).collect().await;
            assert_eq!(ids, [second, last.clone()]);
            assert_eq!(events.replay_events_after(&last).await.unwrap().count().await, 0);
        });
    }

    #[test]
    fn an_answer_that_is_not_ready_is_waited_for() {
        now(async {
            let events = Arc::new(Events::default());
            let first = events.store_event("a", &said("one")).await.unwrap();
            let replayed = events.replay_events_after(&first).await.unwrap();
            let later = Arc::clone(&events);
            let store = async move { later.store_event("a", &answer()).await.unwrap() };
            let (ids, last) = tokio::join!(
                replayed.filter_map(|event| async { event.event_id }).collect::<Vec<_>>(),
                store
            );
            assert_eq!(ids, [last]);
        });
    }

    #[test]
    fn nobody_knows_what_was_never_sent() {
        now(async {
            let events = Events::default();
            events.store_event("a", &said("one")).await.unwrap();
            for id in ["", "a", "a.x", "b.0", "a.-1", ".", "99999999999999999999"] {
                assert!(events.replay_events_after(id).await.is_err(), "{id}");
            }
        });
    }

    #[test]
    fn the_room_is_bounded_and_the_newest_stay() {
        now(async {
            let events = Events::default();
            let long = said(&"x".repeat(100_000));
            let mut last = String::new();
            for number in 0..400 {
                last = events.store_event(&format!("s{number}"), &long).await.unwrap();
            }
            let talkative = events.store_event("t", &said("first")).await.unwrap();
            for _ in 0..1_000 {
                events.store_event("t", &said("more")).await.unwrap();
            }
            events.store_event("t", &answer()).await.unwrap();
            assert!(events.replay_events_after("s0.0").await.is_err());
            assert!(events.replay_events_after(&last).await.is_ok());
            let kept = events.replay_events_after(&talkative).await.unwrap().count().await;
            assert_eq!(kept, MOST_IN_STREAM);
            let shelf = events.shelf.lock();
            let bytes = |stream: &Arc<Stream>| stream.told.borrow().bytes + PER_STREAM;
            assert_eq!(shelf.bytes, shelf.streams.values().map(bytes).sum::<usize>());
            assert!(shelf.bytes <= MOST_BYTES);
        });
    }
}
