//! Sources: texts, files and folders that are indexed under a name, and kept in step with the disk.
//!
//! `index` is the way in. `folder` finds the files a path means, `file` reads one and makes it an item
//! of the store, `workers` does that on all processors while one thread writes, `refresh` looks whether
//! files have changed since; `page` is what a page of the web is instead, and `listing` tells what there is.
//! Whatever was skipped is counted by reason and told.

mod file;
mod folder;
mod listing;
mod outcome;
pub(crate) mod page;
mod refresh;
mod workers;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use forebay_domain::EntryKind;
use forebay_redact::Redactions;
use forebay_store::{
    EncodedBlob, FileStamp, Freshness, HashedContent, NewEntry, NewSource, NewSourceItem,
    SourceItem, SourceKind, Store, UnlistedItems,
};
use serde::{Deserialize, Serialize};

use self::file::{Candidate, Converted, convert};
pub use self::listing::{forget, list, show};
pub(crate) use self::outcome::{Outcome, Skip};
pub(crate) use self::refresh::refresh;
use crate::ingest::chunk;
use crate::rules::{Act, Readable, permit};
use crate::{App, AppError, Call};

/// What to index.
#[derive(Debug, Clone)]
pub(crate) enum Request {
    /// A text that is at hand, with the name it gets.
    Text { name: String, text: String },
    /// A file or a folder.
    Path { path: PathBuf, name: Option<String>, narrowed: Narrowed },
}

/// Which files of a folder are meant; without `include`, all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Narrowed {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) include: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) exclude: Vec<String>,
}

/// Indexes what is asked for, in place of what the same name held; what has not changed stays.
pub(crate) fn index(app: &App, request: Request, call: &Call) -> Result<Outcome, AppError> {
    match request {
        Request::Text { name, text } => index_text(app, &name, &text),
        Request::Path { path, name, narrowed } => {
            let path = fs::canonicalize(&path).map_err(|error| file::unreadable(&path, &error))?;
            let name = name.unwrap_or_else(|| default_name(app, &path));
            permit_reading(app, &path, call)?;
            if path.is_dir() {
                index_folder(app, &name, &path, &narrowed, call)
            } else {
                index_file(app, &name, &path)
            }
        }
    }
}

/// Asks the rules whether a path may be read.
pub(crate) fn permit_reading(app: &App, path: &Path, call: &Call) -> Result<(), AppError> {
    permit(app, &[Act::Read(path.to_owned())], &app.cwd, call)
}

/// The name of a path: seen from the project where it lies in it.
pub(crate) fn default_name(app: &App, path: &Path) -> String {
    let root = fs::canonicalize(app.root()).unwrap_or_else(|_| app.root().to_owned());
    let inside = path.strip_prefix(&root).ok().filter(|inside| !inside.as_os_str().is_empty());
    match (inside, path == root) {
        (Some(inside), _) => inside.to_string_lossy().into_owned(),
        (None, true) => ".".to_owned(),
        (None, false) => path.to_string_lossy().into_owned(),
    }
}

fn index_text(app: &App, name: &str, text: &str) -> Result<Outcome, AppError> {
    let store = app.places.own()?;
    let content = HashedContent::new(text.as_bytes());
    let known = store.source_items(name)?;
    if known.len() == 1 && known[0].hash == mark(content) {
        return Ok(Outcome::unchanged(name, &known));
    }
    let candidate =
        Candidate { path: String::new(), source: name.to_owned(), file: PathBuf::new() };
    let converted = Converted { text: text.into(), format: None };
    let entry = app.new_entry(EntryKind::Source, String::new());
    let (item, redactions) =
        to_item(app, &entry, &candidate, converted, (FileStamp::default(), content))?;
    let source = new_source(app, name, (SourceKind::Text, Path::new("")), &Narrowed::default());
    let mut outcome = Outcome::new(name);
    outcome.count(&item, &redactions);
    write_one(&*store, item, &source, outcome)
}

fn index_file(app: &App, name: &str, path: &Path) -> Result<Outcome, AppError> {
    let store = app.places.own()?;
    let known = store.source_items(name)?;
    let most = app.settings.index.largest_bytes();
    let candidate =
        Candidate { path: String::new(), source: name.to_owned(), file: path.to_owned() };
    // What is no file is not even opened: a device may act on that.
    let looked_at = file::stamp(path).ok_or(Skip::Unreadable);
    let read = looked_at.and_then(|_| file::read(path, most));
    let read = read.map_err(|skip| skip.as_error(path, most))?;
    let content = HashedContent::new(&read.bytes);
    let source = new_source(app, name, (SourceKind::File, path), &Narrowed::default());
    if known.len() == 1 && known[0].hash == mark(content) {
        let mut same = store.reindex()?;
        same.keep("", read.stamp);
        same.finish(&source, UnlistedItems::Remove)?;
        return Ok(Outcome::unchanged(name, &known));
    }
    let converted =
        convert(&candidate.source, &read.bytes, None).map_err(|skip| skip.as_error(path, most))?;
    let entry = app.new_entry(EntryKind::Source, String::new());
    let (item, redactions) = to_item(app, &entry, &candidate, converted, (read.stamp, content))?;
    let mut outcome = Outcome::new(name);
    outcome.count(&item, &redactions);
    write_one(&*store, item, &source, outcome)
}

fn write_one(
    store: &dyn Store,
    item: NewSourceItem,
    source: &NewSource,
    mut outcome: Outcome,
) -> Result<Outcome, AppError> {
    let mut reindex = store.reindex()?;
    reindex.add(item)?;
    outcome.take(reindex.finish(source, UnlistedItems::Remove)?);
    Ok(outcome)
}

fn index_folder(
    app: &App,
    name: &str,
    path: &Path,
    narrowed: &Narrowed,
    call: &Call,
) -> Result<Outcome, AppError> {
    let store = app.places.own()?;
    let known: HashMap<String, SourceItem> =
        store.source_items(name)?.into_iter().map(|item| (item.path.clone(), item)).collect();
    let mut outcome = Outcome::new(name);
    let files = folder::files(path, name, narrowed, &mut outcome)?;
    let candidates = allowed(&Readable::of(app)?, files, &mut outcome);
    let mut reindex = store.reindex()?;
    let now = app.now();
    // The branch is read from a file: once for all of them.
    let entry = app.new_entry(EntryKind::Source, String::new());
    let work = |candidate: &Candidate| examine(app, &entry, candidate, known.get(&candidate.path));
    workers::each(&candidates, work, |candidate, examined| {
        if call.cancel.is_cancelled() {
            return Err(AppError::refused(
                "indexing was cancelled; nothing changed",
                "try a smaller folder",
            ));
        }
        match examined? {
            Examined::Same(stamp) => {
                outcome.unchanged += 1;
                reindex.keep(&candidate.path, stamp);
            }
            Examined::New(item, redactions) => {
                outcome.count(&item, &redactions);
                reindex.add(*item)?;
            }
            // A file that cannot be read just now is no reason to forget what it held.
            Examined::Skipped(skip) => {
                outcome.skip(skip);
                if skip.is_passing()
                    && let Some(item) = known.get(&candidate.path)
                {
                    reindex.keep(&candidate.path, item.stamp);
                }
            }
        }
        let files = outcome.indexed + outcome.unchanged;
        call.report(outcome.bytes as f64, format_args!("{files} files"));
        Ok(())
    })?;
    let mut source = new_source(app, name, (SourceKind::Folder, path), narrowed);
    source.at = now;
    outcome.take(reindex.finish(&source, UnlistedItems::Remove)?);
    Ok(outcome)
}

fn allowed(readable: &Readable, files: Vec<Candidate>, outcome: &mut Outcome) -> Vec<Candidate> {
    let mut candidates = Vec::with_capacity(files.len());
    for file in files {
        if readable.allows(&file.file) {
            candidates.push(file);
        } else {
            outcome.skip(Skip::Denied);
        }
    }
    candidates
}

/// What became of a file that was looked at.
enum Examined {
    Same(FileStamp),
    New(Box<NewSourceItem>, Redactions),
    Skipped(Skip),
}

/// Looks at a file: is it known, has it changed, and if so, what is it now.
fn examine(
    app: &App,
    entry: &NewEntry,
    candidate: &Candidate,
    known: Option<&SourceItem>,
) -> Result<Examined, AppError> {
    if let Some(known) = known
        && file::stamp(&candidate.file)
            .is_some_and(|stamp| file::is_surely_same(known.stamp, stamp))
    {
        return Ok(Examined::Same(known.stamp));
    }
    let read = match file::read(&candidate.file, app.settings.index.largest_bytes()) {
        Ok(read) => read,
        Err(skip) => return Ok(Examined::Skipped(skip)),
    };
    let content = HashedContent::new(&read.bytes);
    if known.is_some_and(|known| known.hash == mark(content)) {
        return Ok(Examined::Same(read.stamp));
    }
    match convert(&candidate.source, &read.bytes, None) {
        Ok(converted) => {
            let (item, redactions) =
                to_item(app, entry, candidate, converted, (read.stamp, content))?;
            Ok(Examined::New(Box::new(item), redactions))
        }
        Err(skip) => Ok(Examined::Skipped(skip)),
    }
}

/// A text as the store takes it: without secrets, cut into passages, compressed. `entry` is what it has in common
/// with others.
pub(crate) fn to_item(
    app: &App,
    entry: &NewEntry,
    candidate: &Candidate,
    converted: Converted<'_>,
    (stamp, content): (FileStamp, HashedContent<'_>),
) -> Result<(NewSourceItem, Redactions), AppError> {
    let (text, redactions) = app.redaction.whole(&converted.text);
    let title = if candidate.path.is_empty() { &candidate.source } else { &candidate.path };
    let chunks = chunk::chunks(title, &text, converted.format);
    let entry = NewEntry {
        title: title.clone(),
        source: candidate.source.clone(),
        has_all_chunks: true,
        ..entry.clone()
    };
    let (path, hash) = (candidate.path.clone(), mark(content));
    let raw = EncodedBlob::encode(content.transformed_to(text.as_bytes()))?;
    Ok((NewSourceItem { path, stamp, hash, entry, raw, chunks }, redactions))
}

/// What tells that a content is the one which was indexed, and cut as it would be now.
fn mark(content: HashedContent<'_>) -> [u8; 32] {
    content.fingerprint(chunk::VERSION)
}

fn new_source(
    app: &App,
    name: &str,
    (kind, path): (SourceKind, &Path),
    narrowed: &Narrowed,
) -> NewSource {
    NewSource {
        name: name.to_owned(),
        kind,
        path: path.to_string_lossy().into_owned(),
        options: serde_json::to_string(narrowed).unwrap_or_default(),
        at: app.now(),
        freshness: Freshness::default(),
    }
}
