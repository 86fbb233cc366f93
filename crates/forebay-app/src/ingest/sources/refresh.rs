//! Updates sources whose files have changed: checked before a search, at a limited rate.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use forebay_domain::EntryKind;
use forebay_store::{FileStamp, NewSource, SourceItem, SourceKind, Store, UnlistedItems};

use super::file::{self, Candidate};
use super::{Examined, examine, workers};
use crate::rules::Readable;
use crate::{App, AppError};

/// Reindexes files that have changed since they were indexed.
///
/// Checks only files that are in the store: purged files do not come back, and new files of a folder are added
/// when it is indexed again. Errors are logged, so that the search continues.
pub(crate) fn refresh(app: &App) {
    if let Err(error) = refresh_all(app) {
        tracing::warn!(%error, "cannot refresh sources; they may be stale");
    }
}

fn refresh_all(app: &App) -> Result<(), AppError> {
    let every = app.settings.index.refresh_seconds;
    if every == 0 {
        return Ok(());
    }
    // A large folder takes time to check; concurrent searches use the current index meanwhile.
    let Some(_alone) = app.stores.lock_source_refresh() else { return Ok(()) };
    let now = app.now();
    let store = app.stores.own()?;
    // A clock that was set back must not disable the refresh forever.
    let recently_checked = (now.minus(Duration::from_secs(every)), now);
    for source in &store.stale_sources(recently_checked)? {
        refresh_one(app, &*store, source)?;
    }
    Ok(())
}

fn refresh_one(app: &App, store: &dyn Store, source: &NewSource) -> Result<(), AppError> {
    let root = Path::new(&source.path);
    // A missing folder may be a disk that is not mounted.
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
    let readable = Readable::new(app)?;
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
            Some(Examined::Same(stamp)) => reindex.keep_unchanged(&candidate.path, stamp),
            Some(Examined::Skipped(skip)) if skip.is_temporary() => {
                reindex.keep_unchanged(&candidate.path, item.stamp);
            }
            Some(Examined::Skipped(_)) | None => reindex.remove(&candidate.path),
        }
        Ok(ControlFlow::Continue(()))
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
