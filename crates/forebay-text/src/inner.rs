//! Words that stand inside others, as people ask for them.
//!
//! `parseHTTPResponse` is asked for as "http response", a word of a language without blanks by any two of
//! its characters, an emoji by itself. The index takes these words beside those that stand in the text.

use std::collections::HashSet;

use super::runs;

/// The inner words of a text, each compound once, ready to be indexed after it.
pub fn of_text(text: &str) -> String {
    let mut inner = String::new();
    let mut seen = HashSet::new();
    each_run(text, |run| {
        if (is_compound(run) || !run.is_ascii()) && seen.insert(run) {
            for word in of_run(run) {
                inner.push_str(&word);
                inner.push(' ');
            }
        }
    });
    inner
}

/// The words to ask the index for in place of one run of a question: the run itself and its parts, or what
/// stands for it where the index has no such word.
pub fn asked(run: &str) -> Vec<String> {
    if run.chars().any(is_emoji) || run.chars().any(is_unspaced) {
        return asked_unspaced(run);
    }
    let mut words = vec![run.to_lowercase()];
    words.extend(of_run(run));
    words
}

/// Runs of letters and digits, and of emoji, in order.
pub fn runs(text: &str) -> Vec<&str> {
    let mut runs = Vec::new();
    each_run(text, |run| runs.push(run));
    runs
}

/// Whether people write this script without blanks between words.
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

pub fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{2b50}' | '\u{2b55}' | '\u{1f000}'..='\u{1faff}')
}

/// Hands them out, in order.
pub fn each_run<'a>(text: &'a str, mut take: impl FnMut(&'a str)) {
    each_place(text, |start, end| take(&text[start..end]));
}

/// Hands out where they begin and end.
pub fn each_place(text: &str, mut take: impl FnMut(usize, usize)) {
    let belongs = |c: char| c.is_alphanumeric() || is_emoji(c);
    runs::each(text, belongs, |start, end| {
        take(start, end);
        true
    });
}

/// Whether a run is written as several words: `camelCase`, `HTTPServer`.
fn is_compound(run: &str) -> bool {
    let bytes = run.as_bytes();
    let has_inner_capital = bytes.iter().skip(1).any(u8::is_ascii_uppercase);
    let changes = |pair: &[u8]| !pair[0].is_ascii_uppercase() && pair[1].is_ascii_uppercase();
    has_inner_capital && (bytes.windows(2).any(changes) || bytes.windows(3).any(ends_acronym))
}

/// `PRe`: the acronym ends before the last but one letter.
fn ends_acronym(three: &[u8]) -> bool {
    three[0].is_ascii_uppercase() && three[1].is_ascii_uppercase() && three[2].is_ascii_lowercase()
}

/// The words that stand inside one run; none where it is a plain word.
pub fn of_run(run: &str) -> Vec<String> {
    if run.is_ascii() { camel_parts(run) } else { unspaced_parts(run) }
}

fn camel_parts(run: &str) -> Vec<String> {
    if !is_compound(run) {
        return Vec::new();
    }
    let bytes = run.as_bytes();
    let (mut parts, mut start) = (Vec::new(), 0);
    for at in 1..=bytes.len() {
        let is_cut = bytes.get(at).is_none_or(|byte| {
            let begins_word = byte.is_ascii_uppercase() && !bytes[at - 1].is_ascii_uppercase();
            begins_word || bytes.get(at - 1..at + 2).is_some_and(ends_acronym)
        });
        if is_cut {
            // One letter is no word.
            parts.extend((at - start > 1).then(|| run[start..at].to_ascii_lowercase()));
            start = at;
        }
    }
    parts
}

/// Single characters and pairs of an unspaced script, and emoji by name.
fn unspaced_parts(run: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut before: Option<char> = None;
    for c in run.chars() {
        if is_emoji(c) {
            parts.push(emoji_word(c));
        } else if is_unspaced(c) {
            parts.push(c.to_string());
            parts.extend(before.map(|before| format!("{before}{c}")));
        }
        before = Some(c).filter(|c| is_unspaced(*c));
    }
    parts
}

/// Pairs where there are two characters, else the one; plain words beside them as they are.
fn asked_unspaced(run: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut stretch = String::new();
    let mut plain = String::new();
    for c in run.chars().chain([' ']) {
        if is_unspaced(c) {
            stretch.push(c);
        } else {
            words.extend(pairs(&std::mem::take(&mut stretch)));
        }
        if is_emoji(c) {
            words.push(emoji_word(c));
        }
        if c.is_alphanumeric() && !is_unspaced(c) && !is_emoji(c) {
            plain.extend(c.to_lowercase());
        } else if !plain.is_empty() {
            words.push(std::mem::take(&mut plain));
        }
    }
    words
}

fn pairs(stretch: &str) -> Vec<String> {
    let characters: Vec<char> = stretch.chars().collect();
    match characters.len() {
        0 => Vec::new(),
        1 => vec![stretch.to_owned()],
        _ => characters.windows(2).map(|pair| pair.iter().collect()).collect(),
    }
}

/// Tokenizers drop emoji, so each has a word of its own.
fn emoji_word(c: char) -> String {
    format!("emoji{:x}", u32::from(c))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(of_text(text).trim_end(), expect);
    }

    #[test]
    fn compounds_are_found_by_their_parts() {
        check("call parseHTTPResponse(x)", "parse http response");
        check("HTMLParser and sha256Sum, sha256Sum", "html parser sha256 sum");
        check("snake_case kebab-case path/to/file.rs PLAIN Words v2", "");
        check("aB", "");
        check("配置文件", "配 置 配置 文 置文 件 文件");
        check("done 🦀!", "emoji1f980");
    }

    #[test]
    fn a_question_asks_for_the_whole_and_its_parts() {
        assert_eq!(asked("parseHTTP"), ["parsehttp", "parse", "http"]);
        assert_eq!(asked("Words"), ["words"]);
        assert_eq!(asked("日本語"), ["日本", "本語"]);
        assert_eq!(asked("日"), ["日"]);
        assert_eq!(asked("🦀rust日本"), ["emoji1f980", "rust", "日本"]);
    }

    proptest! {
        #[test]
        fn what_is_asked_stands_in_the_text_or_beside_it(text in "[a-zA-Z0-9 ._日本🦀ä-]{0,40}") {
            let known: HashSet<String> = super::super::words::words(&text)
                .chain(of_text(&text).split(' ').map(str::to_owned)).collect();
            for run in runs(&text) {
                for word in asked(run) {
                    let plain = word.chars().all(|c| !is_unspaced(c) && !is_emoji(c));
                    let mixed = run.chars().any(|c| is_unspaced(c) || is_emoji(c));
                    prop_assert!(known.contains(&word) || plain && mixed, "{word} of {run}");
                }
            }
        }

        #[test]
        fn any_text_has_inner_words(text in any::<String>()) {
            let _ = of_text(&text);
        }
    }
}
