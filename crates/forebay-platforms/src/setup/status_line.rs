//! The status line in a host's settings.
//!
//! A host has one status line. If the user has a command for it, Forebay's command line runs that one first, with the same
//! input, and prints its own line below. The source of the user's command stays in the file as it is, between two texts
//! of ours, so that removing these restores it byte for byte.

use serde_json::{Value, json};

use super::{EditError, entries, json as edit};
use crate::Platform;

const KEY: &str = "statusLine";
const COMMAND: &[&str] = &[KEY, "command"];

/// Before the user's command.
const BEFORE: &str = "forebay_json=$(cat); printf %s \"$forebay_json\" | { ";
/// After it, on a line of its own, because the command may end with a comment. The host skips empty lines.
const AFTER: &str = "\n}; forebay_code=$?; echo; printf %s \"$forebay_json\" | ";
const END: &str = "; exit $forebay_code";

pub(super) fn add(text: &str, platform: &Platform, program: &str) -> Result<String, EditError> {
    let own = entries::status_line(platform, program);
    match configured(text, platform)? {
        StatusLine::Nothing | StatusLine::Ours => {
            edit::set(text, &[KEY], &json!({ "type": "command", "command": own }))
        }
        StatusLine::Users | StatusLine::Both => edit::edit_source(text, COMMAND, |source| {
            let users = without_ours(source).unwrap_or(inner(source));
            format!("\"{}{users}{}\"", escaped(BEFORE), escaped(&format!("{AFTER}{own}{END}")))
        }),
        StatusLine::Other => Ok(text.to_owned()),
    }
}

pub(super) fn remove(text: &str, platform: &Platform) -> Result<String, EditError> {
    match configured(text, platform)? {
        StatusLine::Ours => edit::remove(text, &[KEY]),
        StatusLine::Both => edit::edit_source(text, COMMAND, |source| {
            format!("\"{}\"", without_ours(source).unwrap_or(inner(source)))
        }),
        StatusLine::Nothing | StatusLine::Users | StatusLine::Other => Ok(text.to_owned()),
    }
}

/// What the settings have for the status line.
enum StatusLine {
    Nothing,
    Ours,
    Users,
    /// The user's command inside ours.
    Both,
    /// Something else than a command, which is left alone.
    Other,
}

fn configured(text: &str, platform: &Platform) -> Result<StatusLine, EditError> {
    let Some(status_line) = edit::get(text, &[KEY])? else { return Ok(StatusLine::Nothing) };
    let is_command = status_line["type"] == "command";
    let Some(command) = status_line["command"].as_str().filter(|_| is_command) else {
        return Ok(StatusLine::Other);
    };
    Ok(match command {
        ours if entries::is_status_line(ours, platform) => StatusLine::Ours,
        both if both.starts_with(BEFORE) && both.contains(AFTER) => StatusLine::Both,
        _ => StatusLine::Users,
    })
}

/// The source of the user's command in that of ours.
fn without_ours(source: &str) -> Option<&str> {
    let rest = inner(source).strip_prefix(&escaped(BEFORE))?;
    rest.rfind(&escaped(AFTER)).map(|at| &rest[..at])
}

/// The source of a string without its quotes.
fn inner(source: &str) -> &str {
    source.get(1..source.len().saturating_sub(1)).unwrap_or_default()
}

/// A text as it stands between the quotes of a JSON string.
fn escaped(text: &str) -> String {
    inner(&Value::String(text.to_owned()).to_string()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(command: &str) -> String {
        json!({ "statusLine": { "type": "command", "command": command } }).to_string()
    }

    #[test]
    fn only_a_command_that_is_nothing_but_ours_is_replaced() {
        let platform = crate::find("claude-code").unwrap();
        for program in ["forebay", "/opt/it's mine/forebay", "/opt/a b/forebay"] {
            let own = entries::status_line(platform, program);
            assert!(entries::is_status_line(&own, platform), "{own}");
            assert_eq!(remove(&settings(&own), platform).unwrap(), "{}");
        }
        for users in [
            "sh -c '~/my.sh; forebay statusline claude-code'",
            "sh -c 'command -v x >/dev/null 2>&1 || { echo mine; }; exec forebay statusline claude-code'",
        ] {
            let text = settings(users);
            assert!(!entries::is_status_line(users, platform), "{users}");
            let added = add(&text, platform, "forebay").unwrap();
            assert_eq!(remove(&added, platform).unwrap(), text);
        }
    }
}
