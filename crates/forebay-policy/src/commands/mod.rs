//! From a shell text to every command it may run, seen through wrappers and scripts.

pub(crate) mod files;
pub(crate) mod git;
mod guesses;
mod inner;
pub(crate) mod read_only;
pub(crate) mod removals;
pub(crate) mod strip;
mod wrappers;

use self::guesses::Guesses;
use self::inner::Inner;
pub(crate) use self::inner::base_name;
use super::shell::{self, Command, Doubt, Hole, Piece, Script, Word};

/// Wrappers in wrappers beyond this are not told apart from what they run.
const DEEPEST: u32 = 32;
/// Words of a command that is looked for behind too many wrappers.
const LONGEST_TAIL: usize = 8;

const TOO_DEEP: Doubt = Doubt("commands are wrapped too deeply to follow");
const MADE_WHEN_RUN: Doubt = Doubt("a script is put together when it runs");
const UNREADABLE_SCRIPT: Doubt = Doubt("a script among the arguments cannot be read");

/// Everything a text may run.
#[derive(Default)]
pub(crate) struct Survey {
    pub(crate) parts: Vec<Part>,
    pub(crate) doubts: Vec<Doubt>,
    pub(crate) broken: Option<&'static str>,
}

/// One command and how it came to be there.
pub(crate) struct Part {
    pub(crate) command: Command,
    pub(crate) standing: Standing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It stands in the text: it must be allowed itself.
    Written,
    /// Another command runs it, and that one must be allowed.
    Reached,
    /// It may be what an unknown place becomes.
    Possible,
}

impl Survey {
    /// Reads a text; `known` are variables whose value is a fact.
    pub(crate) fn of(text: &str, known: &[(&str, &str)]) -> Self {
        let mut survey = Self::default();
        let mut script = shell::read(text);
        fill_known(&mut script, known);
        survey.broken = script.broken;
        survey.take_script(script, Standing::Written, 0);
        if survey.broken.is_some() {
            survey.take_fragments(text);
        }
        survey.take_guesses();
        survey
    }

    fn take_script(&mut self, script: Script, standing: Standing, depth: u32) {
        script.doubts.into_iter().for_each(|doubt| self.doubt(doubt));
        let mut before: Option<Command> = None;
        for command in script.commands {
            self.take(command.clone(), before.as_ref(), standing, depth);
            before = Some(command);
        }
        for command in script.alternatives {
            self.take(command, None, Standing::Possible, depth);
        }
    }

    fn take(&mut self, command: Command, before: Option<&Command>, standing: Standing, depth: u32) {
        if depth > DEEPEST {
            self.take_tails(&command);
            return;
        }
        let inner = inner::of(&command, before);
        self.parts.push(Part { command, standing });
        let reached =
            if standing == Standing::Possible { Standing::Possible } else { Standing::Reached };
        for each in inner {
            match each {
                Inner::Words(words) => {
                    self.take(Command::from_words(words), None, reached, depth + 1);
                }
                Inner::Text(text) => self.take_text(&text, reached, depth + 1),
                Inner::Doubt(doubt) => self.doubt(doubt),
            }
        }
    }

    /// Behind too many wrappers any word may be the command's name: depth must not hide a denied one.
    fn take_tails(&mut self, command: &Command) {
        self.doubt(TOO_DEEP);
        for at in 0..command.words.len() {
            let end = command.words.len().min(at + LONGEST_TAIL);
            let tail = Command::from_words(command.words[at..end].to_vec());
            self.parts.push(Part { command: tail, standing: Standing::Possible });
        }
    }

    fn take_text(&mut self, text: &Word, standing: Standing, depth: u32) {
        if text.has_hole() {
            self.doubt(MADE_WHEN_RUN);
        }
        let script = shell::read(&text.as_script());
        if script.broken.is_some() {
            self.doubt(UNREADABLE_SCRIPT);
        }
        self.take_script(script, standing, depth);
    }

    /// What cannot be read is cut at everything that looks like a border, so that a denied command
    /// in it is still seen.
    fn take_fragments(&mut self, text: &str) {
        for fragment in text.split(['\n', ';', '|', '&', '(', ')', '{', '}', '`']) {
            let words: Vec<Word> = fragment
                .split_whitespace()
                .map(|word| Word::literal(word.replace(['\'', '"', '\\'], "")))
                .collect();
            if !words.is_empty() {
                self.take(Command::from_words(words), None, Standing::Possible, 0);
            }
        }
    }

    fn take_guesses(&mut self) {
        let mut guesses = Guesses::default();
        self.parts.iter().for_each(|part| guesses.learn(&part.command));
        let variants: Vec<Command> =
            self.parts.iter().flat_map(|part| guesses.variants(&part.command)).collect();
        for variant in variants {
            self.take(variant, None, Standing::Possible, 0);
        }
    }

    fn doubt(&mut self, doubt: Doubt) {
        if !self.doubts.contains(&doubt) {
            self.doubts.push(doubt);
        }
    }
}

/// Puts facts in the place of variables, unless the text assigns them itself.
fn fill_known(script: &mut Script, known: &[(&str, &str)]) {
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
