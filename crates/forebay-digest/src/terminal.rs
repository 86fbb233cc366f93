//! Removes terminal noise: escape sequences, backspaces, control characters.

const BACKSPACE: u8 = 0x08;
const ESCAPE: u8 = 0x1b;
const BELL: char = '\u{07}';

/// Returns the text unchanged if there is nothing to remove.
pub(crate) fn already_clean(raw: &[u8]) -> Option<&str> {
    if has_noise(raw) {
        return None;
    }
    std::str::from_utf8(raw).ok()
}

/// Returns the visible text of one state of a line; invalid UTF-8 becomes U+FFFD.
pub(crate) fn strip(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw);
    if !has_noise(text.as_bytes()) {
        return text.into_owned();
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.bytes().position(is_noise) {
        shown.push_str(&rest[..at]);
        rest = after_noise(&rest[at..], &mut shown);
    }
    shown.push_str(rest);
    shown
}

fn is_noise(byte: u8) -> bool {
    byte < b' ' && byte != b'\t' || byte == 0x7f
}

/// Scans every byte without an early exit, so that the compiler vectorizes the loop.
fn has_noise(bytes: &[u8]) -> bool {
    bytes.iter().fold(false, |noise, byte| noise | is_noise(*byte))
}

/// Applies the control character at the start of `rest`; returns the text after it.
fn after_noise<'a>(rest: &'a str, shown: &mut String) -> &'a str {
    let after = &rest[1..];
    match rest.as_bytes()[0] {
        BACKSPACE => {
            shown.pop();
            after
        }
        ESCAPE => after_escape(after, shown),
        _ => after,
    }
}

fn after_escape<'a>(rest: &'a str, shown: &mut String) -> &'a str {
    match rest.as_bytes().first() {
        Some(b'[') => after_control_sequence(&rest[1..], shown),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => after_command_string(&rest[1..]),
        Some(b' '..=b'/') => {
            skip_one(rest.trim_start_matches(|c| matches!(c, ' '..='/')), '0'..='~')
        }
        _ => skip_one(rest, '0'..='~'),
    }
}

/// Skips a control sequence such as `ESC [ 1;31 m`: parameters, intermediates, one final character.
fn after_control_sequence<'a>(rest: &'a str, shown: &mut String) -> &'a str {
    let after = rest
        .trim_start_matches(|c| matches!(c, '0'..='?'))
        .trim_start_matches(|c| matches!(c, ' '..='/'));
    if rest.starts_with("2K") {
        // Erases the whole line.
        shown.clear();
    }
    skip_one(after, '@'..='~')
}

/// Skips a command string, such as a title or a link, up to BEL or `ESC \`.
///
/// An unterminated one is shown instead of hiding the rest of the line.
fn after_command_string(rest: &str) -> &str {
    let Some(end) = rest.find([BELL, char::from(ESCAPE)]) else { return rest };
    let after = &rest[end + 1..];
    after.strip_prefix('\\').unwrap_or(after)
}

fn skip_one(rest: &str, range: std::ops::RangeInclusive<char>) -> &str {
    rest.strip_prefix(|c| range.contains(&c)).unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: &str, expect: &str) {
        assert_eq!(strip(raw.as_bytes()), expect, "{raw:?}");
    }

    #[test]
    fn removes_colors_and_cursor_movement() {
        check("\u{1b}[1;31mERROR\u{1b}[m x\u{1b}[K", "ERROR x");
        check("\u{1b}[?25l\u{1b}[38;5;9mred\u{1b}[0m", "red");
        check("old\u{1b}[2K\u{1b}[1Gnew", "new");
        check("cut off \u{1b}[1;3", "cut off ");
        check("\u{1b}", "");
    }

    #[test]
    fn removes_titles_links_and_charset_switches() {
        check("\u{1b}]0;title\u{7}text", "text");
        check("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link");
        check("\u{1b}(B\u{1b}=text\u{1b}#8", "text");
        check("\u{1b}]unended text", "unended text");
    }

    #[test]
    fn removes_other_controls_and_keeps_tabs() {
        check("N\u{8}NA\u{8}A\tok\u{7}\u{0}\u{7f}", "NA\tok");
        check("\u{8}\u{8}ä\u{8}", "");
        assert_eq!(strip(b"caf\xe9 \x1b[1mau lait"), "caf\u{fffd} au lait");
    }
}
