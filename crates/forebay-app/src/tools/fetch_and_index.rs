//! `ctx_fetch_and_index`: fetches pages and makes them searchable.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use forebay_text::{cut, number};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, Tool};
use crate::ingest::redaction;
use crate::ingest::sources::page::{self, Indexed, PageOrigin};
use crate::input;
use crate::render::budgeted::BudgetedText;
use crate::render::describe;
use crate::{Answer, App, AppError, Call};

pub struct FetchAndIndex;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// 1 to 8
    #[serde(alias = "url", deserialize_with = "input::one_or_many")]
    pub urls: Vec<String>,
    /// Skip the cache
    #[serde(default)]
    pub force: bool,
}

const MAX_URLS: usize = 8;
/// The answer's budget in tokens.
const ANSWER_BUDGET: u64 = 400;

impl Tool for FetchAndIndex {
    const NAME: &'static str = "ctx_fetch_and_index";
    const DESCRIPTION: &'static str = "Fetch web pages or PDFs as searchable text.";
    const EFFECT: Effect = Effect::Fetch;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        check_count(&input.urls)?;
        let mut pages = fetch_all(app, &input, call);
        let all_failed = pages.iter().all(|(_, page)| page.is_err());
        match pages.pop() {
            Some((_, Err(error))) if all_failed && pages.is_empty() => Err(error),
            last => {
                pages.extend(last);
                Ok(answer(app, &pages))
            }
        }
    }
}

fn check_count(urls: &[String]) -> Result<(), AppError> {
    if urls.is_empty() || urls.len() > MAX_URLS {
        return Err(AppError::bad_input(
            format!("{} URLs given", urls.len()),
            format!("give 1 to {MAX_URLS}"),
        ));
    }
    Ok(())
}

type Fetched = (String, Result<Indexed, AppError>);

/// Fetches all pages concurrently: they mostly wait for different servers.
fn fetch_all(app: &App, input: &Input, call: &Call) -> Vec<Fetched> {
    let (done, total) = (AtomicUsize::new(0), Some(input.urls.len() as f64));
    let report = |done: usize| call.report_of(done as f64, total, "pages");
    report(0);
    let fetch = |url: &String| {
        let page = page::index(app, url, input.force, call);
        report(done.fetch_add(1, Ordering::Relaxed) + 1);
        (url.clone(), page)
    };
    thread::scope(|scope| {
        let running: Vec<_> =
            input.urls.iter().map(|url| (url, scope.spawn(|| fetch(url)))).collect();
        let failed = |url: &String| {
            (url.clone(), Err(AppError::unavailable(format!("cannot fetch {url}"), None)))
        };
        running
            .into_iter()
            .map(|(url, thread)| thread.join().unwrap_or_else(|_| failed(url)))
            .collect()
    })
}

fn answer(app: &App, pages: &[Fetched]) -> Answer {
    let mut text = BudgetedText::new(ANSWER_BUDGET);
    text.push(describe::EXTERNAL_CONTENT);
    let mut bytes = 0;
    for (index, (url, page)) in pages.iter().enumerate() {
        let room = text.room() / (pages.len() - index);
        let block = match page {
            Ok(page) => {
                bytes += page.bytes;
                page_block(app, page, room)
            }
            Err(error) => format!("{url} failed: {}", error.to_text().replace('\n', "; ")),
        };
        text.push_cut(&cut::marked(&block, room.saturating_sub(1)));
    }
    let data: Vec<Value> = pages.iter().map(|(url, page)| data(app, url, page)).collect();
    Answer::new(text.into_text(), json!({ "pages": data })).instead_of(bytes)
}

/// Formats `[ctx:k3v9m2a1xq] https://example.com/guide · 12 KB · fetched`, and its section titles.
fn page_block(app: &App, page: &Indexed, bytes: usize) -> String {
    let head = format!(
        "{} {} · {} · {}",
        page.reference,
        cut::one_line(&page.url, 200),
        number::bytes(page.bytes),
        how(app, page.from)
    );
    let mut text = redaction::with_remark(head, &page.redactions);
    let sections = page.sections.join("; ");
    let room = bytes.saturating_sub(text.len() + "\nabout: ".len());
    if !sections.is_empty() && room > 20 {
        text.push_str(&format!("\nabout: {}", cut::one_line(&sections, room)));
    }
    text
}

fn how(app: &App, from: PageOrigin) -> String {
    match from {
        PageOrigin::Network => "fetched".to_owned(),
        PageOrigin::Unchanged => "unchanged".to_owned(),
        PageOrigin::Store(since) => format!("cached, {}", describe::age(since, app.now())),
    }
}

fn data(app: &App, url: &str, page: &Result<Indexed, AppError>) -> Value {
    match page {
        Ok(page) => json!({
            "url": page.url,
            "ref": page.reference.as_str(),
            "bytes": page.bytes,
            "how": how(app, page.from),
            "sections": page.sections,
            "redacted": redaction::counts(&page.redactions),
        }),
        Err(error) => json!({ "url": url, "error": error.message, "hint": error.hint }),
    }
}
