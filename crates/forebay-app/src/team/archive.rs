//! Archives: a store's entries in one file that can be carried anywhere.
//!
//! A header with the version, the entries, and a last line with their number and checksum. An archive is
//! read twice: first to see that all of it is there and sound, then to take it in.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use forebay_store::{ArchiveWriter, SincePage, is_archive, read_archive};
use forebay_text::number;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::records::{self, Fault, Giver, Line, Lines, Trouble};
use super::{Chosen, Tally};
use crate::stores::registry::SharedStore;
use crate::{Answer, App, AppError};

const VERSION: u64 = 1;
/// An archive that unpacks to more is not read unless somebody says so.
pub const MOST_MB: u64 = 4_096;
const MB: u64 = 1024 * 1024;
/// Entries that are read from the store at once.
const AT_ONCE: usize = 200;

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    forebay: String,
    version: u64,
    #[serde(default)]
    project: String,
    #[serde(default)]
    created: i64,
}

/// Whether a file is an archive, by its first bytes or its name.
pub fn is_one(path: &Path) -> bool {
    let is_named = path.extension().is_some_and(|ending| ending == "forebay");
    path.is_file() && (is_named || begins_like_one(path).unwrap_or_default())
}

fn begins_like_one(path: &Path) -> io::Result<bool> {
    let mut first = Vec::new();
    File::open(path)?.take(4).read_to_end(&mut first)?;
    Ok(is_archive(&first))
}

/// Writes the chosen entries of the project into a new file.
pub fn export(app: &App, path: &Path, chosen: &Chosen) -> Result<Answer, AppError> {
    if path.exists() {
        return Err(AppError::bad_input(
            format!("{} is there already", path.display()),
            "give another name, or remove it first",
        ));
    }
    let unfinished = path.with_extension("forebay.part");
    let written = write(app, &unfinished, chosen).and_then(|told| {
        fs::rename(&unfinished, path).map_err(records::unwritable)?;
        Ok(told)
    });
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    let Written { records, left_out, bytes } = written?;
    let mut text = format!(
        "{}: {}, {}",
        path.display(),
        number::counted(records, "record"),
        number::bytes(bytes)
    );
    if left_out > 0 {
        text.push_str(&format!(
            "\nleft out: {}; --personal takes them along",
            number::counted(left_out, "personal note")
        ));
    }
    let data = json!({ "path": path, "records": records, "bytes": bytes, "left_out": left_out });
    Ok(Answer::new(text, data))
}

struct Written {
    records: u64,
    left_out: u64,
    bytes: u64,
}

fn write(app: &App, path: &Path, chosen: &Chosen) -> Result<Written, AppError> {
    let file = private_file(path)?;
    let mut out = Sealing {
        out: ArchiveWriter::new(file).map_err(records::unwritable)?,
        hasher: blake3::Hasher::new(),
    };
    let header = Header {
        forebay: "archive".to_owned(),
        version: VERSION,
        project: super::sync::project_name(app),
        created: app.now().0,
    };
    let header = serde_json::to_string(&header).unwrap_or_default();
    writeln!(out, "{header}").map_err(records::unwritable)?;
    let (records, left_out) = write_entries(&app.places.own()?, chosen, &mut out)?;
    let blake3 = out.hasher.finalize().to_hex().to_string();
    records::write_line(&Line::End { records, blake3 }, &mut out).map_err(records::unwritable)?;
    let file = out.out.finish().map_err(records::unwritable)?;
    file.sync_all().map_err(records::unwritable)?;
    let bytes = file.metadata().map_or(0, |metadata| metadata.len());
    Ok(Written { records, left_out, bytes })
}

/// Writes what is chosen; tells how many that was, and how many personal notes were left out.
fn write_entries(
    store: &SharedStore,
    chosen: &Chosen,
    out: &mut dyn Write,
) -> Result<(u64, u64), AppError> {
    let filter = chosen.filter()?;
    let mut page = SincePage { after: 0, kinds: chosen.kinds(), limit: AT_ONCE };
    let (mut records, mut left_out) = (0, 0);
    loop {
        let entries = store.entries_since(&page)?;
        let Some(last) = entries.last() else { return Ok((records, left_out)) };
        page.after = last.sequence;
        for entry in &entries {
            if filter.wants(entry) {
                records::write_entry(&**store, entry, out)?;
                records += 1;
            } else {
                left_out += u64::from(entry.note().is_some());
            }
        }
    }
}

/// A file that nobody else can read.
fn private_file(path: &Path) -> Result<File, AppError> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().write(true).create(true).truncate(true).mode(0o600).open(path).map_err(
        |error| {
            AppError::bad_input(
                format!("{} cannot be written: {error}", path.display()),
                "name a file in a folder you can write to",
            )
        },
    )
}

/// Writes on, and makes a checksum of what passes.
struct Sealing<W: Write> {
    out: W,
    hasher: blake3::Hasher,
}

impl<W: Write> Write for Sealing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Takes an archive into the project's store; one that is not whole and sound changes nothing.
pub fn import(app: &App, path: &Path, most_mb: u64) -> Result<Answer, AppError> {
    let most = most_mb.saturating_mul(MB);
    check(path, most).map_err(|fault| refused(path, &fault))?;
    let tally = take_in(app, path)?;
    let text = format!("{}: {}", path.display(), tally.in_words());
    Ok(Answer::new(text, json!(tally)))
}

/// What is wrong with a file that should be an archive.
#[derive(Debug, thiserror::Error)]
enum Unsound {
    #[error("it is no archive of Forebay: {0}")]
    Foreign(String),
    #[error("it is an archive of version {0}, and this Forebay reads version {VERSION}")]
    Newer(u64),
    #[error("it is cut off after {0} records")]
    CutOff(u64),
    #[error("it was changed or damaged: its checksum does not match")]
    WrongSum,
    #[error("it unpacks to more than {} MB", .0 / MB)]
    TooLarge(u64),
    #[error("it is damaged: {0}")]
    Damaged(#[from] Fault),
}

impl Unsound {
    fn hint(&self) -> &'static str {
        match self {
            Self::Foreign(_) => "archives are made by `forebay export`",
            Self::Newer(_) => "use the version of Forebay that made it, or a later one",
            Self::TooLarge(_) => "if you trust where it comes from, give --most-mb",
            Self::CutOff(_) | Self::WrongSum | Self::Damaged(_) => {
                "nothing was imported; copy or export it again"
            }
        }
    }
}

fn refused(path: &Path, fault: &Unsound) -> AppError {
    AppError::bad_input(format!("{}: {fault}", path.display()), fault.hint())
}

/// The lines of an archive.
fn open(path: &Path) -> Result<Lines<impl BufRead>, Unsound> {
    let foreign = |error: io::Error| Unsound::Foreign(error.to_string());
    if !begins_like_one(path).map_err(foreign)? {
        return Err(Unsound::Foreign("it does not begin like one".to_owned()));
    }
    let unpacked = read_archive(File::open(path).map_err(foreign)?).map_err(foreign)?;
    Ok(Lines::new(BufReader::new(unpacked)))
}

fn read_header(raw: &[u8]) -> Result<Header, Unsound> {
    let foreign = |what: String| Unsound::Foreign(what);
    let header: Header = serde_json::from_slice(raw).map_err(|error| foreign(error.to_string()))?;
    match (header.forebay.as_str(), header.version) {
        ("archive", VERSION) => Ok(header),
        ("archive", newer) => Err(Unsound::Newer(newer)),
        _ => Err(foreign("its first line does not say so".to_owned())),
    }
}

/// Reads all of it, and compares it with what its last line says.
fn check(path: &Path, most: u64) -> Result<(), Unsound> {
    let mut lines = open(path)?;
    let mut hasher = blake3::Hasher::new();
    let (mut records, mut bytes, mut number) = (0, 0, 0);
    let mut end = None;
    loop {
        let raw = match lines.next_raw() {
            Ok(raw) => raw,
            Err(Fault::CutOff(_)) => return Err(Unsound::CutOff(records)),
            Err(Fault::Io(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(Unsound::CutOff(records));
            }
            Err(fault) => return Err(fault.into()),
        };
        let Some(raw) = raw else { break };
        if end.is_some() {
            return Err(Unsound::WrongSum);
        }
        number += 1;
        bytes += raw.len() as u64;
        if bytes > most {
            return Err(Unsound::TooLarge(most));
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
            if is_same { Ok(()) } else { Err(Unsound::WrongSum) }
        }
        _ => Err(Unsound::CutOff(records)),
    }
}

fn take_in(app: &App, path: &Path) -> Result<Tally, AppError> {
    let unsound = |fault: Fault| refused(path, &fault.into());
    let mut lines = open(path).map_err(|fault| refused(path, &fault))?;
    lines.next_raw().map_err(unsound)?;
    let store = app.places.own()?;
    let giver = Giver { member: None, restores_purged: true };
    let mut tally = Tally::default();
    loop {
        match lines.next().map_err(unsound)? {
            Some(Line::Entry(line)) => {
                let adopted = records::adopt(app, &*store, &line, &mut lines, &giver);
                tally.count(&adopted.map_err(|trouble| match trouble {
                    Trouble::Fault(fault) => unsound(fault),
                    Trouble::Here(error) => error,
                })?);
            }
            Some(Line::End { .. }) | None => return Ok(tally),
            Some(_) => return Err(unsound(lines.malformed("a line that belongs to no entry"))),
        }
    }
}
