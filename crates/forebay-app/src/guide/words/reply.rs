//! Short replies: which part of the model's answer they refer to.

use super::cues::Hints;
use super::sentence::{cut, is_question, sentences};
use super::terms::is_unspaced;

/// Longer prompts speak for themselves.
const MAX_SHORT_CHARS: usize = 34;
const MAX_SHORT_CHARS_UNSPACED: usize = 16;
const MAX_SHORT_WORDS: usize = 6;

/// Words for the options of a list, by position.
const ORDINALS: &[&[&str]] = &[
    &[
        "1", "a", "one", "first", "eins", "erste", "ersten", "uno", "primera", "primero", "一",
        "第一", "甲",
    ],
    &[
        "2", "b", "two", "second", "zwei", "zweite", "zweiten", "dos", "segunda", "segundo", "二",
        "第二", "乙",
    ],
    &[
        "3", "c", "three", "third", "drei", "dritte", "dritten", "tres", "tercera", "tercero",
        "三", "第三", "丙",
    ],
    &[
        "4", "d", "four", "fourth", "vier", "vierte", "vierten", "cuatro", "cuarta", "cuarto",
        "四", "第四", "丁",
    ],
    &["5", "e", "five", "fifth", "fünf", "fünfte", "cinco", "quinta", "quinto", "五", "第五", "戊"],
    &["6", "f", "six", "sixth"],
];

/// Whether a prompt is too short to be understood without what it answers.
pub(super) fn is_short(prompt: &str) -> bool {
    let text = prompt.trim();
    let chars = text.chars().count();
    let most = if text.contains(is_unspaced) { MAX_SHORT_CHARS_UNSPACED } else { MAX_SHORT_CHARS };
    chars <= most
        && chars > 0
        && text.split_whitespace().count() <= MAX_SHORT_WORDS
        && !text.contains('\n')
        && !is_question(text)
}

/// Whether a prompt starts by turning something down.
pub(super) fn rejects(prompt: &str) -> bool {
    sentences(prompt).first().is_some_and(|first| {
        let start: String = first.chars().take(24).collect();
        Hints::new(&start).is_contrast() && !is_question(first)
    })
}

/// Whether an answer leaves something to decide.
pub(super) fn is_proposal(answer: &str) -> bool {
    let all = sentences(answer);
    let end = &all[all.len().saturating_sub(3)..];
    end.iter().any(|text| is_question(text) || Hints::new(text).is_proposal())
}

/// Whether a short prompt names an option by its number or letter.
pub(super) fn names_option(prompt: &str) -> bool {
    is_short(prompt) && named_position(prompt).is_some()
}

/// Returns the option of an answer that a reply names.
pub(super) fn chosen_option(reply: &str, answer: &str) -> Option<String> {
    if !is_short(reply) {
        return None;
    }
    let named = named_position(reply)?;
    let styles = ORDINALS.iter().map(|labels| labels.len()).max().unwrap_or_default();
    (0..styles).find_map(|style| option(answer, named, style)).map(|text| text.trim().to_owned())
}

/// Returns the position that a reply names, from 0.
fn named_position(reply: &str) -> Option<usize> {
    let lower = reply.to_lowercase();
    let spaced: String = lower
        .chars()
        .map(|c| if c.is_alphanumeric() && !is_unspaced(c) { c } else { ' ' })
        .collect();
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    // An article looks like the option A, so a letter counts alone or at the end.
    let is_label = |label: &str| {
        let is_letter = label.chars().all(|c| c.is_ascii_lowercase()) && label.len() == 1;
        match label {
            _ if label.starts_with(is_unspaced) => {
                lower.contains(&format!("第{label}")) || lower.trim() == label
            }
            _ if is_letter => {
                tokens.last() == Some(&label) || tokens.first() == Some(&label) && tokens.len() <= 2
            }
            _ => tokens.contains(&label),
        }
    };
    // The last one: in "the second one", "one" is no number.
    ORDINALS.iter().rposition(|labels| labels.iter().any(|label| is_label(label)))
}

/// Words that stand between two options of a list.
const LIST_WORDS: &[&str] =
    &["Option", "option", "Variante", "Opción", "Plan", "or", "oder", "o", "und", "and", "y"];

/// Returns the text of an option whose list is labelled in one style: numbers, letters or words.
fn option(answer: &str, position: usize, style: usize) -> Option<String> {
    let label =
        |position: usize| ORDINALS.get(position).and_then(|labels| labels.get(style)).copied();
    let start = find_label(answer, label(position)?, 0)?;
    // A single label is no list.
    let other = if position == 0 { 1 } else { position - 1 };
    find_label(answer, label(other)?, 0)?;
    let rest = &answer[start..];
    let next = label(position + 1).and_then(|next| find_label(rest, next, 1));
    let end = next.unwrap_or_else(|| end_of_option(rest));
    let text = rest[..end].trim_end_matches(|c: char| c.is_whitespace() || "(,;-*#•、".contains(c));
    let text = LIST_WORDS.iter().fold(text, |text, word| {
        text.strip_suffix(word)
            .filter(|rest| rest.ends_with([' ', ',']))
            .map_or(text, str::trim_end)
    });
    Some(text.trim_end_matches([',', ';']).to_owned())
}

/// Returns where an option ends that none follows: with its line, or its sentence.
fn end_of_option(text: &str) -> usize {
    let line = text.find('\n').unwrap_or(text.len());
    let sentence = sentences(&text[..line]).first().map_or(line, |first| {
        let start = text.find(first).unwrap_or_default();
        start + first.len()
    });
    sentence.min(line)
}

/// Returns the place of a label at or after `from`: `2)`, `(2)`, `2.`, `2:`, `option two`, `案2:`.
fn find_label(text: &str, label: &str, from: usize) -> Option<usize> {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    let is_start = |at: usize| {
        let before = lower[..at].chars().next_back();
        let after = &lower[at + label.len()..];
        let is_free = before.is_none_or(|c| {
            !c.is_alphanumeric() || is_unspaced(c) && !label.starts_with(is_unspaced)
        });
        let named = lower[..at].trim_end();
        let is_named =
            ["option", "variante", "variant", "opción", "plan", "möglichkeit", "weg", "choice"]
                .iter()
                .any(|word| named.ends_with(word));
        let mut next = after.chars();
        let closes = matches!(next.next(), Some(')' | ':' | '：' | '、' | '）'))
            || after.starts_with(". ")
            || after.starts_with(" -")
            || after.starts_with(" –")
            || is_named && !after.starts_with(|c: char| c.is_alphanumeric());
        is_free && closes
    };
    lower.match_indices(label).map(|(at, _)| at).find(|at| *at >= from && is_start(*at))
}

/// Returns the last sentences of an answer within `bytes`.
pub(super) fn end_of(answer: &str, bytes: usize) -> String {
    let condensed = super::condense(answer);
    let all = sentences(&condensed);
    let mut left = bytes;
    let mut start = all.len();
    for (at, text) in all.iter().enumerate().rev() {
        match left.checked_sub(text.len() + 1) {
            Some(rest) => (left, start) = (rest, at),
            None => break,
        }
    }
    match all.last() {
        Some(last) if start == all.len() => cut(last, bytes),
        _ => all[start..].join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_names_an_option() {
        for (reply, answer, option) in [
            (
                "2",
                "I can (1) switch to Decimal or (2) quantize at the end. Which one?",
                "2) quantize at the end.",
            ),
            (
                "mach A",
                "Zwei Wege: A) eine Tabelle mit Schlüssel, B) Redis. Ich würde A nehmen.",
                "A) eine Tabelle mit Schlüssel",
            ),
            ("the second one", "1. Postgres\n2. SQLite\n3. files", "2. SQLite"),
            (
                "案2でお願いします",
                "案1: 先読みする。案2: 一括集計する。案2のほうが速いです。",
                "2: 一括集計する。",
            ),
            ("option one", "Option one: a queue. Option two: a token.", "one: a queue."),
        ] {
            assert_eq!(chosen_option(reply, answer).as_deref(), Some(option), "{reply}");
        }
        assert_eq!(chosen_option("yes", "1. a\n2. b"), None);
        assert_eq!(chosen_option("2", "It took 2: nothing else."), None);
    }

    #[test]
    fn only_short_words_need_what_they_answer() {
        assert!(
            is_short("yes") && is_short("sounds right, do it") && is_short("案2でお願いします")
        );
        assert!(
            !is_short("why?")
                && !is_short("fix it with the two-parameter closure, and leave the watch")
        );
        assert!(
            is_proposal("I suggest jitter, capped at 90 s.")
                && is_proposal("Soll ich?")
                && !is_proposal("Done.")
        );
        assert_eq!(end_of("One. Two is long. Three?", 12), "Three?");
    }
}
