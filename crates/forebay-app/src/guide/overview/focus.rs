//! The focus: what is being worked on now, and how near a note is to it.

use std::collections::{BTreeSet, HashMap};

use forebay_domain::event::{Recorded, Task};
use forebay_domain::{Entry, EventKind, NoteKind, ticket};
use forebay_embed::Vector;
use forebay_store::EventPage;
use forebay_text::words;

use crate::stores::registry::SharedStore;
use crate::{App, AppError};

/// Events that tell of the present work.
const LOOKED_AT: usize = 200;
const REQUESTS: usize = 3;
const FILES: usize = 20;
const TASKS: usize = 10;
const MOST_WORDS: usize = 120;

/// What a note is worth for each reason; by words, by meaning and by being new it is from 0 to 1.
const BY_WORDS: f64 = 2.0;
const BY_MEANING: f64 = 1.0;
const BY_BEING_NEW: f64 = 1.0;
const BY_TICKET: f64 = 0.5;
const BY_KIND: f64 = 0.2;

/// The present work, as far as the store knows it.
#[derive(Default)]
pub(super) struct Focus {
    words: BTreeSet<String>,
    meaning: Option<Vector>,
    ticket: Option<String>,
}

/// Reads it from the last requests, the files changed last, open tasks and the branch.
pub(super) fn of(app: &App, store: &SharedStore) -> Result<Focus, AppError> {
    let page = EventPage {
        kinds: vec![
            EventKind::Prompt,
            EventKind::Task,
            EventKind::FileEdited,
            EventKind::FileWritten,
        ],
        active_only: true,
        limit: LOOKED_AT,
        ..EventPage::default()
    };
    let events = store.events(&page)?;
    let branch = app.places.branch().unwrap_or_default();
    let text = in_words(&events, &branch);
    Ok(Focus {
        words: words::significant(&text, MOST_WORDS).into_iter().collect(),
        meaning: forebay_embed::embed(&text),
        ticket: ticket::from_branch(&branch),
    })
}

fn in_words(events: &[Recorded], branch: &str) -> String {
    let of = |kinds: &'static [EventKind]| {
        events.iter().map(|one| &one.event).filter(|event| kinds.contains(&event.kind))
    };
    let requests = of(&[EventKind::Prompt]).take(REQUESTS).map(|event| event.text.as_str());
    let tasks = of(&[EventKind::Task]).map(Task::read).filter(Task::is_open);
    let tasks = tasks.take(TASKS).map(|task| task.words);
    let changed = of(&[EventKind::FileEdited, EventKind::FileWritten]).take(FILES);
    let files = changed.map(|event| end_of_path(&event.subject));
    requests.chain(tasks).chain(files).chain([branch]).collect::<Vec<_>>().join("\n")
}

/// A file and the two folders around it: where the project lies on this machine tells nothing.
fn end_of_path(path: &str) -> &str {
    path.rmatch_indices('/').nth(2).map_or(path, |(at, _)| &path[at + 1..])
}

impl Focus {
    /// Notes, newest first, in the order in which they matter now.
    pub(super) fn ranked(&self, notes: Vec<Entry>) -> Vec<Entry> {
        let by_words = self.by_words(&notes);
        let count = notes.len().max(1) as f64;
        let mut scored: Vec<(f64, Entry)> = notes
            .into_iter()
            .enumerate()
            .map(|(place, note)| {
                let newness = 1.0 - place as f64 / count;
                let score =
                    BY_WORDS * by_words[place] + BY_BEING_NEW * newness + self.beside_words(&note);
                (score, note)
            })
            .collect();
        // Equal ones stay in the order of their age.
        scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        scored.into_iter().map(|(_, note)| note).collect()
    }

    fn beside_words(&self, entry: &Entry) -> f64 {
        let meant = self.meaning.as_ref().zip(forebay_embed::embed(&said(entry)));
        let near =
            meant.map_or(0.0, |(work, note)| f64::from(work.cosine_similarity(&note)).max(0.0));
        let of_branch = entry.branch.as_deref().and_then(ticket::from_branch);
        let is_of_ticket = self.ticket.is_some() && of_branch == self.ticket;
        let is_binding = entry.note().is_some_and(|note| is_binding(note.kind));
        BY_MEANING * near
            + if is_of_ticket { BY_TICKET } else { 0.0 }
            + if is_binding { BY_KIND } else { 0.0 }
    }

    /// How much each note shares with the work, a rare word counting more; from 0 to 1.
    fn by_words(&self, notes: &[Entry]) -> Vec<f64> {
        let shared: Vec<BTreeSet<String>> =
            notes.iter().map(|note| self.shared(&said(note))).collect();
        let mut counts: HashMap<&str, f64> = HashMap::new();
        for word in shared.iter().flatten() {
            *counts.entry(word).or_default() += 1.0;
        }
        let weight = |word: &String| {
            let count = counts.get(word.as_str()).copied().unwrap_or(1.0);
            (1.0 + notes.len() as f64 / count).ln()
        };
        let sums: Vec<f64> = shared.iter().map(|words| words.iter().map(weight).sum()).collect();
        let most = sums.iter().copied().fold(0.0, f64::max);
        sums.into_iter().map(|sum| if most > 0.0 { sum / most } else { 0.0 }).collect()
    }

    fn shared(&self, text: &str) -> BTreeSet<String> {
        words::words(text).filter(|word| self.words.contains(word)).collect()
    }
}

/// What a note says, as far as an entry tells.
fn said(entry: &Entry) -> String {
    format!("{} {}", entry.title, entry.digest)
}

/// What others have to keep to.
fn is_binding(kind: NoteKind) -> bool {
    matches!(kind, NoteKind::Decision | NoteKind::Constraint | NoteKind::Preference)
}
