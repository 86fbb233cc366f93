//! Source code on stdout (`cat src/lib.rs`): its definitions with their lines.

use forebay_text::cut;

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;

pub(super) const FORMAT: Format = Format {
    name: "source code",
    keeps: "definitions with their lines, outer ones before inner ones",
    commands: &["bat"],
    scope: Scope::Whole(claims),
    create: || Box::<Source>::default(),
};

const PRINTERS: &[&str] =
    &["cat", "bat", "batcat", "head", "tail", "sed", "nl", "less", "git show"];

const EXTENSIONS: &[&str] = &[
    "rs", "py", "js", "mjs", "cjs", "jsx", "ts", "tsx", "go", "c", "h", "cc", "cpp", "cxx", "hpp",
    "java", "kt", "scala", "swift", "rb", "php", "cs", "lua", "pl", "sh", "bash", "zig", "dart",
];

/// Words before the keyword of a definition.
const MODIFIERS: &[&str] = &[
    "pub",
    "export",
    "default",
    "async",
    "static",
    "public",
    "private",
    "protected",
    "internal",
    "abstract",
    "final",
    "sealed",
    "unsafe",
    "extern",
    "inline",
    "virtual",
    "override",
    "open",
    "data",
    "declare",
    "const",
];

const KEYWORDS: &[&str] = &[
    "fn",
    "func",
    "fun",
    "function",
    "def",
    "class",
    "struct",
    "enum",
    "trait",
    "impl",
    "interface",
    "type",
    "mod",
    "module",
    "namespace",
    "macro_rules!",
    "union",
    "protocol",
    "record",
    "object",
    "sub",
];

/// Words that start a statement with parentheses.
const STATEMENTS: &[&str] =
    &["if", "for", "while", "switch", "return", "else", "catch", "match", "with", "elif", "do"];

/// Deeper definitions are left out.
const MAX_INDENT: usize = 8;

/// Maximum number of definitions held.
const MAX_DEFINITIONS: usize = 600;

const MAX_SHOWN_BYTES: usize = 90;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let is_printed = PRINTERS.iter().any(|pattern| start.command.matches(pattern))
        && start.command.reads_file(EXTENSIONS);
    // `git show` of a commit is a patch.
    let is_patch =
        start.lines.iter().any(|line| line.starts_with("diff --") || line.starts_with("@@ "));
    (is_printed && !is_patch).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct Source {
    first: String,
    /// Line, indentation and text.
    definitions: Vec<(u64, usize, String)>,
    more: u64,
}

impl Recognizer for Source {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = unnumbered(line.text.trim_end());
        if self.first.is_empty() {
            self.first = cut::one_line(text, MAX_SHOWN_BYTES);
        }
        if let Some((indent, text)) = definition(text) {
            if self.definitions.len() < MAX_DEFINITIONS {
                let shown = cut::one_line(text.trim_end_matches('{').trim_end(), MAX_SHOWN_BYTES);
                self.definitions.push((line.number, indent, shown));
            } else {
                self.more += 1;
            }
        }
        Mark::Plain
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        if self.definitions.is_empty() {
            return None;
        }
        let mut report = Report::with_summary("source code, definitions by line:", Quotes::None);
        report.add(95, self.first.clone());
        for (line, indent, text) in &self.definitions {
            let weight = 80 - 5 * (*indent as u32);
            let indentation = if *indent > 0 { "  " } else { "" };
            report.add_named(weight, format!("line {line}: {indentation}{text}"), " definition");
        }
        report.add_unlisted(self.more);
        Some(report)
    }
}

/// Strips the line number of `cat -n`.
fn unnumbered(line: &str) -> &str {
    match line.split_once('\t') {
        Some((number, text)) if number.trim_start().parse::<u64>().is_ok() => text,
        _ => line,
    }
}

/// Returns the indentation and the text of a line that starts a definition.
fn definition(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let is_definition = indent <= MAX_INDENT
        && !text.starts_with(['#', '/', '*', '"', '\'', '-'])
        && (has_keyword(text) || is_function(text, indent));
    is_definition.then_some((indent, text))
}

/// Returns true for `pub(crate) struct Line<'a>`, `export default class Store`, `async def run():`.
fn has_keyword(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    let is_modifier = |word: &str| {
        MODIFIERS.contains(&word) || word.starts_with("pub(") || word.starts_with("extern\"")
    };
    let Some(keyword) = words.find(|word| !is_modifier(word) && *word != "\"C\"") else {
        return false;
    };
    let keyword = keyword.split('<').next().unwrap_or(keyword);
    KEYWORDS.contains(&keyword)
        && words.next().is_some_and(|name| {
            name.starts_with(|c: char| c.is_alphabetic() || "_$<*(&".contains(c))
        })
        && !text.ends_with('.')
}

/// Returns true for `int main(void)`, `deploy() {`, `async load (path) {`: no keyword, but a name and parameters.
fn is_function(text: &str, indent: usize) -> bool {
    let Some((head, _)) = text.split_once('(') else { return false };
    let mut words = head.split_ascii_whitespace();
    let Some(first) = words.next() else { return false };
    let is_word = |c: char| c.is_alphanumeric() || "_$*&:<>~, ".contains(c);
    let has_type = words.next().is_some();
    !STATEMENTS.contains(&first)
        && first.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && head.chars().all(is_word)
        && (text.ends_with('{') || indent == 0 && has_type && text.ends_with(')'))
}
