//! OpenCode: `permission` of `opencode.json` and `opencode.jsonc`.
//!
//! As documented (opencode.ai/docs/permissions) and as its source (github.com/anomalyco/opencode) reads
//! them: a permission is a word, or a map of patterns to words; of all that match a call the LAST one
//! decides, over the keys of `permission` and the patterns within a key. `*` stands for any text, over
//! slashes too, `?` for one character. Newer files have a list `permissions` of `action`, `resource` and
//! `effect` to the same end, older ones `tools` with `false` for a tool that is off.
//!
//! What Forebay does is `bash`, `read`, `edit` and `webfetch`; a path in `external_directory` counts as
//! one that is read. Permissions of single agents are not read: they hold for that agent only. Each file
//! stands for itself: what another file allows again is still denied.

use forebay_policy::List;
use serde::Deserialize;
use serde_json::Value;

use super::glob::Glob;
use super::jsonc;
use super::ordered::{Ordered, Reach, settle};
use super::reading::{Holds, Lies, Reading, Scene, Source};
use super::spell::{self, Spelled};

const CONFIG: Lies = Lies::User { variable: "XDG_CONFIG_HOME", otherwise: ".config" };

pub(super) const SOURCES: &[Source] = &[
    file(Lies::Project, "opencode.json"),
    file(Lies::Project, "opencode.jsonc"),
    file(Lies::Project, ".opencode/opencode.json"),
    file(Lies::Project, ".opencode/opencode.jsonc"),
    file(CONFIG, "opencode/opencode.json"),
    file(CONFIG, "opencode/opencode.jsonc"),
];

const fn file(lies: Lies, path: &'static str) -> Source {
    Source { lies, path, holds: Holds::File, read }
}

/// Writes a pattern down as rules.
type Spell = fn(&str, &Scene) -> Spelled;

/// Its permissions for what Forebay does, and how their patterns are written.
const TOOLS: &[(&str, Spell)] = &[
    ("bash", |pattern, _| spell::command_glob(pattern)),
    ("edit", |pattern, scene| paths("Edit", pattern, scene)),
    ("read", |pattern, scene| paths("Read", pattern, scene)),
    ("webfetch", |pattern, _| urls(pattern)),
];

const OUTSIDE: &str = "external_directory";

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

/// One rule: what it is about, for which inputs, and the word for it.
struct Rule {
    permission: String,
    pattern: String,
    list: List,
}

fn read(text: &str, scene: &Scene) -> Result<Reading, String> {
    let config: Config = jsonc::read(text)?;
    let mut reading = Reading::default();
    let rules = flat(config, &mut reading)?;
    for (tool, spelled) in TOOLS {
        let about = rules.iter().filter(|rule| Glob::wild(&rule.permission).matches(tool));
        let ordered: Vec<Ordered> =
            about.map(|rule| rule.ordered(tool, Some(spelled(&rule.pattern, scene)))).collect();
        settle(&ordered, &mut reading);
    }
    settle(&outside(&rules, scene, &mut reading), &mut reading);
    Ok(reading)
}

/// Paths outside of the project that may not be touched; that none may be has no rule here.
fn outside(rules: &[Rule], scene: &Scene, reading: &mut Reading) -> Vec<Ordered> {
    let mut ordered = Vec::new();
    for rule in rules.iter().filter(|rule| rule.permission == OUTSIDE) {
        let is_whole = spell::is_stars(&rule.pattern);
        if is_whole && rule.list == List::Deny {
            reading.lost(OUTSIDE, "no rule says that only the project may be touched");
        }
        let writes = !is_whole && rule.list != List::Allow;
        let spelled = writes.then(|| paths("Read", &rule.pattern, scene));
        ordered.push(rule.ordered(OUTSIDE, spelled));
    }
    ordered
}

impl Rule {
    fn ordered(&self, tool: &str, spelled: Option<Spelled>) -> Ordered {
        Ordered {
            text: format!("{tool} {}: {}", self.pattern, self.list.as_str()),
            list: self.list,
            reach: Reach::Glob(Glob::wild(&self.pattern)),
            spelled,
        }
    }
}

/// All rules of a file in their order, the weakest first.
fn flat(config: Config, reading: &mut Reading) -> Result<Vec<Rule>, String> {
    let mut rules = Vec::new();
    for (tool, is_on) in config.tools.as_object().into_iter().flatten() {
        let permission = if matches!(&**tool, "write" | "patch") { "edit" } else { tool };
        let word = if is_on == &Value::Bool(false) { "deny" } else { "allow" };
        push(&mut rules, permission, "*", word, reading);
    }
    match &config.permission {
        Value::Null => {}
        Value::String(word) => push(&mut rules, "*", "*", word, reading),
        Value::Object(permissions) => {
            for (permission, value) in permissions {
                flat_one(&mut rules, permission, value, reading)?;
            }
        }
        _ => return Err("permission: neither a word nor a map".to_owned()),
    }
    for rule in &config.permissions {
        let action = if rule.action == "shell" { "bash" } else { &rule.action };
        push(&mut rules, action, &rule.resource, &rule.effect, reading);
    }
    Ok(rules)
}

fn flat_one(
    rules: &mut Vec<Rule>,
    permission: &str,
    value: &Value,
    reading: &mut Reading,
) -> Result<(), String> {
    let wrong = || format!("permission.{permission}: neither a word nor a map of words");
    match value {
        Value::String(word) => push(rules, permission, "*", word, reading),
        Value::Object(patterns) => {
            for (pattern, word) in patterns {
                push(rules, permission, pattern, word.as_str().ok_or_else(wrong)?, reading);
            }
        }
        _ => return Err(wrong()),
    }
    Ok(())
}

fn push(rules: &mut Vec<Rule>, permission: &str, pattern: &str, word: &str, reading: &mut Reading) {
    let list = match word {
        "allow" => List::Allow,
        "ask" => List::Ask,
        "deny" => List::Deny,
        _ => {
            let text = format!("{permission} {pattern}: {word}");
            return reading.lost(text, "its word is none of allow, ask, deny");
        }
    };
    if pattern.trim().trim_matches('/').is_empty() {
        return reading.lost(format!("{permission} {pattern}: {word}"), "its pattern is empty");
    }
    if pattern.contains("{env:") || pattern.contains("{file:") {
        let text = format!("{permission} {pattern}: {word}");
        reading.lost(text, "what OpenCode puts in its place is not known here");
        return;
    }
    rules.push(Rule { permission: permission.to_owned(), pattern: home(pattern), list });
}

fn home(pattern: &str) -> String {
    match pattern.strip_prefix("$HOME") {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
        _ => pattern.to_owned(),
    }
}

/// A pattern over paths relative to the project, or over full ones, in which `*` takes slashes, too.
fn paths(tool: &str, pattern: &str, scene: &Scene) -> Spelled {
    if spell::is_stars(pattern) {
        return Spelled::exact(tool);
    }
    if pattern == "~" {
        return Spelled::exact(format!("{tool}(~)"));
    }
    let (anchor, below) = match pattern.strip_prefix('/') {
        Some(below) => (Some("//"), below),
        None => match pattern.strip_prefix("~/") {
            Some(below) => (Some("~/"), below),
            None => (None, pattern),
        },
    };
    let (written, is_exact) = across_slashes(below);
    let patterns = match anchor {
        Some(anchor) => vec![format!("{anchor}{written}")],
        None => scene.below_root(&written),
    };
    let rules = patterns.into_iter().map(|pattern| format!("{tool}({pattern})")).collect();
    Spelled { rules, is_exact }
}

/// Writes a pattern whose `*` takes slashes as one whose `*` does not; wider where that cannot be.
fn across_slashes(pattern: &str) -> (String, bool) {
    let names: Vec<&str> = pattern.split('/').filter(|name| !name.is_empty()).collect();
    let mut written: Vec<String> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let is_last = at + 1 == names.len();
        let inner = name.trim_start_matches('*').trim_end_matches('*');
        let (starts, ends) = (name.starts_with('*'), name.ends_with('*'));
        let plain = spell::path_glob(name);
        if *name == ".." {
            return ("**".to_owned(), false);
        } else if inner.is_empty() && starts {
            written.push("**".to_owned());
        } else if inner.contains('*') || (ends && !is_last) {
            // Anything may stand between here and the rest.
            let known = inner.split('*').next().unwrap_or_default();
            let name = if starts { format!("**/*{known}*") } else { format!("{known}*") };
            written.push(spell::path_glob(&name));
            return (written.join("/"), false);
        } else if starts {
            written.push(format!("**/{plain}"));
        } else {
            written.push(plain);
        }
    }
    (written.join("/"), true)
}

/// A pattern over URLs; rules here know hosts only.
fn urls(pattern: &str) -> Spelled {
    if spell::is_stars(pattern) {
        return Spelled::exact("WebFetch");
    }
    let Some((_, rest)) = pattern.split_once("://") else { return Spelled::wider("WebFetch") };
    let (host, path) = rest.split_once('/').unwrap_or((rest.trim_end_matches('*'), "*"));
    let is_host = !host.is_empty()
        && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '*'));
    match (is_host, spell::is_stars(path)) {
        (false, _) => Spelled::wider("WebFetch"),
        (true, true) => Spelled::exact(format!("WebFetch(domain:{host})")),
        (true, false) => Spelled::wider(format!("WebFetch(domain:{host})")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{allows, asks, denies};
    use super::*;

    fn lines(permission: &str) -> Vec<String> {
        read(&format!(r#"{{"permission": {permission}}}"#), &Scene::project()).unwrap().lines()
    }

    #[test]
    fn a_word_is_for_the_whole_tool() {
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
    fn the_last_pattern_wins() {
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
                "note bash git *: deny is asked about as a whole: `bash git status *: allow` takes a part of it back"
            ]
        );
    }

    #[test]
    fn paths_keep_their_reach() {
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
                "note edit x*y: deny cannot be written exactly: Edit(/x*) is asked about",
            ]
        );
        let user = read(r#"{"permission": {"edit": {"gen/*": "deny"}}}"#, &Scene::user());
        assert_eq!(user.unwrap().lines(), ["deny Edit(//p/gen/**)"]);
    }

    #[test]
    fn urls_count_by_their_host() {
        assert_eq!(
            lines(
                r#"{"webfetch": {"https://evil.example/*": "deny", "https://x.example/a*": "deny"}}"#
            ),
            [
                "deny WebFetch(domain:evil.example)",
                "ask WebFetch(domain:x.example)",
                "note webfetch https://x.example/a*: deny cannot be written exactly: WebFetch(domain:x.example) is asked about"
            ]
        );
    }

    #[test]
    fn other_shapes_of_the_file() {
        let read = |text| read(text, &Scene::project());
        let old = read(r#"{"tools": {"write": false, "bash": true}}"#).unwrap();
        assert_eq!(old.lines(), ["allow Bash", "deny Edit"]);
        let new = r#"{"permissions": [{"action": "bash", "resource": "rm *", "effect": "deny"}]}"#;
        assert_eq!(read(new).unwrap().lines(), ["deny Bash(rm *)"]);
        let outside =
            r#"{"permission": {"external_directory": {"*": "deny", "~/keys/**": "deny"}}}"#;
        assert_eq!(
            read(outside).unwrap().lines(),
            [
                "deny Read(~/keys/**)",
                "lost external_directory is skipped: no rule says that only the project may be touched"
            ]
        );
        let empty = read(r#"{"permission": {"bash": {"": "deny"}, "read": {"/": "deny"}}}"#);
        assert!(empty.unwrap().rows.is_empty());
        assert_eq!(
            read(r#"{"permission": {"bash": "never"}}"#).unwrap().lines(),
            ["lost bash *: never is skipped: its word is none of allow, ask, deny"]
        );
        for text in ["{", r#"{"permission": 1}"#, r#"{"permission": {"bash": {"a": 1}}}"#] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn its_rules_decide() {
        let text = r#"{ // team rules
            "permission": {
                "bash": {"*": "allow", "rm *": "deny", "terraform * destroy *": "deny", "npm *": "ask"},
                "read": {"*.env": "deny"},
            },
        }"#;
        let reading = read(text, &Scene::project()).unwrap();
        for command in ["rm", "rm -rf x", "terraform -x destroy", "cat deep/er/.env"] {
            denies(&reading, command);
        }
        asks(&reading, "npm install");
        for command in ["rmdir x", "terraform plan", "cat .env.example", "ls"] {
            allows(&reading, command);
        }
    }
}
