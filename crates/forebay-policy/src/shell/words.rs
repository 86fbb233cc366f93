//! Words: quotes, escapes and globs.

use super::cursor::{Broken, Parsed, Parser, is_meta, plain_braces};
use super::script::{Piece, Word};

impl Parser {
    /// Parses one word; the caller has checked that one starts here.
    pub(super) fn word(&mut self) -> Parsed<Word> {
        self.spend()?;
        self.look();
        let start = self.at;
        let mut word = Word::default();
        if self.at_process_substitution() {
            self.at += 2;
            self.deeper(|parser| parser.substitution(&mut word))?;
        }
        if self.eat('~') {
            word.push(Piece::Tilde);
        }
        while let Some(character) = self.look()
            && !is_meta(character)
        {
            self.piece(&mut word)?;
        }
        if self.at == start {
            return Err(Broken("a word is missing"));
        }
        word.source = self.source_since(start).replace("\\\n", "");
        Ok(word)
    }

    /// The next word, if it contains nothing quoted or special.
    pub(super) fn bare_word(&mut self) -> Option<String> {
        let start = self.at;
        let mut word = String::new();
        while let Some(character) = self.look()
            && !is_meta(character)
        {
            if matches!(character, '\'' | '"' | '\\' | '$' | '`') {
                self.at = start;
                return None;
            }
            word.push(character);
            self.at += 1;
        }
        self.at = start;
        Some(word)
    }

    /// A variable name, or nothing.
    pub(super) fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(character) = self.look()
            && (character == '_'
                || character.is_ascii_alphabetic()
                || (!name.is_empty() && character.is_ascii_digit()))
        {
            name.push(character);
            self.at += 1;
        }
        name
    }

    pub(super) fn at_process_substitution(&mut self) -> bool {
        matches!(self.look(), Some('<' | '>')) && self.look_after() == Some('(')
    }

    /// Parses one quoted, expanded or plain piece of an unquoted word.
    fn piece(&mut self, word: &mut Word) -> Parsed<()> {
        match self.look() {
            Some('\'') => self.single_quoted(word),
            Some('"') => self.double_quoted(word),
            Some('\\') => {
                self.escaped(word);
                Ok(())
            }
            Some('`') => self.backticks(word),
            Some('$') => self.dollar(word, Quoting::None),
            Some('[') => self.bracket(word),
            _ => {
                self.take().into_iter().for_each(|character| word.push_unquoted(character));
                Ok(())
            }
        }
    }

    pub(super) fn single_quoted(&mut self, word: &mut Word) -> Parsed<()> {
        self.take();
        word.push(Piece::Text(String::new()));
        loop {
            match self.take_raw() {
                Some('\'') => return Ok(()),
                Some(character) => word.push_char(character),
                None => return Err(Broken("a quote is not closed")),
            }
        }
    }

    pub(super) fn escaped(&mut self, word: &mut Word) {
        self.take_raw();
        // A final backslash is literal.
        word.push_char(self.take_raw().unwrap_or('\\'));
    }

    pub(super) fn double_quoted(&mut self, word: &mut Word) -> Parsed<()> {
        self.take();
        self.deeper(|parser| {
            while !parser.eat('"') {
                parser.quoted_piece(word, Quoting::Double)?;
            }
            Ok(())
        })
    }

    /// Parses one piece where only `$`, backticks and backslashes are special.
    pub(super) fn quoted_piece(&mut self, word: &mut Word, quoting: Quoting) -> Parsed<()> {
        match self.look() {
            None => return Err(Broken("a quote is not closed")),
            Some('$') => return self.dollar(word, quoting),
            Some('`') => return self.backticks(word),
            Some('\\') if self.escapes_next(quoting) => {
                self.escaped(word);
                return Ok(());
            }
            _ => {}
        }
        self.take_raw().into_iter().for_each(|character| word.push_char(character));
        Ok(())
    }

    fn escapes_next(&self, quoting: Quoting) -> bool {
        match self.raw_at(1) {
            Some('$' | '`' | '\\') => true,
            Some('"') => quoting == Quoting::Double,
            _ => false,
        }
    }

    /// Parses the body of a here-document.
    pub(super) fn document(&mut self) -> Parsed<Word> {
        let mut word = Word::default();
        while self.look().is_some() {
            self.quoted_piece(&mut word, Quoting::Document)?;
        }
        Ok(word)
    }

    /// Parses a bracket class, or a literal `[` if it is not closed.
    fn bracket(&mut self, word: &mut Word) -> Parsed<()> {
        self.take();
        let mut inner = Word::default();
        while let Some(character) = self.look()
            && !is_meta(character)
        {
            if character == ']' && !inner.pieces.is_empty() {
                self.at += 1;
                self.doubt_subscripts(&inner);
                word.push(Piece::One);
                return Ok(());
            }
            if character == '[' {
                self.at += 1;
                inner.push_char('[');
            } else {
                self.deeper(|parser| parser.piece(&mut inner))?;
            }
        }
        word.push_char('[');
        for piece in plain_braces(inner.pieces) {
            word.push(piece);
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    None,
    Double,
    Document,
}
