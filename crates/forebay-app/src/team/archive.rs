//! Archives: a store's entries in one portable file.
//!
//! A header with the version, the entries, and a last line with their count and checksum. An import reads
//! the archive twice: first to verify it, then to store its entries.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use forebay_store::{ArchiveWriter, SincePage, is_archive, own_files, read_archive, regular_file};
use forebay_text::number;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::records::{self, Line, Lines, ParseError, ReceiveError, Sender};
use super::{ExportFilter, Tally};
use crate::stores::registry::SharedStore;
use crate::{Answer, App, AppError};

const VERSION: u64 = 1;
/// Default limit of an archive's decompressed size.
pub const DEFAULT_MAX_MB: u64 = 4_096;
const MB: u64 = 1024 * 1024;
/// Entries read from the store per batch.
const BATCH_SIZE: usize = 200;

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    forebay: String,
    version: u64,
    #[serde(default)]
    project: String,
    #[serde(default)]
    created: i64,
}

/// Whether a file is an archive, judged by its first bytes or its name.
pub fn is_archive_file(path: &Path) -> bool {
    let is_named = path.extension().is_some_and(|extension| extension == "forebay");
    path.is_file()
        && !own_files::contains_path(path)
        && (is_named || has_magic(path).unwrap_or_default())
}

fn has_magic(path: &Path) -> io::Result<bool> {
    let mut first = Vec::new();
    regular_file::open(path)?.take(4).read_to_end(&mut first)?;
    Ok(is_archive(&first))
}

/// Writes the selected entries of the project into a new file.
pub fn export(app: &App, path: &Path, filter: &ExportFilter) -> Result<Answer, AppError> {
    if path.exists() {
        return Err(AppError::bad_input(
            format!("{} already exists", path.display()),
            "choose another name, or remove it first",
        ));
    }
    let unfinished = path.with_extension("forebay.part");
    let written = write(app, &unfinished, filter).and_then(|exported| {
        fs::rename(&unfinished, path).map_err(records::write_error)?;
        Ok(exported)
    });
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    let Exported { records, left_out, bytes } = written?;
    let mut text = format!(
        "{}: {}, {}",
        path.display(),
        number::counted(records, "record"),
        number::bytes(bytes)
    );
    if left_out > 0 {
        text.push_str(&format!(
            "\nleft out: {}; --personal includes them",
            number::counted(left_out, "personal note")
        ));
    }
    let data = json!({ "path": path, "records": records, "bytes": bytes, "left_out": left_out });
    Ok(Answer::new(text, data))
}

struct Exported {
    records: u64,
    left_out: u64,
    bytes: u64,
}

fn write(app: &App, path: &Path, filter: &ExportFilter) -> Result<Exported, AppError> {
    let file = private_file(path)?;
    let mut out = HashingWriter {
        out: ArchiveWriter::new(file).map_err(records::write_error)?,
        hasher: blake3::Hasher::new(),
    };
    let header = Header {
        forebay: "archive".to_owned(),
        version: VERSION,
        project: super::sync::project_name(app),
        created: app.now().0,
    };
    let header = serde_json::to_string(&header).unwrap_or_default();
    writeln!(out, "{header}").map_err(records::write_error)?;
    let (records, left_out) = write_entries(&app.stores.own()?, filter, &mut out)?;
    let blake3 = out.hasher.finalize().to_hex().to_string();
    records::write_line(&Line::End { records, blake3 }, &mut out).map_err(records::write_error)?;
    let file = out.out.finish().map_err(records::write_error)?;
    file.sync_all().map_err(records::write_error)?;
    let bytes = file.metadata().map_or(0, |metadata| metadata.len());
    Ok(Exported { records, left_out, bytes })
}

/// Writes the selected entries; returns their count and the number of personal notes left out.
fn write_entries(
    store: &SharedStore,
    filter: &ExportFilter,
    out: &mut dyn Write,
) -> Result<(u64, u64), AppError> {
    let matcher = filter.matcher()?;
    let mut page = SincePage { after: 0, kinds: filter.kinds(), limit: BATCH_SIZE };
    let (mut records, mut left_out) = (0, 0);
    loop {
        let entries = store.entries_since(&page)?;
        let Some(last) = entries.last() else { return Ok((records, left_out)) };
        page.after = last.sequence;
        for entry in &entries {
            if matcher.matches(entry) {
                records::write_entry(&**store, entry, out)?;
                records += 1;
            } else {
                left_out += u64::from(entry.note().is_some());
            }
        }
    }
}

/// Creates a file that only its owner can read.
fn private_file(path: &Path) -> Result<File, AppError> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().write(true).create(true).truncate(true).mode(0o600).open(path).map_err(
        |error| {
            AppError::bad_input(
                format!("cannot write {}: {error}", path.display()),
                "name a file in a folder you can write to",
            )
        },
    )
}

/// A writer that hashes what passes through it.
struct HashingWriter<W: Write> {
    out: W,
    hasher: blake3::Hasher,
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Imports an archive into the project's store; an incomplete or damaged one changes nothing.
pub fn import(app: &App, path: &Path, max_mb: u64) -> Result<Answer, AppError> {
    let max_bytes = max_mb.saturating_mul(MB);
    check(path, max_bytes).map_err(|error| refused(path, &error))?;
    let tally = import_entries(app, path)?;
    let text = format!("{}: {}", path.display(), tally.summary());
    Ok(Answer::new(text, json!(tally)))
}

/// Why a file is not a readable archive.
#[derive(Debug, thiserror::Error)]
enum ArchiveError {
    #[error("not a Forebay archive: {0}")]
    Foreign(String),
    #[error("archive version {0} is not supported: this Forebay reads version {VERSION}")]
    Newer(u64),
    #[error("truncated after {0} record(s)")]
    CutOff(u64),
    #[error("changed or damaged: its checksum does not match")]
    WrongSum,
    #[error("decompresses to more than {} MB", .0 / MB)]
    TooLarge(u64),
    #[error("damaged: {0}")]
    Damaged(#[from] ParseError),
}

impl ArchiveError {
    fn hint(&self) -> &'static str {
        match self {
            Self::Foreign(_) => "`forebay export` creates archives",
            Self::Newer(_) => "use the version of Forebay that made it, or a later one",
            Self::TooLarge(_) => "if you trust its origin, give --max-mb",
            Self::CutOff(_) | Self::WrongSum | Self::Damaged(_) => {
                "nothing was imported; copy or export it again"
            }
        }
    }
}

fn refused(path: &Path, error: &ArchiveError) -> AppError {
    AppError::bad_input(format!("{}: {error}", path.display()), error.hint())
}

/// Opens an archive and returns its decompressed lines.
fn open(path: &Path) -> Result<Lines<impl BufRead>, ArchiveError> {
    let foreign = |error: io::Error| ArchiveError::Foreign(error.to_string());
    if !has_magic(path).map_err(foreign)? {
        return Err(ArchiveError::Foreign(
            "its first bytes are not those of an archive".to_owned(),
        ));
    }
    let unpacked = read_archive(File::open(path).map_err(foreign)?).map_err(foreign)?;
    Ok(Lines::new(BufReader::new(unpacked)))
}

fn read_header(raw: &[u8]) -> Result<Header, ArchiveError> {
    let foreign = |what: String| ArchiveError::Foreign(what);
    let header: Header = serde_json::from_slice(raw).map_err(|error| foreign(error.to_string()))?;
    match (header.forebay.as_str(), header.version) {
        ("archive", VERSION) => Ok(header),
        ("archive", newer) => Err(ArchiveError::Newer(newer)),
        _ => Err(foreign("its first line is not an archive header".to_owned())),
    }
}

/// Reads the whole archive and verifies the count and checksum in its last line.
fn check(path: &Path, max_bytes: u64) -> Result<(), ArchiveError> {
    let mut lines = open(path)?;
    let mut hasher = blake3::Hasher::new();
    let (mut records, mut bytes, mut number) = (0, 0, 0);
    let mut end = None;
    loop {
        let raw = match lines.next_raw() {
            Ok(raw) => raw,
            Err(ParseError::CutOff(_)) => return Err(ArchiveError::CutOff(records)),
            Err(ParseError::Io(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(ArchiveError::CutOff(records));
            }
            Err(error) => return Err(error.into()),
        };
        let Some(raw) = raw else { break };
        if end.is_some() {
            return Err(ArchiveError::WrongSum);
        }
        number += 1;
        bytes += raw.len() as u64;
        if bytes > max_bytes {
            return Err(ArchiveError::TooLarge(max_bytes));
        }
        if number == 1 {
            read_header(raw)?;
        } else if raw.starts_with(b"{\"end\"") {
            end = Some(records::parse(raw, number)?);
            continue;
        }
        // An entry is one record, however many parts it has.
        records += u64::from(raw.starts_with(b"{\"entry\""));
        hasher.update(raw);
    }
    match end {
        Some(Line::End { records: said, blake3 }) => {
            let is_same = said == records && blake3 == hasher.finalize().to_hex().as_str();
            if is_same { Ok(()) } else { Err(ArchiveError::WrongSum) }
        }
        _ => Err(ArchiveError::CutOff(records)),
    }
}

fn import_entries(app: &App, path: &Path) -> Result<Tally, AppError> {
    let archive_error = |error: ParseError| refused(path, &error.into());
    let mut lines = open(path).map_err(|error| refused(path, &error))?;
    lines.next_raw().map_err(archive_error)?;
    let store = app.stores.own()?;
    let giver = Sender { member: None, restores_purged: true };
    let mut tally = Tally::default();
    loop {
        match lines.next().map_err(archive_error)? {
            Some(Line::Entry(line)) => {
                let adopted = records::store_entry(app, &*store, &line, &mut lines, &giver);
                tally.count(&adopted.map_err(|trouble| match trouble {
                    ReceiveError::ParseError(error) => archive_error(error),
                    ReceiveError::Here(error) => error,
                })?);
            }
            Some(Line::End { .. }) | None => return Ok(tally),
            Some(_) => return Err(archive_error(lines.malformed("a line outside of any entry"))),
        }
    }
}
