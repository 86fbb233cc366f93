//! ANSI-C quoting: `$'...'`.

use std::iter::Peekable;
use std::str::Chars;

/// Resolves the escapes of `$'...'`; like the shell, stops at a NUL.
pub(crate) fn unescape(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw.chars().peekable();
    while let Some(character) = rest.next() {
        let meant = if character == '\\' { escape(&mut rest, &mut text) } else { Some(character) };
        match meant {
            Some('\0') => break,
            Some(meant) => text.push(meant),
            None => {}
        }
    }
    text
}

fn escape(rest: &mut Peekable<Chars<'_>>, text: &mut String) -> Option<char> {
    let kind = rest.next().unwrap_or('\\');
    Some(match kind {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'e' | 'E' => '\u{1b}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        'x' => return number(rest, "", 16, 2),
        'u' => return number(rest, "", 16, 4),
        'U' => return number(rest, "", 16, 8),
        'c' => char::from_u32(rest.next().map_or(0, u32::from) & 0x1f)?,
        '0'..='7' => return number(rest, &kind.to_string(), 8, 3),
        '\\' | '\'' | '"' | '?' => kind,
        other => {
            text.push('\\');
            other
        }
    })
}

/// Parses up to `max` digits; an invalid code point becomes the replacement character.
fn number(rest: &mut Peekable<Chars<'_>>, first: &str, radix: u32, max: usize) -> Option<char> {
    let mut digits = first.to_owned();
    while digits.len() < max && rest.peek().is_some_and(|next| next.is_digit(radix)) {
        digits.extend(rest.next());
    }
    let value = u32::from_str_radix(&digits, radix).ok()?;
    let value = if radix == 8 { value & 0xff } else { value };
    Some(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER))
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn resolves_what_bash_resolves() {
        assert_eq!(unescape(r"\x73udo"), "sudo");
        assert_eq!(unescape(r"\163\165do"), "sudo");
        assert_eq!(unescape(r"\u0073udo"), "sudo");
        assert_eq!(unescape(r"\U00000073udo"), "sudo");
        assert_eq!(unescape(r"a\tb\\\'"), "a\tb\\'");
        assert_eq!(unescape(r"sudo\0rest"), "sudo");
        assert_eq!(unescape(r"\q"), r"\q");
    }
}
