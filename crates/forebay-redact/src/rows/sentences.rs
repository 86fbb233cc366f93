//! Passwords that a sentence tells: `my password is SECRET`.

use super::super::match_context::{MatchContext, Report};
use super::super::random;
use super::{Row, Shape};

pub(super) static ROWS: &[Row] = &[Row {
    kind: "password",
    literals: &["password is ", "password is: ", "passphrase is ", "passwort ist "],
    shape: Shape::Around(stated_password),
    redacts: &[
        "My password is «hunter2»",
        "the admin password is «s3cr3tW0rd», the host is db1",
        "Login as root; the password is: «Tr0ub4dor&3».",
        "the database password is '«s3cr3tW0rd»' for now",
        "the password is `«s3cr3tW0rd»` there",
        "Mein Passwort ist «hunter2».",
    ],
    spares: &[
        "the password is required",
        "the password is 8+ characters",
        "the password is sha256.",
        "my password is utf8-encoded",
        "a password is user2 times longer",
        "the password is $DB_PASSWORD1",
        "the password is <your-password1>",
    ],
}];

/// Words with digits that say how a password is stored.
const ENCODINGS: &[&str] =
    &["sha1", "sha2", "sha3", "sha5", "sha-", "md5", "base64", "utf", "argon2", "pbkdf2", "ascii"];

/// A word that looks like a password, in quotes or as the end of its clause.
fn stated_password(context: &MatchContext<'_>, report: Report<'_>) {
    let text = context.after();
    let Some((start, end)) = quoted(text).or_else(|| end_of_clause(text)) else { return };
    let word = &text[start..end];
    if context.starts_word() && random::is_password(word) && !names_encoding(word) {
        report(context.range_after(start..end));
    }
}

/// The word between quotes.
fn quoted(text: &[u8]) -> Option<(usize, usize)> {
    let quote = text.first().filter(|byte| b"'\"`".contains(byte))?;
    let length = memchr::memchr2(*quote, b'\n', &text[1..])?;
    (text[1 + length] == *quote).then_some((1, 1 + length))
}

/// The first word, if nothing or punctuation follows it.
fn end_of_clause(text: &[u8]) -> Option<(usize, usize)> {
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    match &text[..end] {
        [.., b'.' | b',' | b';'] => Some((0, end - 1)),
        _ if text[end..].iter().take_while(|byte| **byte != b'\n').all(u8::is_ascii_whitespace) => {
            Some((0, end))
        }
        _ => None,
    }
}

fn names_encoding(word: &[u8]) -> bool {
    ENCODINGS.iter().any(|name| {
        word.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
    })
}
