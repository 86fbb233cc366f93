//! Files that are all Forebay's: hook files of hosts that read a folder, scripts, a plugin.

use serde_json::{Map, Value, json};

use super::entries::command;
use super::{CannotEdit, WholeFile};
use crate::Platform;

const OPENCODE_PLUGIN: &str = include_str!("opencode_plugin.js");
/// Stands in the plugin for the program's path.
const PROGRAM: &str = "\"FOREBAY_PROGRAM\"";
const SECONDS: u32 = 10;

pub(super) fn add(
    text: &str,
    platform: &Platform,
    kind: WholeFile,
    event: Option<&str>,
    program: &str,
) -> Result<String, CannotEdit> {
    if !text.trim().is_empty() && !is_ours(text, platform) {
        return Err(CannotEdit::Taken);
    }
    Ok(match kind {
        WholeFile::CopilotHooks => pretty(&listed(platform, program, "timeoutSec", true)),
        WholeFile::VsCodeHooks => pretty(&listed(platform, program, "timeout", false)),
        WholeFile::KiroHooks => pretty(&kiro(platform, program)),
        WholeFile::OpenCodePlugin => {
            OPENCODE_PLUGIN.replace(PROGRAM, &Value::String(program.to_owned()).to_string())
        }
        WholeFile::ClineScripts => {
            format!("#!/bin/sh\nexec {}\n", command(platform, event.unwrap_or_default(), program))
        }
    })
}

/// Nothing is left of a file of ours; another one stays as it is.
pub(super) fn remove(text: &str, platform: &Platform) -> String {
    if is_ours(text, platform) { super::NEW_FILE.to_owned() } else { text.to_owned() }
}

fn is_ours(text: &str, platform: &Platform) -> bool {
    text.contains(&format!(" hook {} ", platform.id))
}

fn listed(platform: &Platform, program: &str, time: &str, has_version: bool) -> Value {
    let hook = |event: &str| {
        let command = command(platform, event, program);
        json!([{ "type": "command", "command": command, time: SECONDS }])
    };
    let hooks: Map<String, Value> =
        platform.registered().map(|row| (row.name.to_owned(), hook(row.name))).collect();
    if has_version { json!({ "version": 1, "hooks": hooks }) } else { json!({ "hooks": hooks }) }
}

fn kiro(platform: &Platform, program: &str) -> Value {
    let hook = |event: &'static str| {
        json!({
            "name": format!("forebay {event}"),
            "trigger": event,
            "action": { "type": "command", "command": command(platform, event, program) },
            "timeout": SECONDS,
            "enabled": true,
        })
    };
    let hooks: Vec<Value> = platform.registered().map(|row| hook(row.name)).collect();
    json!({ "version": "v1", "hooks": hooks })
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
