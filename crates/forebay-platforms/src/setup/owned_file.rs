//! Files that Forebay owns: hook files of hosts that read a folder, scripts, a plugin.

use serde_json::{Map, Value, json};

use super::entries::{WINDOWS_COMMAND, command, program_in_script, script};
use super::{EditError, ModFile, OwnedFile};
use crate::Platform;

const OPENCODE_PLUGIN: &str = include_str!("opencode_plugin.js");
const CLINE_PLUGIN: &str = include_str!("cline_plugin.js");
const CLAUDE_CODE_MOD: &str = include_str!("claude_code_mod.ts");
/// The placeholder for the program's path in these files.
const PROGRAM_PLACEHOLDER: &str = "\"FOREBAY_PROGRAM\"";
/// What Claude Code writes into the folder of a mod: declarations of its types.
pub(super) const MOD_TYPES: &[&str] =
    &["skills/forebay/.claude-plugin/types", "skills/forebay/tsconfig.json"];
const MOD_DESCRIPTION: &str = "Hands tool results to `forebay hook claude-code ToolResult`.";
const TIMEOUT_SECONDS: u32 = 10;

pub(super) fn add(
    text: &str,
    platform: &Platform,
    kind: OwnedFile,
    program: &str,
) -> Result<String, EditError> {
    if !text.trim().is_empty() && !is_ours(text, platform) {
        return Err(EditError::NotOurs);
    }
    Ok(match kind {
        OwnedFile::CopilotHooks => pretty(&copilot_hooks(platform, program)),
        OwnedFile::VsCodeHooks => pretty(&vscode_hooks(platform, program)),
        OwnedFile::KiroHooks => pretty(&kiro_hooks(platform, program)),
        OwnedFile::OpenCodePlugin => with_program(OPENCODE_PLUGIN, program),
        OwnedFile::ClaudeCodeMod(ModFile::Module) => with_program(CLAUDE_CODE_MOD, program),
        OwnedFile::ClaudeCodeMod(ModFile::Manifest) => pretty(&mod_manifest()),
        OwnedFile::ClaudeCodeMod(ModFile::Hooks) => pretty(&mod_hooks()),
        OwnedFile::ClinePlugin => with_program(CLINE_PLUGIN, program),
        OwnedFile::ClineScript { event } => {
            format!("#!/bin/sh\n{}\n", script(platform, event, program, "\n"))
        }
    })
}

/// Empties a file that Forebay owns; leaves any other file unchanged.
pub(super) fn remove(text: &str, platform: &Platform) -> String {
    if is_ours(text, platform) { super::NEW_FILE.to_owned() } else { text.to_owned() }
}

/// Whether a program differs from its source in more than the path of Forebay.
pub(super) fn is_altered(text: &str, kind: OwnedFile) -> bool {
    let source = match kind {
        OwnedFile::OpenCodePlugin => OPENCODE_PLUGIN,
        OwnedFile::ClaudeCodeMod(ModFile::Module) => CLAUDE_CODE_MOD,
        OwnedFile::ClinePlugin => CLINE_PLUGIN,
        _ => return false,
    };
    let program = source.split_once(PROGRAM_PLACEHOLDER).and_then(|(start, end)| {
        text.strip_prefix(start)?.strip_suffix(end).map(serde_json::from_str::<String>)
    });
    !matches!(program, Some(Ok(_)))
}

/// The program that a file of ours starts.
pub(super) fn program(text: &str) -> Option<String> {
    let of_script = || {
        let is_json = text.trim_start().starts_with('{');
        let script = if is_json { super::invocation::unescaped(text) } else { text.to_owned() };
        program_in_script(&script)
    };
    // A plugin has it in a constant.
    let constant = text.lines().find_map(|line| line.strip_prefix("const PROGRAM = "));
    match constant {
        Some(value) => serde_json::from_str(value.trim_end_matches(';')).ok(),
        None => of_script(),
    }
}

fn is_ours(text: &str, platform: &Platform) -> bool {
    text.contains(&format!(" hook {} ", platform.id))
}

fn with_program(source: &str, program: &str) -> String {
    source.replace(PROGRAM_PLACEHOLDER, &Value::String(program.to_owned()).to_string())
}

fn mod_manifest() -> Value {
    json!({ "name": "forebay", "version": env!("CARGO_PKG_VERSION"), "description": MOD_DESCRIPTION })
}

fn mod_hooks() -> Value {
    json!({ "description": MOD_DESCRIPTION, "modules": ["./forebay.ts"] })
}

fn copilot_hooks(platform: &Platform, program: &str) -> Value {
    let hook = |event: &str| {
        json!([{
            "type": "command",
            "bash": command(platform, event, program),
            "powershell": WINDOWS_COMMAND,
            "timeoutSec": TIMEOUT_SECONDS,
        }])
    };
    json!({ "version": 1, "hooks": hooks_by_event(platform, hook) })
}

fn vscode_hooks(platform: &Platform, program: &str) -> Value {
    let hook = |event: &str| {
        json!([{
            "type": "command",
            "command": command(platform, event, program),
            "windows": WINDOWS_COMMAND,
            "timeout": TIMEOUT_SECONDS,
        }])
    };
    json!({ "hooks": hooks_by_event(platform, hook) })
}

fn hooks_by_event(platform: &Platform, hook: impl Fn(&str) -> Value) -> Map<String, Value> {
    platform.registered_events().map(|row| (row.name.to_owned(), hook(row.name))).collect()
}

fn kiro_hooks(platform: &Platform, program: &str) -> Value {
    let hook = |event: &'static str| {
        json!({
            "name": format!("forebay {event}"),
            "trigger": event,
            "action": { "type": "command", "command": command(platform, event, program) },
            "timeout": TIMEOUT_SECONDS,
            "enabled": true,
        })
    };
    let hooks: Vec<Value> = platform.registered_events().map(|row| hook(row.name)).collect();
    json!({ "version": "v1", "hooks": hooks })
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
