//! Rewriting a command, where the host cannot have its result replaced.
//!
//! `git log` becomes `forebay run -- git log`. Never where that would dodge or break something: a command
//! that changes its shell, waits for input, runs on or redirects is left as it is.

use forebay_domain::hook::{Reply, ToolAction, ToolCall};
use forebay_policy::shell;
use forebay_text::shell_quote;

use super::{Host, tools};
use crate::App;

/// A longer command line is a script; scripts are left alone.
const MOST_BYTES: usize = 2_000;
/// Programs that change the shell they run in, or talk to a person.
const OF_THE_SHELL: &[&str] = &[
    "cd", "pushd", "popd", "export", "unset", "source", ".", "alias", "eval", "exec", "exit",
    "set", "trap", "ulimit", "umask", "wait", "jobs", "fg", "bg", "read", "sudo", "su", "ssh",
    "vim", "vi", "nano", "less", "more", "top", "htop", "man", "tmux", "screen", "watch",
];
/// Commands that print little, whatever they are asked.
const QUIET: &[&str] = &[
    "echo", "printf", "pwd", "mkdir", "rm", "mv", "cp", "touch", "chmod", "chown", "ln", "kill",
    "sleep", "true", "false", "test", "[", "which", "date", "whoami", "basename", "dirname",
    "forebay",
];

/// The command that runs in place of this one.
pub(super) fn rewritten(app: &App, host: &Host<'_>, call: &ToolCall) -> Option<Reply> {
    let ToolAction::Shell { command } = &call.action else { return None };
    let settings = &app.settings.hooks;
    if host.replaces_results || !settings.rewrite || !tools::is_captured(call, settings) {
        return None;
    }
    if !can_be_run_apart(command) {
        return None;
    }
    let program = host.program.as_deref()?;
    let words = [program, "run", "--digest", "--isolation", "off", "--", command.as_str()];
    let reply = Reply::Rewrite(shell_quote::arguments(&words));
    (host.supports)(&reply).then_some(reply)
}

/// Whether a process of its own does the same as the host's shell would.
fn can_be_run_apart(command: &str) -> bool {
    let command = command.trim();
    if command.is_empty() || command.len() > MOST_BYTES || command.ends_with('&') {
        return false;
    }
    let script = shell::parse(command);
    let programs: Vec<&str> = script
        .commands
        .iter()
        .filter_map(|command| command.words.first())
        .map(|word| word.source.rsplit('/').next().unwrap_or_default())
        .collect();
    let assigns_only = script.commands.iter().any(|command| command.words.is_empty());
    let redirects = script.commands.iter().any(|command| !command.redirects.is_empty());
    let is_loud = programs.iter().any(|program| !QUIET.contains(program));
    is_loud
        && !assigns_only
        && (!redirects || only_joins_streams(command))
        && !command.contains("<<")
        && !programs.iter().any(|program| OF_THE_SHELL.contains(program))
}

/// `2>&1` sends nothing elsewhere.
fn only_joins_streams(command: &str) -> bool {
    !command.replace("2>&1", "").contains(['<', '>'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_does_the_same_in_a_process_of_its_own_is_rewritten() {
        for (command, expect) in [
            ("git log", true),
            ("cargo test 2>&1 | tail -20", true),
            ("npm test && npm run lint", true),
            ("cd app && make", false),
            ("export A=1", false),
            ("A=1", false),
            ("source env.sh && make", false),
            ("make > out.txt", false),
            ("cat <<EOF\nx\nEOF", false),
            ("sleep 100 &", false),
            ("sudo make install", false),
            ("echo done", false),
            ("forebay get x", false),
            ("", false),
        ] {
            assert_eq!(can_be_run_apart(command), expect, "{command}");
        }
    }
}
