//! Lists, shows and forgets indexed sources.

use forebay_domain::Timestamp;
use forebay_store::{PurgeReport, PurgeSelection, Source, SourceKind, Store};
use forebay_text::{cut, number};
use serde_json::{Value, json};

use crate::render::describe;
use crate::{Answer, App, AppError};

/// Maximum number of references in one selection.
const MAX_REFERENCES: usize = 10_000;
const NAME_WIDTH: usize = 40;
/// Maximum number of items shown per source.
const MAX_SHOWN_ITEMS: usize = 20;

/// Lists all sources of the project, as a table of 80 columns.
pub fn list(app: &App) -> Result<Answer, AppError> {
    let sources = app.stores.own()?.sources()?;
    let now = app.now();
    if sources.is_empty() {
        return Ok(Answer::new(
            "nothing is indexed here; use forebay index PATH or forebay fetch URL".to_owned(),
            json!({ "sources": [] }),
        ));
    }
    let mut lines = vec![row(["source", "kind", "entries", "size", "indexed"])];
    lines.extend(sources.iter().map(|source| {
        row([
            &shortened(&source.name),
            source.kind.as_str(),
            &number::grouped(source.entries),
            &number::bytes(source.bytes),
            &describe::age(source.indexed, now),
        ])
    }));
    let data: Vec<Value> = sources.iter().map(data).collect();
    Ok(Answer::new(lines.join("\n"), json!({ "sources": data })))
}

/// Shows one source with its entries.
pub fn show(app: &App, name: &str) -> Result<Answer, AppError> {
    let store = app.stores.own()?;
    let source = find(&*store, name)?;
    let items = store.source_items(name)?;
    let mut lines = vec![facts(&source, app.now())];
    for item in items.iter().take(MAX_SHOWN_ITEMS) {
        let path = if item.path.is_empty() { &source.path } else { &item.path };
        let size = number::bytes(item.bytes);
        lines.push(format!("{} {} · {size}", item.reference, cut::one_line(path, 50)));
    }
    if items.len() > MAX_SHOWN_ITEMS {
        lines.push(format!("{} more (--json lists all)", items.len() - MAX_SHOWN_ITEMS));
    }
    let listed: Vec<Value> = items
        .iter()
        .map(|item| json!({ "path": item.path, "ref": item.reference.as_str(), "bytes": item.bytes }))
        .collect();
    let mut data = data(&source);
    data["items"] = listed.into();
    Ok(Answer::new(lines.join("\n"), data))
}

/// Forgets a source with all its entries.
pub fn forget(app: &App, name: &str) -> Result<Answer, AppError> {
    let store = app.stores.own()?;
    let source = find(&*store, name)?;
    let mut purged = PurgeReport::default();
    if source.kind == SourceKind::Documents {
        let selection = PurgeSelection { source: Some(as_glob(name)), ..PurgeSelection::default() };
        purged.add(store.purge(&selection, app.now())?);
    }
    let references: Vec<_> =
        store.source_items(name)?.into_iter().map(|item| item.reference).collect();
    for some in references.chunks(MAX_REFERENCES) {
        let selection = PurgeSelection { references: some.to_vec(), ..PurgeSelection::default() };
        purged.add(store.purge(&selection, app.now())?);
    }
    let text = format!(
        "{name} deleted: {} entr{}, {}",
        number::grouped(purged.entries),
        if purged.entries == 1 { "y" } else { "ies" },
        number::bytes(purged.bytes)
    );
    Ok(Answer::new(
        text,
        json!({ "source": name, "entries": purged.entries, "bytes": purged.bytes }),
    ))
}

fn find(store: &dyn Store, name: &str) -> Result<Source, AppError> {
    store.sources()?.into_iter().find(|source| source.name == name).ok_or_else(|| {
        AppError::not_found(format!("no source is named `{name}`"), "forebay sources lists them")
    })
}

/// Escapes a name as a glob that matches only it.
fn as_glob(name: &str) -> String {
    let escaped = |c: char| if "*?[".contains(c) { format!("[{c}]") } else { c.to_string() };
    name.chars().map(escaped).collect()
}

fn row(cells: [&str; 5]) -> String {
    let [name, kind, entries, size, age] = cells;
    format!("{name:<NAME_WIDTH$} {kind:<9} {entries:>7} {size:>8} {age:>10}").trim_end().to_owned()
}

/// Shortens a long name, keeping its end.
fn shortened(name: &str) -> String {
    let count = name.chars().count();
    if count <= NAME_WIDTH {
        return name.to_owned();
    }
    let end: String = name.chars().skip(count - (NAME_WIDTH - 1)).collect();
    format!("…{end}")
}

fn facts(source: &Source, now: Timestamp) -> String {
    let mut parts = vec![
        format!("{}: {}", source.name, source.kind.as_str()),
        number::bytes(source.bytes),
        format!("indexed {}", describe::age(source.indexed, now)),
    ];
    if !source.path.is_empty() && source.path != source.name {
        parts.insert(1, cut::one_line(&source.path, 200));
    }
    parts.join(" · ")
}

fn data(source: &Source) -> Value {
    json!({
        "source": source.name,
        "kind": source.kind.as_str(),
        "path": source.path,
        "entries": source.entries,
        "bytes": source.bytes,
        "indexed": source.indexed.0,
        "checked": source.checked.0,
        "expires": source.freshness.expires.map(|at| at.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_fits_a_terminal() {
        let name = shortened(&"very/long/path/".repeat(9));
        let widest = row([&name, "documents", "100,000", "999.9 MB", "11 min ago"]);
        assert!(widest.chars().count() <= 80, "{widest}");
        assert_eq!(as_glob("a[1]*.md"), "a[[]1][*].md");
    }
}
