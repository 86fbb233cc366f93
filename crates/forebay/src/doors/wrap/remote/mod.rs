//! A server at a URL, behind the same pipes as a process: the client's side of streamable HTTP.
//!
//! Each request of the client is a POST of its own, on a thread of its own; what comes back, as one answer or as a stream of
//! events, goes to the client line by line.
//!
//! - `exchange`: one message, and what comes back; `notices`: the stream on which a server speaks unasked;
//! - `older`: servers that speak HTTP with SSE as the revision of 2024-11-05 has it;
//! - `session`: what the server wants repeated with every request; `headers`, `sse`: the encoding;
//! - `background`: streams that no request waits for;
//! - `fault`: what the client is told if the server does not answer; `masked`: without secrets of URLs.
//!
//! A session that the server has forgotten is started again, and a stream that breaks is taken up where it ended.

mod background;
mod exchange;
mod fault;
mod headers;
mod masked;
mod notices;
mod older;
mod session;
mod sse;

use std::collections::HashMap;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use forebay_app::bounds::{MAX_REMOTE_REQUESTS, SESSION_END_TIMEOUT};
use forebay_sandbox::web::{AbortHandle, HttpClient, HttpExchange, HttpMethod};
use forebay_sandbox::{CancelToken, ServerPipes};
use url::Url;

use self::background::BackgroundStreams;
use self::fault::Fault;
use self::headers::ParameterHeaders;
use self::masked::mask_urls;
use self::older::OlderTransport;
use self::session::RemoteSession;
use super::json::{self, Members, NoMembers, id_key};
use super::lines::{Lines, Next};

/// Where a server is, and what each request to it carries.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, String)>,
}

/// A connection to a server.
pub(super) struct Remote {
    endpoint: Endpoint,
    http: Arc<HttpClient>,
    /// For what no request of the client waits for; `None` is no limit.
    accept_timeout: Option<Duration>,
    ended: CancelToken,
    /// `None` once the connection has ended.
    client: Mutex<Option<PipeWriter>>,
    session: RemoteSession,
    older: OlderTransport,
    /// Whether the server has accepted a message over streamable HTTP.
    has_accepted: AtomicBool,
    parameters: Mutex<ParameterHeaders>,
    in_flight: Mutex<HashMap<u64, InFlight>>,
    less_in_flight: Condvar,
    last_number: AtomicU64,
    background: BackgroundStreams,
}

/// A request that is not answered yet.
struct InFlight {
    id: String,
    /// Whether the end of its stream tells the server that it is cancelled.
    ends_by_abort: bool,
    abort: Option<AbortHandle>,
}

/// A message to the server.
#[derive(Debug, Clone)]
struct Message {
    text: String,
    /// The source of the id of a request.
    id: Option<String>,
    method: String,
    /// If the message names it.
    revision: Option<String>,
}

impl Endpoint {
    pub(crate) fn check_url(url: &str) -> Result<(), String> {
        let is_http = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if is_http {
            Ok(())
        } else {
            Err(mask_urls(&format!("`{url}` is not an http or https URL")))
        }
    }

    /// Whether a header may be set by the user.
    pub(crate) fn check_header(name: &str) -> Result<(), String> {
        const OWN: [&str; 9] = [
            "accept",
            "accept-encoding",
            "connection",
            "content-length",
            "content-type",
            "host",
            "mcp-protocol-version",
            "mcp-session-id",
            "transfer-encoding",
        ];
        if !headers::is_token(name) {
            return Err(format!("`{name}` is not a valid header name"));
        }
        let is_own = OWN.contains(&name.to_ascii_lowercase().as_str());
        if is_own { Err(format!("{name} is a header that Forebay sets itself")) } else { Ok(()) }
    }
}

impl Remote {
    /// Starts the threads of a connection; nothing is sent before the client's first message.
    pub(super) fn connect(
        endpoint: Endpoint,
        accept_timeout: Option<Duration>,
    ) -> io::Result<(Arc<Self>, ServerPipes)> {
        let (requests, stdin) = io::pipe()?;
        let (stdout, answers) = io::pipe()?;
        let remote = Arc::new(Self {
            http: HttpClient::new(),
            ended: CancelToken::new(),
            client: Mutex::new(Some(answers)),
            session: RemoteSession::default(),
            older: OlderTransport::default(),
            has_accepted: AtomicBool::new(false),
            parameters: Mutex::default(),
            in_flight: Mutex::default(),
            less_in_flight: Condvar::new(),
            last_number: AtomicU64::new(0),
            background: BackgroundStreams::default(),
            accept_timeout,
            endpoint,
        });
        let posting = Arc::clone(&remote);
        super::spawn("posts", move || posting.run(requests))?;
        Ok((remote, ServerPipes { stdin, stdout }))
    }

    /// Sends the client's messages until it ends its side and every request is answered.
    fn run(self: &Arc<Self>, requests: PipeReader) {
        let mut lines = Lines::new(requests);
        loop {
            match lines.next() {
                Ok(Next::Line(line)) => self.take_line(String::from_utf8_lossy(line).trim_ascii()),
                // The other direction refuses such lines.
                Ok(Next::LongLine(_)) => drop(lines.rest(&mut |_| Ok(()))),
                Ok(Next::End) | Err(_) => break,
            }
        }
        let unanswered = self.in_flight();
        drop(self.less_in_flight.wait_while(unanswered, |requests| !requests.is_empty()));
        self.end();
    }

    /// Ends the session at the server, and then the connection.
    pub(super) fn end(&self) {
        self.ended.cancel();
        self.older.close();
        let session = self.session.headers();
        if self.session.forget().is_some() {
            // A server may keep its session until it expires.
            let _ = self.http.connection(&self.endpoint.url).send(&HttpExchange {
                method: HttpMethod::Delete,
                url: &self.endpoint.url,
                headers: &self.with_own_headers(session),
                timeout: Some(SESSION_END_TIMEOUT),
            });
        }
        // Some servers leave their streams open.
        self.background.end();
        lock(&self.client).take();
    }

    /// Gives up every request that is not answered in time, for a client that is gone.
    pub(super) fn abort_after(&self, timeout: Duration) {
        let _ = self.ended.wait(timeout);
        for request in self.in_flight().drain().filter_map(|(_, request)| request.abort) {
            request.abort();
        }
        self.less_in_flight.notify_all();
    }

    /// Ends what is being sent. The requests are still waited for.
    fn abort_all(&self) {
        let requests = self.in_flight();
        let aborts: Vec<AbortHandle> =
            requests.values().filter_map(|request| request.abort.clone()).collect();
        drop(requests);
        aborts.into_iter().for_each(AbortHandle::abort);
    }

    /// Takes the messages of a line, each of which is a POST of its own: only one revision of the protocol has several in one,
    /// and each request in it gets an answer or an error.
    fn take_line(self: &Arc<Self>, line: &str) {
        for message in json::split_batch(line) {
            self.take(message);
        }
    }

    fn take(self: &Arc<Self>, text: &str) {
        if text.is_empty() {
            return;
        }
        let message = Message::new(text);
        if message.method == "notifications/cancelled" {
            return self.cancel(&message);
        }
        if message.method == "initialize" {
            self.session.will_start(&message);
        }
        if message.id.is_none() {
            // In order: a server may refuse requests before it knows that the client is ready.
            let outcome = exchange::send(self, &message);
            self.report(&message, outcome);
            if message.method == "notifications/initialized" {
                self.session.is_started(&message);
                if !self.older.is_spoken() {
                    notices::listen(self);
                }
            }
            return;
        }
        self.start_request(message);
    }

    fn start_request(self: &Arc<Self>, message: Message) {
        let ends_by_abort = message.revision.is_some();
        let id = message.id.clone().unwrap_or_default();
        let number = self.last_number.fetch_add(1, Ordering::Relaxed);
        let is_full = |requests: &mut HashMap<_, _>| requests.len() >= MAX_REMOTE_REQUESTS;
        let waiting = self.less_in_flight.wait_while(self.in_flight(), is_full);
        waiting
            .unwrap_or_else(PoisonError::into_inner)
            .insert(number, InFlight { id, ends_by_abort, abort: None });
        let remote = Arc::clone(self);
        let fallback = message.clone();
        let started = super::spawn("request", move || {
            let outcome = exchange::request(&remote, number, &message);
            if remote.is_in_flight(number) {
                remote.report(&message, outcome);
            }
            remote.is_done(number);
        });
        if let Err(error) = started {
            self.report(&fallback, Err(Fault::NoThread(error)));
            self.is_done(number);
        }
    }

    /// Gives up a request. Since the revision of 2026-07-28, the end of its stream says so.
    fn cancel(self: &Arc<Self>, message: &Message) {
        let members = Members::parse(&message.text).ok();
        let params = members.as_ref().and_then(|members| members.object("params"));
        let id = params.as_ref().and_then(|params| params.get("requestId")).unwrap_or_default();
        let given_up = {
            let mut requests = self.in_flight();
            let is_meant = |one: &InFlight| id_key(&one.id) == id_key(id);
            let number = requests.iter().find(|(_, one)| is_meant(one)).map(|(number, _)| *number);
            number.and_then(|number| requests.remove(&number))
        };
        self.less_in_flight.notify_all();
        if !given_up.as_ref().is_some_and(|request| request.ends_by_abort) {
            let outcome = exchange::send(self, message);
            self.report(message, outcome);
        }
        if let Some(abort) = given_up.and_then(|request| request.abort) {
            abort.abort();
        }
    }

    /// Has a request aborted by a connection; returns whether it is still wanted.
    fn aborts_by(&self, number: u64, abort: AbortHandle) -> bool {
        let mut requests = self.in_flight();
        let request = requests.get_mut(&number);
        request.map(|request| request.abort = Some(abort)).is_some()
    }

    fn is_in_flight(&self, number: u64) -> bool {
        self.in_flight().contains_key(&number)
    }

    fn is_done(&self, number: u64) {
        self.in_flight().remove(&number);
        self.less_in_flight.notify_all();
    }

    /// A request that has its answer is not waited for, even if its stream stays open.
    fn is_answered(&self, message: &Message) {
        if let Some(id) = &message.id {
            self.has_answer_to(id);
        }
    }

    /// Notes the answer to the request with this id.
    fn has_answer_to(&self, id: &str) {
        let id = id_key(id);
        self.in_flight().retain(|_, request| id_key(&request.id) != id);
        self.less_in_flight.notify_all();
    }

    /// Waits until the request with this id is answered or given up, or `is_over`; returns whether it is neither.
    fn wait_for_answer(&self, id: &str, is_over: impl Fn() -> bool) -> bool {
        let is_unanswered =
            |requests: &HashMap<u64, InFlight>| requests.values().any(|request| request.id == id);
        let waits = |requests: &mut HashMap<_, _>| !is_over() && is_unanswered(requests);
        let waited = self.less_in_flight.wait_while(self.in_flight(), waits);
        is_unanswered(&waited.unwrap_or_else(PoisonError::into_inner))
    }

    /// Sends what the server says to the client; of several messages in one, each on its own line.
    fn deliver(&self, message: &[u8]) {
        let text = String::from_utf8_lossy(message);
        for one in json::split_batch(&text) {
            // The client reads lines of JSON only.
            if matches!(Members::parse(one), Err(NoMembers::NotAnObject)) {
                write_log("the server sent something else than JSON, which is left out");
            } else {
                self.deliver_one(one.as_bytes());
            }
        }
    }

    fn deliver_one(&self, message: &[u8]) {
        if contains(message, headers::PARAMETER.as_bytes()) {
            lock(&self.parameters).learn(message);
        }
        // Between the parts of a JSON value, a line break is white space.
        let mut line: Vec<u8> = message
            .iter()
            .map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte })
            .collect();
        line.push(b'\n');
        if let Some(client) = &mut *lock(&self.client) {
            // A client that is gone is noticed elsewhere.
            let _ = client.write_all(&line);
        }
    }

    /// Tells the client why a request has no answer, and its user why a message did not arrive.
    fn report(&self, message: &Message, outcome: Result<(), Fault>) {
        let Err(fault) = outcome else { return };
        let why = mask_urls(&fault.to_string());
        write_log(&why);
        if let Some(id) = &message.id {
            self.deliver(fault::answer(id, &why, fault.data()).as_bytes());
        }
    }

    /// Waits as long as the server wants before a stream is opened again.
    fn pause(&self, retry: Option<u64>) {
        const DEFAULT: Duration = Duration::from_secs(1);
        const MAX: Duration = Duration::from_secs(30);
        let _ = self.ended.wait(retry.map_or(DEFAULT, Duration::from_millis).min(MAX));
    }

    fn with_own_headers(&self, mut headers: Vec<(String, String)>) -> Vec<(String, String)> {
        headers.extend(self.endpoint.headers.iter().cloned());
        headers
    }

    fn in_flight(&self) -> MutexGuard<'_, HashMap<u64, InFlight>> {
        lock(&self.in_flight)
    }
}

impl Message {
    fn new(text: &str) -> Self {
        let members = Members::parse(text).ok();
        let members = members.as_ref();
        let method = members.and_then(|members| members.string("method")).unwrap_or_default();
        let id = members.filter(|_| !method.is_empty()).and_then(|members| members.get("id"));
        let revision = members.and_then(headers::stated_revision);
        Self { text: text.to_owned(), id: id.map(str::to_owned), method, revision }
    }

    /// Whether a message of the server answers this one.
    fn is_answered_by(&self, message: &[u8]) -> bool {
        let text = String::from_utf8_lossy(message);
        json::split_batch(&text).into_iter().any(|one| self.has_answer(one))
    }

    fn has_answer(&self, message: &str) -> bool {
        let Ok(answer) = Members::parse(message) else { return false };
        let is_answer = answer.get("method").is_none();
        is_answer && answer.get("id").map(id_key) == self.id.as_deref().map(id_key)
    }
}

fn write_log(what: &str) {
    // Where agents look for what went wrong with a server.
    let _ = writeln!(io::stderr(), "forebay wrap: {what}");
}

fn contains(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len()).any(|window| window == wanted)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
