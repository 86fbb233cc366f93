//! The permission rules in force, how a command is parsed and judged, and what isolation does here.

use forebay_policy::{Mode, Trust, shell};
use forebay_sandbox::CancelToken;
use serde_json::{Value, json};

use super::shown;
use crate::rules::{self, Input};
use crate::tools::doctor;
use crate::{App, AppError};

/// Rules and files that are listed.
const MAX_LISTED: usize = 2_000;
/// Commands of a text that are listed.
const MAX_COMMANDS: usize = 200;
/// Longer inputs are refused.
const MAX_INPUT_BYTES: usize = 16 * 1024;

/// Returns the rules as their files have them now, and the files that were read.
pub fn in_force(app: &App) -> Result<Value, AppError> {
    let in_force = rules::load(&rules::environment(app))?;
    let written: Vec<Value> = in_force
        .written
        .iter()
        .take(MAX_LISTED)
        .map(|one| {
            json!({
                "list": one.list.as_str(),
                "rule": one.text,
                "origin": one.origin.as_str(),
                "file": one.file.to_string_lossy(),
            })
        })
        .collect();
    let files = in_force.files.iter().filter(|file| file.2).take(MAX_LISTED);
    let warnings = in_force.warnings.iter().take(MAX_LISTED);
    Ok(shown::data(json!({
        "rules": written,
        "total": in_force.written.len(),
        "files": files.map(|(origin, path, _)| json!({
            "origin": origin.as_str(),
            "path": path.to_string_lossy(),
        })).collect::<Vec<_>>(),
        "absent": in_force.files.iter().filter(|file| !file.2).count(),
        "warnings": warnings.map(ToString::to_string).collect::<Vec<_>>(),
        "managed_only": in_force.managed_only,
        "trusted": in_force.trust == Trust::Workspace,
        "unmatched": app.settings.rules.unmatched.as_str(),
    })))
}

/// Returns what the rules decide about a call, without making it, and the commands that a shell text runs.
pub fn judge(app: &App, tool: &str, text: &str, mode: Option<&str>) -> Result<Value, AppError> {
    if text.len() > MAX_INPUT_BYTES {
        return Err(AppError::bad_input(
            "the input is too long",
            "forebay rules check judges any input",
        ));
    }
    let mode = mode.filter(|name| !name.is_empty()).map(read_mode).transpose()?;
    let environment = rules::environment(app);
    let in_force = rules::load(&environment)?;
    // Without a mode of the host, Forebay's own tools would make the call.
    let mode = mode.unwrap_or(Mode::Forebay(app.settings.rules.unmatched));
    let mut around = in_force.circumstances(&environment, Some(mode));
    around.allows_loopback = app.settings.fetch.loopback;
    let input = Input { main: text.to_owned(), ..Input::default() };
    let verdict = rules::decide(tool, &input, &in_force.rules, &around);
    let mut data = Value::Object(rules::to_json(&verdict, &in_force.warnings));
    if tool == "Bash" {
        data["parsed"] = parsed(text);
    }
    Ok(shown::data(data))
}

/// Returns what isolation does here. It tries to escape from it, which takes a moment.
pub fn isolation(app: &App) -> Value {
    shown::data(doctor::isolation_data(app, &CancelToken::default()))
}

fn read_mode(name: &str) -> Result<Mode, AppError> {
    Mode::from_host_name(name).ok_or_else(|| {
        AppError::bad_input(
            "unknown mode",
            "default, acceptEdits, plan, dontAsk, bypassPermissions",
        )
    })
}

/// The commands of a shell text, as the rules see them first.
fn parsed(text: &str) -> Value {
    let script = shell::parse(text);
    let commands: Vec<Value> = script.commands.iter().take(MAX_COMMANDS).map(command).collect();
    json!({
        "commands": commands,
        "total": script.commands.len(),
        "doubts": script.doubts.iter().map(|doubt| doubt.0).collect::<Vec<_>>(),
        "broken": script.broken,
        "programs": forebay_policy::programs(text),
    })
}

fn command(command: &shell::Command) -> Value {
    let assignments = command.assignments.iter();
    json!({
        "words": command.words.iter().map(|word| word.source.as_str()).collect::<Vec<_>>(),
        "assignments": assignments.map(|one| format!("{}={}", one.name, one.value.source)).collect::<Vec<_>>(),
        "redirects": command.redirects.iter().map(|one| json!({
            "kind": redirect_kind(one.kind),
            "target": one.target.source,
        })).collect::<Vec<_>>(),
        "piped": command.piped,
    })
}

fn redirect_kind(kind: shell::RedirectKind) -> &'static str {
    match kind {
        shell::RedirectKind::Read => "reads",
        shell::RedirectKind::Write => "writes",
        shell::RedirectKind::ReadWrite => "reads and writes",
        shell::RedirectKind::Text => "text",
    }
}
