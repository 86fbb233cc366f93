//! Sources: texts, files and folders that are indexed under a name and kept up to date.
//!
//! `index` is the entry point. `folder` lists the files of a path, `file` reads and converts one, `workers`
//! does that on all cores while one thread writes, `refresh` updates changed files; `page` indexes web pages,
//! and `listing` lists sources. Skipped files are counted by reason and reported.

mod file;
mod folder;
mod listing;
mod outcome;
pub(crate) mod page;
mod refresh;
mod workers;

use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};

use forebay_domain::EntryKind;
use forebay_redact::Redactions;
use forebay_store::{
    EncodedBlob, FileStamp, Freshness, HashedContent, NewEntry, NewSource, NewSourceItem,
    SourceItem, SourceKind, Store, UnlistedItems,
};
use forebay_text::number;
use serde::{Deserialize, Serialize};

use self::file::{Candidate, Converted, convert};
pub use self::listing::{forget, list, show};
pub(crate) use self::outcome::{Outcome, Skip};
pub(crate) use self::refresh::refresh;
use crate::ingest::chunk;
use crate::next_call::NextCall;
use crate::rules::{Act, Readable, permit};
use crate::{App, AppError, Call};

/// What to index.
#[derive(Debug, Clone)]
pub(crate) enum Request {
    /// A given text and its name.
    Text { name: String, text: String },
    /// A file or a folder.
    Path { path: PathBuf, name: Option<String>, path_globs: PathGlobs },
}

/// Selects files of a folder; without `include`, all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PathGlobs {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) include: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) exclude: Vec<String>,
}

/// Indexes a source, replacing what the same name held; unchanged items stay.
pub(crate) fn index(app: &App, request: Request, call: &Call) -> Result<Outcome, AppError> {
    match request {
        Request::Text { name, text } => index_text(app, &app.redaction.name(&name), &text),
        Request::Path { path, name, path_globs } => {
            let path = resolve(app, &path)?;
            let name =
                name.map_or_else(|| default_name(app, &path), |name| app.redaction.name(&name));
            permit_reading(app, &path, call)?;
            if path.is_dir() {
                index_folder(app, &name, &path, &path_globs, call)
            } else {
                index_file(app, &name, &path)
            }
        }
    }
}

/// Resolves a path to index. A link must not lead out of the project, which the rules and the model take for its text.
pub(crate) fn resolve(app: &App, path: &Path) -> Result<PathBuf, AppError> {
    let real = fs::canonicalize(path).map_err(|error| file::unreadable(path, &error))?;
    let root = fs::canonicalize(app.root()).unwrap_or_else(|_| app.root().to_owned());
    let named = without_dots(path);
    let is_named_inside = named.starts_with(app.root()) || named.starts_with(&root);
    if is_named_inside && !real.starts_with(&root) {
        return Err(AppError::refused(
            format!("{} is a link out of the project, to {}", path.display(), real.display()),
            "index what it links to by its own path",
        ));
    }
    app.check_not_whole_home(&real)?;
    Ok(real)
}

/// The path as it is written, without `.` and `..`.
fn without_dots(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
        plain
    })
}

/// Checks the rules for reading a path.
pub(crate) fn permit_reading(app: &App, path: &Path, call: &Call) -> Result<(), AppError> {
    permit(app, &[Act::Read(path.to_owned())], &app.cwd, call)
}

/// Returns the name of a path: relative to the project if it is inside.
pub(crate) fn default_name(app: &App, path: &Path) -> String {
    let root = fs::canonicalize(app.root()).unwrap_or_else(|_| app.root().to_owned());
    let inside = path.strip_prefix(&root).ok().filter(|inside| !inside.as_os_str().is_empty());
    let name = match (inside, path == root) {
        (Some(inside), _) => inside.to_string_lossy(),
        (None, true) => ".".into(),
        (None, false) => path.to_string_lossy(),
    };
    app.redaction.name(&name)
}

fn index_text(app: &App, name: &str, text: &str) -> Result<Outcome, AppError> {
    let store = app.stores.own()?;
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
    let source = new_source(app, name, (SourceKind::Text, Path::new("")), &PathGlobs::default());
    let mut outcome = Outcome::new(name);
    outcome.count(&item, &redactions);
    write_one(&*store, item, &source, outcome)
}

fn index_file(app: &App, name: &str, path: &Path) -> Result<Outcome, AppError> {
    let store = app.stores.own()?;
    let known = store.source_items(name)?;
    let most = app.settings.index.largest_bytes();
    let candidate =
        Candidate { path: String::new(), source: name.to_owned(), file: path.to_owned() };
    // Only regular files are opened: opening a device may have side effects.
    let looked_at = file::stamp(path).ok_or(Skip::Unreadable);
    let read = looked_at.and_then(|_| file::read(path, most));
    let read = read.map_err(|skip| skip.as_error(path, most))?;
    let content = HashedContent::new(&read.bytes);
    let source = new_source(app, name, (SourceKind::File, path), &PathGlobs::default());
    if known.len() == 1 && known[0].hash == mark(content) {
        let mut same = store.reindex()?;
        same.keep_unchanged("", read.stamp);
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
    outcome.add_report(reindex.finish(source, UnlistedItems::Remove)?);
    Ok(outcome)
}

fn index_folder(
    app: &App,
    name: &str,
    path: &Path,
    path_globs: &PathGlobs,
    call: &Call,
) -> Result<Outcome, AppError> {
    let store = app.stores.own()?;
    let known: HashMap<String, SourceItem> =
        store.source_items(name)?.into_iter().map(|item| (item.path.clone(), item)).collect();
    let mut outcome = Outcome::new(name);
    let mut files = folder::files(path, name, path_globs, &mut outcome)?;
    for file in &mut files {
        file.path = app.redaction.name(&file.path);
        file.source = app.redaction.name(&file.source);
    }
    let candidates = allowed(&Readable::new(app)?, files, &mut outcome);
    let mut reindex = store.reindex()?;
    let now = app.now();
    // The branch is read from a file, so once for all items.
    let entry = app.new_entry(EntryKind::Source, String::new());
    let (mut examined_files, mut is_cancelled) = (0_u64, false);
    let total = candidates.len() as f64;
    let work = |candidate: &Candidate| examine(app, &entry, candidate, known.get(&candidate.path));
    workers::each(&candidates, work, |candidate, examined| {
        is_cancelled = call.cancel.is_cancelled();
        if is_cancelled {
            return Ok(ControlFlow::Break(()));
        }
        match examined? {
            Examined::Same(stamp) => {
                outcome.unchanged += 1;
                reindex.keep_unchanged(&candidate.path, stamp);
            }
            Examined::New(item, redactions) => {
                outcome.count(&item, &redactions);
                reindex.add(*item)?;
            }
            // A temporary read failure is no reason to drop the indexed content.
            Examined::Skipped(skip) => {
                outcome.skip(skip);
                if skip.is_temporary()
                    && let Some(item) = known.get(&candidate.path)
                {
                    reindex.keep_unchanged(&candidate.path, item.stamp);
                }
            }
        }
        examined_files += 1;
        let bytes = number::bytes(outcome.bytes);
        call.report_of(examined_files as f64, Some(total), format_args!("files, {bytes}"));
        Ok(ControlFlow::Continue(()))
    })?;
    let mut source = new_source(app, name, (SourceKind::Folder, path), path_globs);
    source.at = now;
    // What a cancelled call has not reached says nothing about what is indexed of it.
    let unlisted = if is_cancelled { UnlistedItems::Keep } else { UnlistedItems::Remove };
    outcome.add_report(reindex.finish(&source, unlisted)?);
    if is_cancelled {
        let has_globs = *path_globs != PathGlobs::default();
        let counts = (examined_files, candidates.len() as u64);
        return Err(cancelled(app, &source, has_globs, counts));
    }
    Ok(outcome)
}

/// What a cancelled call has kept, and how to go on.
fn cancelled(
    app: &App,
    source: &NewSource,
    has_globs: bool,
    (done, total): (u64, u64),
) -> AppError {
    let path = Path::new(&source.path);
    let again = match path.strip_prefix(&app.cwd) {
        Ok(inside) if inside.as_os_str().is_empty() => Path::new("."),
        Ok(inside) => inside,
        Err(_) => path,
    };
    let mut call = NextCall::new("ctx_index").on(again.to_string_lossy());
    if source.name != default_name(app, path) {
        call = call.with("source", source.name.as_str());
    }
    let globs = if has_globs { " with the same globs" } else { "" };
    AppError::refused(
        format!(
            "cancelled; {} of {} are done and kept",
            number::grouped(done),
            number::counted(total, "file")
        ),
        format!("continue with {}{globs}; unchanged files are skipped", call.in_error()),
    )
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

/// The result of examining a file.
enum Examined {
    Same(FileStamp),
    New(Box<NewSourceItem>, Redactions),
    Skipped(Skip),
}

/// Checks whether a file is new or changed, and if so converts it.
fn examine(
    app: &App,
    entry: &NewEntry,
    candidate: &Candidate,
    known: Option<&SourceItem>,
) -> Result<Examined, AppError> {
    if let Some(known) = known
        && file::stamp(&candidate.file)
            .is_some_and(|stamp| file::is_certainly_unchanged(known.stamp, stamp))
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

/// Prepares a text for the store: redacted, chunked and compressed. `entry` has the metadata shared with other
/// items.
pub(crate) fn to_item(
    app: &App,
    entry: &NewEntry,
    candidate: &Candidate,
    converted: Converted<'_>,
    (stamp, content): (FileStamp, HashedContent<'_>),
) -> Result<(NewSourceItem, Redactions), AppError> {
    let (text, redactions) = app.redaction.redact_cow(&converted.text);
    let title = if candidate.path.is_empty() { &candidate.source } else { &candidate.path };
    let chunks = chunk::chunks(title, &text, converted.format);
    let entry = NewEntry {
        command: None,
        title: title.clone(),
        source: candidate.source.clone(),
        has_all_chunks: true,
        ..entry.clone()
    };
    let (path, hash) = (candidate.path.clone(), mark(content));
    let raw = EncodedBlob::encode(content.transformed_to(text.as_bytes()))?;
    Ok((NewSourceItem { path, stamp, hash, entry, raw, chunks }, redactions))
}

/// Returns a hash that identifies a content and the version of the chunker.
fn mark(content: HashedContent<'_>) -> [u8; 32] {
    content.fingerprint(chunk::VERSION)
}

fn new_source(
    app: &App,
    name: &str,
    (kind, path): (SourceKind, &Path),
    path_globs: &PathGlobs,
) -> NewSource {
    NewSource {
        name: name.to_owned(),
        kind,
        path: app.redaction.name(&path.to_string_lossy()),
        options: serde_json::to_string(path_globs).unwrap_or_default(),
        at: app.now(),
        freshness: Freshness::default(),
    }
}
