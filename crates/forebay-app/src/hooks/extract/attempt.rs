//! Attempts: decides which later success resolves an earlier failure.

use super::tool;
use forebay_domain::event::MAX_SUBJECT_BYTES;
use forebay_domain::hook::ToolCall;
use forebay_policy::shell;
use forebay_text::cut;

/// Returns what a call attempts, worded as its failure would be.
pub fn attempted(call: &ToolCall) -> String {
    cut::one_line(&tool::attempted(call), MAX_SUBJECT_BYTES)
}

/// Whether the success of one attempt resolves the failure of another.
pub fn resolves(succeeded: &str, failed: &str) -> bool {
    if succeeded == failed {
        return true;
    }
    let (done, wanted) = (Attempt::read(succeeded), Attempt::read(failed));
    !done.words.is_empty() && (done == wanted || done.covers(&wanted))
}

/// The words of a command line that define the attempt, without those that only display output.
#[derive(Debug, PartialEq, Eq)]
struct Attempt {
    words: Vec<String>,
}

/// Programs that only prepare the actual command.
const PREFIX_PROGRAMS: &[&str] =
    &["cd", "pushd", "export", "source", ".", "set", "mkdir", "sudo", "time"];
/// Verbs of checks; a check of everything covers a check of parts.
const CHECKING_VERBS: &[&str] = &["test", "check", "clippy", "lint", "vet"];
const CHECKING_PROGRAMS: &[&str] =
    &["pytest", "jest", "vitest", "rspec", "phpunit", "mocha", "tox", "ctest", "mypy", "tsc"];

impl Attempt {
    fn read(line: &str) -> Self {
        let script = shell::parse(line);
        let mut words = Vec::new();
        // Commands after a pipe only display; the one before it is the attempt.
        for command in script.commands.iter().filter(|command| !command.piped) {
            let own: Vec<String> = command
                .words
                .iter()
                .map(|word| word.known().unwrap_or_else(|| word.source.clone()))
                .collect();
            if own.first().is_some_and(|program| !PREFIX_PROGRAMS.contains(&program.as_str())) {
                words.extend(own);
            }
        }
        Self { words }
    }

    fn covers(&self, other: &Self) -> bool {
        let program = &self.words[0];
        let verb = self.words.get(1).map(String::as_str).unwrap_or_default();
        let is_check = CHECKING_PROGRAMS.contains(&program.as_str())
            || CHECKING_VERBS.contains(&verb) && other.words.get(1).is_some_and(|own| own == verb);
        is_check
            && other.words.first() == Some(program)
            && self.words.iter().all(|word| other.words.contains(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_resolves_the_same_failure() {
        for (succeeded, failed, expect) in [
            ("cargo test", "cargo test", true),
            ("cargo test 2>&1 | tail -5", "cargo test | tail -50", true),
            ("cd app && npm test", "npm test", true),
            ("cargo test", "cargo test -p store reads", true),
            ("cargo test -p store", "cargo test", false),
            ("cargo build", "cargo test", false),
            ("make", "make test", false),
            ("npm run build", "npm run lint", false),
            ("Read /a", "Read /b", false),
            ("ls", "ls /missing", false),
            ("pytest", "pytest tests/test_a.py", true),
            ("", "cargo test", false),
        ] {
            assert_eq!(resolves(succeeded, failed), expect, "{succeeded} / {failed}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics_on_any_line(one in "\\PC{0,80}", other in "\\PC{0,80}") {
            let _ = resolves(&one, &other);
        }
    }
}
