//! Heuristics for source code: is it code, and what does its first comment say.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::{lines, trim};

/// Lines that are classified.
const MAX_LINES: usize = 40;

/// Whether most lines of a text look like source code.
pub fn is_mostly(text: &str) -> bool {
    let lines = lines(text).map(|(_, line)| trim(line)).filter(|line| !line.is_empty());
    let (mut code, mut prose) = (0, 0);
    for line in lines.take(MAX_LINES) {
        *(if is_code_line(line) { &mut code } else { &mut prose }) += 1;
        // The majority is decided.
        if code.max(prose) > MAX_LINES / 2 {
            break;
        }
    }
    code > 0 && code >= prose
}

/// Whether the first line opens a definition (`def read(path):`), whose body may be all documentation.
pub fn opens_definition(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    begins_definition(first.as_bytes()) && first.ends_with(['{', ':', '(', ','])
        || first.ends_with("):")
        || first.ends_with(") {")
}

fn is_code_line(line: &str) -> bool {
    let line = line.as_bytes();
    matches!(line.last(), Some(b'{' | b'}' | b';' | b')' | b':' | b',' | b'('))
        || begins_code(line)
        || assigns(line)
}

/// Whether the line contains ` = `.
fn assigns(line: &[u8]) -> bool {
    memchr::memchr_iter(b'=', line)
        .any(|at| at > 0 && line[at - 1] == b' ' && line.get(at + 1) == Some(&b' '))
}

fn begins_code(line: &[u8]) -> bool {
    matches!(line, [b'#', ..] | [b'/', b'/', ..])
        || line.starts_with(b"return")
        || begins_definition(line)
}

fn begins_definition(line: &[u8]) -> bool {
    let Some(first) = line.first() else { return false };
    // Checks the second byte first, which rejects nearly all candidates.
    let may_be = |start: &[u8]| start.get(1).is_none_or(|second| line.get(1) == Some(second));
    let starts = definitions(*first).iter().map(|start| start.as_bytes());
    starts.filter(|start| may_be(start)).any(|start| line.starts_with(start))
}

/// Keywords that open a definition in common languages, by their first byte.
fn definitions(first: u8) -> &'static [&'static str] {
    match first {
        b'#' => &["#include"],
        b'@' => &["@"],
        b'a' => &["async "],
        b'c' => &["class ", "const "],
        b'd' => &["def "],
        b'e' => &["enum ", "export "],
        b'f' => &["fn ", "from ", "func ", "function "],
        b'i' => &["impl ", "import ", "interface "],
        b'l' => &["let "],
        b'm' => &["module "],
        b'p' => &["package ", "private ", "protected ", "pub ", "public "],
        b's' => &["static ", "struct "],
        b't' => &["template"],
        b'u' => &["use "],
        b'v' => &["var "],
        _ => &[],
    }
}

/// The first block comment or docstring.
pub fn comment(text: &str) -> Option<&str> {
    static FENCES: LazyLock<[[Finder<'static>; 2]; 4]> = LazyLock::new(|| {
        [["\"\"\"", "\"\"\""], ["'''", "'''"], ["/**", "*/"], ["/*", "*/"]]
            .map(|fence| fence.map(Finder::new))
    });
    let fenced = FENCES.iter().find_map(|[open, close]| {
        let start = open.find(text.as_bytes())? + open.needle().len();
        let end = close.find(&text.as_bytes()[start..])? + start;
        Some(text[start..end].trim())
    });
    fenced.filter(|comment| !comment.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_likely(text: &str) -> bool {
        is_mostly(text) || opens_definition(text)
    }

    #[test]
    fn distinguishes_code_from_prose() {
        assert!(is_likely(
            "def parse(text):\n    \"\"\"Reads it.\"\"\"\n    return text.split(',')\n"
        ));
        assert!(is_likely("pub fn run(&self) -> u64 {\n    let x = 1;\n    x\n}\n"));
        assert!(is_likely(
            "def f(a,\n b):\n \"\"\"\nFirst it reads\nand then it writes\nall that is there\n\"\"\"\n"
        ));
        assert!(!is_likely(
            "Caroline: I went to a support group yesterday and it was so powerful."
        ));
        assert!(!is_likely("The quick brown fox\njumps over the lazy dog.\nNothing else happens."));
        assert!(!is_likely(""));
    }

    #[test]
    fn finds_the_first_comment() {
        assert_eq!(comment("def f():\n    \"\"\" Adds two. \"\"\"\n"), Some("Adds two."));
        assert_eq!(comment("/** Opens it. */\nvoid f();"), Some("Opens it."));
        assert_eq!(comment("def f():\n    pass"), None);
        assert_eq!(comment("x = \"\"\"never closed"), None);
    }
}
