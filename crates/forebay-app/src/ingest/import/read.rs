//! Reads the lines of a transcript from where the last import stopped.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use forebay_platforms::transcripts::{Item, Storage};
use forebay_store::regular_file;
use forebay_store_sqlite::transcript_db;

use super::find::{Transcript, unreadable};
use crate::AppError;

/// Longer lines are skipped without being held in memory.
const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;
const BUFFER_BYTES: usize = 256 * 1024;

pub(crate) enum Line<'a> {
    Whole(&'a [u8]),
    /// The last line, without a line ending yet.
    Open(&'a [u8]),
    TooLong,
}

/// Calls `take` with the items that name the session and the model for the lines after a position.
pub(super) fn headings(
    transcript: &Transcript,
    before: u64,
    take: &mut dyn FnMut(Item),
) -> Result<(), AppError> {
    let format = transcript.format;
    if before == 0 || !matches!(format.storage, Storage::Lines) {
        return Ok(());
    }
    let mut items = Vec::new();
    lines(transcript, 0, &mut |position, line| {
        if let Line::Whole(bytes) = line
            && position <= before
            && (format.is_heading)(bytes)
            && (format.parse_line)(bytes, &mut items).is_ok()
        {
            let names = |item: &Item| matches!(item, Item::Context { .. } | Item::Model(_));
            items.drain(..).filter(names).for_each(&mut *take);
        }
        items.clear();
        position < before
    })
}

/// Calls `take` with each line after a position and the position behind it, until it returns `false`.
pub(crate) fn lines(
    transcript: &Transcript,
    from: u64,
    take: &mut dyn FnMut(u64, Line<'_>) -> bool,
) -> Result<(), AppError> {
    if let (Storage::Database(queries), Some(session)) =
        (transcript.format.storage, &transcript.session)
    {
        let rows = &mut |row: u64, line: &str| take(row, Line::Whole(line.as_bytes()));
        let path = &transcript.path;
        return Ok(transcript_db::lines(path, queries.lines, session, from, rows)?);
    }
    let read_error = |error: std::io::Error| unreadable(&transcript.path, &error);
    let mut file = regular_file::open_foreign(&transcript.path).map_err(read_error)?;
    // What the host writes in the meantime is for the next import.
    let bytes = file.metadata().map_err(read_error)?.len().saturating_sub(from);
    file.seek(SeekFrom::Start(from)).map_err(read_error)?;
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, file.take(bytes));
    let (mut line, mut position) = (Vec::new(), from);
    loop {
        line.clear();
        let read = reader
            .by_ref()
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line)
            .map_err(read_error)?;
        position += read as u64;
        if read == 0 {
            return Ok(());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let kind = if line.ends_with(b"\n") {
            Line::Whole(&line)
        } else if read as u64 == MAX_LINE_BYTES {
            position += reader.skip_until(b'\n').map_err(read_error)? as u64;
            Line::TooLong
        } else {
            Line::Open(&line)
        };
        if !take(position, kind) {
            return Ok(());
        }
    }
}
