//! Claude Code: `permissions` of its settings files, whose rules are in Forebay's own syntax.

use forebay_policy::List;
use serde::Deserialize;
use serde_json::Value;

use super::source::{ParseContext, ParsedRules, RuleFolder, RuleSource, SourceKind, TrustFile};
use crate::folders::BaseDir;

const MANAGED: RuleFolder = RuleFolder::Managed {
    linux: "/etc/claude-code",
    macos: "/Library/Application Support/ClaudeCode",
};

pub(crate) const SOURCES: &[RuleSource] = &[
    file(MANAGED, "managed-settings.json"),
    RuleSource {
        folder: MANAGED,
        path: "managed-settings.d",
        kind: SourceKind::Folder("json"),
        parse,
    },
    file(RuleFolder::Local, ".claude/settings.local.json"),
    file(RuleFolder::ProjectRoot, ".claude/settings.json"),
    file(RuleFolder::User(BaseDir::Home), ".claude/settings.json"),
];

pub(crate) const TRUST: TrustFile = TrustFile { path: ".claude.json", folders: trusted_folders };

const fn file(folder: RuleFolder, path: &'static str) -> RuleSource {
    RuleSource { folder, path, kind: SourceKind::File, parse }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Settings {
    #[serde(default)]
    permissions: Permissions,
    #[serde(default)]
    allow_managed_permission_rules_only: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Permissions {
    allow: Vec<String>,
    ask: Vec<String>,
    deny: Vec<String>,
    additional_directories: Vec<String>,
}

fn parse(text: &str, _: &ParseContext) -> Result<ParsedRules, String> {
    let settings = read(text)?;
    let mut parsed = ParsedRules {
        is_managed_only: settings.allow_managed_permission_rules_only,
        directories: settings.permissions.additional_directories,
        ..ParsedRules::default()
    };
    let Permissions { deny, ask, allow, .. } = settings.permissions;
    for (list, rules) in [(List::Deny, deny), (List::Ask, ask), (List::Allow, allow)] {
        parsed.extend(list, rules);
    }
    Ok(parsed)
}

/// Plain JSON, as the host reads it; an empty file has no settings.
fn read(text: &str) -> Result<Settings, String> {
    if text.trim().is_empty() {
        return Ok(Settings::default());
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let settings = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error: serde_path_to_error::Error<_>| error.to_string())?;
    deserializer.end().map_err(|error| error.to_string())?;
    Ok(settings)
}

fn trusted_folders(text: &str) -> Vec<String> {
    let Ok(state) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let projects = state.get("projects").and_then(Value::as_object);
    let is_trusted =
        |project: &Value| project.get("hasTrustDialogAccepted") == Some(&Value::Bool(true));
    let trusted = projects.into_iter().flatten().filter(|(_, project)| is_trusted(project));
    trusted.map(|(folder, _)| folder.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lists_directories_and_the_managed_flag() {
        let text = r#"{"model": "x", "allowManagedPermissionRulesOnly": true, "permissions": {
            "allow": ["Read("], "deny": ["Bash(a)"], "additionalDirectories": ["../b"]}}"#;
        let parsed = parse(text, &ParseContext::project()).unwrap();
        assert_eq!(parsed.lines(), ["deny Bash(a)", "allow Read("]);
        assert_eq!(parsed.directories, ["../b"]);
        assert!(parsed.is_managed_only);
        assert_eq!(parse(" \n", &ParseContext::user()), Ok(ParsedRules::default()));
    }

    #[test]
    fn rejects_malformed_settings() {
        for text in [
            "{",
            r#"{"permissions":{"deny":"Bash"}}"#,
            r#"{"permissions":{"deny":[1]}}"#,
            r#"{} {"permissions":{"deny":["Bash"]}}"#,
        ] {
            assert!(parse(text, &ParseContext::project()).is_err(), "{text}");
        }
    }

    #[test]
    fn reads_trusted_folders() {
        let text = r#"{"projects": {"/a": {"hasTrustDialogAccepted": true}, "/b": {}, "/c": 1}}"#;
        assert_eq!(trusted_folders(text), ["/a"]);
        assert!(
            trusted_folders("{").is_empty() && trusted_folders(r#"{"projects": 1}"#).is_empty()
        );
    }
}
