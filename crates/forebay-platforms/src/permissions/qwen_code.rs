//! Qwen Code: `permissions` of `settings.json`, and tools it excludes.
//!
//! As documented (docs/users/configuration/settings.md of github.com/QwenLM/qwen-code) and implemented
//! there: lists `allow`, `ask` and `deny` of rules as in Claude Code, with these differences: tools have
//! further names; a command without `*` is a prefix; any ` *` is optional; `/` in a path is the project's
//! root, also in the user's file; a domain includes its subdomains. `tools.exclude`, or `excludeTools` of
//! older files, is the same as `deny`.

use forebay_policy::List;
use serde::Deserialize;

use super::source::{ParseContext, ParsedRules, RuleFolder, RuleSource, SourceKind};
use super::{jsonc, translate};
use crate::folders::BaseDir;

pub(crate) const SOURCES: &[RuleSource] = &[
    RuleSource {
        folder: RuleFolder::Project,
        path: ".qwen/settings.json",
        kind: SourceKind::File,
        parse,
    },
    RuleSource {
        folder: RuleFolder::User(BaseDir::EnvOr("QWEN_HOME", ".qwen")),
        path: "settings.json",
        kind: SourceKind::File,
        parse,
    },
];

/// The host's names for Forebay's tools.
const TOOLS: &[(&str, &str)] = &[
    ("run_shell_command", "Bash"),
    ("Shell", "Bash"),
    ("ShellTool", "Bash"),
    ("Bash", "Bash"),
    ("edit", "Edit"),
    ("Edit", "Edit"),
    ("EditTool", "Edit"),
    ("replace", "Edit"),
    ("write_file", "Edit"),
    ("WriteFile", "Edit"),
    ("WriteFileTool", "Edit"),
    ("Write", "Edit"),
    ("read_file", "Read"),
    ("ReadFile", "Read"),
    ("ReadFileTool", "Read"),
    ("Read", "Read"),
    ("web_fetch", "WebFetch"),
    ("WebFetch", "WebFetch"),
    ("WebFetchTool", "WebFetch"),
];

/// Optional wildcards in a rule; each doubles the number of translated rules.
const MAX_OPTIONAL: usize = 4;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Settings {
    #[serde(deserialize_with = "jsonc::object")]
    permissions: Permissions,
    #[serde(deserialize_with = "jsonc::object")]
    tools: Tools,
    exclude_tools: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Permissions {
    allow: Vec<String>,
    ask: Vec<String>,
    deny: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tools {
    exclude: Vec<String>,
}

fn parse(text: &str, context: &ParseContext) -> Result<ParsedRules, String> {
    let settings: Settings = jsonc::parse(text)?;
    let Permissions { allow, ask, mut deny } = settings.permissions;
    deny.extend(settings.tools.exclude.into_iter().chain(settings.exclude_tools));
    let mut parsed = ParsedRules::default();
    for (list, rules) in [(List::Deny, deny), (List::Ask, ask), (List::Allow, allow)] {
        for rule in rules {
            match translate(list, rule.trim(), context) {
                Ok(rules) => parsed.extend(list, rules),
                Err(reason) => parsed.skip(rule, reason),
            }
        }
    }
    Ok(parsed)
}

fn translate(list: List, rule: &str, context: &ParseContext) -> Result<Vec<String>, &'static str> {
    let forebay_tool =
        |name: &str| TOOLS.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours);
    let Some((name, rest)) = rule.split_once('(') else {
        return Ok(vec![forebay_tool(rule).unwrap_or(rule).to_owned()]);
    };
    let inner = rest.strip_suffix(')').ok_or("its parentheses do not match")?.trim();
    match forebay_tool(name.trim()) {
        Some(tool) if inner.is_empty() || inner == "*" => Ok(vec![tool.to_owned()]),
        Some("Bash") => command(list, inner),
        Some("WebFetch") => Ok(domain(inner)),
        Some(tool) => Ok(paths(list, tool, inner, context)),
        // Not one of ours: the rule compiler reports it if it is malformed.
        None => Ok(vec![rule.to_owned()]),
    }
}

fn command(list: List, inner: &str) -> Result<Vec<String>, &'static str> {
    let pattern = inner.replace(":*", " *");
    if !pattern.contains('*') {
        return Ok(vec![translate::command_prefix(&pattern)]);
    }
    // `?` is literal, as in Forebay's rules.
    let rule = |pattern: &str| {
        let text = pattern.split('*').map(translate::escape_command).collect::<Vec<_>>().join("*");
        format!("Bash({})", text.trim())
    };
    if list == List::Allow {
        return Ok(vec![rule(&pattern)]);
    }
    let parts: Vec<&str> = pattern.split(" *").collect();
    if parts.len() > MAX_OPTIONAL + 1 {
        return Err("it has too many wildcards");
    }
    let mut patterns = vec![parts[0].to_owned()];
    for part in &parts[1..] {
        let with_and_without =
            |before: &String| [format!("{before} *{part}"), format!("{before}{part}")];
        patterns = patterns.iter().flat_map(with_and_without).collect();
    }
    Ok(patterns.iter().filter(|pattern| !pattern.trim().is_empty()).map(|p| rule(p)).collect())
}

fn paths(list: List, tool: &str, inner: &str, context: &ParseContext) -> Vec<String> {
    let pattern = translate::escape_path_glob(inner);
    let patterns = match pattern.strip_prefix('/') {
        Some(below) if !below.starts_with('/') => context.under_root(below),
        // Relative to the working directory; a denied path also to the project's root.
        None if list != List::Allow && !pattern.starts_with('~') => {
            let below = pattern.strip_prefix("./").unwrap_or(&pattern).to_owned();
            std::iter::once(pattern.clone()).chain(context.under_root(&below)).collect()
        }
        _ => vec![pattern],
    };
    patterns.into_iter().map(|pattern| format!("{tool}({pattern})")).collect()
}

fn domain(inner: &str) -> Vec<String> {
    let domain = inner.strip_prefix("domain:").unwrap_or(inner).trim();
    vec![format!("WebFetch(domain:{domain})"), format!("WebFetch(domain:*.{domain})")]
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_allowed, assert_asked, assert_denied};
    use super::*;

    fn lines(text: &str, context: &ParseContext) -> Vec<String> {
        parse(text, context).unwrap().lines()
    }

    #[test]
    fn translates_tool_names_and_forms() {
        let text = r#"{
            "permissions": {
                "allow": ["Bash(git *)", "Bash(npm test)"],
                "ask": ["ShellTool(git push)", "WriteFile"],
                "deny": ["Bash(rm -rf *)", "run_shell_command(git * main)", "WebFetch(evil.example)",
                    "mcp__db__drop"]
            },
            "tools": {"exclude": ["web_fetch"], "approvalMode": "default"}
        }"#;
        assert_eq!(
            lines(text, &ParseContext::project()),
            [
                "deny Bash(rm -rf *)",
                "deny Bash(rm -rf)",
                "deny Bash(git * main)",
                "deny Bash(git main)",
                "deny WebFetch(domain:evil.example)",
                "deny WebFetch(domain:*.evil.example)",
                "deny mcp__db__drop",
                "deny WebFetch",
                "ask Bash(git push:*)",
                "ask Edit",
                "allow Bash(git *)",
                "allow Bash(npm test:*)",
            ]
        );
    }

    #[test]
    fn leading_slash_is_the_project_root() {
        let text = r#"{"permissions": {"deny": ["Read(/secrets/**)", "Edit(//etc/**)", "Read(~/.ssh/**)"]}}"#;
        assert_eq!(
            lines(text, &ParseContext::user()),
            ["deny Read(//p/secrets/**)", "deny Edit(//etc/**)", "deny Read(~/.ssh/**)"]
        );
        let bare = r#"{"permissions": {"deny": ["Read(./.env)"], "allow": ["Read(./.env)"]}}"#;
        assert_eq!(
            lines(bare, &ParseContext::project()),
            ["deny Read(./.env)", "deny Read(/.env)", "allow Read(./.env)"]
        );
    }

    #[test]
    fn reports_malformed_rules() {
        let text = r#"{"permissions": {"deny": ["Bash(rm"]}}"#;
        assert_eq!(
            lines(text, &ParseContext::project()),
            ["skipped: Bash(rm is skipped: its parentheses do not match"]
        );
        for text in ["[", r#"{"permissions": {"deny": [1]}}"#, r#"{"tools": {"exclude": {}}}"#] {
            assert!(parse(text, &ParseContext::project()).is_err(), "{text}");
        }
    }

    #[test]
    fn translated_rules_decide() {
        let text = r#"{"permissions": {"deny": ["Bash(git push)", "Read(.env)"], "ask": ["Bash(npm:*)"]}}"#;
        let parsed = parse(text, &ParseContext::project()).unwrap();
        for command in ["git push", "git push origin main", "cat .env"] {
            assert_denied(&parsed, command);
        }
        assert_asked(&parsed, "npm install");
        for command in ["git pushx", "npx x", "cat env"] {
            assert_allowed(&parsed, command);
        }
    }
}
