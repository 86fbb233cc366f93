//! Reads the requests that a host added to a transcript since the last time.
//!
//! This needs no import: the texts of the transcript are not stored.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use forebay_platforms::transcripts::ParseLine;
use forebay_store::{ImportStep, regular_file};

use super::Collector;
use crate::{App, AppError};

/// Bytes of a transcript that one hook call reads; the next one goes on from there.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Distinguishes the position of this reader from that of an import.
const READER: &str = "requests:";

/// Records the requests of a transcript that were not read before.
pub(crate) fn read_new(app: &App, path: &Path, parse: ParseLine) -> Result<(), AppError> {
    // A host may name a transcript that it writes later, or never.
    let Ok(mut file) = regular_file::open_foreign(path) else { return Ok(()) };
    let Ok(bytes) = file.metadata().map(|metadata| metadata.len()) else { return Ok(()) };
    let store = app.stores.own()?;
    let transcript = app.redaction.name(&format!("{READER}{}", path.display()));
    let known = store.import_position(&transcript)?.map_or(0, |known| known.position);
    let from = if known > bytes { 0 } else { known };
    if from == bytes || file.seek(SeekFrom::Start(from)).is_err() {
        return Ok(());
    }
    let mut collector = Collector::new(app, "", &app.session);
    let to = from + whole_lines(file, parse, &mut collector);
    collector.finish().record(&*store)?;
    let step = ImportStep { transcript, mark: String::new(), from: known, to };
    store.import(&[], &step)?;
    Ok(())
}

/// Takes the items of all lines that are written to their end; returns the bytes of these.
fn whole_lines(file: File, parse: ParseLine, collector: &mut Collector<'_>) -> u64 {
    let mut reader = BufReader::new(file.take(MAX_BYTES));
    let (mut line, mut items, mut read) = (Vec::new(), Vec::new(), 0);
    while reader.read_until(b'\n', &mut line).is_ok() && line.ends_with(b"\n") {
        // A line of an unknown kind has no request that can be read.
        let _ = parse(&line, &mut items);
        items.drain(..).for_each(|item| collector.take(&item));
        read += line.len() as u64;
        line.clear();
    }
    // A line that is longer than all that is read at once is not the host's record of a request.
    if read == 0 && line.len() as u64 == MAX_BYTES { MAX_BYTES } else { read }
}
