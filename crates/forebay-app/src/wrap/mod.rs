//! Calls of another MCP server that `forebay wrap` forwards: whether the rules allow one, and what its result becomes.
//!
//! A result takes the way of those that hooks capture: redacted, stored, indexed, digested, and compared with the result of
//! the same call before.

mod media;
pub mod tool_list;

use std::time::{Duration, Instant};

use forebay_domain::hook::{ResultPart, ToolAction, ToolCall, ToolResult};
use forebay_domain::tokens;
use forebay_domain::treatment::Shown;
use forebay_text::invisible::visible;
use serde_json::Value;

pub use self::media::Media;
use self::tool_list::ToolListing;
use crate::earlier_runs::{self, Delivery};
use crate::hooks::capture::{self, CaptureOptions, RawResult};
use crate::hooks::capture_filter;
use crate::ledger::TreatedCall;
use crate::rules::{self, Objection};
use crate::{Answer, App, AppError};

/// A wrapped server.
pub struct WrappedServer {
    app: App,
    name: String,
    listing: ToolListing,
}

/// A call of one of its tools.
#[derive(Debug, Clone)]
pub struct WrappedCall {
    call: ToolCall,
    /// The server's own name of the tool.
    tool: String,
    /// The tool and its arguments.
    line: String,
    /// Whether its caller wants the whole result.
    is_whole: bool,
}

/// What the permission rules say about a call.
#[derive(Debug, PartialEq, Eq)]
pub enum Permission {
    Allowed,
    /// For this reason.
    Denied(String),
    /// If the user agrees; for this reason they are asked.
    Asked(String),
}

impl WrappedCall {
    /// The server's own name of the tool.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The same call with its whole result, however long.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { is_whole: true, ..self }
    }

    /// What the user is asked about.
    pub fn line(&self) -> &str {
        &self.line
    }
}

impl WrappedServer {
    /// A server whose tools are shown as the settings say.
    pub fn new(app: App, name: &str) -> Self {
        let is_named =
            |names: &[String]| names.iter().any(|one| capture_filter::matches(one, name));
        let listing = match &app.settings.wrap {
            settings if is_named(&settings.facade) => ToolListing::Facade,
            settings if is_named(&settings.slim) => ToolListing::Slim,
            _ => ToolListing::Whole,
        };
        Self { app, name: name.to_owned(), listing }
    }

    /// Shows its tools in another way than the settings say.
    #[must_use]
    pub fn listed_as(self, listing: ToolListing) -> Self {
        Self { listing, ..self }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn listing(&self) -> ToolListing {
        self.listing
    }

    /// A call of a tool with these arguments, as JSON.
    pub fn call(&self, tool: &str, arguments: &str) -> WrappedCall {
        // As hosts and permission rules name it.
        let name = format!("mcp__{}__{tool}", self.name);
        let line = format!("{} {arguments}", self.app.redaction.name(&name)).trim_end().to_owned();
        let action = ToolAction::Mcp { server: Some(self.name.clone()), tool: tool.to_owned() };
        let call = ToolCall { name, id: None, action, description: None, is_partial: false };
        WrappedCall { call, tool: tool.to_owned(), line, is_whole: false }
    }

    /// Asks the permission rules about a call. What no rule mentions is the host's to decide.
    pub fn permission(&self, call: &WrappedCall) -> Result<Permission, AppError> {
        Ok(match rules::before_a_call(&self.app, &call.call)? {
            None => Permission::Allowed,
            Some(Objection::Deny(reason)) => Permission::Denied(reason),
            Some(Objection::Ask(reason)) => Permission::Asked(reason),
        })
    }

    /// Text of at most this many bytes passes unchanged.
    pub fn max_unchanged_bytes(&self) -> u64 {
        tokens::to_bytes(self.app.settings.hooks.threshold) as u64
    }

    /// How long a server at a URL may take for a message that no request of the client waits for; `None` is no limit.
    pub fn accept_timeout(&self) -> Option<Duration> {
        let seconds = self.app.settings.wrap.accept_seconds;
        (seconds > 0).then(|| Duration::from_secs(seconds))
    }

    /// Stores the texts of a long result; returns the digest, or `None` if the result is to stay as it is.
    pub fn digest(
        &self,
        call: &WrappedCall,
        texts: &[&str],
        is_error: bool,
    ) -> Result<Option<String>, AppError> {
        if call.is_whole {
            return Ok(None);
        }
        let started = Instant::now();
        let app = &self.app;
        let parts = texts.iter().map(|text| ResultPart::Text((*text).to_owned())).collect();
        let result = ToolResult { parts, is_error, ..ToolResult::default() };
        if tokens::estimate_bytes(result.bytes() as u64) <= app.settings.hooks.threshold
            || !capture_filter::is_captured(&call.call, &app.settings.hooks)
        {
            return Ok(None);
        }
        let raw = RawResult::new(&result, &[]);
        let reader = earlier_runs::reading_session(app, Delivery::Changes)?;
        let options =
            CaptureOptions { call_line: Some(&call.line), ..capture::at_return(app, &reader) };
        let captured = capture::store(app, app, &call.call, &raw, &options)?;
        let (reference, raw_bytes) = (captured.entry.reference, captured.entry.bytes);
        let treated_call = TreatedCall { call: &call.call, line: &call.line };
        let treated_result = captured.as_treated();
        let text = visible(capture::text(app, app, &call.call, captured, &result, None));
        if text.len() as u64 >= raw.bytes() {
            return Ok(None);
        }
        let answer = Answer::new(text, Value::Null).instead_of(raw_bytes).about(reference);
        if treated_call.treat(app, &treated_result, &answer) != Shown::Digest {
            return Ok(None);
        }
        self.record_usage(&answer, started);
        Ok(Some(answer.text))
    }

    /// Counts an answer for this server.
    fn record_usage(&self, answer: &Answer, started: Instant) {
        let name = self.app.redaction.name(&self.name);
        self.app.record_usage(&format!("wrap {name}"), answer, started.elapsed());
        self.app.flush_usage();
    }

    /// Whether results of a tool have left out what its output schema describes, so that it is listed without.
    pub fn is_listed_without_schema(&self, tool: &str) -> Result<bool, AppError> {
        let tool = self.app.redaction.name(tool);
        Ok(self.app.stores.own()?.is_marked(&self.schemas(), &tool)?)
    }

    /// Has a tool listed without its output schema from now on.
    pub fn withdraw_schema(&self, tool: &str) -> Result<(), AppError> {
        let tool = self.app.redaction.name(tool);
        self.app.stores.own()?.mark(&self.schemas(), &tool)?;
        Ok(())
    }

    /// The key of the marks for withdrawn schemas.
    fn schemas(&self) -> String {
        format!("withdrawn output schemas of {}", self.app.redaction.name(&self.name))
    }

    /// Indexes what was stored, after the answer is sent.
    pub fn finish_pending_work(&self) -> Result<(), AppError> {
        self.app.finish_pending_work()
    }
}
