//! Splits what was said into sentences, in any language.

use super::paste;

/// Sentences of one text; later ones are ignored.
const MAX_SENTENCES: usize = 200;

/// Returns the sentences of a text, without what was pasted.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| !paste::is_pasted(line))
        .flat_map(split)
        .map(str::trim)
        .filter(|sentence| sentence.chars().any(char::is_alphanumeric))
        .take(MAX_SENTENCES)
        .collect()
}

/// Splits a line after each end of a sentence; a point within a name, a number or a list's number is none.
fn split(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let ends = match c {
            '。' | '！' | '？' | '；' => {
                next.is_none_or(|next| !matches!(next, '」' | '』' | '）' | '”'))
            }
            '!' | '?' => next.is_none_or(char::is_whitespace),
            '.' => next.is_none_or(char::is_whitespace) && !is_list_number(&line[start..at]),
            _ => false,
        };
        if ends {
            let end = at + c.len_utf8();
            found.push(&line[start..end]);
            start = end;
        }
    }
    found.push(&line[start..]);
    found
}

fn is_list_number(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && text.len() <= 3
        && text.chars().all(|c| c.is_ascii_alphanumeric())
        && text.chars().any(|c| c.is_ascii_digit())
}

/// Whether a sentence asks something.
pub(super) fn is_question(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(['"', '\'', ')', '”', '」', ' ', '。']);
    end.ends_with(['?', '？'])
        || end.ends_with("ですか")
        || end.ends_with("ますか")
        || end.ends_with('吗')
}

/// Joins the best sentences of a text within `bytes`, in their order; gaps are marked.
pub(super) fn digest(
    sentences: &[&str],
    bytes: usize,
    score: impl Fn(usize, &str) -> i32,
) -> String {
    digest_shown(sentences, |at| sentences[at].to_owned(), bytes, score)
}

/// Joins the best sentences as `shown` gives them: what it adds needs no room, so that no remark displaces words.
pub(super) fn digest_shown(
    sentences: &[&str],
    shown: impl Fn(usize) -> String,
    bytes: usize,
    score: impl Fn(usize, &str) -> i32,
) -> String {
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    order.sort_by_cached_key(|&at| std::cmp::Reverse(score(at, sentences[at])));
    let (mut chosen, mut left) = (vec![false; sentences.len()], bytes);
    for at in order {
        // A blank, and possibly a mark of a gap.
        let need = sentences[at].len() + 5;
        if need <= left {
            left -= need;
            chosen[at] = true;
        }
    }
    if !chosen.contains(&true) {
        return sentences.first().map_or_else(String::new, |first| cut(first, bytes));
    }
    let mut text = String::new();
    for at in (0..sentences.len()).filter(|at| chosen[*at]) {
        let has_gap = at > 0 && !chosen[at - 1];
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(if has_gap { "… " } else { "" });
        text.push_str(&shown(at));
    }
    if chosen.last() == Some(&false) {
        text.push_str(" …");
    }
    text
}

/// Cuts a text to `bytes`, showing the cut.
pub(super) fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let head = forebay_text::cut::prefix(text, bytes.saturating_sub('…'.len_utf8()));
    format!("{}…", head.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_sentences_of_any_language() {
        assert_eq!(
            sentences("Use v1.2 of a.rs. Then stop!\n1. first one\n夜間に。触らないで。 ok?"),
            ["Use v1.2 of a.rs.", "Then stop!", "1. first one", "夜間に。", "触らないで。", "ok?"]
        );
        assert!(is_question("warum (so)?") && is_question("できますか。") && !is_question("ok."));
        assert_eq!(sentences("read this\n| never restart\nthanks"), ["read this", "thanks"]);
    }

    #[test]
    fn a_digest_keeps_the_best_sentences_in_order() {
        let all = ["One is here.", "Two is 2.", "Three is there.", "Four."];
        let score = |_: usize, text: &str| i32::from(text.contains(['2', 'F']));
        assert_eq!(digest(&all, 28, score), "… Two is 2. … Four.");
        assert_eq!(digest(&all, 400, score), all.join(" "));
        assert_eq!(digest(&all, 8, score), "One i…");
    }
}
