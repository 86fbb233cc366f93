//! The values that Forebay writes into settings: the MCP server and the hooks.

use serde_json::{Value, json};

use super::{HookLayout, ServerEntry};
use crate::Platform;

/// The entry of the MCP server.
pub(super) fn server(entry: ServerEntry, program: &str) -> Value {
    match entry {
        ServerEntry::Plain => json!({ "command": program, "args": ["mcp"] }),
        ServerEntry::Stdio => json!({ "type": "stdio", "command": program, "args": ["mcp"] }),
        ServerEntry::AlwaysLoaded => {
            json!({ "type": "stdio", "command": program, "args": ["mcp"], "alwaysLoad": true })
        }
        ServerEntry::AlwaysLoadTools => {
            json!({ "command": program, "args": ["mcp"], "alwaysLoadTools": true })
        }
        ServerEntry::Local => {
            json!({ "type": "local", "command": program, "args": ["mcp"], "tools": ["*"] })
        }
        ServerEntry::OpenCode => {
            json!({ "type": "local", "command": [program, "mcp"], "enabled": true })
        }
    }
}

/// The entry of a hook in an event's list.
pub(super) fn hook(platform: &Platform, layout: HookLayout, event: &str, program: &str) -> Value {
    let command = command(platform, event, program);
    match layout {
        HookLayout::Grouped { matcher, timeout, windows } => {
            let mut hook = json!({ "type": "command", "command": command });
            if let Some(key) = windows {
                hook[key] = WINDOWS_COMMAND.into();
            }
            hook["timeout"] = timeout.into();
            match matcher {
                Some(matcher) => json!({ "matcher": matcher, "hooks": [hook] }),
                None => json!({ "hooks": [hook] }),
            }
        }
        HookLayout::Flat { .. } => json!({ "command": command }),
        HookLayout::Named { timeout } => {
            json!({ "type": "command", "command": command, "timeout": timeout })
        }
    }
}

/// A hook's command on Windows, where hosts have a field for it: Forebay does not run there.
pub(super) const WINDOWS_COMMAND: &str = "exit 0";

/// The command line of a hook.
///
/// It starts `sh` itself: hosts run it in different shells, and some in none.
pub(super) fn command(platform: &Platform, event: &str, program: &str) -> String {
    in_shell(&script(platform, event, program, "; "))
}

const SHELL: &str = "sh -c '";

fn in_shell(script: &str) -> String {
    format!("{SHELL}{}'", script.replace('\'', r"'\''"))
}

/// The shell script of a hook, which does nothing where Forebay is not installed.
///
/// Settings files reach other machines: a project's with the project, a user's with the dotfiles. There the script
/// must succeed without output, because some hosts deny every tool call whose hook fails. It reads its
/// input to the end, as the hook would, so that no host fails to write it.
pub(super) fn script(platform: &Platform, event: &str, program: &str, separator: &str) -> String {
    guarded(program, &arguments(platform, event), separator)
}

/// What a guarded script begins with; the program follows.
const GUARD: &str = "command -v ";

/// A script that starts Forebay where it is installed, and elsewhere reads its input.
fn guarded(program: &str, arguments: &str, separator: &str) -> String {
    guarded_word(&shell_quoted(program), arguments, separator)
}

fn guarded_word(program: &str, arguments: &str, separator: &str) -> String {
    format!(
        "{GUARD}{program} >/dev/null 2>&1 || {{ cat >/dev/null 2>&1; exit 0; }}{separator}\
         exec {program} {arguments}"
    )
}

/// The command of a status line that Forebay has for itself.
pub(super) fn status_line(platform: &Platform, program: &str) -> String {
    in_shell(&guarded(program, &status_line_arguments(platform), "; "))
}

/// Whether a command is nothing but Forebay's status line.
pub(super) fn is_status_line(command: &str, platform: &Platform) -> bool {
    is_guarded(command, &status_line_arguments(platform))
}

/// Whether a command is nothing but a guarded start of Forebay with these arguments, whatever the path of the program.
fn is_guarded(command: &str, arguments: &str) -> bool {
    let rest = command.strip_prefix(SHELL).and_then(|rest| rest.strip_prefix("command -v "));
    let Some((program, _)) = rest.and_then(|rest| rest.split_once(" >/dev/null 2>&1 || ")) else {
        return false;
    };
    // The program is quoted for the inner shell, and once more for the outer one.
    let inner = program.replace(r"'\''", "'");
    let is_one_word = shell_quoted(&unquoted(&inner)) == inner;
    is_one_word && command == in_shell(&guarded_word(&inner, arguments, "; "))
}

/// The path that `shell_quoted` quotes like this.
fn unquoted(word: &str) -> String {
    let Some(inside) = word.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return word.to_owned();
    };
    let mut characters = inside.chars();
    let next = |characters: &mut std::str::Chars<'_>| match characters.next()? {
        '\\' => characters.next(),
        character => Some(character),
    };
    std::iter::from_fn(|| next(&mut characters)).collect()
}

fn status_line_arguments(platform: &Platform) -> String {
    format!("statusline {}", platform.id)
}

/// The arguments of a hook's command line, which identify it whatever the path of the program.
pub(super) fn arguments(platform: &Platform, event: &str) -> String {
    format!("hook {} {event}", platform.id)
}

/// Whether an entry of an event's list is this hook and nothing else.
pub(super) fn is_hook(entry: &Value, platform: &Platform, event: &str) -> bool {
    let end = format!(" {}", arguments(platform, event));
    let is_ours = |hook: &Value| {
        let command = hook.get("command").and_then(Value::as_str);
        // Earlier versions wrote the command without a shell around it.
        command.is_some_and(|command| command.trim_end_matches('\'').ends_with(&end))
    };
    match entry.get("hooks").and_then(Value::as_array) {
        Some(hooks) => !hooks.is_empty() && hooks.iter().all(is_ours),
        None => is_ours(entry),
    }
}

/// The program that the first guarded script in a text starts.
pub(super) fn program_in_script(text: &str) -> Option<String> {
    let (_, rest) = text.split_once(GUARD)?;
    let (quoted, _) = rest.split_once(" >/dev/null")?;
    let quoted = quoted.replace(r"'\''", "'");
    let Some(inner) = quoted.strip_prefix('"') else { return Some(quoted) };
    let mut program = String::new();
    let mut chars = inner.strip_suffix('"')?.chars();
    while let Some(c) = chars.next() {
        program.push(if c == '\\' { chars.next()? } else { c });
    }
    Some(program)
}

/// Quotes a program's path for a shell.
fn shell_quoted(program: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./:-@+~".contains(c);
    if !program.is_empty() && program.chars().all(is_plain) {
        return program.to_owned();
    }
    let escaped: String = program
        .chars()
        .flat_map(|c| if "\"$`\\".contains(c) { vec!['\\', c] } else { vec![c] })
        .collect();
    format!("\"{escaped}\"")
}
