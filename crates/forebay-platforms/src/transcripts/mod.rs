//! What hosts keep of past conversations: where the files lie, and what a line of one says.
//!
//! Pure: bytes go in, [`Item`]s come out. A host writes a thing down more than once (a message again when its
//! tool calls are known, a result again for its own display); a reader gives each of them with its id, and
//! whoever reads on leaves out what it has seen.

mod claude_code;
mod codex;
mod gemini_cli;
mod opencode;

use std::path::Path;

use forebay_domain::hook::ToolKind;
use serde_json::Value;

use crate::platform::McpNames;
use crate::setup::Base;

/// How one host keeps its conversations.
#[derive(Debug)]
pub struct Format {
    /// The host's word on the command line.
    pub host: &'static str,
    /// The folders they lie in, at any depth.
    pub folders: &'static [(Base, &'static str)],
    /// Whether a file of this name, seen from such a folder, is one.
    pub is_transcript: fn(&str) -> bool,
    /// Whether a line is the beginning of one, for files that lie elsewhere.
    pub begins_with: fn(&Value) -> bool,
    pub shape: Shape,
    /// What its shell is called here, where hooks know it by another name.
    pub shells: &'static [&'static str],
    /// A file beside the transcript that names the project's folder; from the transcript's own folder.
    pub project_file: Option<&'static str>,
    /// Reads a line.
    pub read: fn(&[u8], &mut Vec<Item>) -> Result<(), Malformed>,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Text to which lines are added.
    Lines,
    /// A database with many conversations, whose rows are handed out as lines.
    Database,
}

impl Format {
    /// What kind of tool one of a name is.
    pub fn kind_of(&self, tool: &str) -> ToolKind {
        let Some(platform) = crate::find(self.host) else { return ToolKind::Other };
        let own = platform.tools.iter().find(|(name, _)| *name == tool);
        match (own, platform.mcp_names) {
            (Some((_, kind)), _) => *kind,
            (None, _) if self.shells.contains(&tool) => ToolKind::Shell,
            (None, McpNames::Joined { prefix, between })
                if tool.strip_prefix(prefix).is_some_and(|rest| rest.contains(between)) =>
            {
                ToolKind::Mcp
            }
            _ => ToolKind::Other,
        }
    }
}

/// Something a transcript tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// Where what follows happened; what is missing stays as it was.
    Place {
        session: Option<String>,
        cwd: Option<String>,
        branch: Option<String>,
    },
    Said(Said),
    Called {
        call: String,
        tool: String,
        input: String,
    },
    Returned {
        call: String,
        text: String,
        failed: bool,
        at: Option<String>,
    },
}

/// Words of a person or a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub by: Speaker,
    pub id: Option<String>,
    pub text: String,
    /// As the host writes it: a date, or a number since 1970.
    pub at: Option<String>,
    /// A conversation beside the main one, of a subagent.
    pub is_aside: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    User,
    Assistant,
    /// The summary that took the place of what was said before.
    Summary,
}

impl Speaker {
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Summary => "summary",
        }
    }
}

/// A line that is none of the host's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a line of a transcript")]
pub struct Malformed;

impl From<serde_json::Error> for Malformed {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}

/// Every host whose conversations can be read.
pub static FORMATS: &[&Format] =
    &[&claude_code::FORMAT, &codex::FORMAT, &gemini_cli::FORMAT, &opencode::FORMAT];

/// The format of a file by its first line.
pub fn of_first_line(line: &[u8]) -> Option<&'static Format> {
    let value: Value = serde_json::from_slice(line).ok()?;
    FORMATS.iter().copied().find(|format| (format.begins_with)(&value))
}

/// The words of a content: a text, or parts of which some are texts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// What a call is about, in one text: its command, its file, what it looks for, or all of it.
fn input_of(input: &Value) -> String {
    const TELLING: [&str; 12] = [
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
        "description",
        "name",
    ];
    let telling = TELLING.iter().find_map(|key| input.get(*key));
    match telling.unwrap_or(input) {
        Value::String(text) => text.clone(),
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        Value::Object(fields) if fields.is_empty() => String::new(),
        other => other.to_string(),
    }
}

fn is_jsonl(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == "jsonl")
}

fn word(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Whether bytes look like a whole JSON object, without reading it.
fn is_object(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"{") && line.ends_with(b"}")
}

/// Whether a line may have a field with one of these words, without reading it; blanks may stand around the
/// colon.
fn says(line: &[u8], field: &str, words: &[&str]) -> bool {
    memchr::memmem::find_iter(line, field).any(|at| {
        let rest = line[at + field.len()..].strip_prefix(b"\"").map(<[u8]>::trim_ascii_start);
        let value = rest.and_then(|rest| rest.strip_prefix(b":")).map(<[u8]>::trim_ascii_start);
        let value = value.and_then(|value| value.strip_prefix(b"\"")).unwrap_or_default();
        let is_value = |word: &&str| {
            value.strip_prefix(word.as_bytes()).is_some_and(|rest| rest.starts_with(b"\""))
        };
        words.iter().any(is_value)
    })
}

#[cfg(test)]
mod tests {
    use super::says;

    #[test]
    fn a_field_is_seen_however_it_is_spaced() {
        let words = ["user", "assistant"];
        for line in [
            r#"{"role":"user"}"#,
            r#"{ "role" : "assistant" }"#,
            "{\"role\":\n\t\"user\"}",
            r#"{"type":"role","message":{"role": "user"}}"#,
        ] {
            assert!(says(line.as_bytes(), "role", &words), "{line}");
        }
        for line in [r#"{"role":"system"}"#, r#"{"role":"users"}"#, r#"{"role":1}"#, r#""role"#] {
            assert!(!says(line.as_bytes(), "role", &words), "{line}");
        }
    }
}
