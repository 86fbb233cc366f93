//! OpenCode: `permission` of `opencode.json` and `opencode.jsonc`.
//!
//! As documented (opencode.ai/docs/permissions) and implemented (github.com/anomalyco/opencode): a
//! permission is an effect (`allow`, `ask`, `deny`), or a map from patterns to effects. Of all that match
//! a call the LAST one decides, across the keys of `permission` and the patterns within a key. `*` matches
//! any text including slashes, `?` one character. Newer files have a list `permissions` of `action`,
//! `resource` and `effect` instead, older ones `tools` with `false` for a disabled tool.
//!
//! Forebay's tools are `bash`, `read`, `edit` and `webfetch`; a path in `external_directory` is treated as
//! a path to read. Permissions of single agents are ignored: they apply to that agent only. Each file is
//! resolved on its own: a deny rule stays one even if another file allows the same.

use forebay_policy::List;
use serde::Deserialize;
use serde_json::Value;

use super::glob::Glob;
use super::jsonc;
use super::precedence::{OrderedRule, Pattern, resolve};
use super::source::{ParseContext, ParsedRules, RuleFolder, RuleSource, SourceKind};
use super::translate::{self, Translation};
use crate::folders::BaseDir;

const CONFIG: RuleFolder = RuleFolder::User(BaseDir::EnvOr("XDG_CONFIG_HOME", ".config"));

pub(crate) const SOURCES: &[RuleSource] = &[
    file(RuleFolder::Project, "opencode.json"),
    file(RuleFolder::Project, "opencode.jsonc"),
    file(RuleFolder::Project, ".opencode/opencode.json"),
    file(RuleFolder::Project, ".opencode/opencode.jsonc"),
    file(CONFIG, "opencode/opencode.json"),
    file(CONFIG, "opencode/opencode.jsonc"),
];

const fn file(folder: RuleFolder, path: &'static str) -> RuleSource {
    RuleSource { folder, path, kind: SourceKind::File, parse }
}

/// Translates a pattern into rules.
type Translate = fn(&str, &ParseContext) -> Translation;

/// The permissions that concern Forebay's tools, and the translation of their patterns.
const TOOLS: &[(&str, Translate)] = &[
    ("bash", |pattern, _| translate::command_glob(pattern)),
    ("edit", |pattern, context| paths("Edit", pattern, context)),
    ("read", |pattern, context| paths("Read", pattern, context)),
    ("webfetch", |pattern, _| urls(pattern)),
];

const EXTERNAL_DIRECTORY: &str = "external_directory";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Config {
    permission: Value,
    permissions: Vec<NewRule>,
    tools: Value,
}

#[derive(Debug, Deserialize)]
struct NewRule {
    action: String,
    resource: String,
    effect: String,
}

/// A permission, the inputs it matches, and its effect.
struct Rule {
    permission: String,
    pattern: String,
    list: List,
}

fn parse(text: &str, context: &ParseContext) -> Result<ParsedRules, String> {
    let config: Config = jsonc::parse(text)?;
    let mut parsed = ParsedRules::default();
    let rules = flatten(config, &mut parsed)?;
    for (tool, translate_pattern) in TOOLS {
        let about = rules.iter().filter(|rule| Glob::new(&rule.permission).matches(tool));
        let ordered: Vec<OrderedRule> = about
            .map(|rule| rule.ordered(tool, Some(translate_pattern(&rule.pattern, context))))
            .collect();
        resolve(&ordered, &mut parsed);
    }
    resolve(&external_rules(&rules, context, &mut parsed), &mut parsed);
    Ok(parsed)
}

/// Rules for paths outside the project. Denying all of them has no translation.
fn external_rules(
    rules: &[Rule],
    context: &ParseContext,
    parsed: &mut ParsedRules,
) -> Vec<OrderedRule> {
    let mut ordered = Vec::new();
    for rule in rules.iter().filter(|rule| rule.permission == EXTERNAL_DIRECTORY) {
        let is_all = translate::is_only_stars(&rule.pattern);
        if is_all && rule.list == List::Deny {
            parsed.skip(
                EXTERNAL_DIRECTORY,
                "Forebay has no rule that denies everything outside the project",
            );
        }
        let is_translated = !is_all && rule.list != List::Allow;
        let translation = is_translated.then(|| paths("Read", &rule.pattern, context));
        ordered.push(rule.ordered(EXTERNAL_DIRECTORY, translation));
    }
    ordered
}

impl Rule {
    fn ordered(&self, tool: &str, translation: Option<Translation>) -> OrderedRule {
        OrderedRule {
            text: format!("{tool} {}: {}", self.pattern, self.list.as_str()),
            list: self.list,
            pattern: Pattern::Glob(Glob::new(&self.pattern)),
            translation,
        }
    }
}

/// All rules of a file in order; later rules override earlier ones.
fn flatten(config: Config, parsed: &mut ParsedRules) -> Result<Vec<Rule>, String> {
    let mut rules = Vec::new();
    for (tool, is_on) in config.tools.as_object().into_iter().flatten() {
        let permission = if matches!(&**tool, "write" | "patch") { "edit" } else { tool };
        let effect = if is_on == &Value::Bool(false) { "deny" } else { "allow" };
        push(&mut rules, permission, "*", effect, parsed);
    }
    match &config.permission {
        Value::Null => {}
        Value::String(effect) => push(&mut rules, "*", "*", effect, parsed),
        Value::Object(permissions) => {
            for (permission, value) in permissions {
                flatten_permission(&mut rules, permission, value, parsed)?;
            }
        }
        _ => return Err("permission: neither an effect nor a map".to_owned()),
    }
    for rule in &config.permissions {
        let action = if rule.action == "shell" { "bash" } else { &rule.action };
        push(&mut rules, action, &rule.resource, &rule.effect, parsed);
    }
    Ok(rules)
}

fn flatten_permission(
    rules: &mut Vec<Rule>,
    permission: &str,
    value: &Value,
    parsed: &mut ParsedRules,
) -> Result<(), String> {
    let invalid = || format!("permission.{permission}: neither an effect nor a map of effects");
    match value {
        Value::String(effect) => push(rules, permission, "*", effect, parsed),
        Value::Object(patterns) => {
            for (pattern, effect) in patterns {
                push(rules, permission, pattern, effect.as_str().ok_or_else(invalid)?, parsed);
            }
        }
        _ => return Err(invalid()),
    }
    Ok(())
}

fn push(
    rules: &mut Vec<Rule>,
    permission: &str,
    pattern: &str,
    effect: &str,
    parsed: &mut ParsedRules,
) {
    let list = match effect {
        "allow" => List::Allow,
        "ask" => List::Ask,
        "deny" => List::Deny,
        _ => {
            let text = format!("{permission} {pattern}: {effect}");
            return parsed.skip(text, "its effect is not allow, ask or deny");
        }
    };
    if pattern.trim().trim_matches('/').is_empty() {
        return parsed.skip(format!("{permission} {pattern}: {effect}"), "its pattern is empty");
    }
    if pattern.contains("{env:") || pattern.contains("{file:") {
        let text = format!("{permission} {pattern}: {effect}");
        parsed.skip(text, "Forebay does not expand {env:} and {file:}");
        return;
    }
    rules.push(Rule { permission: permission.to_owned(), pattern: expand_home(pattern), list });
}

fn expand_home(pattern: &str) -> String {
    match pattern.strip_prefix("$HOME") {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
        _ => pattern.to_owned(),
    }
}

/// Translates a pattern over relative or absolute paths, in which `*` also matches slashes.
fn paths(tool: &str, pattern: &str, context: &ParseContext) -> Translation {
    if translate::is_only_stars(pattern) {
        return Translation::exact(tool);
    }
    if pattern == "~" {
        return Translation::exact(format!("{tool}(~)"));
    }
    let (anchor, below) = match pattern.strip_prefix('/') {
        Some(below) => (Some("//"), below),
        None => match pattern.strip_prefix("~/") {
            Some(below) => (Some("~/"), below),
            None => (None, pattern),
        },
    };
    let (written, is_exact) = without_slash_wildcards(below);
    let patterns = match anchor {
        Some(anchor) => vec![format!("{anchor}{written}")],
        None => context.under_root(&written),
    };
    let rules = patterns.into_iter().map(|pattern| format!("{tool}({pattern})")).collect();
    Translation { rules, is_exact }
}

/// Rewrites a pattern whose `*` matches slashes into one whose `*` does not.
///
/// Returns `false` if the result matches more than the pattern.
fn without_slash_wildcards(pattern: &str) -> (String, bool) {
    let names: Vec<&str> = pattern.split('/').filter(|name| !name.is_empty()).collect();
    let mut written: Vec<String> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let is_last = at + 1 == names.len();
        let inner = name.trim_start_matches('*').trim_end_matches('*');
        let (has_leading_star, has_trailing_star) = (name.starts_with('*'), name.ends_with('*'));
        let plain = translate::escape_path_glob(name);
        if *name == ".." {
            return ("**".to_owned(), false);
        } else if inner.is_empty() && has_leading_star {
            written.push("**".to_owned());
        } else if inner.contains('*') || (has_trailing_star && !is_last) {
            // Anything may follow, so the rest of the pattern is dropped.
            let literal = inner.split('*').next().unwrap_or_default();
            let name =
                if has_leading_star { format!("**/*{literal}*") } else { format!("{literal}*") };
            written.push(translate::escape_path_glob(&name));
            return (written.join("/"), false);
        } else if has_leading_star {
            written.push(format!("**/{plain}"));
        } else {
            written.push(plain);
        }
    }
    (written.join("/"), true)
}

/// Translates a pattern over URLs; Forebay's rules match the host only.
fn urls(pattern: &str) -> Translation {
    if translate::is_only_stars(pattern) {
        return Translation::exact("WebFetch");
    }
    let Some((_, rest)) = pattern.split_once("://") else { return Translation::wider("WebFetch") };
    let (host, path) = rest.split_once('/').unwrap_or((rest.trim_end_matches('*'), "*"));
    let is_host = !host.is_empty()
        && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '*'));
    match (is_host, translate::is_only_stars(path)) {
        (false, _) => Translation::wider("WebFetch"),
        (true, true) => Translation::exact(format!("WebFetch(domain:{host})")),
        (true, false) => Translation::wider(format!("WebFetch(domain:{host})")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_allowed, assert_asked, assert_denied};
    use super::*;

    fn lines(permission: &str) -> Vec<String> {
        parse(&format!(r#"{{"permission": {permission}}}"#), &ParseContext::project())
            .unwrap()
            .lines()
    }

    #[test]
    fn effect_applies_to_the_whole_tool() {
        assert_eq!(
            lines(r#"{"bash": "ask", "edit": "deny", "webfetch": "deny"}"#),
            ["ask Bash", "deny Edit", "deny WebFetch"]
        );
        assert_eq!(lines(r#""ask""#), ["ask Bash", "ask Edit", "ask Read", "ask WebFetch"]);
        assert_eq!(
            lines(r#"{"*": "deny", "bash": "allow", "task": "deny"}"#),
            ["allow Bash", "deny Edit", "deny Read", "deny WebFetch"]
        );
    }

    #[test]
    fn last_pattern_wins() {
        assert_eq!(
            lines(r#"{"bash": {"*": "allow", "rm *": "deny", "git push *": "ask"}}"#),
            ["allow Bash", "deny Bash(rm *)", "ask Bash(git push *)"]
        );
        assert_eq!(lines(r#"{"bash": {"rm *": "deny", "*": "allow"}}"#), ["allow Bash"]);
        assert_eq!(
            lines(r#"{"bash": {"git *": "deny", "git status *": "allow"}}"#),
            [
                "ask Bash(git *)",
                "allow Bash(git status *)",
                "warning: bash git *: deny applies as an ask rule: `bash git status *: allow` overrides part of it"
            ]
        );
    }

    #[test]
    fn translates_path_patterns() {
        assert_eq!(
            lines(
                r#"{"read": {"*": "allow", "*.env": "deny", "*.env.*": "deny", "src/*": "deny", "a/b.txt": "deny"}}"#
            ),
            [
                "allow Read",
                "deny Read(/**/*.env)",
                "deny Read(/**/*.env.*)",
                "deny Read(/src/**)",
                "deny Read(/a/b.txt)"
            ]
        );
        assert_eq!(
            lines(r#"{"edit": {"docs/*.md": "deny", "x*y": "deny", "$HOME/a/**": "deny"}}"#),
            [
                "deny Edit(/docs/**/*.md)",
                "ask Edit(/x*)",
                "deny Edit(~/a/**)",
                "warning: edit x*y: deny has no exact translation: Edit(/x*) applies as an ask rule",
            ]
        );
        let user = parse(r#"{"permission": {"edit": {"gen/*": "deny"}}}"#, &ParseContext::user());
        assert_eq!(user.unwrap().lines(), ["deny Edit(//p/gen/**)"]);
    }

    #[test]
    fn urls_match_by_host() {
        assert_eq!(
            lines(
                r#"{"webfetch": {"https://evil.example/*": "deny", "https://x.example/a*": "deny"}}"#
            ),
            [
                "deny WebFetch(domain:evil.example)",
                "ask WebFetch(domain:x.example)",
                "warning: webfetch https://x.example/a*: deny has no exact translation: WebFetch(domain:x.example) applies as an ask rule"
            ]
        );
    }

    #[test]
    fn parses_older_and_newer_formats() {
        let parse = |text| parse(text, &ParseContext::project());
        let old = parse(r#"{"tools": {"write": false, "bash": true}}"#).unwrap();
        assert_eq!(old.lines(), ["allow Bash", "deny Edit"]);
        let new = r#"{"permissions": [{"action": "bash", "resource": "rm *", "effect": "deny"}]}"#;
        assert_eq!(parse(new).unwrap().lines(), ["deny Bash(rm *)"]);
        let outside =
            r#"{"permission": {"external_directory": {"*": "deny", "~/keys/**": "deny"}}}"#;
        assert_eq!(
            parse(outside).unwrap().lines(),
            [
                "deny Read(~/keys/**)",
                "skipped: external_directory is skipped: Forebay has no rule that denies everything outside the project"
            ]
        );
        let empty = parse(r#"{"permission": {"bash": {"": "deny"}, "read": {"/": "deny"}}}"#);
        assert!(empty.unwrap().rules.is_empty());
        assert_eq!(
            parse(r#"{"permission": {"bash": "never"}}"#).unwrap().lines(),
            ["skipped: bash *: never is skipped: its effect is not allow, ask or deny"]
        );
        for text in ["{", r#"{"permission": 1}"#, r#"{"permission": {"bash": {"a": 1}}}"#] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn translated_rules_decide() {
        let text = r#"{ // team rules
            "permission": {
                "bash": {"*": "allow", "rm *": "deny", "terraform * destroy *": "deny", "npm *": "ask"},
                "read": {"*.env": "deny"},
            },
        }"#;
        let parsed = parse(text, &ParseContext::project()).unwrap();
        for command in ["rm", "rm -rf x", "terraform -x destroy", "cat deep/er/.env"] {
            assert_denied(&parsed, command);
        }
        assert_asked(&parsed, "npm install");
        for command in ["rmdir x", "terraform plan", "cat .env.example", "ls"] {
            assert_allowed(&parsed, command);
        }
    }
}
