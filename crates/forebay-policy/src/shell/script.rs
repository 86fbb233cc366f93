//! The commands of a shell text, flat and in order: words, assignments, redirections.

use crate::wildcard::{GLOB_MANY, GLOB_ONE, HOLE, has_marks};

/// Every command a text may run: in lists, loops, functions, substitutions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    pub commands: Vec<Command>,
    /// Commands that another shell would run where this one parses something else.
    pub alternatives: Vec<Command>,
    /// What is only known at run time.
    pub doubts: Vec<Doubt>,
    /// Whether a command may still run when the text is done: `server &`, `coproc server`.
    pub has_background: bool,
    /// Why parsing stopped early.
    pub broken: Option<&'static str>,
}

/// Something rules cannot be matched against before it runs, described for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doubt(pub &'static str);

/// A simple command: assignments, words, redirections.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    pub assignments: Vec<Assignment>,
    pub words: Vec<Word>,
    pub redirects: Vec<Redirect>,
    /// Its input is the output of the command before it.
    pub piped: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    pub name: String,
    pub value: Word,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    pub kind: RedirectKind,
    pub target: Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    Read,
    Write,
    ReadWrite,
    /// A here-document or here-string; the target is its text.
    Text,
}

/// One word after quote removal, with its unknown parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    pub(crate) pieces: Vec<Piece>,
    /// As written.
    pub source: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    /// An unquoted `~` at the start.
    Tilde,
    /// An unquoted `*`.
    Many,
    /// An unquoted `?` or `[...]`.
    One,
    /// An unquoted brace or comma, until braces are expanded.
    Brace(char),
    Hole(Hole),
}

/// An expansion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hole {
    /// The variable, if it is a plain one.
    pub(crate) name: Option<String>,
    /// A likely value: a default, or the output of `$(echo ...)`.
    pub(crate) guess: Option<String>,
}

impl Command {
    pub(crate) fn from_words(words: Vec<Word>) -> Self {
        Self { words, ..Self::default() }
    }

    /// The words as written, joined by single spaces.
    pub(crate) fn source(&self) -> String {
        join(self.words.iter().map(|word| word.source.as_str()))
    }
}

impl Word {
    pub(crate) fn literal(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { source: text.clone(), pieces: vec![Piece::Text(text)] }
    }

    /// A completely unknown word.
    pub(crate) fn unknown() -> Self {
        Self { source: "...".to_owned(), pieces: vec![Piece::Hole(Hole::default())] }
    }

    /// The home directory, the target of a bare `cd`.
    pub(crate) fn home() -> Self {
        Self { source: "~".to_owned(), pieces: vec![Piece::Tilde] }
    }

    /// The text with a mark for each unknown part.
    pub(crate) fn marked(&self) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(part) => text.push_str(part),
                Piece::Tilde => text.push('~'),
                Piece::Many => text.push(GLOB_MANY),
                Piece::One => text.push(GLOB_ONE),
                Piece::Brace(character) => text.push(*character),
                Piece::Hole(_) => text.push(HOLE),
            }
        }
        text
    }

    /// The text, if all of it is known.
    pub fn known(&self) -> Option<String> {
        let text = self.marked();
        (!has_marks(&text)).then_some(text)
    }

    pub(crate) fn has_hole(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Hole(_)))
    }

    pub(crate) fn has_glob(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Many | Piece::One))
    }

    /// Whether it starts with a `~` that the shell expands.
    pub(crate) fn has_tilde(&self) -> bool {
        self.pieces.first() == Some(&Piece::Tilde)
    }

    /// The text as shell source, for words that are scripts: unknown parts become variables.
    pub(crate) fn as_script(&self) -> String {
        self.marked().replace([HOLE, GLOB_MANY, GLOB_ONE], "${_}")
    }

    pub(crate) fn push_char(&mut self, character: char) {
        if let Some(Piece::Text(text)) = self.pieces.last_mut() {
            text.push(character);
        } else {
            self.pieces.push(Piece::Text(character.to_string()));
        }
    }

    /// Appends an unquoted character.
    pub(crate) fn push_unquoted(&mut self, character: char) {
        match character {
            '*' => self.pieces.push(Piece::Many),
            '?' => self.pieces.push(Piece::One),
            '{' | ',' | '}' => self.pieces.push(Piece::Brace(character)),
            other => self.push_char(other),
        }
    }

    pub(crate) fn push(&mut self, piece: Piece) {
        match piece {
            Piece::Text(text) => text.chars().for_each(|character| self.push_char(character)),
            other => self.pieces.push(other),
        }
    }
}

pub(crate) fn join<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    parts.collect::<Vec<_>>().join(" ")
}
