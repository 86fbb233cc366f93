//! Keeping sources in step with the disk: looked at before a search, cheaply, and now and then only.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use forebay_domain::EntryKind;
use forebay_store::{FileStamp, NewSource, SourceItem, SourceKind, Store, UnlistedItems};

use super::file::{self, Candidate};
use super::{Examined, examine, workers};
use crate::rules::Readable;
use crate::{App, AppError};

/// Brings files that have changed since they were indexed up to date.
///
/// Only files that are in the store are looked at: what was purged does not come back by itself, and
/// new files of a folder come in when it is indexed again. A fault is no reason not to search.
pub(crate) fn refresh(app: &App) {
    if let Err(error) = refresh_all(app) {
        tracing::warn!(%error, "sources may be older than their files");
    }
}

fn refresh_all(app: &App) -> Result<(), AppError> {
    let every = app.settings.index.refresh_seconds;
    if every == 0 {
        return Ok(());
    }
    // Whoever comes while somebody looks searches what is there: of a large folder all files are looked at.
    let Some(_alone) = app.places.look_at_sources() else { return Ok(()) };
    let now = app.now();
    let store = app.places.own()?;
    // A clock that was set back must not stop it for ever.
    let lately = (now.minus(Duration::from_secs(every)), now);
    for source in &store.stale_sources(lately)? {
        refresh_one(app, &*store, source)?;
    }
    Ok(())
}

fn refresh_one(app: &App, store: &dyn Store, source: &NewSource) -> Result<(), AppError> {
    let root = Path::new(&source.path);
    // A folder that is not there at all may be a disk that is not mounted.
    let is_there = root.parent().is_some_and(Path::exists)
        && (source.kind == SourceKind::File || root.exists());
    let stamps = if is_there { store.source_stamps(&source.name)? } else { Vec::new() };
    let place_of = |path: &str| if path.is_empty() { root.to_owned() } else { root.join(path) };
    let has_changed =
        |(path, stamp): &(String, FileStamp)| file::stamp(&place_of(path)) != Some(*stamp);
    let changed: HashSet<String> =
        stamps.into_iter().filter(has_changed).map(|(path, _)| path).collect();
    if changed.is_empty() {
        return Ok(store.mark_source_checked(&source.name, source.at, None)?);
    }
    let items = store.source_items(&source.name)?.into_iter();
    let changed: Vec<(SourceItem, Candidate)> = items
        .filter(|item| changed.contains(&item.path))
        .map(|item| {
            let candidate = candidate(source, &item, place_of(&item.path));
            (item, candidate)
        })
        .collect();
    replace(app, store, source, &changed)
}

fn replace(
    app: &App,
    store: &dyn Store,
    source: &NewSource,
    changed: &[(SourceItem, Candidate)],
) -> Result<(), AppError> {
    let readable = Readable::of(app)?;
    let mut reindex = store.reindex()?;
    let entry = app.new_entry(EntryKind::Source, String::new());
    let work = |(item, candidate): &(SourceItem, Candidate)| {
        let is_there = candidate.file.symlink_metadata().is_ok();
        if is_there && readable.allows(&candidate.file) {
            examine(app, &entry, candidate, Some(item)).map(Some)
        } else {
            Ok(None)
        }
    };
    workers::each(changed, work, |(item, candidate), examined| {
        match examined? {
            Some(Examined::New(new, _)) => reindex.add(*new)?,
            Some(Examined::Same(stamp)) => reindex.keep(&candidate.path, stamp),
            Some(Examined::Skipped(skip)) if skip.is_passing() => {
                reindex.keep(&candidate.path, item.stamp);
            }
            Some(Examined::Skipped(_)) | None => reindex.remove(&candidate.path),
        }
        Ok(())
    })?;
    reindex.finish(source, UnlistedItems::Keep)?;
    Ok(())
}

fn candidate(source: &NewSource, item: &SourceItem, file: PathBuf) -> Candidate {
    let name = match (item.path.as_str(), source.name.as_str()) {
        ("", name) => name.to_owned(),
        (path, ".") => path.to_owned(),
        (path, name) => format!("{name}/{path}"),
    };
    Candidate { path: item.path.clone(), source: name, file }
}
