//! Finds every command a shell text may run, through wrappers and scripts.

pub(crate) mod files;
pub(crate) mod git;
mod guesses;
mod inner;
pub(crate) mod read_only;
pub(crate) mod removals;
mod runners;
pub(crate) mod strip;
pub(crate) mod variables;
mod wrappers;
mod written_scripts;

use std::collections::HashSet;

use self::guesses::Guesses;
use self::inner::Inner;
pub(crate) use self::inner::base_name;
use super::shell::{self, Assignment, Command, Doubt, Hole, Piece, Script, Word};

/// Maximum nesting of wrappers that is followed.
const MAX_DEPTH: u32 = 32;
/// Words inspected behind too many wrappers.
const MAX_TAIL_WORDS: usize = 8;

const MAX_WORDS_OF_TAIL: usize = 32;
/// Commands that words inside of others may begin.
const MAX_TAILS: usize = 512;

const OWN_OUTPUT: Doubt = Doubt("it runs a file that it writes itself");
const TOO_DEEP: Doubt = Doubt("commands are nested too deeply to analyse");
const MADE_WHEN_RUN: Doubt = Doubt("a script is assembled at run time");
const UNREADABLE_SCRIPT: Doubt = Doubt("a script in the arguments cannot be parsed");

/// Every command that a text may run.
#[derive(Default)]
pub(crate) struct ReachableCommands {
    pub(crate) commands: Vec<ReachableCommand>,
    pub(crate) doubts: Vec<Doubt>,
    pub(crate) broken: Option<&'static str>,
    /// Variables whose value is certain.
    known: Vec<(String, String)>,
    /// Commands that some word may begin, so that each is followed once.
    tails: HashSet<String>,
    /// Whether such a command is followed: what is unknown in it is no doubt, because it may be none.
    guessing: u32,
}

/// A command and how the text reaches it.
pub(crate) struct ReachableCommand {
    pub(crate) command: Command,
    pub(crate) reachability: Reachability,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reachability {
    /// Written in the text: must be allowed itself.
    Literal,
    /// Run by another command, which must be allowed.
    Reached,
    /// A possible value of an unknown part.
    Possible,
}

impl ReachableCommands {
    /// Analyses a text; `known` are variables with known values, `added` those that the call sets.
    pub(crate) fn new(text: &str, known: &[(&str, &str)], added: &[(String, String)]) -> Self {
        let mut reachable = Self::default();
        let mut script = shell::parse(text);
        reachable.known = with_added(known, added);
        reachable.substitute_known(&mut script);
        reachable.add_variables(added);
        reachable.broken = script.broken;
        reachable.add_script(script, Reachability::Literal, 0);
        if reachable.broken.is_some() {
            reachable.add_fragments(text);
        }
        reachable.add_guesses();
        if written_scripts::runs_own_output(&reachable.commands) {
            reachable.add_doubt(OWN_OUTPUT);
        }
        reachable
    }

    /// The call's variables count like assignments before the text.
    fn add_variables(&mut self, added: &[(String, String)]) {
        let assignments: Vec<Assignment> = added
            .iter()
            .map(|(name, value)| Assignment { name: name.clone(), value: Word::literal(value) })
            .collect();
        if !assignments.is_empty() {
            let command = Command { assignments, ..Command::default() };
            self.add(command, None, Reachability::Reached, 0);
        }
    }

    /// Substitutes known variables; one that a text sets is not known any more.
    fn substitute_known(&mut self, script: &mut Script) {
        let commands = || script.commands.iter().chain(&script.alternatives);
        self.known.retain(|(name, _)| !commands().any(|command| variables::sets(command, name)));
        let value_of = |hole: &Hole| {
            let name = hole.name.as_ref()?;
            self.known.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        };
        for command in &mut script.commands {
            let targets = command.redirects.iter_mut().map(|redirect| &mut redirect.target);
            for word in command.words.iter_mut().chain(targets) {
                for piece in &mut word.pieces {
                    if let Piece::Hole(hole) = piece
                        && let Some(value) = value_of(hole)
                    {
                        *piece = Piece::Text(value);
                    }
                }
            }
        }
    }

    fn add_script(&mut self, script: Script, reachability: Reachability, depth: u32) {
        script.doubts.into_iter().for_each(|doubt| self.add_doubt(doubt));
        let mut before: Option<Command> = None;
        for command in script.commands {
            self.add(command.clone(), before.as_ref(), reachability, depth);
            before = Some(command);
        }
        for command in script.alternatives {
            self.add(command, None, Reachability::Possible, depth);
        }
    }

    fn add(
        &mut self,
        command: Command,
        before: Option<&Command>,
        reachability: Reachability,
        depth: u32,
    ) {
        if depth > MAX_DEPTH {
            self.add_unfollowed_tails(&command);
            return;
        }
        let inner = inner::commands_run_by(&command, before);
        self.commands.push(ReachableCommand { command, reachability });
        let reached = if reachability == Reachability::Possible {
            Reachability::Possible
        } else {
            Reachability::Reached
        };
        for each in inner {
            match each {
                Inner::Words(words) => {
                    self.add(Command::from_words(words), None, reached, depth + 1);
                }
                Inner::Text(text) => self.add_text(&text, reached, depth + 1),
                Inner::Foreign(text) => {
                    self.add_text(&text, reached, depth + 1);
                    self.add_fragments(&text.as_script());
                }
                Inner::Tails(words) => self.add_tails(&words, depth + 1),
                Inner::Code(text) => self.add_code(&text, depth + 1),
                Inner::Doubt(doubt) => self.add_doubt(doubt),
            }
        }
    }

    /// Beyond the nesting limit any word may be the command's name, so that depth cannot hide a denied one.
    fn add_unfollowed_tails(&mut self, command: &Command) {
        self.add_doubt(TOO_DEEP);
        for at in 0..command.words.len() {
            let end = command.words.len().min(at + MAX_TAIL_WORDS);
            let tail = Command::from_words(command.words[at..end].to_vec());
            self.commands
                .push(ReachableCommand { command: tail, reachability: Reachability::Possible });
        }
    }

    /// Adds a command for each word that may begin one, and what words with blanks say.
    fn add_tails(&mut self, words: &[Word], depth: u32) {
        for at in 0..words.len() {
            let tail = &words[at..words.len().min(at + MAX_WORDS_OF_TAIL)];
            self.add_tail(tail.to_vec(), depth);
            if tail.iter().any(is_separator) {
                self.add_tail(
                    tail.iter().filter(|word| !is_separator(word)).cloned().collect(),
                    depth,
                );
            }
            if words[at].marked().contains(char::is_whitespace) {
                self.add_code(&words[at], depth);
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

    /// Adds what a text in some language may run: as shell, and every piece of it that could be a command.
    fn add_code(&mut self, text: &Word, depth: u32) {
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
        for fragment in runners::fragments(&code) {
            for at in 0..fragment.len().min(MAX_TAIL_WORDS) {
                let end = fragment.len().min(at + MAX_WORDS_OF_TAIL);
                self.add_tail(fragment[at..end].to_vec(), depth);
            }
        }
    }

    fn add_text(&mut self, text: &Word, reachability: Reachability, depth: u32) {
        if text.has_hole() {
            self.add_doubt(MADE_WHEN_RUN);
        }
        let mut script = shell::parse(&text.as_script());
        self.substitute_known(&mut script);
        let is_broken = script.broken.is_some();
        self.add_script(script, reachability, depth);
        if is_broken {
            self.add_doubt(UNREADABLE_SCRIPT);
            self.add_fragments(&text.as_script());
        }
    }

    /// Splits unparsable text at anything that looks like a separator, so that a denied command in it is still found.
    fn add_fragments(&mut self, text: &str) {
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

    fn add_guesses(&mut self) {
        let mut guesses = Guesses::default();
        self.commands.iter().for_each(|reachable| guesses.learn(&reachable.command));
        let variants: Vec<Command> = self
            .commands
            .iter()
            .flat_map(|reachable| guesses.variants(&reachable.command))
            .collect();
        for variant in variants {
            self.add(variant, None, Reachability::Possible, 0);
        }
    }

    fn add_doubt(&mut self, doubt: Doubt) {
        let counts = self.guessing == 0 || doubt == TOO_DEEP;
        if counts && !self.doubts.contains(&doubt) {
            self.doubts.push(doubt);
        }
    }
}

/// The variables with known values; one that the call sets replaces another. A value with blanks or wildcards would
/// become several words, so it stays a guess.
fn with_added(known: &[(&str, &str)], added: &[(String, String)]) -> Vec<(String, String)> {
    let is_added = |name: &str| added.iter().any(|(own, _)| own == name);
    let is_one_word = |value: &str| {
        !value.is_empty() && !value.contains(|c: char| c.is_whitespace() || "*?[".contains(c))
    };
    let kept = known.iter().filter(|(name, _)| !is_added(name));
    let kept = kept.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    kept.chain(added.iter().filter(|(_, value)| is_one_word(value)).cloned()).collect()
}

fn is_separator(word: &Word) -> bool {
    word.marked() == "--"
}
