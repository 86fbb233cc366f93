//! Lists, pipelines and simple commands.

use super::braces;
use super::cursor::{Broken, Parsed, Parser, is_meta};
use super::script::{Assignment, Command, Hole, Piece, Word, join};

/// What ends a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    End,
    Parenthesis,
    Words(&'static [&'static str]),
    /// `;;`, `;&`, `;;&` or `esac`.
    CaseItem,
}

/// Reserved words, recognized only where a command may start.
pub(super) const RESERVED: &[&str] = &[
    "if", "then", "elif", "else", "fi", "while", "until", "for", "select", "do", "done", "case",
    "esac", "in", "function", "{", "}", "[[", "]]", "coproc",
];

impl Parser {
    /// Parses commands up to the stop, which is not consumed.
    pub(super) fn list(&mut self, stop: Stop) -> Parsed<()> {
        self.deeper(|parser| {
            loop {
                parser.spend()?;
                parser.blank_lines()?;
                if parser.at_stop(stop) {
                    return Ok(());
                }
                if parser.look().is_none() {
                    return Err(Broken("it ends in the middle of a command"));
                }
                parser.and_or()?;
                parser.separator(stop)?;
            }
        })
    }

    fn at_stop(&mut self, stop: Stop) -> bool {
        match stop {
            Stop::End => self.look().is_none(),
            Stop::Parenthesis => self.look() == Some(')'),
            Stop::Words(words) => self.bare_word().is_some_and(|word| words.contains(&&*word)),
            Stop::CaseItem => {
                (self.look() == Some(';') && matches!(self.look_after(), Some(';' | '&')))
                    || self.bare_word().as_deref() == Some("esac")
            }
        }
    }

    fn separator(&mut self, stop: Stop) -> Parsed<()> {
        self.blanks();
        match self.look() {
            None | Some('\n') => Ok(()),
            Some(_) if stop != Stop::End && self.at_symbol_stop(stop) => Ok(()),
            Some('&') => {
                self.at += 1;
                self.has_background = true;
                Ok(())
            }
            Some(';') if !matches!(self.look_after(), Some(';' | '&')) => {
                self.at += 1;
                Ok(())
            }
            Some(_) if self.closes_compound(stop) => Ok(()),
            Some(_) => Err(Broken("a separator is missing between two commands")),
        }
    }

    fn at_symbol_stop(&mut self, stop: Stop) -> bool {
        !matches!(stop, Stop::Words(_)) && self.at_stop(stop)
    }

    /// After a compound command a closing word may follow directly: `{ (a) }`, `if (a) then`.
    fn closes_compound(&mut self, stop: Stop) -> bool {
        matches!(stop, Stop::Words(_)) && self.at_stop(stop)
    }

    fn and_or(&mut self) -> Parsed<()> {
        loop {
            self.pipeline()?;
            self.blanks();
            if !self.eat_all("&&") && !self.eat_all("||") {
                return Ok(());
            }
            self.blank_lines()?;
        }
    }

    fn pipeline(&mut self) -> Parsed<()> {
        self.command(false)?;
        loop {
            self.blanks();
            if self.look() != Some('|') || self.look_after() == Some('|') {
                return Ok(());
            }
            self.eat('|');
            self.eat('&');
            self.blank_lines()?;
            self.command(true)?;
        }
    }

    fn pipeline_prefixes(&mut self) {
        loop {
            self.blanks();
            match self.bare_word().as_deref() {
                Some("!") => self.at += 1,
                Some("time") => {
                    self.eat_all("time");
                    self.blanks();
                    while matches!(self.bare_word().as_deref(), Some("-p" | "--")) {
                        self.at += 2;
                        self.blanks();
                    }
                }
                _ => return,
            }
        }
    }

    pub(super) fn command(&mut self, piped: bool) -> Parsed<()> {
        self.spend()?;
        self.pipeline_prefixes();
        if self.look() == Some('(') {
            return self.parenthesised();
        }
        self.follows_parenthesis = false;
        let word = self.bare_word();
        match word.as_deref().filter(|word| RESERVED.contains(word)) {
            Some(word) => self.deeper(|parser| parser.compound(word)),
            None => self.simple(piped),
        }
    }

    fn simple(&mut self, piped: bool) -> Parsed<()> {
        let mut command = Command { piped, ..Command::default() };
        loop {
            self.spend()?;
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                command.redirects.push(redirect);
                continue;
            }
            match self.look() {
                None => break,
                Some('(') if self.defines_function(&command) => return self.function_body(),
                Some('(') => return Err(Broken("unexpected parenthesis")),
                Some(character) if is_meta(character) && !self.at_process_substitution() => break,
                Some(_) => self.word_of(&mut command)?,
            }
        }
        if command == (Command { piped, ..Command::default() }) {
            return Err(Broken("a command is missing"));
        }
        self.commands.push(command);
        Ok(())
    }

    fn word_of(&mut self, command: &mut Command) -> Parsed<()> {
        if command.words.is_empty()
            && let Some(assignment) = self.assignment()?
        {
            command.assignments.push(assignment);
            return Ok(());
        }
        let word = self.word()?;
        if self.look() == Some('(') && word.source.ends_with('=') {
            // `declare -a x=(...)`
            self.array()?;
        }
        command.words.extend(braces::expand(word));
        Ok(())
    }

    fn defines_function(&mut self, command: &Command) -> bool {
        let named = command.words.len() == 1
            && command.assignments.is_empty()
            && command.redirects.is_empty();
        named && self.attempt(Self::empty_parentheses).is_some()
    }

    fn empty_parentheses(&mut self) -> Parsed<()> {
        self.expect('(', "")?;
        self.blanks();
        self.expect(')', "")
    }

    fn function_body(&mut self) -> Parsed<()> {
        self.blank_lines()?;
        self.deeper(|parser| parser.command(false))
    }

    /// Parses `name=value`, `name+=value`, `name[subscript]=value` or nothing.
    fn assignment(&mut self) -> Parsed<Option<Assignment>> {
        let start = self.at;
        let name = self.name();
        let opened = self.attempt(|parser| {
            if name.is_empty() {
                return Err(Broken("no name"));
            }
            if parser.eat('[') {
                parser.enclosed(']')?;
            }
            parser.eat('+');
            parser.expect('=', "no assignment")
        });
        if opened.is_none() {
            self.at = start;
            return Ok(None);
        }
        let value = if self.look() == Some('(') { self.array()? } else { self.value()? };
        Ok(Some(Assignment { name, value }))
    }

    /// The right side of an assignment, which may be empty.
    fn value(&mut self) -> Parsed<Word> {
        match self.look() {
            Some(character) if !is_meta(character) || self.at_process_substitution() => self.word(),
            _ => Ok(Word::default()),
        }
    }

    /// Parses `( words )`; its value is the words joined by spaces.
    fn array(&mut self) -> Parsed<Word> {
        self.expect('(', "an array is malformed")?;
        let mut words = Vec::new();
        loop {
            self.spend()?;
            self.blank_lines()?;
            if self.eat(')') {
                return Ok(array_value(&words));
            }
            words.extend(braces::expand(self.word()?));
        }
    }
}

fn array_value(words: &[Word]) -> Word {
    let known: Option<Vec<String>> = words.iter().map(Word::known).collect();
    let mut value =
        Word { source: join(words.iter().map(|word| &*word.source)), ..Word::default() };
    value.push(match known {
        Some(texts) => Piece::Text(texts.join(" ")),
        None => Piece::Hole(Hole::default()),
    });
    value
}
