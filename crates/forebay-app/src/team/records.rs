//! The wire format of an entry: a JSON line with its metadata, then its raw bytes in parts.
//!
//! Lines and parts are small, so neither an archive nor a page has to fit in memory.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use forebay_domain::{
    Ending, Entry, EntryKind, Limit, NoteKind, Reference, RunRecord, Spans, Stream, Timestamp,
};
use forebay_store::{
    NewDetail, NewEntry, NewNote, ReplicaOrigin, ReplicateOutcome, Store, StoreError, Upload,
};
use forebay_text::cut;
use serde::{Deserialize, Serialize};

use crate::{App, AppError};

/// Raw bytes of one part.
const PART_BYTES: usize = 64 * 1024;
/// Maximum length of a line; fits a part of control characters, which JSON escapes to six bytes each.
pub(super) const MAX_LINE_BYTES: usize = 1024 * 1024;
const MAX_TITLE_CHARS: usize = 1_000;
const MAX_FIELD_CHARS: usize = 4_000;

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    Entry(Box<EntryLine>),
    /// A part of the raw bytes of the entry before it.
    Text(String),
    /// The same for bytes that are not UTF-8: one character per byte.
    Bytes(String),
    /// The last line of a page.
    Page(Next),
    /// The last line of an archive.
    End {
        records: u64,
        blake3: String,
    },
}

/// The continuation of a page.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Next {
    /// Where the next page starts.
    pub(super) to: i64,
    /// Whether there is a next page.
    pub(super) more: bool,
    /// Number of entries left out because they are too large.
    #[serde(default)]
    pub(super) too_large: u64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EntryLine {
    #[serde(rename = "ref")]
    reference: String,
    kind: String,
    title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    source: String,
    session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    created: i64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    digest: String,
    bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<NoteLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<RunLine>,
}

#[derive(Debug, Serialize, Deserialize)]
struct NoteLine {
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    topic: Option<String>,
    /// All notes that this note replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    supersedes: Vec<String>,
    #[serde(default)]
    pinned: bool,
    #[serde(default)]
    personal: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    author: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct RunLine {
    ending: String,
    code: i32,
    micros: u64,
    cwd: String,
    spans: String,
}

/// Writes one line.
pub(super) fn write_line(line: &Line, out: &mut dyn Write) -> io::Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    out.write_all(text.as_bytes())
}

/// Writes an entry and its bytes.
pub(super) fn write_entry(
    store: &dyn Store,
    entry: &Entry,
    out: &mut dyn Write,
) -> Result<(), AppError> {
    let mut line = EntryLine::from_entry(entry);
    if let Some(note) = &mut line.note {
        let replaced = store.notes_superseded_by(entry.reference)?;
        note.supersedes = replaced.iter().map(|older| older.as_str().to_owned()).collect();
    }
    write_line(&Line::Entry(Box::new(line)), out).map_err(write_error)?;
    let mut pending = Vec::new();
    let mut written = Ok(());
    store.read(entry.reference, 0, &mut |piece| {
        pending.extend_from_slice(piece);
        while pending.len() >= PART_BYTES && written.is_ok() {
            written = write_part(&mut pending, out);
        }
        written.is_ok()
    })?;
    while !pending.is_empty() && written.is_ok() {
        written = write_part(&mut pending, out);
    }
    written.map_err(write_error)
}

/// Writes and removes the first part of the pending bytes; text is split at character boundaries.
fn write_part(pending: &mut Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
    let part = &pending[..pending.len().min(PART_BYTES)];
    let (line, taken) = match std::str::from_utf8(part) {
        Ok(text) => (Line::Text(text.to_owned()), part.len()),
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => {
            let taken = error.valid_up_to();
            (Line::Text(String::from_utf8_lossy(&part[..taken]).into_owned()), taken)
        }
        Err(_) => (Line::Bytes(as_characters(part)), part.len()),
    };
    pending.drain(..taken);
    write_line(&line, out)
}

fn as_characters(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

fn as_bytes(characters: &str) -> Option<Vec<u8>> {
    characters.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

impl EntryLine {
    fn from_entry(entry: &Entry) -> Self {
        Self {
            reference: entry.reference.as_str().to_owned(),
            kind: entry.kind.as_str().to_owned(),
            title: entry.title.clone(),
            source: entry.source.clone(),
            session: entry.session.clone(),
            branch: entry.branch.clone(),
            created: entry.created.0,
            digest: entry.digest.clone(),
            bytes: entry.bytes,
            note: entry.note().map(|note| NoteLine {
                kind: note.kind.as_str().to_owned(),
                topic: note.topic.clone(),
                supersedes: Vec::new(),
                pinned: note.pinned,
                personal: note.personal,
                author: note.author.clone(),
            }),
            run: entry.run().map(RunLine::from_run),
        }
    }
}

impl RunLine {
    fn from_run(run: &RunRecord) -> Self {
        let (ending, code) = match run.ending {
            Ending::Exited(code) => ("exited", code),
            Ending::Signalled(signal) => ("signalled", signal),
            Ending::TimedOut => ("timed out", 0),
            Ending::Cancelled => ("cancelled", 0),
            Ending::OverLimit(Limit::Output) => ("over output", 0),
            Ending::OverLimit(Limit::Processes) => ("over processes", 0),
        };
        Self {
            ending: ending.to_owned(),
            code,
            micros: u64::try_from(run.duration.as_micros()).unwrap_or(u64::MAX),
            cwd: run.cwd.clone(),
            spans: as_characters(&run.spans.to_bytes()),
        }
    }

    fn read(&self) -> RunRecord {
        let ending = match self.ending.as_str() {
            "signalled" => Ending::Signalled(self.code),
            "timed out" => Ending::TimedOut,
            "cancelled" => Ending::Cancelled,
            "over output" => Ending::OverLimit(Limit::Output),
            "over processes" => Ending::OverLimit(Limit::Processes),
            _ => Ending::Exited(self.code),
        };
        RunRecord {
            ending,
            duration: Duration::from_micros(self.micros),
            cwd: cut::prefix(&self.cwd, MAX_FIELD_CHARS).to_owned(),
            spans: Spans::from_bytes(&as_bytes(&self.spans).unwrap_or_default()),
        }
    }
}

/// Why received lines are invalid.
#[derive(Debug, thiserror::Error)]
pub(super) enum ParseError {
    #[error("line {0} is longer than {MAX_LINE_BYTES} bytes")]
    TooLong(u64),
    #[error("line {0} is truncated")]
    CutOff(u64),
    #[error("line {line}: {what}")]
    Malformed { line: u64, what: String },
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads lines up to the maximum length.
pub(super) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), number: 0 }
    }

    /// Returns the next raw line including its line ending, or None at the end.
    pub(super) fn next_raw(&mut self) -> Result<Option<&[u8]>, ParseError> {
        self.buffer.clear();
        let most = MAX_LINE_BYTES as u64 + 1;
        io::Read::take(&mut self.input, most).read_until(b'\n', &mut self.buffer)?;
        if self.buffer.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        if self.buffer.ends_with(b"\n") {
            return Ok(Some(&self.buffer));
        }
        Err(if self.buffer.len() > MAX_LINE_BYTES {
            ParseError::TooLong(self.number)
        } else {
            ParseError::CutOff(self.number)
        })
    }

    pub(super) fn next(&mut self) -> Result<Option<Line>, ParseError> {
        let number = self.number + 1;
        let Some(raw) = self.next_raw()? else { return Ok(None) };
        parse(raw, number).map(Some)
    }

    pub(super) fn malformed(&self, what: impl Into<String>) -> ParseError {
        ParseError::Malformed { line: self.number, what: what.into() }
    }
}

pub(super) fn parse(raw: &[u8], line: u64) -> Result<Line, ParseError> {
    serde_json::from_slice(raw)
        .map_err(|error| ParseError::Malformed { line, what: error.to_string() })
}

/// The origin of received entries, and how to treat them.
pub(super) struct Sender<'a> {
    /// The owner to record instead of the stated one; None keeps the stated owner.
    pub(super) member: Option<&'a str>,
    /// Whether entries that were forgotten here are restored.
    pub(super) restores_purged: bool,
}

/// Stores the entry of a line with the parts that follow it.
pub(super) fn store_entry<R: BufRead>(
    app: &App,
    store: &dyn Store,
    line: &EntryLine,
    lines: &mut Lines<R>,
    sender: &Sender<'_>,
) -> Result<ReplicateOutcome, ReceiveError> {
    let (origin, mut new) = read(app, line, sender).map_err(|what| lines.malformed(what))?;
    let mut keeping = Receiver {
        upload: store.upload().map_err(AppError::from)?,
        beginning: Vec::new(),
        fault: None,
    };
    let mut streams = app.redaction.streams();
    let mut came = 0;
    while came < line.bytes {
        let part = match lines.next()? {
            Some(Line::Text(text)) => text.into_bytes(),
            Some(Line::Bytes(characters)) => as_bytes(&characters)
                .ok_or_else(|| lines.malformed("a character outside of the byte range"))?,
            _ => return Err(lines.malformed("the entry before it is incomplete").into()),
        };
        came += part.len() as u64;
        if part.is_empty() || came > line.bytes {
            return Err(lines.malformed("a part that exceeds the size of its entry").into());
        }
        streams.push(Stream::Stdout, &part, &mut |_, clean| keeping.write(clean));
    }
    streams.finish(&mut |_, clean| keeping.write(clean));
    if let NewDetail::Note(note) = &mut new.detail {
        note.links = Reference::all_in(&String::from_utf8_lossy(&keeping.beginning));
    }
    Ok(keeping.upload()?.finish_replica(new, &origin).map_err(AppError::from)?)
}

/// Writes received bytes to the store.
struct Receiver<'store> {
    upload: Box<dyn Upload + 'store>,
    /// The text of a note, to find references to other entries.
    beginning: Vec<u8>,
    fault: Option<StoreError>,
}

impl<'store> Receiver<'store> {
    fn write(&mut self, clean: &[u8]) {
        let room = PART_BYTES.saturating_sub(self.beginning.len()).min(clean.len());
        self.beginning.extend_from_slice(&clean[..room]);
        if self.fault.is_none() {
            self.fault = self.upload.write(clean).err();
        }
    }

    fn upload(self) -> Result<Box<dyn Upload + 'store>, AppError> {
        match self.fault {
            None => Ok(self.upload),
            Some(fault) => Err(fault.into()),
        }
    }
}

/// Why an entry was not stored: invalid input, or a failure on this side.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReceiveError {
    #[error(transparent)]
    ParseError(#[from] ParseError),
    #[error(transparent)]
    Here(#[from] AppError),
}

fn read(
    app: &App,
    line: &EntryLine,
    sender: &Sender<'_>,
) -> Result<(ReplicaOrigin, NewEntry), String> {
    let clean = |text: &str, most| app.redaction.redact(cut::prefix(text, most)).0;
    let reference = Reference::parse(&line.reference).map_err(|error| error.to_string())?;
    let kind = EntryKind::parse(&line.kind)
        .ok_or_else(|| format!("unknown kind `{}`", cut::one_line(&line.kind, 40)))?;
    let detail = match (kind, &line.note, &line.run) {
        (EntryKind::Note, Some(note), _) => NewDetail::Note(read_note(app, note, sender)),
        (EntryKind::Note, None, _) => return Err("a note without its metadata".to_owned()),
        (EntryKind::Run, _, Some(run)) => NewDetail::Run(run.read()),
        _ => NewDetail::Plain,
    };
    let session = cut::one_line(&line.session, 200);
    let new = NewEntry {
        command: None,
        kind,
        title: clean(&line.title, MAX_TITLE_CHARS),
        source: clean(&line.source, MAX_FIELD_CHARS),
        // Session names are unique only per member.
        session: sender.member.map_or_else(|| session.clone(), |who| format!("{who}/{session}")),
        client: String::new(),
        branch: line.branch.as_deref().map(|branch| cut::one_line(branch, 200)),
        created: Timestamp(line.created),
        digest: clean(&line.digest, 4 * MAX_FIELD_CHARS),
        detail,
        has_all_chunks: false,
        replaces_source: false,
    };
    let supersedes = line.note.as_ref().map(replaced).unwrap_or_default();
    Ok((ReplicaOrigin { reference, supersedes, restores_purged: sender.restores_purged }, new))
}

/// Returns the notes that a note replaced, at most `MAX_REPLACED` of them.
fn replaced(note: &NoteLine) -> Vec<Reference> {
    const MAX_REPLACED: usize = 100;
    note.supersedes
        .iter()
        .take(MAX_REPLACED)
        .filter_map(|text| Reference::parse(text).ok())
        .collect()
}

fn read_note(app: &App, note: &NoteLine, sender: &Sender<'_>) -> NewNote {
    let topic = note.topic.as_deref().map(|topic| app.redaction.redact(cut::prefix(topic, 200)).0);
    NewNote {
        kind: NoteKind::parse(&note.kind).unwrap_or(NoteKind::Note),
        topic: topic.filter(|topic| !topic.is_empty()),
        supersedes: replaced(note).pop(),
        links: Vec::new(),
        pinned: note.pinned,
        personal: note.personal && sender.member.is_none(),
        author: sender.member.map_or_else(|| cut::one_line(&note.author, 64), str::to_owned),
    }
}

pub(super) fn write_error(error: io::Error) -> AppError {
    AppError::unavailable(format!("cannot write: {error}"), Some("is the disk full?"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Splits raw bytes into parts and joins them again.
    fn round_trip(raw: &[u8]) -> Vec<u8> {
        let (mut pending, mut written) = (raw.to_vec(), Vec::new());
        while !pending.is_empty() {
            write_part(&mut pending, &mut written).unwrap();
        }
        let mut lines = Lines::new(written.as_slice());
        let mut back = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            match line {
                Line::Text(text) => back.extend_from_slice(text.as_bytes()),
                Line::Bytes(characters) => back.extend(as_bytes(&characters).unwrap()),
                other => panic!("{other:?}"),
            }
        }
        back
    }

    #[test]
    fn splits_parts_at_character_boundaries() {
        let text = format!("{}äöü{}", "x".repeat(PART_BYTES - 1), "y".repeat(PART_BYTES));
        assert_eq!(round_trip(text.as_bytes()), text.as_bytes());
        let control = vec![1; 3 * PART_BYTES];
        assert_eq!(round_trip(&control), control);
    }

    proptest! {
        #[test]
        fn round_trips_any_bytes(raw: Vec<u8>) {
            prop_assert_eq!(round_trip(&raw), raw);
        }

        #[test]
        fn never_panics_on_foreign_lines(raw: Vec<u8>) {
            let mut lines = Lines::new(raw.as_slice());
            while let Ok(Some(_)) = lines.next() {}
        }
    }
}
