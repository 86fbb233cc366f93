//! Files that Forebay owns: hook files of hosts that read a folder, scripts, a plugin.

use serde_json::{Map, Value, json};

use super::entries::{WINDOWS_COMMAND, command, script};
use super::{EditError, OwnedFile};
use crate::Platform;

const OPENCODE_PLUGIN: &str = include_str!("opencode_plugin.js");
/// The placeholder for the program's path in the plugin.
const PROGRAM_PLACEHOLDER: &str = "\"FOREBAY_PROGRAM\"";
const TIMEOUT_SECONDS: u32 = 10;

pub(super) fn add(
    text: &str,
    platform: &Platform,
    kind: OwnedFile,
    event: Option<&str>,
    program: &str,
) -> Result<String, EditError> {
    if !text.trim().is_empty() && !is_ours(text, platform) {
        return Err(EditError::NotOurs);
    }
    Ok(match kind {
        OwnedFile::CopilotHooks => pretty(&copilot_hooks(platform, program)),
        OwnedFile::VsCodeHooks => pretty(&vscode_hooks(platform, program)),
        OwnedFile::KiroHooks => pretty(&kiro_hooks(platform, program)),
        OwnedFile::OpenCodePlugin => OPENCODE_PLUGIN
            .replace(PROGRAM_PLACEHOLDER, &Value::String(program.to_owned()).to_string()),
        OwnedFile::ClineScripts => {
            format!("#!/bin/sh\n{}\n", script(platform, event.unwrap_or_default(), program, "\n"))
        }
    })
}

/// Empties a file that Forebay owns; leaves any other file unchanged.
pub(super) fn remove(text: &str, platform: &Platform) -> String {
    if is_ours(text, platform) { super::NEW_FILE.to_owned() } else { text.to_owned() }
}

fn is_ours(text: &str, platform: &Platform) -> bool {
    text.contains(&format!(" hook {} ", platform.id))
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
