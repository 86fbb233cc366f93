//! A JSON entry as a tree: the members of one value at a time.

use forebay_domain::Entry;
use forebay_store::Store;
use forebay_text::{cut, number};
use serde_json::{Value, json};

use super::{entry, shown};
use crate::{App, AppError};

/// Larger texts are not parsed; they are read as lines.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Whether a text is JSON is found out by parsing it, up to this size.
const MAX_CHECKED_BYTES: u64 = 1024 * 1024;
const PAGE_MEMBERS: usize = 100;
const MAX_KEY_BYTES: usize = 200;
const MAX_SCALAR_BYTES: usize = 2_000;

/// Whether an entry is one JSON object or array; a large text is judged by its first character.
pub(super) fn is_json(store: &dyn Store, entry: &Entry) -> Result<bool, AppError> {
    if entry.bytes > MAX_BYTES {
        return Ok(false);
    }
    let mut start = Vec::new();
    store.read(entry.reference, 0, &mut |piece| {
        start.extend_from_slice(piece);
        false
    })?;
    if !matches!(start.trim_ascii_start().first(), Some(b'{' | b'[')) {
        return Ok(false);
    }
    Ok(entry.bytes > MAX_CHECKED_BYTES || parse(store, entry).is_ok())
}

/// Returns a page of the members of the value at a JSON pointer.
pub fn children(app: &App, reference: &str, pointer: &str, page: usize) -> Result<Value, AppError> {
    let (store, found) = entry::find(app, reference)?;
    let document = parse(&*store, &found)?;
    let value = document.pointer(pointer).ok_or_else(|| {
        AppError::not_found("the JSON has no such value", "open the tree from its root")
    })?;
    let start = page.saturating_mul(PAGE_MEMBERS);
    let (members, total): (Vec<Value>, usize) = match value {
        Value::Object(fields) => {
            let some = fields.iter().skip(start).take(PAGE_MEMBERS);
            (some.map(|(key, value)| member(pointer, key, value)).collect(), fields.len())
        }
        Value::Array(items) => {
            let some = items.iter().enumerate().skip(start).take(PAGE_MEMBERS);
            (
                some.map(|(index, value)| member(pointer, &index.to_string(), value)).collect(),
                items.len(),
            )
        }
        scalar => (vec![member(pointer, "", scalar)], 1),
    };
    let has_more = start.saturating_add(members.len()) < total;
    Ok(shown::data(json!({
        "members": members,
        "total": total,
        "is_array": value.is_array(),
        "next": has_more.then(|| page + 1),
    })))
}

fn parse(store: &dyn Store, entry: &Entry) -> Result<Value, AppError> {
    if entry.bytes > MAX_BYTES {
        return Err(AppError::bad_input(
            format!("{} is too large to be shown as a tree", number::bytes(entry.bytes)),
            "read its lines",
        ));
    }
    let mut raw = Vec::with_capacity(entry.bytes as usize);
    store.read(entry.reference, 0, &mut |piece| {
        raw.extend_from_slice(piece);
        true
    })?;
    serde_json::from_slice(&raw).map_err(|error| {
        AppError::bad_input(format!("the text is not JSON: {error}"), "read its lines")
    })
}

/// A member: a container with its size, or a scalar with its text.
fn member(parent: &str, key: &str, value: &Value) -> Value {
    let pointer = format!("{parent}/{}", key.replace('~', "~0").replace('/', "~1"));
    let (kind, count, text) = match value {
        Value::Object(fields) => ("object", Some(fields.len()), String::new()),
        Value::Array(items) => ("array", Some(items.len()), String::new()),
        Value::String(text) => ("string", None, cut::marked(text, MAX_SCALAR_BYTES).into_owned()),
        Value::Number(number) => ("number", None, number.to_string()),
        Value::Bool(value) => ("boolean", None, value.to_string()),
        Value::Null => ("null", None, "null".to_owned()),
    };
    json!({
        "key": cut::marked(key, MAX_KEY_BYTES),
        "pointer": count.is_some().then_some(pointer),
        "kind": kind,
        "count": count,
        "text": text,
    })
}
