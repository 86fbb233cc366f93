//! Places in files: `src/main.rs:12:5`, `Main.java:[57,8]`, `a.ts(3,4)`, `"a.py", line 3`.

use memchr::memchr2_iter;

/// The longest file extension that makes a name with a number behind it a place.
const EXTENSION: usize = 5;

/// Python writes this between the file and the line.
pub(crate) const BEFORE_NUMBER: &str = "\", line ";

/// A place at the start of a line, and what is said about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Remark<'a> {
    pub(crate) path: &'a str,
    pub(crate) line: u64,
    pub(crate) text: &'a str,
}

/// Reads `path:3:5: text`, `path:3: text`, `path(3,5): text`, `path:3:5 - text`, `path:[3,5] text`.
pub(crate) fn remark(line: &str) -> Option<Remark<'_>> {
    let at = memchr2_iter(b':', b'(', line.as_bytes())
        .find(|at| is_line_number(&line.as_bytes()[at + 1..]) && *at > 0)?;
    let (path, after) = (&line[..at], &line[at + 1..]);
    let after = after.strip_prefix('[').unwrap_or(after);
    let number = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let position =
        after[number..].trim_start_matches(|c: char| c.is_ascii_digit() || ":,)]".contains(c));
    let text = position.trim_start().strip_prefix("- ").unwrap_or(position).trim_start();
    // Data in braces and quotes may hold a remark, and is none.
    let is_path = !path.contains([' ', '"', '{']) && path.contains(['.', '/']);
    is_path.then_some(Remark { path, line: after[..number].parse().ok()?, text })
}

/// The first place a line names, as `path:line`.
pub(crate) fn first(line: &str) -> Option<String> {
    if let Some(at) = line.find(BEFORE_NUMBER) {
        let path = line[..at].rsplit('"').next().unwrap_or_default();
        let number: String =
            line[at + BEFORE_NUMBER.len()..].chars().take_while(char::is_ascii_digit).collect();
        return Some(format!("{path}:{number}"));
    }
    let bytes = line.as_bytes();
    let at = memchr2_iter(b':', b'(', bytes)
        .find(|at| is_line_number(&bytes[at + 1..]) && ends_in_extension(&bytes[..*at]))?;
    let start = line[..at].rfind([' ', '(', '"', '\'', '\t', '[', '@']).map_or(0, |at| at + 1);
    let number: String =
        line[at + 1..].trim_start_matches('[').chars().take_while(char::is_ascii_digit).collect();
    Some(format!("{}:{number}", line[start..at].trim_start_matches("file://")))
}

/// Whether a line names a place by a file and the number behind it.
pub(crate) fn is_named_in(line: &str) -> bool {
    let bytes = line.as_bytes();
    memchr2_iter(b':', b'(', bytes)
        .any(|at| is_line_number(&bytes[at + 1..]) && ends_in_extension(&bytes[..at]))
}

/// Whether the number of a line stands here.
pub(crate) fn is_line_number(after: &[u8]) -> bool {
    let number = after.strip_prefix(b"[").unwrap_or(after);
    number.first().is_some_and(u8::is_ascii_digit)
}

/// A name that ends in a dot and a few letters; so neither `12:30` nor `10.0.0.1:80`.
fn ends_in_extension(before: &[u8]) -> bool {
    let letters = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let name = &before[..before.len() - letters];
    (1..=EXTENSION).contains(&letters)
        && name.last() == Some(&b'.')
        && name.iter().nth_back(1).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_read_in_every_spelling() {
        for line in [
            "src/a.c:3:5: bad",
            "src/a.c:3: bad",
            "src/a.c(3,5): bad",
            "src/a.c:3:5 - bad",
            "src/a.c:[3,5] bad",
        ] {
            assert_eq!(
                remark(line),
                Some(Remark { path: "src/a.c", line: 3, text: "bad" }),
                "{line}"
            );
        }
        assert_eq!(remark("at 12:30 it ended"), None);
        assert_eq!(remark(r#"{"rendered":"src/a.c:3:5: bad"}"#), None);
    }

    #[test]
    fn places_are_told_from_other_numbers() {
        for line in [
            "  --> src/main.rs:12:5",
            "[ERROR] /a/b/Main.java:[57,8] error",
            "\tat org.x.Y.z(Y.java:215)",
            "src/a.ts(3,4): error TS2345",
        ] {
            assert!(is_named_in(line), "{line}");
        }
        for line in
            ["12:30:01 started", "http://10.0.0.1:80/", "key: 12", "localhost:8080", "f(2)", "..:1"]
        {
            assert!(!is_named_in(line), "{line}");
        }
    }
}
