//! Places in files: `src/main.rs:12:5`, `Main.java:[57,8]`, `a.ts(3,4)`, `"a.py", line 3`.

use memchr::{memchr2_iter, memmem};

/// The longest file extension that makes a name with a number behind it a place.
const EXTENSION: usize = 5;

/// Whether a line names a place.
pub(crate) fn is_named_in(line: &str) -> bool {
    let bytes = line.as_bytes();
    memchr2_iter(b':', b'(', bytes)
        .any(|at| is_line_number(&bytes[at + 1..]) && ends_in_extension(&bytes[..at]))
        || names_a_python_line(bytes)
}

fn is_line_number(after: &[u8]) -> bool {
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

fn names_a_python_line(line: &[u8]) -> bool {
    let Some(at) = memmem::find(line, b"\", line ") else { return false };
    is_line_number(&line[at + b"\", line ".len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_from_other_numbers() {
        for line in [
            "  --> src/main.rs:12:5",
            "[ERROR] /a/b/Main.java:[57,8] error",
            "\tat org.x.Y.z(Y.java:215)",
            "src/a.ts(3,4): error TS2345",
            "  File \"/a/b.py\", line 3, in f",
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
