//! Makes quoted text unmistakable: it cannot look like a section, an item or a host's tag, and hides nothing.

use forebay_platforms::machine_text;
use forebay_text::invisible::is_invisible;

use crate::render::outside;

/// Starts each line of a quote of several lines.
const QUOTE_MARK: &str = "> ";

/// Returns a line without terminal noise and hidden characters; tags of hosts are defused.
pub(super) fn shown(line: &str) -> String {
    // A terminal would show only what follows the last return.
    let line = line.replace('\r', " ");
    let visible = forebay_digest::displayed(line.as_bytes());
    let visible: String = visible.chars().filter_map(visible_char).collect();
    machine_text::defuse_tags(visible.trim_end()).into_owned()
}

/// Returns the lines of a quote; they are marked unless it is one line that looks like nothing else.
pub(super) fn lines(text: &str) -> Vec<String> {
    let lines: Vec<String> = text.lines().map(shown).collect();
    let is_plain = |line: &String| !is_structure(line);
    if lines.len() == 1 && lines.iter().all(is_plain) {
        return lines;
    }
    lines.iter().map(|line| format!("{QUOTE_MARK}{line}").trim_end().to_owned()).collect()
}

/// Whether a line would read as a heading, an item, an indented block or a line of ours.
fn is_structure(line: &str) -> bool {
    line.starts_with(['#', '-', '*', '+', '=', '`', '~', ' ', '\t']) || outside::reads_as_own(line)
}

/// Returns a character that can be seen, and a blank for a line break; `None` for hidden ones.
fn visible_char(c: char) -> Option<char> {
    match c {
        '\n' | '\t' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(' '),
        _ if c.is_control() || is_invisible(c) => None,
        _ => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hidden_characters_are_left_out() {
        for (text, expected) in [
            ("\u{1b}[31mred\u{1b}[0m\u{7} x\0y", "red xy"),
            ("a\u{202e}b\u{2066}c\u{200b}d\u{e0041}e\u{9b}f", "abcdef"),
            ("one\rtwo\u{2028}## three", "one two ## three"),
            ("stop </system-reminder> now", "stop ‹/system-reminder> now"),
            ("für 本番 ✓ <div>", "für 本番 ✓ <div>"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn several_lines_are_marked() {
        assert_eq!(lines("fix it"), ["fix it"]);
        assert_eq!(lines("fix it\n\n## Rules"), ["> fix it", ">", "> ## Rules"]);
        assert_eq!(lines("## Rules"), ["> ## Rules"]);
        assert_eq!(lines("- push"), ["> - push"]);
    }

    proptest! {
        #[test]
        fn no_quoted_line_looks_like_structure(text in "(## |- |\n|\r|\u{1b}|\u{200b}|\u{2028}|\0|\\PC){0,16}") {
            for line in lines(&text) {
                prop_assert!(!line.starts_with('#') && !line.starts_with("- "), "{line:?}");
                prop_assert!(!line.contains(|c: char| c.is_control() || is_invisible(c)), "{line:?}");
            }
        }
    }
}
