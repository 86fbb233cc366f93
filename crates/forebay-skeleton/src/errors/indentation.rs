//! Indentation that a language with blocks by indentation does not take, though its grammar does.

use std::ops::Range;

use super::{SHOWN, SyntaxError};

/// Where a text that marks blocks by indentation has an indent too much, one too little, or one that fits nothing.
pub(super) fn slips(source: &str) -> Vec<SyntaxError> {
    let mut blocks = Blocks { levels: vec![0], is_opening: false };
    let mut reader = Reader::default();
    let mut found = Vec::new();
    let mut start = 0;
    for (number, line) in source.split_inclusive('\n').enumerate() {
        let text = line.trim_start_matches([' ', '\t', '\x0c']);
        let at = start + line.len() - text.len();
        let is_between = reader.is_between_statements();
        let says_nothing = is_between && (text.trim().is_empty() || text.starts_with('#'));
        let begins = is_between && !says_nothing;
        if begins && let Some(fault) = blocks.take(width(&line[..line.len() - text.len()])) {
            let text = text.trim_end();
            let bytes = at..at + text.len();
            found.push(error(fault, number + 1, at - start + 1, bytes, text));
        }
        reader.read(text);
        if reader.is_between_statements() && !says_nothing {
            blocks.is_opening = reader.opens;
        }
        start += line.len();
    }
    found
}

fn error(fault: &str, line: usize, column: usize, bytes: Range<usize>, text: &str) -> SyntaxError {
    let shown = &text[..text.floor_char_boundary(SHOWN)];
    SyntaxError { line, column, bytes, what: format!("{fault}: {shown}") }
}

/// The width of an indent; tabs reach to the next multiple of eight.
fn width(indent: &str) -> usize {
    indent.chars().fold(0, |width, space| match space {
        '\t' => (width / 8 + 1) * 8,
        '\x0c' => 0,
        _ => width + 1,
    })
}

struct Blocks {
    /// The indents of the open blocks.
    levels: Vec<usize>,
    /// The statement before opens a block.
    is_opening: bool,
}

impl Blocks {
    /// Takes the indent of a statement; what is wrong with it.
    fn take(&mut self, indent: usize) -> Option<&'static str> {
        let last = self.levels.last().copied().unwrap_or(0);
        if indent > last {
            self.levels.push(indent);
            return (!self.is_opening).then_some("unexpected indent");
        }
        let missing = self.is_opening.then_some("an indented block is missing before");
        while self.levels.last().is_some_and(|level| *level > indent) {
            self.levels.pop();
        }
        if self.levels.last() == Some(&indent) {
            return missing;
        }
        self.levels.push(indent);
        missing.or(Some("indented like no block around it"))
    }
}

/// Follows strings, brackets and line ends.
#[derive(Default)]
struct Reader {
    brackets: usize,
    /// What closes the string that is open.
    quote: Option<&'static str>,
    goes_on: bool,
    /// The statement that was read ends with a colon.
    opens: bool,
}

const QUOTES: &[&str] = &["\"\"\"", "'''", "\"", "'"];

impl Reader {
    fn is_between_statements(&self) -> bool {
        self.brackets == 0 && self.quote.is_none() && !self.goes_on
    }

    fn read(&mut self, line: &str) {
        let mut rest = line.trim_end();
        self.goes_on = false;
        while let Some(first) = rest.chars().next() {
            if let Some(quote) = self.quote {
                rest = self.read_quoted(rest, quote);
                continue;
            }
            if let Some(quote) = QUOTES.iter().find(|quote| rest.starts_with(**quote)) {
                (self.quote, self.opens) = (Some(*quote), false);
                rest = &rest[quote.len()..];
                continue;
            }
            rest = &rest[first.len_utf8()..];
            match first {
                '#' => break,
                '(' | '[' | '{' => self.brackets += 1,
                ')' | ']' | '}' => self.brackets = self.brackets.saturating_sub(1),
                '\\' if rest.is_empty() => self.goes_on = true,
                _ => {}
            }
            if !first.is_whitespace() {
                self.opens = first == ':' && self.brackets == 0;
            }
        }
        // A string in single marks ends with its line at the latest.
        if self.quote.is_some_and(|quote| quote.len() == 1) {
            self.goes_on = line.trim_end().ends_with('\\');
            self.quote = self.quote.filter(|_| self.goes_on);
        }
    }

    /// What is left behind the end of a string, or nothing.
    fn read_quoted<'a>(&mut self, text: &'a str, quote: &str) -> &'a str {
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

    fn told(source: &str) -> Vec<String> {
        let errors = slips(source).into_iter();
        errors.map(|error| format!("{}:{} {}", error.line, error.column, error.what)).collect()
    }

    #[test]
    fn slips_are_told() {
        assert_eq!(told("def a():\n  x = 1\n    return 1\n"), ["3:5 unexpected indent: return 1"]);
        assert_eq!(
            told("def b():\nreturn 2\n"),
            ["2:1 an indented block is missing before: return 2"]
        );
        assert_eq!(
            told("def c():\n    if x:\n    return 1\n"),
            ["3:5 an indented block is missing before: return 1"]
        );
        assert_eq!(
            told("if x:\n        a()\n    b()\n"),
            ["3:5 indented like no block around it: b()"]
        );
    }

    #[test]
    fn what_is_no_slip_is_not_told() {
        for sound in [
            "class A:\n    \"\"\"Docs.\n\n  Odd:\n    \"\"\"\n\n    def a(self,\n  b):\n        return {\n  'a': 1,\n}\n\n# remark\n    # another\n    x = 1\n",
            "def a():  # says: this\n    return 1\n",
            "x = 1 + \\\n      2\ny = 'a \\\n  b'\n",
            "if a: b()\nelse: c()\n",
            "def a():\n\tif b:\n\t\treturn 'it''s'\n\treturn f\"{x:>10}\"\n",
            "for x in y:\n    pass\nelse:\n    pass\n",
            "x = [\n    1,\n]\n\n\ndef f() -> None:\n    ...\n",
        ] {
            assert_eq!(told(sound), Vec::<String>::new(), "{sound}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[a:#'\"\\\\()\\[\\] \t\né]{0,60}") {
            slips(&text);
        }
    }
}
