//! File versions stored as entries: what the session saw, and what an edit replaced.

use forebay_domain::{EntryKind, Reference};
use forebay_redact::Redactions;
use forebay_store::{Store, WorkingFile};

use super::SessionFiles;
use crate::edit::source_file::{ProjectPath, SourceFile};
use crate::{App, AppError};

/// A stored version of a file.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    pub(crate) reference: Reference,
    /// What redaction removed; such a version is not byte for byte the file.
    pub(crate) redactions: Redactions,
}

impl SessionFiles {
    /// Stores the content of a file once.
    pub(crate) fn version(
        &self,
        app: &App,
        location: &ProjectPath,
        file: &SourceFile,
    ) -> Result<Version, AppError> {
        let (text, redactions) = app.redaction.redact(&file.source.to_raw());
        let known = self.find(location).filter(|known| known.content_hash == file.hash);
        let kept = known.and_then(|known| known.version);
        if let Some(reference) = kept.filter(|kept| self.store.entry(*kept).is_ok()) {
            return Ok(Version { reference, redactions });
        }
        let name = app.redaction.name(&location.shown);
        let mut new = app.new_entry(EntryKind::Capture, format!("file {name}"));
        new.source = name;
        // Searches should find the file itself; old versions would only mislead.
        new.has_all_chunks = true;
        let entry = self.store.put(new, text.as_bytes())?;
        Ok(Version { reference: entry.reference, redactions })
    }
}

impl Version {
    /// Returns `[ctx:k3v9m2a1xq]`, with a remark if redaction changed it.
    pub(crate) fn describe(&self) -> String {
        if self.redactions.is_empty() {
            self.reference.to_string()
        } else {
            format!("{} ({}: restore by hand)", self.reference, self.redactions)
        }
    }
}

/// Returns the text that the session saw of a file, if it is stored; lines end with a line feed.
pub(crate) fn kept_text(store: &dyn Store, file: &WorkingFile) -> Option<String> {
    let mut bytes = Vec::new();
    store
        .read(file.version?, 0, &mut |piece| {
            bytes.extend_from_slice(piece);
            true
        })
        .ok()?;
    let text = String::from_utf8(bytes).ok()?;
    Some(text.trim_start_matches('\u{feff}').replace("\r\n", "\n"))
}
