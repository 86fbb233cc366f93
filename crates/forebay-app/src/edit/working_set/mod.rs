//! The working set: what a session has seen of the project's files, kept in the store.
//!
//! One file is active, the others count as skeletons. Lines delivered to the model are tracked until its
//! context is reset. Hooks report resets, and what the host's own tools did to files.

mod deliveries;
mod versions;

use std::path::Path;

use forebay_domain::tokens;
use forebay_skeleton::SkeletonOptions;
use forebay_store::{FileState, Store, WorkingFile, WorkingSet};

pub(crate) use versions::{Version, kept_text};

use crate::edit::skeletons::{self, Subject};
use crate::edit::source_file::{self, ProjectPath, SourceFile};
use crate::stores::registry::SharedStore;
use crate::{App, AppError};

/// Files tracked per session; the least recently used is evicted first.
const MAX_FILES: usize = 100;
/// Smallest saving in tokens that is worth a line.
const MIN_REPORTED_SAVING: u64 = 20;
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
    working_set: WorkingSet,
}

/// A file that was active and now counts as a skeleton.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Demotion {
    pub(crate) shown: String,
    pub(crate) tokens: u64,
    pub(crate) skeleton_tokens: u64,
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
        Ok(Self { store, session: app.session.clone(), working_set })
    }

    /// Returns the listed files, most recently used first.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &WorkingFile> {
        self.working_set.files.iter().filter(|file| file.state != FileState::Forgotten)
    }

    pub(crate) fn find(&self, location: &ProjectPath) -> Option<&WorkingFile> {
        let path = location.path.to_string_lossy();
        self.working_set.files.iter().find(|file| file.path == path)
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

    /// Makes the file active; the previously active one becomes a skeleton.
    pub(crate) fn make_active(
        &self,
        app: &App,
        location: &ProjectPath,
        file: &SourceFile,
        update: FileUpdate<'_>,
    ) -> Result<Option<Demotion>, AppError> {
        let former = self.demote_former(app, location)?;
        let kept = self.updated(location, file, update);
        self.save(&WorkingFile { state: FileState::Active, ..kept })?;
        Ok(former)
    }

    /// Records that the session saw the file's skeleton, unless the file is active.
    pub(crate) fn note_skeleton(
        &self,
        location: &ProjectPath,
        file: &SourceFile,
        skeleton_tokens: u64,
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
            skeleton_tokens: Some(skeleton_tokens),
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
        let mut kept = newly_seen(&location.path.to_string_lossy(), file);
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

    /// Turns the previously active file into a skeleton.
    fn demote_former(&self, app: &App, now: &ProjectPath) -> Result<Option<Demotion>, AppError> {
        let path = now.path.to_string_lossy();
        let mut active = self.listed().filter(|file| file.state == FileState::Active);
        let Some(former) = active.find(|file| file.path != path) else { return Ok(None) };
        let Some((shown, tokens, skeleton_tokens)) = sizes(app, former) else {
            self.forget(former)?;
            return Ok(None);
        };
        let state = FileState::Skeleton;
        self.save(&WorkingFile {
            state,
            skeleton_tokens: Some(skeleton_tokens),
            ..former.clone()
        })?;
        Ok(Some(Demotion { shown, tokens, skeleton_tokens }))
    }
}

/// Returns a file's name and the tokens of the file and of its skeleton, or None if it is gone.
pub(crate) fn sizes(app: &App, known: &WorkingFile) -> Option<(String, u64, u64)> {
    let path = Path::new(&known.path);
    let file = source_file::read_if_text(path)?;
    let shown = source_file::shown(app, path);
    let whole = tokens::estimate(file.text());
    let known = known.skeleton_tokens.filter(|_| known.content_hash == file.hash);
    let made = known.unwrap_or_else(|| {
        let subject = Subject { shown: &shown, text: file.text(), hash: file.hash };
        skeletons::tokens_of(&skeletons::for_file(app, &subject, SkeletonOptions::default()))
    });
    // A skeleton is never shown when the file is no larger.
    Some((shown, whole, made.min(whole)))
}

impl Demotion {
    /// Returns `src/ptr.rs is now a skeleton: 1,050 -> 78 tokens (saved 972)`, or None if the line would cost
    /// what it saves.
    pub(crate) fn describe(&self) -> Option<String> {
        use forebay_text::number::grouped;
        let saved = self.tokens - self.skeleton_tokens;
        (saved >= MIN_REPORTED_SAVING).then(|| {
            format!(
                "{} is now a skeleton: {} -> {} tokens (saved {})",
                self.shown,
                grouped(self.tokens),
                grouped(self.skeleton_tokens),
                grouped(saved)
            )
        })
    }
}

/// Merges known and new symbols without duplicates, latest last.
fn merge_symbols(known: &[String], new: &[String]) -> Vec<String> {
    let is_old = |name: &&String| !new.contains(name);
    let mut all: Vec<String> = known.iter().filter(is_old).chain(new).cloned().collect();
    all.drain(..all.len().saturating_sub(MAX_SYMBOLS));
    all
}
