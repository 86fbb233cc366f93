//! `ctx_context`: a bounded overview of a project's memory.
//!
//! An invalid value falls back to its default, so that a starting session always gets an answer.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::{Effect, Tool};
use crate::guide::overview::{self, OverviewOptions, SectionLimit};
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
    /// Max notes
    #[serde(deserialize_with = "number")]
    #[schemars(with = "i64")]
    pub limit: i64,
    /// Titles only
    #[serde(deserialize_with = "boolean")]
    pub compact: bool,
    /// Max items; <0 omits the section
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
    const DESCRIPTION: &'static str =
        "Project overview: pinned notes, notes related to current work, recent requests.";
    const EFFECT: Effect = Effect::ReadOnly;
    const LISTED_BY_DEFAULT: bool = false;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        let options = options(input);
        let Some(overview) = overview::build(app, &options)? else {
            let text = match &options.project {
                Some(name) => format!("no data about a project `{}`", cut(name)),
                None => "nothing to show about this project yet".to_owned(),
            };
            return Ok(Answer::new(text.clone(), json!({ "text": text, "notes": [] })));
        };
        let notes: Vec<Value> = overview.notes.iter().map(data).collect();
        let data = json!({ "text": overview.text, "notes": notes });
        Ok(Answer::new(overview.text, data))
    }
}

fn options(input: Input) -> OverviewOptions {
    let positive = |number: i64| usize::try_from(number).ok().filter(|number| *number > 0);
    let non_blank = |word: Option<String>| word.filter(|word| !word.trim().is_empty());
    OverviewOptions {
        project: non_blank(input.project),
        scope: non_blank(input.scope),
        limit: positive(input.limit),
        compact: input.compact,
        pinned: SectionLimit::from_number(input.pinned),
        notes: SectionLimit::from_number(input.notes),
        prompts: SectionLimit::from_number(input.prompts),
        sessions: SectionLimit::from_number(input.sessions),
        max_bytes: positive(input.max_bytes),
    }
}

fn data(entry: &forebay_domain::Entry) -> Value {
    let note = entry.note();
    json!({
        "ref": entry.reference.as_str(),
        "kind": note.map(|note| note.kind.as_str()),
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

/// Deserializes a string; anything else is `None`.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::String(text) => Some(text),
        _ => None,
    })
}

/// Deserializes an integer or a string with one; anything else is 0.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::Number(number) => number.as_i64().unwrap_or_default(),
        Value::String(text) => text.trim().parse().unwrap_or_default(),
        _ => 0,
    })
}

/// Deserializes a boolean in any of its usual spellings; anything else is false.
fn boolean<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::Bool(value) => value,
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
    fn invalid_values_fall_back_to_defaults() {
        let invalid = json!({
            "project": 7, "scope": ["x"], "limit": "abc", "compact": "maybe", "pinned": 1.5,
            "notes": null, "prompts": {}, "sessions": "", "max_bytes": "9e99", "unknown": true,
        });
        assert_eq!(format!("{:?}", read(invalid)), format!("{:?}", Input::default()));
    }

    #[test]
    fn parses_query_string_values() {
        let input = read(json!({ "limit": "8", "compact": "1", "notes": "-1", "pinned": " 3 " }));
        assert_eq!((input.limit, input.compact, input.notes, input.pinned), (8, true, -1, 3));
        assert_eq!(options(read(json!({ "limit": -4, "max_bytes": -1 }))).limit, None);
    }
}
