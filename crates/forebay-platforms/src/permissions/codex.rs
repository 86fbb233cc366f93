//! Codex CLI: `prefix_rule` and `network_rule` calls in `rules/*.rules`.
//!
//! The files are Starlark (developers.openai.com/codex/rules, and the execpolicy crate of
//! github.com/openai/codex): `prefix_rule(pattern = [...], decision = "allow" | "prompt" | "forbidden")`
//! matches commands that start with these words; a nested list stands for any of its words. The strictest
//! matching rule wins. Starlark is not evaluated: only top-level calls with literal arguments count, and
//! everything else is reported. `host_executable` restricts the absolute paths that a bare name stands
//! for; here a name stands for every path.

use forebay_policy::List;

use super::source::{ParseContext, ParsedRules, RuleFolder, RuleSource, SourceKind};
use super::starlark::{self, Call, Literal, Statement};
use super::translate;
use crate::folders::BaseDir;

pub(crate) const SOURCES: &[RuleSource] = &[
    RuleSource {
        folder: RuleFolder::Project,
        path: ".codex/rules",
        kind: SourceKind::Folder("rules"),
        parse,
    },
    RuleSource {
        folder: RuleFolder::User(BaseDir::EnvOr("CODEX_HOME", ".codex")),
        path: "rules",
        kind: SourceKind::Folder("rules"),
        parse,
    },
];

/// Commands that one call may expand to; nested lists multiply.
const MAX_COMMANDS: usize = 1000;

fn parse(text: &str, _: &ParseContext) -> Result<ParsedRules, String> {
    let mut parsed = ParsedRules::default();
    for statement in starlark::statements(text)? {
        match statement {
            Statement::Call(call) => translate_call(&call, &mut parsed),
            Statement::Other(text) => {
                parsed.skip(text, "only calls with literal arguments are supported");
            }
        }
    }
    Ok(parsed)
}

fn translate_call(call: &Call, parsed: &mut ParsedRules) {
    let translated = match call.name.as_str() {
        "prefix_rule" => prefix_rule(call),
        "network_rule" => network_rule(call),
        "host_executable" => return,
        _ => Err("unknown function"),
    };
    match translated {
        Ok((list, rules)) => parsed.extend(list, rules),
        Err(reason) => parsed.skip(&call.text, reason),
    }
}

fn prefix_rule(call: &Call) -> Result<(List, Vec<String>), &'static str> {
    let pattern = call.argument("pattern", 0).and_then(Literal::list).ok_or("it has no pattern")?;
    let list = match call.argument("decision", 1) {
        None | Some(Literal::None) => List::Allow,
        Some(decision) => parse_decision(decision)?,
    };
    let commands = expand(pattern)?;
    Ok((list, commands.iter().map(|command| translate::command_prefix(command)).collect()))
}

fn network_rule(call: &Call) -> Result<(List, Vec<String>), &'static str> {
    let host = call.argument("host", 0).and_then(Literal::text).ok_or("it has no host")?;
    let decision = call.argument("decision", 2).ok_or("it has no decision")?;
    Ok((parse_decision(decision)?, vec![format!("WebFetch(domain:{host})")]))
}

fn parse_decision(decision: &Literal) -> Result<List, &'static str> {
    match decision.text() {
        Some("allow") => Ok(List::Allow),
        Some("prompt") => Ok(List::Ask),
        Some("forbidden" | "deny") => Ok(List::Deny),
        _ => Err("its decision is not allow, prompt or forbidden"),
    }
}

/// Expands a pattern to the command prefixes it matches.
fn expand(pattern: &[Literal]) -> Result<Vec<String>, &'static str> {
    let mut commands = vec![String::new()];
    for word in pattern {
        let words: Vec<&str> = match word {
            Literal::Text(word) => vec![word],
            Literal::List(words) => words.iter().filter_map(Literal::text).collect(),
            Literal::None => Vec::new(),
        };
        let has_other_literals = matches!(word, Literal::List(all) if all.len() != words.len());
        if words.is_empty() || has_other_literals || words.iter().any(|word| word.trim().is_empty())
        {
            return Err("its pattern contains something other than words");
        }
        if commands.len() * words.len() > MAX_COMMANDS {
            return Err("it expands to too many commands");
        }
        let extended = |before: &String| {
            words.iter().map(|word| format!("{before} {word}")).collect::<Vec<_>>()
        };
        commands = commands.iter().flat_map(extended).collect();
    }
    if pattern.is_empty() { Err("its pattern is empty") } else { Ok(commands) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_allowed, assert_asked, assert_denied};
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        parse(text, &ParseContext::project()).unwrap().lines()
    }

    #[test]
    fn parses_calls_with_literal_arguments() {
        let text = r#"
# Prompt before looking at pull requests.
prefix_rule(
    pattern = ["gh", "pr", ["view", "list"]],  # alternatives
    decision = "prompt",
    justification = "needs (approval)",
    match = ["gh pr view 7888", ["gh", "pr", "list"]],
    not_match = ["gh pr --repo x view"],
)
prefix_rule(pattern=["git", "reset", "--hard"], decision='forbidden')
prefix_rule(["ls"]); prefix_rule([["rm", "rmdir"], "-r"], "forbidden")
network_rule(host = "evil.example", protocol = "https", decision = "deny")
host_executable(name = "git", paths = ["/usr/bin/git"])
"#;
        assert_eq!(
            lines(text),
            [
                "ask Bash(gh pr view:*)",
                "ask Bash(gh pr list:*)",
                "deny Bash(git reset --hard:*)",
                "allow Bash(ls:*)",
                "deny Bash(rm -r:*)",
                "deny Bash(rmdir -r:*)",
                "deny WebFetch(domain:evil.example)",
            ]
        );
    }

    #[test]
    fn reports_computed_rules() {
        let text = r#"
WORDS = ["git"]
prefix_rule(pattern = WORDS + ["push"], decision = "forbidden")
def forbid(words):
    prefix_rule(pattern = words, decision = "forbidden")

[prefix_rule(pattern = [w]) for w in WORDS]
prefix_rule(pattern = [], decision = "forbidden")
prefix_rule(pattern = ["a"], decision = "never")
fly(["a"])
prefix_rule(pattern = ["rm"], decision = "forbidden")
"#;
        assert_eq!(
            lines(text),
            [
                "deny Bash(rm:*)",
                "skipped: WORDS = [\"git\"] is skipped: only calls with literal arguments are supported",
                "skipped: prefix_rule(pattern = WORDS + [\"push\"], decision = \"forbidden\") is skipped: only calls with literal arguments are supported",
                "skipped: def forbid(words): is skipped: only calls with literal arguments are supported",
                "skipped: [prefix_rule(pattern = [w]) for w in WORDS] is skipped: only calls with literal arguments are supported",
                "skipped: prefix_rule(pattern = [], decision = \"forbidden\") is skipped: its pattern is empty",
                "skipped: prefix_rule(pattern = [\"a\"], decision = \"never\") is skipped: its decision is not allow, prompt or forbidden",
                "skipped: fly([\"a\"]) is skipped: unknown function",
            ]
        );
    }

    #[test]
    fn rejects_malformed_starlark() {
        for text in ["prefix_rule(pattern = [\"a\"]", "x = \"a", "prefix_rule(])", "\"\"\"a"] {
            assert!(parse(text, &ParseContext::project()).is_err(), "{text}");
        }
    }

    #[test]
    fn translated_rules_decide() {
        let parsed = parse(
            "prefix_rule(pattern=['git','push',['--force','-f']], decision='forbidden')\n\
             prefix_rule(pattern=['npm','publish'], decision='prompt')\n\
             prefix_rule(pattern=['find', '*'], decision='forbidden')",
            &ParseContext::project(),
        )
        .unwrap();
        assert_denied(&parsed, "git push --force origin");
        assert_denied(&parsed, "cd x && /usr/bin/git push -f");
        assert_denied(&parsed, "find '*' -name x");
        assert_asked(&parsed, "npm publish");
        for command in ["git push origin", "npm pub", "find . -name x", "echo 'git push -f'"] {
            assert_allowed(&parsed, command);
        }
    }
}
