//! Pages of entries, the unit in which servers send and receive them.

use std::io::BufReader;

use forebay_store::{SincePage, Store};

use super::records::{self, Line, Lines, Next, ReceiveError, Sender};
use super::{ExportFilter, Tally};
use crate::{App, AppError};

/// Maximum size of a page, unless its first entry alone is larger.
const PAGE_BYTES: usize = 1024 * 1024;
/// Larger entries are left out; only archives carry them.
pub(super) const MAX_ENTRY_BYTES: usize = 3 * 1024 * 1024;
const BATCH_SIZE: usize = 100;

/// Entries as JSON lines, and where the next page starts.
#[derive(Debug, Default)]
pub struct Page {
    pub lines: Vec<u8>,
    pub entries: u64,
    pub to: i64,
    /// Whether another page follows.
    pub more: bool,
    /// Entries too large for a page.
    pub too_large: u64,
}

/// Returns the next selected entries after a sequence number.
pub(super) fn page(store: &dyn Store, after: i64, filter: &ExportFilter) -> Result<Page, AppError> {
    let matcher = filter.matcher()?;
    let mut page = Page { to: after, more: true, ..Page::default() };
    while page.lines.len() < PAGE_BYTES {
        let asked = SincePage { after: page.to, kinds: filter.kinds(), limit: BATCH_SIZE };
        let entries = store.entries_since(&asked)?;
        if entries.is_empty() {
            page.more = false;
            break;
        }
        for entry in &entries {
            if matcher.matches(entry) && !add(store, entry, &mut page)? {
                return Ok(page);
            }
            page.to = entry.sequence;
        }
    }
    Ok(page)
}

/// Adds an entry; returns false if it does not fit.
fn add(
    store: &dyn Store,
    entry: &forebay_domain::Entry,
    page: &mut Page,
) -> Result<bool, AppError> {
    let mut lines = Vec::new();
    let fits = entry.bytes <= MAX_ENTRY_BYTES as u64;
    if fits {
        records::write_entry(store, entry, &mut lines)?;
    }
    if !fits || lines.len() > MAX_ENTRY_BYTES {
        page.too_large += 1;
        return Ok(true);
    }
    if !page.lines.is_empty() && page.lines.len() + lines.len() > PAGE_BYTES {
        return Ok(false);
    }
    page.entries += 1;
    page.lines.extend_from_slice(&lines);
    Ok(true)
}

/// Serves a pull: shared notes, and the sources that match these names.
pub fn serve_pull(
    app: &App,
    project: &str,
    after: i64,
    sources: Vec<String>,
    runs: bool,
) -> Result<Page, AppError> {
    let filter = ExportFilter { sources, runs, personal: false };
    let mut page = match app.stores.named(project)? {
        Some(store) => page(&*store, after, &filter)?,
        None => Page { to: after, ..Page::default() },
    };
    let last = Line::Page(Next { to: page.to, more: page.more, too_large: page.too_large });
    records::write_line(&last, &mut page.lines).map_err(records::write_error)?;
    Ok(page)
}

/// Stores a pushed page; the caller becomes the owner of its entries, whatever they state.
pub fn accept_push(app: &App, lines: &[u8]) -> Result<Tally, AppError> {
    let sender = Sender { member: Some(app.author()), restores_purged: false };
    store_page(app, lines, &sender).map(|(tally, _)| tally)
}

/// Stores the entries of a page; returns where the next page starts, if the page says so.
pub(super) fn store_page(
    app: &App,
    lines: &[u8],
    sender: &Sender<'_>,
) -> Result<(Tally, Option<Next>), AppError> {
    let store = app.stores.own()?;
    let mut lines = Lines::new(BufReader::new(lines));
    let mut tally = Tally::default();
    let wrong = |error: records::ParseError| {
        AppError::bad_input(
            format!("invalid page of entries: {error}"),
            "the entries before it are stored; send the page again",
        )
    };
    loop {
        match lines.next().map_err(wrong)? {
            None => return Ok((tally, None)),
            Some(Line::Page(next)) => return Ok((tally, Some(next))),
            Some(Line::Entry(line)) => {
                let adopted = records::store_entry(app, &*store, &line, &mut lines, sender);
                tally.count(&adopted.map_err(|trouble| match trouble {
                    ReceiveError::ParseError(error) => wrong(error),
                    ReceiveError::Here(error) => error,
                })?);
            }
            Some(_) => return Err(wrong(lines.malformed("a line outside of any entry"))),
        }
    }
}
