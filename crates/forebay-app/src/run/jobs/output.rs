//! Reads a job's output: from its file while it runs, from the store after it has ended.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use forebay_domain::Reference;

use super::{Job, Record, read_error};
use crate::{App, AppError};

/// Size of one read.
const BUFFER_BYTES: usize = 64 * 1024;

impl Job {
    /// Passes the output after `cursor` bytes to `take`; returns the next cursor.
    pub(crate) fn read_since(
        &self,
        app: &App,
        record: &Record,
        cursor: u64,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<u64, AppError> {
        match record.end.as_ref().and_then(|end| end.data.get("ref")?.as_str()) {
            Some(reference) => read_entry(app, reference, cursor, take),
            None => self.read_file(cursor, take).map_err(read_error),
        }
    }

    fn read_file(&self, cursor: u64, take: &mut dyn FnMut(&[u8])) -> io::Result<u64> {
        let mut file = match File::open(self.output_file()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(cursor),
            opened => opened?,
        };
        let start = cursor.min(file.metadata()?.len());
        file.seek(SeekFrom::Start(start))?;
        let mut piece = vec![0; BUFFER_BYTES];
        let mut at = start;
        loop {
            match file.read(&mut piece)? {
                0 => return Ok(at),
                count => {
                    take(&piece[..count]);
                    at += count as u64;
                }
            }
        }
    }
}

fn read_entry(
    app: &App,
    reference: &str,
    cursor: u64,
    take: &mut dyn FnMut(&[u8]),
) -> Result<u64, AppError> {
    let store = app.stores.own()?;
    let mut at = cursor;
    store.read(Reference::parse(reference)?, cursor, &mut |bytes| {
        take(bytes);
        at += bytes.len() as u64;
        true
    })?;
    Ok(at)
}
