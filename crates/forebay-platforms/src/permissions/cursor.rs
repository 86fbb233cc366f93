//! Cursor CLI: `permissions` of `cli-config.json` and of a project's `.cursor/cli.json`.
//!
//! As documented (cursor.com/docs/cli/reference/permissions): lists `allow` and `deny` of `Shell(base)`
//! or `Shell(base:arguments)`, `Read(glob)`, `Write(glob)`, `WebFetch(domain)` and `Mcp(server:tool)`;
//! relative paths are in the workspace; deny wins. Where the documentation leaves a choice, the stricter
//! reading is used: a denied name without a slash is denied at any depth, a denied command with any
//! arguments.

use forebay_policy::List;
use serde::Deserialize;

use super::source::{ParseContext, ParsedRules, RuleFolder, RuleSource, SourceKind};
use super::{jsonc, translate};
use crate::folders::BaseDir;

pub(crate) const SOURCES: &[RuleSource] = &[
    RuleSource {
        folder: RuleFolder::Project,
        path: ".cursor/cli.json",
        kind: SourceKind::File,
        parse,
    },
    RuleSource {
        folder: RuleFolder::User(BaseDir::EnvOr("CURSOR_CONFIG_DIR", ".cursor")),
        path: "cli-config.json",
        kind: SourceKind::File,
        parse,
    },
    RuleSource {
        folder: RuleFolder::User(BaseDir::EnvOr("XDG_CONFIG_HOME", ".config")),
        path: "cursor/cli-config.json",
        kind: SourceKind::File,
        parse,
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

fn parse(text: &str, context: &ParseContext) -> Result<ParsedRules, String> {
    let Config { permissions } = jsonc::parse(text)?;
    let mut parsed = ParsedRules::default();
    for (list, rules) in [(List::Deny, permissions.deny), (List::Allow, permissions.allow)] {
        for rule in rules {
            match translate(list, &rule, context) {
                Ok(rules) => parsed.extend(list, rules),
                Err(reason) => parsed.skip(rule, reason),
            }
        }
    }
    Ok(parsed)
}

fn translate(list: List, rule: &str, context: &ParseContext) -> Result<Vec<String>, &'static str> {
    let (name, inner) = split(rule.trim()).ok_or("its parentheses do not match")?;
    let inner = inner.trim();
    let is_whole_tool = inner.is_empty() || translate::is_only_stars(inner);
    match name {
        "Shell" if is_whole_tool => Ok(vec!["Bash".to_owned()]),
        "Shell" => shell(list, inner),
        "Read" | "Write" => {
            let tool = if name == "Read" { "Read" } else { "Edit" };
            if is_whole_tool {
                return Ok(vec![tool.to_owned()]);
            }
            let patterns = paths(list, inner, context)?;
            Ok(patterns.into_iter().map(|pattern| format!("{tool}({pattern})")).collect())
        }
        "WebFetch" if is_whole_tool => Ok(vec!["WebFetch".to_owned()]),
        "WebFetch" => Ok(vec![format!("WebFetch(domain:{inner})")]),
        "Mcp" => Ok(vec![mcp(inner)]),
        _ => Err("unknown permission"),
    }
}

/// Splits `Name` or `Name(inner)`.
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
        let translation = translate::command_glob(&line);
        let is_usable = translation.is_exact || list == List::Deny;
        return if is_usable { Ok(translation.rules) } else { Err("`?` has no exact translation") };
    }
    if has_arguments && list == List::Allow {
        return Ok(vec![format!("Bash({})", translate::escape_command(line.trim()))]);
    }
    Ok(vec![translate::command_prefix(&line)])
}

fn paths(list: List, glob: &str, context: &ParseContext) -> Result<Vec<String>, &'static str> {
    if list == List::Allow && glob.rsplit('/').next() == Some("*") {
        return Err("Forebay's rule would also allow deeper folders");
    }
    let pattern = translate::escape_path_glob(glob.strip_prefix("./").unwrap_or(glob));
    if let Some(absolute) = pattern.strip_prefix('/') {
        return Ok(vec![format!("//{}", absolute.trim_start_matches('/'))]);
    }
    if pattern == "~" || pattern.starts_with("~/") {
        return Ok(vec![pattern]);
    }
    if pattern.split('/').any(|name| name == "..") {
        return Err("it leaves the workspace; use an absolute path");
    }
    let is_file_name = !pattern.trim_end_matches('/').contains('/');
    let deep = if is_file_name && list == List::Deny { format!("**/{pattern}") } else { pattern };
    Ok(context.under_root(&deep))
}

fn mcp(inner: &str) -> String {
    let (server, tool) = inner.split_once(':').unwrap_or((inner, "*"));
    let (server, tool) = (server.trim(), tool.trim());
    match (translate::is_only_stars(server), translate::is_only_stars(tool)) {
        (true, true) => "mcp__*".to_owned(),
        (_, true) => format!("mcp__{server}__*"),
        _ => format!("mcp__{server}__{tool}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_allowed, assert_denied};
    use super::*;

    fn lines(permissions: &str, context: &ParseContext) -> Vec<String> {
        parse(&format!(r#"{{"version": 1, "permissions": {permissions}}}"#), context)
            .unwrap()
            .lines()
    }

    #[test]
    fn translates_the_documented_example() {
        let permissions = r#"{
            "allow": ["Shell(ls)", "Shell(git)", "Read(src/**/*.ts)", "Write(package.json)"],
            "deny": ["Shell(rm)", "Read(.env*)", "Write(**/*.key)", "Read(/etc/passwd)"]
        }"#;
        assert_eq!(
            lines(permissions, &ParseContext::project()),
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
    fn relative_path_in_user_file_is_below_the_project() {
        let deny = r#"{"deny": ["Read(secrets/**)"]}"#;
        assert_eq!(lines(deny, &ParseContext::user()), ["deny Read(//p/secrets/**)"]);
    }

    #[test]
    fn translates_arguments_and_globs() {
        let deny = r#"{"deny": ["Shell(curl:*)", "Shell(npm:install*)", "Shell(git:push)", "Shell(*)",
            "WebFetch(*.evil.example)", "Mcp(db:drop_table)", "Mcp(*:*)", "Shell(mk?s)"]}"#;
        assert_eq!(
            lines(deny, &ParseContext::project()),
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
    fn reports_unknown_rules() {
        let lists = r#"{"deny": ["Shell(rm", "Fly(x)"], "allow": ["Read(src/*)"]}"#;
        assert_eq!(
            lines(lists, &ParseContext::project()),
            [
                "skipped: Shell(rm is skipped: its parentheses do not match",
                "skipped: Fly(x) is skipped: unknown permission",
                "skipped: Read(src/*) is skipped: Forebay's rule would also allow deeper folders",
            ]
        );
        for text in
            ["{", r#"{"permissions": {"deny": "Shell(rm)"}}"#, r#"{"permissions": []}"#, "[]"]
        {
            assert!(parse(text, &ParseContext::project()).is_err(), "{text}");
        }
    }

    #[test]
    fn translated_rules_decide() {
        let parsed = parse(
            r#"{"permissions": {"deny": ["Shell(rm)", "Shell(npm:publish*)", "Read(.env*)"]}}"#,
            &ParseContext::project(),
        )
        .unwrap();
        for command in
            ["rm x", "env rm -rf x", "npm publish --tag x", "cat .env", "cat a/.env.local"]
        {
            assert_denied(&parsed, command);
        }
        for command in ["rmdir x", "npm install", "cat env"] {
            assert_allowed(&parsed, command);
        }
    }
}
