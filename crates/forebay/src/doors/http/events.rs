//! Server-sent events kept for MCP clients that reconnect.
//!
//! Events stay in memory until evicted. A reconnecting client gets the events after the last one it saw, and the response
//! when it is ready.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use forebay_app::bounds::{MAX_EVENT_BYTES, MAX_EVENTS_PER_STREAM};
use futures_util::{StreamExt, stream};
use parking_lot::Mutex;
use rmcp::model::JsonRpcMessage;
use rmcp::transport::streamable_http_server::session::{
    EventId, EventStore, EventStoreError, EventStream, ServerSseMessage,
};
use tokio::sync::watch;

/// Overhead of a stream beside its messages.
const STREAM_OVERHEAD: usize = 512;

/// The events of all streams. Stream names are unguessable, and so are event ids.
#[derive(Default)]
pub(super) struct Events {
    shelf: Mutex<EventLog>,
}

#[derive(Default)]
struct EventLog {
    streams: HashMap<String, Arc<Stream>>,
    /// LRU queue of stream names; a stream appears once a use, and only the last counts.
    order: VecDeque<(String, usize)>,
    bytes: usize,
}

/// The events of one request or session.
struct Stream {
    events: watch::Sender<StreamEvents>,
}

#[derive(Default)]
struct StreamEvents {
    events: VecDeque<ServerSseMessage>,
    /// Total number of events, including evicted ones.
    count: usize,
    bytes: usize,
    is_answered: bool,
}

#[derive(Debug, thiserror::Error)]
#[error("unknown or expired event id")]
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
        Ok(follow(stream.events.subscribe(), index.saturating_add(1)))
    }
}

impl EventLog {
    fn put(&mut self, name: &str, event: &ServerSseMessage) -> EventId {
        let stream = self.streams.entry(name.to_owned()).or_insert_with(|| {
            self.bytes += STREAM_OVERHEAD;
            Arc::new(Stream { events: watch::Sender::default() })
        });
        let (mut id, mut grown) = (String::new(), 0);
        stream.events.send_modify(|events| {
            let before = events.bytes;
            id = events.add(name, event);
            self.bytes = self.bytes + events.bytes - before;
            grown = events.count;
        });
        self.order.push_back((name.to_owned(), grown));
        self.evict();
        id
    }

    /// Evicts the least recently used streams.
    fn evict(&mut self) {
        while self.bytes > MAX_EVENT_BYTES || self.order.len() > MAX_EVENT_BYTES / STREAM_OVERHEAD {
            let Some((name, count)) = self.order.pop_front() else { return };
            let is_last = |stream: &Arc<Stream>| stream.events.borrow().count == count;
            if self.streams.get(&name).is_some_and(is_last)
                && let Some(stream) = self.streams.remove(&name)
            {
                self.bytes -= stream.events.borrow().bytes + STREAM_OVERHEAD;
            }
        }
    }
}

impl StreamEvents {
    fn add(&mut self, name: &str, event: &ServerSseMessage) -> EventId {
        let id = format!("{name}.{}", self.count);
        let mut event = event.clone();
        event.event_id = Some(id.clone());
        self.count += 1;
        self.bytes += size(&event);
        self.is_answered |= is_answer(&event);
        self.events.push_back(event);
        if self.events.len() > MAX_EVENTS_PER_STREAM
            && let Some(oldest) = self.events.pop_front()
        {
            self.bytes -= size(&oldest);
        }
        id
    }

    /// The first retained event from `index` on, and the index after it.
    fn from(&self, index: usize) -> Option<(ServerSseMessage, usize)> {
        let first = self.count - self.events.len();
        let index = index.max(first);
        Some((self.events.get(index - first)?.clone(), index + 1))
    }
}

/// EventLog events from `index` on, until the response or until the stream is evicted.
fn follow(events: watch::Receiver<StreamEvents>, index: usize) -> EventStream {
    let events = stream::unfold((events, index), |(mut events, index)| async move {
        let is_there = |events: &StreamEvents| events.from(index).is_some() || events.is_answered;
        let (event, next) = events.wait_for(is_there).await.ok()?.from(index)?;
        Some((event, (events, next)))
    });
    Box::pin(events.fuse())
}

fn is_answer(event: &ServerSseMessage) -> bool {
    use JsonRpcMessage::{Error, Response};
    matches!(event.message.as_deref(), Some(Response(_) | Error(_)))
}

/// Serialized size of a message.
fn size(event: &ServerSseMessage) -> usize {
    let mut counter = Counter(0);
    // A message that cannot be serialized is not sent.
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
    fn replays_events_after_the_last_seen() {
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
    fn waits_for_a_pending_response() {
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
    fn rejects_unknown_event_ids() {
        now(async {
            let events = Events::default();
            events.store_event("a", &said("one")).await.unwrap();
            for id in ["", "a", "a.x", "b.0", "a.-1", ".", "99999999999999999999"] {
                assert!(events.replay_events_after(id).await.is_err(), "{id}");
            }
        });
    }

    #[test]
    fn memory_is_bounded_and_the_newest_stay() {
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
            assert_eq!(kept, MAX_EVENTS_PER_STREAM);
            let shelf = events.shelf.lock();
            let bytes = |stream: &Arc<Stream>| stream.events.borrow().bytes + STREAM_OVERHEAD;
            assert_eq!(shelf.bytes, shelf.streams.values().map(bytes).sum::<usize>());
            assert!(shelf.bytes <= MAX_EVENT_BYTES);
        });
    }
}
