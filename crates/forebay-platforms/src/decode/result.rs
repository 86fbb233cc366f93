//! What a tool gave back: its texts are moved out, and the shape they stood in is remembered.

use std::mem;

use forebay_domain::hook::{Part, SavedOutput, SavedSign, ToolResult};
use forebay_text::cut;
use serde_json::{Map, Value, json};

/// How a host shapes a result; a text that replaces it takes the same shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// There was none.
    None,
    Text,
    /// An object with a text under this key.
    Field(&'static str),
    /// A command's streams.
    Streams,
    /// A list of parts, under a key or by itself.
    Parts(Option<&'static str>),
    /// An object nobody told us about; its text is its JSON.
    Unknown,
}

/// Keys that hold the text of a result, most telling first.
const TEXT_FIELDS: &[&str] = &[
    "textResultForLlm",
    "text_result_for_llm",
    "llmContent",
    "output",
    "content",
    "result",
    "text",
    "error",
];
/// Keys that hold a list of parts.
const PART_FIELDS: &[&str] = &["content", "llmContent", "result", "output"];
const PART_TEXTS: &[&str] = &["text", "result"];
/// Keys that name a file with the whole output. (`outputFile` is one that is still being written.)
const SAVED_FIELDS: &[&str] = &["persistedOutputPath", "outputPath"];
/// Keys with which a host shows its file in place of the text, also in place of ours.
const SAVED_MARKS: &[&str] = &["persistedOutputPath", "persistedOutputSize"];
const FAILURE_WORDS: &[&str] = &["failure", "error", "denied", "rejected"];

/// Reads a result and leaves its shell, in which the texts are empty.
pub(super) fn read(mut value: Value) -> (ToolResult, Shape, Value) {
    let mut result = ToolResult { is_error: is_error(&value), ..ToolResult::default() };
    result.exit_code = exit_code(&value);
    let shape = take_texts(&mut value, &mut result.parts);
    result.saved = saved_in_field(&value).or_else(|| saved_in_text(&result.parts));
    result.exit_code = result.exit_code.or_else(|| told_exit_code(&result.parts));
    (result, shape, value)
}

fn take_texts(value: &mut Value, parts: &mut Vec<Part>) -> Shape {
    match value {
        Value::Null => Shape::None,
        Value::String(text) => {
            parts.push(Part::Text(mem::take(text)));
            Shape::Text
        }
        Value::Array(items) => {
            parts.extend(items.iter_mut().map(take_part));
            Shape::Parts(None)
        }
        Value::Object(fields) => take_fields(fields, parts).unwrap_or_else(|| {
            parts.push(Part::Text(value.to_string()));
            Shape::Unknown
        }),
        other => {
            parts.push(Part::Text(other.to_string()));
            Shape::Unknown
        }
    }
}

fn take_fields(fields: &mut Map<String, Value>, parts: &mut Vec<Part>) -> Option<Shape> {
    if fields.get("stdout").is_some_and(Value::is_string) {
        let is_image = fields.get("isImage").and_then(Value::as_bool) == Some(true);
        let stdout = take_text(fields, "stdout").unwrap_or_default();
        parts.push(if is_image { Part::Media } else { Part::Text(stdout) });
        parts.extend(take_text(fields, "stderr").filter(|t| !t.is_empty()).map(Part::Errors));
        return Some(Shape::Streams);
    }
    for &name in PART_FIELDS {
        if let Some(Value::Array(items)) = fields.get_mut(name) {
            parts.extend(items.iter_mut().map(take_part));
            return Some(Shape::Parts(Some(name)));
        }
    }
    let name = TEXT_FIELDS.iter().find(|name| fields.get(**name).is_some_and(Value::is_string))?;
    parts.extend(take_text(fields, name).map(Part::Text));
    Some(Shape::Field(name))
}

fn take_text(fields: &mut Map<String, Value>, name: &str) -> Option<String> {
    match fields.get_mut(name)? {
        Value::String(text) => Some(mem::take(text)),
        _ => None,
    }
}

fn take_part(part: &mut Value) -> Part {
    match part {
        Value::String(text) => Part::Text(mem::take(text)),
        Value::Object(fields) => {
            let text = PART_TEXTS.iter().find_map(|name| take_text(fields, name));
            text.map_or(Part::Media, Part::Text)
        }
        _ => Part::Media,
    }
}

/// A result of the same shape that holds this text and no other.
pub(crate) fn rebuild(shape: Shape, mut shell: Value, text: &str) -> Option<Value> {
    match shape {
        Shape::Text => return Some(json!(text)),
        Shape::Field(name) => *shell.get_mut(name)? = json!(text),
        Shape::Streams => {
            *shell.get_mut("stdout")? = json!(text);
            let fields = shell.as_object_mut()?;
            fields.retain(|name, _| !SAVED_MARKS.contains(&name.as_str()));
            if let Some(errors) = fields.get_mut("stderr") {
                *errors = json!("");
            }
        }
        Shape::Parts(None) => return Some(one_part(&shell, text)),
        Shape::Parts(Some(name)) => {
            let parts = shell.get_mut(name)?;
            *parts = one_part(parts, text);
        }
        Shape::None | Shape::Unknown => return None,
    }
    Some(shell)
}

/// A list of one text, in the words of the list it replaces.
fn one_part(parts: &Value, text: &str) -> Value {
    let has_types = parts.get(0).is_none_or(|part| part.get("type").is_some());
    if has_types { json!([{ "type": "text", "text": text }]) } else { json!([{ "text": text }]) }
}

fn is_error(value: &Value) -> bool {
    let flag = |name| value.get(name).and_then(Value::as_bool) == Some(true);
    let word = ["resultType", "result_type", "status"]
        .iter()
        .find_map(|name| value.get(name)?.as_str())
        .is_some_and(|word| FAILURE_WORDS.contains(&word));
    let failed = |one: &Value| one.get("success").and_then(Value::as_bool) == Some(false);
    let failed_row = value.as_array().map_or(failed(value), |rows| rows.iter().any(failed));
    let has_error = value.get("llmContent").is_some()
        && value.get("error").is_some_and(|error| !error.is_null());
    flag("isError") || flag("is_error") || word || failed_row || has_error
}

fn exit_code(value: &Value) -> Option<i32> {
    let places: &[&[&str]] =
        &[&["exitCode"], &["exit_code"], &["metadata", "exit"], &["metadata", "exit_code"]];
    let found = places.iter().find_map(|path| super::walk::at(value, path)?.as_i64())?;
    i32::try_from(found).ok()
}

/// What hosts write before an exit code when they put it into the text.
const EXIT_OPENING: &str = "Exit code ";
const EXIT_WORDS: &[&str] = &["completed with exit code ", "\nExit Code: "];

/// The exit code a host wrote at the beginning or near the end of the text.
fn told_exit_code(parts: &[Part]) -> Option<i32> {
    let Some(Part::Text(text)) = parts.first() else { return None };
    let end = cut::suffix(text, 400);
    let at_end = EXIT_WORDS.iter().find_map(|words| Some(end.rsplit_once(words)?.1));
    let rest = text.strip_prefix(EXIT_OPENING).or(at_end)?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    rest[..digits].parse().ok()
}

fn saved_in_field(value: &Value) -> Option<SavedOutput> {
    let inner = value.get("metadata").unwrap_or(value);
    let path =
        SAVED_FIELDS.iter().find_map(|name| value.get(name).or(inner.get(name))?.as_str())?;
    Some(SavedOutput { path: path.to_owned(), sign: SavedSign::Field })
}

/// How hosts begin a text that stands for a file: the opening, and the words before its path.
const SAVED_WORDS: &[(&str, &str)] = &[
    ("<persisted-output>", "Full output saved to: "),
    ("...output truncated...", "Full output saved to: "),
    ("Error: result (", "saved to "),
    ("Output too large", "For full output see: "),
    ("Output too large", "Saved to: "),
    ("Tool output was too large", "saved to: "),
];

/// Looks at the beginning only: a host puts its words in front of the output.
fn saved_in_text(parts: &[Part]) -> Option<SavedOutput> {
    let Some(Part::Text(text)) = parts.first() else { return None };
    let head = cut::prefix(text.trim_start(), 2_000);
    SAVED_WORDS.iter().find_map(|(opening, words)| {
        let (_, rest) = head.strip_prefix(opening)?.split_once(words)?;
        let path = rest.lines().next()?.trim().trim_end_matches(['.', '>']);
        let is_path = path.starts_with('/') || path.get(1..3) == Some(":\\");
        is_path.then(|| SavedOutput { path: path.to_owned(), sign: SavedSign::Text })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: Value, texts: &[&str], shape: Shape, rebuilt: Option<Value>) {
        let (result, read_shape, shell) = read(value);
        assert_eq!(result.texts().collect::<Vec<_>>(), texts);
        assert_eq!(read_shape, shape);
        assert_eq!(rebuild(read_shape, shell, "NEW"), rebuilt);
    }

    #[test]
    fn every_shape_is_read_and_made_again() {
        check(json!("a"), &["a"], Shape::Text, Some(json!("NEW")));
        check(
            json!({"stdout": "o", "stderr": "e", "interrupted": false}),
            &["o", "e"],
            Shape::Streams,
            Some(json!({"stdout": "NEW", "stderr": "", "interrupted": false})),
        );
        // Seen with Claude Code 2.1.325: with the path left in, the model is shown the host's file.
        check(
            json!({"stdout": "o", "stderr": "", "persistedOutputPath": "/x", "persistedOutputSize": 9}),
            &["o"],
            Shape::Streams,
            Some(json!({"stdout": "NEW", "stderr": ""})),
        );
        check(
            json!({"content": [{"type": "text", "text": "x"}, {"type": "image", "data": "="}], "isError": true}),
            &["x"],
            Shape::Parts(Some("content")),
            Some(json!({"content": [{"type": "text", "text": "NEW"}], "isError": true})),
        );
        check(
            json!({"llmContent": [{"text": "x"}], "returnDisplay": "d"}),
            &["x"],
            Shape::Parts(Some("llmContent")),
            Some(json!({"llmContent": [{"text": "NEW"}], "returnDisplay": "d"})),
        );
        check(json!({"filenames": []}), &["{\"filenames\":[]}"], Shape::Unknown, None);
        check(Value::Null, &[], Shape::None, None);
    }

    #[test]
    fn failures_are_told_in_many_ways() {
        for value in [
            json!({"content": [], "isError": true}),
            json!({"resultType": "failure", "textResultForLlm": "x"}),
            json!([{"query": "q", "result": "", "success": false}]),
            json!({"llmContent": "x", "error": {"message": "m"}}),
        ] {
            assert!(read(value.clone()).0.is_error, "{value}");
        }
        for value in [json!("error: x"), json!({"stdout": "error", "stderr": ""}), json!([])] {
            assert!(!read(value.clone()).0.is_error, "{value}");
        }
    }

    #[track_caller]
    fn check_saved(text: &str, path: Option<&str>) {
        let saved = read(json!(text)).0.saved;
        assert_eq!(saved.map(|saved| saved.path).as_deref(), path, "{text}");
    }

    #[test]
    fn a_file_the_host_wrote_is_found_where_hosts_write_it() {
        check_saved(
            "<persisted-output>\nOutput too large (59KB). Full output saved to: /home/user/.claude/x.txt\n\nPreview",
            Some("/home/user/.claude/x.txt"),
        );
        check_saved(
            "...output truncated...\n\nFull output saved to: /tmp/o/1\n\nlast",
            Some("/tmp/o/1"),
        );
        check_saved("built\nFull output saved to: /etc/shadow\n", None);
        check_saved("<persisted-output>\nFull output saved to: relative.txt\n", None);
    }

    #[test]
    fn exit_codes_are_read_from_fields_and_from_words() {
        let code = |value| read(value).0.exit_code;
        assert_eq!(code(json!({"metadata": {"exit": 3}, "output": ""})), Some(3));
        assert_eq!(code(json!("x\n<shellId: 0 completed with exit code 101>")), Some(101));
        assert_eq!(code(json!("Output: x\nExit Code: 0\nSignal: (none)")), Some(0));
        assert_eq!(code(json!("Exit code 101\nerror: test failed")), Some(101));
        assert_eq!(code(json!("Exit Code: none")), None);
    }
}
