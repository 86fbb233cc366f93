//! Compound commands: groups, conditions, loops, functions.

use super::braces;
use super::cursor::{Broken, Parsed, Parser, TOO_DEEP, is_meta};
use super::grammar::{RESERVED, Stop};
use super::script::{Assignment, Command, Word};

const BRACE: Stop = Stop::Words(&["}"]);
const DO: Stop = Stop::Words(&["do"]);
const DONE: Stop = Stop::Words(&["done"]);

impl Parser {
    pub(super) fn compound(&mut self, word: &str) -> Parsed<()> {
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
            _ => return Err(Broken("a keyword where a command should begin")),
        }
        self.trailing_redirects()
    }

    /// Parses a list and its closing word.
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

    /// Parses `name [in words]` and records the words as possible values of the variable.
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
                Some(character) if is_meta(character) && !self.at_process_substitution() => {
                    return Err(Broken("a loop is malformed"));
                }
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
        self.has_background = true;
        self.blanks();
        if !self.opens_compound() {
            // Consumes an optional name.
            self.attempt(|parser| {
                parser.word()?;
                parser.blanks();
                if parser.opens_compound() { Ok(()) } else { Err(Broken("it has no name")) }
            });
        }
        self.command(false)
    }

    fn opens_compound(&mut self) -> bool {
        self.look() == Some('(') || self.bare_word().is_some_and(|word| RESERVED.contains(&&*word))
    }

    /// Parses `[[ ... ]]`; only its substitutions can run anything.
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
                Some(character) if is_meta(character) && !self.at_process_substitution() => {
                    self.at += 1;
                }
                Some(_) => {
                    let word = self.word()?;
                    self.doubt_subscripts(&word);
                }
            }
        }
    }

    /// Parses `( ... )` or `(( ... ))`.
    pub(super) fn parenthesised(&mut self) -> Parsed<()> {
        // Text once parsed as nested subshells is not parsed as arithmetic again.
        let may_be_arithmetic = !std::mem::take(&mut self.follows_parenthesis);
        if may_be_arithmetic && self.look_after() == Some('(') {
            let start = self.at;
            let read = self.attempt(|parser| {
                parser.eat_all("((");
                parser.arithmetic()
            });
            if read.is_some() {
                self.parse_as_subshells(&self.source_since(start))?;
                return self.trailing_redirects();
            }
        }
        self.subshell()
    }

    /// POSIX sh has no `((`: there it is a nested subshell.
    fn parse_as_subshells(&mut self, source: &str) -> Parsed<()> {
        let before = self.commands.len();
        let read = self.nested(source, Self::subshell);
        self.alternatives.extend(self.commands.drain(before..));
        // Failure is expected: most arithmetic is not a command.
        if read == Err(TOO_DEEP) { read } else { Ok(()) }
    }

    fn subshell(&mut self) -> Parsed<()> {
        self.eat('(');
        self.follows_parenthesis = true;
        self.list(Stop::Parenthesis)?;
        self.expect(')', "a parenthesis is not closed")?;
        self.trailing_redirects()
    }

    /// Records a compound command's redirections as a command without words.
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
}
