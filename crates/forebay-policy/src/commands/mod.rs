//! Finds every command a shell text may run, through wrappers and scripts.

pub(crate) mod files;
pub(crate) mod git;
mod guesses;
mod inner;
pub(crate) mod read_only;
pub(crate) mod removals;
pub(crate) mod strip;
pub(crate) mod variables;
mod wrappers;

use self::guesses::Guesses;
use self::inner::Inner;
pub(crate) use self::inner::base_name;
use super::shell::{self, Assignment, Command, Doubt, Hole, Piece, Script, Word};

/// Maximum nesting of wrappers that is followed.
const MAX_DEPTH: u32 = 32;
/// Words inspected behind too many wrappers.
const MAX_TAIL_WORDS: usize = 8;

const TOO_DEEP: Doubt = Doubt("commands are nested too deeply to analyse");
const MADE_WHEN_RUN: Doubt = Doubt("a script is assembled at run time");
const UNREADABLE_SCRIPT: Doubt = Doubt("a script in the arguments cannot be parsed");

/// Every command that a text may run.
#[derive(Default)]
pub(crate) struct ReachableCommands {
    pub(crate) commands: Vec<ReachableCommand>,
    pub(crate) doubts: Vec<Doubt>,
    pub(crate) broken: Option<&'static str>,
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
        let is_added = |name: &str| added.iter().any(|(own, _)| own == name);
        let known: Vec<(&str, &str)> =
            known.iter().copied().filter(|(name, _)| !is_added(name)).collect();
        substitute_known(&mut script, &known);
        reachable.add_variables(added);
        reachable.broken = script.broken;
        reachable.add_script(script, Reachability::Literal, 0);
        if reachable.broken.is_some() {
            reachable.add_fragments(text);
        }
        reachable.add_guesses();
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
            self.add_tails(&command);
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
                Inner::Doubt(doubt) => self.add_doubt(doubt),
            }
        }
    }

    /// Beyond the nesting limit any word may be the command's name, so that depth cannot hide a denied one.
    fn add_tails(&mut self, command: &Command) {
        self.add_doubt(TOO_DEEP);
        for at in 0..command.words.len() {
            let end = command.words.len().min(at + MAX_TAIL_WORDS);
            let tail = Command::from_words(command.words[at..end].to_vec());
            self.commands
                .push(ReachableCommand { command: tail, reachability: Reachability::Possible });
        }
    }

    fn add_text(&mut self, text: &Word, reachability: Reachability, depth: u32) {
        if text.has_hole() {
            self.add_doubt(MADE_WHEN_RUN);
        }
        let script = shell::parse(&text.as_script());
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
        if !self.doubts.contains(&doubt) {
            self.doubts.push(doubt);
        }
    }
}

/// Substitutes known variables, unless the text assigns them itself.
fn substitute_known(script: &mut Script, known: &[(&str, &str)]) {
    let mut guesses = Guesses::default();
    script.commands.iter().for_each(|command| guesses.learn(command));
    let value_of = |hole: &Hole| {
        let name = hole.name.as_deref().filter(|name| !guesses.knows(name))?;
        known.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
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
