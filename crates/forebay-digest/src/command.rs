//! Parses the command line that produced an output, to predict its format.

use forebay_policy::shell;

/// Commands that only run another command.
const WRAPPERS: &[&str] = &[
    "sudo", "env", "time", "nice", "nohup", "timeout", "stdbuf", "command", "exec", "npx", "bunx",
    "xvfb-run", "xargs", "watch",
];

/// Two-word commands that only run another command.
const RUNNERS: &[(&str, &str)] = &[
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("bundle", "exec"),
    ("pnpm", "exec"),
    ("pnpm", "dlx"),
    ("yarn", "exec"),
    ("yarn", "dlx"),
    ("npm", "exec"),
    ("docker", "exec"),
];

/// Commands that pass on part of their input.
const FILTERS: &[&str] = &[
    "head", "tail", "tee", "cat", "less", "more", "sort", "uniq", "grep", "egrep", "rg", "sed",
    "tr", "nl", "column",
];

/// Commands that print lines of files, which may be code.
const FILE_PRINTERS: &[&str] = &[
    "cat",
    "bat",
    "batcat",
    "head",
    "tail",
    "sed",
    "awk",
    "nl",
    "less",
    "more",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "diff",
    "git show",
    "git diff",
    "git grep",
    "git log",
    "git blame",
    "git stash",
];

/// The commands whose output the text may contain, each as its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Command {
    calls: Vec<Vec<String>>,
    /// The names of all programs, also of those whose output only others read.
    programs: Vec<String>,
}

impl Command {
    pub(crate) fn parse(text: &str) -> Self {
        let mut calls: Vec<Vec<String>> = Vec::new();
        let mut programs: Vec<String> = Vec::new();
        for command in shell::parse(text).commands {
            let words = command.words.iter().map(|word| unquoted(&word.source)).collect();
            let call = without_wrappers(words);
            let Some(name) = call.first() else { continue };
            programs.push(name.rsplit('/').next().unwrap_or(name).to_owned());
            if command.piped && FILTERS.contains(&name.as_str()) && !calls.is_empty() {
                continue;
            }
            if command.piped {
                calls.pop();
            }
            if name != "cd" && name != "export" {
                calls.push(call);
            }
        }
        Self { calls, programs }
    }

    /// Returns the names of all programs, without their folders.
    pub(crate) fn programs(&self) -> &[String] {
        &self.programs
    }

    /// Returns true if any of the commands matches a pattern such as `pytest` or `git log`.
    pub(crate) fn matches(&self, pattern: &str) -> bool {
        self.calls.iter().any(|call| call_matches(call, pattern))
    }

    /// Returns true if several commands print one after another.
    pub(crate) fn is_compound(&self) -> bool {
        self.calls.len() > 1
    }

    /// Returns the number of commands that match one of the patterns.
    pub(crate) fn count_matching(&self, patterns: &[&str]) -> usize {
        let matches_any =
            |call: &&Vec<String>| patterns.iter().any(|pattern| call_matches(call, pattern));
        self.calls.iter().filter(matches_any).count()
    }

    /// Returns true if every command matches one of the patterns.
    pub(crate) fn all_match(&self, patterns: &[&str]) -> bool {
        let matches_any =
            |call: &Vec<String>| patterns.iter().any(|pattern| call_matches(call, pattern));
        !self.calls.is_empty() && self.calls.iter().all(matches_any)
    }

    /// Returns true if a command prints lines of files, or what differs in them.
    pub(crate) fn prints_lines_of_files(&self) -> bool {
        self.count_matching(FILE_PRINTERS) > 0
    }

    /// Returns true if all commands print a manual or their help.
    pub(crate) fn asks_for_help(&self) -> bool {
        let is_help = |word: &String| {
            matches!(word.as_str(), "help" | "-h" | "-help" | "man") || word.starts_with("--help")
        };
        !self.calls.is_empty() && self.calls.iter().all(|call| call.iter().any(is_help))
    }

    /// Returns true if a command that matches a pattern has the option, by its letter (`-c`, also
    /// within `-rc`) or its name.
    pub(crate) fn has_option(&self, patterns: &[&str], letter: char, name: &str) -> bool {
        let is_letter = |word: &str| {
            word.strip_prefix('-')
                .is_some_and(|rest| !rest.starts_with('-') && rest.contains(letter))
        };
        let matching = |call: &&Vec<String>| patterns.iter().any(|one| call_matches(call, one));
        let mut calls = self.calls.iter().filter(matching);
        calls.any(|call| call.iter().skip(1).any(|word| word == name || is_letter(word)))
    }

    /// Returns the arguments of the commands that match one of the patterns.
    pub(crate) fn arguments(&self, patterns: &[&str]) -> impl Iterator<Item = &str> {
        let matches_any =
            |call: &&Vec<String>| patterns.iter().any(|pattern| call_matches(call, pattern));
        let calls = self.calls.iter().filter(matches_any);
        calls.flat_map(|call| call.iter().skip(1)).map(String::as_str)
    }

    /// Returns true if the only command has an argument with one of these file extensions.
    pub(crate) fn reads_file(&self, extensions: &[&str]) -> bool {
        let [call] = self.calls.as_slice() else { return false };
        call.iter().skip(1).any(|word| {
            word.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
        })
    }
}

/// Compares the program with the first word of the pattern; the other pattern words must follow in
/// order among the arguments.
fn call_matches(call: &[String], pattern: &str) -> bool {
    let mut pattern_words = pattern.split(' ');
    let mut words = call.iter();
    let program = words.next().map(|word| word.rsplit('/').next().unwrap_or(word));
    program == pattern_words.next()
        && pattern_words.all(|expected| words.any(|word| word == expected))
}

fn unquoted(word: &str) -> String {
    word.trim_matches(['"', '\'']).to_owned()
}

/// Removes leading commands that only run others.
fn without_wrappers(mut words: Vec<String>) -> Vec<String> {
    loop {
        let skip = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["timeout", limit, ..] if limit.starts_with(|c: char| c.is_ascii_digit()) => 2,
            ["python" | "python3", "-m", _, ..] => 2,
            [first, second, ..] if RUNNERS.contains(&(first, second)) => 2,
            [first, _, ..] if WRAPPERS.contains(first) => 1,
            _ => return words,
        };
        words.drain(..skip);
        while words.len() > 1 && (words[0].starts_with('-') || words[0].contains('=')) {
            words.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, is: &[&str], is_not: &[&str]) {
        let parsed = Command::parse(command);
        for pattern in is {
            assert!(parsed.matches(pattern), "{command}: {pattern} in {parsed:?}");
        }
        for pattern in is_not {
            assert!(!parsed.matches(pattern), "{command}: {pattern} in {parsed:?}");
        }
    }

    #[test]
    fn finds_the_command_that_produced_the_output() {
        check(
            "cd /x && cargo test --all 2>&1 | tail -50",
            &["cargo test", "cargo"],
            &["tail", "cd"],
        );
        check("RUST_LOG=1 timeout 30 ./gradlew test", &["gradlew", "gradlew test"], &["timeout"]);
        check("python3 -m pytest -q; ls -la", &["pytest", "ls"], &["python3"]);
        check("curl -s http://x/api | jq '.items'", &["jq"], &["curl"]);
        check("git -C /repo log --oneline", &["git log"], &["git diff"]);
        check("uv run --frozen pytest", &["pytest"], &["uv"]);
        check("", &[], &["ls"]);
    }

    #[test]
    fn finds_options_by_letter_and_name() {
        let counts =
            |command: &str| Command::parse(command).has_option(&["grep", "rg"], 'c', "--count");
        for command in ["grep -c x", "grep -rc x", "rg --count x"] {
            assert!(counts(command), "{command}");
        }
        for command in ["grep x c", "rg --color x", "grep x; gdb -batch", ""] {
            assert!(!counts(command), "{command}");
        }
    }
}
