//! Characters that are invisible to a reader of the command.

/// Describes the invisible characters of a text, if any.
pub fn describe_invisible(text: &str) -> Option<&'static str> {
    if text.chars().any(is_control) {
        return Some("it contains control characters, so the text shown is not what would run");
    }
    text.chars().any(is_invisible).then_some("it contains invisible characters")
}

fn is_control(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\t')
}

/// Zero-width and bidi characters, Unicode spaces, tags, non-characters.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{1680}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}' | '\u{2000}'..='\u{200f}'
        | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{3000}' | '\u{3164}'
        // U+FE0F only selects emoji presentation, and is common in commit messages.
        | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' | '\u{10fffd}'..='\u{10ffff}')
}
