//! A lexer for rules: removes comments, literals and test modules from Rust code, and lists identifiers.

/// Replaces comments, strings and character literals by spaces; keeps line breaks.
pub(super) fn without_comments_and_literals(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = at + skipped_length(&bytes[at..], at.checked_sub(1).map(|before| bytes[before]));
        blank(&mut code[at..end]);
        at = end.max(at + 1);
    }
    // Only whole characters were replaced: comments and literals begin and end with ASCII.
    String::from_utf8_lossy(&code).into_owned()
}

/// Returns the length of the comment or literal that `rest` starts with; 0 for code.
fn skipped_length(rest: &[u8], before: Option<u8>) -> usize {
    let is_word = before.is_some_and(is_identifier_byte);
    match rest {
        [b'/', b'/', ..] => line_length(rest),
        [b'/', b'*', ..] => block_comment_length(rest),
        [b'"', ..] => string_length(rest),
        [b'r', b'"' | b'#', ..] if !is_word => raw_string_length(rest, 1),
        [b'b' | b'c', b'r', b'"' | b'#', ..] if !is_word => raw_string_length(rest, 2),
        [b'\'', ..] => char_length(rest),
        _ => 0,
    }
}

fn line_length(rest: &[u8]) -> usize {
    rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
}

/// Block comments nest.
fn block_comment_length(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn string_length(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Returns 0 for a raw identifier such as `r#type`.
fn raw_string_length(rest: &[u8], prefix: usize) -> usize {
    let hashes = rest[prefix..].iter().take_while(|byte| **byte == b'#').count();
    let start = prefix + hashes + 1;
    if rest.get(start - 1) != Some(&b'"') {
        return 0;
    }
    let end = [b"\"".as_slice(), &vec![b'#'; hashes]].concat();
    let length = rest[start..].windows(end.len()).position(|window| window == end);
    length.map_or(rest.len(), |length| start + length + end.len())
}

/// Returns 0 for a lifetime.
fn char_length(rest: &[u8]) -> usize {
    if rest.get(1) == Some(&b'\\') {
        let end = rest.iter().skip(3).position(|byte| *byte == b'\'');
        return end.map_or(0, |end| end + 4);
    }
    let text = std::str::from_utf8(&rest[1..rest.len().min(6)]);
    let valid = text.unwrap_or_else(|error| {
        std::str::from_utf8(&rest[1..=error.valid_up_to()]).unwrap_or_default()
    });
    let length = valid.chars().next().map_or(1, char::len_utf8);
    if rest.get(1 + length) == Some(&b'\'') { length + 2 } else { 0 }
}

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// Replaces items marked `#[cfg(test)]` by spaces in code without comments and literals.
pub(super) fn without_test_items(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut bytes = code.as_bytes().to_vec();
    for (start, _) in code.match_indices(MARK) {
        let end = start + item_length(&code[start..]);
        blank(&mut bytes[start..end]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the length up to the item's `;` or closing brace, attributes included.
fn item_length(rest: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && byte == b'}' {
                    return at + 1;
                }
            }
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Lists identifiers and keywords with their line numbers.
pub(super) fn identifiers(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.lines().enumerate().flat_map(|(index, line)| {
        line.split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
            .map(move |word| (index + 1, word))
    })
}

fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let code = without_comments_and_literals(text);
        let words: Vec<&str> = identifiers(&code).map(|(_, word)| word).collect();
        assert_eq!(words, expected, "{code}");
        assert_eq!(code.lines().count(), text.lines().count());
    }

    #[test]
    fn comments_are_removed() {
        check("a // b\nc /* d /* e */ f */ g", &["a", "c", "g"]);
    }

    #[test]
    fn literals_are_removed() {
        check(r#"a("b \" c", b"d", 'e', '\'', '\u{1F600}', 'ü')"#, &["a", "b"]);
        check("r#\"a \" b\"# c br\"d\" r#type", &["c", "r", "type"]);
        check("\"über\" x", &["x"]);
    }

    #[test]
    fn lifetimes_are_code() {
        check("fn a<'b>(c: &'b str) -> char { 'd' }", &["fn", "a", "b", "c", "b", "str", "char"]);
    }

    #[test]
    fn test_items_are_removed() {
        let code =
            "use a;\n#[cfg(test)]\nuse b;\n#[cfg(test)]\nmod c {\n fn d() { [e]; }\n}\nfn f() {}";
        let kept = without_test_items(code);
        let words: Vec<&str> = identifiers(&kept).map(|(_, word)| word).collect();
        assert_eq!(words, ["use", "a", "fn", "f"]);
    }
}
