//! Finds session events by the words of a query.

use std::sync::Arc;

use forebay_domain::EventKind;
use forebay_domain::event::RecordedEvent;
use forebay_store::{EventPage, IndexQuery, Store};
use forebay_text::words;

use crate::AppError;

/// The newest events that are searched.
const MAX_SEARCHED_EVENTS: usize = 400;
/// Events shown next to the hits.
const MAX_EVENTS: usize = 3;
/// Words of a query that are compared.
const MAX_WORDS: usize = 20;
/// The share of the query's words that an event must contain.
const MIN_WORD_SHARE: f64 = 0.6;

/// Returns the events that contain most of the words, best and newest first.
pub(super) fn find(
    stores: &[Arc<dyn Store>],
    query: &IndexQuery,
    text: &str,
) -> Result<Vec<RecordedEvent>, AppError> {
    // Uncorrected: a word that no chunk contains may occur in an event.
    let query_words = words::significant(text, MAX_WORDS);
    if query_words.is_empty() || filters_entries(query) {
        return Ok(Vec::new());
    }
    let page = EventPage {
        session: query.session.clone(),
        ticket: query.ticket.clone(),
        limit: MAX_SEARCHED_EVENTS,
        ..EventPage::default()
    };
    let mut scored: Vec<(f64, RecordedEvent)> = Vec::new();
    for store in stores {
        let events = store.events(&page)?.into_iter().filter(|one| passes_filters(one, query));
        scored.extend(events.map(|one| (word_share(&query_words, &one), one)));
    }
    scored.retain(|(share, _)| *share >= MIN_WORD_SHARE);
    scored.sort_by(|(a, one), (b, other)| {
        b.total_cmp(a).then(other.created.cmp(&one.created)).then(other.sequence.cmp(&one.sequence))
    });
    Ok(scored.into_iter().take(MAX_EVENTS).map(|(_, one)| one).collect())
}

/// Whether the query has a filter that only applies to entries.
fn filters_entries(query: &IndexQuery) -> bool {
    !query.entries.is_empty()
        || !query.kinds.is_empty()
        || !query.notes.is_empty()
        || !query.sources.is_empty()
        || !query.phrases.is_empty()
        || !query.excluded.is_empty()
}

/// Whether an event passes the query's filters; what was said is found by its entry.
fn passes_filters(one: &RecordedEvent, query: &IndexQuery) -> bool {
    const SAID: &[EventKind] = &[EventKind::Prompt, EventKind::Answer, EventKind::Topic];
    !SAID.contains(&one.event.kind)
        && one.event.kind != EventKind::FileRead
        && query.branch.as_ref().is_none_or(|branch| one.branch.as_ref() == Some(branch))
        && query.after.is_none_or(|after| one.created >= after)
        && query.before.is_none_or(|before| one.created < before)
}

fn word_share(query_words: &[String], one: &RecordedEvent) -> f64 {
    let event_words: Vec<String> =
        words::words(&one.event.subject).chain(words::words(&one.event.text)).collect();
    let occurs =
        |wanted: &&String| event_words.iter().any(|word| words::share_prefix(word, wanted));
    query_words.iter().filter(occurs).count() as f64 / query_words.len() as f64
}
