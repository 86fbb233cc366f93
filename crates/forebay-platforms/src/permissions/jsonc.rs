//! JSON with comments and trailing commas, as hosts accept it in their settings.
//!
//! Built on `serde_json` for its recursion limit: the files may come from an untrusted project.

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error};
use serde_json::{Map, Value};

/// Parses an object; an empty text is an empty object.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let plain = to_plain_json(text.trim_start_matches('\u{feff}'));
    let plain = if plain.trim().is_empty() { "{}" } else { &plain };
    let mut deserializer = serde_json::Deserializer::from_str(plain);
    let read = Map::deserialize(&mut deserializer).map_err(|error| error.to_string())?;
    deserializer.end().map_err(|error| error.to_string())?;
    serde_path_to_error::deserialize(Value::Object(read)).map_err(|error| error.to_string())
}

/// Deserializes a field that must be an object: by default serde also accepts a list for a struct.
pub(super) fn object<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    from: D,
) -> Result<T, D::Error> {
    let read = Map::deserialize(from)?;
    serde_path_to_error::deserialize(Value::Object(read)).map_err(D::Error::custom)
}

/// Removes comments and trailing commas; line numbers in parse errors stay correct.
fn to_plain_json(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut comma: Option<usize> = None;
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match (character, rest.peek()) {
            ('/', Some('/')) => while rest.next_if(|next| *next != '\n').is_some() {},
            ('/', Some('*')) => skip_block(&mut rest, &mut plain),
            ('"', _) => {
                comma = None;
                copy_string(&mut rest, &mut plain);
            }
            _ => {
                if matches!(character, '}' | ']')
                    && let Some(at) = comma
                {
                    plain.replace_range(at..=at, " ");
                }
                if !character.is_whitespace() {
                    comma = (character == ',').then_some(plain.len());
                }
                plain.push(character);
            }
        }
    }
    plain
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_block(rest: &mut Rest<'_>, plain: &mut String) {
    rest.next();
    let mut last = ' ';
    for character in rest {
        if character == '\n' {
            plain.push('\n');
        }
        if last == '*' && character == '/' {
            return;
        }
        last = character;
    }
    // Unterminated: leave a `/` for the parser to reject.
    plain.push('/');
}

fn copy_string(rest: &mut Rest<'_>, plain: &mut String) {
    plain.push('"');
    while let Some(character) = rest.next() {
        plain.push(character);
        match character {
            '"' => return,
            '\\' => plain.extend(rest.next()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn ignores_comments_and_trailing_commas() {
        let text = "{ // one\n \"a//b\": [1, 2, /* two, */ ],\n \"c\\\"/*\": \"x,]\", }";
        assert_eq!(parse::<Value>(text).unwrap(), json!({"a//b": [1, 2], "c\"/*": "x,]"}));
        assert_eq!(parse::<Value>(" \n").unwrap(), json!({}));
    }

    #[test]
    fn rejects_malformed_json() {
        for text in ["{", "{} {}", "{,,}", "{ /* }", "[1 2]", "\"a", "[]", "1"] {
            assert!(parse::<Value>(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn plain_json_is_unchanged(text in r#"[\[\]{}",:/*\\a1 \n]{0,40}"#) {
            let text = format!("{{\"a\":{text}}}");
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                prop_assert_eq!(parse::<Value>(&text).unwrap(), value);
            }
        }
    }
}
