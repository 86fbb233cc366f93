//! Parses the subset of Starlark that rule files use: top-level calls with literal arguments.

/// Lists nested deeper than this are not parsed.
const MAX_DEPTH: usize = 16;

/// A top-level statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Statement {
    Call(Call),
    /// Any other statement, as written, shortened.
    Other(String),
}

/// `name(literal, key = literal)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) name: String,
    arguments: Vec<(Option<String>, Literal)>,
    /// As written, shortened.
    pub(super) text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    Text(String),
    List(Vec<Literal>),
    None,
}

impl Call {
    /// Returns the argument with this name, or the positional argument at this index.
    pub(super) fn argument(&self, name: &str, index: usize) -> Option<&Literal> {
        let is_named = |given: &&(Option<String>, Literal)| given.0.as_deref() == Some(name);
        let positional = || self.arguments.get(index).filter(|given| given.0.is_none());
        self.arguments.iter().find(is_named).or_else(positional).map(|given| &given.1)
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

/// Parses the statements of a text; unbalanced brackets and unterminated strings are errors.
pub(super) fn statements(text: &str) -> Result<Vec<Statement>, String> {
    let tokens = tokens(text)?;
    let mut statements = Vec::new();
    let mut is_inside = false;
    for line in lines(&tokens) {
        let Some(first) = line.first() else { continue };
        // An indented line belongs to the statement above it, which is reported.
        if first.is_indented {
            if !is_inside {
                statements.push(other(text, line));
            }
            is_inside = true;
            continue;
        }
        is_inside = !matches!(parse_call(text, line), Some(Statement::Call(_)));
        statements.push(parse_call(text, line).unwrap_or_else(|| other(text, line)));
    }
    Ok(statements)
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    kind: Kind,
    from: usize,
    to: usize,
    /// The first token of an indented line.
    is_indented: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Identifier(String),
    Text(String),
    Punctuation(char),
    EndOfStatement,
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
    const MAX_CHARS: usize = 120;
    let one_line = source.split_whitespace().collect::<Vec<_>>().join(" ");
    match one_line.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => format!("{}…", &one_line[..at]),
        None => one_line,
    }
}

fn lines(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    tokens.split(|token| token.kind == Kind::EndOfStatement)
}

fn parse_call(text: &str, line: &[Token]) -> Option<Statement> {
    let (name, rest) = line.split_first()?;
    let (open, rest) = rest.split_first()?;
    let (close, inner) = rest.split_last()?;
    let Kind::Identifier(name) = &name.kind else { return None };
    if open.kind != Kind::Punctuation('(') || close.kind != Kind::Punctuation(')') {
        return None;
    }
    let mut parser = ArgumentParser { rest: inner };
    let arguments = parser.all()?;
    let text = shortened(source(text, line));
    Some(Statement::Call(Call { name: name.clone(), arguments, text }))
}

/// Parses arguments; `None` if one is not a literal.
struct ArgumentParser<'a> {
    rest: &'a [Token],
}

impl ArgumentParser<'_> {
    fn all(&mut self) -> Option<Vec<(Option<String>, Literal)>> {
        let mut arguments = Vec::new();
        while !self.rest.is_empty() {
            let name = self.name();
            arguments.push((name, self.literal()?));
            if !self.rest.is_empty() {
                self.punctuation(',')?;
            }
        }
        Some(arguments)
    }

    fn name(&mut self) -> Option<String> {
        let [Token { kind: Kind::Identifier(name), .. }, equals, rest @ ..] = self.rest else {
            return None;
        };
        if equals.kind != Kind::Punctuation('=') {
            return None;
        }
        self.rest = rest;
        Some(name.clone())
    }

    fn punctuation(&mut self, expected: char) -> Option<()> {
        let (first, rest) = self.rest.split_first()?;
        if first.kind != Kind::Punctuation(expected) {
            return None;
        }
        self.rest = rest;
        Some(())
    }

    /// Parses a string, `None` or a list; a loop, so that deep nesting cannot exhaust the stack.
    fn literal(&mut self) -> Option<Literal> {
        let mut open: Vec<Vec<Literal>> = Vec::new();
        loop {
            let (first, rest) = self.rest.split_first()?;
            self.rest = rest;
            let mut value = match &first.kind {
                Kind::Text(text) => Literal::Text(text.clone()),
                Kind::Identifier(word) if word == "None" => Literal::None,
                Kind::Punctuation('[') if open.len() < MAX_DEPTH => {
                    open.push(Vec::new());
                    if self.punctuation(']').is_none() {
                        continue;
                    }
                    Literal::List(open.pop()?)
                }
                _ => return None,
            };
            // The value may close its list, which may close the list around it.
            loop {
                let Some(list) = open.last_mut() else { return Some(value) };
                list.push(value);
                let has_comma = self.punctuation(',').is_some();
                if self.punctuation(']').is_some() {
                    value = Literal::List(open.pop()?);
                } else if has_comma {
                    break;
                } else {
                    return None;
                }
            }
        }
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut lexer = Lexer { text, at: 0, open_brackets: Vec::new(), tokens: Vec::new() };
    while let Some(character) = lexer.peek() {
        lexer.token(character)?;
    }
    match lexer.open_brackets.last() {
        Some(open) => Err(format!("unclosed `{open}`")),
        None => Ok(lexer.tokens),
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// The open brackets.
    open_brackets: Vec<char>,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
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
            '\n' | ';' if self.open_brackets.is_empty() => {
                self.single(Kind::EndOfStatement, character);
            }
            _ if character.is_whitespace() => self.at += character.len_utf8(),
            '"' | '\'' => self.string(self.at, false)?,
            'r' if self.rest()[1..].starts_with(['"', '\'']) => {
                self.at += 1;
                self.string(self.at - 1, true)?;
            }
            '(' | '[' | '{' => {
                self.open_brackets.push(character);
                self.single(Kind::Punctuation(character), character);
            }
            ')' | ']' | '}' => self.close(character)?,
            _ if character.is_alphanumeric() || character == '_' => self.identifier(),
            _ => self.single(Kind::Punctuation(character), character),
        }
        Ok(())
    }

    fn single(&mut self, kind: Kind, character: char) {
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
        let expected = match self.open_brackets.pop() {
            Some('(') => ')',
            Some('[') => ']',
            Some(_) => '}',
            None => return Err(format!("unmatched `{character}`")),
        };
        if character != expected {
            return Err(format!("expected `{expected}`, found `{character}`"));
        }
        self.single(Kind::Punctuation(character), character);
        Ok(())
    }

    fn identifier(&mut self) {
        let from = self.at;
        let is_inside = |c: char| c.is_alphanumeric() || c == '_';
        self.at += self.rest().find(|c| !is_inside(c)).unwrap_or(self.rest().len());
        self.push(Kind::Identifier(self.text[from..self.at].to_owned()), from);
    }

    /// Scans a string, starting at its opening quotes.
    fn string(&mut self, from: usize, is_raw: bool) -> Result<(), String> {
        let quote = self.peek().unwrap_or_default();
        let triple = quote.to_string().repeat(3);
        let is_triple = self.rest().starts_with(&triple);
        let close = if is_triple { triple } else { quote.to_string() };
        self.at += close.len();
        let mut value = String::new();
        loop {
            let Some(character) = self.peek().filter(|c| is_triple || *c != '\n') else {
                return Err(format!("unterminated string: {}", shortened(&self.text[from..])));
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
    fn parses_literals() {
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
    fn rejects_deep_nesting_without_overflow() {
        let text = format!("f({}{})", "[".repeat(50_000), "]".repeat(50_000));
        assert!(matches!(statements(&text).unwrap()[..], [Statement::Other(_)]));
    }

    proptest! {
        #[test]
        fn accepts_or_rejects_any_text(text in "(?s)[f(\\[\\])\"'#\\\\;, =r\n a\u{e9}]{0,60}") {
            let _ = statements(&text);
        }
    }
}
