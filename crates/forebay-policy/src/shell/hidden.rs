//! Characters that a reader of the command does not see.

/// Says what is hidden in a text, if anything is.
pub fn found_in(text: &str) -> Option<&'static str> {
    if text.chars().any(is_control) {
        return Some("it holds control characters, so what is shown is not what would run");
    }
    text.chars().any(is_invisible).then_some("it holds characters that cannot be seen")
}

fn is_control(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\t')
}

/// Zero-width and direction marks, blanks that are no blanks to a shell, tags, non-characters.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{1680}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}' | '\u{2000}'..='\u{200f}'
        | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{3000}' | '\u{3164}'
        // U+FE0F only asks for a coloured emoji, and stands in many commit messages.
        | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' | '\u{10fffd}'..='\u{10ffff}')
}
