//! Parses tool inputs: lenient where the meaning is clear, with precise errors where it is not.

use forebay_domain::{EntryKind, Reference, Scope};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};
use serde_json::Value;

use crate::AppError;

/// The smallest budget in which an answer is useful.
const MIN_BUDGET: u64 = 50;
const MAX_BUDGET: u64 = 100_000;

pub(crate) fn parse<T: DeserializeOwned>(tool: &str, input: Value) -> Result<T, AppError> {
    let input = if input.is_null() { Value::Object(serde_json::Map::new()) } else { input };
    if !input.is_object() {
        return Err(AppError::bad_input(
            format!("{tool}: the input is not an object"),
            "give an object with the tool's fields; its schema lists them",
        ));
    }
    serde_path_to_error::deserialize(input).map_err(|error| {
        let path = error.path().to_string();
        let location = if path == "." { String::new() } else { format!(" at `{path}`") };
        AppError::bad_input(
            format!("{tool}: invalid input{location}: {}", error.inner()),
            "the tool's schema lists its fields and their types",
        )
    })
}

/// Checks the range of a budget; returns `default` if none is given.
pub(crate) fn budget(requested: Option<u64>, default: u64) -> Result<u64, AppError> {
    match requested {
        None => Ok(default),
        Some(tokens @ MIN_BUDGET..=MAX_BUDGET) => Ok(tokens),
        Some(tokens) => Err(AppError::bad_input(
            format!("budget {tokens} is out of range"),
            format!("give {MIN_BUDGET} to {MAX_BUDGET} tokens"),
        )),
    }
}

pub(crate) fn scope(word: Option<&str>) -> Result<Scope, AppError> {
    let Some(word) = word else { return Ok(Scope::default()) };
    Scope::parse(word).ok_or_else(|| one_of("scope", word, Scope::ALL.map(Scope::as_str)))
}

pub(crate) fn kind(word: &str) -> Result<EntryKind, AppError> {
    EntryKind::parse(word)
        .ok_or_else(|| one_of("kind", word, EntryKind::ALL.map(EntryKind::as_str)))
}

/// Returns the error for a word that is not one of a field's values.
pub(crate) fn one_of<const N: usize>(field: &str, word: &str, words: [&str; N]) -> AppError {
    let word: String = word.chars().take(40).collect();
    AppError::bad_input(
        format!("unknown {field} `{word}`"),
        format!("one of: {}", words.join(", ")),
    )
}

pub(crate) fn references(texts: &[String]) -> Result<Vec<Reference>, AppError> {
    texts.iter().map(|text| Ok(Reference::parse(text)?)).collect()
}

/// Deserializes a list, or a single string in place of one.
pub(crate) fn one_or_many<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match OneOrMany::deserialize(input)? {
        OneOrMany::One(text) => vec![text],
        OneOrMany::Many(texts) => texts,
    })
}
