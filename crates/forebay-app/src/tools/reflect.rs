//! `ctx_reflect`: a session in at most a hundred words: done, decided, left open.

use std::collections::BTreeMap;

use forebay_domain::text::{cut, number};
use forebay_domain::time::Span;
use forebay_domain::{Entry, NoteKind, soft_failure};
use forebay_store::HistoryPage;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::history::Session;
use super::{Nature, Tool};
use crate::{Answer, App, AppError, Call};

pub struct Reflect;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Default: this one
    pub session: Option<String>,
}

const MOST_WORDS: usize = 100;
/// Entries that a reflection looks back on.
const MOST_ENTRIES: usize = 2_000;

impl Tool for Reflect {
    const NAME: &'static str = "ctx_reflect";
    const DESCRIPTION: &'static str =
        "A session in <= 100 words: what was done, decided and left open.";
    const NATURE: Nature = Nature::Reads;
    const STANDARD: bool = false;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        let session = Session::choose(app, input.session.as_deref())?;
        let page = HistoryPage { session: session.key.clone(), before: None, limit: MOST_ENTRIES };
        let mut entries = app.places.own()?.history(&page)?;
        entries.reverse();
        let text = in_words(reflect(&session.name, &entries), MOST_WORDS);
        let data = json!({ "session": session.key, "entries": entries.len(), "text": text });
        Ok(Answer::new(text, data))
    }
}

/// Sentences in order of weight; the last ones go when there are too many words.
fn reflect(session: &str, entries: &[Entry]) -> Vec<String> {
    let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
        return vec![format!("{session}: nothing yet.")];
    };
    let span = Span(first.created.age(last.created));
    let mut sentences = vec![format!("{session}: {} over {span}.", counts(entries))];
    sentences.extend(noted(entries, NoteKind::Decision, "Decided"));
    sentences.extend(failing(entries));
    sentences.extend(noted(entries, NoteKind::Todo, "Open"));
    sentences.extend(noted(entries, NoteKind::Finding, "Found"));
    sentences.extend(last_run(entries));
    sentences
}

fn counts(entries: &[Entry]) -> String {
    let runs: Vec<_> = entries.iter().filter_map(Entry::run).collect();
    let failed = entries.iter().filter(|entry| is_failure(entry)).count();
    let notes = entries.iter().filter(|entry| entry.note().is_some()).count();
    let mut parts = vec![number::counted(runs.len() as u64, "run")];
    if failed > 0 {
        parts.push(format!("{failed} of them failed"));
    }
    if notes > 0 {
        parts.push(number::counted(notes as u64, "note"));
    }
    parts.join(", ")
}

/// The notes of a kind that still hold.
fn noted(entries: &[Entry], kind: NoteKind, word: &str) -> Option<String> {
    let texts: Vec<String> = entries
        .iter()
        .rev()
        .filter(|entry| {
            entry.note().is_some_and(|note| note.kind == kind && note.superseded_by.is_none())
        })
        .map(|entry| cut::one_line(&entry.digest, 90))
        .collect();
    (!texts.is_empty()).then(|| format!("{word}: {}.", texts.join("; ")))
}

/// The commands whose latest run failed.
fn failing(entries: &[Entry]) -> Option<String> {
    let mut latest: BTreeMap<&str, &Entry> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.run().is_some()) {
        latest.insert(&entry.title, entry);
    }
    let mut failing: Vec<&Entry> = latest.into_values().filter(|entry| is_failure(entry)).collect();
    failing.sort_by_key(|entry| std::cmp::Reverse(entry.sequence));
    let named: Vec<String> = failing
        .iter()
        .take(3)
        .map(|entry| format!("`{}` {}", cut::one_line(&entry.title, 50), entry.reference))
        .collect();
    (!named.is_empty()).then(|| format!("Still failing: {}.", named.join(", ")))
}

/// Whether it is a run that failed; `grep` without a match did not.
fn is_failure(entry: &Entry) -> bool {
    entry.run().is_some_and(|run| {
        !run.ending.is_success() && soft_failure::meaning(&entry.title, run.ending).is_none()
    })
}

fn last_run(entries: &[Entry]) -> Option<String> {
    let last = entries.iter().rev().find(|entry| entry.run().is_some())?;
    let ending = last.run().map(|run| run.ending)?;
    Some(format!("Last: `{}`, {ending} {}.", cut::one_line(&last.title, 50), last.reference))
}

fn in_words(sentences: Vec<String>, most: usize) -> String {
    let mut left = most;
    let mut kept = Vec::new();
    for sentence in sentences {
        let words: Vec<&str> = sentence.split_whitespace().collect();
        if words.len() <= left {
            left -= words.len();
            kept.push(sentence);
        } else if left > 5 {
            kept.push(format!("{} …", words[..left - 1].join(" ")));
            break;
        }
    }
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_and_a_cut_shows() {
        let sentences = vec!["one two three.".to_owned(), "word ".repeat(200)];
        let text = in_words(sentences, 100);
        assert_eq!(text.split_whitespace().count(), 100);
        assert!(text.starts_with("one two three.") && text.ends_with('…'));
    }
}
