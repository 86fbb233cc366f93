//! Renders search results within one budget.

mod head;
mod layout;

use forebay_domain::{Hit, Scope, ScoreTerms, Timestamp, tokens};
use forebay_text::{cut, number};
use serde_json::{Map, Value, json};

use self::layout::HitSize;
use crate::render::budgeted::BudgetedText;
use crate::render::{describe, outside, window};
use crate::search::{Interpretation, QueryResult, Searcher};

/// Distinguishes an event from a hit.
const EVENT_PREFIX: &str = "event · ";
/// The last line if there is no room for all hits.
const MORE_HITS: &str = "more hits with a larger budget";
/// A longer query is cut where it is repeated; in a small answer, it gets a part of its share.
const MAX_QUERY_BYTES: usize = 80;
const MAX_QUERY_PART: usize = 4;
/// The part of a query's share for its events.
const MAX_EVENT_PART: usize = 4;

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
    let share = tokens::to_bytes(budget) / results.len().max(1);
    let blocks: Vec<Block<'_>> =
        results.iter().map(|result| Block::new(result, searcher, now, share)).collect();
    let mut text = BudgetedText::new(budget);
    let last_lines = last_lines(remarks);
    text.reserve(last_lines.iter().map(|line| line.len() + 1).sum());
    let fixed: usize = blocks.iter().map(Block::fixed_bytes).sum();
    let sizes: Vec<Vec<HitSize>> = blocks.iter().map(Block::hit_sizes).collect();
    let room = text.room().saturating_sub(fixed + MORE_HITS.len() + 1);
    let excerpts = layout::divide(&sizes, room);
    let mut has_more = false;
    for (block, excerpts) in blocks.iter().zip(&excerpts) {
        block.push(&mut text, excerpts);
        has_more |= excerpts.len() < block.result.hits.len();
    }
    if has_more {
        text.push(MORE_HITS);
    }
    text.release();
    for line in &last_lines {
        text.push_cut(line);
    }
    text.into_text()
}

fn last_lines(remarks: &Remarks) -> Vec<String> {
    let unindexed = (remarks.unindexed_bytes > 0).then(|| {
        format!("not searchable yet: {} of large output", number::bytes(remarks.unindexed_bytes))
    });
    let notice = remarks.notice.map(str::to_owned);
    unindexed.into_iter().chain(remarks.embedder.clone()).chain(notice).collect()
}

/// The lines about one query.
struct Block<'a> {
    result: &'a QueryResult,
    /// Follows the count of hits; the whole line if there are none.
    head: String,
    query: String,
    hit_heads: Vec<String>,
    events: Vec<String>,
}

impl<'a> Block<'a> {
    fn new(result: &'a QueryResult, searcher: &Searcher, now: Timestamp, share: usize) -> Self {
        let query = cut::one_line(&result.query, MAX_QUERY_BYTES.min(share / MAX_QUERY_PART));
        let head = if result.hits.is_empty() {
            no_hits(&query, result, searcher)
        } else {
            interpretation_remark(&result.interpretation)
        };
        let mut room = if result.hits.is_empty() { share } else { share / MAX_EVENT_PART };
        let events = result
            .events
            .iter()
            .map(|event| format!("{EVENT_PREFIX}{}", describe::event(event, now)));
        let events = events.take_while(|line| {
            let fits = line.len() < room;
            room = room.saturating_sub(line.len() + 1);
            fits
        });
        Self {
            events: events.collect(),
            hit_heads: result.hits.iter().map(|hit| head::head(hit, now)).collect(),
            result,
            head,
            query,
        }
    }

    /// `"ledger migratoin" · 2 of 5 hits · "migratoin" read as migration`
    fn headline(&self, shown: usize) -> String {
        let Self { query, head, .. } = self;
        let hits = self.result.hits.len();
        if hits == 0 {
            return head.clone();
        }
        let of = if shown < hits { format!("{shown} of ") } else { String::new() };
        format!("\"{query}\" · {of}{}{head}", number::counted(hits as u64, "hit"))
    }

    /// The bytes of all lines but those of the hits, at most.
    fn fixed_bytes(&self) -> usize {
        let headline = self.headline(self.result.hits.len().saturating_sub(1));
        headline.len() + 1 + self.events.iter().map(|line| line.len() + 1).sum::<usize>()
    }

    fn hit_sizes(&self) -> Vec<HitSize> {
        let hits = self.result.hits.iter().zip(&self.hit_heads);
        let text = |hit: &Hit| if head::is_title_only(hit) { 0 } else { hit.text.len() };
        hits.map(|(hit, head)| HitSize { head: head.len(), text: text(hit) }).collect()
    }

    /// Appends the lines, each hit with an excerpt of this many bytes.
    fn push(&self, text: &mut BudgetedText, excerpts: &[usize]) {
        text.push_cut(&self.headline(excerpts.len()));
        for ((hit, head), bytes) in self.result.hits.iter().zip(&self.hit_heads).zip(excerpts) {
            text.push_cut(head);
            let shown = window::around(&hit.text, &hit.matched, *bytes);
            if !shown.is_empty() {
                text.push(&outside::marked(&shown));
            }
        }
        for event in &self.events {
            text.push(event);
        }
    }
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
        "score_terms": score_terms(&hit.terms),
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

/// What a score is the sum of, without what is zero.
fn score_terms(terms: &ScoreTerms) -> Value {
    let ScoreTerms { words, similarity, learned, title, coverage, adjacency, exact, recency, note } =
        *terms;
    let named = [
        ("words", words),
        ("similarity", similarity),
        ("learned", learned),
        ("title", title),
        ("coverage", coverage),
        ("adjacency", adjacency),
        ("exact", exact),
        ("recency", recency),
        ("note", note),
    ];
    let other_than_zero = named.into_iter().filter(|(_, term)| *term != 0.0);
    other_than_zero.map(|(name, term)| (name.to_owned(), json!(term))).collect::<Map<_, _>>().into()
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
