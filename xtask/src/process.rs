//! Starts the programs that tasks need: cargo, git, npm, and Forebay itself.

use std::env;
use std::ffi::OsStr;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Creates a command for a program.
#[expect(
    clippy::disallowed_methods,
    reason = "tasks start development tools; the product's sandbox is not meant for that"
)]
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

/// Returns the cargo that runs this task.
pub(crate) fn cargo() -> Command {
    command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command to its end with inherited stdout and stderr.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| cannot_start(command))?;
    if !status.success() {
        bail!("failed ({status}): {}", command_line(command));
    }
    Ok(())
}

/// Runs a command that must succeed and returns its stdout.
pub(crate) fn stdout(command: &mut Command) -> Result<Vec<u8>> {
    command.stdin(Stdio::null());
    let output = command.output().with_context(|| cannot_start(command))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let stdout = String::from_utf8_lossy(&output.stdout);
        bail!("failed ({}): {}\n{stdout}{stderr}", output.status, command_line(command));
    }
    Ok(output.stdout)
}

/// Like [`stdout`], as text.
pub(crate) fn stdout_text(command: &mut Command) -> Result<String> {
    Ok(String::from_utf8(stdout(command)?)?)
}

/// Returns whether a command can be started and succeeds; its output is discarded.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Formats a command as typed in a shell, without quoting.
pub(crate) fn command_line(command: &Command) -> String {
    let program = command.get_program().to_string_lossy().into_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
}

fn cannot_start(command: &Command) -> String {
    format!("cannot start {}", command_line(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_of_a_failing_command_names_it() {
        let error = stdout(command("sh").args(["-c", "echo why >&2; exit 3"])).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("sh -c") && text.contains("why") && text.contains('3'), "{text}");
    }

    #[test]
    fn missing_program_does_not_succeed() {
        assert!(succeeds(&mut command("true")));
        assert!(!succeeds(&mut command("no-such-program-anywhere")));
    }
}
