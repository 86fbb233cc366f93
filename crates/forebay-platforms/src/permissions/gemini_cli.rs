//! Gemini CLI: tools that `settings.json` excludes, and the policy engine's `policies/*.toml`.
//!
//! As documented (docs/reference/policy-engine.md and docs/tools/shell.md of
//! github.com/google-gemini/gemini-cli) and implemented there:
//! - `tools.exclude`, or `excludeTools` of older files, denies tools: `run_shell_command` as a whole, or
//!   `run_shell_command(git push)` for commands with this prefix;
//! - a policy file has `[[rule]]` tables of `toolName`, `commandPrefix` and `decision`; of all that match
//!   a call, the one with the highest `priority` decides. Regular expressions (`commandRegex`,
//!   `argsPattern`) are not supported: a deny rule with one is reported, and rules that an allow rule with
//!   one may override become ask rules. So do rules for one mode, subagent or kind of session, because
//!   Forebay does not know which one calls.
//!
//! Each file is resolved on its own: a deny rule stays one even if another file outranks it. A project's
//! policies count although Gemini CLI currently ignores them.

use forebay_policy::List;
use serde::Deserialize;

use super::glob::Glob;
use super::precedence::{OrderedRule, Pattern, resolve};
use super::source::{ParseContext, ParsedRules, RuleFolder, RuleSource, SourceKind};
use super::translate::Translation;
use super::{jsonc, translate};
use crate::folders::BaseDir;

const HOME: RuleFolder = RuleFolder::User(BaseDir::EnvOr("GEMINI_CLI_HOME", ""));
const POLICIES: SourceKind = SourceKind::Folder("toml");

pub(crate) const SOURCES: &[RuleSource] = &[
    settings_in(RuleFolder::Project),
    RuleSource {
        folder: RuleFolder::Project,
        path: ".gemini/policies",
        kind: POLICIES,
        parse: parse_policies,
    },
    settings_in(HOME),
    RuleSource { folder: HOME, path: ".gemini/policies", kind: POLICIES, parse: parse_policies },
];

const fn settings_in(folder: RuleFolder) -> RuleSource {
    RuleSource {
        folder,
        path: ".gemini/settings.json",
        kind: SourceKind::File,
        parse: parse_settings,
    }
}

/// The host's names for Forebay's tools.
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

fn forebay_tool(tool: &str) -> Option<&'static str> {
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

fn parse_settings(text: &str, _: &ParseContext) -> Result<ParsedRules, String> {
    let settings: Settings = jsonc::parse(text)?;
    let mut parsed = ParsedRules::default();
    for entry in settings.tools.exclude.into_iter().chain(settings.exclude_tools) {
        match excluded_rule(entry.trim()) {
            Ok(rule) => parsed.add(List::Deny, rule),
            Err(reason) => parsed.skip(entry, reason),
        }
    }
    Ok(parsed)
}

fn excluded_rule(entry: &str) -> Result<String, &'static str> {
    let Some((tool, rest)) = entry.split_once('(') else {
        return Ok(forebay_tool(entry).unwrap_or(entry).to_owned());
    };
    let inner = rest.strip_suffix(')').ok_or("its parentheses do not match")?.trim();
    match forebay_tool(tool.trim()) {
        Some("Bash") if inner.is_empty() || translate::is_only_stars(inner) => {
            Ok("Bash".to_owned())
        }
        Some("Bash") => Ok(without_star(inner)),
        _ => Err("only run_shell_command takes a command"),
    }
}

/// A trailing `*` is redundant in a prefix.
fn without_star(inner: &str) -> String {
    match inner.strip_suffix('*').map(str::trim_end) {
        Some(before) if !before.is_empty() => translate::command_prefix(before),
        _ => translate::command_prefix(inner),
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

fn parse_policies(text: &str, _: &ParseContext) -> Result<ParsedRules, String> {
    let file: Policies = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut parsed = ParsedRules::default();
    let mut policies = Vec::new();
    for rule in file.rule {
        let shown = summary(&rule);
        match rule.try_into::<Policy>() {
            Ok(policy) => policies.push((shown, policy)),
            Err(error) => parsed.skip(shown, error.message()),
        }
    }
    // Of two rules with the same priority, the first wins.
    policies.reverse();
    policies.sort_by_key(|(_, policy)| policy.priority);
    report_unsupported(&policies, &mut parsed);
    for tool in ["Bash", "Edit", "Read", "WebFetch"] {
        let ordered: Vec<OrderedRule> =
            policies.iter().flat_map(|(shown, policy)| policy.rules_for(tool, shown)).collect();
        resolve(&ordered, &mut parsed);
    }
    let mcp_rules: Vec<OrderedRule> =
        policies.iter().flat_map(|(shown, policy)| policy.mcp_rules(shown)).collect();
    resolve(&mcp_rules, &mut parsed);
    Ok(parsed)
}

/// A rule in one line, for diagnostics.
fn summary(rule: &toml::Value) -> String {
    let Some(table) = rule.as_table() else { return rule.to_string() };
    let field = |name: &str| Some(format!("{name} = {}", table.get(name)?));
    let names = ["toolName", "mcpName", "commandPrefix", "commandRegex", "argsPattern", "decision"];
    names.into_iter().filter_map(field).collect::<Vec<_>>().join(", ")
}

fn report_unsupported(policies: &[(String, Policy)], parsed: &mut ParsedRules) {
    for (shown, policy) in policies {
        let is_about_forebay_tools = policy.mcp_name.is_none()
            && ["Bash", "Edit", "Read", "WebFetch"].iter().any(|tool| policy.matches_tool(tool));
        match policy.list() {
            None => parsed.skip(shown, "its decision is not allow, deny or ask_user"),
            Some(List::Deny | List::Ask) if policy.has_regex() && is_about_forebay_tools => {
                parsed.skip(shown, "regular expressions are not supported");
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

    fn has_regex(&self) -> bool {
        self.command_regex.is_some() || self.args_pattern.is_some()
    }

    /// Whether it applies only to some callers, which Forebay cannot tell apart.
    fn is_conditional(&self) -> bool {
        let in_default = self.modes.is_empty() || self.modes.iter().any(|mode| mode == "default");
        !in_default
            || self.subagent.is_some()
            || self.interactive.is_some()
            || self.tool_annotations.is_some()
    }

    fn matches_tool(&self, tool: &str) -> bool {
        self.tools().iter().any(|name| name == "*" || forebay_tool(name) == Some(tool))
    }

    /// The rules for one of Forebay's tools.
    fn rules_for(&self, tool: &str, shown: &str) -> Vec<OrderedRule> {
        let Some(list) = self.list().filter(|_| self.mcp_name.is_none() && self.matches_tool(tool))
        else {
            return Vec::new();
        };
        let ordered = |pattern, translation: Option<Translation>| OrderedRule {
            text: shown.to_owned(),
            list,
            pattern,
            // A conditional allow rule is dropped, a conditional deny rule becomes an ask rule.
            translation: translation
                .map(|all| Translation { is_exact: !self.is_conditional(), ..all }),
        };
        match &self.command_prefix {
            _ if self.has_regex() => vec![ordered(Pattern::Unknown, None)],
            None => {
                vec![ordered(Pattern::Glob(Glob::everything()), Some(Translation::exact(tool)))]
            }
            Some(prefixes) => {
                let all = prefixes.all().iter();
                let one = |prefix: &String| {
                    let translation = Translation::exact(translate::command_prefix(prefix));
                    ordered(Pattern::Glob(Glob::prefix(prefix.trim())), Some(translation))
                };
                all.filter(|_| tool == "Bash").map(one).collect()
            }
        }
    }

    /// The rules for tools of MCP servers.
    fn mcp_rules(&self, shown: &str) -> Vec<OrderedRule> {
        let Some(list) = self.list() else { return Vec::new() };
        let ordered = |name: String| OrderedRule {
            text: shown.to_owned(),
            list,
            pattern: if self.has_regex() {
                Pattern::Unknown
            } else {
                Pattern::Glob(Glob::new(&name))
            },
            translation: (!self.has_regex()).then(|| Translation {
                is_exact: !self.is_conditional(),
                ..Translation::exact(name)
            }),
        };
        self.mcp_names().into_iter().map(ordered).collect()
    }

    /// Tools of MCP servers, in Forebay's spelling.
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
    use super::super::tests::{assert_allowed, assert_asked, assert_denied};
    use super::*;

    fn settings(text: &str) -> Vec<String> {
        parse_settings(text, &ParseContext::project()).unwrap().lines()
    }

    fn policies(text: &str) -> Vec<String> {
        parse_policies(text, &ParseContext::user()).unwrap().lines()
    }

    #[test]
    fn denies_excluded_tools() {
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
                "skipped: read_file(x) is skipped: only run_shell_command takes a command",
            ]
        );
        for text in [r#"{"tools": {"exclude": "x"}}"#, r#"{"tools": ["x"]}"#] {
            assert!(parse_settings(text, &ParseContext::user()).is_err(), "{text}");
        }
    }

    const RULE: &str = "[[rule]]\ntoolName = \"run_shell_command\"\n";

    #[test]
    fn translates_policies() {
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
    fn higher_priority_overrides_lower() {
        let text = format!(
            "{RULE}commandPrefix = \"git status\"\ndecision = \"allow\"\npriority = 200\n\
             {RULE}commandPrefix = \"git\"\ndecision = \"deny\"\npriority = 100\n\
             {RULE}commandPrefix = \"rm\"\ndecision = \"deny\"\npriority = 900\n"
        );
        let parsed = parse_policies(&text, &ParseContext::user()).unwrap();
        assert_denied(&parsed, "rm x");
        assert_asked(&parsed, "git push");
        assert_allowed(&parsed, "make");
        assert!(
            parsed.diagnostics[0].message.contains("overrides part of it"),
            "{:?}",
            parsed.diagnostics
        );
    }

    #[test]
    fn reports_unsupported_rules() {
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
                "skipped: toolName = \"run_shell_command\", decision = \"deny\" is skipped: missing field `priority`",
                "skipped: toolName = \"run_shell_command\", decision = \"maybe\" is skipped: its decision is not allow, deny or ask_user",
                "skipped: toolName = \"run_shell_command\", commandRegex = \"git (push|pull)\", decision = \"deny\" is skipped: regular expressions are not supported",
                "warning: toolName = \"run_shell_command\", commandPrefix = \"ls\", decision = \"deny\" has no exact translation: Bash(ls:*) applies as an ask rule",
            ]
        );
        assert!(parse_policies("[[rule]", &ParseContext::user()).is_err());
        assert!(parse_policies("rule = 1", &ParseContext::user()).is_err());
    }
}
