//! Digests that hid what a user needed: local samples for `forebay digest --check`.
//!
//! A sample is a folder with the text as it was stored, so redacted, and `case.json`: the command and the lines that the
//! digest has to show. It outlives an entry that expires, and is deleted with one that is purged.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind as IoErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use forebay_digest::{Budget, Digester, SampleCheck};
use forebay_domain::{Entry, EntryKind, Reference, Scope};
use forebay_store::{Store, control_file};
use forebay_text::number;
use serde::{Deserialize, Serialize};

use crate::settings::recognizers::Verdict;
use crate::{App, AppError, ErrorKind};

/// Larger texts are no samples.
const MAX_TEXT_BYTES: u64 = 16 * 1024 * 1024;
const MAX_SAMPLES: usize = 200;
const MAX_LINES: usize = 20;
const MAX_LINE_BYTES: usize = 2_000;

const CASE: &str = "case.json";
const TEXT: &str = "text";

/// What a digest has to show, and what it is made with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Case {
    command: Option<String>,
    has_failed: bool,
    pub(crate) expect: Vec<String>,
}

/// A case with its text, which is not stored yet.
pub(crate) struct Report {
    reference: Reference,
    case: Case,
    text: Vec<u8>,
}

impl Report {
    /// Checks that the text has these lines and that its digest lacks them.
    pub(crate) fn new(
        app: &App,
        store: &dyn Store,
        entry: &Entry,
        needed: &str,
    ) -> Result<Self, AppError> {
        if entry.bytes > MAX_TEXT_BYTES || entry.kind == EntryKind::Note {
            return Err(AppError::bad_input(
                format!("a sample is an output of at most {}", number::bytes(MAX_TEXT_BYTES)),
                "forebay get --raw REF | forebay digest --explain",
            ));
        }
        let is_command = matches!(entry.kind, EntryKind::Run | EntryKind::Capture);
        let case = Case {
            command: is_command.then(|| entry.title.clone()),
            has_failed: entry.run().is_some_and(|run| !run.ending.is_success()),
            expect: lines(needed)?,
        };
        let mut text = Vec::with_capacity(entry.bytes as usize);
        store.read(entry.reference, 0, &mut |piece| {
            text.extend_from_slice(piece);
            true
        })?;
        let report = Self { reference: entry.reference, case, text };
        report.check(app)?;
        Ok(report)
    }

    fn check(&self, app: &App) -> Result<(), AppError> {
        let shown = forebay_digest::displayed(&self.text);
        if let Some(absent) = self.case.expect.iter().find(|line| !shown.contains(line.as_str())) {
            return Err(AppError::bad_input(
                format!("the text has no `{absent}`"),
                "copy the lines from the text, one per line",
            ));
        }
        let digest = self.case.digest(app, &self.text, usual_budget(app));
        if self.case.expect.iter().all(|line| digest.contains(line.as_str())) {
            return Err(AppError::bad_input(
                "a digest of this text shows these lines now",
                "name a line that it does not show",
            ));
        }
        Ok(())
    }

    /// What storing it means, for a preview.
    pub(crate) fn describe(&self) -> String {
        let (lines, bytes) = (self.case.expect.len() as u64, self.text.len() as u64);
        format!(
            "the text ({}) is stored once more on this machine, with the {} that its digest has to show; \
             forebay digest --check then checks it",
            number::bytes(bytes),
            number::counted(lines, "line")
        )
    }
}

impl Case {
    fn digest(&self, app: &App, text: &[u8], budget: Budget) -> String {
        let hint = forebay_digest::Hint { command: self.command.as_deref(), ..app.hint("") };
        let mut digester = Digester::new(hint, None, budget);
        digester.push(text);
        if self.has_failed {
            digester.command_failed();
        }
        digester.finish().text
    }

    fn verdict(&self, app: &App, reference: Reference, text: &[u8], budget: Budget) -> Verdict {
        let digest = self.digest(app, text, budget);
        let lacks = |line: &&String| !digest.contains(line.as_str());
        let missing = self.expect.iter().filter(lacks);
        let errors =
            missing.map(|line| format!("the digest does not contain \"{line}\"")).collect();
        let checked = SampleCheck { digest, errors, unmatched: Vec::new() };
        Verdict { name: reference.as_str().to_owned(), checked }
    }
}

/// The samples of a project.
pub struct Samples {
    folder: PathBuf,
}

impl Samples {
    pub fn for_app(app: &App) -> Self {
        let project = app.stores.project().map(|project| &project.id);
        Self { folder: app.stores.home().samples(project) }
    }

    /// Returns the case of an entry, if its digest was reported.
    pub(crate) fn case(&self, reference: Reference) -> Result<Option<Case>, AppError> {
        let path = self.folder_of(reference).join(CASE);
        let text = control_file::read(&path).map_err(fault(&path))?;
        text.map(|text| serde_json::from_str(&text).map_err(|error| damaged(&path, &error)))
            .transpose()
    }

    /// Stores a report; one of the same entry is replaced.
    pub(crate) fn add(&self, report: &Report) -> Result<(), AppError> {
        let others = self.references()?;
        if others.len() >= MAX_SAMPLES && !others.contains(&report.reference) {
            return Err(AppError::bad_input(
                format!("this project has {MAX_SAMPLES} samples"),
                "delete one: forebay digest --forget REF",
            ));
        }
        let folder = self.folder_of(report.reference);
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        made.map_err(fault(&folder))?;
        write(&folder.join(TEXT), &report.text)?;
        // A sample without its case is none, so the case comes last.
        write(&folder.join(CASE), &serde_json::to_vec(&report.case).unwrap_or_default())
    }

    /// Deletes a sample; returns whether there was one.
    pub fn delete(&self, reference: &str) -> Result<bool, AppError> {
        let folder = self.folder_of(Reference::parse(reference)?);
        match fs::remove_dir_all(&folder) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == IoErrorKind::NotFound => Ok(false),
            Err(error) => Err(fault(&folder)(error)),
        }
    }

    /// Digests each text again, with the settings and recognizers of now.
    pub fn check(&self, app: &App, tokens: Option<u64>) -> Result<Vec<Verdict>, AppError> {
        let budget = tokens.map_or_else(|| usual_budget(app), Budget::exactly);
        let mut verdicts = Vec::new();
        for reference in self.references()? {
            let Some(case) = self.case(reference)? else { continue };
            let path = self.folder_of(reference).join(TEXT);
            let text = control_file::read_state_bytes(&path).map_err(fault(&path))?;
            verdicts.push(case.verdict(app, reference, &text.unwrap_or_default(), budget));
        }
        Ok(verdicts)
    }

    /// Returns the samples whose entries are stored.
    pub(crate) fn of_stored_entries(&self, app: &App) -> Result<Vec<Reference>, AppError> {
        let mut stored = self.references()?;
        stored.retain(|reference| app.stores.locate(*reference, Scope::Project).is_ok());
        Ok(stored)
    }

    /// Deletes those of these samples whose entries are no longer stored.
    pub(crate) fn delete_purged(&self, app: &App, before: &[Reference]) -> Result<(), AppError> {
        for reference in before {
            let found = app.stores.locate(*reference, Scope::Project);
            if found.is_err_and(|error| error.kind == ErrorKind::NotFound) {
                self.delete(reference.as_str())?;
            }
        }
        Ok(())
    }

    /// Deletes all samples.
    pub(crate) fn delete_all(&self) -> Result<(), AppError> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != IoErrorKind::NotFound => Err(fault(&self.folder)(error)),
            _ => Ok(()),
        }
    }

    fn references(&self) -> Result<Vec<Reference>, AppError> {
        let found = match fs::read_dir(&self.folder) {
            Ok(found) => found,
            Err(error) if error.kind() == IoErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(fault(&self.folder)(error)),
        };
        let names = found.flatten().map(|entry| entry.file_name());
        let mut references: Vec<Reference> =
            names.filter_map(|name| Reference::parse(name.to_str()?).ok()).collect();
        references.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        Ok(references)
    }

    fn folder_of(&self, reference: Reference) -> PathBuf {
        self.folder.join(reference.as_str())
    }
}

fn usual_budget(app: &App) -> Budget {
    let settings = &app.settings.digest;
    Budget { verbatim: settings.verbatim, digest: settings.budget }
}

/// The lines that a user needed.
fn lines(needed: &str) -> Result<Vec<String>, AppError> {
    let lines: Vec<String> =
        needed.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
    let is_bounded =
        lines.len() <= MAX_LINES && lines.iter().all(|line| line.len() <= MAX_LINE_BYTES);
    if lines.is_empty() || !is_bounded {
        return Err(AppError::bad_input(
            "nothing that the digest should show",
            format!("give 1 to {MAX_LINES} lines of the text, of at most {MAX_LINE_BYTES} bytes"),
        ));
    }
    Ok(lines)
}

/// Writes a file that only this user can read.
fn write(path: &Path, bytes: &[u8]) -> Result<(), AppError> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(bytes)).map_err(fault(path))
}

fn fault(path: &Path) -> impl FnOnce(io::Error) -> AppError + '_ {
    move |error| AppError::unavailable(format!("{}: {error}", path.display()), None)
}

fn damaged(path: &Path, error: &serde_json::Error) -> AppError {
    let hint = "delete its folder, and report the digest again";
    AppError::unavailable(format!("{}: {error}", path.display()), Some(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_not_empty() {
        assert_eq!(lines("  a b \n\n c\n").unwrap(), ["a b", "c"]);
        assert!(lines(" \n").is_err());
        assert!(lines(&"x\n".repeat(MAX_LINES + 1)).is_err());
        assert!(lines(&"x".repeat(MAX_LINE_BYTES + 1)).is_err());
    }
}
