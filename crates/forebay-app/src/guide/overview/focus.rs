//! The focus: the current work, and how relevant a note is to it.

use std::collections::{BTreeSet, HashMap};

use forebay_domain::event::{RecordedEvent, Task};
use forebay_domain::{Entry, EventKind, NoteKind, ticket};
use forebay_embed::Vector;
use forebay_store::EventPage;
use forebay_text::words;

use crate::stores::registry::SharedStore;
use crate::{App, AppError};

/// The latest events that describe the current work.
const MAX_EVENTS: usize = 200;
const MAX_REQUESTS: usize = 3;
const MAX_FILES: usize = 20;
const MAX_TASKS: usize = 10;
const MAX_WORDS: usize = 120;

// Weights of a note's features; shared words, similarity and recency are from 0 to 1.
const WORDS_WEIGHT: f64 = 2.0;
const SIMILARITY_WEIGHT: f64 = 1.0;
const RECENCY_WEIGHT: f64 = 1.0;
const TICKET_BONUS: f64 = 0.5;
const KIND_BONUS: f64 = 0.2;

/// The current work, as far as the store shows it.
#[derive(Default)]
pub(super) struct Focus {
    words: BTreeSet<String>,
    embedding: Option<Vector>,
    ticket: Option<String>,
}

/// Derives the focus from the last requests, the last changed files, open tasks and the branch.
pub(super) fn read(app: &App, store: &SharedStore) -> Result<Focus, AppError> {
    let page = EventPage {
        kinds: vec![
            EventKind::Prompt,
            EventKind::Task,
            EventKind::FileEdited,
            EventKind::FileWritten,
        ],
        active_only: true,
        limit: MAX_EVENTS,
        ..EventPage::default()
    };
    let events = store.events(&page)?;
    let branch = app.branch().unwrap_or_default();
    let text = describe(&events, &branch);
    Ok(Focus {
        words: words::significant(&text, MAX_WORDS).into_iter().collect(),
        embedding: forebay_embed::embed(&text),
        ticket: ticket::from_branch(&branch),
    })
}

fn describe(events: &[RecordedEvent], branch: &str) -> String {
    let of_kinds = |kinds: &'static [EventKind]| {
        events.iter().map(|one| &one.event).filter(|event| kinds.contains(&event.kind))
    };
    let requests =
        of_kinds(&[EventKind::Prompt]).take(MAX_REQUESTS).map(|event| event.text.as_str());
    let tasks = of_kinds(&[EventKind::Task]).map(Task::from_event).filter(Task::is_open);
    let tasks = tasks.take(MAX_TASKS).map(|task| task.words);
    let changed = of_kinds(&[EventKind::FileEdited, EventKind::FileWritten]).take(MAX_FILES);
    let files = changed.map(|event| path_suffix(&event.subject));
    requests.chain(tasks).chain(files).chain([branch]).collect::<Vec<_>>().join("\n")
}

/// Returns a file with its two parent folders; the rest of the path says nothing about the work.
fn path_suffix(path: &str) -> &str {
    path.rmatch_indices('/').nth(2).map_or(path, |(at, _)| &path[at + 1..])
}

impl Focus {
    /// Sorts notes, given newest first, by relevance to the current work.
    pub(super) fn rank(&self, notes: Vec<Entry>) -> Vec<Entry> {
        let word_scores = self.word_scores(&notes);
        let count = notes.len().max(1) as f64;
        let mut scored: Vec<(f64, Entry)> = notes
            .into_iter()
            .enumerate()
            .map(|(index, note)| {
                let recency = 1.0 - index as f64 / count;
                let score = WORDS_WEIGHT * word_scores[index]
                    + RECENCY_WEIGHT * recency
                    + self.other_features(&note);
                (score, note)
            })
            .collect();
        // Stable: equal scores stay in the order of their age.
        scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        scored.into_iter().map(|(_, note)| note).collect()
    }

    fn other_features(&self, entry: &Entry) -> f64 {
        let both = self.embedding.as_ref().zip(forebay_embed::embed(&text_of(entry)));
        let similarity =
            both.map_or(0.0, |(work, note)| f64::from(work.cosine_similarity(&note)).max(0.0));
        let of_branch = entry.branch.as_deref().and_then(ticket::from_branch);
        let is_of_ticket = self.ticket.is_some() && of_branch == self.ticket;
        let is_binding = entry.note().is_some_and(|note| is_binding(note.kind));
        SIMILARITY_WEIGHT * similarity
            + if is_of_ticket { TICKET_BONUS } else { 0.0 }
            + if is_binding { KIND_BONUS } else { 0.0 }
    }

    /// Scores each note by the words it shares with the work, weighted by inverse document frequency; from 0 to 1.
    fn word_scores(&self, notes: &[Entry]) -> Vec<f64> {
        let shared: Vec<BTreeSet<String>> =
            notes.iter().map(|note| self.shared_words(&text_of(note))).collect();
        let mut counts: HashMap<&str, f64> = HashMap::new();
        for word in shared.iter().flatten() {
            *counts.entry(word).or_default() += 1.0;
        }
        let weight = |word: &String| {
            let count = counts.get(word.as_str()).copied().unwrap_or(1.0);
            (1.0 + notes.len() as f64 / count).ln()
        };
        let sums: Vec<f64> = shared.iter().map(|words| words.iter().map(weight).sum()).collect();
        let max = sums.iter().copied().fold(0.0, f64::max);
        sums.into_iter().map(|sum| if max > 0.0 { sum / max } else { 0.0 }).collect()
    }

    fn shared_words(&self, text: &str) -> BTreeSet<String> {
        words::words(text).filter(|word| self.words.contains(word)).collect()
    }
}

/// Returns a note's title and digest.
fn text_of(entry: &Entry) -> String {
    format!("{} {}", entry.title, entry.digest)
}

/// Whether others have to follow a note of this kind.
fn is_binding(kind: NoteKind) -> bool {
    matches!(kind, NoteKind::Decision | NoteKind::Constraint | NoteKind::Preference)
}
