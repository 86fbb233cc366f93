//! JSON with comments and commas at ends, which hosts take in their settings.

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error};
use serde_json::{Map, Value};

/// Reads an object; an empty text is an empty one.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let plain = plain(text.trim_start_matches('\u{feff}'));
    let plain = if plain.trim().is_empty() { "{}" } else { &plain };
    let mut deserializer = serde_json::Deserializer::from_str(plain);
    let read = Map::deserialize(&mut deserializer).map_err(|error| error.to_string())?;
    deserializer.end().map_err(|error| error.to_string())?;
    serde_path_to_error::deserialize(Value::Object(read)).map_err(|error| error.to_string())
}

/// Reads a field that must be an object: by itself a list would do for a struct, and say nothing.
pub(super) fn object<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    from: D,
) -> Result<T, D::Error> {
    let read = Map::deserialize(from)?;
    serde_path_to_error::deserialize(Value::Object(read)).map_err(D::Error::custom)
}

/// The text with blanks in place of comments and of commas before a closing bracket, so that what is
/// said about lines and columns stays true.
fn plain(text: &str) -> String {
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
    // Without an end it is no comment; the parser shall say so.
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
    fn comments_and_last_commas_are_no_part_of_it() {
        let text = "{ // one\n \"a//b\": [1, 2, /* two, */ ],\n \"c\\\"/*\": \"x,]\", }";
        assert_eq!(read::<Value>(text).unwrap(), json!({"a//b": [1, 2], "c\"/*": "x,]"}));
        assert_eq!(read::<Value>(" \n").unwrap(), json!({}));
    }

    #[test]
    fn what_is_broken_stays_broken() {
        for text in ["{", "{} {}", "{,,}", "{ /* }", "[1 2]", "\"a", "[]", "1"] {
            assert!(read::<Value>(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn plain_json_reads_as_it_is(text in r#"[\[\]{}",:/*\\a1 \n]{0,40}"#) {
            let text = format!("{{\"a\":{text}}}");
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                prop_assert_eq!(read::<Value>(&text).unwrap(), value);
            }
        }
    }
}
