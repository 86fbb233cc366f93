//! One message to the server, and what comes back.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use forebay_app::bounds::{MAX_ERROR_BODY_BYTES, MAX_LINE_BYTES, MAX_RESUMPTIONS};
use forebay_sandbox::web::{HttpConnection, HttpExchange, HttpMethod, StreamedResponse};

use super::super::json::{self, Members};
use super::fault::{Fault, HttpRefusal};
use super::headers;
use super::sse::{Event, Events};
use super::{Message, Remote, lock, notices, older};

const EVENTS: &str = "text/event-stream";

/// What came of a message.
enum Outcome {
    Done,
    /// The server does not know the session.
    SessionLost,
    /// The server refuses, and has not answered anything before: it may speak the older transport.
    Refused(Fault),
}

/// Where answers of an exchange go.
#[derive(Debug, Clone, Copy)]
enum Receiver {
    Client,
    /// The exchange starts a session again, of which the client knows nothing.
    Nobody,
}

/// Sends a request, and passes on what comes until it is answered.
pub(super) fn request(remote: &Arc<Remote>, number: u64, message: &Message) -> Result<(), Fault> {
    let connection = remote.http.connection(&remote.endpoint.url);
    if !remote.aborts_by(number, connection.abort_handle()) {
        return Ok(());
    }
    deliver(remote, &connection, message, None)
}

/// Sends a message that has no answer.
pub(super) fn send(remote: &Arc<Remote>, message: &Message) -> Result<(), Fault> {
    let connection = remote.http.connection(&remote.endpoint.url);
    deliver(remote, &connection, message, remote.accept_timeout)
}

/// Sends a message, in a new session if the server has lost the old one.
fn deliver(
    remote: &Arc<Remote>,
    connection: &HttpConnection,
    message: &Message,
    timeout: Option<Duration>,
) -> Result<(), Fault> {
    if remote.older.is_spoken() {
        return older::deliver(remote, connection, message);
    }
    let session = remote.session.id();
    match attempt(remote, connection, message, timeout, Receiver::Client)? {
        Outcome::Done => Ok(()),
        Outcome::Refused(fault) => {
            if older::is_offered(remote)? {
                older::deliver(remote, connection, message)
            } else {
                Err(fault)
            }
        }
        Outcome::SessionLost => {
            renew_session(remote, session.as_deref())?;
            match attempt(remote, connection, message, timeout, Receiver::Client)? {
                Outcome::Done => Ok(()),
                Outcome::SessionLost => Err(Fault::NoSession),
                Outcome::Refused(fault) => Err(fault),
            }
        }
    }
}

/// Starts a session again as the client did, unless another thread has.
fn renew_session(remote: &Arc<Remote>, lost: Option<&str>) -> Result<(), Fault> {
    let _renewal = remote.session.renewal();
    if remote.session.id().as_deref() != lost {
        return Ok(());
    }
    let (initialize, initialized) = remote.session.start_messages().ok_or(Fault::NoSession)?;
    let starts = remote.session.starts();
    let connection = remote.http.connection(&remote.endpoint.url);
    repeat(remote, &connection, &initialize)?;
    if remote.session.starts() == starts {
        return Err(Fault::NoSession);
    }
    if let Some(initialized) = initialized {
        repeat(remote, &connection, &initialized)?;
        notices::listen(remote);
    }
    Ok(())
}

/// Sends a message again that the client has sent before; the client learns nothing of it.
fn repeat(remote: &Remote, connection: &HttpConnection, message: &Message) -> Result<(), Fault> {
    let timeout = remote.accept_timeout;
    match attempt(remote, connection, message, timeout, Receiver::Nobody)? {
        Outcome::Done => Ok(()),
        Outcome::SessionLost => Err(Fault::NoSession),
        Outcome::Refused(fault) => Err(fault),
    }
}

fn attempt(
    remote: &Remote,
    connection: &HttpConnection,
    message: &Message,
    timeout: Option<Duration>,
    receiver: Receiver,
) -> Result<Outcome, Fault> {
    let can_be_lost = remote.session.can_be_lost() && message.method != "initialize";
    let response = connection.send(&HttpExchange {
        method: HttpMethod::Post(message.text.as_bytes()),
        url: &remote.endpoint.url,
        headers: &post_headers(remote, message),
        timeout,
    })?;
    let is_first = !remote.has_accepted.load(Ordering::Acquire);
    match response.status {
        200..=299 => {
            remote.has_accepted.store(true, Ordering::Release);
            Exchange { remote, connection, message, receiver }.receive(response)?;
        }
        404 if can_be_lost && message.revision.is_none() => return Ok(Outcome::SessionLost),
        400 | 404 | 405 | 406 | 410 | 415 if is_first => {
            return Ok(refused(remote, message, response, receiver)
                .map_or_else(Outcome::Refused, |()| Outcome::Done));
        }
        _ => refused(remote, message, response, receiver)?,
    }
    Ok(Outcome::Done)
}

fn post_headers(remote: &Remote, message: &Message) -> Vec<(String, String)> {
    let mut headers = vec![
        ("Content-Type".to_owned(), "application/json".to_owned()),
        ("Accept".to_owned(), format!("application/json, {EVENTS}")),
    ];
    match &message.revision {
        Some(revision) => {
            headers.push(("MCP-Protocol-Version".to_owned(), revision.clone()));
            if let Ok(members) = Members::parse(&message.text) {
                let parameters = lock(&remote.parameters);
                headers.extend(headers::for_request(&members, &message.method, &parameters));
            }
        }
        // A session that is started again has not ended before: other requests may still be sent in it.
        None if message.method == "initialize" => {}
        None => headers.extend(remote.session.headers()),
    }
    remote.with_own_headers(headers)
}

/// Passes on an error of the protocol that came with an HTTP error.
fn refused(
    remote: &Remote,
    message: &Message,
    response: StreamedResponse,
    receiver: Receiver,
) -> Result<(), Fault> {
    let status = response.status;
    let mut refusal = HttpRefusal::new(&remote.endpoint.url, &response);
    let mut body = Vec::new();
    // An error needs no explanation.
    let _ = response.body.take(MAX_ERROR_BODY_BYTES).read_to_end(&mut body);
    let text = String::from_utf8_lossy(&body);
    if let (Receiver::Client, Some(id), Ok(mut answer)) =
        (receiver, &message.id, Members::parse(&text))
        && answer.get("error").is_some_and(|error| error.starts_with('{'))
        && !matches!(status, 401 | 403)
    {
        // The server may not have read so far as to know the id.
        answer.set("id", id.clone());
        remote.deliver(answer.into_text().as_bytes());
        return Ok(());
    }
    refusal.said = text.into_owned();
    Err(Fault::Status(refusal))
}

/// A message that the server has accepted.
struct Exchange<'a> {
    remote: &'a Remote,
    connection: &'a HttpConnection,
    message: &'a Message,
    receiver: Receiver,
}

impl Exchange<'_> {
    fn receive(&self, response: StreamedResponse) -> Result<(), Fault> {
        let session = response.header("mcp-session-id").map(str::to_owned);
        let media_type = response.header("content-type").unwrap_or_default().to_ascii_lowercase();
        if media_type.starts_with(EVENTS) {
            return self.receive_events(response, session.as_deref());
        }
        let mut body = Vec::new();
        let max = MAX_LINE_BYTES as u64;
        response.body.take(max).read_to_end(&mut body).map_err(|_| self.ended())?;
        if body.len() as u64 == max {
            return Err(Fault::TooLong(self.remote.endpoint.url.clone()));
        }
        let is_json = media_type.starts_with("application/json");
        let mut is_answered = self.message.id.is_none();
        if is_json && !body.trim_ascii().is_empty() {
            // Some servers send what belongs to an answer in front of it.
            for message in json::values(&String::from_utf8_lossy(&body)) {
                self.pass_on(message.as_bytes(), session.as_deref());
                is_answered |= self.message.is_answered_by(message.as_bytes());
            }
        }
        // Without an answer, a request would wait for ever.
        match media_type {
            _ if is_answered => Ok(()),
            media_type if is_json || body.is_empty() || media_type.is_empty() => Err(self.ended()),
            media_type => Err(Fault::MediaType(self.remote.endpoint.url.clone(), media_type)),
        }
    }

    fn receive_events(&self, first: StreamedResponse, session: Option<&str>) -> Result<(), Fault> {
        let mut position = Position::default();
        let mut stream = first;
        loop {
            if self.pass_on_events(stream, session, &mut position) {
                return Ok(());
            }
            if self.message.id.is_none() {
                return Ok(());
            }
            stream = self.take_up(&mut position)?;
        }
    }

    /// Passes on events until the stream ends; returns whether the answer was among them.
    fn pass_on_events(
        &self,
        stream: StreamedResponse,
        session: Option<&str>,
        position: &mut Position,
    ) -> bool {
        let mut events = Events::new(stream.body);
        while let Ok(Some(event)) = events.next() {
            position.note(&event);
            let Some(message) = event.message() else { continue };
            self.pass_on(message, session);
            if self.message.is_answered_by(message) {
                self.linger(events);
                return true;
            }
        }
        false
    }

    /// Reads a stream to its end after the answer, so that the connection can be used again.
    fn linger(&self, mut events: Events<impl Read>) {
        self.remote.is_answered(self.message);
        if matches!(self.receiver, Receiver::Nobody) {
            return;
        }
        let lingering = self.remote.background.linger(self.connection.abort_handle());
        while lingering.is_some()
            && let Ok(Some(event)) = events.next()
        {
            if let Some(message) = event.message() {
                self.pass_on(message, None);
            }
        }
    }

    /// Opens a stream again behind the last event.
    fn take_up(&self, position: &mut Position) -> Result<StreamedResponse, Fault> {
        let last = position.last_id.clone().ok_or_else(|| self.ended())?;
        while position.resumptions < MAX_RESUMPTIONS && !self.connection.is_aborted() {
            position.resumptions += 1;
            self.remote.pause(position.retry);
            let opened = open_stream(self.remote, self.connection, Some(&last));
            if let Ok(stream) = opened
                && stream.status == 200
            {
                return Ok(stream);
            }
        }
        Err(self.ended())
    }

    fn pass_on(&self, message: &[u8], session: Option<&str>) {
        if self.message.method == "initialize" {
            let text = String::from_utf8_lossy(message);
            let mut answers = json::split_batch(&text).into_iter();
            if let Some(answer) = answers.find(|one| self.message.has_answer(one)) {
                self.remote.session.note(session, answer.as_bytes());
            }
        }
        if let Receiver::Client = self.receiver {
            self.remote.deliver(message);
        }
    }

    fn ended(&self) -> Fault {
        Fault::Ended(self.remote.endpoint.url.clone())
    }
}

/// How far a stream was read.
#[derive(Default)]
pub(super) struct Position {
    pub(super) last_id: Option<String>,
    pub(super) retry: Option<u64>,
    /// Since the last event.
    pub(super) resumptions: u32,
}

impl Position {
    pub(super) fn note(&mut self, event: &Event) {
        self.last_id = event.id.clone().or(self.last_id.take());
        self.retry = event.retry.or(self.retry);
        if !event.data.is_empty() {
            self.resumptions = 0;
        }
    }

    /// Counts anew after a stream that was open long enough.
    pub(super) fn note_lifetime(&mut self, lifetime: Duration, min: Duration) {
        if lifetime >= min {
            self.resumptions = 0;
        }
    }
}

/// Asks for the stream of a session, or for one that broke, behind its last event.
pub(super) fn open_stream(
    remote: &Remote,
    connection: &HttpConnection,
    last_id: Option<&str>,
) -> Result<StreamedResponse, Fault> {
    let mut headers = vec![("Accept".to_owned(), EVENTS.to_owned())];
    headers.extend(remote.session.headers());
    headers.extend(last_id.map(|id| ("Last-Event-ID".to_owned(), id.to_owned())));
    Ok(connection.send(&HttpExchange {
        method: HttpMethod::Get,
        url: &remote.endpoint.url,
        headers: &remote.with_own_headers(headers),
        timeout: None,
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_that_last_are_opened_again_without_end() {
        let min = Duration::from_secs(10);
        let mut position = Position { resumptions: 19, ..Position::default() };
        position.note_lifetime(min / 2, min);
        assert_eq!(position.resumptions, 19);
        position.note_lifetime(min, min);
        assert_eq!(position.resumptions, 0);
    }
}
