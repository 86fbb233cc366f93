//! Looks up values in a payload by the paths a table names.

use serde_json::Value;

use crate::platform::KeyPath;

/// Returns the value at a path.
pub(crate) fn get<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |inner, key| inner.get(key))
}

/// Returns the first string at one of the paths; of a list, its first element counts.
pub(super) fn text(value: &Value, paths: &[KeyPath]) -> Option<String> {
    paths.iter().filter_map(|path| get(value, path)).find_map(|found| match found {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Array(items) => items.first().and_then(Value::as_str).map(str::to_owned),
        _ => None,
    })
}

/// Moves out the first value at one of the paths.
pub(super) fn take(value: &mut Value, paths: &[KeyPath]) -> Option<Value> {
    paths.iter().find_map(|path| {
        let found = path.iter().try_fold(&mut *value, |inner, key| inner.get_mut(key))?;
        (!found.is_null()).then(|| found.take())
    })
}

/// Parses a string that contains a JSON object; some hosts send arguments this way.
pub(super) fn parse_embedded_json(value: Value) -> Value {
    match value {
        Value::String(text) if text.trim_start().starts_with('{') => {
            serde_json::from_str(&text).unwrap_or(Value::String(text))
        }
        other => other,
    }
}
