//! Conversations that hosts record: where the files are, and how to parse a line.
//!
//! Pure: bytes go in, [`Item`]s come out. Hosts may record a message twice (again once its tool calls are
//! known); both are returned with their id, and the caller drops duplicates.

mod antigravity;
mod claude_code;
mod codex;
mod copilot_cli;
mod gemini_cli;
mod opencode;
mod qwen_code;

use std::path::Path;

use forebay_domain::hook::ToolKind;
use forebay_domain::usage::BilledTokens;
use serde_json::Value;

pub(crate) use self::antigravity::parse_line as parse_antigravity_line;
pub(crate) use self::claude_code::FORMAT as CLAUDE_CODE;
pub(crate) use self::codex::FORMAT as CODEX;
pub(crate) use self::copilot_cli::parse_line as parse_copilot_cli_line;
pub(crate) use self::gemini_cli::FORMAT as GEMINI_CLI;
pub(crate) use self::opencode::FORMAT as OPENCODE;
pub(crate) use self::qwen_code::FORMAT as QWEN_CODE;
use crate::folders::BaseDir;
use crate::machine_text::{MachineText, user_words};
use crate::platform::McpToolNames;
use crate::{PLATFORMS, Platform};

/// How a host records its conversations.
#[derive(Debug)]
pub struct TranscriptFormat {
    /// The folders that contain the files, at any depth.
    pub folders: &'static [(BaseDir, &'static str)],
    /// Whether a file with this path below one of the folders is a transcript.
    pub is_transcript: fn(&str) -> bool,
    /// Whether a line is the first of a transcript, for files in other folders.
    pub is_first_line: fn(&Value) -> bool,
    pub storage: Storage,
    /// Names of its shell tool in transcripts that differ from the name in hooks.
    pub shell_aliases: &'static [&'static str],
    /// A file that contains the path of the project; relative to the transcript's folder.
    pub project_file: Option<&'static str>,
    /// Whether a line may name the session or the model for all lines after it; asked of lines that were read before.
    pub is_heading: fn(&[u8]) -> bool,
    /// Parses a line and appends its items.
    pub parse_line: ParseLine,
}

/// Parses a line of a transcript and appends its items.
pub type ParseLine = fn(&[u8], &mut Vec<Item>) -> Result<(), MalformedLine>;

/// How a transcript file is stored.
#[derive(Debug, Clone, Copy)]
pub enum Storage {
    /// Text to which the host appends lines.
    Lines,
    /// A SQLite database with many conversations.
    Database(&'static Queries),
}

/// The queries that read conversations from a host's SQLite database.
#[derive(Debug)]
pub struct Queries {
    /// Selects id, folder and size in bytes of every conversation, oldest first.
    pub sessions: &'static str,
    /// Selects row id and JSON line of the rows of conversation `?1` after row `?2`, in order.
    pub lines: &'static str,
}

/// An item of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// Where the following items happened; `None` leaves a value unchanged.
    Context {
        session: Option<String>,
        cwd: Option<String>,
        branch: Option<String>,
    },
    /// The subagent in whose conversation the following items happened; `None` for the main one.
    Agent(Option<String>),
    Message(Message),
    /// The model of the following requests that do not name one.
    Model(String),
    Request(Request),
    ToolCall(ToolCall),
    ToolResult {
        id: String,
        text: String,
        is_error: bool,
        timestamp: Option<String>,
    },
}

/// A request to the model. A host may record it several times, at first with only a part of its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The provider's or the host's name of it.
    pub id: String,
    /// `None` if it is the one that was named before.
    pub model: Option<String>,
    pub tokens: BilledTokens,
    pub timestamp: Option<String>,
    /// The subagent that made it.
    pub agent: Option<String>,
    /// The host records it after what the model answered, and maybe after the results of the tools it called.
    pub follows_answer: bool,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    pub id: String,
    pub tool: String,
    /// Its command, file or query, or else all of its input.
    pub input: String,
    /// What the model says the call is for; no part of what it does.
    pub description: Option<String>,
    /// All other texts of its input, one after another.
    pub texts: String,
    /// When the host recorded it, if its request is recorded later.
    pub timestamp: Option<String>,
}

impl ToolCall {
    fn new(id: String, tool: String, input: &Value) -> Self {
        let mut texts = String::new();
        append_texts(input, &mut texts);
        let description = string_field(input, DESCRIPTION);
        let input = input_summary(input);
        Self { id, tool, input, description, texts, timestamp: None }
    }

    /// A call whose input is not JSON.
    fn of_text(id: String, tool: String, input: String) -> Self {
        Self { id, tool, texts: input.clone(), input, description: None, timestamp: None }
    }

    fn with_timestamp(self, timestamp: Option<String>) -> Self {
        Self { timestamp, ..self }
    }
}

/// A message of the user or the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub role: Role,
    pub id: Option<String>,
    pub text: String,
    /// As the host writes it: a date, or milliseconds since 1970.
    pub timestamp: Option<String>,
    /// ResultPart of a subagent's conversation.
    pub is_sidechain: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
    /// A summary that replaces earlier messages.
    Summary,
}

impl Role {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Summary => "summary",
        }
    }
}

/// A line that is not in the host's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a line of a transcript")]
pub struct MalformedLine;

impl From<serde_json::Error> for MalformedLine {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}

/// The hosts whose transcripts can be read, with their formats.
pub fn formats() -> impl Iterator<Item = (&'static Platform, &'static TranscriptFormat)> {
    PLATFORMS.iter().filter_map(|platform| Some((*platform, platform.transcripts?)))
}

/// The names of these hosts, as in "A, B and C".
pub fn host_names(conjunction: &str) -> String {
    let names: Vec<&str> = formats().map(|(platform, _)| platform.name).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => {
            format!("{} {conjunction} {last}", others.join(", "))
        }
        _ => names.concat(),
    }
}

/// Detects the host of a transcript by its first line.
pub fn detect_format(line: &[u8]) -> Option<(&'static Platform, &'static TranscriptFormat)> {
    let value: Value = serde_json::from_slice(line).ok()?;
    formats().find(|(_, format)| (format.is_first_line)(&value))
}

/// The kind of a tool by its name in a host's transcripts.
pub fn tool_kind(platform: &Platform, tool: &str) -> ToolKind {
    let own = platform.tools.iter().find(|(name, _)| *name == tool);
    let aliases = platform.transcripts.map_or(&[][..], |format| format.shell_aliases);
    match (own, platform.mcp_tool_names) {
        (Some((_, kind)), _) => *kind,
        (None, _) if aliases.contains(&tool) => ToolKind::Shell,
        (None, McpToolNames::Joined { prefix, separator })
            if tool.strip_prefix(prefix).is_some_and(|rest| rest.contains(separator)) =>
        {
            ToolKind::Mcp
        }
        _ => ToolKind::Other,
    }
}

/// A message as its author wrote it: of a user's, the own words; `None` if nothing is left.
fn spoken(role: Role, text: &str, host: &MachineText) -> Option<String> {
    let words =
        if role == Role::User { user_words(text, host) } else { text.trim_end().to_owned() };
    (!words.trim().is_empty()).then_some(words)
}

/// The text of a message's content: a string, or a list of parts.
fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// The field of a tool's input in which the model says what a call is for.
const DESCRIPTION: &str = "description";

/// Appends the texts and numbers of a tool's input, each on lines of its own; not the description of the call.
fn append_texts(input: &Value, texts: &mut String) {
    match input {
        Value::String(text) => texts.extend([text, "\n"]),
        Value::Number(number) => texts.extend([number.to_string().as_str(), "\n"]),
        Value::Array(values) => values.iter().for_each(|value| append_texts(value, texts)),
        Value::Object(fields) => {
            let named = fields.iter().filter(|(key, _)| *key != DESCRIPTION);
            named.for_each(|(_, value)| append_texts(value, texts));
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// Summarizes a tool's input as one text: its command, file or query, or else all of it.
fn input_summary(input: &Value) -> String {
    const MAIN_FIELDS: [&str; 12] = [
        "command",
        "cmd",
        "file_path",
        "filePath",
        "path",
        "pattern",
        "query",
        "url",
        "code",
        "prompt",
        DESCRIPTION,
        "name",
    ];
    let main = MAIN_FIELDS.iter().find_map(|key| input.get(*key));
    match main.unwrap_or(input) {
        Value::String(text) => text.clone(),
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        Value::Object(fields) if fields.is_empty() => String::new(),
        other => other.to_string(),
    }
}

fn is_jsonl(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "jsonl")
}

fn string_field(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Whether a line looks like a complete JSON object, without parsing it.
fn is_object(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"{") && line.ends_with(b"}")
}

/// Whether a line contains a field with one of these values, without parsing it.
fn has_field_value(line: &[u8], field: &str, values: &[&str]) -> bool {
    memchr::memmem::find_iter(line, field).any(|at| {
        let rest = line[at + field.len()..].strip_prefix(b"\"").map(<[u8]>::trim_ascii_start);
        let value = rest.and_then(|rest| rest.strip_prefix(b":")).map(<[u8]>::trim_ascii_start);
        let value = value.and_then(|value| value.strip_prefix(b"\"")).unwrap_or_default();
        let is_value = |expected: &&str| {
            value.strip_prefix(expected.as_bytes()).is_some_and(|rest| rest.starts_with(b"\""))
        };
        values.iter().any(is_value)
    })
}

#[cfg(test)]
mod tests {
    use super::has_field_value;

    #[test]
    fn finds_field_values_with_any_spacing() {
        let values = ["user", "assistant"];
        for line in [
            r#"{"role":"user"}"#,
            r#"{ "role" : "assistant" }"#,
            "{\"role\":\n\t\"user\"}",
            r#"{"type":"role","message":{"role": "user"}}"#,
        ] {
            assert!(has_field_value(line.as_bytes(), "role", &values), "{line}");
        }
        for line in [r#"{"role":"system"}"#, r#"{"role":"users"}"#, r#"{"role":1}"#, r#""role"#] {
            assert!(!has_field_value(line.as_bytes(), "role", &values), "{line}");
        }
    }
}
