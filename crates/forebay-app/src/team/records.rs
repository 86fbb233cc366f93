//! An entry as JSON lines: one that says what it is, then its raw bytes in parts.
//!
//! Lines and parts are small, so that neither an archive nor a page is ever held whole.

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
/// No line is longer: a part of control characters, each written in six, has room in it.
pub(super) const MOST_LINE: usize = 1024 * 1024;
const MOST_TITLE: usize = 1_000;
const MOST_WORD: usize = 4_000;

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    Entry(Box<EntryLine>),
    /// A part of the raw bytes of the entry before it.
    Text(String),
    /// The same where they are no text: a character for each byte.
    Bytes(String),
    /// The last line of a page.
    Page(Next),
    /// The last line of an archive.
    End {
        records: u64,
        blake3: String,
    },
}

/// What comes after a page.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Next {
    /// Where the next page begins.
    pub(super) to: i64,
    /// Whether there is one.
    pub(super) more: bool,
    /// Entries that were too large for this page.
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
    /// Every note that it replaced.
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

/// Writes an entry and all its bytes.
pub(super) fn write_entry(
    store: &dyn Store,
    entry: &Entry,
    out: &mut dyn Write,
) -> Result<(), AppError> {
    let mut line = EntryLine::of(entry);
    if let Some(note) = &mut line.note {
        let replaced = store.notes_superseded_by(entry.reference)?;
        note.supersedes = replaced.iter().map(|older| older.as_str().to_owned()).collect();
    }
    write_line(&Line::Entry(Box::new(line)), out).map_err(unwritable)?;
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
    written.map_err(unwritable)
}

/// Writes the first part of what is pending, and takes it away; text ends between two characters.
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
    fn of(entry: &Entry) -> Self {
        Self {
            reference: entry.reference.as_str().to_owned(),
            kind: entry.kind.word().to_owned(),
            title: entry.title.clone(),
            source: entry.source.clone(),
            session: entry.session.clone(),
            branch: entry.branch.clone(),
            created: entry.created.0,
            digest: entry.digest.clone(),
            bytes: entry.bytes,
            note: entry.note().map(|note| NoteLine {
                kind: note.kind.word().to_owned(),
                topic: note.topic.clone(),
                supersedes: Vec::new(),
                pinned: note.pinned,
                personal: note.personal,
                author: note.author.clone(),
            }),
            run: entry.run().map(RunLine::of),
        }
    }
}

impl RunLine {
    fn of(run: &RunRecord) -> Self {
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
            cwd: cut::prefix(&self.cwd, MOST_WORD).to_owned(),
            spans: Spans::from_bytes(&as_bytes(&self.spans).unwrap_or_default()),
        }
    }
}

/// What is wrong with lines that came from outside.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("line {0} is longer than any that Forebay writes")]
    TooLong(u64),
    #[error("line {0} is cut off")]
    CutOff(u64),
    #[error("line {line}: {what}")]
    Malformed { line: u64, what: String },
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads lines that are as long as they may be, and no longer.
pub(super) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), number: 0 }
    }

    /// The next line as it was written, its end included; none at the end.
    pub(super) fn next_raw(&mut self) -> Result<Option<&[u8]>, Fault> {
        self.buffer.clear();
        let most = MOST_LINE as u64 + 1;
        io::Read::take(&mut self.input, most).read_until(b'\n', &mut self.buffer)?;
        if self.buffer.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        if self.buffer.ends_with(b"\n") {
            return Ok(Some(&self.buffer));
        }
        Err(if self.buffer.len() > MOST_LINE {
            Fault::TooLong(self.number)
        } else {
            Fault::CutOff(self.number)
        })
    }

    pub(super) fn next(&mut self) -> Result<Option<Line>, Fault> {
        let number = self.number + 1;
        let Some(raw) = self.next_raw()? else { return Ok(None) };
        parse(raw, number).map(Some)
    }

    pub(super) fn malformed(&self, what: impl Into<String>) -> Fault {
        Fault::Malformed { line: self.number, what: what.into() }
    }
}

pub(super) fn parse(raw: &[u8], line: u64) -> Result<Line, Fault> {
    serde_json::from_slice(raw).map_err(|error| Fault::Malformed { line, what: error.to_string() })
}

/// Who hands entries over, and what may be done with them.
pub(super) struct Giver<'a> {
    /// Whose they are, whatever they say; none where what they say counts.
    pub(super) member: Option<&'a str>,
    /// Whether they come back where they were forgotten.
    pub(super) restores_purged: bool,
}

/// Stores the entry of a line, with the parts that follow it.
pub(super) fn adopt<R: BufRead>(
    app: &App,
    store: &dyn Store,
    line: &EntryLine,
    lines: &mut Lines<R>,
    giver: &Giver<'_>,
) -> Result<ReplicateOutcome, Trouble> {
    let (origin, mut new) = read(app, line, giver).map_err(|what| lines.malformed(what))?;
    let mut keeping = Keeping {
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
                .ok_or_else(|| lines.malformed("a character that is no byte"))?,
            _ => return Err(lines.malformed("the entry before it lacks a part").into()),
        };
        came += part.len() as u64;
        if part.is_empty() || came > line.bytes {
            return Err(lines.malformed("a part that does not fit its entry").into());
        }
        streams.push(Stream::Stdout, &part, &mut |_, clean| keeping.write(clean));
    }
    streams.finish(&mut |_, clean| keeping.write(clean));
    if let NewDetail::Note(note) = &mut new.detail {
        note.links = Reference::all_in(&String::from_utf8_lossy(&keeping.beginning));
    }
    Ok(keeping.upload()?.finish_replica(new, &origin).map_err(AppError::from)?)
}

/// Raw bytes on their way into the store.
struct Keeping<'store> {
    upload: Box<dyn Upload + 'store>,
    /// Where a note names other entries.
    beginning: Vec<u8>,
    fault: Option<StoreError>,
}

impl<'store> Keeping<'store> {
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

/// What is wrong with what came, or with this side.
#[derive(Debug, thiserror::Error)]
pub(super) enum Trouble {
    #[error(transparent)]
    Fault(#[from] Fault),
    #[error(transparent)]
    Here(#[from] AppError),
}

fn read(
    app: &App,
    line: &EntryLine,
    giver: &Giver<'_>,
) -> Result<(ReplicaOrigin, NewEntry), String> {
    let clean = |text: &str, most| app.redaction.text(cut::prefix(text, most)).0;
    let reference = Reference::parse(&line.reference).map_err(|error| error.to_string())?;
    let kind = EntryKind::from_word(&line.kind)
        .ok_or_else(|| format!("an unknown kind `{}`", cut::one_line(&line.kind, 40)))?;
    let detail = match (kind, &line.note, &line.run) {
        (EntryKind::Note, Some(note), _) => NewDetail::Note(read_note(app, note, giver)),
        (EntryKind::Note, None, _) => return Err("a note that does not say what it is".to_owned()),
        (EntryKind::Run, _, Some(run)) => NewDetail::Run(run.read()),
        _ => NewDetail::Plain,
    };
    let session = cut::one_line(&line.session, 200);
    let new = NewEntry {
        kind,
        title: clean(&line.title, MOST_TITLE),
        source: clean(&line.source, MOST_WORD),
        // Sessions of different people have the same names.
        session: giver.member.map_or_else(|| session.clone(), |who| format!("{who}/{session}")),
        client: String::new(),
        branch: line.branch.as_deref().map(|branch| cut::one_line(branch, 200)),
        created: Timestamp(line.created),
        digest: clean(&line.digest, 4 * MOST_WORD),
        detail,
        has_all_chunks: false,
        replaces_source: false,
    };
    let supersedes = line.note.as_ref().map(replaced).unwrap_or_default();
    Ok((ReplicaOrigin { reference, supersedes, restores_purged: giver.restores_purged }, new))
}

/// The notes that a note says it replaced; more of them than anybody writes down are not looked at.
fn replaced(note: &NoteLine) -> Vec<Reference> {
    const MOST: usize = 100;
    note.supersedes.iter().take(MOST).filter_map(|text| Reference::parse(text).ok()).collect()
}

fn read_note(app: &App, note: &NoteLine, giver: &Giver<'_>) -> NewNote {
    let topic = note.topic.as_deref().map(|topic| app.redaction.text(cut::prefix(topic, 200)).0);
    NewNote {
        kind: NoteKind::from_word(&note.kind).unwrap_or(NoteKind::Note),
        topic: topic.filter(|topic| !topic.is_empty()),
        supersedes: replaced(note).pop(),
        links: Vec::new(),
        pinned: note.pinned,
        personal: note.personal && giver.member.is_none(),
        author: giver.member.map_or_else(|| cut::one_line(&note.author, 64), str::to_owned),
    }
}

pub(super) fn unwritable(error: io::Error) -> AppError {
    AppError::unavailable(format!("it could not be written: {error}"), Some("is the disk full?"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The parts of raw bytes, put together again.
    fn there_and_back(raw: &[u8]) -> Vec<u8> {
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
    fn a_character_between_two_parts_stays_whole() {
        let text = format!("{}äöü{}", "x".repeat(PART_BYTES - 1), "y".repeat(PART_BYTES));
        assert_eq!(there_and_back(text.as_bytes()), text.as_bytes());
        let control = vec![1; 3 * PART_BYTES];
        assert_eq!(there_and_back(&control), control);
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(raw: Vec<u8>) {
            prop_assert_eq!(there_and_back(&raw), raw);
        }

        #[test]
        fn foreign_lines_never_panic(raw: Vec<u8>) {
            let mut lines = Lines::new(raw.as_slice());
            while let Ok(Some(_)) = lines.next() {}
        }
    }
}
