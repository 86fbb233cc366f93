//! Decodes a tool's result: moves its texts out and records the structure they were in.

use std::mem;

use forebay_domain::hook::{HostCut, ResultPart, SavedOutput, SavedSign, ToolResult};
use forebay_text::cut;
use serde_json::{Map, Value, json};

use super::host_frame::{self, Framed};

/// The structure of a result; a text that replaces the result gets the same structure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ResultShape {
    /// No result.
    #[default]
    None,
    Text,
    /// An object with a string in this field.
    Field(&'static str),
    /// A command's stdout and stderr.
    Streams,
    /// A list of parts, in a field or on its own.
    Parts(Option<&'static str>),
    /// Any other value; its text is its JSON.
    Unknown,
}

/// Fields with the text of a result, most specific first.
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
/// Fields with a list of parts.
const PART_FIELDS: &[&str] = &["content", "llmContent", "result", "output"];
const PART_TEXTS: &[&str] = &["text", "result"];
/// Fields with the path of a file with the whole output. (`outputFile` is still being written.)
const SAVED_FIELDS: &[&str] = &["persistedOutputPath", "outputPath"];
/// Fields that make a host show its saved file instead of the text, even if the text was replaced.
const SAVED_FILE_FIELDS: &[&str] = &["persistedOutputPath", "persistedOutputSize"];
const FAILURE_STATES: &[&str] = &["failure", "error", "denied", "rejected"];

/// Decodes a result; also returns the value with its texts emptied.
pub(super) fn parse(mut value: Value) -> (ToolResult, ResultShape, Value) {
    let mut result = ToolResult { is_error: is_error(&value), ..ToolResult::default() };
    result.exit_code = exit_code(&value);
    let shape = take_texts(&mut value, &mut result.parts);
    let framed = take_frame(&mut result.parts);
    result.cut = framed.cut.or_else(|| cut(&value, &result.parts));
    result.saved = saved_in_field(&value).or_else(|| saved_in_text(&result.parts));
    let exit_code = result.exit_code.or(framed.exit_code);
    result.exit_code = exit_code.or_else(|| exit_code_at_end(&result.parts));
    (result, shape, value)
}

fn take_texts(value: &mut Value, parts: &mut Vec<ResultPart>) -> ResultShape {
    match value {
        Value::Null => ResultShape::None,
        Value::String(text) => {
            parts.push(ResultPart::Text(mem::take(text)));
            ResultShape::Text
        }
        Value::Array(items) => {
            parts.extend(items.iter_mut().map(take_part));
            ResultShape::Parts(None)
        }
        Value::Object(fields) => take_fields(fields, parts).unwrap_or_else(|| {
            parts.push(ResultPart::Text(value.to_string()));
            ResultShape::Unknown
        }),
        other => {
            parts.push(ResultPart::Text(other.to_string()));
            ResultShape::Unknown
        }
    }
}

fn take_fields(
    fields: &mut Map<String, Value>,
    parts: &mut Vec<ResultPart>,
) -> Option<ResultShape> {
    if fields.get("stdout").is_some_and(Value::is_string) {
        let is_image = fields.get("isImage").and_then(Value::as_bool) == Some(true);
        let stdout = take_text(fields, "stdout").unwrap_or_default();
        parts.push(if is_image { ResultPart::Media } else { ResultPart::Text(stdout) });
        parts.extend(take_text(fields, "stderr").filter(|t| !t.is_empty()).map(ResultPart::Errors));
        return Some(ResultShape::Streams);
    }
    for &name in PART_FIELDS {
        if let Some(Value::Array(items)) = fields.get_mut(name) {
            parts.extend(items.iter_mut().map(take_part));
            return Some(ResultShape::Parts(Some(name)));
        }
    }
    let name = TEXT_FIELDS.iter().find(|name| fields.get(**name).is_some_and(Value::is_string))?;
    parts.extend(take_text(fields, name).map(ResultPart::Text));
    Some(ResultShape::Field(name))
}

fn take_text(fields: &mut Map<String, Value>, name: &str) -> Option<String> {
    match fields.get_mut(name)? {
        Value::String(text) => Some(mem::take(text)),
        _ => None,
    }
}

fn take_part(part: &mut Value) -> ResultPart {
    match part {
        Value::String(text) => ResultPart::Text(mem::take(text)),
        Value::Object(fields) => {
            let text = PART_TEXTS.iter().find_map(|name| take_text(fields, name));
            text.map_or(ResultPart::Media, ResultPart::Text)
        }
        _ => ResultPart::Media,
    }
}

/// Builds a result of the same shape with this text only.
pub(crate) fn rebuild(shape: ResultShape, mut emptied: Value, text: &str) -> Option<Value> {
    match shape {
        ResultShape::Text => return Some(json!(text)),
        ResultShape::Field(name) => *emptied.get_mut(name)? = json!(text),
        ResultShape::Streams => {
            *emptied.get_mut("stdout")? = json!(text);
            let fields = emptied.as_object_mut()?;
            fields.retain(|name, _| !SAVED_FILE_FIELDS.contains(&name.as_str()));
            if let Some(errors) = fields.get_mut("stderr") {
                *errors = json!("");
            }
        }
        ResultShape::Parts(None) => return Some(single_part(&emptied, text)),
        ResultShape::Parts(Some(name)) => {
            let parts = emptied.get_mut(name)?;
            *parts = single_part(parts, text);
        }
        ResultShape::None | ResultShape::Unknown => return None,
    }
    Some(emptied)
}

/// A list with one text part, in the format of the list it replaces.
fn single_part(parts: &Value, text: &str) -> Value {
    let has_types = parts.get(0).is_none_or(|part| part.get("type").is_some());
    if has_types { json!([{ "type": "text", "text": text }]) } else { json!([{ "text": text }]) }
}

fn is_error(value: &Value) -> bool {
    let flag = |name| value.get(name).and_then(Value::as_bool) == Some(true);
    let has_failure_state = ["resultType", "result_type", "status"]
        .iter()
        .find_map(|name| value.get(name)?.as_str())
        .is_some_and(|state| FAILURE_STATES.contains(&state));
    let failed = |one: &Value| one.get("success").and_then(Value::as_bool) == Some(false);
    let failed_row = value.as_array().map_or(failed(value), |rows| rows.iter().any(failed));
    let has_error = value.get("llmContent").is_some()
        && value.get("error").is_some_and(|error| !error.is_null());
    flag("isError") || flag("is_error") || has_failure_state || failed_row || has_error
}

fn exit_code(value: &Value) -> Option<i32> {
    let paths: &[&[&str]] =
        &[&["exitCode"], &["exit_code"], &["metadata", "exit"], &["metadata", "exit_code"]];
    let found = paths.iter().find_map(|path| super::field::get(value, path)?.as_i64())?;
    i32::try_from(found).ok()
}

/// Removes what the host wrote around the first text.
fn take_frame(parts: &mut [ResultPart]) -> Framed {
    match parts.first_mut() {
        Some(ResultPart::Text(text)) => host_frame::take(text),
        _ => Framed::default(),
    }
}

/// What precedes an exit code near the end of a text.
const EXIT_CODE_MARKERS: &[&str] = &["completed with exit code ", "\nExit Code: "];

/// The exit code that a host writes near the end of the text.
fn exit_code_at_end(parts: &[ResultPart]) -> Option<i32> {
    let Some(ResultPart::Text(text)) = parts.first() else { return None };
    let end = cut::suffix(text, 400);
    let number = EXIT_CODE_MARKERS.iter().find_map(|marker| Some(end.rsplit_once(marker)?.1))?;
    leading_number(number)
}

fn leading_number(text: &str) -> Option<i32> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    text[..digits].parse().ok()
}

/// Fields with the number of matches or lines before a limit was applied.
const TOTAL_FIELDS: &[&str] =
    &["totalMatches", "numMatches", "total_matches", "totalLines", "numLines", "total_lines"];
/// Fields with the size before the text was cut.
const SIZE_FIELDS: &[&str] = &["persistedOutputSize", "originalSize", "totalBytes"];
const CUT_FLAGS: &[&str] = &["truncated", "isTruncated", "is_truncated"];

/// What the host says about a text that it cut; `None` if it passed on all of it.
fn cut(value: &Value, parts: &[ResultPart]) -> Option<HostCut> {
    let inner = value.get("metadata").unwrap_or(value);
    let field = |name: &&str| value.get(*name).or_else(|| inner.get(*name));
    let number = |names: &[&str]| names.iter().find_map(|name| field(name)?.as_u64());
    let shown = |count: fn(&str) -> usize| -> u64 {
        let texts = parts.iter().filter_map(|part| match part {
            ResultPart::Text(text) | ResultPart::Errors(text) => Some(count(text)),
            ResultPart::Media => None,
        });
        texts.sum::<usize>() as u64
    };
    let total = number(TOTAL_FIELDS).filter(|total| *total > shown(|text| text.lines().count()));
    let bytes = number(SIZE_FIELDS).filter(|bytes| *bytes > shown(str::len));
    let is_flagged =
        CUT_FLAGS.iter().any(|name| field(name).and_then(Value::as_bool) == Some(true))
            || field(&"appliedLimit").is_some_and(Value::is_number)
            || parts.iter().any(has_cut_marker);
    (is_flagged || total.is_some() || bytes.is_some()).then_some(HostCut { total, bytes })
}

/// What hosts write in place of the middle of a text, before and after a number of characters.
const CUT_MARKERS: &[(&str, &str)] = &[
    ("... [", " characters truncated] ...\n"),
    ("[... output truncated: ", " chars total. Refine the command"),
];

fn has_cut_marker(part: &ResultPart) -> bool {
    let ResultPart::Text(text) = part else { return false };
    CUT_MARKERS.iter().any(|(start, end)| {
        let before = text.split_once(end).map(|(before, _)| before);
        let line = before.and_then(|before| before.lines().next_back());
        let count = line.and_then(|line| line.strip_prefix(start));
        count.is_some_and(|count| count.parse::<u64>().is_ok())
    })
}

fn saved_in_field(value: &Value) -> Option<SavedOutput> {
    let inner = value.get("metadata").unwrap_or(value);
    let path =
        SAVED_FIELDS.iter().find_map(|name| value.get(name).or(inner.get(name))?.as_str())?;
    Some(SavedOutput { path: path.to_owned(), sign: SavedSign::Field })
}

/// Texts that refer to a saved file: the prefix, and what precedes the path.
const SAVED_MARKERS: &[(&str, &str)] = &[
    ("<persisted-output>", "Full output saved to: "),
    ("...output truncated...", "Full output saved to: "),
    ("Error: result (", "saved to "),
    ("Output too large", "For full output see: "),
    ("Output too large", "Saved to: "),
    ("Tool output was too large", "saved to: "),
];

/// Checks only the start of the text, where hosts put the notice; output of programs may contain one, too.
fn saved_in_text(parts: &[ResultPart]) -> Option<SavedOutput> {
    let Some(ResultPart::Text(text)) = parts.first() else { return None };
    let head = cut::prefix(text.trim_start(), 2_000);
    SAVED_MARKERS.iter().find_map(|(prefix, marker)| {
        let (_, rest) = head.strip_prefix(prefix)?.split_once(marker)?;
        let path = rest.lines().next()?.trim().trim_end_matches(['.', '>']);
        let is_path = path.starts_with('/') || path.get(1..3) == Some(":\\");
        is_path.then(|| SavedOutput { path: path.to_owned(), sign: SavedSign::Text })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: Value, texts: &[&str], shape: ResultShape, rebuilt: Option<Value>) {
        let (result, found_shape, emptied) = parse(value);
        assert_eq!(result.texts().collect::<Vec<_>>(), texts);
        assert_eq!(found_shape, shape);
        assert_eq!(rebuild(found_shape, emptied, "NEW"), rebuilt);
    }

    #[test]
    fn rebuilds_every_shape() {
        check(json!("a"), &["a"], ResultShape::Text, Some(json!("NEW")));
        check(
            json!({"stdout": "o", "stderr": "e", "interrupted": false}),
            &["o", "e"],
            ResultShape::Streams,
            Some(json!({"stdout": "NEW", "stderr": "", "interrupted": false})),
        );
        // Claude Code 2.1.325 shows the model its own file if the path is left in.
        check(
            json!({"stdout": "o", "stderr": "", "persistedOutputPath": "/x", "persistedOutputSize": 9}),
            &["o"],
            ResultShape::Streams,
            Some(json!({"stdout": "NEW", "stderr": ""})),
        );
        check(
            json!({"content": [{"type": "text", "text": "x"}, {"type": "image", "data": "="}], "isError": true}),
            &["x"],
            ResultShape::Parts(Some("content")),
            Some(json!({"content": [{"type": "text", "text": "NEW"}], "isError": true})),
        );
        check(
            json!({"llmContent": [{"text": "x"}], "returnDisplay": "d"}),
            &["x"],
            ResultShape::Parts(Some("llmContent")),
            Some(json!({"llmContent": [{"text": "NEW"}], "returnDisplay": "d"})),
        );
        check(json!({"filenames": []}), &["{\"filenames\":[]}"], ResultShape::Unknown, None);
        check(Value::Null, &[], ResultShape::None, None);
    }

    #[test]
    fn recognizes_failures() {
        for value in [
            json!({"content": [], "isError": true}),
            json!({"resultType": "failure", "textResultForLlm": "x"}),
            json!([{"query": "q", "result": "", "success": false}]),
            json!({"llmContent": "x", "error": {"message": "m"}}),
        ] {
            assert!(parse(value.clone()).0.is_error, "{value}");
        }
        for value in [json!("error: x"), json!({"stdout": "error", "stderr": ""}), json!([])] {
            assert!(!parse(value.clone()).0.is_error, "{value}");
        }
    }

    #[track_caller]
    fn check_saved(text: &str, path: Option<&str>) {
        let saved = parse(json!(text)).0.saved;
        assert_eq!(saved.map(|saved| saved.path).as_deref(), path, "{text}");
    }

    #[test]
    fn finds_saved_files() {
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
    fn reads_exit_codes_from_fields_and_text() {
        let code = |value| parse(value).0.exit_code;
        assert_eq!(code(json!({"metadata": {"exit": 3}, "output": ""})), Some(3));
        assert_eq!(code(json!("x\n<shellId: 0 completed with exit code 101>")), Some(101));
        assert_eq!(code(json!("Output: x\nExit Code: 0\nSignal: (none)")), Some(0));
        assert_eq!(code(json!("Exit code 101\nerror: test failed")), Some(101));
        assert_eq!(code(json!("Exit Code: none")), None);
        let row =
            json!({"query": "x", "result": "[Command exited with code 3]\n1\n", "success": false});
        assert_eq!(code(json!([row])), Some(3));
    }

    #[test]
    fn text_that_the_host_cut_says_so() {
        let cut = |text: &str| parse(json!(text)).0.cut;
        let marker = "1219\n\n\n... [20012 characters truncated] ...\n\n22\n";
        assert_eq!(cut(marker), Some(HostCut::default()));
        assert_eq!(cut("grep: many characters truncated] ...\n"), None);
        let marker = "50\n[... output truncated: 108908 chars total. Refine the command (grep, head, tail) ...]\n";
        assert_eq!(cut(marker), Some(HostCut::default()));
    }
}
