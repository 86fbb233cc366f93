//! Non-zero exit codes that are results, not failures: `grep` without a match, `diff` with differences.
//!
//! Only for one plain command or a pipeline that ends in it; anything that needs a shell to interpret (variables, lists,
//! redirections) is not considered.

use std::iter::Peekable;
use std::str::Chars;

use crate::run::Ending;

/// A command whose exit code is a result.
struct Row {
    /// The program and, where there is one, its subcommand.
    start: &'static [&'static str],
    /// Options, one of which must be present.
    flag: Option<&'static str>,
    code: i32,
    meaning: &'static str,
    /// Sample commands that must and must not match.
    #[cfg_attr(not(test), expect(dead_code, reason = "the row's proof"))]
    samples: (&'static str, &'static str),
}

const fn row(
    start: &'static [&'static str],
    meaning: &'static str,
    samples: (&'static str, &'static str),
) -> Row {
    Row { start, flag: None, code: 1, meaning, samples }
}

const fn flagged(
    start: &'static [&'static str],
    flag: &'static str,
    meaning: &'static str,
    samples: (&'static str, &'static str),
) -> Row {
    Row { start, flag: Some(flag), code: 1, meaning, samples }
}

/// Whether a command may end with a non-zero exit code that is a result.
pub fn may_be_result(command: &str) -> bool {
    ROWS.iter().any(|row| meaning(command, Ending::Exited(row.code)).is_some())
}

const NO_MATCH: &str = "no match";
const DIFFERS: &str = "differences";

const ROWS: &[Row] = &[
    row(&["grep"], NO_MATCH, ("cat a.log | grep -n 'a b'", "grep x a && make")),
    row(&["egrep"], NO_MATCH, ("egrep 'a|b' file", "egrep x; true")),
    row(&["fgrep"], NO_MATCH, ("fgrep a.b file", "fgrep x $FILE")),
    row(&["zgrep"], NO_MATCH, ("zgrep x a.gz", "! zgrep x a.gz")),
    row(&["rg"], NO_MATCH, ("rg -i \"no such\" src", "rg x | wc -l")),
    row(&["ag"], NO_MATCH, ("ag x", "ag x > out")),
    row(&["ack"], NO_MATCH, ("ack x", "ack x &")),
    row(&["git", "grep"], NO_MATCH, ("git grep x", "git commit -m grep")),
    row(&["pgrep"], "no such process", ("pgrep -f server", "sudo pgrep x")),
    row(&["diff"], DIFFERS, ("/usr/bin/diff -u a b", "diff <(a) b")),
    row(&["cmp"], DIFFERS, ("cmp -s a b", "cmp a b || exit 1")),
    flagged(&["git", "diff"], "--exit-code", DIFFERS, ("git diff --exit-code HEAD", "git diff")),
    flagged(&["git", "diff"], "--quiet", DIFFERS, ("git diff --quiet", "git diff -q")),
    flagged(
        &["git", "merge-base"],
        "--is-ancestor",
        "no ancestor",
        ("git merge-base --is-ancestor a b", "git merge-base a b"),
    ),
    row(&["git", "check-ignore"], "not ignored", ("git check-ignore a", "git add a")),
    row(&["test"], "false", ("test -f a", "test -f $a")),
    row(&["["], "false", ("[ -f a ]", "[[ -f a ]]")),
    row(&["which"], "not found", ("which bun", "which bun; true")),
    flagged(&["command"], "-v", "not found", ("command -v bun", "command bun")),
];

/// What the exit code of `command` means, if it is a result and not a failure.
pub fn meaning(command: &str, ending: Ending) -> Option<&'static str> {
    let Ending::Exited(code) = ending else { return None };
    let last = last_of_pipeline(command)?;
    ROWS.iter().find(|row| row.code == code && row.claims(&last)).map(|row| row.meaning)
}

impl Row {
    fn claims(&self, words: &[String]) -> bool {
        let Some((program, arguments)) = words.split_first() else { return false };
        let program = program.rsplit('/').next().unwrap_or_default();
        let begins = std::iter::once(program).chain(arguments.iter().map(String::as_str));
        self.start.iter().copied().eq(begins.take(self.start.len()))
            && self.flag.is_none_or(|flag| arguments.iter().any(|argument| argument == flag))
    }
}

/// The words of a pipeline's last command; None for anything beyond plain words and pipes.
fn last_of_pipeline(line: &str) -> Option<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut rest = line.trim().chars().peekable();
    while let Some(next) = rest.peek() {
        match next {
            ' ' | '\t' => drop(rest.next()),
            '|' => {
                rest.next();
                commands.push(Vec::new());
            }
            _ => commands.last_mut()?.push(word(&mut rest)?),
        }
    }
    let is_negated = commands.first()?.first().is_some_and(|word: &String| word == "!");
    (!is_negated && commands.iter().all(|words| !words.is_empty())).then(|| commands.pop())?
}

/// Parses one word, parts of which may be quoted.
fn word(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut word = String::new();
    while let Some(next) = rest.peek().copied() {
        match next {
            ' ' | '\t' | '|' => break,
            '\'' => word.push_str(&quoted(rest, |inner, _| Some(inner))?),
            '"' => word.push_str(&quoted(rest, plain_in_double_quotes)?),
            plain if is_plain(plain) => {
                word.push(plain);
                rest.next();
            }
            _ => return None,
        }
    }
    Some(word)
}

/// Parses a quoted string.
fn quoted(
    rest: &mut Peekable<Chars<'_>>,
    accept: fn(char, &mut Peekable<Chars<'_>>) -> Option<char>,
) -> Option<String> {
    let quote = rest.next()?;
    let mut text = String::new();
    loop {
        let inner = rest.next()?;
        if inner == quote {
            return Some(text);
        }
        text.push(accept(inner, rest)?);
    }
}

/// A literal character between double quotes; a backslash escapes the next.
fn plain_in_double_quotes(inner: char, rest: &mut Peekable<Chars<'_>>) -> Option<char> {
    match inner {
        '$' | '`' | '!' => None,
        '\\' => rest.next(),
        plain => Some(plain),
    }
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "-_./=:,+@%^*?[]~!".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_match_their_samples() {
        for row in ROWS {
            let (yes, no) = row.samples;
            assert_eq!(meaning(yes, Ending::Exited(row.code)), Some(row.meaning), "{yes}");
            assert_eq!(meaning(no, Ending::Exited(row.code)), None, "{no}");
        }
    }

    #[test]
    fn other_codes_are_failures() {
        assert_eq!(meaning("grep x missing", Ending::Exited(2)), None);
        assert_eq!(meaning("grep x a", Ending::Exited(0)), None);
        assert_eq!(meaning("grep x a", Ending::TimedOut), None);
    }

    #[test]
    fn ignores_commands_that_need_a_shell() {
        for line in [
            "grep `x` a",
            "grep \"$x\" a",
            "grep x a\nmake",
            "grep 'x",
            "a || grep x",
            "! a | grep x",
            "grep x a # why",
            "(grep x a)",
            "X=1 grep x a",
            "| grep x",
            "",
        ] {
            assert_eq!(meaning(line, Ending::Exited(1)), None, "{line}");
        }
    }
}
