//! Opens a file with the program that the user's desktop has for it.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::search_path::{WritableByRuns, find_trusted, trusted_path};

/// The programs that open a file, of macOS and of Linux desktops.
const OPENERS: &[&str] = if cfg!(target_os = "macos") { &["open"] } else { &["xdg-open", "gio"] };

/// Opens a file without waiting for the program; an error if there is none to open it with. No program takes
/// part that a run could have made.
#[expect(clippy::disallowed_methods, reason = "this crate is the one that owns processes")]
pub fn open_in_desktop(file: &Path, writable: &WritableByRuns) -> io::Result<()> {
    let opener = OPENERS.iter().find_map(|name| Some((name, find_trusted(name, writable)?)));
    let (name, program) = opener.ok_or(io::ErrorKind::NotFound)?;
    let mut command = Command::new(program);
    if *name == "gio" {
        command.arg("open");
    }
    command.env("PATH", trusted_path(writable));
    command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.process_group(0).spawn()?;
    // Reaps it whenever it ends; nothing depends on how.
    std::thread::spawn(move || child.wait());
    Ok(())
}
