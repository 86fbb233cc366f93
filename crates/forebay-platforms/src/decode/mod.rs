//! From a host's JSON to the words of `forebay_domain::hook`.
//!
//! One decoder reads every host by its table. Unknown events and fields mean nothing and are no
//! error. Large texts are moved out of the parsed payload, never copied.

mod action;
mod result;
mod walk;

use std::mem;

use forebay_domain::hook::{
    CompactTrigger, HookCall, HookEvent, Moment, StartReason, ToolAction, ToolCall, ToolKind,
    ToolResult,
};
use serde_json::Value;

pub(crate) use self::action::COMMAND;
use self::action::McpTool;
pub(crate) use self::result::{Shape, rebuild};
use self::walk::{take, text};
use crate::platform::{EventRow, Payload, Platform, Sign, Word};

/// A payload that was understood, with what an answer to it needs of the original.
#[derive(Debug)]
pub struct Decoded {
    pub platform: &'static Platform,
    /// The event in the host's word.
    pub event_name: String,
    pub call: HookCall,
    /// The tool failed, and the host reports it as an event of its own.
    pub(crate) is_failure: bool,
    /// What the tool was given, as the host wrote it.
    pub(crate) input: Value,
    /// What the tool gave back, without its texts.
    pub(crate) response: Value,
    pub(crate) shape: Shape,
    foreign_field: Option<&'static str>,
}

/// Bytes that are no JSON object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the payload is no JSON object: {0}")]
pub struct NotAPayload(String);

/// Reads what a host wrote to a hook's stdin; `event` is the name the hook was registered for.
pub fn decode(
    platform: &'static Platform,
    event: &str,
    bytes: &[u8],
) -> Result<Decoded, NotAPayload> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let payload = serde_json::from_slice(bytes).map_err(|error| NotAPayload(error.to_string()))?;
    decode_value(platform, event, payload)
}

/// Reads a payload that was parsed already.
pub fn decode_value(
    platform: &'static Platform,
    event: &str,
    payload: Value,
) -> Result<Decoded, NotAPayload> {
    if !payload.is_object() {
        return Err(NotAPayload("it is another kind of JSON".to_owned()));
    }
    Ok(Reader { platform, fields: platform.payload, payload }.read(event))
}

impl Decoded {
    /// Whether the payload is the named host's, judged by itself and by the names of variables.
    pub fn is_from_its_platform(&self, is_set: impl Fn(&str) -> bool) -> bool {
        let caller = &self.platform.caller;
        let any = |names: &[&str]| names.iter().any(|name| is_set(name));
        self.foreign_field.is_none() && (any(caller.own_env) || !any(caller.foreign_env))
    }
}

struct Reader {
    platform: &'static Platform,
    fields: &'static Payload,
    payload: Value,
}

impl Reader {
    fn read(mut self, event: &str) -> Decoded {
        let foreign = self.platform.caller.foreign_fields.iter().copied();
        let foreign_field = foreign.into_iter().find(|name| self.payload.get(name).is_some());
        let event_name = self.event_name(event);
        let row = self.platform.event(&event_name);
        let mut original =
            Original { input: Value::Null, response: Value::Null, shape: Shape::None };
        let mut call = self.call();
        // Last, because it moves parts of the payload out.
        call.event = row.map_or(HookEvent::Other, |row| self.event(row, &mut original));
        Decoded {
            platform: self.platform,
            event_name,
            call,
            is_failure: row.is_some_and(|row| row.is_failure),
            input: original.input,
            response: original.response,
            shape: original.shape,
            foreign_field,
        }
    }

    fn call(&self) -> HookCall {
        let told = |places| text(&self.payload, places);
        HookCall {
            session: told(self.fields.session),
            cwd: told(self.fields.cwd),
            transcript: told(self.fields.transcript),
            subagent: told(self.fields.subagent),
            permission_mode: told(self.fields.permission_mode),
            event: HookEvent::Other,
        }
    }

    /// The payload's word for the event where the host has a row for it, else the registered one.
    fn event_name(&self, registered: &str) -> String {
        text(&self.payload, self.fields.event)
            .filter(|told| self.platform.event(told).is_some())
            .unwrap_or_else(|| registered.to_owned())
    }

    fn event(&mut self, row: &EventRow, original: &mut Original) -> HookEvent {
        let fields = self.fields;
        match row.moment {
            Moment::BeforeTool => HookEvent::BeforeTool(self.tool(row, original)),
            Moment::AfterTool => {
                // Some hosts keep the result within the input, so it is moved out first.
                let result = self.result(row, original);
                let mut tool = self.tool(row, original);
                action::name_new_task(&mut tool.action, &original.response);
                HookEvent::AfterTool(tool, result)
            }
            Moment::Prompt => self.prompt(),
            Moment::SessionStart => HookEvent::SessionStart(self.start_reason()),
            Moment::BeforeCompact => HookEvent::BeforeCompact(self.trigger()),
            Moment::AfterCompact => HookEvent::AfterCompact(self.taken_text(fields.summary)),
            Moment::SessionEnd => HookEvent::SessionEnd,
            Moment::Stop => HookEvent::Stop(self.taken_text(fields.last_message)),
            Moment::SubagentStart => HookEvent::SubagentStart(self.agent_type()),
            Moment::SubagentStop => HookEvent::SubagentStop(self.taken_text(fields.last_message)),
            Moment::Notification => {
                HookEvent::Notification(self.taken_text(fields.message).unwrap_or_default())
            }
            Moment::Other => HookEvent::Other,
        }
    }

    fn tool(&mut self, row: &EventRow, original: &mut Original) -> ToolCall {
        let name = text(&self.payload, self.fields.tool_name);
        let name = name.unwrap_or_else(|| self.event_name(row.name));
        let id = text(&self.payload, self.fields.tool_id);
        let mcp = self.mcp(&name);
        let input = take(&mut self.payload, self.fields.tool_input).unwrap_or(Value::Null);
        original.input = walk::unwrap_text(input);
        let action = self.action(row, &name, &original.input, mcp);
        ToolCall { name, id, action }
    }

    fn action(&self, row: &EventRow, name: &str, input: &Value, mcp: McpTool) -> ToolAction {
        let known = self.platform.tools.iter().find(|(own, _)| *own == name);
        let kind = row.tool.or(known.map(|(_, kind)| *kind)).unwrap_or(ToolKind::Mcp);
        action::read(kind, input, mcp)
    }

    fn mcp(&self, name: &str) -> McpTool {
        let server = text(&self.payload, self.fields.mcp_server);
        let tool = text(&self.payload, self.fields.mcp_tool);
        McpTool::read(self.platform.mcp_names, name, server, tool)
    }

    fn result(&mut self, row: &EventRow, original: &mut Original) -> ToolResult {
        let is_error = row.is_failure || self.fields.tool_failed.iter().any(|sign| self.has(sign));
        let places = if row.is_failure { self.fields.error } else { self.fields.tool_result };
        let value = take(&mut self.payload, places)
            .or_else(|| take(&mut self.payload, self.fields.tool_result))
            .unwrap_or(Value::Null);
        let value = if self.fields.result_is_quoted { walk::unwrap_text(value) } else { value };
        let (mut result, shape, response) = result::read(value);
        result.is_error |= is_error;
        original.shape = shape;
        original.response = response;
        result
    }

    fn has(&self, sign: &Sign) -> bool {
        let found = walk::at(&self.payload, sign.at);
        found.is_some_and(|value| match sign.is {
            Word::Text(word) => value.as_str() == Some(word),
            Word::Bool(word) => value.as_bool() == Some(word),
        })
    }

    fn prompt(&mut self) -> HookEvent {
        let is_missing = |name| self.payload.get(name).is_none();
        if self.fields.prompt_needs.is_some_and(is_missing) {
            return HookEvent::Other;
        }
        self.taken_text(self.fields.prompt).map_or(HookEvent::Other, HookEvent::Prompt)
    }

    fn start_reason(&self) -> StartReason {
        let word = text(&self.payload, self.fields.start_word).unwrap_or_default();
        let known = self.platform.start_words.iter().find(|(own, _)| *own == word);
        known.map_or(StartReason::Startup, |(_, reason)| *reason)
    }

    fn trigger(&self) -> CompactTrigger {
        match text(&self.payload, self.fields.trigger).as_deref() {
            Some("manual") => CompactTrigger::Manual,
            _ => CompactTrigger::Auto,
        }
    }

    fn agent_type(&self) -> Option<String> {
        text(&self.payload, &[&["agent_type"], &["agentName"], &["subagent_type"]])
    }

    fn taken_text(&mut self, places: &'static [crate::platform::Path]) -> Option<String> {
        match take(&mut self.payload, places)? {
            Value::String(mut text) => Some(mem::take(&mut text)),
            _ => None,
        }
    }
}

/// What an answer needs of the original.
struct Original {
    input: Value,
    response: Value,
    shape: Shape,
}
