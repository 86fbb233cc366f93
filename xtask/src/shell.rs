//! The processes that chores start: cargo, git, npm, and Forebay itself.

use std::env;
use std::ffi::OsStr;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// A command to be filled in.
#[expect(
    clippy::disallowed_methods,
    reason = "chores start tools; the product's sandbox is not meant for that"
)]
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

/// The cargo that runs this chore.
pub(crate) fn cargo() -> Command {
    command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command to its end, its output going where ours goes.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", words(command)))?;
    if !status.success() {
        bail!("failed ({status}): {}", words(command));
    }
    Ok(())
}

/// Runs a command that must succeed and gives what it wrote to stdout.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>> {
    command.stdin(Stdio::null());
    let output = command.output().with_context(|| format!("cannot start {}", words(command)))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let stdout = String::from_utf8_lossy(&output.stdout);
        bail!("failed ({}): {}\n{stdout}{stderr}", output.status, words(command));
    }
    Ok(output.stdout)
}

/// Likewise, as text.
pub(crate) fn text(command: &mut Command) -> Result<String> {
    Ok(String::from_utf8(output(command)?)?)
}

/// Whether a command can be started and succeeds; nothing of it is shown.
pub(crate) fn works(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// A command as one would type it.
pub(crate) fn words(command: &Command) -> String {
    let program = command.get_program().to_string_lossy().into_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_an_error_that_names_it() {
        let error = output(command("sh").args(["-c", "echo why >&2; exit 3"])).unwrap_err();
        let told = error.to_string();
        assert!(told.contains("sh -c") && told.contains("why") && told.contains('3'), "{told}");
    }

    #[test]
    fn a_missing_program_does_not_work() {
        assert!(works(&mut command("true")));
        assert!(!works(&mut command("no-such-program-anywhere")));
    }
}
