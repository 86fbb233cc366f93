//! Web pages: fetched unless the stored copy is fresh, and indexed under their URL.

use std::time::Duration;

use forebay_domain::{EntryKind, Reference, Timestamp};
use forebay_policy::with_plain_host;
use forebay_redact::Redactions;
use forebay_sandbox::web::{self, FetchError, FetchOutcome, FetchSpec, Page};
use forebay_store::{
    FileStamp, Freshness, HashedContent, NewSource, NewSourceItem, Source, SourceItem, SourceKind,
    Store, UnlistedItems,
};

use super::file::{Candidate, Converted, convert};
use super::mark;
use super::outcome::Skip;
use crate::next_call::NextCall;
use crate::rules::FetchGate;
use crate::{App, AppError, Call, ErrorKind};

/// An indexed page.
pub(crate) struct Indexed {
    pub(crate) url: String,
    pub(crate) reference: Reference,
    pub(crate) bytes: u64,
    /// Titles of its first chunks.
    pub(crate) sections: Vec<String>,
    pub(crate) from: PageOrigin,
    pub(crate) redactions: Redactions,
}

/// Where the page came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageOrigin {
    Network,
    /// The server reported no change, or the content is the same.
    Unchanged,
    /// Not fetched: the stored copy is within its time to live.
    Store(Timestamp),
}

/// Returns an indexed page: from the store while it is fresh, unless `force` is set, otherwise fetched.
pub(crate) fn index(app: &App, url: &str, force: bool, call: &Call) -> Result<Indexed, AppError> {
    let store = app.stores.own()?;
    let url = url.trim().split('#').next().unwrap_or_default();
    let url = &*with_plain_host(url);
    let gate = FetchGate::new(app)?;
    gate.ask(url, call)?;
    let name = app.redaction.redact(url).0;
    let known = known(&*store, &name)?;
    let now = app.now();
    if let Some((source, item)) = &known
        && !force
        && source.freshness.expires.is_some_and(|expires| now < expires)
    {
        return Ok(indexed_page(&name, item, PageOrigin::Store(source.checked)));
    }
    let spec = spec(app, url, known.as_ref().filter(|_| !force).map(|(source, _)| source));
    let check =
        |url: &str, addresses: Option<&[std::net::IpAddr]>| gate.check(url, addresses, call);
    match (web::fetch(&spec, &check).map_err(|error| fetch_error(app, error))?, known) {
        (FetchOutcome::NotModified, Some((_, item))) => {
            store.mark_source_checked(&name, now, Some(expires(app)))?;
            Ok(indexed_page(&name, &item, PageOrigin::Unchanged))
        }
        (FetchOutcome::NotModified, None) => Err(AppError::unavailable(
            format!("{url} responded \"not modified\", but no copy is stored"),
            Some("try again with force"),
        )),
        (FetchOutcome::Page(page), known) => {
            put(app, &*store, &name, page, known.map(|(_, item)| item))
        }
    }
}

fn known(store: &dyn Store, name: &str) -> Result<Option<(Source, SourceItem)>, AppError> {
    let source = store.source(name)?.filter(|source| source.kind == SourceKind::Page);
    let Some(source) = source else { return Ok(None) };
    let item = store.source_items(name)?.into_iter().next();
    Ok(item.map(|item| (source, item)))
}

fn spec(app: &App, url: &str, known: Option<&Source>) -> FetchSpec {
    let freshness = known.map(|source| source.freshness.clone()).unwrap_or_default();
    FetchSpec {
        url: url.to_owned(),
        etag: freshness.etag,
        last_modified: freshness.last_modified,
        max_bytes: app.settings.fetch.largest_mb.saturating_mul(1024 * 1024),
        timeout: Duration::from_millis(app.settings.fetch.timeout_ms),
    }
}

fn expires(app: &App) -> Timestamp {
    let hours = i64::try_from(app.settings.fetch.fresh_hours).unwrap_or(i64::MAX);
    Timestamp(app.now().0.saturating_add(hours.saturating_mul(3_600_000)))
}

fn put(
    app: &App,
    store: &dyn Store,
    name: &str,
    page: Page,
    known: Option<SourceItem>,
) -> Result<Indexed, AppError> {
    let content = HashedContent::new(&page.body);
    let source = NewSource {
        name: name.to_owned(),
        kind: SourceKind::Page,
        path: app.redaction.name(&page.url),
        options: String::new(),
        at: app.now(),
        freshness: Freshness {
            etag: page.etag.clone(),
            last_modified: page.last_modified.clone(),
            expires: Some(expires(app)),
        },
    };
    let mut reindex = store.reindex()?;
    if let Some(known) = known.filter(|known| known.hash == mark(content)) {
        reindex.keep_unchanged("", known.stamp);
        reindex.finish(&source, UnlistedItems::Remove)?;
        return Ok(indexed_page(name, &known, PageOrigin::Unchanged));
    }
    let (item, redactions) = to_item(app, name, &page, content)?;
    let (bytes, sections) = (item.raw.bytes(), sections(&item, name));
    reindex.add(item)?;
    let added = reindex.finish(&source, UnlistedItems::Remove)?.added;
    let Some((_, reference)) = added.into_iter().next() else {
        return Err(AppError::unavailable(format!("cannot store {name}"), None));
    };
    Ok(Indexed {
        url: name.to_owned(),
        reference,
        bytes,
        sections,
        from: PageOrigin::Network,
        redactions,
    })
}

fn to_item(
    app: &App,
    name: &str,
    page: &Page,
    content: HashedContent<'_>,
) -> Result<(NewSourceItem, Redactions), AppError> {
    let converted = convert(named_by_kind(page), &page.body, page.charset.as_deref())
        .map_err(|skip| no_text(name, page, skip))?;
    let Converted { text, format } = converted;
    if text.trim().is_empty() {
        return Err(no_text(name, page, Skip::Binary));
    }
    let candidate = Candidate { path: String::new(), source: name.to_owned(), file: "".into() };
    let entry = app.new_entry(EntryKind::Page, String::new());
    let converted = Converted { text, format };
    super::to_item(app, &entry, &candidate, converted, (FileStamp::default(), content))
}

/// Returns a file name with the extension for the page's content type.
fn named_by_kind(page: &Page) -> &str {
    match page.mime.as_str() {
        "text/html" | "application/xhtml+xml" => "page.html",
        "text/markdown" | "text/x-markdown" => "page.md",
        "application/json" => "page.json",
        mime if mime.ends_with("+json") => "page.json",
        "application/x-ndjson" => "page.ndjson",
        "text/csv" => "page.csv",
        "application/yaml" | "text/yaml" => "page.yaml",
        _ => &page.url,
    }
}

fn no_text(name: &str, page: &Page, skip: Skip) -> AppError {
    let what = if page.mime.is_empty() { "something" } else { &page.mime };
    let why = match skip {
        Skip::Binary => format!("{name} returned {what} without text"),
        _ => format!("{name} returned unreadable {what}"),
    };
    AppError::bad_input(
        format!("{why}; nothing was indexed"),
        format!("download it with {}", NextCall::new("ctx_execute").in_error()),
    )
}

fn indexed_page(name: &str, item: &SourceItem, from: PageOrigin) -> Indexed {
    Indexed {
        url: name.to_owned(),
        reference: item.reference,
        bytes: item.bytes,
        sections: Vec::new(),
        from,
        redactions: Redactions::default(),
    }
}

/// Returns the titles of the first chunks.
fn sections(item: &NewSourceItem, name: &str) -> Vec<String> {
    let mut titles: Vec<String> = item
        .chunks
        .iter()
        .filter_map(|chunk| chunk.title.split_once(forebay_text::chunk::TITLE_SEPARATOR))
        .filter(|(source, _)| name.ends_with(source))
        .map(|(_, title)| title.to_owned())
        .collect();
    titles.dedup();
    titles
}

fn fetch_error(app: &App, error: FetchError) -> AppError {
    let message = error.to_string();
    match error {
        FetchError::Refused { .. } => AppError {
            kind: ErrorKind::Refused,
            message,
            hint: Some("only public addresses that no rule denies can be fetched".to_owned()),
        },
        FetchError::Status { status: 401 | 403, .. } => {
            AppError::unavailable(message, Some("it requires a login; ask the user for the page"))
        }
        FetchError::Status { status: 404 | 410, .. } => {
            AppError::not_found(message, "check the URL")
        }
        FetchError::TooLarge { .. } => AppError::bad_input(
            message,
            format!(
                "fetch.largest_mb is {}; download it with {}",
                app.settings.fetch.largest_mb,
                NextCall::new("ctx_execute").in_error()
            ),
        ),
        FetchError::Timeout { .. } => {
            AppError::unavailable(message, Some("try again later, or raise fetch.timeout_ms"))
        }
        FetchError::InvalidRedirect { .. }
        | FetchError::ForeignRedirect { .. }
        | FetchError::TooManyRedirects(_) => {
            AppError::bad_input(message, "fetch the target page directly")
        }
        FetchError::Unresolved(_) | FetchError::Status { .. } | FetchError::Failed { .. } => {
            AppError::unavailable(message, Some("check the URL and the network"))
        }
    }
}
