//! `ctx_reflect`: summarizes a session in at most 100 words: done, decided, left open.

use std::collections::{BTreeMap, BTreeSet};

use forebay_domain::event::{RecordedEvent, Task};
use forebay_domain::time::Span;
use forebay_domain::{Entry, EventKind, NoteKind, soft_failure};
use forebay_store::{EventPage, HistoryPage};
use forebay_text::{cut, number};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::history::Session;
use super::{Effect, Tool};
use crate::guide::CONVERSATION_SOURCE;
use crate::{Answer, App, AppError, Call};

pub struct Reflect;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Default: this one
    pub session: Option<String>,
}

const MAX_WORDS: usize = 100;
/// The latest entries that the summary covers.
const MAX_ENTRIES: usize = 2_000;

impl Tool for Reflect {
    const NAME: &'static str = "ctx_reflect";
    const DESCRIPTION: &'static str =
        "A session in <= 100 words: what was done, decided and left open.";
    const EFFECT: Effect = Effect::ReadOnly;
    const LISTED_BY_DEFAULT: bool = false;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        let session = Session::choose(app, input.session.as_deref())?;
        let page = HistoryPage {
            session: session.key.clone(),
            except_source: Some(CONVERSATION_SOURCE.to_owned()),
            limit: MAX_ENTRIES,
            ..HistoryPage::default()
        };
        let mut entries = app.stores.own()?.history(&page)?;
        entries.reverse();
        let events = events_in_force(app, session.key.clone())?;
        let text = limit_words(summarize(&session.name, &entries, &events), MAX_WORDS);
        let data = json!({
            "session": session.key,
            "entries": entries.len(),
            "events": events.len(),
            "text": text,
        });
        Ok(Answer::new(text, data))
    }
}

/// Reads the session's events that still apply, latest first.
fn events_in_force(app: &App, session: Option<String>) -> Result<Vec<RecordedEvent>, AppError> {
    const KINDS: &[EventKind] = &[
        EventKind::Decision,
        EventKind::Prompt,
        EventKind::Task,
        EventKind::Error,
        EventKind::FileEdited,
        EventKind::FileWritten,
    ];
    let page = EventPage {
        session,
        kinds: KINDS.to_vec(),
        active_only: true,
        limit: MAX_ENTRIES,
        ..EventPage::default()
    };
    Ok(app.stores.own()?.events(&page)?)
}

/// Returns sentences in order of importance; the last ones are cut if there are too many words.
fn summarize(session: &str, entries: &[Entry], events: &[RecordedEvent]) -> Vec<String> {
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
    let done = if done.is_empty() { "active".to_owned() } else { done.join(", ") };
    let mut sentences = vec![format!("{session}: {done} over {span}.")];
    sentences.extend(noted(entries, NoteKind::Decision, "Decided"));
    sentences.extend(decided(events));
    sentences.extend(asked(events));
    sentences.extend(failing(entries));
    sentences.extend(unresolved(events));
    sentences.extend(noted(entries, NoteKind::Todo, "Open"));
    sentences.extend(open_tasks(events));
    sentences.extend(noted(entries, NoteKind::Finding, "Found"));
    sentences.extend(last_run(entries));
    sentences
}

/// Quotes the user's last request.
fn asked(events: &[RecordedEvent]) -> Option<String> {
    let last = of_kind(events, EventKind::Prompt).next()?;
    Some(format!("Last request: {}.", cut::one_line(&last.event.text, 120).trim_end_matches('.')))
}

/// Lists decisions that an older version recognised in prompts.
fn decided(events: &[RecordedEvent]) -> Option<String> {
    let texts = of_kind(events, EventKind::Decision).map(|one| cut::one_line(&one.event.text, 90));
    sentence("Decided", texts.collect())
}

/// Lists commands that failed in the host's own shell.
fn unresolved(events: &[RecordedEvent]) -> Option<String> {
    let errors = of_kind(events, EventKind::Error).take(3);
    sentence(
        "Unresolved",
        errors.map(|one| format!("`{}`", cut::one_line(&one.event.subject, 50))).collect(),
    )
}

fn open_tasks(events: &[RecordedEvent]) -> Option<String> {
    let tasks = of_kind(events, EventKind::Task).map(|one| Task::from_event(&one.event));
    let open = tasks.filter(Task::is_open).map(|task| cut::one_line(task.words, 60));
    sentence("Open tasks", open.collect())
}

fn files_changed(events: &[RecordedEvent]) -> Option<String> {
    let changed = [EventKind::FileEdited, EventKind::FileWritten];
    let files: BTreeSet<&str> = events
        .iter()
        .filter(|one| changed.contains(&one.event.kind))
        .map(|one| one.event.subject.as_str())
        .collect();
    (!files.is_empty()).then(|| format!("{} changed", number::counted(files.len() as u64, "file")))
}

fn of_kind(events: &[RecordedEvent], kind: EventKind) -> impl Iterator<Item = &RecordedEvent> {
    events.iter().filter(move |one| one.event.kind == kind)
}

fn sentence(word: &str, texts: Vec<String>) -> Option<String> {
    (!texts.is_empty()).then(|| format!("{word}: {}.", texts.join("; ")))
}

/// Counts runs and notes; `None` if there are none.
fn counts(entries: &[Entry]) -> Option<String> {
    if entries.is_empty() {
        return None;
    }
    let runs: Vec<_> = entries.iter().filter_map(Entry::run).collect();
    let failed = entries.iter().filter(|entry| is_failure(entry)).count();
    let notes = entries.iter().filter(|entry| entry.note().is_some()).count();
    let mut parts = vec![number::counted(runs.len() as u64, "run")];
    if failed > 0 {
        parts[0].push_str(&format!(" ({failed} failed)"));
    }
    if notes > 0 {
        parts.push(number::counted(notes as u64, "note"));
    }
    Some(parts.join(", "))
}

/// Lists the current notes of a kind.
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

/// Lists the commands whose latest run failed.
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

/// Whether it is a failed run; `grep` without a match is not one.
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

fn limit_words(sentences: Vec<String>, max: usize) -> String {
    let mut left = max;
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
    fn limits_the_words_and_marks_the_cut() {
        let sentences = vec!["one two three.".to_owned(), "word ".repeat(200)];
        let text = limit_words(sentences, 100);
        assert_eq!(text.split_whitespace().count(), 100);
        assert!(text.starts_with("one two three.") && text.ends_with('…'));
    }
}
