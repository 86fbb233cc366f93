//! From the client to the server: asks the permission rules about calls, and forwards everything else as it is.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, PipeWriter, Read};
use std::sync::Arc;

use forebay_app::bounds::{MAX_LINE_BYTES, MAX_SHOWN_CALL_BYTES};
use forebay_app::random_bytes;
use forebay_app::wrap::{Permission, WrappedCall};
use forebay_domain::Reference;
use forebay_text::cut;
use forebay_text::invisible::escape;
use rmcp::model::ErrorCode;

use super::json::{self, Members, NoMembers, id_key, quoted};
use super::keys;
use super::lines::{self, Lines, Next};
use super::own_tools::OwnCall;
use super::session::{Pending, Session};
use crate::doors::json_scan::JsonScan;
use crate::doors::mcp::Refusal;

/// In `_meta` of a call, `true` for its whole result.
const WHOLE: &str = "forebay/whole";
const WITHOUT_IT: &str = "continue without it, or ask the user to change the rule";

/// The direction to the server.
pub(super) struct ToServer {
    session: Arc<Session>,
    server: PipeWriter,
    /// Calls about which the user is asked, by the id of the question as it is compared.
    asked: HashMap<String, HeldCall>,
}

/// A call that is held back.
struct HeldCall {
    /// The message, to be forwarded.
    message: String,
    id: String,
    call: WrappedCall,
    starts_task: bool,
    reason: String,
}

/// What becomes of a message.
enum Fate {
    Forward,
    /// This message reaches the server in its place.
    Replace(String),
    /// It does not reach the server.
    Taken,
}

impl ToServer {
    pub(super) fn new(session: Arc<Session>, server: PipeWriter) -> Self {
        Self { session, server, asked: HashMap::new() }
    }

    /// Forwards until the client ends its side, or the server reads no more.
    pub(super) fn run(mut self, input: impl Read) -> io::Result<()> {
        let mut lines = Lines::new(input);
        loop {
            match lines.next()? {
                Next::End => return Ok(()),
                Next::Line(line) => self.forward(line)?,
                Next::LongLine(start) => {
                    let mut scan = JsonScan::whole(start);
                    lines.rest(&mut |piece| {
                        scan.feed(piece);
                        Ok(())
                    })?;
                    let why = format!("longer than {} MB", MAX_LINE_BYTES / (1024 * 1024));
                    self.refuse(&why, &scan)?;
                }
            }
        }
    }

    fn forward(&mut self, line: &[u8]) -> io::Result<()> {
        // Servers read bytes that are not UTF-8 like this, if at all.
        let text = String::from_utf8_lossy(line);
        let text = text.trim_ascii();
        // Some servers take it for the end of a line and find other messages than those that are judged here.
        if text.contains('\r') {
            return self.take_unreadable("it has a carriage return in it", text).map(drop);
        }
        if text.starts_with('[')
            && let Some(messages) = json::items(text)
        {
            return self.forward_batch(line, &messages);
        }
        match self.judge(text)? {
            Fate::Forward => lines::write(&mut self.server, line),
            Fate::Replace(text) => lines::write(&mut self.server, format!("{text}\n").as_bytes()),
            Fate::Taken => Ok(()),
        }
    }

    /// Forwards what may pass of several messages in one line, which the revision of 2025-03-26 has.
    fn forward_batch(&mut self, line: &[u8], messages: &[&str]) -> io::Result<()> {
        let mut passing: Vec<Cow<'_, str>> = Vec::new();
        for message in messages {
            match self.judge(message)? {
                Fate::Forward => passing.push(Cow::Borrowed(message)),
                Fate::Replace(text) => passing.push(text.into()),
                Fate::Taken => {}
            }
        }
        if passing == messages {
            return lines::write(&mut self.server, line);
        }
        if passing.is_empty() {
            return Ok(());
        }
        lines::write(&mut self.server, format!("{}\n", json::list(&passing)).as_bytes())
    }

    fn judge(&mut self, text: &str) -> io::Result<Fate> {
        let message = match Members::parse(text) {
            Ok(message) => message,
            // Some servers accept more than JSON, such as NaN, a byte order mark or half of a surrogate pair: what cannot
            // be read here could be a call that a rule denies.
            Err(NoMembers::NotAnObject) if text.contains('{') => {
                return self.take_unreadable("it is not a JSON object", text);
            }
            // The server says what is wrong.
            Err(NoMembers::NotAnObject) => return Ok(Fate::Forward),
            Err(NoMembers::Repeated(key)) => {
                return self.take_unreadable(&keys::explain_repeated(&key), text);
            }
        };
        if let Some(why) = keys::find_ambiguity(&message) {
            return self.take_unreadable(&why, text);
        }
        let id = message.get("id");
        match (message.string("method").as_deref(), id) {
            (None, Some(id)) => return self.take_answer(id, &message),
            (Some("tools/call"), id) => return self.judge_call(text, id, &message),
            (Some("notifications/cancelled"), _) => return self.cancel(&message),
            (Some("initialize"), Some(id)) => {
                self.session.can_ask.set(can_ask(&message));
                self.session.expect(id, Pending::Initialize);
            }
            (Some("tools/list"), Some(id)) => {
                let params = message.object("params");
                let is_first = params.is_none_or(|params| params.get("cursor").is_none());
                self.session.expect(id, Pending::ListTools { is_first });
            }
            (Some("tasks/result"), Some(id)) => {
                let task = message.object("params").and_then(|params| params.string("taskId"));
                if let Some(call) = task.and_then(|task| self.session.task(&task)) {
                    self.session.expect(id, Pending::Call(call));
                }
            }
            _ => {}
        }
        Ok(Fate::Forward)
    }

    fn judge_call(
        &mut self,
        text: &str,
        id: Option<&str>,
        message: &Members<'_>,
    ) -> io::Result<Fate> {
        let Some(params) = message.object("params") else { return Ok(Fate::Forward) };
        let Some(tool) = params.string("name") else { return Ok(Fate::Forward) };
        match self.session.own_tools.take(&tool, &params) {
            OwnCall::Other => {}
            OwnCall::Instead { tool, params } => {
                return self.judge_instead(&tool, params, id, message);
            }
            OwnCall::Answer { text, is_error } => {
                if let Some(id) = id {
                    self.answer_call(id, &text, is_error)?;
                }
                return Ok(Fate::Taken);
            }
        }
        self.judge_call_of_server(text, id, &tool, &params)
    }

    /// Judges a call of one of the server's tools.
    fn judge_call_of_server(
        &mut self,
        text: &str,
        id: Option<&str>,
        tool: &str,
        params: &Members<'_>,
    ) -> io::Result<Fate> {
        let call = self.session.server.call(tool, params.get("arguments").unwrap_or_default());
        let meta = params.object("_meta");
        let is_whole = meta.is_some_and(|meta| meta.get(WHOLE) == Some("true"));
        let call = if is_whole { call.whole() } else { call };
        let starts_task = params.get("task").is_some();
        let permission = self.session.server.permission(&call).unwrap_or_else(|error| {
            Permission::Asked(format!("the permission rules cannot be read: {error}"))
        });
        let Some(id) = id else {
            // A notification has no answer.
            let is_allowed = permission == Permission::Allowed;
            return Ok(if is_allowed { Fate::Forward } else { Fate::Taken });
        };
        match permission {
            Permission::Allowed => {
                self.expect_result(id, call, starts_task);
                Ok(Fate::Forward)
            }
            Permission::Denied(reason) => {
                self.deny(id, starts_task, &format!("denied: {reason}\n{WITHOUT_IT}"))?;
                Ok(Fate::Taken)
            }
            Permission::Asked(reason) => {
                let (message, id) = (text.to_owned(), id.to_owned());
                self.ask(HeldCall { message, id, call, starts_task, reason })?;
                Ok(Fate::Taken)
            }
        }
    }

    /// Judges a call of the server's tool that stands for one of ours. The server's tool may have the name of one of ours.
    fn judge_instead(
        &mut self,
        tool: &str,
        params: String,
        id: Option<&str>,
        message: &Members<'_>,
    ) -> io::Result<Fate> {
        let mut replaced = message.clone();
        replaced.set("params", params);
        let text = replaced.clone().into_text();
        let Some(params) = replaced.object("params") else { return Ok(Fate::Forward) };
        let fate = self.judge_call_of_server(&text, id, tool, &params)?;
        Ok(if let Fate::Forward = fate { Fate::Replace(text) } else { fate })
    }

    fn expect_result(&self, id: &str, call: WrappedCall, starts_task: bool) {
        let pending = if starts_task { Pending::StartTask(call) } else { Pending::Call(call) };
        self.session.expect(id, pending);
    }

    /// Has the client ask its user about a call.
    fn ask(&mut self, asked: HeldCall) -> io::Result<()> {
        let Some(question) = question_id().filter(|_| self.session.can_ask.get()) else {
            return self.deny_unasked(&asked);
        };
        let shown = escape(cut::prefix(asked.call.line(), MAX_SHOWN_CALL_BYTES)).into_owned();
        let text = quoted(&format!("Allow {shown}?\n({})", escape(&asked.reason)));
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":{question},"method":"elicitation/create","params":{{"message":{text},"requestedSchema":{{"type":"object","properties":{{}}}}}}}}"#
        );
        self.asked.insert(question, asked);
        self.session.to_client(format!("{request}\n").as_bytes())
    }

    /// Takes the user's answer to a question of ours; answers to the server's own pass.
    fn take_answer(&mut self, id: &str, message: &Members<'_>) -> io::Result<Fate> {
        let Some(asked) = self.asked.remove(&id_key(id)) else { return Ok(Fate::Forward) };
        let action = message.object("result").and_then(|result| result.string("action"));
        match action.as_deref() {
            Some("accept") => {
                self.expect_result(&asked.id, asked.call, asked.starts_task);
                lines::write(&mut self.server, format!("{}\n", asked.message).as_bytes())?;
            }
            Some(_) => {
                let text = "the user declined: continue without it, or ask why";
                self.deny(&asked.id, asked.starts_task, text)?;
            }
            None => self.deny_unasked(&asked)?,
        }
        Ok(Fate::Taken)
    }

    fn deny_unasked(&self, asked: &HeldCall) -> io::Result<()> {
        let text = format!(
            "needs the user's approval: {}\nthis client cannot ask the user: they can make the call themselves, or \
             change the rule",
            asked.reason
        );
        self.deny(&asked.id, asked.starts_task, &text)
    }

    /// Forgets a request that the client has given up; withdraws the question about a call that was held back.
    fn cancel(&mut self, message: &Members<'_>) -> io::Result<Fate> {
        let params = message.object("params");
        let Some(id) = params.as_ref().and_then(|params| params.get("requestId")) else {
            return Ok(Fate::Forward);
        };
        let question = self.asked.iter().find(|(_, asked)| id_key(&asked.id) == id_key(id));
        let Some(question) = question.map(|(question, _)| question.clone()) else {
            self.session.answered(id);
            return Ok(Fate::Forward);
        };
        self.asked.remove(&question);
        let withdrawn = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{question}}}}}"#
        );
        self.session.to_client(format!("{withdrawn}\n").as_bytes())?;
        Ok(Fate::Taken)
    }

    /// Answers a call with an error that the model reads.
    fn deny(&self, id: &str, starts_task: bool, text: &str) -> io::Result<()> {
        if !starts_task {
            return self.answer_call(id, text, true);
        }
        // A result without a task would be invalid.
        let (code, text) = (ErrorCode::INVALID_REQUEST.0, quoted(&escape(text)));
        let answer = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":{text}}}}}\n"
        );
        self.session.to_client(answer.as_bytes())
    }

    fn answer_call(&self, id: &str, text: &str, is_error: bool) -> io::Result<()> {
        let text = quoted(&escape(text));
        let answer = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":{text}}}],\"isError\":{is_error}}}}}\n"
        );
        self.session.to_client(answer.as_bytes())
    }

    /// Refuses a message of which readers may differ in what it says.
    fn take_unreadable(&self, why: &str, text: &str) -> io::Result<Fate> {
        self.refuse(why, &JsonScan::whole(text.as_bytes()))?;
        Ok(Fate::Taken)
    }

    fn refuse(&self, why: &str, scan: &JsonScan) -> io::Result<()> {
        let refusal = Refusal::undecoded(format!("the message is refused: {why}"), scan);
        self.session.to_client(format!("{}\n", refusal.into_json()).as_bytes())
    }
}

/// Whether the client has declared that it can ask its user with a form.
fn can_ask(initialize: &Members<'_>) -> bool {
    let elicitation = || -> Option<bool> {
        let params = initialize.object("params")?;
        let capabilities = params.object("capabilities")?;
        let elicitation = capabilities.object("elicitation")?;
        // Before there were modes, the declaration was empty.
        Some(elicitation.get("form").is_some() || elicitation.get("url").is_none())
    };
    elicitation().unwrap_or_default()
}

/// An id that no request of the server has.
fn question_id() -> Option<String> {
    let random = Reference::from_random(random_bytes().ok()?);
    Some(quoted(&format!("forebay-{}", random.as_str())))
}
