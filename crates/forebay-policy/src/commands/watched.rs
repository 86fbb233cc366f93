//! The commands that deny and ask rules name, which words and code are searched for.

use super::base_name;
use crate::shell::Word;

/// The leading words of each rule about commands.
#[derive(Debug, Default)]
pub(crate) struct WatchedCommands {
    prefixes: Vec<Vec<String>>,
}

impl WatchedCommands {
    /// `prefixes` are the words that the commands of each rule begin with; none for a rule about any command.
    pub(crate) fn new(prefixes: impl IntoIterator<Item = Vec<String>>) -> Self {
        Self { prefixes: prefixes.into_iter().collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.prefixes.is_empty()
    }

    /// Whether a word may be the name of a watched command; `git-push` is one of git.
    pub(super) fn is_name(&self, word: &Word) -> bool {
        let name = base_name(word);
        self.prefixes.iter().any(|prefix| match prefix.first() {
            Some(watched) => {
                let watched = watched.rsplit('/').next().unwrap_or(watched);
                name == watched || name.strip_prefix(watched).is_some_and(|r| r.starts_with('-'))
            }
            None => true,
        })
    }

    /// Whether a text names a watched program so that a denied command could be made of it: with the rule's next word,
    /// or with nothing behind it.
    pub(super) fn are_named_in(&self, text: &str) -> bool {
        self.prefixes.iter().any(|prefix| match prefix.as_slice() {
            [] => true,
            [program] => tokens(text, program).next().is_some(),
            [program, next, ..] => {
                let mut programs = tokens(text, program).peekable();
                programs.peek().is_some()
                    && (tokens(text, next).next().is_some()
                        || programs.any(|behind| !continues(behind)))
            }
        })
    }
}

/// Whether a literal goes on with another word, so that the program has its first argument: `git log`.
fn continues(behind: &str) -> bool {
    let rest = behind.trim_start_matches(' ');
    rest.len() < behind.len() && rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-')
}

/// The text behind each occurrence of a word, but not in names such as `.git` or `git@host`.
fn tokens<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    let is_part = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    text.match_indices(word).filter_map(move |(at, _)| {
        let behind = &text[at + word.len()..];
        let is_token = !text[..at].ends_with(is_part)
            && !behind.starts_with(|c: char| is_part(c) || "@+:".contains(c));
        is_token.then_some(behind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_named_where_a_denied_command_could_be_made_of_it() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let watched = WatchedCommands::new([words("git push"), words("rm")]);
        for text in ["x = 'git'", "['git', x]", "/usr/bin/git {}", "git log; push", "call(rm)"] {
            assert!(watched.are_named_in(text), "{text}");
        }
        for text in ["git log", "open('.git/config')", "git@host:x", "github", "form", "a.rm()"] {
            assert!(!watched.are_named_in(text), "{text}");
        }
    }
}
