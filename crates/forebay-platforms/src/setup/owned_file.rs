//! Files that Forebay owns: hook files of hosts that read a folder, scripts, a plugin.

use serde_json::{Map, Value, json};

use super::entries::command;
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
        OwnedFile::CopilotHooks => pretty(&hook_lists(platform, program, "timeoutSec", true)),
        OwnedFile::VsCodeHooks => pretty(&hook_lists(platform, program, "timeout", false)),
        OwnedFile::KiroHooks => pretty(&kiro_hooks(platform, program)),
        OwnedFile::OpenCodePlugin => OPENCODE_PLUGIN
            .replace(PROGRAM_PLACEHOLDER, &Value::String(program.to_owned()).to_string()),
        OwnedFile::ClineScripts => {
            format!("#!/bin/sh\nexec {}\n", command(platform, event.unwrap_or_default(), program))
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

fn hook_lists(platform: &Platform, program: &str, timeout_key: &str, has_version: bool) -> Value {
    let hook = |event: &str| {
        let command = command(platform, event, program);
        json!([{ "type": "command", "command": command, timeout_key: TIMEOUT_SECONDS }])
    };
    let hooks: Map<String, Value> =
        platform.registered_events().map(|row| (row.name.to_owned(), hook(row.name))).collect();
    if has_version { json!({ "version": 1, "hooks": hooks }) } else { json!({ "hooks": hooks }) }
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
