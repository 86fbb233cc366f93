//! Redirections, here-documents, whitespace and comments.

use super::cursor::{Parsed, Parser, Pending};
use super::script::{Redirect, RedirectKind, Word};

impl Parser {
    /// Skips whitespace and a comment.
    pub(super) fn blanks(&mut self) {
        while matches!(self.look(), Some(' ' | '\t')) {
            self.at += 1;
        }
        if self.raw() == Some('#') {
            while self.raw().is_some_and(|character| character != '\n') {
                self.at += 1;
            }
        }
    }

    /// Skips whitespace and newlines, reading pending here-documents on the way.
    pub(super) fn blank_lines(&mut self) -> Parsed<()> {
        loop {
            self.blanks();
            match self.look() {
                Some('\n') => {
                    self.at += 1;
                    self.read_documents()?;
                }
                None => return self.read_documents(),
                Some(_) => return Ok(()),
            }
        }
    }

    /// Parses a redirection, if there is one.
    pub(super) fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        let start = self.at;
        self.descriptor();
        if !self.at_redirect() || (self.at == start && self.at_process_substitution()) {
            self.at = start;
            return Ok(None);
        }
        self.operator_and_target()
    }

    /// Skips `2` or `{name}` before an operator.
    fn descriptor(&mut self) {
        let start = self.at;
        if self.eat('{') {
            let named = !self.name().is_empty() && self.eat('}');
            if named && self.at_redirect() {
                return;
            }
            self.at = start;
        }
        while self.look().is_some_and(|next| next.is_ascii_digit()) {
            self.at += 1;
        }
        if !matches!(self.raw(), Some('<' | '>')) {
            self.at = start;
        }
    }

    fn at_redirect(&mut self) -> bool {
        match self.look() {
            Some('<' | '>') => true,
            Some('&') => self.look_after() == Some('>'),
            _ => false,
        }
    }

    fn operator_and_target(&mut self) -> Parsed<Option<Redirect>> {
        const OPERATORS: [(&str, RedirectKind); 9] = [
            ("<<<", RedirectKind::Text),
            ("<>", RedirectKind::ReadWrite),
            ("&>>", RedirectKind::Write),
            ("&>", RedirectKind::Write),
            (">>", RedirectKind::Write),
            (">|", RedirectKind::Write),
            (">&", RedirectKind::Write),
            ("<&", RedirectKind::Read),
            (">", RedirectKind::Write),
        ];
        if self.look_after() == Some('<') && !self.starts_with("<<<") && self.eat_all("<<") {
            return self.announce().map(Some);
        }
        let found = OPERATORS.into_iter().find(|(operator, _)| self.eat_all(operator));
        let kind = found.map_or(RedirectKind::Read, |(_, kind)| kind);
        if found.is_none() {
            self.eat('<');
        }
        self.blanks();
        Ok(Some(Redirect { kind, target: self.word()? }))
    }

    fn starts_with(&mut self, text: &str) -> bool {
        let start = self.at;
        let is = self.eat_all(text);
        self.at = start;
        is
    }

    /// Registers a here-document whose body follows this line.
    fn announce(&mut self) -> Parsed<Redirect> {
        let strips_tabs = self.eat('-');
        self.blanks();
        let word = self.word()?;
        let is_quoted = word.source.contains(['\'', '"', '\\']);
        let delimiter = if is_quoted { word.marked() } else { word.source };
        self.announced += 1;
        let placeholder = format!("<<{}", self.announced);
        let target = Word { source: placeholder.clone(), ..Word::default() };
        self.pending.push(Pending { delimiter, strips_tabs, is_quoted, placeholder });
        Ok(Redirect { kind: RedirectKind::Text, target })
    }

    fn read_documents(&mut self) -> Parsed<()> {
        for pending in std::mem::take(&mut self.pending) {
            let text = self.document_text(&pending);
            let mut body = if pending.is_quoted {
                Word::literal(text.clone())
            } else {
                self.nested(&text, Self::document)?
            };
            body.source = text;
            self.place_document(&pending.placeholder, &body);
        }
        Ok(())
    }

    fn document_text(&mut self, pending: &Pending) -> String {
        let mut text = String::new();
        while let Some(line) = self.take_line() {
            let line = if pending.strips_tabs { line.trim_start_matches('\t') } else { &line };
            if line == pending.delimiter {
                break;
            }
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    fn place_document(&mut self, placeholder: &str, body: &Word) {
        let redirects = self.commands.iter_mut().rev().flat_map(|command| &mut command.redirects);
        let mut waiting = redirects.filter(|redirect| {
            redirect.kind == RedirectKind::Text && redirect.target.source == placeholder
        });
        if let Some(redirect) = waiting.next() {
            redirect.target = body.clone();
        }
    }
}
