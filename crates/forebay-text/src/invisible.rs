//! Characters that are not seen but change what is read or shown: terminal controls, direction marks, tags, zero-width
//! characters.
//!
//! Text from outside is shown with them as escapes (`\u{202e}`). A joiner or a variation selector stays where it belongs:
//! within an emoji, or between letters of a script that needs it.

use std::borrow::Cow;

use crate::cut;

const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// Whether a character changes the direction of text or is invisible.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        // Soft hyphen, combining grapheme joiner, Arabic letter mark, Hangul and Khmer fillers, Mongolian separators.
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        // Zero-width characters, direction marks, embeddings, overrides, isolates, invisible operators.
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        // Musical formatting, tags, and the variation selectors that can carry any text.
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether an invisible character stays: it shapes its neighbours and hides nothing.
fn is_in_place(before: Option<char>, c: char, after: Option<char>) -> bool {
    match c {
        '\r' => after == Some('\n'),
        // The standard variation selectors choose between the text and emoji forms, or the form of an ideograph.
        '\u{fe00}'..='\u{fe0f}' => before.is_some_and(has_variants),
        ZERO_WIDTH_JOINER | ZERO_WIDTH_NON_JOINER => {
            let (Some(before), Some(after)) = (before, after) else { return false };
            let joins_emoji = c == ZERO_WIDTH_JOINER
                && (is_pictograph(before) || before == '\u{fe0f}')
                && is_pictograph(after);
            joins_emoji || (needs_joiners(before) && needs_joiners(after))
        }
        _ => false,
    }
}

/// Letters of the scripts in which joiners change the shape of words: Arabic to Khmer, Mongolian.
fn needs_joiners(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{109f}'
        | '\u{1780}'..='\u{18af}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
        && !is_invisible(c)
}

fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}')
        && !is_invisible(c)
}

fn has_variants(c: char) -> bool {
    is_pictograph(c)
        || matches!(c, '0'..='9' | '#' | '*' | '©' | '®' | '‼' | '⁉' | '™' | 'ℹ')
        || matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a character is shown as an escape, unless it is in its place.
fn is_hidden(c: char) -> bool {
    // Controls can move the cursor and rewrite what a terminal shows; separators start a line without a line feed.
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{2028}' | '\u{2029}')
        || is_invisible(c)
}

/// Replaces control and invisible characters by escapes: `\u{202e}`. Line feeds, tabs and CRLF stay.
pub fn escape(text: &str) -> Cow<'_, str> {
    // Almost every text is free of them.
    let is_plain = |byte: u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
    if text.bytes().all(is_plain) || !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    let mut before = None;
    while let Some(c) = chars.next() {
        if is_hidden(c) && !is_in_place(before, c, chars.peek().copied()) {
            clean.extend(c.escape_unicode());
        } else {
            clean.push(c);
        }
        before = Some(c);
    }
    Cow::Owned(clean)
}

/// A name as one line: line ends and other controls are shown as escapes (`\n`).
pub fn escape_name(name: &str) -> Cow<'_, str> {
    if !name.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        return Cow::Borrowed(name);
    }
    let escape =
        |c: char| if c.is_ascii_control() { c.escape_default().to_string() } else { c.to_string() };
    let name: String = name.chars().map(escape).collect();
    Cow::Owned(self::escape(&name).into_owned())
}

/// An answer as it is sent: hidden characters are shown as escapes.
///
/// Escapes are longer than what they show; an answer full of them is cut, because it was written to its budget.
pub fn visible(answer: String) -> String {
    match escape(&answer) {
        Cow::Borrowed(_) => answer,
        Cow::Owned(escaped) => {
            let room = answer.len() + answer.len() / 8 + 64;
            cut::marked(&escaped, room).into_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_full_of_hidden_characters_stays_near_its_size() {
        let answer = "a\u{200b}".repeat(1_000);
        assert!(visible(answer.clone()).len() <= answer.len() + answer.len() / 8 + 64);
        assert_eq!(visible("x\u{202e}y".to_owned()), "x\\u{202e}y");
    }

    #[test]
    fn shows_what_is_not_seen() {
        for (text, shown) in [
            ("user\u{202e}txt.exe", "user\\u{202e}txt.exe"),
            ("a\u{200b}b\u{2066}c", "a\\u{200b}b\\u{2066}c"),
            ("\u{e0068}\u{e0069}", "\\u{e0068}\\u{e0069}"),
            ("pay\u{200d}pal", "pay\\u{200d}pal"),
            ("x\u{fe0f}y\u{e0101}", "x\\u{fe0f}y\\u{e0101}"),
            ("\u{1b}[2J\rx\r\n\u{9b}", "\\u{1b}[2J\\u{d}x\r\n\\u{9b}"),
            ("\u{feff}start", "\\u{feff}start"),
        ] {
            assert_eq!(escape(text), shown);
        }
    }

    #[test]
    fn a_name_is_one_line() {
        assert_eq!(escape_name("a\nhint: b\t\u{2028}.rs"), "a\\nhint: b\\t\\u{2028}.rs");
        assert_eq!(escape_name("Grüße \\n.rs"), "Grüße \\n.rs");
    }

    #[test]
    fn leaves_ordinary_text_alone() {
        for text in [
            "plain ASCII",
            "Grüße, 日本語, العربية",
            // A family, a flag, a heart with a selector, a keycap.
            "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
            "\u{1f3f3}\u{fe0f}\u{200d}\u{1f308}",
            "\u{2764}\u{fe0f} 1\u{fe0f}\u{20e3}",
            // Persian and Hindi words that need a joiner.
            "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
            "\u{915}\u{94d}\u{200d}\u{937}",
        ] {
            assert!(matches!(escape(text), Cow::Borrowed(_)) || escape(text) == text, "{text}");
        }
    }
}
