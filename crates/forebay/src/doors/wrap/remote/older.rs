//! The transport of the revision of 2024-11-05: one stream of events from the server, which first names the address that
//! messages are sent to.
//!
//! It is spoken if the server refuses the first message over streamable HTTP, as the later revisions have it. A stream that ends
//! is opened again by the next message, with the client's own greeting.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use forebay_sandbox::web::{
    AbortHandle, HttpConnection, HttpExchange, HttpMethod, StreamedResponse,
};
use url::Url;

use super::super::json::{self, Members, id_key};
use super::fault::{Fault, HttpRefusal};
use super::sse::Events;
use super::{Message, Remote, lock};

const EVENTS: &str = "text/event-stream";

#[derive(Default)]
pub(super) struct OlderTransport {
    is_spoken: AtomicBool,
    /// Held while a stream is opened and greeted.
    opening: Mutex<()>,
    /// Ends that, from a thread that does not wait for it.
    opening_abort: Mutex<Option<AbortHandle>>,
    stream: Mutex<Option<Arc<Stream>>>,
}

/// The stream of a session.
struct Stream {
    /// Where messages are sent.
    address: String,
    has_ended: AtomicBool,
    abort: Mutex<Option<AbortHandle>>,
    /// Answers that the client does not get, by their ids.
    private: Mutex<HashMap<String, Sender<()>>>,
}

impl OlderTransport {
    pub(super) fn is_spoken(&self) -> bool {
        self.is_spoken.load(Ordering::Acquire)
    }

    fn uses(&self, stream: &Arc<Stream>) -> bool {
        lock(&self.stream).as_ref().is_some_and(|used| Arc::ptr_eq(used, stream))
    }

    pub(super) fn close(&self) {
        if let Some(abort) = lock(&self.opening_abort).take() {
            abort.abort();
        }
        if let Some(stream) = lock(&self.stream).take() {
            stream.close();
        }
    }
}

impl Stream {
    fn close(&self) {
        self.has_ended.store(true, Ordering::Release);
        if let Some(abort) = lock(&self.abort).take() {
            abort.abort();
        }
    }
}

/// Whether the server opens such a stream; it is spoken from then on.
pub(super) fn is_offered(remote: &Arc<Remote>) -> Result<bool, Fault> {
    let _opening = lock(&remote.older.opening);
    if lock(&remote.older.stream).is_none() {
        match open(remote) {
            Ok(stream) => use_stream(remote, stream),
            Err(Fault::Status(_) | Fault::Ended(_) | Fault::Http(_)) => return Ok(false),
            Err(fault) => return Err(fault),
        }
    }
    remote.older.is_spoken.store(true, Ordering::Release);
    Ok(true)
}

/// Sends a message; for a request, returns when it is answered.
pub(super) fn deliver(
    remote: &Arc<Remote>,
    connection: &HttpConnection,
    message: &Message,
) -> Result<(), Fault> {
    let stream = current(remote, message)?;
    // Some servers respond to the POST of a call when it is done, however long it takes.
    let timeout = if message.id.is_none() { remote.accept_timeout } else { None };
    post(remote, connection, &stream, message, timeout)?;
    let Some(id) = &message.id else { return Ok(()) };
    let has_ended = || stream.has_ended.load(Ordering::Acquire);
    if remote.wait_for_answer(id, has_ended) { Err(ended(remote)) } else { Ok(()) }
}

/// The open stream; a new one starts the client's session again, unless this message does.
fn current(remote: &Arc<Remote>, message: &Message) -> Result<Arc<Stream>, Fault> {
    let _opening = lock(&remote.older.opening);
    let open_one = lock(&remote.older.stream).clone();
    if let Some(stream) = open_one.filter(|one| !one.has_ended.load(Ordering::Acquire)) {
        return Ok(stream);
    }
    if remote.ended.is_cancelled() {
        return Err(ended(remote));
    }
    let stream = open(remote)?;
    if message.method != "initialize"
        && let Some((initialize, initialized)) = remote.session.start_messages()
    {
        let greeted = greet(remote, &stream, &initialize, initialized.as_ref());
        // A stream that is not kept would have no reader.
        greeted.inspect_err(|_| stream.close())?;
    }
    use_stream(remote, Arc::clone(&stream));
    Ok(stream)
}

/// Lets messages be sent in a stream, unless the connection ends meanwhile.
fn use_stream(remote: &Remote, stream: Arc<Stream>) {
    *lock(&remote.older.stream) = Some(stream);
    lock(&remote.older.opening_abort).take();
    if remote.ended.is_cancelled() {
        remote.older.close();
    }
}

fn greet(
    remote: &Remote,
    stream: &Stream,
    initialize: &Message,
    initialized: Option<&Message>,
) -> Result<(), Fault> {
    let (answer, answered) = mpsc::channel();
    let id = id_key(initialize.id.as_deref().unwrap_or_default());
    lock(&stream.private).insert(id, answer);
    let connection = remote.http.connection(&stream.address);
    let timeout = remote.accept_timeout;
    post(remote, &connection, stream, initialize, timeout)?;
    wait_for(&answered, timeout).ok_or_else(|| ended(remote))?;
    initialized.map_or(Ok(()), |message| post(remote, &connection, stream, message, timeout))
}

/// Opens a stream, and waits until it names an address.
fn open(remote: &Arc<Remote>) -> Result<Arc<Stream>, Fault> {
    let connection = remote.http.connection(&remote.endpoint.url);
    let abort = connection.abort_handle();
    *lock(&remote.older.opening_abort) = Some(abort.clone());
    if remote.ended.is_cancelled() {
        return Err(ended(remote));
    }
    let (named, address) = mpsc::channel();
    let (reading, thread_abort) = (Arc::clone(remote), connection.abort_handle());
    let read = move || {
        let headers = vec![("Accept".to_owned(), EVENTS.to_owned())];
        let opened = connection.send(&HttpExchange {
            method: HttpMethod::Get,
            url: &reading.endpoint.url,
            headers: &reading.with_own_headers(headers),
            timeout: None,
        });
        match opened {
            Ok(response) => read_all(&reading, response, thread_abort, &named),
            Err(error) => drop(named.send(Err(error.into()))),
        }
    };
    super::super::spawn("older-stream", read).map_err(Fault::NoThread)?;
    let opened = wait_for(&address, remote.accept_timeout).unwrap_or_else(|| Err(ended(remote)));
    if opened.is_err() {
        abort.abort();
    }
    opened
}

/// Waits for a value from another thread; `None` if none comes.
fn wait_for<T>(values: &Receiver<T>, timeout: Option<Duration>) -> Option<T> {
    match timeout {
        Some(timeout) => values.recv_timeout(timeout).ok(),
        None => values.recv().ok(),
    }
}

/// Passes on what comes until the stream ends.
fn read_all(
    remote: &Remote,
    response: StreamedResponse,
    abort: AbortHandle,
    named: &Sender<Result<Arc<Stream>, Fault>>,
) {
    let url = remote.endpoint.url.clone();
    let is_stream = response.header("content-type").is_some_and(|kind| kind.starts_with(EVENTS));
    if response.status != 200 || !is_stream {
        let fault = Fault::Status(HttpRefusal::new(&url, &response));
        return drop(named.send(Err(fault)));
    }
    let mut events = Events::new(response.body);
    let address = loop {
        match events.next() {
            Ok(Some(event)) if event.kind.as_deref() == Some("endpoint") => break event.data,
            Ok(Some(event)) if event.message().is_none() => {}
            Ok(_) | Err(_) => return drop(named.send(Err(ended(remote)))),
        }
    };
    let address = match resolve(&url, &address) {
        Ok(address) => address,
        Err(fault) => return drop(named.send(Err(fault))),
    };
    let stream = Arc::new(Stream {
        address,
        has_ended: AtomicBool::new(false),
        abort: Mutex::new(Some(abort)),
        private: Mutex::default(),
    });
    if named.send(Ok(Arc::clone(&stream))).is_err() {
        return;
    }
    while let Ok(Some(event)) = events.next() {
        let text = String::from_utf8_lossy(event.message().unwrap_or_default());
        for message in json::split_batch(&text).into_iter().filter(|one| !one.is_empty()) {
            receive(remote, &stream, message);
        }
    }
    // Nothing will come for what is being sent. No other stream is used yet. What waits for one that is not used has not been
    // sent.
    if remote.older.uses(&stream) {
        remote.abort_all();
    }
    stream.has_ended.store(true, Ordering::Release);
    lock(&stream.private).clear();
    // Those who wait for an answer look again, once they really wait.
    drop(remote.in_flight());
    remote.less_in_flight.notify_all();
}

/// The address for messages. One on another host would get the user's token.
fn resolve(url: &str, address: &[u8]) -> Result<String, Fault> {
    let address = String::from_utf8_lossy(address);
    let foreign = || Fault::ForeignEndpoint(url.to_owned(), address.to_string());
    let base = Url::parse(url).map_err(|_| foreign())?;
    let resolved = base.join(address.trim()).map_err(|_| foreign())?;
    if resolved.origin() == base.origin() { Ok(resolved.into()) } else { Err(foreign()) }
}

fn receive(remote: &Remote, stream: &Stream, message: &str) {
    let answered = Members::parse(message).ok().and_then(|members| {
        let is_answer = members.get("method").is_none();
        members.get("id").filter(|_| is_answer).map(str::to_owned)
    });
    let Some(id) = answered else { return remote.deliver(message.as_bytes()) };
    if let Some(greeting) = lock(&stream.private).remove(&id_key(&id)) {
        // The greeting may have been given up.
        let _ = greeting.send(());
        return;
    }
    // Before its request counts as answered: then the connection may end.
    remote.deliver(message.as_bytes());
    remote.has_answer_to(&id);
}

fn post(
    remote: &Remote,
    connection: &HttpConnection,
    stream: &Stream,
    message: &Message,
    timeout: Option<Duration>,
) -> Result<(), Fault> {
    let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    let response = connection.send(&HttpExchange {
        method: HttpMethod::Post(message.text.as_bytes()),
        url: &stream.address,
        headers: &remote.with_own_headers(headers),
        timeout,
    })?;
    match response.status {
        200..=299 => Ok(()),
        _ => Err(Fault::Status(HttpRefusal::new(&stream.address, &response))),
    }
}

fn ended(remote: &Remote) -> Fault {
    Fault::Ended(remote.endpoint.url.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_go_to_the_host_of_the_stream_only() {
        let resolved = |address: &str| resolve("https://a.example/sse", address.as_bytes());
        assert_eq!(resolved("/messages?id=7\n").unwrap(), "https://a.example/messages?id=7");
        assert_eq!(resolved("https://a.example:443/x").unwrap(), "https://a.example/x");
        for foreign in ["https://b.example/x", "http://a.example/x", "//b.example/x", "https://"] {
            assert!(matches!(resolved(foreign), Err(Fault::ForeignEndpoint(..))), "{foreign}");
        }
    }
}
