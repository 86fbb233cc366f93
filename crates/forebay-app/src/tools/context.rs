//! `ctx_context`: the bounded overview of a project's memory.
//!
//! Whatever is wrong with a value, the default holds: whoever begins a session gets an answer.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::{Nature, Tool};
use crate::guide::overview::{self, Count, Wanted};
use crate::{Answer, App, AppError, Call};

pub struct Context;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Input {
    /// Another project, by name
    #[serde(deserialize_with = "text")]
    #[schemars(with = "String")]
    pub project: Option<String>,
    /// session, branch, ticket, project, all
    #[serde(deserialize_with = "text")]
    #[schemars(with = "String")]
    pub scope: Option<String>,
    /// Notes at most
    #[serde(deserialize_with = "number")]
    #[schemars(with = "i64")]
    pub limit: i64,
    /// Titles only
    #[serde(deserialize_with = "truth")]
    pub compact: bool,
    /// How many of the section; <0 omits it
    #[serde(deserialize_with = "number")]
    #[schemars(with = "i64")]
    pub pinned: i64,
    #[serde(deserialize_with = "number")]
    #[schemars(with = "i64")]
    pub notes: i64,
    #[serde(deserialize_with = "number")]
    #[schemars(with = "i64")]
    pub prompts: i64,
    #[serde(deserialize_with = "number")]
    #[schemars(with = "i64")]
    pub sessions: i64,
    #[serde(deserialize_with = "number")]
    #[schemars(with = "i64")]
    pub max_bytes: i64,
}

impl Tool for Context {
    const NAME: &'static str = "ctx_context";
    const DESCRIPTION: &'static str = "What is known of a project: pinned notes, those nearest to the present work, last requests.";
    const NATURE: Nature = Nature::Reads;
    const STANDARD: bool = false;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        let wanted = wanted(input);
        let Some(told) = overview::tell(app, &wanted)? else {
            let text = match &wanted.project {
                Some(name) => format!("nothing is known of a project `{}`", cut(name)),
                None => "nothing to tell of this project yet".to_owned(),
            };
            return Ok(Answer::new(text.clone(), json!({ "text": text, "notes": [] })));
        };
        let notes: Vec<Value> = told.notes.iter().map(data).collect();
        let data = json!({ "text": told.text, "notes": notes });
        Ok(Answer::new(told.text, data))
    }
}

fn wanted(input: Input) -> Wanted {
    let positive = |number: i64| usize::try_from(number).ok().filter(|number| *number > 0);
    let some = |word: Option<String>| word.filter(|word| !word.trim().is_empty());
    Wanted {
        project: some(input.project),
        scope: some(input.scope),
        limit: positive(input.limit),
        compact: input.compact,
        pinned: Count::of(input.pinned),
        notes: Count::of(input.notes),
        prompts: Count::of(input.prompts),
        sessions: Count::of(input.sessions),
        max_bytes: positive(input.max_bytes),
    }
}

fn data(entry: &forebay_domain::Entry) -> Value {
    let note = entry.note();
    json!({
        "ref": entry.reference.as_str(),
        "kind": note.map(|note| note.kind.word()),
        "title": entry.title,
        "pinned": note.is_some_and(|note| note.pinned),
        "author": note.map(|note| note.author.as_str()).filter(|author| !author.is_empty()),
        "created": entry.created.0,
        "conflicts_with": entry.conflicts.map(|other| other.as_str().to_owned()),
    })
}

fn cut(name: &str) -> String {
    forebay_text::cut::one_line(name, 60)
}

/// A text; anything else is none.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::String(text) => Some(text),
        _ => None,
    })
}

/// A whole number, also one that is written as a text; anything else is 0.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::Number(number) => number.as_i64().unwrap_or_default(),
        Value::String(text) => text.trim().parse().unwrap_or_default(),
        _ => 0,
    })
}

/// Yes in any of the ways it is written; anything else is no.
fn truth<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::Bool(truth) => truth,
        Value::Number(number) => number.as_i64() == Some(1),
        Value::String(text) => {
            matches!(text.trim().to_ascii_lowercase().as_str(), "1" | "t" | "true" | "yes" | "on")
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn read(input: Value) -> Input {
        serde_json::from_value(input).unwrap()
    }

    #[test]
    fn whatever_is_wrong_is_the_default() {
        let wrong = json!({
            "project": 7, "scope": ["x"], "limit": "abc", "compact": "maybe", "pinned": 1.5,
            "notes": null, "prompts": {}, "sessions": "", "max_bytes": "9e99", "unheard": true,
        });
        assert_eq!(format!("{:?}", read(wrong)), format!("{:?}", Input::default()));
    }

    #[test]
    fn what_an_address_carries_is_read() {
        let input = read(json!({ "limit": "8", "compact": "1", "notes": "-1", "pinned": " 3 " }));
        assert_eq!((input.limit, input.compact, input.notes, input.pinned), (8, true, -1, 3));
        assert_eq!(wanted(read(json!({ "limit": -4, "max_bytes": -1 }))).limit, None);
    }
}
