//! Reading a tool's input: lenient where the meaning is plain, clear where it is not.

use forebay_domain::{EntryKind, Reference, Scope};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};
use serde_json::Value;

use crate::AppError;

/// The smallest budget in which an answer can say anything.
const SMALLEST_BUDGET: u64 = 50;
const LARGEST_BUDGET: u64 = 100_000;

pub(crate) fn parse<T: DeserializeOwned>(tool: &str, input: Value) -> Result<T, AppError> {
    let input = if input.is_null() { Value::Object(serde_json::Map::new()) } else { input };
    serde_path_to_error::deserialize(input).map_err(|error| {
        let at = error.path().to_string();
        let place = if at == "." { String::new() } else { format!(" at `{at}`") };
        AppError::bad_input(
            format!("{tool}: wrong input{place}: {}", error.inner()),
            "the tool's schema lists its fields and their types",
        )
    })
}

/// A budget within what makes sense, or the default.
pub(crate) fn budget(asked: Option<u64>, default: u64) -> Result<u64, AppError> {
    match asked {
        None => Ok(default),
        Some(tokens @ SMALLEST_BUDGET..=LARGEST_BUDGET) => Ok(tokens),
        Some(tokens) => Err(AppError::bad_input(
            format!("budget {tokens} is out of range"),
            format!("give {SMALLEST_BUDGET} to {LARGEST_BUDGET} tokens"),
        )),
    }
}

pub(crate) fn scope(word: Option<&str>) -> Result<Scope, AppError> {
    let Some(word) = word else { return Ok(Scope::default()) };
    Scope::from_word(word).ok_or_else(|| one_of("scope", word, Scope::ALL.map(Scope::word)))
}

pub(crate) fn kind(word: &str) -> Result<EntryKind, AppError> {
    EntryKind::from_word(word)
        .ok_or_else(|| one_of("kind", word, EntryKind::ALL.map(EntryKind::word)))
}

/// Complains about a word that is none of those a field takes.
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

/// Takes a list, or the one string a model gave in its place.
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
