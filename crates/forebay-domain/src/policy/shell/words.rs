//! Words: quotes, escapes and expansions.

use super::ansi;
use super::cursor::{Broken, Parsed, Parser, is_meta, plain_braces};
use super::grammar::Stop;
use super::script::{Command, Hole, Piece, Word};

impl Parser {
    /// Reads one word; the caller has made sure that one begins here.
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

    /// A run of characters that are neither quoted nor special, if the next word is only that.
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

    /// A variable's name, or nothing.
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

    /// Reads one quoted, expanded or plain piece of an unquoted word.
    fn piece(&mut self, word: &mut Word) -> Parsed<()> {
        match self.look() {
            Some('\'') => self.single_quoted(word),
            Some('"') => self.double_quoted(word),
            Some('\\') => self.escaped(word),
            Some('`') => self.backticks(word),
            Some('$') => self.dollar(word, Quoting::None),
            Some('[') => self.bracket(word),
            Some('*') => self.marked(word, Piece::Many),
            Some('?') => self.marked(word, Piece::One),
            Some(brace @ ('{' | ',' | '}')) => self.marked(word, Piece::Brace(brace)),
            _ => {
                self.take().into_iter().for_each(|character| word.push_char(character));
                Ok(())
            }
        }
    }

    fn marked(&mut self, word: &mut Word, piece: Piece) -> Parsed<()> {
        self.at += 1;
        word.push(piece);
        Ok(())
    }

    fn single_quoted(&mut self, word: &mut Word) -> Parsed<()> {
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

    fn escaped(&mut self, word: &mut Word) -> Parsed<()> {
        self.take_raw();
        let character = self.take_raw().ok_or(Broken("it ends with a backslash"))?;
        word.push_char(character);
        Ok(())
    }

    fn double_quoted(&mut self, word: &mut Word) -> Parsed<()> {
        self.take();
        self.deeper(|parser| {
            while !parser.eat('"') {
                parser.quoted_piece(word, Quoting::Double)?;
            }
            Ok(())
        })
    }

    /// Reads one piece where only `$`, backticks and backslashes are special.
    fn quoted_piece(&mut self, word: &mut Word, quoting: Quoting) -> Parsed<()> {
        match self.look() {
            None => return Err(Broken("a quote is not closed")),
            Some('$') => return self.dollar(word, quoting),
            Some('`') => return self.backticks(word),
            Some('\\') if self.escapes_next(quoting) => return self.escaped(word),
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

    /// Reads a here-document's text, the whole of it.
    pub(super) fn document(&mut self) -> Parsed<Word> {
        let mut word = Word::default();
        while self.look().is_some() {
            self.quoted_piece(&mut word, Quoting::Document)?;
        }
        Ok(word)
    }

    /// Reads a class, or a plain `[` where none is closed.
    fn bracket(&mut self, word: &mut Word) -> Parsed<()> {
        self.take();
        let mut inner = Word::default();
        while let Some(character) = self.look()
            && !is_meta(character)
        {
            if character == ']' && !inner.pieces.is_empty() {
                return self.marked(word, Piece::One);
            }
            if character == '[' {
                self.at += 1;
                inner.push_char('[');
            } else {
                self.deeper(|parser| parser.piece(&mut inner))?;
            }
        }
        word.push_char('[');
        plain_braces(inner.pieces).into_iter().for_each(|piece| word.push(piece));
        Ok(())
    }

    fn dollar(&mut self, word: &mut Word, quoting: Quoting) -> Parsed<()> {
        self.take();
        self.deeper(|parser| match parser.look() {
            Some('\'') if quoting == Quoting::None => parser.ansi_quoted(word),
            Some('"') if quoting == Quoting::None => parser.double_quoted(word),
            Some('(') => parser.parenthesised_expansion(word),
            Some('{') => parser.braced_expansion(word),
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

    /// `$name`, `$1`, `$@`, or a plain dollar sign.
    fn plain_expansion(&mut self, word: &mut Word) {
        let name = self.name();
        if !name.is_empty() {
            word.push(Piece::Hole(Hole { name: Some(name), guess: None }));
        } else if self.look().is_some_and(|next| next.is_ascii_digit() || "@*#?$!-".contains(next)) {
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

    /// Reads commands up to `)` and leaves a hole where their output comes.
    fn substitution(&mut self, word: &mut Word) -> Parsed<()> {
        let before = self.commands.len();
        let (start, announced) = (self.at, std::mem::take(&mut self.pending));
        self.list(Stop::Parenthesis)?;
        self.expect(')', "a substitution is not closed")?;
        let spans_lines = self.source_since(start).contains('\n');
        if !self.pending.is_empty() || (spans_lines && !announced.is_empty()) {
            return Err(Broken("a here-document's text is not where it can be found"));
        }
        self.pending = announced;
        let guess = printed(&self.commands[before..]);
        word.push(Piece::Hole(Hole { name: None, guess }));
        Ok(())
    }

    fn backticks(&mut self, word: &mut Word) -> Parsed<()> {
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
        let guess = printed(&self.commands[before..]);
        word.push(Piece::Hole(Hole { name: None, guess }));
        Ok(())
    }

    /// Reads `${ ... }`.
    fn braced_expansion(&mut self, word: &mut Word) -> Parsed<()> {
        self.take();
        if matches!(self.look(), Some(' ' | '\t' | '\n' | '|')) {
            return self.brace_substitution(word);
        }
        if self.look() == Some('(') {
            self.doubt("an expansion has flags that may evaluate it again");
        }
        // `${!x}` and `${#x}` are not what `x` holds.
        let is_derived = self.eat('!') || (self.look_after() != Some('}') && self.eat('#'));
        let mut name = Some(self.name()).filter(|name| !name.is_empty() && !is_derived);
        if self.eat('[') {
            self.enclosed(']')?;
        }
        let operator = self.operator();
        if operator != Operator::Default && self.look() != Some('}') {
            name = None;
        }
        let mut operand = Word::default();
        while !self.eat('}') {
            self.spend()?;
            self.operand_piece(&mut operand)?;
        }
        let guess = operand.known().filter(|_| operator == Operator::Default);
        word.push(Piece::Hole(Hole { name, guess }));
        if operator == Operator::Prompt {
            self.doubt("a prompt expansion (${x@P}) runs what the variable holds");
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

    fn operand_piece(&mut self, operand: &mut Word) -> Parsed<()> {
        match self.look() {
            None => Err(Broken("an expansion is not closed")),
            Some('\'') => self.single_quoted(operand),
            Some('"') => self.double_quoted(operand),
            Some('\\') => self.escaped(operand),
            _ => self.quoted_piece(operand, Quoting::Document),
        }
    }

    /// Reads `${ commands; }`, which newer shells run in place.
    fn brace_substitution(&mut self, word: &mut Word) -> Parsed<()> {
        self.eat('|');
        self.list(Stop::Words(&["}"]))?;
        self.expect('}', "a substitution is not closed")?;
        word.push(Piece::Hole(Hole::default()));
        Ok(())
    }

    /// Reads to a closing bracket; what is expanded on the way is kept.
    pub(super) fn enclosed(&mut self, end: char) -> Parsed<()> {
        let mut inner = Word::default();
        self.deeper(|parser| {
            while !parser.eat(end) {
                parser.spend()?;
                if parser.look() == Some('[') {
                    parser.at += 1;
                    parser.enclosed(']')?;
                } else {
                    parser.operand_piece(&mut inner)?;
                }
            }
            Ok(())
        })?;
        self.doubt_subscripts(&inner);
        Ok(())
    }

    /// Reads arithmetic up to its `))`.
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
                _ => self.operand_piece(&mut inner)?,
            }
        }
    }

    /// The shell evaluates subscripts a second time; a substitution quoted in one runs then.
    pub(super) fn doubt_subscripts(&mut self, word: &Word) {
        if hides_substitution(word) {
            self.doubt("a quoted subscript holds a substitution, which the shell would run");
        }
    }
}

/// Whether a word's known text has a substitution in it, which only a second reading would run.
pub(crate) fn hides_substitution(word: &Word) -> bool {
    let text = word.marked();
    text.contains("$(") || text.contains('`') || text.contains("${")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoting {
    None,
    Double,
    Document,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Prompt,
    Default,
    Other,
}

/// What `echo` or `printf` with known words prints, if that is all that ran.
pub(crate) fn printed(commands: &[Command]) -> Option<String> {
    let [Command { words, redirects, .. }] = commands else { return None };
    let texts: Vec<String> = words.iter().map(Word::known).collect::<Option<_>>()?;
    let (name, mut rest) = texts.split_first()?;
    if !matches!(name.as_str(), "echo" | "printf") || !redirects.is_empty() {
        return None;
    }
    while rest.first().is_some_and(|word| word.starts_with('-') && word.len() == 2) {
        rest = &rest[1..];
    }
    if name == "printf" { formatted(rest) } else { Some(rest.join(" ")) }
}

/// `printf` with no format, or with one `%s` for each word.
fn formatted(words: &[String]) -> Option<String> {
    let (format, values) = words.split_first()?;
    if values.is_empty() {
        return Some(ansi::unescape(format));
    }
    let mut text = format.clone();
    for value in values {
        text = if text.contains("%s") { text.replacen("%s", value, 1) } else { text + value };
    }
    Some(ansi::unescape(&text))
}
