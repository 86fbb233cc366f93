//! Finding a value by the places where it may stand.

use serde_json::Value;

use crate::platform::Path;

/// The value at a path.
pub(super) fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |inner, key| inner.get(key))
}

/// The first text at one of these places; a list there counts by its first text.
pub(super) fn text(value: &Value, places: &[Path]) -> Option<String> {
    places.iter().filter_map(|path| at(value, path)).find_map(|found| match found {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Array(items) => items.first().and_then(Value::as_str).map(str::to_owned),
        _ => None,
    })
}

/// Moves the first value at one of these places out.
pub(super) fn take(value: &mut Value, places: &[Path]) -> Option<Value> {
    places.iter().find_map(|path| {
        let found = path.iter().try_fold(&mut *value, |inner, key| inner.get_mut(key))?;
        (!found.is_null()).then(|| found.take())
    })
}

/// Some hosts send arguments as a text that holds JSON.
pub(super) fn unwrap_text(value: Value) -> Value {
    match value {
        Value::String(text) if text.trim_start().starts_with('{') => {
            serde_json::from_str(&text).unwrap_or(Value::String(text))
        }
        other => other,
    }
}
