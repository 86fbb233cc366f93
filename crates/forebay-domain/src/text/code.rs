//! Whether a text is source code, and what it says about itself.

use super::{lines, trim};

/// Lines that are looked at.
const LOOKED_AT: usize = 40;

/// Whether most lines of a text look like source code.
pub fn is_mostly(text: &str) -> bool {
    let lines = lines(text).map(|(_, line)| trim(line)).filter(|line| !line.is_empty());
    let (mut code, mut prose) = (0, 0);
    for line in lines.take(LOOKED_AT) {
        *(if is_code_line(line) { &mut code } else { &mut prose }) += 1;
        // Whatever follows, it is decided.
        if code.max(prose) > LOOKED_AT / 2 {
            break;
        }
    }
    code > 0 && code >= prose
}

/// Whether the first line opens a body: `def read(path):`. What follows may be all documentation.
pub fn opens_definition(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    begins_definition(first) && first.ends_with(['{', ':', '(', ','])
        || first.ends_with("):")
        || first.ends_with(") {")
}

fn is_code_line(line: &str) -> bool {
    matches!(line.as_bytes().last(), Some(b'{' | b'}' | b';' | b')' | b':' | b',' | b'('))
        || line.starts_with("//")
        || line.starts_with('#')
        || line.starts_with("return")
        || begins_definition(line)
        || assigns(line.as_bytes())
}

/// Whether an equals sign stands between two blanks.
fn assigns(line: &[u8]) -> bool {
    memchr::memchr_iter(b'=', line)
        .any(|at| at > 0 && line[at - 1] == b' ' && line.get(at + 1) == Some(&b' '))
}

fn begins_definition(line: &str) -> bool {
    let Some(first) = line.as_bytes().first() else { return false };
    definitions(*first).iter().any(|start| line.starts_with(start))
}

/// How the first line of a definition begins, in the languages people write; those with this first byte.
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

/// The first comment of some length: what the code says about itself.
pub fn comment(text: &str) -> Option<&str> {
    const FENCES: &[(&str, &str)] =
        &[("\"\"\"", "\"\"\""), ("'''", "'''"), ("/**", "*/"), ("/*", "*/")];
    let fenced = FENCES.iter().find_map(|(open, close)| {
        let start = find(text, open)? + open.len();
        let end = find(&text[start..], close)? + start;
        Some(text[start..end].trim())
    });
    fenced.filter(|comment| !comment.is_empty())
}

fn find(text: &str, wanted: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes(), wanted.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_likely(text: &str) -> bool {
        is_mostly(text) || opens_definition(text)
    }

    #[test]
    fn code_is_told_from_prose() {
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
    fn the_first_comment_is_found() {
        assert_eq!(comment("def f():\n    \"\"\" Adds two. \"\"\"\n"), Some("Adds two."));
        assert_eq!(comment("/** Opens it. */\nvoid f();"), Some("Opens it."));
        assert_eq!(comment("def f():\n    pass"), None);
        assert_eq!(comment("x = \"\"\"never closed"), None);
    }
}
