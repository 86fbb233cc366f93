//! Starts the current executable again, with arguments that select a task.

use std::ffi::OsString;
use std::io;
use std::mem::ManuallyDrop;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Returns the path of this process's executable, without links, as it was at the first call.
///
/// Linux would call one that was replaced since then `forebay (deleted)`.
pub fn own_executable() -> Option<&'static Path> {
    static EXECUTABLE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let current = || std::env::current_exe().ok()?.canonicalize().ok();
    EXECUTABLE.get_or_init(current).as_deref()
}

/// The command line that re-executes the current binary.
#[derive(Debug, Clone)]
pub struct ReexecCommand {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
}

impl ReexecCommand {
    /// Starts a detached process that is to begin its task when this process exits.
    ///
    /// Its stdin reaches EOF at that moment. It runs in its own process group, out of reach of the
    /// terminal's signals.
    pub fn spawn_after_exit(&self) -> io::Result<()> {
        let mut command = self.command();
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0).spawn()?;
        let _open_until_exit = ManuallyDrop::new(child.stdin.take());
        Ok(())
    }

    /// Returns the command with stderr discarded.
    #[expect(clippy::disallowed_methods, reason = "this crate is the one that owns processes")]
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stderr(Stdio::null());
        command
    }
}
