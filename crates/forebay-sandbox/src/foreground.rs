//! Runs a program of the user's choice in the foreground: it has the terminal, and no restrictions.

use std::ffi::OsStr;
use std::io;
use std::process::{Command, ExitStatus};

/// Runs a command line, such as the value of `EDITOR`, with one more argument.
#[expect(clippy::disallowed_methods, reason = "this crate is the one that owns processes")]
pub fn run_in_foreground(command_line: &str, argument: &OsStr) -> io::Result<ExitStatus> {
    // As git does it: the command line may have options and quotes.
    let script = format!("{command_line} \"$@\"");
    Command::new("/bin/sh").args(["-c", &script, command_line]).arg(argument).status()
}
