//! Lines of a stream, in bounded memory.

use std::io::{self, BufRead, BufReader, Read, Write};

use forebay_app::bounds::MAX_LINE_BYTES;

const BUFFER_BYTES: usize = 64 * 1024;

/// Reads a stream line by line.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
}

/// What is next in a stream.
pub(super) enum Next<'a> {
    /// A line with its end, which only the last one may lack.
    Line(&'a [u8]),
    /// The start of a line that is too long to be kept: [`Lines::rest`] has the rest.
    LongLine(&'a [u8]),
    End,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input: BufReader::with_capacity(BUFFER_BYTES, input), line: Vec::new() }
    }

    pub(super) fn next(&mut self) -> io::Result<Next<'_>> {
        self.line.clear();
        self.line.shrink_to(BUFFER_BYTES);
        let max = MAX_LINE_BYTES as u64;
        let count = (&mut self.input).take(max).read_until(b'\n', &mut self.line)?;
        Ok(match count {
            0 => Next::End,
            _ if count as u64 == max && !self.line.ends_with(b"\n") => Next::LongLine(&self.line),
            _ => Next::Line(&self.line),
        })
    }

    /// Passes the rest of a long line to `take`, piece by piece.
    pub(super) fn rest(&mut self, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        loop {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                return Ok(());
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            take(&available[..taken])?;
            self.input.consume(taken);
            if newline.is_some() {
                return Ok(());
            }
        }
    }
}

/// Writes whole lines, as one piece.
pub(super) fn write(output: &mut impl Write, line: &[u8]) -> io::Result<()> {
    output.write_all(line)?;
    output.flush()
}
