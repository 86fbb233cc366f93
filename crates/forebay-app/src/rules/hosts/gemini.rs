//! Gemini CLI: tools that `settings.json` excludes, and the policy engine's `policies/*.toml`.
//!
//! As documented (docs/reference/policy-engine.md and docs/tools/shell.md of
//! github.com/google-gemini/gemini-cli) and as its source reads them:
//! - `tools.exclude`, or `excludeTools` of older files, denies tools: `run_shell_command` as a whole, or
//!   `run_shell_command(git push)` for commands that begin so;
//! - a policy file has `[[rule]]` tables of `toolName`, `commandPrefix` and `decision`, and of all that
//!   match a call the one of the highest `priority` decides. Regular expressions (`commandRegex`,
//!   `argsPattern`) are not read: a rule with one is told, and what it might allow is asked about.
//!   So are rules for one mode, subagent or kind of session: nobody tells Forebay which one calls.
//!
//! Each file stands for itself: a deny that a rule of another file would outrank is still a deny. A
//! project's policies count although Gemini CLI itself has switched them off for now.

use forebay_policy::List;
use serde::Deserialize;

use super::glob::Glob;
use super::ordered::{Ordered, Reach, settle};
use super::reading::{Holds, Lies, Reading, Scene, Source};
use super::spell::Spelled;
use super::{jsonc, spell};

const HOME: Lies = Lies::User { variable: "GEMINI_CLI_HOME", otherwise: "" };
const POLICIES: Holds = Holds::Folder("toml");

pub(super) const SOURCES: &[Source] = &[
    settings_in(Lies::Project),
    Source { lies: Lies::Project, path: ".gemini/policies", holds: POLICIES, read: read_policies },
    settings_in(HOME),
    Source { lies: HOME, path: ".gemini/policies", holds: POLICIES, read: read_policies },
];

const fn settings_in(lies: Lies) -> Source {
    Source { lies, path: ".gemini/settings.json", holds: Holds::File, read: read_settings }
}

/// Its tools that do what Forebay does.
const TOOLS: &[(&str, &str)] = &[
    ("run_shell_command", "Bash"),
    ("ShellTool", "Bash"),
    ("read_file", "Read"),
    ("read_many_files", "Read"),
    ("ReadFileTool", "Read"),
    ("write_file", "Edit"),
    ("replace", "Edit"),
    ("WriteFileTool", "Edit"),
    ("EditTool", "Edit"),
    ("web_fetch", "WebFetch"),
    ("WebFetchTool", "WebFetch"),
];

fn ours(tool: &str) -> Option<&'static str> {
    TOOLS.iter().find(|(theirs, _)| *theirs == tool).map(|(_, ours)| *ours)
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Settings {
    #[serde(deserialize_with = "jsonc::object")]
    tools: Tools,
    exclude_tools: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tools {
    exclude: Vec<String>,
}

fn read_settings(text: &str, _: &Scene) -> Result<Reading, String> {
    let settings: Settings = jsonc::read(text)?;
    let mut reading = Reading::default();
    for entry in settings.tools.exclude.into_iter().chain(settings.exclude_tools) {
        match excluded(entry.trim()) {
            Ok(row) => reading.row(List::Deny, row),
            Err(why) => reading.lost(entry, why),
        }
    }
    Ok(reading)
}

fn excluded(entry: &str) -> Result<String, &'static str> {
    let Some((tool, rest)) = entry.split_once('(') else {
        return Ok(ours(entry).unwrap_or(entry).to_owned());
    };
    let inner = rest.strip_suffix(')').ok_or("its parentheses do not match")?.trim();
    match ours(tool.trim()) {
        Some("Bash") if inner.is_empty() || spell::is_stars(inner) => Ok("Bash".to_owned()),
        Some("Bash") => Ok(prefix_or_glob(inner)),
        _ => Err("only run_shell_command takes a command"),
    }
}

/// A `*` at the end of a prefix says what a prefix means anyway.
fn prefix_or_glob(inner: &str) -> String {
    match inner.strip_suffix('*').map(str::trim_end) {
        Some(before) if !before.is_empty() => spell::command_prefix(before),
        _ => spell::command_prefix(inner),
    }
}

#[derive(Debug, Deserialize)]
struct Policies {
    #[serde(default)]
    rule: Vec<toml::Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Policy {
    tool_name: Option<Names>,
    mcp_name: Option<String>,
    command_prefix: Option<Names>,
    command_regex: Option<String>,
    args_pattern: Option<String>,
    decision: String,
    priority: i64,
    #[serde(default)]
    modes: Vec<String>,
    subagent: Option<String>,
    interactive: Option<bool>,
    tool_annotations: Option<toml::Value>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Many(Vec<String>),
}

impl Names {
    fn all(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Many(names) => names,
        }
    }
}

fn read_policies(text: &str, _: &Scene) -> Result<Reading, String> {
    let policies: Policies = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut reading = Reading::default();
    let mut read = Vec::new();
    for rule in policies.rule {
        let shown = shown(&rule);
        match rule.try_into::<Policy>() {
            Ok(policy) => read.push((shown, policy)),
            Err(error) => reading.lost(shown, error.message()),
        }
    }
    // Of two rules of one priority the first is the stronger.
    read.reverse();
    read.sort_by_key(|(_, policy)| policy.priority);
    tell_unreadable(&read, &mut reading);
    for tool in ["Bash", "Edit", "Read", "WebFetch"] {
        let ordered: Vec<Ordered> =
            read.iter().flat_map(|(shown, policy)| policy.about(tool, shown)).collect();
        settle(&ordered, &mut reading);
    }
    let of_servers: Vec<Ordered> =
        read.iter().flat_map(|(shown, policy)| policy.about_mcp(shown)).collect();
    settle(&of_servers, &mut reading);
    Ok(reading)
}

/// A rule in one line, for those who must find it.
fn shown(rule: &toml::Value) -> String {
    let Some(table) = rule.as_table() else { return rule.to_string() };
    let field = |name: &str| Some(format!("{name} = {}", table.get(name)?));
    let names = ["toolName", "mcpName", "commandPrefix", "commandRegex", "argsPattern", "decision"];
    names.into_iter().filter_map(field).collect::<Vec<_>>().join(", ")
}

fn tell_unreadable(read: &[(String, Policy)], reading: &mut Reading) {
    for (shown, policy) in read {
        let is_about_us = policy.mcp_name.is_none()
            && ["Bash", "Edit", "Read", "WebFetch"].iter().any(|tool| policy.names(tool));
        match policy.list() {
            None => reading.lost(shown, "its decision is none of allow, deny, ask_user"),
            Some(List::Deny | List::Ask) if policy.is_pattern() && is_about_us => {
                reading.lost(shown, "regular expressions are not read");
            }
            Some(_) => {}
        }
    }
}

impl Policy {
    fn list(&self) -> Option<List> {
        match self.decision.as_str() {
            "allow" => Some(List::Allow),
            "ask_user" => Some(List::Ask),
            "deny" => Some(List::Deny),
            _ => None,
        }
    }

    fn tools(&self) -> &[String] {
        self.tool_name.as_ref().map_or(&[], Names::all)
    }

    fn is_pattern(&self) -> bool {
        self.command_regex.is_some() || self.args_pattern.is_some()
    }

    /// It holds only for some callers, of which Forebay knows nothing.
    fn is_conditional(&self) -> bool {
        let in_default = self.modes.is_empty() || self.modes.iter().any(|mode| mode == "default");
        !in_default
            || self.subagent.is_some()
            || self.interactive.is_some()
            || self.tool_annotations.is_some()
    }

    fn names(&self, tool: &str) -> bool {
        self.tools().iter().any(|name| name == "*" || ours(name) == Some(tool))
    }

    /// What it says about one of Forebay's tools.
    fn about(&self, tool: &str, shown: &str) -> Vec<Ordered> {
        let Some(list) = self.list().filter(|_| self.mcp_name.is_none() && self.names(tool)) else {
            return Vec::new();
        };
        let ordered = |reach, spelled: Option<Spelled>| Ordered {
            text: shown.to_owned(),
            list,
            reach,
            // Nothing wider than the rule is written for an allow, and a deny becomes an ask.
            spelled: spelled.map(|all| Spelled { is_exact: !self.is_conditional(), ..all }),
        };
        match &self.command_prefix {
            _ if self.is_pattern() => vec![ordered(Reach::Unknown, None)],
            None => vec![ordered(Reach::Glob(Glob::everything()), Some(Spelled::exact(tool)))],
            Some(prefixes) => {
                let all = prefixes.all().iter();
                let one = |prefix: &String| {
                    let spelled = Spelled::exact(spell::command_prefix(prefix));
                    ordered(Reach::Glob(Glob::prefix(prefix.trim())), Some(spelled))
                };
                all.filter(|_| tool == "Bash").map(one).collect()
            }
        }
    }

    /// What it says about tools of MCP servers.
    fn about_mcp(&self, shown: &str) -> Vec<Ordered> {
        let Some(list) = self.list() else { return Vec::new() };
        let ordered = |name: String| Ordered {
            text: shown.to_owned(),
            list,
            reach: if self.is_pattern() { Reach::Unknown } else { Reach::Glob(Glob::wild(&name)) },
            spelled: (!self.is_pattern())
                .then(|| Spelled { is_exact: !self.is_conditional(), ..Spelled::exact(name) }),
        };
        self.mcp_names().into_iter().map(ordered).collect()
    }

    /// Servers' tools by the names they have here.
    fn mcp_names(&self) -> Vec<String> {
        let Some(server) = &self.mcp_name else {
            let full = self.tools().iter().filter_map(|name| name.strip_prefix("mcp_"));
            return full.map(|name| format!("mcp__{}", name.replacen('_', "__", 1))).collect();
        };
        if self.tools().is_empty() {
            return vec![format!("mcp__{server}__*")];
        }
        self.tools().iter().map(|tool| format!("mcp__{server}__{tool}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{allows, asks, denies};
    use super::*;

    fn settings(text: &str) -> Vec<String> {
        read_settings(text, &Scene::project()).unwrap().lines()
    }

    fn policies(text: &str) -> Vec<String> {
        read_policies(text, &Scene::user()).unwrap().lines()
    }

    #[test]
    fn excluded_tools_are_denied() {
        let text = r#"{ // as it was
            "tools": {"core": ["run_shell_command"], "exclude": ["run_shell_command(rm -rf)",
                "run_shell_command(git push *)", "web_fetch", "save_memory", "read_file(x)"]},
            "excludeTools": ["ShellTool"]
        }"#;
        assert_eq!(
            settings(text),
            [
                "deny Bash(rm -rf:*)",
                "deny Bash(git push:*)",
                "deny WebFetch",
                "deny save_memory",
                "deny Bash",
                "lost read_file(x) is skipped: only run_shell_command takes a command",
            ]
        );
        for text in [r#"{"tools": {"exclude": "x"}}"#, r#"{"tools": ["x"]}"#] {
            assert!(read_settings(text, &Scene::user()).is_err(), "{text}");
        }
    }

    const RULE: &str = "[[rule]]\ntoolName = \"run_shell_command\"\n";

    #[test]
    fn policies_are_read() {
        let text = format!(
            "{RULE}commandPrefix = [\"rm -rf\", \"mkfs\"]\ndecision = \"deny\"\npriority = 100\n\
             denyMessage = \"no\"\n\
             {RULE}commandPrefix = \"git\"\ndecision = \"ask_user\"\npriority = 100\n\
             [[rule]]\ntoolName = [\"write_file\", \"replace\"]\ndecision = \"ask_user\"\npriority = 10\n\
             [[rule]]\nmcpName = \"untrusted\"\ndecision = \"deny\"\npriority = 500\n\
             [[rule]]\ntoolName = \"mcp_db_drop\"\ndecision = \"deny\"\npriority = 1\n"
        );
        assert_eq!(
            policies(&text),
            [
                "ask Bash(git:*)",
                "deny Bash(rm -rf:*)",
                "deny Bash(mkfs:*)",
                "ask Edit",
                "deny mcp__db__drop",
                "deny mcp__untrusted__*",
            ]
        );
    }

    #[test]
    fn a_stronger_rule_takes_back_what_a_weaker_says() {
        let text = format!(
            "{RULE}commandPrefix = \"git status\"\ndecision = \"allow\"\npriority = 200\n\
             {RULE}commandPrefix = \"git\"\ndecision = \"deny\"\npriority = 100\n\
             {RULE}commandPrefix = \"rm\"\ndecision = \"deny\"\npriority = 900\n"
        );
        let reading = read_policies(&text, &Scene::user()).unwrap();
        denies(&reading, "rm x");
        asks(&reading, "git push");
        allows(&reading, "make");
        assert!(reading.notes[0].what.contains("takes a part of it back"), "{:?}", reading.notes);
    }

    #[test]
    fn what_is_not_known_here_is_told() {
        let text = format!(
            "{RULE}commandRegex = \"git (push|pull)\"\ndecision = \"deny\"\npriority = 1\n\
             {RULE}commandPrefix = \"ls\"\nmodes = [\"plan\"]\ndecision = \"deny\"\npriority = 2\n\
             {RULE}decision = \"maybe\"\npriority = 1\n\
             {RULE}decision = \"deny\"\n"
        );
        assert_eq!(
            policies(&text),
            [
                "ask Bash(ls:*)",
                "lost toolName = \"run_shell_command\", decision = \"deny\" is skipped: missing field `priority`",
                "lost toolName = \"run_shell_command\", decision = \"maybe\" is skipped: its decision is none of allow, deny, ask_user",
                "lost toolName = \"run_shell_command\", commandRegex = \"git (push|pull)\", decision = \"deny\" is skipped: regular expressions are not read",
                "note toolName = \"run_shell_command\", commandPrefix = \"ls\", decision = \"deny\" cannot be written exactly: Bash(ls:*) is asked about",
            ]
        );
        assert!(read_policies("[[rule]", &Scene::user()).is_err());
        assert!(read_policies("rule = 1", &Scene::user()).is_err());
    }
}
