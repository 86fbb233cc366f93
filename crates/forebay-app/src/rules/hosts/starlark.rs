//! As much of Starlark as rule files are written in: calls with literal arguments at the top level.

/// Lists in lists that are still read.
const DEEPEST: usize = 16;

/// A statement at the top of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Statement {
    Call(Call),
    /// Anything else, by its first line.
    Other(String),
}

/// `name(literal, key = literal)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) name: String,
    arguments: Vec<(Option<String>, Literal)>,
    /// As it is written, shortened.
    pub(super) text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    Text(String),
    List(Vec<Literal>),
    None,
}

impl Call {
    /// The argument of a name, or at a place among those without.
    pub(super) fn argument(&self, name: &str, place: usize) -> Option<&Literal> {
        let is_named = |given: &&(Option<String>, Literal)| given.0.as_deref() == Some(name);
        let unnamed = || self.arguments.get(place).filter(|given| given.0.is_none());
        self.arguments.iter().find(is_named).or_else(unnamed).map(|given| &given.1)
    }
}

impl Literal {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }
}

/// The statements of a text; an error where brackets or strings do not end.
pub(super) fn statements(text: &str) -> Result<Vec<Statement>, String> {
    let tokens = tokens(text)?;
    let mut statements = Vec::new();
    let mut is_inside = false;
    for line in lines(&tokens) {
        let Some(first) = line.first() else { continue };
        // What is indented belongs to the statement above it, which is told.
        if first.is_indented {
            if !is_inside {
                statements.push(other(text, line));
            }
            is_inside = true;
            continue;
        }
        is_inside = !matches!(read_call(text, line), Some(Statement::Call(_)));
        statements.push(read_call(text, line).unwrap_or_else(|| other(text, line)));
    }
    Ok(statements)
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    kind: Kind,
    from: usize,
    to: usize,
    /// It begins a line with blanks before it.
    is_indented: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Word(String),
    Text(String),
    Sign(char),
    /// The end of a statement.
    End,
}

fn other(text: &str, line: &[Token]) -> Statement {
    Statement::Other(shortened(source(text, line)))
}

fn source<'a>(text: &'a str, line: &[Token]) -> &'a str {
    let from = line.first().map_or(0, |token| token.from);
    let to = line.last().map_or(from, |token| token.to);
    text.get(from..to).unwrap_or_default()
}

fn shortened(source: &str) -> String {
    const LONGEST: usize = 120;
    let one_line = source.split_whitespace().collect::<Vec<_>>().join(" ");
    match one_line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &one_line[..at]),
        None => one_line,
    }
}

fn lines(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    tokens.split(|token| token.kind == Kind::End)
}

fn read_call(text: &str, line: &[Token]) -> Option<Statement> {
    let (name, rest) = line.split_first()?;
    let (open, rest) = rest.split_first()?;
    let (close, inner) = rest.split_last()?;
    let Kind::Word(name) = &name.kind else { return None };
    if open.kind != Kind::Sign('(') || close.kind != Kind::Sign(')') {
        return None;
    }
    let mut reader = Arguments { rest: inner };
    let arguments = reader.all()?;
    let text = shortened(source(text, line));
    Some(Statement::Call(Call { name: name.clone(), arguments, text }))
}

/// Reads arguments; `None` where something is no literal.
struct Arguments<'a> {
    rest: &'a [Token],
}

impl Arguments<'_> {
    fn all(&mut self) -> Option<Vec<(Option<String>, Literal)>> {
        let mut arguments = Vec::new();
        while !self.rest.is_empty() {
            let name = self.name();
            arguments.push((name, self.literal()?));
            if !self.rest.is_empty() {
                self.sign(',')?;
            }
        }
        Some(arguments)
    }

    fn name(&mut self) -> Option<String> {
        let [Token { kind: Kind::Word(name), .. }, equals, rest @ ..] = self.rest else {
            return None;
        };
        if equals.kind != Kind::Sign('=') {
            return None;
        }
        self.rest = rest;
        Some(name.clone())
    }

    fn sign(&mut self, sign: char) -> Option<()> {
        let (first, rest) = self.rest.split_first()?;
        if first.kind != Kind::Sign(sign) {
            return None;
        }
        self.rest = rest;
        Some(())
    }

    /// A text, `None`, or a list, which no rule nests deep.
    fn literal(&mut self) -> Option<Literal> {
        let mut open: Vec<Vec<Literal>> = Vec::new();
        loop {
            let (first, rest) = self.rest.split_first()?;
            self.rest = rest;
            let mut value = match &first.kind {
                Kind::Text(text) => Literal::Text(text.clone()),
                Kind::Word(word) if word == "None" => Literal::None,
                Kind::Sign('[') if open.len() < DEEPEST => {
                    open.push(Vec::new());
                    if self.sign(']').is_none() {
                        continue;
                    }
                    Literal::List(open.pop()?)
                }
                _ => return None,
            };
            // The value may end the list it stands in, and that one the next.
            loop {
                let Some(list) = open.last_mut() else { return Some(value) };
                list.push(value);
                let goes_on = self.sign(',').is_some();
                if self.sign(']').is_some() {
                    value = Literal::List(open.pop()?);
                } else if goes_on {
                    break;
                } else {
                    return None;
                }
            }
        }
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut scanner = Scanner { text, at: 0, depth: Vec::new(), tokens: Vec::new() };
    while let Some(character) = scanner.peek() {
        scanner.token(character)?;
    }
    match scanner.depth.last() {
        Some(open) => Err(format!("a `{open}` is not closed")),
        None => Ok(scanner.tokens),
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Brackets that are open.
    depth: Vec<char>,
    tokens: Vec<Token>,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn token(&mut self, character: char) -> Result<(), String> {
        match character {
            '#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
            '\\' if self.rest()[1..].starts_with('\n') => self.at += 2,
            '\n' | ';' if self.depth.is_empty() => self.sign(Kind::End, character),
            _ if character.is_whitespace() => self.at += character.len_utf8(),
            '"' | '\'' => self.string(self.at, false)?,
            'r' if self.rest()[1..].starts_with(['"', '\'']) => {
                self.at += 1;
                self.string(self.at - 1, true)?;
            }
            '(' | '[' | '{' => {
                self.depth.push(character);
                self.sign(Kind::Sign(character), character);
            }
            ')' | ']' | '}' => self.close(character)?,
            _ if character.is_alphanumeric() || character == '_' => self.word(),
            _ => self.sign(Kind::Sign(character), character),
        }
        Ok(())
    }

    fn sign(&mut self, kind: Kind, character: char) {
        let from = self.at;
        self.at += character.len_utf8();
        self.push(kind, from);
    }

    fn push(&mut self, kind: Kind, from: usize) {
        let before = self.text[..from].trim_end_matches([' ', '\t']);
        let is_indented = before.len() < from && (before.is_empty() || before.ends_with('\n'));
        self.tokens.push(Token { kind, from, to: self.at, is_indented });
    }

    fn close(&mut self, character: char) -> Result<(), String> {
        let expected = match self.depth.pop() {
            Some('(') => ')',
            Some('[') => ']',
            Some(_) => '}',
            None => return Err(format!("a `{character}` closes nothing")),
        };
        if character != expected {
            return Err(format!("a `{character}` stands where `{expected}` should"));
        }
        self.sign(Kind::Sign(character), character);
        Ok(())
    }

    fn word(&mut self) {
        let from = self.at;
        let is_inside = |c: char| c.is_alphanumeric() || c == '_';
        self.at += self.rest().find(|c| !is_inside(c)).unwrap_or(self.rest().len());
        self.push(Kind::Word(self.text[from..self.at].to_owned()), from);
    }

    /// A string, from its opening quotes on.
    fn string(&mut self, from: usize, is_raw: bool) -> Result<(), String> {
        let quote = self.peek().unwrap_or_default();
        let triple = quote.to_string().repeat(3);
        let is_triple = self.rest().starts_with(&triple);
        let close = if is_triple { triple } else { quote.to_string() };
        self.at += close.len();
        let mut value = String::new();
        loop {
            let Some(character) = self.peek().filter(|c| is_triple || *c != '\n') else {
                return Err(format!("a string is not closed: {}", shortened(&self.text[from..])));
            };
            if self.rest().starts_with(&close) {
                self.at += close.len();
                self.push(Kind::Text(value), from);
                return Ok(());
            }
            self.at += character.len_utf8();
            if character == '\\' {
                self.escape(is_raw, &mut value);
            } else {
                value.push(character);
            }
        }
    }

    fn escape(&mut self, is_raw: bool, value: &mut String) {
        let Some(escaped) = self.peek() else { return };
        self.at += escaped.len_utf8();
        match escaped {
            _ if is_raw => value.extend(['\\', escaped]),
            'n' => value.push('\n'),
            't' => value.push('\t'),
            'r' => value.push('\r'),
            '\n' => {}
            '\\' | '"' | '\'' => value.push(escaped),
            _ => value.extend(['\\', escaped]),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn literal(text: &str) -> Option<Literal> {
        match statements(&format!("f({text})")).unwrap().remove(0) {
            Statement::Call(call) => call.argument("x", 0).cloned(),
            Statement::Other(_) => None,
        }
    }

    #[test]
    fn literals_are_read_as_starlark_means_them() {
        let text = |text: &str| Some(Literal::Text(text.to_owned()));
        assert_eq!(literal(r#""a\"b\n""#), text("a\"b\n"));
        assert_eq!(literal(r"r'a\n'"), text(r"a\n"));
        assert_eq!(literal("'''a\n'b'''"), text("a\n'b"));
        assert_eq!(literal("[]"), Some(Literal::List(Vec::new())));
        assert_eq!(literal("[None, [],]").and_then(|l| Some(l.list()?.len())), Some(2));
        for computed in ["x", "f('a')", "'a' + 'b'", "1", "{'a': 1}", "[a for a in b]", "'a' 'b'"] {
            assert_eq!(literal(computed), None, "{computed}");
        }
    }

    #[test]
    fn deep_nesting_is_no_trouble() {
        let text = format!("f({}{})", "[".repeat(50_000), "]".repeat(50_000));
        assert!(matches!(statements(&text).unwrap()[..], [Statement::Other(_)]));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(?s)[f(\\[\\])\"'#\\\\;, =r\n a\u{e9}]{0,60}") {
            let _ = statements(&text);
        }
    }
}
