//! Files at work: what a session has of the project's files, kept in the store.
//!
//! One file is active, the others count as skeletons; what the model was handed is remembered until
//! its context starts over. Hooks tell that moment, and what the host's own tools did to files.

mod deliveries;
mod versions;

use std::path::Path;

use forebay_domain::tokens;
use forebay_skeleton::SkeletonOptions;
use forebay_store::{FileState, Store, WorkingFile, WorkingSet};

pub(crate) use versions::{Version, kept_text};

use crate::edit::skeletons::{self, Subject};
use crate::edit::source_file::{self, Place, SourceFile};
use crate::stores::registry::SharedStore;
use crate::{App, AppError};

/// Files of one session that are remembered; the least recently used goes first.
const MOST_FILES: usize = 100;
/// Tokens saved that are worth a line.
const WORTH_TELLING: u64 = 20;
/// Names in one file that are remembered.
const MOST_SYMBOLS: usize = 12;

/// What a tool of the host did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    Read,
    Edited,
    Written,
}

/// Told by hooks after a compaction, a clear or a start: the model has nothing of what it was handed.
///
/// From here on the session counts as one whose resets are told.
pub fn context_was_reset(store: &dyn Store, session: &str) -> Result<(), AppError> {
    Ok(store.reset_deliveries(session)?)
}

/// Whether it is known when this session's context starts over.
pub fn resets_are_reported(store: &dyn Store, session: &str) -> Result<bool, AppError> {
    Ok(store.working_set(session)?.resets_are_reported)
}

/// Told by hooks after the host's own tool touched a file: it becomes the active one.
///
/// What the model was shown of it is not known, so nothing counts as delivered. A path that leads to
/// no text is passed over.
pub fn touched(
    store: &dyn Store,
    session: &str,
    path: &Path,
    touch: Touch,
) -> Result<(), AppError> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let Some(file) = source_file::read_if_text(&real) else { return Ok(()) };
    let path = real.to_string_lossy();
    let known = store.working_set(session)?;
    let before = known.files.into_iter().find(|known| known.path == path);
    let is_same = before.as_ref().is_some_and(|before| before.content_hash == file.hash);
    let kept = match before {
        // Reading what was read before changes nothing but the order.
        Some(before) if is_same && touch == Touch::Read => before,
        before => WorkingFile {
            symbols: before.map(|before| before.symbols).unwrap_or_default(),
            ..fresh(&path, &file)
        },
    };
    let kept = WorkingFile { state: FileState::Active, ..kept };
    Ok(store.save_working_file(session, &kept, MOST_FILES)?)
}

/// A file of which the session has seen the present content and nothing was handed out.
fn fresh(path: &str, file: &SourceFile) -> WorkingFile {
    WorkingFile {
        path: path.to_owned(),
        state: FileState::Active,
        content_hash: file.hash,
        version: None,
        tokens: tokens::of(file.text()),
        skeleton_tokens: None,
        delivered: Vec::new(),
        symbols: Vec::new(),
    }
}

/// The files of the calling session.
pub(crate) struct AtWork {
    pub(crate) store: SharedStore,
    session: String,
    known: WorkingSet,
}

/// A file that was active and is a skeleton now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BecameSkeleton {
    pub(crate) shown: String,
    pub(crate) tokens: u64,
    pub(crate) skeleton_tokens: u64,
}

/// What happened to a file, for the list.
#[derive(Default)]
pub(crate) struct Happened<'a> {
    /// Lines that the model is handed.
    pub(crate) delivered: Option<(u64, u64)>,
    pub(crate) version: Option<Version>,
    pub(crate) symbols: &'a [String],
}

impl AtWork {
    pub(crate) fn of(app: &App) -> Result<Self, AppError> {
        let store = app.places.own()?;
        let known = store.working_set(&app.session)?;
        Ok(Self { store, session: app.session.clone(), known })
    }

    /// The files on the list, the most recently used first.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &WorkingFile> {
        self.known.files.iter().filter(|file| file.state != FileState::Forgotten)
    }

    pub(crate) fn find(&self, place: &Place) -> Option<&WorkingFile> {
        let path = place.path.to_string_lossy();
        self.known.files.iter().find(|file| file.path == path)
    }

    /// Whether the model surely has these lines of this very content.
    pub(crate) fn has_delivered(
        &self,
        place: &Place,
        file: &SourceFile,
        lines: (u64, u64),
    ) -> bool {
        let known = self.find(place).filter(|known| known.state != FileState::Forgotten);
        self.known.resets_are_reported
            && known.is_some_and(|known| {
                known.content_hash == file.hash && deliveries::cover(&known.delivered, lines)
            })
    }

    /// Whether the session saw another content than the file has now; that content, if it is kept.
    pub(crate) fn seen_before(&self, place: &Place, file: &SourceFile) -> Option<&WorkingFile> {
        let known = self.find(place).filter(|known| known.state != FileState::Forgotten);
        known.filter(|known| known.content_hash != file.hash)
    }

    /// The file is the active one from here on; the one that was becomes a skeleton.
    pub(crate) fn make_active(
        &self,
        app: &App,
        place: &Place,
        file: &SourceFile,
        happened: Happened<'_>,
    ) -> Result<Option<BecameSkeleton>, AppError> {
        let former = self.summarise_former(app, place)?;
        let kept = self.updated(place, file, happened);
        self.keep(&WorkingFile { state: FileState::Active, ..kept })?;
        Ok(former)
    }

    /// The file is known by its skeleton, unless the session has more of it.
    pub(crate) fn note_skeleton(
        &self,
        place: &Place,
        file: &SourceFile,
        skeleton_tokens: u64,
        symbols: &[String],
    ) -> Result<(), AppError> {
        let known = self.find(place).filter(|known| known.state == FileState::Active);
        let state = known.map_or(FileState::Skeleton, |known| known.state);
        let kept = self.updated(place, file, Happened { symbols, ..Happened::default() });
        // A look at its surface is no knowledge of its content.
        let content_hash = self.find(place).map_or(file.hash, |known| known.content_hash);
        self.keep(&WorkingFile {
            state,
            content_hash,
            skeleton_tokens: Some(skeleton_tokens),
            ..kept
        })
    }

    pub(crate) fn forget(&self, file: &WorkingFile) -> Result<(), AppError> {
        let state = FileState::Forgotten;
        self.keep(&WorkingFile { state, delivered: Vec::new(), ..file.clone() })
    }

    /// The session was told how the file differs from what it saw, so it has seen it as it is.
    pub(crate) fn has_seen(
        &self,
        app: &App,
        place: &Place,
        file: &SourceFile,
    ) -> Result<(), AppError> {
        let version = Some(self.version(app, place, file)?);
        let kept = self.updated(place, file, Happened { version, ..Happened::default() });
        let state = self.find(place).map_or(FileState::Skeleton, |known| known.state);
        self.keep(&WorkingFile { state, ..kept })
    }

    /// The names that were asked for or changed, the latest first.
    pub(crate) fn symbols(&self) -> Vec<&str> {
        self.listed().flat_map(|file| file.symbols.iter().rev()).map(String::as_str).collect()
    }

    /// What is known of a file after this.
    fn updated(&self, place: &Place, file: &SourceFile, happened: Happened<'_>) -> WorkingFile {
        let known = self.find(place);
        let mut kept = fresh(&place.path.to_string_lossy(), file);
        kept.symbols = remembered(known.map_or(&[], |known| &known.symbols), happened.symbols);
        if let Some(known) = known.filter(|known| known.content_hash == file.hash) {
            kept.version = known.version;
            kept.skeleton_tokens = known.skeleton_tokens;
            kept.delivered.clone_from(&known.delivered);
        }
        kept.version = happened.version.map(|version| version.reference).or(kept.version);
        if let Some(lines) = happened.delivered {
            deliveries::add(&mut kept.delivered, lines);
        }
        kept
    }

    fn keep(&self, file: &WorkingFile) -> Result<(), AppError> {
        Ok(self.store.save_working_file(&self.session, file, MOST_FILES)?)
    }

    /// Makes the skeleton of the file that was active until now.
    fn summarise_former(&self, app: &App, now: &Place) -> Result<Option<BecameSkeleton>, AppError> {
        let path = now.path.to_string_lossy();
        let mut active = self.listed().filter(|file| file.state == FileState::Active);
        let Some(former) = active.find(|file| file.path != path) else { return Ok(None) };
        let Some((shown, tokens, skeleton_tokens)) = sizes(app, former) else {
            self.forget(former)?;
            return Ok(None);
        };
        let state = FileState::Skeleton;
        self.keep(&WorkingFile {
            state,
            skeleton_tokens: Some(skeleton_tokens),
            ..former.clone()
        })?;
        Ok(Some(BecameSkeleton { shown, tokens, skeleton_tokens }))
    }
}

/// The name of a file, what it costs, and what its skeleton costs; nothing if it is gone.
pub(crate) fn sizes(app: &App, known: &WorkingFile) -> Option<(String, u64, u64)> {
    let path = Path::new(&known.path);
    let file = source_file::read_if_text(path)?;
    let shown = source_file::shown(app, path);
    let whole = tokens::of(file.text());
    let known = known.skeleton_tokens.filter(|_| known.content_hash == file.hash);
    let made = known.unwrap_or_else(|| {
        let subject = Subject { shown: &shown, text: file.text(), hash: file.hash };
        skeletons::tokens_of(&skeletons::of(app, &subject, SkeletonOptions::default()))
    });
    // A skeleton that is no smaller is not shown in place of the file.
    Some((shown, whole, made.min(whole)))
}

impl BecameSkeleton {
    /// `src/ptr.rs is a skeleton now: 1,050 -> 78 tokens (saved 972)`; nothing where this line costs what it saves.
    pub(crate) fn told(&self) -> Option<String> {
        use forebay_text::number::grouped;
        let saved = self.tokens - self.skeleton_tokens;
        (saved >= WORTH_TELLING).then(|| {
            format!(
                "{} is a skeleton from here on: {} -> {} tokens (saved {})",
                self.shown,
                grouped(self.tokens),
                grouped(self.skeleton_tokens),
                grouped(saved)
            )
        })
    }
}

/// The names known before and the new ones, each once, the latest last.
fn remembered(known: &[String], new: &[String]) -> Vec<String> {
    let is_old = |name: &&String| !new.contains(name);
    let mut all: Vec<String> = known.iter().filter(is_old).chain(new).cloned().collect();
    all.drain(..all.len().saturating_sub(MOST_SYMBOLS));
    all
}
