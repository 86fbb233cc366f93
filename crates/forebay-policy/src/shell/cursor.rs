//! The parser's position and limits.

use super::script::{Command, Doubt, Piece, Script, Word};

/// Maximum nesting depth; the stack is finite.
const MAX_DEPTH: u32 = 48;

/// Why parsing stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Broken(pub(super) &'static str);

pub(super) const TOO_DEEP: Broken = Broken("it is nested too deeply");

pub(super) type Parsed<T> = Result<T, Broken>;

/// A here-document whose body has not been read yet.
pub(super) struct Pending {
    pub(super) delimiter: String,
    pub(super) strips_tabs: bool,
    pub(super) is_quoted: bool,
    /// Placeholder for the target of its redirection.
    pub(super) placeholder: String,
}

/// The parser's state.
///
/// Commands are collected in a flat list, in order of occurrence.
pub(super) struct Parser {
    characters: Vec<char>,
    pub(super) at: usize,
    pub(super) depth: u32,
    /// Remaining steps; bounds backtracking.
    fuel: usize,
    pub(super) commands: Vec<Command>,
    pub(super) alternatives: Vec<Command>,
    pub(super) doubts: Vec<Doubt>,
    pub(super) has_background: bool,
    pub(super) pending: Vec<Pending>,
    /// Whether the previous character was the `(` of a subshell.
    pub(super) follows_parenthesis: bool,
    /// Number of here-documents seen.
    pub(super) announced: usize,
}

impl Parser {
    pub(super) fn new(text: &str) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let fuel = 2_000 + characters.len() * 8;
        Self {
            characters,
            at: 0,
            depth: 0,
            fuel,
            commands: Vec::new(),
            alternatives: Vec::new(),
            doubts: Vec::new(),
            has_background: false,
            pending: Vec::new(),
            follows_parenthesis: false,
            announced: 0,
        }
    }

    pub(super) fn into_script(self, outcome: Parsed<()>) -> Script {
        let broken = outcome.err().map(|Broken(why)| why);
        Script {
            commands: self.commands,
            alternatives: self.alternatives,
            doubts: self.doubts,
            has_background: self.has_background,
            broken,
        }
    }

    /// Parses a nested text (backticks, here-document) with the remaining depth and steps.
    pub(super) fn nested<T>(
        &mut self,
        text: &str,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let mut inner = Self::new(text);
        inner.fuel = self.fuel;
        inner.depth = self.depth + 1;
        let outcome = inner.deeper(read);
        self.fuel = inner.fuel;
        self.commands.append(&mut inner.commands);
        self.alternatives.append(&mut inner.alternatives);
        self.doubts.append(&mut inner.doubts);
        self.has_background |= inner.has_background;
        outcome
    }

    /// Enters a nesting level, within the limit.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(TOO_DEEP);
        }
        self.depth += 1;
        let outcome = read(self);
        self.depth -= 1;
        outcome
    }

    pub(super) fn spend(&mut self) -> Parsed<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Broken("it takes too long to parse"))?;
        Ok(())
    }

    pub(super) fn doubt(&mut self, why: &'static str) {
        if !self.doubts.contains(&Doubt(why)) {
            self.doubts.push(Doubt(why));
        }
    }

    /// The next raw character.
    pub(super) fn raw(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    pub(super) fn raw_at(&self, offset: usize) -> Option<char> {
        self.characters.get(self.at + offset).copied()
    }

    /// Consumes the next raw character.
    pub(super) fn take_raw(&mut self) -> Option<char> {
        let character = self.raw()?;
        self.at += 1;
        Some(character)
    }

    /// The next character, after joining continued lines.
    pub(super) fn look(&mut self) -> Option<char> {
        while self.raw() == Some('\\') && self.raw_at(1) == Some('\n') {
            self.at += 2;
        }
        self.raw()
    }

    /// The character after the next one.
    pub(super) fn look_after(&mut self) -> Option<char> {
        self.look()?;
        let here = self.at;
        self.at += 1;
        let after = self.look();
        self.at = here;
        after
    }

    pub(super) fn take(&mut self) -> Option<char> {
        self.look()?;
        self.take_raw()
    }

    pub(super) fn eat(&mut self, expected: char) -> bool {
        let is_next = self.look() == Some(expected);
        self.at += usize::from(is_next);
        is_next
    }

    /// Consumes an exact string, or nothing.
    pub(super) fn eat_all(&mut self, expected: &str) -> bool {
        let start = self.at;
        let whole = expected.chars().all(|character| self.eat(character));
        if !whole {
            self.at = start;
        }
        whole
    }

    pub(super) fn expect(&mut self, expected: char, otherwise: &'static str) -> Parsed<()> {
        if self.eat(expected) { Ok(()) } else { Err(Broken(otherwise)) }
    }

    pub(super) fn source_since(&self, start: usize) -> String {
        self.characters[start..self.at].iter().collect()
    }

    /// Tries a parse and backtracks if it fails.
    pub(super) fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Option<T> {
        let (at, commands, doubts) = (self.at, self.commands.len(), self.doubts.len());
        let pending = self.pending.len();
        let outcome = read(self).ok();
        if outcome.is_none() {
            self.at = at;
            self.commands.truncate(commands);
            self.doubts.truncate(doubts);
            self.pending.truncate(pending);
        }
        outcome
    }

    /// Consumes a raw line without its newline; `None` at the end of the text.
    pub(super) fn take_line(&mut self) -> Option<String> {
        self.raw()?;
        let start = self.at;
        while self.raw().is_some_and(|character| character != '\n') {
            self.at += 1;
        }
        let line = self.source_since(start);
        self.at += usize::from(self.raw().is_some());
        Some(line)
    }
}

/// Metacharacters, which end an unquoted word.
pub(super) fn is_meta(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

/// Converts brace marks that do not expand back to text.
pub(super) fn plain_braces(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut word = Word::default();
    for piece in pieces {
        match piece {
            Piece::Brace(character) => word.push_char(character),
            other => word.push(other),
        }
    }
    word.pieces
}
