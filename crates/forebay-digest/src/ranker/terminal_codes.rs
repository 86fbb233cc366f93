//! Terminal codes, also those whose escape character was lost on the way.

use std::borrow::Cow;

use memchr::memchr_iter;

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// Parameters of a colour without its escape character; after more it is text in brackets.
const MAX_BARE_PARAMETER_BYTES: usize = 8;

/// Removes escape sequences and control characters, twice: removing one can join another.
pub(super) fn remove(raw: &[u8], has_bracket: bool) -> Cow<'_, [u8]> {
    if !(has_control(raw) || has_bracket && has_bare_sequence(raw)) {
        return Cow::Borrowed(raw);
    }
    let once = remove_once(raw);
    let may_have_more = has_control(&once) || has_bare_sequence(&once);
    Cow::Owned(if may_have_more { remove_once(&once) } else { once })
}

fn has_control(raw: &[u8]) -> bool {
    let is_control = |byte: u8| byte < b' ' && byte != b'\t' || byte == 0x7f;
    // Without an early exit, so that the compiler vectorizes the loop.
    raw.iter().fold(false, |found, byte| found | is_control(*byte))
}

fn has_bare_sequence(raw: &[u8]) -> bool {
    memchr_iter(b'[', raw).any(|open| bare_sequence_len(&raw[open..]).is_some())
}

fn remove_once(raw: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.iter().position(|byte| may_start_code(*byte)) {
        let len = code_len(&rest[at..]);
        // What is no code stays, and the search goes on after it.
        text.extend_from_slice(&rest[..at + usize::from(len.is_none())]);
        rest = &rest[at + len.unwrap_or(1)..];
    }
    text.extend_from_slice(rest);
    text
}

fn may_start_code(byte: u8) -> bool {
    byte.is_ascii_control() || byte == b'['
}

/// Returns the length of the code that the text starts with.
fn code_len(text: &[u8]) -> Option<usize> {
    match text.first()? {
        &ESCAPE => Some(escape_sequence_len(text)),
        b'[' => bare_sequence_len(text),
        b'\t' | b'\n' | b'\r' => None,
        byte => byte.is_ascii_control().then_some(1),
    }
}

fn escape_sequence_len(text: &[u8]) -> usize {
    match text.get(1) {
        Some(b'[') => control_sequence_len(text).unwrap_or(2),
        Some(b']') => command_string_len(text),
        Some(b'@'..=b'_') => 2,
        _ => 1,
    }
}

/// `ESC [`, parameters, intermediates and a final byte.
fn control_sequence_len(text: &[u8]) -> Option<usize> {
    let parameters = run_len(&text[2..], |byte| matches!(byte, b'0'..=b'9' | b';' | b'?'));
    let intermediates = run_len(&text[2 + parameters..], |byte| matches!(byte, b' '..=b'/'));
    let last = 2 + parameters + intermediates;
    matches!(text.get(last)?, b'@'..=b'~').then_some(last + 1)
}

/// `ESC ]`, text, and `BEL` or `ESC \` if it is there.
fn command_string_len(text: &[u8]) -> usize {
    let end = 2 + run_len(&text[2..], |byte| !matches!(byte, BELL | ESCAPE));
    let terminator = match &text[end..] {
        [BELL, ..] => 1,
        [ESCAPE, b'\\', ..] => 2,
        _ => 0,
    };
    end + terminator
}

/// A colour or an erased line without the escape character: `[1;31m`, `[0K`, `[m`.
fn bare_sequence_len(text: &[u8]) -> Option<usize> {
    let parameters = run_len(&text[1..], |byte| matches!(byte, b'0'..=b'9' | b';'));
    let (last, after) = (text.get(1 + parameters)?, text.get(2 + parameters));
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let is_code = matches!(last, b'm' | b'K')
        && parameters <= MAX_BARE_PARAMETER_BYTES
        && (parameters > 0 || !after.is_some_and(is_word));
    is_code.then_some(2 + parameters)
}

fn run_len(text: &[u8], is_one: impl Fn(u8) -> bool) -> usize {
    text.iter().take_while(|byte| is_one(**byte)).count()
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use regex::bytes::{Regex, RegexBuilder};

    use super::*;
    use crate::tests::terminal_bytes;

    /// The codes as the training of the trees described them.
    const CODES: &str = r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-_]|\[[0-9;]{1,8}[mK]|\[[mK]\b|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]";

    fn removed_by_pattern(raw: &[u8]) -> Vec<u8> {
        static PATTERN: LazyLock<Regex> =
            LazyLock::new(|| RegexBuilder::new(CODES).unicode(false).build().unwrap());
        let once = PATTERN.replace_all(raw, &b""[..]);
        PATTERN.replace_all(&once, &b""[..]).into_owned()
    }

    proptest! {
        #[test]
        fn removes_what_the_pattern_matches(
            terminal in terminal_bytes(), dense in "[\\x00-\\x1f\\x7f\\[\\]\\\\0-9;?mKA_ (é]{0,40}",
        ) {
            for raw in [&terminal[..], dense.as_bytes()] {
                prop_assert_eq!(remove(raw, raw.contains(&b'[')), removed_by_pattern(raw));
            }
        }
    }
}
