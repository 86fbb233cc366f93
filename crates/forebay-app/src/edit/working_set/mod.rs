//! The working set: what a session has seen of the project's files, kept in the store.
//!
//! It records what was delivered: the lines of a file, its skeleton, or only that one of the host's own tools read or
//! changed it. What was delivered stays in the model's context until hooks report a reset; nothing else removes it. The
//! file that was used last is active.

mod deliveries;
mod versions;

use std::path::Path;
use std::sync::Arc;

use forebay_domain::tokens;
use forebay_store::{FileState, Store, WorkingFile, WorkingSet};

pub(crate) use versions::{Version, kept_text};

use crate::edit::source_file::{self, ProjectPath, SourceFile};
use crate::ingest::redaction::Redaction;
use crate::stores::registry::SharedStore;
use crate::{App, AppError};

/// Files tracked per session; the least recently used is evicted first.
const MAX_FILES: usize = 100;
/// Symbols tracked per file.
const MAX_SYMBOLS: usize = 12;

/// What one of the host's own tools did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    Read,
    Edited,
    Written,
}

/// Records that the model lost everything delivered to it; hooks call this after a compaction, clear or start.
///
/// From then on the session counts as one whose resets are reported.
pub fn context_was_reset(store: &dyn Store, session: &str) -> Result<(), AppError> {
    Ok(store.reset_deliveries(session)?)
}

/// Whether hooks report the context resets of this session.
pub fn resets_are_reported(store: &dyn Store, session: &str) -> Result<bool, AppError> {
    Ok(store.working_set(session)?.resets_are_reported)
}

/// Makes a file active that the host's own tool touched; hooks call this.
///
/// What the model saw of it is unknown, so nothing counts as delivered. Skips paths that are not text
/// files.
pub fn touched(
    store: &dyn Store,
    session: &str,
    path: &Path,
    touch: Touch,
) -> Result<(), AppError> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let Some(file) = source_file::read_if_text(&real) else { return Ok(()) };
    let path = real.to_string_lossy();
    let working_set = store.working_set(session)?;
    let before = working_set.files.into_iter().find(|known| known.path == path);
    let is_same = before.as_ref().is_some_and(|before| before.content_hash == file.hash);
    let kept = match before {
        // Reading an unchanged file again only changes the order.
        Some(before) if is_same && touch == Touch::Read => before,
        before => WorkingFile {
            symbols: before.map(|before| before.symbols).unwrap_or_default(),
            ..newly_seen(&path, &file)
        },
    };
    let kept = WorkingFile { state: FileState::Active, ..kept };
    Ok(store.save_working_file(session, &kept, MAX_FILES)?)
}

/// Returns the state of a file whose current content the session has seen, with nothing delivered.
fn newly_seen(path: &str, file: &SourceFile) -> WorkingFile {
    WorkingFile {
        path: path.to_owned(),
        state: FileState::Active,
        content_hash: file.hash,
        version: None,
        tokens: tokens::estimate(file.text()),
        skeleton_tokens: None,
        delivered: Vec::new(),
        symbols: Vec::new(),
    }
}

/// The working set of the calling session.
pub(crate) struct SessionFiles {
    pub(crate) store: SharedStore,
    session: String,
    redaction: Arc<Redaction>,
    working_set: WorkingSet,
}

/// An update of a file in the working set.
#[derive(Default)]
pub(crate) struct FileUpdate<'a> {
    /// Lines delivered to the model.
    pub(crate) delivered: Option<(u64, u64)>,
    pub(crate) version: Option<Version>,
    pub(crate) symbols: &'a [String],
}

impl SessionFiles {
    pub(crate) fn new(app: &App) -> Result<Self, AppError> {
        let store = app.stores.own()?;
        let working_set = store.working_set(&app.session)?;
        let redaction = Arc::clone(&app.redaction);
        Ok(Self { store, session: app.session.clone(), redaction, working_set })
    }

    /// Whether hooks report the resets of the model's context.
    pub(crate) fn resets_are_reported(&self) -> bool {
        self.working_set.resets_are_reported
    }

    /// Returns the text that the delivered lines of a file are part of, if it still exists.
    pub(crate) fn delivered_content(&self, file: &WorkingFile) -> Option<String> {
        let current = source_file::read_if_text(Path::new(&file.path))
            .filter(|current| current.hash == file.content_hash);
        current.map(|current| current.text().to_owned()).or_else(|| kept_text(&*self.store, file))
    }

    /// Returns the listed files, most recently used first.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &WorkingFile> {
        self.working_set.files.iter().filter(|file| file.state != FileState::Forgotten)
    }

    pub(crate) fn find(&self, location: &ProjectPath) -> Option<&WorkingFile> {
        let path = self.stored_path(location);
        self.working_set.files.iter().find(|file| file.path == path)
    }

    /// The path without secrets, like every name that is stored.
    fn stored_path(&self, location: &ProjectPath) -> String {
        self.redaction.name(&location.path.to_string_lossy())
    }

    /// Whether the model certainly has these lines of this exact content.
    pub(crate) fn has_delivered(
        &self,
        location: &ProjectPath,
        file: &SourceFile,
        lines: (u64, u64),
    ) -> bool {
        let known = self.find(location).filter(|known| known.state != FileState::Forgotten);
        self.working_set.resets_are_reported
            && known.is_some_and(|known| {
                known.content_hash == file.hash && deliveries::cover(&known.delivered, lines)
            })
    }

    /// Returns the file's entry if the session saw a content other than the current one.
    pub(crate) fn seen_before(
        &self,
        location: &ProjectPath,
        file: &SourceFile,
    ) -> Option<&WorkingFile> {
        let known = self.find(location).filter(|known| known.state != FileState::Forgotten);
        known.filter(|known| known.content_hash != file.hash)
    }

    /// Makes the file the active one.
    pub(crate) fn make_active(
        &self,
        location: &ProjectPath,
        file: &SourceFile,
        update: FileUpdate<'_>,
    ) -> Result<(), AppError> {
        let kept = self.updated(location, file, update);
        self.save(&WorkingFile { state: FileState::Active, ..kept })
    }

    /// Records that the session saw the file's skeleton, or bodies of these symbols.
    pub(crate) fn note_skeleton(
        &self,
        location: &ProjectPath,
        file: &SourceFile,
        skeleton_tokens: Option<u64>,
        symbols: &[String],
    ) -> Result<(), AppError> {
        let known = self.find(location).filter(|known| known.state == FileState::Active);
        let state = known.map_or(FileState::Skeleton, |known| known.state);
        let kept = self.updated(location, file, FileUpdate { symbols, ..FileUpdate::default() });
        // A skeleton does not show the content.
        let content_hash = self.find(location).map_or(file.hash, |known| known.content_hash);
        self.save(&WorkingFile {
            state,
            content_hash,
            skeleton_tokens: skeleton_tokens.or(kept.skeleton_tokens),
            ..kept
        })
    }

    pub(crate) fn forget(&self, file: &WorkingFile) -> Result<(), AppError> {
        let state = FileState::Forgotten;
        self.save(&WorkingFile { state, delivered: Vec::new(), ..file.clone() })
    }

    /// Records that the session saw the diff to the current content, and so knows it.
    pub(crate) fn record_seen(
        &self,
        app: &App,
        location: &ProjectPath,
        file: &SourceFile,
    ) -> Result<(), AppError> {
        let version = Some(self.version(app, location, file)?);
        let kept = self.updated(location, file, FileUpdate { version, ..FileUpdate::default() });
        let state = self.find(location).map_or(FileState::Skeleton, |known| known.state);
        self.save(&WorkingFile { state, ..kept })
    }

    /// Returns the symbols that were requested or changed, latest first.
    pub(crate) fn symbols(&self) -> Vec<&str> {
        self.listed().flat_map(|file| file.symbols.iter().rev()).map(String::as_str).collect()
    }

    /// Applies an update to the file's entry.
    fn updated(
        &self,
        location: &ProjectPath,
        file: &SourceFile,
        update: FileUpdate<'_>,
    ) -> WorkingFile {
        let known = self.find(location);
        let mut kept = newly_seen(&self.stored_path(location), file);
        kept.symbols = merge_symbols(known.map_or(&[], |known| &known.symbols), update.symbols);
        if let Some(known) = known.filter(|known| known.content_hash == file.hash) {
            kept.version = known.version;
            kept.skeleton_tokens = known.skeleton_tokens;
            kept.delivered.clone_from(&known.delivered);
        }
        kept.version = update.version.map(|version| version.reference).or(kept.version);
        if let Some(lines) = update.delivered {
            deliveries::add(&mut kept.delivered, lines);
        }
        kept
    }

    fn save(&self, file: &WorkingFile) -> Result<(), AppError> {
        Ok(self.store.save_working_file(&self.session, file, MAX_FILES)?)
    }
}

/// Merges known and new symbols without duplicates, latest last.
fn merge_symbols(known: &[String], new: &[String]) -> Vec<String> {
    let is_old = |name: &&String| !new.contains(name);
    let mut all: Vec<String> = known.iter().filter(is_old).chain(new).cloned().collect();
    all.drain(..all.len().saturating_sub(MAX_SYMBOLS));
    all
}
