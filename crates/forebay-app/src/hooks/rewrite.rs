//! Rewrites commands on hosts that do not allow whole results to be replaced; on others, see `whole_output`.
//!
//! `git log` becomes `forebay run -- git log`, except where that would bypass or break something: commands that
//! change the shell, wait for input, run in the background or redirect output are left unchanged.

use forebay_domain::hook::{Reply, ToolAction, ToolCall};
use forebay_policy::shell;
use forebay_text::shell_quote;

use super::{Host, capture_filter, whole_output};
use crate::App;

/// Longer command lines are scripts, which are left unchanged.
const MAX_COMMAND_BYTES: usize = 2_000;
/// Programs that change their shell, are interactive, or start others that outlive them: a run ends all its processes.
const SHELL_BOUND: &[&str] = &[
    "cd", "pushd", "popd", "export", "unset", "source", ".", "alias", "eval", "exec", "exit",
    "set", "trap", "ulimit", "umask", "wait", "jobs", "fg", "bg", "read", "sudo", "su", "ssh",
    "vim", "vi", "nano", "less", "more", "top", "htop", "man", "tmux", "screen", "watch", "nohup",
    "setsid", "disown", "daemon",
];
/// Commands with little output.
const QUIET: &[&str] = &[
    "echo", "printf", "pwd", "mkdir", "rm", "mv", "cp", "touch", "chmod", "chown", "ln", "kill",
    "sleep", "true", "false", "test", "[", "which", "date", "whoami", "basename", "dirname",
    "forebay",
];

/// Returns the command to run instead.
pub(super) fn rewrite(app: &App, host: &Host<'_>, call: &ToolCall) -> Option<Reply> {
    let ToolAction::Shell { command } = &call.action else { return None };
    if !capture_filter::is_captured(call, &app.settings.hooks) || !is_rewritable(command) {
        return None;
    }
    let rewritten = if host.results.is_replaceable {
        whole_output::wrapped(app, host, call, command)?
    } else {
        run_for_digest(app, host, command)?
    };
    let reply = Reply::Rewrite(rewritten);
    (host.supports)(&reply).then_some(reply)
}

/// The command line that runs a command through Forebay, which prints its digest.
fn run_for_digest(app: &App, host: &Host<'_>, command: &str) -> Option<String> {
    if !app.settings.hooks.rewrite {
        return None;
    }
    let program = host.program.as_deref()?;
    // The output belongs to this conversation, and so does what the digest saves.
    let session: &[&str] = if host.names_session { &[] } else { &["--session", &app.session] };
    let options = ["--isolation", "off", "--", command];
    let words = [&[program, "run", "--digest"], session, &options].concat();
    Some(shell_quote::arguments(&words))
}

/// The command line that [`run_for_digest`] made this one of.
pub(super) fn original(rewritten: &str) -> Option<String> {
    // Parsing is slow, and few commands contain these words.
    if !rewritten.contains(" run --digest ") {
        return None;
    }
    let script = shell::parse(rewritten);
    let words = &script.commands.first()?.words;
    let [_, verb, option, .., end, original] = &words[..] else { return None };
    let is_ours = [(verb, "run"), (option, "--digest"), (end, "--")]
        .into_iter()
        .all(|(word, source)| word.source == source);
    if is_ours { original.known() } else { None }
}

/// Whether a separate process has the same effect as the host's shell.
pub(crate) fn is_rewritable(command: &str) -> bool {
    let command = command.trim();
    if command.is_empty() || command.len() > MAX_COMMAND_BYTES {
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
        && !script.has_background
        && !assigns_only
        && (!redirects || only_joins_streams(command))
        && !command.contains("<<")
        && !whole_output::leaves_server(command)
        && !programs.iter().any(|program| SHELL_BOUND.contains(program))
}

/// Whether the only redirection is `2>&1`.
fn only_joins_streams(command: &str) -> bool {
    !command.replace("2>&1", "").contains(['<', '>'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_command_that_was_rewritten() {
        let command = "cargo test 2>&1 | grep 'it'";
        let words = ["/opt/forebay", "run", "--digest", "--session", "s", "--isolation", "off"];
        let rewritten = shell_quote::arguments(&[&words[..], &["--", command]].concat());
        assert_eq!(original(&rewritten).as_deref(), Some(command));
        assert_eq!(original(command), None);
        assert_eq!(original("echo forebay run --digest x"), None);
    }

    #[test]
    fn rewrites_only_commands_with_the_same_effect_in_a_separate_process() {
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
            ("server & curl -s localhost", false),
            ("nohup server", false),
            ("pg_ctl -D data start", false),
            ("make && setsid server", false),
            ("sudo make install", false),
            ("echo done", false),
            ("forebay get x", false),
            ("", false),
        ] {
            assert_eq!(is_rewritable(command), expect, "{command}");
        }
    }
}
