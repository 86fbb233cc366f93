//! Keeps the whole output of a failing command on a host that passes on only a part of it.
//!
//! The command runs through `forebay run`, which prints a short output as it is and the digest of a long one. This is
//! done only where it changes nothing else:
//!
//! - the host allows the command without asking, and Forebay's mod keeps that verdict for the rewritten one;
//! - a separate process has the same effect (`rewrite::is_rewritable`), the exit code is not a result like that of
//!   `grep`, which the host knows by the program's name, and the program is not known to leave a server running;
//! - no alias or function has the name of one of the programs. Only the host's shell knows, so the command line asks it.

use std::collections::BTreeSet;

use forebay_domain::hook::{HookCall, HookEvent, ToolAction, ToolCall};
use forebay_domain::soft_failure;
use forebay_policy::{Unmatched, shell};
use forebay_text::shell_quote;

use super::Host;
use crate::{App, rules};

/// The host's own timeout applies.
const TIMEOUT_MS: &str = "86400000";
/// Programs that are part of the shell.
const BUILTINS: &[&str] = &["echo", "printf", "pwd", "test", "[", "true", "false", "kill"];

/// Programs that leave a server running, which makes their next start faster; it would end with the run.
const WITH_SERVERS: &[&str] = &[
    "gradle", "gradlew", "mvnd", "bazel", "bazelisk", "buck2", "sbt", "sbtn", "watchman", "adb",
    "emulator", "sccache", "flutter", "pg_ctl", "pm2", "minikube",
];

const START: &str = "case ${BASH_VERSION:+bash}";
const ELSE: &str = ";; *) ";
/// On a line of its own, because the command may end with a comment.
const END: &str = "\n;; esac";

/// The command line that keeps the whole output of a command, if this changes nothing else.
pub(super) fn wrapped(
    app: &App,
    host: &Host<'_>,
    call: &ToolCall,
    command: &str,
) -> Option<String> {
    let is_allowed = host.loaded_mod.as_ref().is_some_and(|loaded| loaded.allows_unasked);
    if !is_allowed || !app.settings.hooks.whole_output {
        return None;
    }
    let (program, names) = (host.program.as_deref()?, external_programs(command)?);
    if soft_failure::may_be_result(command) || !can_run(app, call) {
        return None;
    }
    let raw = app.settings.hooks.threshold.to_string();
    let options = ["--raw-up-to", &raw, "--timeout-ms", TIMEOUT_MS, "--isolation", "off"];
    let words = [&[program, "run", "--digest"], &options[..], &["--", command]].concat();
    let run = shell_quote::arguments(&words);
    let lookups: String = names.iter().map(|name| format!(":$(command -v {name})")).collect();
    let paths = ":/*".repeat(names.len());
    Some(format!("{START}{lookups} in bash{paths}) {run}{ELSE}{command}{END}"))
}

/// Whether `forebay run` would start the command: its rules do not object, and its output can be stored.
fn can_run(app: &App, call: &ToolCall) -> bool {
    app.settings.rules.unmatched == Unmatched::Run
        && matches!(rules::before_a_tool(app, call), Ok(None))
        && app.stores.own().is_ok()
}

/// Whether a program of the command is known to leave a server running: a run would end it.
pub(super) fn leaves_server(command: &str) -> bool {
    let script = shell::parse(command);
    let mut words = script.commands.iter().flat_map(|command| &command.words);
    words.any(|word| WITH_SERVERS.contains(&word.source.rsplit('/').next().unwrap_or_default()))
}

/// The names of the programs that are not part of the shell; `None` if one is not spelled out.
fn external_programs(command: &str) -> Option<BTreeSet<String>> {
    let is_plain =
        |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+/".contains(c));
    let script = shell::parse(command);
    let words = script.commands.iter().filter_map(|command| command.words.first());
    let names: Vec<&str> = words.map(|word| word.source.as_ref()).collect();
    let external = |name: &&str| !BUILTINS.contains(name) && !name.contains('/');
    let is_spelled_out = names.iter().all(|name| BUILTINS.contains(name) || is_plain(name));
    is_spelled_out.then(|| names.into_iter().filter(external).map(str::to_owned).collect())
}

/// The call with the command that the model wrote, if the host reports the wrapped one.
pub(super) fn with_original_command(call: &HookCall) -> Option<HookCall> {
    let HookEvent::AfterTool(tool, _) = &call.event else { return None };
    let ToolAction::Shell { command } = &tool.action else { return None };
    let original = original(command)?.to_owned();
    let mut call = call.clone();
    if let HookEvent::AfterTool(tool, _) = &mut call.event {
        tool.action = ToolAction::Shell { command: original };
    }
    Some(call)
}

/// The command inside a wrapped one.
pub(super) fn original(wrapped: &str) -> Option<&str> {
    let inner = wrapped.strip_prefix(START)?.strip_suffix(END)?;
    inner.match_indices(ELSE).find_map(|(at, _)| {
        let command = &inner[at + ELSE.len()..];
        inner[..at].ends_with(&shell_quote::arguments(&["--", command])).then_some(command)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_the_shell_about_every_program_that_is_not_part_of_it() {
        let names = |command| {
            let names = external_programs(command)?;
            Some(names.into_iter().collect::<Vec<_>>().join(" "))
        };
        assert_eq!(names("npm test && npm run lint | tee").as_deref(), Some("npm tee"));
        assert_eq!(names("./x.sh; echo done").as_deref(), Some(""));
        assert_eq!(names("$PROGRAM x"), None);
    }

    #[test]
    fn knows_programs_that_leave_a_server() {
        for command in
            ["./gradlew test", "cd a; env bazel build //...", "timeout 9 sbt test | tail"]
        {
            assert!(leaves_server(command), "{command}");
        }
        assert!(!leaves_server("cargo test"));
    }

    #[test]
    fn finds_the_command_in_a_wrapped_one() {
        for command in ["npm test", "a 'b' # c", "echo ';; *) x'", ";; *) "] {
            let quoted = shell_quote::arguments(&["--", command]);
            let wrapped = format!(
                "{START}:$(command -v npm) in bash:/*) forebay run {quoted}{ELSE}{command}{END}"
            );
            assert_eq!(original(&wrapped), Some(command));
        }
        assert_eq!(original("npm test"), None);
        assert_eq!(original(&format!("{START} in x) forebay run -- a{ELSE}b{END}")), None);
    }
}
