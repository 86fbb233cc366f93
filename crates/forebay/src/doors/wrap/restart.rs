//! A server that is started again when it dies, a bounded number of times.
//!
//! The client keeps its connection: requests that the dead server has not answered get an error, and the new one is greeted
//! with the client's own first messages. A server that dies before it has answered `initialize` is not started again: what
//! kept it from starting is what the client sees.

use std::collections::{HashMap, VecDeque};
use std::io::{self, PipeReader, PipeWriter, Write};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use forebay_app::bounds::MAX_REMEMBERED_REQUESTS;
use forebay_domain::Ending;
use forebay_sandbox::{CancelToken, RunError, ServerPipes, ServerProcess};
use rmcp::model::ErrorCode;

use super::json::{self, Members, id_key, quoted};
use super::lines::{self, Lines, Next};
use super::listing::LIST_CHANGED;

/// The time in which starts are counted.
const WINDOW: Duration = Duration::from_mins(5);
/// Wait before the second start within a window, and the growth with each further one.
const PAUSE: Duration = Duration::from_millis(500);

/// How a server is started, and how often again.
#[derive(Debug, Clone)]
pub(crate) struct Restarts {
    pub(crate) argv: Vec<String>,
    /// Added to the inherited environment.
    pub(crate) env: Vec<(String, String)>,
    pub(crate) cwd: PathBuf,
    /// Within five minutes.
    pub(crate) max: usize,
}

/// A server that may be one process after another.
pub(super) struct Restarting {
    restarts: Restarts,
    /// `None` after the last end.
    client: Mutex<Option<PipeWriter>>,
    state: Mutex<State>,
    /// The server's stdin changes, or the client's side ends.
    changed: Condvar,
}

/// The process that a server starts with.
pub(super) struct FirstProcess {
    process: ServerProcess,
    /// Ends when all it has said is passed on.
    answers: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    /// `None` between two processes. Written to without the lock: a server that does not read may still have answers.
    stdin: Option<Arc<PipeWriter>>,
    /// The client has ended its side, or a signal came.
    is_ending: bool,
    /// The ids of requests as the client wrote them, by their comparable form.
    unanswered: HashMap<String, String>,
    /// The client's first messages: `initialize` and what it sends once it is ready.
    initialize: Option<Greeting>,
    initialized: Option<Vec<u8>>,
}

struct Greeting {
    line: Vec<u8>,
    id: String,
    is_answered: bool,
    tells_list_changes: bool,
    /// A second process answers it to us.
    is_repeated: bool,
}

impl Restarts {
    fn start(&self) -> Result<(ServerProcess, ServerPipes), RunError> {
        ServerProcess::start_with(self.argv.clone(), self.env.clone(), self.cwd.clone())
    }
}

impl Restarting {
    /// Starts the server for the first time.
    pub(super) fn start(
        restarts: Restarts,
    ) -> Result<(Arc<Self>, FirstProcess, ServerPipes), StartError> {
        let (process, pipes) = restarts.start()?;
        let (requests, stdin) = io::pipe()?;
        let (stdout, answers) = io::pipe()?;
        let state = State { stdin: Some(Arc::new(pipes.stdin)), ..State::default() };
        let server = Arc::new(Self {
            restarts,
            client: Mutex::new(Some(answers)),
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        let sending = Arc::clone(&server);
        super::spawn("requests", move || sending.send_all(requests))?;
        let answers = server.receive(pipes.stdout)?;
        Ok((server, FirstProcess { process, answers }, ServerPipes { stdin, stdout }))
    }

    /// Waits for the last end. Signals that are passed to `signals` reach the server meanwhile.
    pub(super) fn wait(
        self: &Arc<Self>,
        first: FirstProcess,
        signals: &CancelToken,
    ) -> io::Result<Ending> {
        let mut starts = VecDeque::new();
        let FirstProcess { mut process, mut answers } = first;
        loop {
            let ending = process.wait(signals)?;
            // What it has said before its end still counts.
            let _ = answers.join();
            if !self.may_restart(&mut starts) {
                self.end();
                return Ok(ending);
            }
            self.fail_unanswered(ending);
            signals.wait(PAUSE * (starts.len() as u32 - 1))?;
            if self.state().is_ending {
                self.end();
                return Ok(ending);
            }
            match self.restarts.start() {
                Ok((again, pipes)) => {
                    process = again;
                    answers = self.receive(pipes.stdout)?;
                    self.greet(pipes.stdin);
                }
                Err(error) => {
                    write_log(&format!("the server cannot be started again: {error}"));
                    self.end();
                    return Ok(ending);
                }
            }
        }
    }

    /// Tells both sides that nothing more will come.
    fn end(&self) {
        self.stop();
        self.client().take();
    }

    /// The next end is the last one.
    pub(super) fn stop(&self) {
        self.state().is_ending = true;
        // A message that waits for a handshake may wait for ever.
        self.changed.notify_all();
    }

    fn may_restart(&self, starts: &mut VecDeque<Instant>) -> bool {
        let state = self.state();
        let was_ready = state.initialize.as_ref().is_some_and(|greeting| greeting.is_answered);
        if state.is_ending || !was_ready {
            return false;
        }
        drop(state);
        let now = Instant::now();
        starts.retain(|start: &Instant| now.duration_since(*start) < WINDOW);
        if starts.len() >= self.restarts.max {
            let count = starts.len();
            write_log(&format!("the server has died again after {count} restarts in five minutes"));
            return false;
        }
        starts.push_back(now);
        true
    }

    /// Answers what the dead server has left.
    fn fail_unanswered(&self, ending: Ending) {
        let unanswered = {
            let mut state = self.state();
            state.stdin = None;
            std::mem::take(&mut state.unanswered)
        };
        let how = match ending {
            Ending::Exited(code) => format!("exit {code}"),
            Ending::Signalled(signal) => format!("signal {signal}"),
            _ => "killed".to_owned(),
        };
        let message = format!("the server has ended ({how}) and is started again");
        write_log(&message);
        let text = quoted(&format!("{message}: repeat the call if that does no harm"));
        let code = ErrorCode::INTERNAL_ERROR.0;
        for id in unanswered.into_values() {
            let answer = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":{text}}}}}\n"
            );
            self.to_client(answer.as_bytes());
        }
    }

    /// Introduces the client to a new process.
    fn greet(&self, mut stdin: PipeWriter) {
        let mut state = self.state();
        if let Some(greeting) = &mut state.initialize {
            greeting.is_repeated = true;
            // A server that is dead again is noticed by its end.
            let _ = lines::write(&mut stdin, &greeting.line);
        }
        state.stdin = Some(Arc::new(stdin));
        // Further messages wait until it has answered.
    }

    /// Sends the client's messages to whatever process there is.
    fn send_all(&self, requests: PipeReader) {
        let mut lines = Lines::new(requests);
        loop {
            match lines.next() {
                Ok(Next::Line(line)) if self.send(line) => {}
                Ok(Next::Line(_)) => return,
                // The other direction refuses such lines.
                Ok(Next::LongLine(_)) => drop(lines.rest(&mut |_| Ok(()))),
                Ok(Next::End) | Err(_) => break,
            }
        }
        let mut state = self.state();
        state.is_ending = true;
        state.stdin = None;
    }

    /// Sends a line; returns whether there is still a server to send more to.
    fn send(&self, line: &[u8]) -> bool {
        let is_between = |state: &mut State| {
            let greeting = state.initialize.as_ref();
            let is_greeting = greeting.is_some_and(|greeting| greeting.is_repeated);
            (state.stdin.is_none() || is_greeting) && !state.is_ending
        };
        let waiting = self.changed.wait_while(self.state(), is_between);
        let stdin = {
            let mut state = waiting.unwrap_or_else(PoisonError::into_inner);
            state.note_sent(line);
            state.stdin.clone()
        };
        if let Some(stdin) = &stdin {
            // What a dead server has not read is answered at its end.
            let _ = lines::write(&mut &**stdin, line);
        }
        stdin.is_some()
    }

    /// Passes on what a process says, on a thread of its own.
    fn receive(self: &Arc<Self>, stdout: PipeReader) -> io::Result<JoinHandle<()>> {
        let server = Arc::clone(self);
        super::spawn("answers", move || {
            let mut lines = Lines::new(stdout);
            while let Ok(next) = lines.next() {
                match next {
                    Next::Line(line) if line.ends_with(b"\n") => server.pass_on(line),
                    Next::Line(line) => server.pass_on_unfinished(line),
                    Next::LongLine(start) => {
                        // No other line may come between its pieces.
                        let mut client = server.client();
                        if let Some(client) = &mut *client {
                            let _ = client.write_all(start);
                            pass_on_rest(client, &mut lines);
                        }
                    }
                    Next::End => return,
                }
            }
        })
    }

    fn pass_on(&self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let mut state = self.state();
        if !state.note_received(text.trim_ascii()) {
            drop(state);
            return self.to_client(line);
        }
        let tells = state.initialize.as_ref().is_some_and(|greeting| greeting.tells_list_changes);
        // Before the lock is released: further messages come after it.
        if let (Some(initialized), Some(stdin)) = (&state.initialized, &state.stdin) {
            let _ = lines::write(&mut &**stdin, initialized);
        }
        drop(state);
        self.changed.notify_all();
        if tells {
            self.to_client(LIST_CHANGED);
        }
    }

    /// Passes on the last line of a process, which has no end. Part of a message says nothing, and would damage the next one.
    fn pass_on_unfinished(&self, line: &[u8]) {
        if Members::parse(&String::from_utf8_lossy(line)).is_ok() {
            self.pass_on(&[line, b"\n"].concat());
        } else {
            write_log("the last message of the server is incomplete, and left out");
        }
    }

    fn to_client(&self, line: &[u8]) {
        // A client that is gone is noticed by the end of its requests.
        let _ = self.client().as_mut().map(|client| lines::write(client, line));
    }

    fn client(&self) -> MutexGuard<'_, Option<PipeWriter>> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn note_sent(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_ascii();
        for message in json::split_batch(text) {
            let Ok(members) = Members::parse(message) else { continue };
            match (members.string("method").as_deref(), members.get("id")) {
                (Some("initialize"), Some(id)) => {
                    self.initialize = Some(Greeting::new(line, id));
                }
                (Some("notifications/initialized"), None) => {
                    self.initialized = Some(line.to_owned());
                }
                (Some("notifications/cancelled"), None) => {
                    let params = members.object("params");
                    if let Some(id) = params.as_ref().and_then(|params| params.get("requestId")) {
                        self.unanswered.remove(&id_key(id));
                    }
                }
                (Some(_), Some(id)) if self.unanswered.len() < MAX_REMEMBERED_REQUESTS => {
                    self.unanswered.insert(id_key(id), id.to_owned());
                }
                _ => {}
            }
        }
    }

    /// Notes an answer; returns whether it is that of a second process to the greeting.
    fn note_received(&mut self, text: &str) -> bool {
        let mut is_greeted_again = false;
        for message in json::split_batch(text) {
            let Ok(members) = Members::parse(message) else { continue };
            if members.get("method").is_some() {
                continue;
            }
            let Some(id) = members.get("id") else { continue };
            self.unanswered.remove(&id_key(id));
            if let Some(greeting) =
                self.initialize.as_mut().filter(|greeting| greeting.id == id_key(id))
            {
                is_greeted_again |= std::mem::take(&mut greeting.is_repeated);
                greeting.note_answer(&members);
            }
        }
        is_greeted_again
    }
}

impl Greeting {
    fn new(line: &[u8], id: &str) -> Self {
        Self {
            line: line.to_owned(),
            id: id_key(id),
            is_answered: false,
            tells_list_changes: false,
            is_repeated: false,
        }
    }

    fn note_answer(&mut self, answer: &Members<'_>) {
        let tells = || -> Option<bool> {
            let result = answer.object("result")?;
            let capabilities = result.object("capabilities")?;
            Some(capabilities.object("tools")?.get("listChanged")? == "true")
        };
        self.is_answered |= answer.get("result").is_some();
        self.tells_list_changes |= tells().unwrap_or_default();
    }
}

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Passes on the rest of a long line, and its end if the server has ended within it.
fn pass_on_rest(client: &mut PipeWriter, lines: &mut Lines<PipeReader>) {
    let mut is_finished = false;
    let _ = lines.rest(&mut |piece| {
        is_finished = piece.ends_with(b"\n");
        client.write_all(piece)
    });
    if !is_finished {
        let _ = client.write_all(b"\n");
    }
}

fn write_log(what: &str) {
    // Where agents look for what went wrong with a server.
    let _ = writeln!(io::stderr(), "forebay wrap: {what}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_kept_as_the_client_wrote_them() {
        let mut state = State::default();
        for id in ["12345678901234567890123", "\"a\\u00e9\"", "1.50"] {
            state.note_sent(format!(r#"{{"id":{id},"method":"x"}}"#).as_bytes());
            assert_eq!(state.unanswered.values().collect::<Vec<_>>(), [id]);
            state.note_received(&format!(r#"{{"id":{},"result":{{}}}}"#, id_key(id)));
            assert!(state.unanswered.is_empty(), "{id}");
        }
    }
}
