//! Renders search results within one budget.

use forebay_domain::{EntryKind, Hit, NoteKind, Scope, Timestamp};
use forebay_text::{cut, number};
use serde_json::{Value, json};

use crate::render::budgeted::BudgetedText;
use crate::render::{describe, outside, window};
use crate::search::{Interpretation, QueryResult, Searcher};

/// Bytes reserved for the count of hits that are not shown.
const MORE_BYTES: usize = 40;
/// Distinguishes an event from a hit.
const EVENT_PREFIX: &str = "event · ";

/// Remarks below the hits.
pub(crate) struct Remarks {
    /// Bytes of stored output that are not indexed yet.
    pub(crate) unindexed_bytes: u64,
    /// Why the remote embedder was not used, or not for all chunks.
    pub(crate) embedder: Option<String>,
    pub(crate) notice: Option<&'static str>,
}

pub(crate) fn text(
    results: &[QueryResult],
    searcher: &Searcher,
    remarks: &Remarks,
    now: Timestamp,
    budget: u64,
) -> String {
    let mut text = BudgetedText::new(budget);
    let last_lines = [remarks.notice, remarks.embedder.as_deref()].into_iter().flatten();
    text.reserve(last_lines.map(|line| line.len() + 1).sum());
    for (index, result) in results.iter().enumerate() {
        // The following queries share the room that one leaves.
        let share = text.room() / (results.len() - index);
        let block = render_query(result, searcher, now, share.saturating_sub(1));
        text.push_cut(&block);
    }
    text.release();
    if remarks.unindexed_bytes > 0 {
        let left = number::bytes(remarks.unindexed_bytes);
        text.push_cut(&format!("not searchable yet: {left} of large output"));
    }
    if let Some(remark) = &remarks.embedder {
        text.push_cut(remark);
    }
    if let Some(notice) = remarks.notice {
        text.push_cut(notice);
    }
    text.into_text()
}

pub(crate) fn data(results: &[QueryResult], remarks: &Remarks, now: Timestamp) -> Value {
    let queries: Vec<Value> = results
        .iter()
        .map(|result| {
            let mut data = json!({ "query": result.query });
            // Assigned instead of passed to `json!`, which would copy them.
            data["hits"] = result.hits.iter().map(|hit| hit_data(hit, now)).collect();
            if !result.events.is_empty() {
                let events = result.events.iter().map(|event| describe::event(event, now));
                data["events"] = events.collect();
            }
            if !result.interpretation.corrected.is_empty() {
                data["corrected"] = json!(result.interpretation.corrected);
            }
            data
        })
        .collect();
    let mut data = json!({});
    data["queries"] = Value::Array(queries);
    if let Some(remark) = &remarks.embedder {
        data["embedder"] = json!(remark);
    }
    data
}

fn hit_data(hit: &Hit, now: Timestamp) -> Value {
    let mut data = json!({
        "ref": hit.reference.as_str(),
        "kind": hit.kind.as_str(),
        "title": *hit.title,
        "source": *hit.source,
        "id": hit.key.as_deref(),
        "age": describe::age(hit.created, now),
        "lines": [hit.lines.0, hit.lines.1],
        "score": hit.score,
        "matched": hit.matched,
        "supersedes": hit.supersedes.map(|older| older.as_str().to_owned()),
        "text": *hit.text,
    });
    if hit.near_duplicates > 0 {
        data["alike"] = json!(hit.near_duplicates);
    }
    if let Some(other) = hit.conflicts {
        data["may_conflict_with"] = json!(other.as_str());
    }
    data
}

/// The hits of one query within `bytes` bytes.
fn render_query(result: &QueryResult, searcher: &Searcher, now: Timestamp, bytes: usize) -> String {
    let query = cut::one_line(&result.query, 80);
    let mut text = BudgetedText::with_bytes(bytes);
    if result.hits.is_empty() {
        text.push_cut(&no_hits(&query, result, searcher));
        push_events(&mut text, result, now);
        return text.into_text();
    }
    let count = number::counted(result.hits.len() as u64, "hit");
    text.push_cut(&format!(
        "\"{query}\" · {count}{}",
        interpretation_remark(&result.interpretation)
    ));
    let event_bytes: usize = result
        .events
        .iter()
        .map(|one| EVENT_PREFIX.len() + describe::event(one, now).len() + 1)
        .sum();
    text.reserve(MORE_BYTES + event_bytes.min(bytes / 4));
    let shown = result
        .hits
        .iter()
        .enumerate()
        .take_while(|(index, hit)| push_hit(&mut text, hit, now, result.hits.len() - index))
        .count();
    text.release();
    if shown < result.hits.len() {
        text.push(&format!("{} more with a larger budget", result.hits.len() - shown));
    }
    push_events(&mut text, result, now);
    text.into_text()
}

/// Appends the events that fit, one line each.
fn push_events(text: &mut BudgetedText, result: &QueryResult, now: Timestamp) {
    for one in &result.events {
        text.push(&format!("{EVENT_PREFIX}{}", describe::event(one, now)));
    }
}

/// ` · "migratoin" read as migration · without http`
fn interpretation_remark(interpretation: &Interpretation) -> String {
    let mut remark = String::new();
    if interpretation.dropped_phrases {
        remark.push_str(" · no exact phrase match");
    }
    for (word, corrections) in &interpretation.corrected {
        remark.push_str(&format!(" · \"{word}\" read as {}", corrections.join(", ")));
    }
    if !interpretation.without.is_empty() {
        remark.push_str(&format!(" · without {}", interpretation.without.join(", ")));
    }
    remark
}

/// Appends a hit within its share of the room; returns whether its first line fit.
fn push_hit(text: &mut BudgetedText, hit: &Hit, now: Timestamp, hits_left: usize) -> bool {
    let share = text.room() / hits_left;
    let head = hit_head(hit, now);
    if !text.push(&head) {
        return false;
    }
    let room = share.saturating_sub(head.len() + 2).min(text.room().saturating_sub(1));
    let shown = window::around(&hit.text, &hit.matched, room);
    if !shown.is_empty() && shown != *hit.title {
        text.push(&outside::marked(&shown));
    }
    true
}

/// `[ctx:k3v9m2a1xq] run · cargo test · lines 640-660 · 3 min ago · has: failed, parser`
fn hit_head(hit: &Hit, now: Timestamp) -> String {
    let what = hit.note.map_or_else(|| hit.kind.as_str(), NoteKind::as_str);
    let mut parts = vec![format!("{} {what}", hit.reference), cut::one_line(&hit.title, 100)];
    if !hit.source.is_empty() && hit.source != hit.title {
        parts.push(cut::one_line(&hit.source, 80));
    }
    if hit.note.is_none() {
        parts.push(format!("lines {}-{}", hit.lines.0, hit.lines.1));
    }
    parts.push(describe::age(hit.created, now));
    if !hit.matched.is_empty() {
        parts.push(format!("has: {}", hit.matched.join(", ")));
    } else if hit.similarity > 0.0 {
        parts.push("by similarity".to_owned());
    }
    if hit.near_duplicates > 0 {
        parts.push(format!("{} more like it", hit.near_duplicates));
    }
    if let Some(older) = hit.supersedes {
        parts.push(format!("replaces {older}"));
    }
    if let Some(other) = hit.conflicts {
        parts.push(format!("may conflict with {other}"));
    }
    if hit.kind == EntryKind::Page {
        parts.push(describe::EXTERNAL_CONTENT.to_owned());
    }
    parts.join(" · ")
}

fn no_hits(query: &str, result: &QueryResult, searcher: &Searcher) -> String {
    if !searcher.filter.entries.is_empty() {
        return format!("\"{query}\" · nothing found in these outputs");
    }
    let wider = match searcher.scope {
        Scope::All => "try other words",
        _ => "try other words, or scope all",
    };
    let remark = interpretation_remark(&result.interpretation);
    let mut text = format!(
        "\"{query}\" · nothing found in scope {}{remark}; {wider}",
        searcher.scope.as_str()
    );
    if !result.similar_words.is_empty() {
        text.push_str(&format!("; similar words: {}", result.similar_words.join(", ")));
    }
    text
}
