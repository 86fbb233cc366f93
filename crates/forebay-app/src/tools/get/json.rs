//! The value at a JSON pointer in an entry.

use forebay_text::{cut, number};
use serde_json::Value;

use super::{Page, Request};
use crate::AppError;
use crate::stores::line_reader::Position;

/// JSON is parsed in memory, so its size is bounded.
const MAX_JSON_BYTES: u64 = 64 * 1024 * 1024;
const MAX_LISTED_KEYS: usize = 20;

pub(super) fn value_at(request: &Request, pointer: &str) -> Result<Page, AppError> {
    let document = parse(request)?;
    let value = follow(&document, pointer)?;
    let text = match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    Ok(page(request, value, &text))
}

fn parse(request: &Request) -> Result<Value, AppError> {
    if request.entry.bytes > MAX_JSON_BYTES {
        return Err(AppError::bad_input(
            format!("{} is too large to be read as JSON", number::bytes(request.entry.bytes)),
            "use lines or grep",
        ));
    }
    let mut raw = Vec::with_capacity(request.entry.bytes as usize);
    request.store.read(request.entry.reference, 0, &mut |piece| {
        raw.extend_from_slice(piece);
        true
    })?;
    serde_json::from_slice(&raw).map_err(|error| {
        AppError::bad_input(format!("the text is not JSON: {error}"), "use lines or grep")
    })
}

/// Follows a pointer step by step, so that the error can name the wrong step.
fn follow<'a>(document: &'a Value, pointer: &str) -> Result<&'a Value, AppError> {
    let mut value = document;
    let steps = pointer.trim().trim_start_matches('/');
    for step in steps.split('/').filter(|_| !steps.is_empty()) {
        let name = step.replace("~1", "/").replace("~0", "~");
        let child = match value {
            Value::Object(object) => object.get(&name),
            Value::Array(items) => name.parse().ok().and_then(|index: usize| items.get(index)),
            _ => None,
        };
        value = child.ok_or_else(|| no_such_step(value, &name))?;
    }
    Ok(value)
}

fn no_such_step(value: &Value, name: &str) -> AppError {
    let hint = match value {
        Value::Object(object) => {
            let keys: Vec<_> = object.keys().take(MAX_LISTED_KEYS).map(String::as_str).collect();
            format!("available keys: {}", keys.join(", "))
        }
        Value::Array(items) => format!("found an array of {} items", items.len()),
        _ => "found a scalar".to_owned(),
    };
    AppError::not_found(format!("the JSON has no `{}` at that path", cut::one_line(name, 60)), hint)
}

fn page(request: &Request, value: &Value, text: &str) -> Page {
    let start = request.from.map_or(0, |at| at.offset as usize);
    let rest = &text[text.ceil_char_boundary(start.min(text.len()))..];
    let shown = cut::prefix(rest, request.page_bytes());
    let end = text.len() - rest.len() + shown.len();
    // The value may be one long line, so its pages are counted in bytes.
    let next = (end < text.len()).then_some(Position { line: 1, offset: end as u64 });
    Page { about: shape(value), text: shown.to_owned(), next }
}

fn shape(value: &Value) -> String {
    match value {
        Value::Object(object) => format!("object, {}", number::counted(object.len() as u64, "key")),
        Value::Array(items) => format!("array, {}", number::counted(items.len() as u64, "item")),
        Value::String(_) => "string".to_owned(),
        Value::Number(_) => "number".to_owned(),
        Value::Bool(_) => "boolean".to_owned(),
        Value::Null => "null".to_owned(),
    }
}
