//! Attempts: which later success says that an earlier failure is over.

use super::tool;
use forebay_domain::event::MAX_SUBJECT_BYTES;
use forebay_domain::hook::ToolCall;
use forebay_policy::shell;
use forebay_text::cut;

/// What a call tries, in the words in which its failure would be told.
pub fn attempted(call: &ToolCall) -> String {
    cut::one_line(&tool::attempted(call), MAX_SUBJECT_BYTES)
}

/// Whether the success of one attempt says that the failure of another is over.
pub fn resolves(succeeded: &str, failed: &str) -> bool {
    if succeeded == failed {
        return true;
    }
    let (done, wanted) = (Attempt::read(succeeded), Attempt::read(failed));
    !done.words.is_empty() && (done == wanted || done.covers(&wanted))
}

/// The words of a command line that say what is tried, without what only shows it.
#[derive(Debug, PartialEq, Eq)]
struct Attempt {
    words: Vec<String>,
}

/// Programs that only lead to the one that counts.
const LEADING: &[&str] = &["cd", "pushd", "export", "source", ".", "set", "mkdir", "sudo", "time"];
/// Runs of all tests, or of all files, cover those of some.
const CHECKING_VERBS: &[&str] = &["test", "check", "clippy", "lint", "vet"];
const CHECKING_PROGRAMS: &[&str] =
    &["pytest", "jest", "vitest", "rspec", "phpunit", "mocha", "tox", "ctest", "mypy", "tsc"];

impl Attempt {
    fn read(line: &str) -> Self {
        let script = shell::parse(line);
        let mut words = Vec::new();
        // What reads from a pipe shows; what is before it tries.
        for command in script.commands.iter().filter(|command| !command.piped) {
            let own: Vec<String> = command
                .words
                .iter()
                .map(|word| word.known().unwrap_or_else(|| word.source.clone()))
                .collect();
            if own.first().is_some_and(|program| !LEADING.contains(&program.as_str())) {
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
    fn a_failure_is_over_when_the_same_works() {
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
        fn any_line_is_read(one in "\\PC{0,80}", other in "\\PC{0,80}") {
            let _ = resolves(&one, &other);
        }
    }
}
