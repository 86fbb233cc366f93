//! Source locations: `src/main.rs:12:5`, `Main.java:[57,8]`, `a.ts(3,4)`, `"a.py", line 3`.

use memchr::memchr2_iter;

/// Longest file extension that makes a name with a number a location.
const MAX_EXTENSION_BYTES: usize = 5;

/// Separates file and line number in Python tracebacks.
pub(crate) const PYTHON_LINE_MARKER: &str = "\", line ";

/// A location at the start of a line, and the message that follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LocatedMessage<'a> {
    pub(crate) path: &'a str,
    pub(crate) line: u64,
    pub(crate) text: &'a str,
}

/// Parses `path:3:5: text`, `path:3: text`, `path(3,5): text`, `path:3:5 - text`,
/// `path:[3,5] text`.
pub(crate) fn located_message(line: &str) -> Option<LocatedMessage<'_>> {
    let at = memchr2_iter(b':', b'(', line.as_bytes())
        .find(|at| starts_with_line_number(&line.as_bytes()[at + 1..]) && *at > 0)?;
    let (path, after) = (&line[..at], &line[at + 1..]);
    let after = after.strip_prefix('[').unwrap_or(after);
    let number = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let position =
        after[number..].trim_start_matches(|c: char| c.is_ascii_digit() || ":,)]".contains(c));
    let text = position.trim_start().strip_prefix("- ").unwrap_or(position).trim_start();
    // A location within JSON or a quoted string is not at the start of the line.
    let is_path = !path.contains([' ', '"', '{']) && path.contains(['.', '/']);
    is_path.then_some(LocatedMessage { path, line: after[..number].parse().ok()?, text })
}

/// Returns the first location in a line, as `path:line`.
pub(crate) fn find_first(line: &str) -> Option<String> {
    if let Some(at) = line.find(PYTHON_LINE_MARKER) {
        let path = line[..at].rsplit('"').next().unwrap_or_default();
        let number: String = line[at + PYTHON_LINE_MARKER.len()..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        return Some(format!("{path}:{number}"));
    }
    let bytes = line.as_bytes();
    let at = memchr2_iter(b':', b'(', bytes).find(|at| {
        starts_with_line_number(&bytes[at + 1..]) && ends_with_extension(&bytes[..*at])
    })?;
    let start = line[..at].rfind([' ', '(', '"', '\'', '\t', '[', '@']).map_or(0, |at| at + 1);
    let number: String =
        line[at + 1..].trim_start_matches('[').chars().take_while(char::is_ascii_digit).collect();
    Some(format!("{}:{number}", line[start..at].trim_start_matches("file://")))
}

/// Returns true if a line contains a file name followed by a line number.
pub(crate) fn has_location(line: &str) -> bool {
    let bytes = line.as_bytes();
    memchr2_iter(b':', b'(', bytes)
        .any(|at| starts_with_line_number(&bytes[at + 1..]) && ends_with_extension(&bytes[..at]))
}

/// Returns true if the text starts with a line number, possibly bracketed.
pub(crate) fn starts_with_line_number(after: &[u8]) -> bool {
    let number = after.strip_prefix(b"[").unwrap_or(after);
    number.first().is_some_and(u8::is_ascii_digit)
}

/// Returns true for a name with a short alphabetic extension; rejects `12:30` and `10.0.0.1:80`.
fn ends_with_extension(before: &[u8]) -> bool {
    let letters = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let name = &before[..before.len() - letters];
    (1..=MAX_EXTENSION_BYTES).contains(&letters)
        && name.last() == Some(&b'.')
        && name.iter().nth_back(1).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_every_spelling_of_a_located_message() {
        for line in [
            "src/a.c:3:5: bad",
            "src/a.c:3: bad",
            "src/a.c(3,5): bad",
            "src/a.c:3:5 - bad",
            "src/a.c:[3,5] bad",
        ] {
            assert_eq!(
                located_message(line),
                Some(LocatedMessage { path: "src/a.c", line: 3, text: "bad" }),
                "{line}"
            );
        }
        assert_eq!(located_message("at 12:30 it ended"), None);
        assert_eq!(located_message(r#"{"rendered":"src/a.c:3:5: bad"}"#), None);
    }

    #[test]
    fn distinguishes_locations_from_other_numbers() {
        for line in [
            "  --> src/main.rs:12:5",
            "[ERROR] /a/b/Main.java:[57,8] error",
            "\tat org.x.Y.z(Y.java:215)",
            "src/a.ts(3,4): error TS2345",
        ] {
            assert!(has_location(line), "{line}");
        }
        for line in
            ["12:30:01 started", "http://10.0.0.1:80/", "key: 12", "localhost:8080", "f(2)", "..:1"]
        {
            assert!(!has_location(line), "{line}");
        }
    }
}
