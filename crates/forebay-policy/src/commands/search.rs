//! Searches words and code for commands where it is not known which part is run.

use super::{Reachability, ReachableCommand, ReachableCommands, TOO_DEEP, code, inner};
use crate::shell::{self, Command, Doubt, Word};

/// Words inspected behind too many wrappers.
const MAX_TAIL_WORDS: usize = 8;
const MAX_WORDS_OF_TAIL: usize = 32;
/// Commands that words inside of others may begin.
const MAX_TAILS: usize = 512;
/// Commands that words of one unknown program may be.
const MAX_SUSPECTS: usize = 64;

const COMPUTED: Doubt = Doubt("the code computes what it runs");

impl ReachableCommands<'_> {
    /// Beyond the nesting limit any word may be the command's name, so that depth cannot hide a denied one.
    pub(super) fn add_unfollowed_tails(&mut self, command: &Command) {
        self.add_doubt(TOO_DEEP);
        for at in 0..command.words.len() {
            let end = command.words.len().min(at + MAX_TAIL_WORDS);
            let tail = Command::from_words(command.words[at..end].to_vec());
            self.commands
                .push(ReachableCommand { command: tail, reachability: Reachability::Possible });
        }
    }

    /// Adds a command for each word that may begin one, and what words with blanks say.
    pub(super) fn add_tails(&mut self, words: &[Word], depth: u32) {
        for at in 0..words.len() {
            let tail = &words[at..words.len().min(at + MAX_WORDS_OF_TAIL)];
            self.add_tail(tail.to_vec(), depth);
            if tail.iter().any(is_separator) {
                self.add_tail(
                    tail.iter().filter(|word| !is_separator(word)).cloned().collect(),
                    depth,
                );
            }
            // `--exec=git -- push`, `-xgit -- push`
            if let Some(program) = value_of_option(&words[at]) {
                let behind = tail[1..].iter().filter(|word| !is_separator(word)).cloned();
                self.add_tail(std::iter::once(program).chain(behind).collect(), depth);
            }
            if words[at].marked().contains(char::is_whitespace) {
                self.add_code(&words[at], depth);
                // `-xcommand`
                if let Some(attached) = attached_value(&words[at]) {
                    self.add_code(&attached, depth);
                }
            }
        }
    }

    /// Adds a command that may be run, once, and only so many in all.
    fn add_tail(&mut self, words: Vec<Word>, depth: u32) {
        if self.tails.len() >= MAX_TAILS {
            self.add_doubt(TOO_DEEP);
            return;
        }
        // An unknown word could be any command; `ssh $HOST ls` would never be answered.
        if words.first().is_none_or(inner::is_nothing_but_holes) {
            return;
        }
        let text: Vec<String> = words.iter().map(Word::marked).collect();
        if self.tails.insert(text.join("\0")) {
            self.guessing += 1;
            self.add(Command::from_words(words), None, Reachability::Possible, depth);
            self.guessing -= 1;
        }
    }

    /// Adds what a text in some language may run: as shell, and every part of it that names a watched command.
    pub(super) fn add_code(&mut self, text: &Word, depth: u32) {
        let code = text.as_script();
        if self.tails.len() >= MAX_TAILS || !self.tails.insert(format!("\0{code}")) {
            return;
        }
        let script = shell::parse(&code);
        if script.broken.is_none() {
            for command in script.commands {
                self.add_tail(command.words, depth);
            }
        }
        self.add_named_in(&code, depth);
    }

    /// Adds what a program in another language may run, if it starts processes at all.
    pub(super) fn add_program(&mut self, text: &Word, depth: u32) {
        if self.watched.is_empty() {
            return;
        }
        let code = text.as_script();
        self.programs.push(code.clone());
        if !code::starts_processes(&code) {
            return;
        }
        self.add_named_in(&code, depth);
        if code::computes_commands(&code, self.watched) {
            self.add_doubt(COMPUTED);
        }
    }

    fn add_named_in(&mut self, code: &str, depth: u32) {
        for words in code::commands(code, self.watched) {
            self.add_tail(words.into_iter().take(MAX_WORDS_OF_TAIL).collect(), depth);
        }
    }

    /// Adds the substitutions of a text that may be evaluated.
    pub(super) fn add_guess(&mut self, text: &Word, depth: u32) {
        self.guessing += 1;
        for command in shell::parse(&text.as_script()).commands {
            self.add(command, None, Reachability::Possible, depth);
        }
        self.guessing -= 1;
    }

    /// Adds the watched commands that words of an unknown program may be.
    pub(super) fn add_suspects(&mut self, words: &[Word], depth: u32) {
        let watched = self.watched;
        let mut suspects: Vec<Vec<Word>> = (0..words.len())
            .filter(|&at| watched.is_name(&words[at]))
            .map(|at| words[at..words.len().min(at + MAX_WORDS_OF_TAIL)].to_vec())
            .collect();
        let texts = words.iter().map(Word::as_script);
        // `-wrapper git,push`
        let lists =
            texts.clone().filter(|text| text.contains(',')).map(|text| text.replace(',', " "));
        let texts = texts.filter(|text| text.contains([' ', '=', '\n'])).chain(lists);
        suspects.extend(texts.flat_map(|text| code::commands(&text, watched)));
        self.guessing += 1;
        for suspect in suspects.into_iter().take(MAX_SUSPECTS) {
            self.add(Command::from_words(suspect), None, Reachability::Suspected, depth);
        }
        self.guessing -= 1;
    }

    /// Splits unparsable text at anything that looks like a separator, so that a denied command in it is still found.
    pub(super) fn add_fragments(&mut self, text: &str) {
        for fragment in text.split(['\n', ';', '|', '&', '(', ')', '{', '}', '`']) {
            let words: Vec<Word> = fragment
                .split_whitespace()
                .map(|word| Word::literal(word.replace(['\'', '"', '\\'], "")))
                .collect();
            if !words.is_empty() {
                self.add(Command::from_words(words), None, Reachability::Possible, 0);
            }
        }
    }
}

fn is_separator(word: &Word) -> bool {
    word.marked() == "--"
}

/// The value in the word of an option, without blanks: behind `=`, or behind its letter.
fn value_of_option(word: &Word) -> Option<Word> {
    let text = word.marked();
    let value =
        text.strip_prefix('-').and_then(|option| option.split_once('=')).map(|(_, value)| value);
    let literal = value.filter(|value| !value.is_empty()).map(Word::literal);
    literal
        .or_else(|| attached_value(word))
        .filter(|value| !value.source.contains(char::is_whitespace))
}

/// The text behind a short option in the same word.
fn attached_value(word: &Word) -> Option<Word> {
    let text = word.marked();
    let cluster = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
    let end = cluster.char_indices().nth(1).map(|(at, _)| at)?;
    Some(Word::literal(&cluster[end..]))
}
