//! Cursor CLI: `permissions` of `cli-config.json` and of a project's `.cursor/cli.json`.
//!
//! As documented (cursor.com/docs/cli/reference/permissions): lists `allow` and `deny` of `Shell(base)`
//! or `Shell(base:arguments)`, `Read(glob)`, `Write(glob)`, `WebFetch(domain)` and `Mcp(server:tool)`;
//! relative paths lie in the workspace, absolute ones anywhere; a deny wins. What the documentation
//! leaves open is read in the stricter way: a denied name without a slash is denied at any depth, a
//! denied command with whatever follows it.

use forebay_policy::List;
use serde::Deserialize;

use super::reading::{Holds, Lies, Reading, Scene, Source};
use super::{jsonc, spell};

pub(super) const SOURCES: &[Source] = &[
    Source { lies: Lies::Project, path: ".cursor/cli.json", holds: Holds::File, read },
    Source {
        lies: Lies::User { variable: "CURSOR_CONFIG_DIR", otherwise: ".cursor" },
        path: "cli-config.json",
        holds: Holds::File,
        read,
    },
    Source {
        lies: Lies::User { variable: "XDG_CONFIG_HOME", otherwise: ".config" },
        path: "cursor/cli-config.json",
        holds: Holds::File,
        read,
    },
];

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Config {
    #[serde(deserialize_with = "jsonc::object")]
    permissions: Permissions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Permissions {
    allow: Vec<String>,
    deny: Vec<String>,
}

fn read(text: &str, scene: &Scene) -> Result<Reading, String> {
    let Config { permissions } = jsonc::read(text)?;
    let mut reading = Reading::default();
    for (list, rules) in [(List::Deny, permissions.deny), (List::Allow, permissions.allow)] {
        for rule in rules {
            match translate(list, &rule, scene) {
                Ok(rows) => reading.rows(list, rows),
                Err(why) => reading.lost(rule, why),
            }
        }
    }
    Ok(reading)
}

fn translate(list: List, rule: &str, scene: &Scene) -> Result<Vec<String>, &'static str> {
    let (name, inner) = split(rule.trim()).ok_or("its parentheses do not match")?;
    let inner = inner.trim();
    let is_whole = inner.is_empty() || spell::is_stars(inner);
    match name {
        "Shell" if is_whole => Ok(vec!["Bash".to_owned()]),
        "Shell" => shell(list, inner),
        "Read" | "Write" => {
            let tool = if name == "Read" { "Read" } else { "Edit" };
            if is_whole {
                return Ok(vec![tool.to_owned()]);
            }
            let patterns = paths(list, inner, scene)?;
            Ok(patterns.into_iter().map(|pattern| format!("{tool}({pattern})")).collect())
        }
        "WebFetch" if is_whole => Ok(vec!["WebFetch".to_owned()]),
        "WebFetch" => Ok(vec![format!("WebFetch(domain:{inner})")]),
        "Mcp" => Ok(vec![mcp(inner)]),
        _ => Err("Cursor documents no such permission"),
    }
}

/// `Name` or `Name(inner)`.
fn split(rule: &str) -> Option<(&str, &str)> {
    match rule.split_once('(') {
        Some((name, rest)) => Some((name.trim(), rest.strip_suffix(')')?)),
        None => (!rule.contains(')')).then_some((rule, "")),
    }
}

fn shell(list: List, inner: &str) -> Result<Vec<String>, &'static str> {
    let (line, has_arguments) = match inner.split_once(':') {
        Some((base, arguments)) => (format!("{base} {}", arguments.trim()), true),
        None => (inner.to_owned(), false),
    };
    if line.contains(['*', '?']) {
        let spelled = spell::command_glob(&line);
        let is_usable = spelled.is_exact || list == List::Deny;
        return if is_usable { Ok(spelled.rules) } else { Err("`?` cannot be allowed exactly") };
    }
    if has_arguments && list == List::Allow {
        return Ok(vec![format!("Bash({})", spell::literal(line.trim()))]);
    }
    Ok(vec![spell::command_prefix(&line)])
}

fn paths(list: List, glob: &str, scene: &Scene) -> Result<Vec<String>, &'static str> {
    if list == List::Allow && glob.rsplit('/').next() == Some("*") {
        return Err("a rule of Forebay's would allow more: what lies deeper, too");
    }
    let pattern = spell::path_glob(glob.strip_prefix("./").unwrap_or(glob));
    if let Some(absolute) = pattern.strip_prefix('/') {
        return Ok(vec![format!("//{}", absolute.trim_start_matches('/'))]);
    }
    if pattern == "~" || pattern.starts_with("~/") {
        return Ok(vec![pattern]);
    }
    if pattern.split('/').any(|name| name == "..") {
        return Err("it leaves the workspace; write the path in full");
    }
    let is_name = !pattern.trim_end_matches('/').contains('/');
    let deep = if is_name && list == List::Deny { format!("**/{pattern}") } else { pattern };
    Ok(scene.below_root(&deep))
}

fn mcp(inner: &str) -> String {
    let (server, tool) = inner.split_once(':').unwrap_or((inner, "*"));
    let (server, tool) = (server.trim(), tool.trim());
    match (spell::is_stars(server), spell::is_stars(tool)) {
        (true, true) => "mcp__*".to_owned(),
        (_, true) => format!("mcp__{server}__*"),
        _ => format!("mcp__{server}__{tool}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{allows, denies};
    use super::*;

    fn lines(permissions: &str, scene: &Scene) -> Vec<String> {
        read(&format!(r#"{{"version": 1, "permissions": {permissions}}}"#), scene).unwrap().lines()
    }

    #[test]
    fn the_documented_example_reads_as_meant() {
        let permissions = r#"{
            "allow": ["Shell(ls)", "Shell(git)", "Read(src/**/*.ts)", "Write(package.json)"],
            "deny": ["Shell(rm)", "Read(.env*)", "Write(**/*.key)", "Read(/etc/passwd)"]
        }"#;
        assert_eq!(
            lines(permissions, &Scene::project()),
            [
                "deny Bash(rm:*)",
                "deny Read(/**/.env*)",
                "deny Edit(/**/*.key)",
                "deny Read(//etc/passwd)",
                "allow Bash(ls:*)",
                "allow Bash(git:*)",
                "allow Read(/src/**/*.ts)",
                "allow Edit(/package.json)",
            ]
        );
    }

    #[test]
    fn a_users_relative_path_means_the_project_at_hand() {
        let deny = r#"{"deny": ["Read(secrets/**)"]}"#;
        assert_eq!(lines(deny, &Scene::user()), ["deny Read(//p/secrets/**)"]);
    }

    #[test]
    fn newer_forms_and_globs() {
        let deny = r#"{"deny": ["Shell(curl:*)", "Shell(npm:install*)", "Shell(git:push)", "Shell(*)",
            "WebFetch(*.evil.example)", "Mcp(db:drop_table)", "Mcp(*:*)", "Shell(mk?s)"]}"#;
        assert_eq!(
            lines(deny, &Scene::project()),
            [
                "deny Bash(curl *)",
                "deny Bash(npm install*)",
                "deny Bash(git push:*)",
                "deny Bash",
                "deny WebFetch(domain:*.evil.example)",
                "deny mcp__db__drop_table",
                "deny mcp__*",
                "deny Bash(mk*s)",
            ]
        );
    }

    #[test]
    fn what_is_no_rule_is_told() {
        let lists = r#"{"deny": ["Shell(rm", "Fly(x)"], "allow": ["Read(src/*)"]}"#;
        assert_eq!(
            lines(lists, &Scene::project()),
            [
                "lost Shell(rm is skipped: its parentheses do not match",
                "lost Fly(x) is skipped: Cursor documents no such permission",
                "lost Read(src/*) is skipped: a rule of Forebay's would allow more: what lies deeper, too",
            ]
        );
        for text in
            ["{", r#"{"permissions": {"deny": "Shell(rm)"}}"#, r#"{"permissions": []}"#, "[]"]
        {
            assert!(read(text, &Scene::project()).is_err(), "{text}");
        }
    }

    #[test]
    fn its_rules_decide() {
        let reading = read(
            r#"{"permissions": {"deny": ["Shell(rm)", "Shell(npm:publish*)", "Read(.env*)"]}}"#,
            &Scene::project(),
        )
        .unwrap();
        for command in
            ["rm x", "env rm -rf x", "npm publish --tag x", "cat .env", "cat a/.env.local"]
        {
            denies(&reading, command);
        }
        for command in ["rmdir x", "npm install", "cat env"] {
            allows(&reading, command);
        }
    }
}
