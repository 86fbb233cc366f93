//! The shell's grammar: lists, pipelines, compound commands, simple commands.

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

const BRACE: Stop = Stop::Words(&["}"]);
const DO: Stop = Stop::Words(&["do"]);
const DONE: Stop = Stop::Words(&["done"]);

/// Words that mean something only where a command may begin.
const RESERVED: &[&str] = &[
    "if", "then", "elif", "else", "fi", "while", "until", "for", "select", "do", "done", "case",
    "esac", "in", "function", "{", "}", "[[", "]]", "coproc",
];

impl Parser {
    /// Reads commands until the stop, which it leaves unread.
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
            Some('&') => Ok(self.at += 1),
            Some(';') if !matches!(self.look_after(), Some(';' | '&')) => Ok(self.at += 1),
            Some(_) if self.closes_compound(stop) => Ok(()),
            Some(_) => Err(Broken("a separator is missing between two commands")),
        }
    }

    fn at_symbol_stop(&mut self, stop: Stop) -> bool {
        !matches!(stop, Stop::Words(_)) && self.at_stop(stop)
    }

    /// After a compound command a closing word may follow at once: `{ (a) }`, `if (a) then`.
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
                    if matches!(self.bare_word().as_deref(), Some("-p" | "--")) {
                        self.at += 2;
                    }
                }
                _ => return,
            }
        }
    }

    fn command(&mut self, piped: bool) -> Parsed<()> {
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

    fn compound(&mut self, word: &str) -> Parsed<()> {
        self.eat_all(word);
        match word {
            "{" => self.body(BRACE, "}")?,
            "if" => self.conditional()?,
            "while" | "until" => {
                self.body(DO, "do")?;
                self.body(DONE, "done")?;
            }
            "for" | "select" => self.for_loop()?,
            "case" => self.case()?,
            "function" => return self.function_keyword(),
            "coproc" => return self.coprocess(),
            "[[" => self.condition()?,
            _ => return Err(Broken("a word of the shell stands where a command should begin")),
        }
        self.trailing_redirects()
    }

    /// Reads a list and the word that ends it.
    fn body(&mut self, stop: Stop, end: &'static str) -> Parsed<()> {
        self.list(stop)?;
        if self.eat_all(end) { Ok(()) } else { Err(Broken("a compound command is not closed")) }
    }

    fn conditional(&mut self) -> Parsed<()> {
        const AFTER_THEN: Stop = Stop::Words(&["elif", "else", "fi"]);
        self.body(Stop::Words(&["then"]), "then")?;
        loop {
            self.list(AFTER_THEN)?;
            if self.eat_all("elif") {
                self.body(Stop::Words(&["then"]), "then")?;
            } else if self.eat_all("else") {
                return self.body(Stop::Words(&["fi"]), "fi");
            } else {
                return if self.eat_all("fi") { Ok(()) } else { Err(Broken("an if has no fi")) };
            }
        }
    }

    fn for_loop(&mut self) -> Parsed<()> {
        self.blanks();
        if self.eat_all("((") {
            self.arithmetic()?;
        } else {
            self.for_words()?;
        }
        self.blanks();
        self.eat(';');
        self.blank_lines()?;
        if self.eat_all("do") {
            self.body(DONE, "done")
        } else if self.eat('{') {
            self.body(BRACE, "}")
        } else {
            Err(Broken("a loop has no do"))
        }
    }

    /// Reads `name [in words]` and keeps the words as what the variable may be.
    fn for_words(&mut self) -> Parsed<()> {
        let name = self.word()?;
        self.blank_lines()?;
        if self.bare_word().as_deref() != Some("in") {
            return Ok(());
        }
        self.eat_all("in");
        let mut assignments = Vec::new();
        for value in self.words_until_separator()? {
            assignments.push(Assignment { name: name.source.clone(), value });
        }
        self.commands.push(Command { assignments, ..Command::default() });
        Ok(())
    }

    fn words_until_separator(&mut self) -> Parsed<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.look() {
                None | Some(';' | '\n') => return Ok(words),
                Some(character) if is_meta(character) => return Err(Broken("a loop is malformed")),
                Some(_) => words.extend(braces::expand(self.word()?)),
            }
        }
    }

    fn case(&mut self) -> Parsed<()> {
        self.blanks();
        self.word()?;
        self.blank_lines()?;
        if !self.eat_all("in") {
            return Err(Broken("a case has no in"));
        }
        loop {
            self.blank_lines()?;
            if self.bare_word().as_deref() == Some("esac") {
                self.eat_all("esac");
                return Ok(());
            }
            self.case_patterns()?;
            self.list(Stop::CaseItem)?;
            if !self.eat_all(";;&") && !self.eat_all(";;") {
                self.eat_all(";&");
            }
        }
    }

    fn case_patterns(&mut self) -> Parsed<()> {
        self.eat('(');
        loop {
            self.spend()?;
            self.blanks();
            self.word()?;
            self.blanks();
            if self.eat(')') {
                return Ok(());
            }
            self.expect('|', "a case pattern is not closed")?;
        }
    }

    fn function_keyword(&mut self) -> Parsed<()> {
        self.blanks();
        self.word()?;
        self.blanks();
        if self.eat('(') {
            self.blanks();
            self.expect(')', "a function's name is malformed")?;
        }
        self.blank_lines()?;
        self.command(false)
    }

    /// `coproc command` or `coproc NAME compound`.
    fn coprocess(&mut self) -> Parsed<()> {
        let named = self.attempt(|parser| {
            parser.blanks();
            parser.word()?;
            parser.blanks();
            let opens = parser.look() == Some('(')
                || parser.bare_word().is_some_and(|word| RESERVED.contains(&&*word));
            if opens { parser.command(false) } else { Err(Broken("it has no name")) }
        });
        if named.is_some() { Ok(()) } else { self.command(false) }
    }

    /// Reads `[[ ... ]]`; only its substitutions can run anything.
    fn condition(&mut self) -> Parsed<()> {
        loop {
            self.spend()?;
            self.blank_lines()?;
            if self.eat_all("]]") {
                return Ok(());
            }
            match self.look() {
                None | Some(';') => return Err(Broken("a [[ is not closed")),
                Some('&') if !self.eat_all("&&") => return Err(Broken("a [[ is malformed")),
                Some('&') => {}
                Some(character) if is_meta(character) => self.at += 1,
                Some(_) => {
                    let word = self.word()?;
                    self.doubt_subscripts(&word);
                }
            }
        }
    }

    /// Reads `( ... )` or `(( ... ))`.
    fn parenthesised(&mut self) -> Parsed<()> {
        // What was read as two subshells once is not read as arithmetic on the way in.
        let may_be_arithmetic = !std::mem::take(&mut self.follows_parenthesis);
        if may_be_arithmetic && self.look_after() == Some('(') {
            let start = self.at;
            let read = self.attempt(|parser| {
                parser.eat_all("((");
                parser.arithmetic()
            });
            if read.is_some() {
                self.read_as_subshells(&self.source_since(start));
                return self.trailing_redirects();
            }
        }
        self.subshell()
    }

    /// A plain sh knows no `((`: there it is a subshell in a subshell.
    fn read_as_subshells(&mut self, source: &str) {
        let before = self.commands.len();
        self.attempt(|parser| parser.nested(source, Self::subshell));
        self.alternatives.extend(self.commands.drain(before..));
    }

    fn subshell(&mut self) -> Parsed<()> {
        self.eat('(');
        self.follows_parenthesis = true;
        self.list(Stop::Parenthesis)?;
        self.expect(')', "a parenthesis is not closed")?;
        self.trailing_redirects()
    }

    /// Keeps a compound command's redirections as a command without words.
    fn trailing_redirects(&mut self) -> Parsed<()> {
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        if !redirects.is_empty() {
            self.commands.push(Command { redirects, ..Command::default() });
        }
        Ok(())
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
                Some('(') => return Err(Broken("a parenthesis stands where none may")),
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

    /// Reads `name=value`, `name+=value`, `name[subscript]=value` or nothing.
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

    /// Reads `( words )`; its value is the words with blanks between them.
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
    let mut value = Word { source: join(words.iter().map(|word| &*word.source)), ..Word::default() };
    value.push(match known {
        Some(texts) => Piece::Text(texts.join(" ")),
        None => Piece::Hole(Hole::default()),
    });
    value
}
