//! Indentation errors that the grammar of an indentation-based language accepts.

use std::ops::Range;

use super::{MAX_QUOTED_BYTES, SyntaxError};

/// Finds unexpected, missing and inconsistent indentation.
pub(super) fn indentation_errors(source: &str) -> Vec<SyntaxError> {
    let mut indents = IndentStack { levels: vec![0], expects_indent: false };
    let mut scanner = LineScanner::default();
    let mut found = Vec::new();
    let mut start = 0;
    for (number, line) in source.split_inclusive('\n').enumerate() {
        let text = line.trim_start_matches([' ', '\t', '\x0c']);
        let at = start + line.len() - text.len();
        let is_between = scanner.is_between_statements();
        let is_blank = is_between && (text.trim().is_empty() || text.starts_with('#'));
        let is_statement_start = is_between && !is_blank;
        if is_statement_start
            && let Some(message) = indents.push(width(&line[..line.len() - text.len()]))
        {
            let text = text.trim_end();
            let bytes = at..at + text.len();
            found.push(error(message, number + 1, at - start + 1, bytes, text));
        }
        scanner.scan_line(text);
        if scanner.is_between_statements() && !is_blank {
            indents.expects_indent = scanner.opens_block;
        }
        start += line.len();
    }
    found
}

fn error(
    message: &str,
    line: usize,
    column: usize,
    bytes: Range<usize>,
    text: &str,
) -> SyntaxError {
    let quoted = &text[..text.floor_char_boundary(MAX_QUOTED_BYTES)];
    SyntaxError { line, column, bytes, message: format!("{message}: {quoted}") }
}

/// Returns the width of an indent; tabs advance to the next multiple of eight.
fn width(indent: &str) -> usize {
    indent.chars().fold(0, |width, space| match space {
        '\t' => (width / 8 + 1) * 8,
        '\x0c' => 0,
        _ => width + 1,
    })
}

struct IndentStack {
    /// Indents of the open blocks.
    levels: Vec<usize>,
    /// The previous statement opens a block.
    expects_indent: bool,
}

impl IndentStack {
    /// Adds the indent of a statement; returns what is wrong with it.
    fn push(&mut self, indent: usize) -> Option<&'static str> {
        let last = self.levels.last().copied().unwrap_or(0);
        if indent > last {
            self.levels.push(indent);
            return (!self.expects_indent).then_some("unexpected indent");
        }
        let missing = self.expects_indent.then_some("expected an indented block before");
        while self.levels.last().is_some_and(|level| *level > indent) {
            self.levels.pop();
        }
        if self.levels.last() == Some(&indent) {
            return missing;
        }
        self.levels.push(indent);
        missing.or(Some("unindent does not match any outer block"))
    }
}

/// Tracks strings, brackets and line continuations.
#[derive(Default)]
struct LineScanner {
    brackets: usize,
    /// The closing quote of the open string.
    quote: Option<&'static str>,
    is_continued: bool,
    /// The last statement ends with a colon.
    opens_block: bool,
}

const QUOTES: &[&str] = &["\"\"\"", "'''", "\"", "'"];

impl LineScanner {
    fn is_between_statements(&self) -> bool {
        self.brackets == 0 && self.quote.is_none() && !self.is_continued
    }

    fn scan_line(&mut self, line: &str) {
        let mut rest = line.trim_end();
        self.is_continued = false;
        while let Some(first) = rest.chars().next() {
            if let Some(quote) = self.quote {
                rest = self.skip_string(rest, quote);
                continue;
            }
            if let Some(quote) = QUOTES.iter().find(|quote| rest.starts_with(**quote)) {
                (self.quote, self.opens_block) = (Some(*quote), false);
                rest = &rest[quote.len()..];
                continue;
            }
            rest = &rest[first.len_utf8()..];
            match first {
                '#' => break,
                '(' | '[' | '{' => self.brackets += 1,
                ')' | ']' | '}' => self.brackets = self.brackets.saturating_sub(1),
                '\\' if rest.is_empty() => self.is_continued = true,
                _ => {}
            }
            if !first.is_whitespace() {
                self.opens_block = first == ':' && self.brackets == 0;
            }
        }
        // A single-quoted string ends with its line unless continued.
        if self.quote.is_some_and(|quote| quote.len() == 1) {
            self.is_continued = line.trim_end().ends_with('\\');
            self.quote = self.quote.filter(|_| self.is_continued);
        }
    }

    /// Returns the text after the end of a string, or nothing.
    fn skip_string<'a>(&mut self, text: &'a str, quote: &str) -> &'a str {
        let mut characters = text.char_indices();
        while let Some((at, character)) = characters.next() {
            if character == '\\' {
                characters.next();
            } else if text[at..].starts_with(quote) {
                self.quote = None;
                return &text[at + quote.len()..];
            }
        }
        ""
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn report(source: &str) -> Vec<String> {
        let errors = indentation_errors(source).into_iter();
        errors.map(|error| format!("{}:{} {}", error.line, error.column, error.message)).collect()
    }

    #[test]
    fn reports_wrong_indentation() {
        assert_eq!(
            report("def a():\n  x = 1\n    return 1\n"),
            ["3:5 unexpected indent: return 1"]
        );
        assert_eq!(
            report("def b():\nreturn 2\n"),
            ["2:1 expected an indented block before: return 2"]
        );
        assert_eq!(
            report("def c():\n    if x:\n    return 1\n"),
            ["3:5 expected an indented block before: return 1"]
        );
        assert_eq!(
            report("if x:\n        a()\n    b()\n"),
            ["3:5 unindent does not match any outer block: b()"]
        );
    }

    #[test]
    fn accepts_valid_indentation() {
        for sound in [
            "class A:\n    \"\"\"Docs.\n\n  Odd:\n    \"\"\"\n\n    def a(self,\n  b):\n        return {\n  'a': 1,\n}\n\n# remark\n    # another\n    x = 1\n",
            "def a():  # says: this\n    return 1\n",
            "x = 1 + \\\n      2\ny = 'a \\\n  b'\n",
            "if a: b()\nelse: c()\n",
            "def a():\n\tif b:\n\t\treturn 'it''s'\n\treturn f\"{x:>10}\"\n",
            "for x in y:\n    pass\nelse:\n    pass\n",
            "x = [\n    1,\n]\n\n\ndef f() -> None:\n    ...\n",
        ] {
            assert_eq!(report(sound), Vec::<String>::new(), "{sound}");
        }
    }

    proptest! {
        #[test]
        fn accepts_any_text(text in "[a:#'\"\\\\()\\[\\] \t\né]{0,60}") {
            indentation_errors(&text);
        }
    }
}
