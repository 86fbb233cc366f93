//! `ctx_reflect`: a session in at most a hundred words: done, decided, left open.

use std::collections::{BTreeMap, BTreeSet};

use forebay_domain::event::{Recorded, Task};
use forebay_domain::time::Span;
use forebay_domain::{Entry, EventKind, NoteKind, soft_failure};
use forebay_store::{EventPage, HistoryPage};
use forebay_text::{cut, number};
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
        let events = standing(app, session.key.clone())?;
        let text = in_words(reflect(&session.name, &entries, &events), MOST_WORDS);
        let data = json!({
            "session": session.key,
            "entries": entries.len(),
            "events": events.len(),
            "text": text,
        });
        Ok(Answer::new(text, data))
    }
}

/// What still stands of what happened, the latest first.
fn standing(app: &App, session: Option<String>) -> Result<Vec<Recorded>, AppError> {
    const TOLD: &[EventKind] = &[
        EventKind::Decision,
        EventKind::Task,
        EventKind::Error,
        EventKind::FileEdited,
        EventKind::FileWritten,
    ];
    let page = EventPage {
        session,
        kinds: TOLD.to_vec(),
        active_only: true,
        limit: MOST_ENTRIES,
        ..EventPage::default()
    };
    Ok(app.places.own()?.events(&page)?)
}

/// Sentences in order of weight; the last ones go when there are too many words.
fn reflect(session: &str, entries: &[Entry], events: &[Recorded]) -> Vec<String> {
    let created = || {
        let of_entries = entries.iter().map(|entry| entry.created);
        of_entries.chain(events.iter().map(|recorded| recorded.created))
    };
    let (Some(first), Some(last)) = (created().min(), created().max()) else {
        return vec![format!("{session}: nothing yet.")];
    };
    let span = Span(first.age(last));
    let done: Vec<String> =
        [counts(entries), files_changed(events)].into_iter().flatten().collect();
    let mut sentences = vec![format!("{session}: {} over {span}.", done.join(", "))];
    sentences.extend(noted(entries, NoteKind::Decision, "Decided"));
    sentences.extend(decided(events));
    sentences.extend(failing(entries));
    sentences.extend(unresolved(events));
    sentences.extend(noted(entries, NoteKind::Todo, "Open"));
    sentences.extend(open_tasks(events));
    sentences.extend(noted(entries, NoteKind::Finding, "Found"));
    sentences.extend(last_run(entries));
    sentences
}

fn decided(events: &[Recorded]) -> Option<String> {
    let texts = of(events, EventKind::Decision).map(|one| cut::one_line(&one.event.text, 90));
    sentence("Decided", texts.collect())
}

/// A command that failed in the host's own shell.
fn unresolved(events: &[Recorded]) -> Option<String> {
    let errors = of(events, EventKind::Error).take(3);
    sentence(
        "Unresolved",
        errors.map(|one| format!("`{}`", cut::one_line(&one.event.subject, 50))).collect(),
    )
}

fn open_tasks(events: &[Recorded]) -> Option<String> {
    let tasks = of(events, EventKind::Task).map(|one| Task::read(&one.event));
    let open = tasks.filter(Task::is_open).map(|task| cut::one_line(task.words, 60));
    sentence("Open tasks", open.collect())
}

fn files_changed(events: &[Recorded]) -> Option<String> {
    let changed = [EventKind::FileEdited, EventKind::FileWritten];
    let files: BTreeSet<&str> = events
        .iter()
        .filter(|one| changed.contains(&one.event.kind))
        .map(|one| one.event.subject.as_str())
        .collect();
    (!files.is_empty()).then(|| format!("{} changed", number::counted(files.len() as u64, "file")))
}

fn of(events: &[Recorded], kind: EventKind) -> impl Iterator<Item = &Recorded> {
    events.iter().filter(move |one| one.event.kind == kind)
}

fn sentence(word: &str, texts: Vec<String>) -> Option<String> {
    (!texts.is_empty()).then(|| format!("{word}: {}.", texts.join("; ")))
}

/// Runs and notes; nothing where there are none.
fn counts(entries: &[Entry]) -> Option<String> {
    if entries.is_empty() {
        return None;
    }
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
    Some(parts.join(", "))
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
