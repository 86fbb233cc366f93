//! Pages of entries, as a server gives and takes them.

use std::io::BufReader;

use forebay_store::{SincePage, Store};

use super::records::{self, Giver, Line, Lines, Next, Trouble};
use super::{Chosen, Tally};
use crate::{App, AppError};

/// What a page has at most, unless its first entry alone has more.
const PAGE_BYTES: usize = 1024 * 1024;
/// A larger entry is left out: whoever wants it makes an archive.
pub(super) const LARGEST_ENTRY: usize = 3 * 1024 * 1024;
const AT_ONCE: usize = 100;

/// Some entries as lines, and where the next page begins.
#[derive(Debug, Default)]
pub struct Page {
    pub lines: Vec<u8>,
    pub entries: u64,
    pub to: i64,
    /// Whether there is another page after it.
    pub more: bool,
    /// Entries too large for a page.
    pub too_large: u64,
}

/// The next entries after a sequence number, of those that are chosen.
pub(super) fn page(store: &dyn Store, after: i64, chosen: &Chosen) -> Result<Page, AppError> {
    let filter = chosen.filter()?;
    let mut page = Page { to: after, more: true, ..Page::default() };
    while page.lines.len() < PAGE_BYTES {
        let asked = SincePage { after: page.to, kinds: chosen.kinds(), limit: AT_ONCE };
        let entries = store.entries_since(&asked)?;
        if entries.is_empty() {
            page.more = false;
            break;
        }
        for entry in &entries {
            if filter.wants(entry) && !add(store, entry, &mut page)? {
                return Ok(page);
            }
            page.to = entry.sequence;
        }
    }
    Ok(page)
}

/// Adds an entry; false where the page is full without it.
fn add(
    store: &dyn Store,
    entry: &forebay_domain::Entry,
    page: &mut Page,
) -> Result<bool, AppError> {
    let mut lines = Vec::new();
    let fits = entry.bytes <= LARGEST_ENTRY as u64;
    if fits {
        records::write_entry(store, entry, &mut lines)?;
    }
    if !fits || lines.len() > LARGEST_ENTRY {
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

/// What a server answers to somebody who pulls: shared notes, and sources that match these names.
pub fn give(
    app: &App,
    project: &str,
    after: i64,
    sources: Vec<String>,
    runs: bool,
) -> Result<Page, AppError> {
    let chosen = Chosen { sources, runs, personal: false };
    let mut page = match app.places.named(project)? {
        Some(store) => page(&*store, after, &chosen)?,
        None => Page { to: after, ..Page::default() },
    };
    let last = Line::Page(Next { to: page.to, more: page.more, too_large: page.too_large });
    records::write_line(&last, &mut page.lines).map_err(records::unwritable)?;
    Ok(page)
}

/// What a server does with a page that was pushed: it is the caller's, whatever it says.
pub fn take(app: &App, lines: &[u8]) -> Result<Tally, AppError> {
    let giver = Giver { member: Some(app.author()), restores_purged: false };
    take_page(app, lines, &giver).map(|(tally, _)| tally)
}

/// Takes the entries of a page in; tells where the next one begins, if the page says so.
pub(super) fn take_page(
    app: &App,
    lines: &[u8],
    giver: &Giver<'_>,
) -> Result<(Tally, Option<Next>), AppError> {
    let store = app.places.own()?;
    let mut lines = Lines::new(BufReader::new(lines));
    let mut tally = Tally::default();
    let wrong = |fault: records::Fault| {
        AppError::bad_input(
            format!("this is no page of entries: {fault}"),
            "what came before it is kept; send the page again",
        )
    };
    loop {
        match lines.next().map_err(wrong)? {
            None => return Ok((tally, None)),
            Some(Line::Page(next)) => return Ok((tally, Some(next))),
            Some(Line::Entry(line)) => {
                let adopted = records::adopt(app, &*store, &line, &mut lines, giver);
                tally.count(&adopted.map_err(|trouble| match trouble {
                    Trouble::Fault(fault) => wrong(fault),
                    Trouble::Here(error) => error,
                })?);
            }
            Some(_) => return Err(wrong(lines.malformed("a line that belongs to no entry"))),
        }
    }
}
