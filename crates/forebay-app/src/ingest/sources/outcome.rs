//! The result of indexing: counts, and what was skipped and why.

use std::collections::BTreeMap;
use std::path::Path;

use forebay_domain::Reference;
use forebay_redact::Redactions;
use forebay_store::{NewSourceItem, ReindexReport, SourceItem};
use forebay_text::number;
use serde_json::{Value, json};

use crate::ingest::redaction;
use crate::next_call::NextCall;
use crate::{Answer, AppError};

/// Why a file was not indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Skip {
    Binary,
    TooLarge,
    Denied,
    Unreadable,
    Changing,
    Link,
    Database,
}

impl Skip {
    const fn description(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::TooLarge => "too large",
            Self::Denied => "denied by a rule",
            Self::Unreadable => "unreadable",
            Self::Changing => "changed while read",
            Self::Link => "links",
            Self::Database => "databases of Forebay",
        }
    }

    /// Whether the reason is temporary and says nothing about the file.
    pub(super) const fn is_temporary(self) -> bool {
        matches!(self, Self::Changing | Self::Unreadable)
    }

    /// Returns the error for a file that was named explicitly.
    pub(super) fn as_error(self, path: &Path, max_bytes: u64) -> AppError {
        let path = path.display();
        match self {
            Self::TooLarge => AppError::bad_input(
                format!("{path} is larger than {}; nothing was indexed", number::bytes(max_bytes)),
                format!(
                    "search it with {}, split it, or raise index.largest_mb",
                    NextCall::new("ctx_execute_file").in_error()
                ),
            ),
            Self::Binary => AppError::bad_input(
                format!("{path} is not text; nothing was indexed"),
                format!(
                    "convert it to text with {} first",
                    NextCall::new("ctx_execute").in_error()
                ),
            ),
            Self::Changing => AppError::unavailable(
                format!("{path} kept changing while it was read; nothing was indexed"),
                Some("index it when its writer is done, or a copy of it"),
            ),
            Self::Database => AppError::own_database(path),
            Self::Denied | Self::Unreadable | Self::Link => AppError::bad_input(
                format!("cannot read {path}; nothing was indexed"),
                "check its permissions, and that it is a regular file",
            ),
        }
    }
}

/// The result of indexing a source.
pub(crate) struct Outcome {
    name: String,
    /// The entry, if the source consists of one.
    reference: Option<Reference>,
    pub(super) indexed: u64,
    replaced: u64,
    pub(super) unchanged: u64,
    gone: u64,
    pub(super) bytes: u64,
    chunks: u64,
    skipped: BTreeMap<Skip, u64>,
    redactions: Redactions,
}

impl Outcome {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            reference: None,
            indexed: 0,
            replaced: 0,
            unchanged: 0,
            gone: 0,
            bytes: 0,
            chunks: 0,
            skipped: BTreeMap::new(),
            redactions: Redactions::default(),
        }
    }

    pub(super) fn unchanged(name: &str, items: &[SourceItem]) -> Self {
        let reference = items.first().map(|item| item.reference);
        Self { unchanged: items.len() as u64, reference, ..Self::new(name) }
    }

    pub(super) fn count(&mut self, item: &NewSourceItem, redactions: &Redactions) {
        self.indexed += 1;
        self.bytes += item.raw.bytes();
        self.chunks += item.chunks.len() as u64;
        self.redactions.add(redactions);
    }

    pub(super) fn skip(&mut self, skip: Skip) {
        *self.skipped.entry(skip).or_default() += 1;
    }

    pub(super) fn add_report(&mut self, reindexed: ReindexReport) {
        self.replaced = reindexed.replaced;
        self.gone = reindexed.removed;
        if let [(path, reference)] = reindexed.added.as_slice()
            && path.is_empty()
        {
            self.reference = Some(*reference);
        }
    }

    pub(crate) fn answer(&self) -> Answer {
        let mut lines = vec![match self.reference {
            Some(reference) => format!("{reference} {}", self.one()),
            None => self.many(),
        }];
        if !self.skipped.is_empty() {
            let counts =
                self.skipped.iter().map(|(skip, count)| format!("{count} {}", skip.description()));
            lines.push(format!("skipped: {}", counts.collect::<Vec<_>>().join(", ")));
        }
        Answer::new(redaction::with_remark(lines.join("\n"), &self.redactions), self.data())
    }

    fn one(&self) -> String {
        if self.unchanged > 0 {
            return format!("{} is already indexed and unchanged", self.name);
        }
        format!("{} indexed: {}", self.name, self.size())
    }

    fn many(&self) -> String {
        let files = number::counted(self.indexed, "file");
        let mut parts = vec![format!("{}: {files} indexed", self.name)];
        if self.indexed > 0 {
            parts[0].push_str(&format!(" ({})", self.size()));
        }
        for (count, word) in [(self.unchanged, "unchanged"), (self.gone, "gone")] {
            if count > 0 {
                parts.push(format!("{} {word}", number::grouped(count)));
            }
        }
        parts.join(", ")
    }

    fn size(&self) -> String {
        format!("{}, {}", number::bytes(self.bytes), number::counted(self.chunks, "chunk"))
    }

    fn data(&self) -> Value {
        let skipped: serde_json::Map<String, Value> = self
            .skipped
            .iter()
            .map(|(skip, count)| (skip.description().to_owned(), (*count).into()))
            .collect();
        json!({
            "source": self.name,
            "ref": self.reference.map(|reference| reference.as_str().to_owned()),
            "indexed": self.indexed,
            "replaced": self.replaced,
            "unchanged": self.unchanged,
            "gone": self.gone,
            "bytes": self.bytes,
            "chunks": self.chunks,
            "skipped": skipped,
            "redacted": redaction::counts(&self.redactions),
        })
    }
}
