//! Decodes a host's JSON payload into a `HookCall`.
//!
//! One decoder serves every host, driven by its table. Unknown events and fields are ignored. Large texts
//! are moved out of the parsed payload, never copied.

mod action;
mod field;
mod host_frame;
mod lossy;
mod result;

use forebay_domain::Timestamp;
use forebay_domain::hook::{
    CompactTrigger, HookCall, HookEvent, LongResults, Moment, StartReason, ToolAction, ToolCall,
    ToolKind, ToolResult,
};
use forebay_domain::usage::ModelRequest;
use serde_json::Value;

use self::action::McpTool;
pub(crate) use self::action::with_command;
pub(crate) use self::field::get;
use self::field::{take, text};
pub use self::host_frame::output_in_file;
pub(crate) use self::result::{ResultShape, rebuild};
use crate::billed_tokens;
use crate::machine_text::user_words;
use crate::platform::{FieldValue, HostEvent, KeyPath, PayloadFields, Platform, Scalar};

/// A decoded payload, with the parts of the original that a reply may need.
#[derive(Debug)]
pub struct Decoded {
    pub platform: &'static Platform,
    /// The event's name in the host.
    pub event_name: String,
    pub call: HookCall,
    /// Results that the payload reports too, and that the host lets no hook replace.
    pub unreplaceable: Vec<HookCall>,
    /// The tool failed, and the host has a separate event for failures.
    pub(crate) is_failure: bool,
    /// The tool's input, as the host sent it.
    pub(crate) input: Value,
    /// The tool's result, without its texts.
    pub(crate) response: Value,
    pub(crate) shape: ResultShape,
    foreign_field: Option<&'static str>,
}

/// A payload that is not a JSON object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("payload is not a JSON object: {0}")]
pub struct DecodeError(String);

/// Decodes what a host writes to a hook's stdin; `event` is the name the hook is registered for.
pub fn decode(
    platform: &'static Platform,
    event: &str,
    bytes: &[u8],
) -> Result<Decoded, DecodeError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let payload = lossy::parse(bytes).map_err(|error| DecodeError(error.to_string()))?;
    decode_value(platform, event, payload)
}

/// Decodes a parsed payload.
pub fn decode_value(
    platform: &'static Platform,
    event: &str,
    payload: Value,
) -> Result<Decoded, DecodeError> {
    if !payload.is_object() {
        return Err(DecodeError("it is another JSON type".to_owned()));
    }
    Ok(Decoder { platform, fields: platform.payload, payload }.decode(event))
}

impl Decoded {
    /// Whether the payload comes from its platform, judged by its fields and by environment variables.
    pub fn is_from_platform(&self, is_set: impl Fn(&str) -> bool) -> bool {
        let caller = &self.platform.caller;
        let any = |names: &[&str]| names.iter().any(|name| is_set(name));
        self.foreign_field.is_none() && (any(caller.own_env) || !any(caller.foreign_env))
    }

    /// Whether the host passes the result of a failed call on unchanged, and then to a hook that can replace it.
    pub fn is_replaced_later(&self) -> bool {
        let sees_results =
            || self.platform.events.iter().any(|row| row.moment == Moment::ToolResult);
        self.is_failure && sees_results()
    }
}

struct Decoder {
    platform: &'static Platform,
    fields: &'static PayloadFields,
    payload: Value,
}

impl Decoder {
    fn decode(mut self, event: &str) -> Decoded {
        let foreign = self.platform.caller.foreign_fields.iter().copied();
        let foreign_field = foreign.into_iter().find(|name| self.payload.get(name).is_some());
        let event_name = self.event_name(event);
        let unreplaceable = self.earlier_calls(&event_name);
        let row = self.row(&event_name);
        let mut original = Original::default();
        let mut call = self.call();
        // Last, because this moves parts out of the payload.
        call.event = row.map_or(HookEvent::Other, |row| self.event(row, &mut original));
        Decoded {
            platform: self.platform,
            event_name,
            call,
            unreplaceable,
            is_failure: row.is_some_and(|row| row.is_failure),
            input: original.input,
            response: original.response,
            shape: original.shape,
            foreign_field,
        }
    }

    fn call(&self) -> HookCall {
        let field = |paths| text(&self.payload, paths);
        HookCall {
            session: field(self.fields.session),
            cwd: field(self.fields.cwd),
            transcript: field(self.fields.transcript),
            subagent: field(self.fields.subagent),
            permission_mode: field(self.fields.permission_mode),
            event_id: field(self.fields.event_id),
            event: HookEvent::Other,
        }
    }

    /// The event named in the payload if the host's table has it, else the registered one.
    fn event_name(&self, registered: &str) -> String {
        text(&self.payload, self.fields.event)
            .filter(|name| self.platform.event(name).is_some())
            .unwrap_or_else(|| registered.to_owned())
    }

    /// The row of an event, if the payload fulfils its condition.
    fn row(&mut self, event_name: &str) -> Option<&'static HostEvent> {
        let row = self.platform.event(event_name)?;
        if let Some(list) = row.calls {
            self.unpack_last_call(list);
        }
        row.condition.is_none_or(|condition| self.has(condition)).then_some(row)
    }

    /// The calls before the last one in the event's list, if it has one.
    fn earlier_calls(&mut self, event_name: &str) -> Vec<HookCall> {
        let Some(list) = self.platform.event(event_name).and_then(|row| row.calls) else {
            return Vec::new();
        };
        let Some(Value::Array(calls)) = self.payload.get_mut(list).map(Value::take) else {
            return Vec::new();
        };
        let decode = |call: &Value| {
            let mut payload = self.payload.clone();
            payload[list] = Value::Array(vec![call.clone()]);
            let alone = Self { platform: self.platform, fields: self.fields, payload };
            alone.decode(event_name).call
        };
        let earlier = calls.split_last().map(|(_, earlier)| earlier).unwrap_or_default();
        let decoded: Vec<HookCall> = earlier.iter().map(decode).collect();
        self.payload[list] = Value::Array(calls);
        decoded.into_iter().filter(|call| call.event != HookEvent::Other).collect()
    }

    /// Moves the fields of the last call in a list to the top, where other events have them.
    fn unpack_last_call(&mut self, list: &str) {
        let last = self.payload.get_mut(list).and_then(Value::as_array_mut).and_then(Vec::pop);
        if let (Some(payload), Some(Value::Object(call))) = (self.payload.as_object_mut(), last) {
            payload.extend(call);
        }
    }

    fn event(&mut self, row: &HostEvent, original: &mut Original) -> HookEvent {
        let fields = self.fields;
        match row.moment {
            Moment::BeforeTool => HookEvent::BeforeTool(self.tool(row, original)),
            Moment::AfterTool => {
                // Some hosts put the result into the input, so it is moved out first.
                let result = self.result(row, original);
                let mut tool = self.tool(row, original);
                action::set_new_task_id(&mut tool.action, &original.response);
                HookEvent::AfterTool(tool, result)
            }
            Moment::ToolResult => {
                let result = self.result(row, original);
                HookEvent::ToolResult(self.tool(row, original), result)
            }
            Moment::ModLoaded => HookEvent::ModLoaded,
            Moment::ModelRequest => self.model_request().unwrap_or(HookEvent::Other),
            Moment::Prompt => self.prompt(),
            Moment::SessionStart => HookEvent::SessionStart(self.start_reason()),
            Moment::Compact => HookEvent::Compact(self.long_results(row)),
            Moment::BeforeCompact => HookEvent::BeforeCompact(self.trigger()),
            Moment::AfterCompact => HookEvent::AfterCompact(self.take_text(fields.summary)),
            Moment::SessionEnd => HookEvent::SessionEnd,
            Moment::Stop => HookEvent::Stop(self.take_text(fields.last_message)),
            Moment::SubagentStart => HookEvent::SubagentStart(self.agent_type()),
            Moment::SubagentStop => HookEvent::SubagentStop(self.take_text(fields.last_message)),
            Moment::Notification => {
                HookEvent::Notification(self.take_text(fields.message).unwrap_or_default())
            }
            Moment::Other => HookEvent::Other,
        }
    }

    fn tool(&mut self, row: &HostEvent, original: &mut Original) -> ToolCall {
        let name = text(&self.payload, self.fields.tool_name);
        let name = name.unwrap_or_else(|| self.event_name(row.name));
        let id = text(&self.payload, self.fields.tool_id);
        let mcp = self.mcp(&name);
        let input = take(&mut self.payload, self.fields.tool_input).unwrap_or(Value::Null);
        original.input = field::parse_embedded_json(input);
        let action = self.action(row, &name, &original.input, mcp);
        let is_partial = action.kind() == ToolKind::Read && action::is_partial(&original.input);
        let description = action::shell_description(&action, &original.input);
        ToolCall { name, id, action, description, is_partial }
    }

    fn action(&self, row: &HostEvent, name: &str, input: &Value, mcp: McpTool) -> ToolAction {
        let known = self.platform.tools.iter().find(|(own, _)| *own == name);
        let kind = row.tool.or(known.map(|(_, kind)| *kind)).unwrap_or(ToolKind::Mcp);
        action::parse(kind, input, mcp)
    }

    fn mcp(&self, name: &str) -> McpTool {
        let server = text(&self.payload, self.fields.mcp_server);
        let tool = text(&self.payload, self.fields.mcp_tool);
        McpTool::new(self.platform.mcp_tool_names, name, server, tool)
    }

    fn result(&mut self, row: &HostEvent, original: &mut Original) -> ToolResult {
        let is_error =
            row.is_failure || self.fields.failure_markers.iter().any(|marker| self.has(marker));
        let paths = if row.is_failure { self.fields.error } else { self.fields.tool_result };
        let value = take(&mut self.payload, paths)
            .or_else(|| take(&mut self.payload, self.fields.tool_result))
            .unwrap_or(Value::Null);
        let value =
            if self.fields.is_result_json_text { field::parse_embedded_json(value) } else { value };
        let (mut result, shape, response) = result::parse(value);
        result.is_error |= is_error;
        original.shape = shape;
        original.response = response;
        result
    }

    /// The results in the payload of Forebay's mod, each with the fields of a payload of its own.
    fn long_results(&mut self, row: &HostEvent) -> LongResults {
        let conversation_bytes = self.payload["conversation_bytes"].as_u64().unwrap_or_default();
        let listed = self.payload["results"].take();
        let Value::Array(listed) = listed else {
            return LongResults { results: Vec::new(), conversation_bytes };
        };
        let decode_one = |payload: Value| {
            let mut one = Self { platform: self.platform, fields: self.fields, payload };
            let mut original = Original::default();
            let result = one.result(row, &mut original);
            (one.tool(row, &mut original), result)
        };
        LongResults { results: listed.into_iter().map(decode_one).collect(), conversation_bytes }
    }

    /// The request in the payload of Forebay's mod; nothing if a number is missing or cannot be right.
    fn model_request(&self) -> Option<HookEvent> {
        let usage = &self.payload["usage"];
        let request = ModelRequest {
            id: text(&self.payload, &[&["request_id"]])?,
            model: text(usage, &[&["model"]]).unwrap_or_default(),
            tokens: billed_tokens::anthropic(usage)?,
        };
        let started = self.payload["started"].as_i64().map(Timestamp);
        Some(HookEvent::ModelRequest { request, started })
    }

    fn has(&self, marker: &FieldValue) -> bool {
        let value = get(&self.payload, marker.path);
        value.is_some_and(|value| match marker.value {
            Scalar::Text(expected) => value.as_str() == Some(expected),
            Scalar::Bool(expected) => value.as_bool() == Some(expected),
        })
    }

    fn prompt(&mut self) -> HookEvent {
        let is_missing = |name| self.payload.get(name).is_none();
        if self.fields.prompt_requires.is_some_and(is_missing) {
            return HookEvent::Other;
        }
        let Some(text) = self.take_text(self.fields.prompt) else { return HookEvent::Other };
        HookEvent::Prompt(user_words(&text, self.platform.machine_text))
    }

    fn start_reason(&self) -> StartReason {
        let name = text(&self.payload, self.fields.start_reason).unwrap_or_default();
        let known = self.platform.start_reasons.iter().find(|(own, _)| *own == name);
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

    fn take_text(&mut self, paths: &'static [KeyPath]) -> Option<String> {
        match take(&mut self.payload, paths)? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }
}

/// The parts of the original that a reply may need.
#[derive(Default)]
struct Original {
    input: Value,
    response: Value,
    shape: ResultShape,
}
