//! Codex CLI: `prefix_rule` and `network_rule` calls in `rules/*.rules`.
//!
//! The files are Starlark (developers.openai.com/codex/rules, and the execpolicy crate of
//! github.com/openai/codex): `prefix_rule(pattern = [...], decision = "allow" | "prompt" | "forbidden")`
//! holds for commands that begin with these words, a nested list standing for any of its words, and
//! the strictest of all matching rules wins. Only calls with literal arguments are read, at the top of
//! the file: what is computed is told, because nothing is evaluated here. `host_executable` only says
//! which absolute paths a bare name stands for; here it stands for all.

use forebay_policy::List;

use super::reading::{Holds, Lies, Reading, Scene, Source};
use super::spell;
use super::starlark::{self, Call, Literal, Statement};

pub(super) const SOURCES: &[Source] = &[
    Source { lies: Lies::Project, path: ".codex/rules", holds: Holds::Folder("rules"), read },
    Source {
        lies: Lies::User { variable: "CODEX_HOME", otherwise: ".codex" },
        path: "rules",
        holds: Holds::Folder("rules"),
        read,
    },
];

/// Commands one call may stand for; a list of lists grows fast.
const MOST_COMMANDS: usize = 1000;

fn read(text: &str, _: &Scene) -> Result<Reading, String> {
    let mut reading = Reading::default();
    for statement in starlark::statements(text)? {
        match statement {
            Statement::Call(call) => read_call(&call, &mut reading),
            Statement::Other(text) => {
                reading.lost(text, "only calls with literal arguments are read");
            }
        }
    }
    Ok(reading)
}

fn read_call(call: &Call, reading: &mut Reading) {
    let read = match call.name.as_str() {
        "prefix_rule" => prefix_rule(call),
        "network_rule" => network_rule(call),
        "host_executable" => return,
        _ => Err("Codex has no such rule"),
    };
    match read {
        Ok((list, rows)) => reading.rows(list, rows),
        Err(why) => reading.lost(&call.text, why),
    }
}

fn prefix_rule(call: &Call) -> Result<(List, Vec<String>), &'static str> {
    let pattern = call.argument("pattern", 0).and_then(Literal::list).ok_or("it has no pattern")?;
    let list = match call.argument("decision", 1) {
        None | Some(Literal::None) => List::Allow,
        Some(decision) => decision_of(decision)?,
    };
    let commands = commands(pattern)?;
    Ok((list, commands.iter().map(|command| spell::command_prefix(command)).collect()))
}

fn network_rule(call: &Call) -> Result<(List, Vec<String>), &'static str> {
    let host = call.argument("host", 0).and_then(Literal::text).ok_or("it has no host")?;
    let decision = call.argument("decision", 2).ok_or("it has no decision")?;
    Ok((decision_of(decision)?, vec![format!("WebFetch(domain:{host})")]))
}

fn decision_of(decision: &Literal) -> Result<List, &'static str> {
    match decision.text() {
        Some("allow") => Ok(List::Allow),
        Some("prompt") => Ok(List::Ask),
        Some("forbidden" | "deny") => Ok(List::Deny),
        _ => Err("its decision is none of allow, prompt, forbidden"),
    }
}

/// Every command a pattern begins.
fn commands(pattern: &[Literal]) -> Result<Vec<String>, &'static str> {
    let mut commands = vec![String::new()];
    for word in pattern {
        let words: Vec<&str> = match word {
            Literal::Text(word) => vec![word],
            Literal::List(words) => words.iter().filter_map(Literal::text).collect(),
            Literal::None => Vec::new(),
        };
        let is_whole = matches!(word, Literal::List(all) if all.len() != words.len());
        if words.is_empty() || is_whole || words.iter().any(|word| word.trim().is_empty()) {
            return Err("a word of its pattern is no text");
        }
        if commands.len() * words.len() > MOST_COMMANDS {
            return Err("it stands for too many commands");
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
    use super::super::tests::{allows, asks, denies};
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        read(text, &Scene::project()).unwrap().lines()
    }

    #[test]
    fn calls_with_literal_arguments_are_read() {
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
    fn what_is_computed_is_told() {
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
                "lost WORDS = [\"git\"] is skipped: only calls with literal arguments are read",
                "lost prefix_rule(pattern = WORDS + [\"push\"], decision = \"forbidden\") is skipped: only calls with literal arguments are read",
                "lost def forbid(words): is skipped: only calls with literal arguments are read",
                "lost [prefix_rule(pattern = [w]) for w in WORDS] is skipped: only calls with literal arguments are read",
                "lost prefix_rule(pattern = [], decision = \"forbidden\") is skipped: its pattern is empty",
                "lost prefix_rule(pattern = [\"a\"], decision = \"never\") is skipped: its decision is none of allow, prompt, forbidden",
                "lost fly([\"a\"]) is skipped: Codex has no such rule",
            ]
        );
    }

    #[test]
    fn a_text_that_is_no_starlark_is_an_error() {
        for text in ["prefix_rule(pattern = [\"a\"]", "x = \"a", "prefix_rule(])", "\"\"\"a"] {
            assert!(read(text, &Scene::project()).is_err(), "{text}");
        }
    }

    #[test]
    fn its_rules_decide() {
        let reading = read(
            "prefix_rule(pattern=['git','push',['--force','-f']], decision='forbidden')\n\
             prefix_rule(pattern=['npm','publish'], decision='prompt')\n\
             prefix_rule(pattern=['find', '*'], decision='forbidden')",
            &Scene::project(),
        )
        .unwrap();
        denies(&reading, "git push --force origin");
        denies(&reading, "cd x && /usr/bin/git push -f");
        denies(&reading, "find '*' -name x");
        asks(&reading, "npm publish");
        for command in ["git push origin", "npm pub", "find . -name x", "echo 'git push -f'"] {
            allows(&reading, command);
        }
    }
}
