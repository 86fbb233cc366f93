//! Qwen Code: `permissions` of `settings.json`, and tools it excludes.
//!
//! As documented (docs/users/configuration/settings.md of github.com/QwenLM/qwen-code) and as its source
//! reads them: lists `allow`, `ask` and `deny` of rules as in Claude Code, with these differences: tools
//! have further names; a command without `*` is the beginning of one; a blank before any `*` may be
//! missing with it; `/` in a path is the project's root, also in the user's file; a domain stands for its
//! subdomains, too. `tools.exclude`, or `excludeTools` of older files, is the same as `deny`.

use forebay_policy::List;
use serde::Deserialize;

use super::reading::{Holds, Lies, Reading, Scene, Source};
use super::{jsonc, spell};

pub(super) const SOURCES: &[Source] = &[
    Source { lies: Lies::Project, path: ".qwen/settings.json", holds: Holds::File, read },
    Source {
        lies: Lies::User { variable: "QWEN_HOME", otherwise: ".qwen" },
        path: "settings.json",
        holds: Holds::File,
        read,
    },
];

/// Its names for what Forebay does.
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

/// Wildcards after a blank whose absence is written out.
const MOST_OPTIONAL: usize = 4;

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

fn read(text: &str, scene: &Scene) -> Result<Reading, String> {
    let settings: Settings = jsonc::read(text)?;
    let Permissions { allow, ask, mut deny } = settings.permissions;
    deny.extend(settings.tools.exclude.into_iter().chain(settings.exclude_tools));
    let mut reading = Reading::default();
    for (list, rules) in [(List::Deny, deny), (List::Ask, ask), (List::Allow, allow)] {
        for rule in rules {
            match translate(list, rule.trim(), scene) {
                Ok(rows) => reading.rows(list, rows),
                Err(why) => reading.lost(rule, why),
            }
        }
    }
    Ok(reading)
}

fn translate(list: List, rule: &str, scene: &Scene) -> Result<Vec<String>, &'static str> {
    let ours = |name: &str| TOOLS.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours);
    let Some((name, rest)) = rule.split_once('(') else {
        return Ok(vec![ours(rule).unwrap_or(rule).to_owned()]);
    };
    let inner = rest.strip_suffix(')').ok_or("its parentheses do not match")?.trim();
    match ours(name.trim()) {
        Some(tool) if inner.is_empty() || inner == "*" => Ok(vec![tool.to_owned()]),
        Some("Bash") => command(list, inner),
        Some("WebFetch") => Ok(domain(inner)),
        Some(tool) => Ok(paths(list, tool, inner, scene)),
        // Told when it is compiled, where it does not fit.
        None => Ok(vec![rule.to_owned()]),
    }
}

fn command(list: List, inner: &str) -> Result<Vec<String>, &'static str> {
    let pattern = inner.replace(":*", " *");
    if !pattern.contains('*') {
        return Ok(vec![spell::command_prefix(&pattern)]);
    }
    // `?` is no wildcard of its; a rule has none either.
    let rule = |pattern: &str| {
        let text = pattern.split('*').map(spell::literal).collect::<Vec<_>>().join("*");
        format!("Bash({})", text.trim())
    };
    if list == List::Allow {
        return Ok(vec![rule(&pattern)]);
    }
    let parts: Vec<&str> = pattern.split(" *").collect();
    if parts.len() > MOST_OPTIONAL + 1 {
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

fn paths(list: List, tool: &str, inner: &str, scene: &Scene) -> Vec<String> {
    let pattern = spell::path_glob(inner);
    let patterns = match pattern.strip_prefix('/') {
        Some(below) if !below.starts_with('/') => scene.below_root(below),
        // From the folder at hand; a denied one from the project's root, too.
        None if list != List::Allow && !pattern.starts_with('~') => {
            let below = pattern.strip_prefix("./").unwrap_or(&pattern).to_owned();
            std::iter::once(pattern.clone()).chain(scene.below_root(&below)).collect()
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
    use super::super::tests::{allows, asks, denies};
    use super::*;

    fn lines(text: &str, scene: &Scene) -> Vec<String> {
        read(text, scene).unwrap().lines()
    }

    #[test]
    fn names_and_forms_of_its_own_are_understood() {
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
            lines(text, &Scene::project()),
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
    fn a_slash_is_the_projects_root_in_every_file() {
        let text = r#"{"permissions": {"deny": ["Read(/secrets/**)", "Edit(//etc/**)", "Read(~/.ssh/**)"]}}"#;
        assert_eq!(
            lines(text, &Scene::user()),
            ["deny Read(//p/secrets/**)", "deny Edit(//etc/**)", "deny Read(~/.ssh/**)"]
        );
        let bare = r#"{"permissions": {"deny": ["Read(./.env)"], "allow": ["Read(./.env)"]}}"#;
        assert_eq!(
            lines(bare, &Scene::project()),
            ["deny Read(./.env)", "deny Read(/.env)", "allow Read(./.env)"]
        );
    }

    #[test]
    fn what_is_broken_is_told() {
        let text = r#"{"permissions": {"deny": ["Bash(rm"]}}"#;
        assert_eq!(
            lines(text, &Scene::project()),
            ["lost Bash(rm is skipped: its parentheses do not match"]
        );
        for text in ["[", r#"{"permissions": {"deny": [1]}}"#, r#"{"tools": {"exclude": {}}}"#] {
            assert!(read(text, &Scene::project()).is_err(), "{text}");
        }
    }

    #[test]
    fn its_rules_decide() {
        let text = r#"{"permissions": {"deny": ["Bash(git push)", "Read(.env)"], "ask": ["Bash(npm:*)"]}}"#;
        let reading = read(text, &Scene::project()).unwrap();
        for command in ["git push", "git push origin main", "cat .env"] {
            denies(&reading, command);
        }
        asks(&reading, "npm install");
        for command in ["git pushx", "npx x", "cat env"] {
            allows(&reading, command);
        }
    }
}
