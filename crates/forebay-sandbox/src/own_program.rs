//! This program, started once more with a task of its own.

use std::ffi::OsString;
use std::io;
use std::mem::ManuallyDrop;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// This program, with the arguments that give it its task.
#[derive(Debug, Clone)]
pub struct OwnProgram {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
}

impl OwnProgram {
    /// Starts it for a task that nobody waits for. Its stdin ends when this process does: by that it knows when to
    /// begin. What a terminal sends to this process is not meant for it.
    pub fn start_for_afterwards(&self) -> io::Result<()> {
        let mut command = self.command();
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0).spawn()?;
        let _held_until_we_end = ManuallyDrop::new(child.stdin.take());
        Ok(())
    }

    /// It says nothing beside what it answers.
    #[expect(clippy::disallowed_methods, reason = "this crate is the one that owns processes")]
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stderr(Stdio::null());
        command
    }
}
