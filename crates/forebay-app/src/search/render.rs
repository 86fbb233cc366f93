//! What a search answers: the hits of each query, within one budget.

use forebay_domain::{EntryKind, Hit, NoteKind, Scope, Timestamp};
use forebay_text::{cut, number};
use serde_json::{Value, json};

use crate::render::budgeted::Budgeted;
use crate::render::{describe, window};
use crate::search::{Found, Reach, Reading};

/// Room for the line that tells how many hits are not shown.
const MORE_BYTES: usize = 40;
/// Tells an event from a hit.
const EVENT: &str = "event · ";

/// What is told beside the hits.
pub(crate) struct Remarks {
    /// Bytes of output that no search sees yet.
    pub(crate) unfinished: u64,
    /// Why a server's model was not asked, or not about everything.
    pub(crate) meaning: Option<String>,
    pub(crate) last: Option<&'static str>,
}

pub(crate) fn text(
    found: &[Found],
    reach: &Reach,
    remarks: &Remarks,
    now: Timestamp,
    budget: u64,
) -> String {
    let mut text = Budgeted::new(budget);
    let kept = [remarks.last, remarks.meaning.as_deref()].into_iter().flatten();
    text.keep_back(kept.map(|line| line.len() + 1).sum());
    for (index, one) in found.iter().enumerate() {
        // What one query leaves over, the following ones share.
        let share = text.room() / (found.len() - index);
        let block = render_query(one, reach, now, share.saturating_sub(1));
        text.push_cut(&block);
    }
    text.release();
    if remarks.unfinished > 0 {
        let left = number::bytes(remarks.unfinished);
        text.push_cut(&format!("not searchable yet: {left} of large output"));
    }
    if let Some(meaning) = &remarks.meaning {
        text.push_cut(meaning);
    }
    if let Some(last) = remarks.last {
        text.push_cut(last);
    }
    text.into_text()
}

pub(crate) fn data(found: &[Found], remarks: &Remarks, now: Timestamp) -> Value {
    let queries: Vec<Value> = found
        .iter()
        .map(|found| {
            let mut data = json!({ "query": found.query });
            // Put in as they are: the macro takes a copy of what it is given.
            data["hits"] = found.hits.iter().map(|hit| hit_data(hit, now)).collect();
            if !found.events.is_empty() {
                let told = found.events.iter().map(|one| describe::event(one, now));
                data["events"] = told.collect();
            }
            if !found.reading.corrected.is_empty() {
                data["corrected"] = json!(found.reading.corrected);
            }
            data
        })
        .collect();
    let mut data = json!({});
    data["queries"] = Value::Array(queries);
    if let Some(meaning) = &remarks.meaning {
        data["embedder"] = json!(meaning);
    }
    data
}

fn hit_data(hit: &Hit, now: Timestamp) -> Value {
    let mut data = json!({
        "ref": hit.reference.as_str(),
        "kind": hit.kind.word(),
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
fn render_query(found: &Found, reach: &Reach, now: Timestamp, bytes: usize) -> String {
    let query = cut::one_line(&found.query, 80);
    let mut text = Budgeted::of_bytes(bytes);
    if found.hits.is_empty() {
        text.push_cut(&nothing_found(&query, found, reach));
        push_events(&mut text, found, now);
        return text.into_text();
    }
    let count = number::counted(found.hits.len() as u64, "hit");
    text.push_cut(&format!("\"{query}\" · {count}{}", how_read(&found.reading)));
    let happened: usize =
        found.events.iter().map(|one| EVENT.len() + describe::event(one, now).len() + 1).sum();
    text.keep_back(MORE_BYTES + happened.min(bytes / 4));
    let shown = found
        .hits
        .iter()
        .enumerate()
        .take_while(|(index, hit)| push_hit(&mut text, hit, now, found.hits.len() - index))
        .count();
    text.release();
    if shown < found.hits.len() {
        text.push(&format!("{} more with a larger budget", found.hits.len() - shown));
    }
    push_events(&mut text, found, now);
    text.into_text()
}

/// What happened, a line each, as far as there is room.
fn push_events(text: &mut Budgeted, found: &Found, now: Timestamp) {
    for one in &found.events {
        text.push(&format!("{EVENT}{}", describe::event(one, now)));
    }
}

/// ` · "migratoin" read as migration · without http`
fn how_read(reading: &Reading) -> String {
    let mut told = String::new();
    if reading.is_loosened {
        told.push_str(" · nowhere as a phrase");
    }
    for (word, meant) in &reading.corrected {
        told.push_str(&format!(" · \"{word}\" read as {}", meant.join(", ")));
    }
    if !reading.without.is_empty() {
        told.push_str(&format!(" · without {}", reading.without.join(", ")));
    }
    told
}

/// Appends a hit with its share of the room; says whether its first line fitted.
fn push_hit(text: &mut Budgeted, hit: &Hit, now: Timestamp, hits_left: usize) -> bool {
    let share = text.room() / hits_left;
    let head = hit_head(hit, now);
    if !text.push(&head) {
        return false;
    }
    let passage = forebay_digest::clean(hit.text.as_bytes());
    let room = share.saturating_sub(head.len() + 2).min(text.room().saturating_sub(1));
    let shown = window::around(&passage, &hit.matched, room);
    if !shown.is_empty() && shown != *hit.title {
        text.push(&shown);
    }
    true
}

/// `[ctx:k3v9m2a1xq] run · cargo test · lines 640-660 · 3 min ago · has: failed, parser`
fn hit_head(hit: &Hit, now: Timestamp) -> String {
    let what = hit.note.map_or_else(|| hit.kind.word(), NoteKind::word);
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
        parts.push("by meaning".to_owned());
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
        parts.push(describe::FROM_OUTSIDE.to_owned());
    }
    parts.join(" · ")
}

fn nothing_found(query: &str, found: &Found, reach: &Reach) -> String {
    if !reach.filter.entries.is_empty() {
        return format!("\"{query}\" · nothing found in these outputs");
    }
    let wider = match reach.scope {
        Scope::All => "try other words",
        _ => "try other words, or scope all",
    };
    let read = how_read(&found.reading);
    let mut told =
        format!("\"{query}\" · nothing found in scope {}{read}; {wider}", reach.scope.word());
    if !found.nearest.is_empty() {
        told.push_str(&format!("; near it: {}", found.nearest.join(", ")));
    }
    told
}
