//! Makes data safe to show: every text is bounded, and hidden characters are escapes.

use forebay_text::cut;
use forebay_text::invisible::escape;
use serde_json::Value;

/// Longer texts are cut; a view that shows all of a text pages it.
pub(super) const MAX_TEXT_BYTES: usize = 16 * 1024;

/// Returns the data with every text in it bounded and visible. Keys are our own.
pub(super) fn data(mut value: Value) -> Value {
    make_visible(&mut value);
    value
}

fn make_visible(value: &mut Value) {
    match value {
        Value::String(text) => *text = text_of(text),
        Value::Array(items) => items.iter_mut().for_each(make_visible),
        Value::Object(fields) => fields.values_mut().for_each(make_visible),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns a text as it is shown.
pub(super) fn text_of(text: &str) -> String {
    escape(&cut::marked(text, MAX_TEXT_BYTES)).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_visible_and_bounded() {
        let hostile = json!({ "a": ["x\u{202e}y", { "b": "z\u{7}" }], "n": 1 });
        assert_eq!(data(hostile), json!({ "a": ["x\\u{202e}y", { "b": "z\\u{7}" }], "n": 1 }));
        let long = data(Value::String("a".repeat(50_000_000)));
        let long = long.as_str().unwrap();
        assert!(long.len() <= MAX_TEXT_BYTES && long.ends_with('…'));
    }
}
