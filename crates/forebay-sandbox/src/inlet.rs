//! An inlet: a named pipe through which any process of this user sends input to a run.
//!
//! A message is one line, so that the end of the input can be told as well.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, PipeWriter, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};

use crate::spec::{PipeEnd, Stdin};

/// The message that no more comes.
const END: &str = "end";
/// Escaped it is at most twice as long: a line that the system writes whole or not at all.
const LONGEST_PIECE: usize = 2_000;

/// Makes an inlet at `path`; what is sent there becomes the input of the run that gets the result.
pub fn make(path: &Path) -> io::Result<Stdin> {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
    // Open for writing too, so that it never ends while no sender has it open.
    let messages = OpenOptions::new().read(true).write(true).open(path)?;
    let (run_reads, we_write) = io::pipe()?;
    thread::spawn(move || relay(&messages, we_write));
    Ok(Stdin::Pipe(PipeEnd(Arc::new(OwnedFd::from(run_reads)))))
}

/// Sends text to the inlet at `path`.
pub fn send(path: &Path, text: &str) -> io::Result<()> {
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(LONGEST_PIECE));
        send_line(path, &format!("+{}", escaped(piece)))?;
        rest = after;
    }
    Ok(())
}

/// Tells that no more input comes.
pub fn end(path: &Path) -> io::Result<()> {
    send_line(path, END)
}

fn send_line(path: &Path, line: &str) -> io::Result<()> {
    // Without waiting: where nobody reads there is no job.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let mut inlet = OpenOptions::new().write(true).custom_flags(flags).open(path)?;
    inlet.write_all(format!("{line}\n").as_bytes())
}

/// Passes messages on until the end is told or the run has closed its input.
fn relay(messages: &File, mut run: PipeWriter) {
    for line in BufReader::new(messages).lines() {
        let Ok(line) = line else { return };
        let Some(text) = line.strip_prefix('+') else { return };
        if run.write_all(unescaped(text).as_bytes()).is_err() {
            return;
        }
    }
}

/// On one line: `\` and line breaks are written as `\\`, `\n`.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n")
}

fn unescaped(text: &str) -> String {
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
        fn a_text_arrives_as_it_was(text in any::<String>()) {
            let line = escaped(&text);
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(unescaped(&line), text);
        }
    }
}
