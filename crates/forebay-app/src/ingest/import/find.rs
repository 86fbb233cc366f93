//! Finds transcripts, and the project each belongs to.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use forebay_platforms::Platform;
use forebay_platforms::transcripts::{
    Item, Storage, TranscriptFormat, detect_format, formats, host_names,
};
use forebay_store::{Project, control_file, regular_file};
use forebay_store_sqlite::transcript_db;

use super::TranscriptSelection;
use crate::rules::{self, Act};
use crate::{App, AppError, Call};

/// Bytes of a transcript searched for its project folder.
const HEAD_BYTES: u64 = 512 * 1024;
/// Bytes of the first line that identify a transcript.
const FINGERPRINT_BYTES: usize = 200;
/// Maximum depth of nested folders.
const MAX_DEPTH: usize = 8;

/// A host and the format of its transcripts.
type Host = (&'static Platform, &'static TranscriptFormat);

/// A conversation that a host recorded.
#[derive(Debug)]
pub struct Transcript {
    pub(crate) platform: &'static Platform,
    pub(crate) format: &'static TranscriptFormat,
    pub(crate) path: PathBuf,
    /// Its id within a database.
    pub(crate) session: Option<String>,
    pub(crate) bytes: u64,
    /// The project it belongs to; the caller's own if unknown.
    pub(crate) project: Option<Project>,
}

/// The transcripts found.
#[derive(Debug, Default)]
pub struct FoundTranscripts {
    pub transcripts: Vec<Transcript>,
    pub(crate) elsewhere: u64,
    pub(crate) faults: Vec<String>,
}

impl Transcript {
    /// Returns its key in the store.
    pub(crate) fn key(&self) -> String {
        match &self.session {
            Some(session) => format!("{}:{session}", self.platform.id),
            None => format!("{}:{}", self.platform.id, self.path.display()),
        }
    }

    pub(crate) fn name(&self) -> String {
        self.session.clone().unwrap_or_else(|| self.path.display().to_string())
    }

    pub(crate) fn is_file(&self) -> bool {
        self.session.is_none()
    }

    /// Returns what distinguishes it from another one of the same name, or None until it has a complete line.
    pub(crate) fn fingerprint(&self) -> Result<Option<String>, AppError> {
        if let Some(session) = &self.session {
            return Ok(Some(session.clone()));
        }
        let mut line = Vec::new();
        let file = regular_file::open_foreign(&self.path)
            .map_err(|error| unreadable(&self.path, &error))?;
        BufReader::new(file)
            .take(FINGERPRINT_BYTES as u64)
            .read_until(b'\n', &mut line)
            .map_err(|error| unreadable(&self.path, &error))?;
        let is_whole = line.ends_with(b"\n") || line.len() == FINGERPRINT_BYTES;
        let fingerprint = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
        Ok((is_whole || !fingerprint.is_empty()).then_some(fingerprint))
    }
}

/// Finds the selected transcripts, oldest first within a host.
pub fn transcripts(
    app: &App,
    selection: &TranscriptSelection,
    call: &Call,
) -> Result<FoundTranscripts, AppError> {
    let mut search = Search {
        app,
        selection,
        call,
        projects: HashMap::new(),
        found: FoundTranscripts::default(),
    };
    if selection.paths.is_empty() {
        search.add_default_locations()?;
    } else {
        selection.paths.iter().try_for_each(|path| search.named(path))?;
    }
    Ok(search.found)
}

struct Search<'a> {
    app: &'a App,
    selection: &'a TranscriptSelection,
    call: &'a Call,
    /// Cache of projects by folder.
    projects: HashMap<String, Option<Project>>,
    found: FoundTranscripts,
}

impl Search<'_> {
    fn add_default_locations(&mut self) -> Result<(), AppError> {
        let machine = self.app.machine.as_ref().ok_or_else(|| {
            AppError::bad_input("this user has no home folder", "name the transcripts to import")
        })?;
        for host in formats() {
            let format = host.1;
            for (base, folder) in format.folders {
                let top = machine.place(*base, folder);
                for path in files_below(&top) {
                    let below =
                        path.strip_prefix(&top).unwrap_or(&path).to_string_lossy().into_owned();
                    if (format.is_transcript)(&below) && self.may_read(&path) {
                        self.add(host, path);
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a file, or the transcripts in a folder.
    fn named(&mut self, path: &Path) -> Result<(), AppError> {
        let path = self.app.cwd.join(path);
        if !path.exists() {
            return Err(AppError::not_found(
                format!("{} does not exist", path.display()),
                "name a transcript, or a folder of transcripts",
            ));
        }
        rules::permit(self.app, &[Act::Read(path.clone())], &self.app.cwd, self.call)?;
        let files = if path.is_dir() { files_below(&path) } else { vec![path.clone()] };
        let before = self.found.transcripts.len() as u64 + self.found.elsewhere;
        for file in files {
            if let Some(host) = host_of(&file) {
                self.add(host, file);
            }
        }
        if self.found.transcripts.len() as u64 + self.found.elsewhere == before {
            return Err(AppError::bad_input(
                format!("{} contains no transcript of {}", path.display(), host_names("or")),
                "without a path, the hosts' own folders are searched",
            ));
        }
        Ok(())
    }

    /// Whether the rules permit reading a path; denied paths are treated as missing.
    fn may_read(&self, path: &Path) -> bool {
        rules::permit(self.app, &[Act::Read(path.to_owned())], &self.app.cwd, self.call).is_ok()
    }

    fn add(&mut self, host: Host, path: PathBuf) {
        if let Storage::Database(queries) = host.1.storage {
            match transcript_db::sessions(&path, queries.sessions) {
                Ok(sessions) => sessions.into_iter().for_each(|session| {
                    self.add_one(
                        host,
                        path.clone(),
                        Some(session.id),
                        session.bytes,
                        Some(&session.directory),
                    );
                }),
                Err(error) => self.found.faults.push(error.to_string()),
            }
            return;
        }
        let bytes = fs::metadata(&path).map_or(0, |found| found.len());
        let folder = folder_of(host.1, &path);
        self.add_one(host, path, None, bytes, folder.as_deref());
    }

    fn add_one(
        &mut self,
        (platform, format): Host,
        path: PathBuf,
        session: Option<String>,
        bytes: u64,
        folder: Option<&str>,
    ) {
        let project = folder.and_then(|folder| self.project_of(folder));
        let own = self.app.stores.project();
        let is_own = match (&project, own) {
            (Some(project), Some(own)) => project.id == own.id,
            // A deleted folder below an existing one.
            (None, Some(own)) => {
                folder.is_some_and(|folder| Path::new(folder).starts_with(&own.root))
            }
            (_, None) => folder.is_some_and(|folder| Path::new(folder) == self.app.cwd),
        };
        // Explicitly named transcripts are imported whatever their project.
        let is_named = !self.selection.paths.is_empty() && project.is_none();
        if is_own || is_named || self.selection.all && project.is_some() {
            let project = project.filter(|_| !is_own);
            let transcript = Transcript { platform, format, path, session, bytes, project };
            self.found.transcripts.push(transcript);
        } else {
            self.found.elsewhere += 1;
        }
    }

    fn project_of(&mut self, folder: &str) -> Option<Project> {
        let home = self.app.user_home.as_deref();
        let find = || Project::for_folder(Path::new(folder), home);
        self.projects.entry(folder.to_owned()).or_insert_with(find).clone()
    }
}

/// Returns the working folder recorded in a transcript.
fn folder_of(format: &TranscriptFormat, path: &Path) -> Option<String> {
    if let Some(beside) = format.project_file {
        let text = control_file::read(&path.parent()?.join(beside)).ok()??;
        return Some(text.trim().to_owned());
    }
    let mut head = BufReader::new(regular_file::open_foreign(path).ok()?.take(HEAD_BYTES));
    let (mut line, mut items) = (Vec::new(), Vec::new());
    while head.read_until(b'\n', &mut line).ok()? > 0 {
        // Truncated and malformed lines are skipped.
        let _ = (format.parse_line)(&line, &mut items);
        let folder = items.drain(..).find_map(|item| match item {
            Item::Context { cwd, .. } => cwd,
            _ => None,
        });
        if folder.is_some() {
            return folder;
        }
        line.clear();
    }
    None
}

/// Detects the host of a file.
fn host_of(path: &Path) -> Option<Host> {
    let mut head = Vec::new();
    let mut reader = BufReader::new(regular_file::open_foreign(path).ok()?.take(HEAD_BYTES));
    reader.read_until(b'\n', &mut head).ok()?;
    if head.starts_with(b"SQLite format 3\0") {
        return formats().find(|(_, format)| matches!(format.storage, Storage::Database(_)));
    }
    detect_format(&head)
}

/// Returns the files below a folder, sorted by name; none if the folder does not exist.
fn files_below(top: &Path) -> Vec<PathBuf> {
    let walk = ignore::WalkBuilder::new(top)
        .standard_filters(false)
        .max_depth(Some(MAX_DEPTH))
        .sort_by_file_path(Ord::cmp)
        .build();
    let is_file = |entry: &ignore::DirEntry| entry.file_type().is_some_and(|kind| kind.is_file());
    walk.flatten().filter(is_file).map(ignore::DirEntry::into_path).collect()
}

pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> AppError {
    AppError::unavailable(
        format!("{}: {error}", path.display()),
        Some("make it readable, or leave it out"),
    )
}
