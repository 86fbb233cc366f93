//! A named pipe through which any process of this user sends input to a run.
//!
//! Each message is one line, so that a message can also mark the end of the input.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, PipeWriter, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use rustix::fs::OFlags;

use crate::spec::{PipeReadEnd, Stdin};

/// The message that ends the input.
const EOF_MESSAGE: &str = "end";
/// Escaping at most doubles a chunk, which then still fits into `PIPE_BUF`, so that its write is atomic.
const MAX_CHUNK_BYTES: usize = 2_000;

/// Creates a FIFO at `path` and returns the stdin that receives what is sent to it.
pub fn create(path: &Path) -> io::Result<Stdin> {
    make_fifo(path)?;
    // Also open for writing, so that reads do not return EOF while no sender has it open.
    let messages = OpenOptions::new().read(true).write(true).open(path)?;
    let (read_end, write_end) = io::pipe()?;
    thread::spawn(move || relay(&messages, write_end));
    Ok(Stdin::Pipe(PipeReadEnd(Arc::new(OwnedFd::from(read_end)))))
}

/// Creates a FIFO for this user alone. rustix can do that only with `mknodat`, which macOS lacks.
#[expect(unsafe_code, reason = "no crate in use wraps mkfifo")]
fn make_fifo(path: &Path) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: `path` ends with NUL and outlives the call.
    match unsafe { libc::mkfifo(path.as_ptr(), 0o600) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Sends text to the FIFO at `path`.
pub fn send(path: &Path, text: &str) -> io::Result<()> {
    let mut rest = text;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.floor_char_boundary(MAX_CHUNK_BYTES));
        send_line(path, &format!("+{}", escape(chunk)))?;
        rest = after;
    }
    Ok(())
}

/// Sends the end of the input to the FIFO at `path`.
pub fn send_eof(path: &Path) -> io::Result<()> {
    send_line(path, EOF_MESSAGE)
}

fn send_line(path: &Path, line: &str) -> io::Result<()> {
    // Non-blocking: opening fails if the job does not read the FIFO.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let mut fifo = OpenOptions::new().write(true).custom_flags(flags).open(path)?;
    fifo.write_all(format!("{line}\n").as_bytes())
}

/// Forwards messages until the end message arrives or the run closes its stdin.
fn relay(messages: &File, mut stdin: PipeWriter) {
    for line in BufReader::new(messages).lines() {
        let Ok(line) = line else { return };
        let Some(text) = line.strip_prefix('+') else { return };
        if stdin.write_all(unescape(text).as_bytes()).is_err() {
            return;
        }
    }
}

/// Escapes backslashes and line breaks, so that the text fits on one line.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n")
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => {}
            },
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn escaping_round_trips(text in any::<String>()) {
            let line = escape(&text);
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(unescape(&line), text);
        }
    }
}
