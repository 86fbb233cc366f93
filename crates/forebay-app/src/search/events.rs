//! What happened, found by the words of a question.

use std::sync::Arc;

use forebay_domain::EventKind;
use forebay_domain::event::Recorded;
use forebay_store::{EventPage, IndexQuery, Store};
use forebay_text::words;

use crate::AppError;

/// The newest events that are looked at.
const LOOKED_AT: usize = 400;
/// Events that are told beside the hits.
const MOST: usize = 3;
/// Words of a question that are looked for.
const MOST_WORDS: usize = 20;
/// Of the question's words, the share that an event must have.
const SHARE: f64 = 0.6;

/// The events that have most of the words, the best and newest first.
pub(super) fn find(
    stores: &[Arc<dyn Store>],
    query: &IndexQuery,
    text: &str,
) -> Result<Vec<Recorded>, AppError> {
    // As they were written: what no passage has may have happened all the same.
    let asked = words::significant(text, MOST_WORDS);
    if asked.is_empty() || is_about_entries(query) {
        return Ok(Vec::new());
    }
    let page = EventPage {
        session: query.session.clone(),
        ticket: query.ticket.clone(),
        limit: LOOKED_AT,
        ..EventPage::default()
    };
    let mut fitting: Vec<(f64, Recorded)> = Vec::new();
    for store in stores {
        let events = store.events(&page)?.into_iter().filter(|one| is_told(one, query));
        fitting.extend(events.map(|one| (share(&asked, &one), one)));
    }
    fitting.retain(|(share, _)| *share >= SHARE);
    fitting.sort_by(|(a, one), (b, other)| {
        b.total_cmp(a).then(other.created.cmp(&one.created)).then(other.sequence.cmp(&one.sequence))
    });
    Ok(fitting.into_iter().take(MOST).map(|(_, one)| one).collect())
}

/// Whether a filter asks for what only entries have.
fn is_about_entries(query: &IndexQuery) -> bool {
    !query.entries.is_empty()
        || !query.kinds.is_empty()
        || !query.notes.is_empty()
        || !query.sources.is_empty()
        || !query.phrases.is_empty()
        || !query.excluded.is_empty()
}

/// What was asked is no answer, and what was only read tells little.
fn is_told(one: &Recorded, query: &IndexQuery) -> bool {
    !matches!(one.event.kind, EventKind::Prompt | EventKind::FileRead)
        && query.branch.as_ref().is_none_or(|branch| one.branch.as_ref() == Some(branch))
        && query.after.is_none_or(|after| one.created >= after)
        && query.before.is_none_or(|before| one.created < before)
}

fn share(asked: &[String], one: &Recorded) -> f64 {
    let has: Vec<String> =
        words::words(&one.event.subject).chain(words::words(&one.event.text)).collect();
    let stands = |wanted: &&String| has.iter().any(|word| words::share_prefix(word, wanted));
    asked.iter().filter(stands).count() as f64 / asked.len() as f64
}
