//! Subwords: index terms beyond the words as written.
//!
//! `parseHTTPResponse` is searched as "http response", text in scripts without spaces by character bigrams, an emoji by
//! itself. The index stores these terms beside the words of the text.

use std::collections::HashSet;

use super::tokenize;

/// The subwords of a text, each compound once, space-separated, ready to be indexed after it.
pub fn subwords(text: &str) -> String {
    let mut inner = String::new();
    let mut seen = HashSet::new();
    each_run(text, |run| {
        if (is_compound(run) || !run.is_ascii()) && seen.insert(run) {
            for word in subwords_of_run(run) {
                inner.push_str(&word);
                inner.push(' ');
            }
        }
    });
    inner
}

/// The terms to look up for one run of a query: the run and its parts, or bigrams where the script has no spaces.
pub fn query_terms(run: &str) -> Vec<String> {
    if run.chars().any(is_emoji) || run.chars().any(is_unspaced) {
        return query_terms_unspaced(run);
    }
    let mut words = vec![run.to_lowercase()];
    words.extend(subwords_of_run(run));
    words
}

/// Runs of letters, digits and emoji, in order.
pub fn runs(text: &str) -> Vec<&str> {
    let mut runs = Vec::new();
    each_run(text, |run| runs.push(run));
    runs
}

/// Whether this script is written without spaces between words.
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

pub fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{2b50}' | '\u{2b55}' | '\u{1f000}'..='\u{1faff}')
}

/// Calls `visit` with each run, in order.
pub fn each_run<'a>(text: &'a str, mut visit: impl FnMut(&'a str)) {
    each_run_range(text, |start, end| visit(&text[start..end]));
}

/// Calls `visit` with the byte range of each run.
pub fn each_run_range(text: &str, mut visit: impl FnMut(usize, usize)) {
    let belongs = |c: char| c.is_alphanumeric() || is_emoji(c);
    tokenize::each(text, belongs, |start, end| {
        visit(start, end);
        true
    });
}

/// Whether a run consists of several words: `camelCase`, `HTTPServer`.
fn is_compound(run: &str) -> bool {
    let bytes = run.as_bytes();
    let has_inner_capital = bytes.iter().skip(1).any(u8::is_ascii_uppercase);
    let changes = |pair: &[u8]| !pair[0].is_ascii_uppercase() && pair[1].is_ascii_uppercase();
    has_inner_capital && (bytes.windows(2).any(changes) || bytes.windows(3).any(ends_acronym))
}

/// `PRe`: the acronym ends before its second-to-last letter.
fn ends_acronym(three: &[u8]) -> bool {
    three[0].is_ascii_uppercase() && three[1].is_ascii_uppercase() && three[2].is_ascii_lowercase()
}

/// The subwords of one run; none for a plain word.
pub fn subwords_of_run(run: &str) -> Vec<String> {
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
            // A single letter is not a useful term.
            parts.extend((at - start > 1).then(|| run[start..at].to_ascii_lowercase()));
            start = at;
        }
    }
    parts
}

/// Unigrams and bigrams of an unspaced script, and emoji by name.
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

/// Bigrams where there are two characters, else the unigram; plain words unchanged.
fn query_terms_unspaced(run: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut unspaced = String::new();
    let mut plain = String::new();
    for c in run.chars().chain([' ']) {
        if is_unspaced(c) {
            unspaced.push(c);
        } else {
            words.extend(bigrams(&std::mem::take(&mut unspaced)));
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

fn bigrams(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    match characters.len() {
        0 => Vec::new(),
        1 => vec![text.to_owned()],
        _ => characters.windows(2).map(|pair| pair.iter().collect()).collect(),
    }
}

/// Tokenizers drop emoji, so each gets a term of its own.
fn emoji_word(c: char) -> String {
    format!("emoji{:x}", u32::from(c))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(subwords(text).trim_end(), expect);
    }

    #[test]
    fn compounds_yield_their_parts() {
        check("call parseHTTPResponse(x)", "parse http response");
        check("HTMLParser and sha256Sum, sha256Sum", "html parser sha256 sum");
        check("snake_case kebab-case path/to/file.rs PLAIN Words v2", "");
        check("aB", "");
        check("配置文件", "配 置 配置 文 置文 件 文件");
        check("done 🦀!", "emoji1f980");
    }

    #[test]
    fn a_query_looks_up_the_whole_and_its_parts() {
        assert_eq!(query_terms("parseHTTP"), ["parsehttp", "parse", "http"]);
        assert_eq!(query_terms("Words"), ["words"]);
        assert_eq!(query_terms("日本語"), ["日本", "本語"]);
        assert_eq!(query_terms("日"), ["日"]);
        assert_eq!(query_terms("🦀rust日本"), ["emoji1f980", "rust", "日本"]);
    }

    proptest! {
        #[test]
        fn every_query_term_is_indexed(text in "[a-zA-Z0-9 ._日本🦀ä-]{0,40}") {
            let known: HashSet<String> = super::super::words::words(&text)
                .chain(subwords(&text).split(' ').map(str::to_owned)).collect();
            for run in runs(&text) {
                for word in query_terms(run) {
                    let plain = word.chars().all(|c| !is_unspaced(c) && !is_emoji(c));
                    let mixed = run.chars().any(|c| is_unspaced(c) || is_emoji(c));
                    prop_assert!(known.contains(&word) || plain && mixed, "{word} of {run}");
                }
            }
        }

        #[test]
        fn accepts_any_text(text in any::<String>()) {
            let _ = subwords(&text);
        }
    }
}
