//! Values of settings: their types, and how they are written in variables and flags.

use toml::Value;

/// Whether a value has the type of an example.
pub(super) fn fits(example: &Value, value: &Value) -> bool {
    let is_number = |value: &Value| value.is_integer() || value.is_float();
    (example.same_type(value) || example.is_float() && is_number(value))
        && value.as_integer().is_none_or(|number| number >= 0)
        && value.as_array().is_none_or(|items| items.iter().all(Value::is_str))
}

/// Parses a value of a variable, a flag or an argument as the type of an example; a text of another type stays a text.
pub(super) fn value_from_text(example: &Value, text: &str) -> Value {
    let parsed = match example {
        Value::Integer(_) => text.parse().ok().map(Value::Integer),
        Value::Float(_) => text.parse().ok().map(Value::Float),
        Value::Boolean(_) => text.parse().ok().map(Value::Boolean),
        Value::Array(_) => Some(list_from_text(text)),
        _ => None,
    };
    parsed.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// Parses `/a,/b` or `["/a", "/b"]` as a list.
fn list_from_text(text: &str) -> Value {
    if let Ok(list @ Value::Array(_)) = text.parse::<Value>() {
        return list;
    }
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    Value::Array(items.map(|item| Value::String(item.to_owned())).collect())
}

/// What a value like the example is called in errors.
pub(super) fn expected(example: &Value) -> &'static str {
    match example {
        Value::Integer(_) => "a non-negative integer",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::String(_) => "a string",
        Value::Array(_) => "a list of strings",
        _ => "settable this way: define recognizers in a settings file",
    }
}
