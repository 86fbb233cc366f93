//! Expansions: variables, substitutions, arithmetic.

use super::ansi;
use super::cursor::{Broken, Parsed, Parser};
use super::grammar::Stop;
use super::output::printed;
use super::script::{Hole, Piece, Word};
use super::words::Quoting;

impl Parser {
    pub(super) fn dollar(&mut self, word: &mut Word, quoting: Quoting) -> Parsed<()> {
        self.take();
        self.deeper(|parser| match parser.look() {
            Some('\'') if quoting == Quoting::None => parser.ansi_quoted(word),
            Some('"') if quoting == Quoting::None => parser.double_quoted(word),
            Some('(') => parser.parenthesised_expansion(word),
            Some('{') => parser.braced_expansion(word, quoting),
            Some('[') => {
                parser.at += 1;
                word.push(Piece::Hole(Hole::default()));
                parser.enclosed(']')
            }
            _ => {
                parser.plain_expansion(word);
                Ok(())
            }
        })
    }

    fn ansi_quoted(&mut self, word: &mut Word) -> Parsed<()> {
        self.take();
        let mut raw = String::new();
        loop {
            match self.take_raw().ok_or(Broken("a quote is not closed"))? {
                '\'' => break,
                '\\' => {
                    raw.push('\\');
                    raw.extend(self.take_raw());
                }
                character => raw.push(character),
            }
        }
        word.push(Piece::Text(String::new()));
        word.push(Piece::Text(ansi::unescape(&raw)));
        Ok(())
    }

    /// `$name`, `$1`, `$@`, or a literal dollar sign.
    fn plain_expansion(&mut self, word: &mut Word) {
        let name = self.name();
        if !name.is_empty() {
            word.push(Piece::Hole(Hole { name: Some(name), guess: None }));
        } else if self.look().is_some_and(|next| next.is_ascii_digit() || "@*#?$!-".contains(next))
        {
            self.at += 1;
            word.push(Piece::Hole(Hole::default()));
        } else {
            word.push_char('$');
        }
    }

    /// `$(( ... ))` or `$( ... )`.
    fn parenthesised_expansion(&mut self, word: &mut Word) -> Parsed<()> {
        if self.look_after() == Some('(') {
            let read = self.attempt(|parser| {
                parser.eat_all("((");
                parser.arithmetic()
            });
            if read.is_some() {
                word.push(Piece::Hole(Hole::default()));
                return Ok(());
            }
        }
        self.take();
        self.substitution(word)
    }

    /// Parses commands up to `)`; their output is an unknown part.
    pub(super) fn substitution(&mut self, word: &mut Word) -> Parsed<()> {
        let before = self.commands.len();
        let (start, announced) = (self.at, std::mem::take(&mut self.pending));
        self.list(Stop::Parenthesis)?;
        self.expect(')', "a substitution is not closed")?;
        let spans_lines = self.source_since(start).contains('\n');
        if !self.pending.is_empty() || (spans_lines && !announced.is_empty()) {
            return Err(Broken("a here-document and a substitution overlap"));
        }
        self.pending = announced;
        let guess = printed(&self.commands[before..]).map(|printed| printed.text);
        word.push(Piece::Hole(Hole { name: None, guess }));
        Ok(())
    }

    pub(super) fn backticks(&mut self, word: &mut Word) -> Parsed<()> {
        self.take();
        let mut inner = String::new();
        loop {
            match self.take_raw().ok_or(Broken("a backtick is not closed"))? {
                '`' => break,
                '\\' => match self.take_raw() {
                    Some(escaped @ ('`' | '\\' | '$')) => inner.push(escaped),
                    Some('\n') => {}
                    other => inner.extend(std::iter::once('\\').chain(other)),
                },
                character => inner.push(character),
            }
        }
        let before = self.commands.len();
        self.nested(&inner, |parser| parser.list(Stop::End))?;
        let guess = printed(&self.commands[before..]).map(|printed| printed.text);
        word.push(Piece::Hole(Hole { name: None, guess }));
        Ok(())
    }

    /// Parses `${ ... }`.
    fn braced_expansion(&mut self, word: &mut Word, quoting: Quoting) -> Parsed<()> {
        self.take();
        if matches!(self.look(), Some(' ' | '\t' | '\n' | '|')) {
            return self.brace_substitution(word);
        }
        if self.look() == Some('(') {
            self.doubt("an expansion has flags that may evaluate it again");
        }
        // `${!x}` and `${#x}` are not the value of `x`.
        let is_derived = self.eat('!') || (self.look_after() != Some('}') && self.eat('#'));
        let mut name = Some(self.name()).filter(|name| !name.is_empty() && !is_derived);
        if self.eat('[') {
            self.enclosed(']')?;
        }
        let operator = self.operator();
        if operator != Operator::Default && self.look() != Some('}') {
            name = None;
        }
        // Inside double quotes the default is quoted too, and a single quote in it is literal.
        let quoting = if operator == Operator::Default { quoting } else { Quoting::None };
        let mut operand = Word::default();
        while !self.eat('}') {
            self.spend()?;
            self.operand_piece(&mut operand, quoting)?;
        }
        let guess = operand.known().filter(|_| operator == Operator::Default);
        word.push(Piece::Hole(Hole { name, guess }));
        if operator == Operator::Prompt {
            self.doubt("a prompt expansion (${x@P}) runs the variable's value");
        }
        Ok(())
    }

    fn operator(&mut self) -> Operator {
        if self.eat_all("@P") {
            return Operator::Prompt;
        }
        self.eat(':');
        if ['-', '=', '+'].into_iter().any(|character| self.eat(character)) {
            return Operator::Default;
        }
        Operator::Other
    }

    fn operand_piece(&mut self, operand: &mut Word, quoting: Quoting) -> Parsed<()> {
        match self.look() {
            None => Err(Broken("an expansion is not closed")),
            Some('\'') if quoting == Quoting::None => self.single_quoted(operand),
            Some('$') => self.dollar(operand, quoting),
            Some('"') => self.double_quoted(operand),
            Some('\\') => {
                self.escaped(operand);
                Ok(())
            }
            _ => self.quoted_piece(operand, Quoting::Document),
        }
    }

    /// Parses `${ commands; }`, which newer shells run in place.
    fn brace_substitution(&mut self, word: &mut Word) -> Parsed<()> {
        self.eat('|');
        self.list(Stop::Words(&["}"]))?;
        self.expect('}', "a substitution is not closed")?;
        word.push(Piece::Hole(Hole::default()));
        Ok(())
    }

    /// Parses up to a closing bracket, recording expansions.
    pub(super) fn enclosed(&mut self, end: char) -> Parsed<()> {
        let mut inner = Word::default();
        self.deeper(|parser| {
            while !parser.eat(end) {
                parser.spend()?;
                if parser.look() == Some('[') {
                    parser.at += 1;
                    parser.enclosed(']')?;
                } else {
                    parser.operand_piece(&mut inner, Quoting::None)?;
                }
            }
            Ok(())
        })?;
        self.doubt_subscripts(&inner);
        Ok(())
    }

    /// Parses arithmetic up to `))`.
    pub(super) fn arithmetic(&mut self) -> Parsed<()> {
        let mut inner = Word::default();
        let mut open = 0_u32;
        loop {
            self.spend()?;
            match self.look() {
                Some('(') => {
                    open += 1;
                    self.at += 1;
                }
                Some(')') if open > 0 => {
                    open -= 1;
                    self.at += 1;
                }
                Some(')') => {
                    self.at += 1;
                    self.expect(')', "arithmetic is not closed")?;
                    self.doubt_subscripts(&inner);
                    return Ok(());
                }
                // Arithmetic is parsed as if double-quoted.
                _ => self.quoted_piece(&mut inner, Quoting::Document)?,
            }
        }
    }

    /// The shell evaluates subscripts twice, so a quoted substitution in one runs.
    pub(super) fn doubt_subscripts(&mut self, word: &Word) {
        if hides_substitution(word) {
            self.doubt("a quoted subscript contains a substitution, which the shell would run");
        }
    }
}

/// Whether a word's literal text contains a substitution that a second evaluation would run.
pub(crate) fn hides_substitution(word: &Word) -> bool {
    let text = word.marked();
    text.contains("$(") || text.contains('`') || text.contains("${")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Prompt,
    Default,
    Other,
}
