//! Search as `ctx_search` answers it, page by page.

use serde_json::{Value, json};

use super::shown;
use crate::{App, AppError, Call};

const PAGE_HITS: usize = 20;
/// The most hits that a search returns.
const MAX_HITS: usize = 100;
/// Large enough that no hit is left out; only the text of the tool's answer, which is not shown, depends on it.
const BUDGET: u64 = 50;

/// A query, and which of its pages.
#[derive(Debug, Clone, Default)]
pub struct SearchQuery {
    pub query: String,
    pub kind: Option<String>,
    pub scope: Option<String>,
    pub sort: Option<String>,
    pub page: usize,
}

/// Returns a page of the hits, the best first.
pub fn search(app: &App, query: &SearchQuery) -> Result<Value, AppError> {
    let start = query.page.saturating_mul(PAGE_HITS);
    let wanted = (start.saturating_add(PAGE_HITS + 1)).min(MAX_HITS);
    let input = json!({
        "queries": [query.query],
        "kind": query.kind,
        "scope": query.scope,
        "sort": query.sort,
        "limit": wanted,
        "budget": BUDGET,
    });
    let mut data = app.call("ctx_search", input, &Call::default())?.data;
    let mut result = data["queries"][0].take();
    let hits = result["hits"].as_array_mut().map(std::mem::take).unwrap_or_default();
    let has_more = hits.len() > start.saturating_add(PAGE_HITS)
        || hits.len() == MAX_HITS && start + PAGE_HITS < MAX_HITS;
    let hits: Vec<Value> =
        hits.into_iter().skip(start).take(PAGE_HITS).map(without_terminal_noise).collect();
    result["hits"] = Value::Array(hits);
    result["next"] = json!(has_more.then(|| query.page + 1));
    result["embedder"] = data["embedder"].take();
    Ok(shown::data(result))
}

/// A hit shows text; the entry shows its colours.
fn without_terminal_noise(mut hit: Value) -> Value {
    if let Value::String(text) = &mut hit["text"] {
        *text = forebay_digest::displayed(text.as_bytes()).into_owned();
    }
    hit
}
