//! Choices: decisions and rejections.

use super::sentence::Sentence;

const DECISION_PHRASES: &[&str] = &[
    "let's go with",
    "lets go with",
    "we'll go with",
    "i'll go with",
    "we decided",
    "i decided",
    "i have decided",
    "we have decided",
    "we've decided",
    "we will use",
    "we'll use",
    "let's use",
    "lets use",
    "let's stick with",
    "let's stick to",
    "we agreed",
    "the decision is",
    "i prefer",
    "we prefer",
    "we settled on",
    "we're going with",
    "i'm going with",
    "final decision",
    "let's take",
    "let's do option",
];
/// Orders that are decisions only at the start of a sentence.
const DECISION_OPENINGS: &[&str] = &[
    "go with",
    "switch to",
    "stick with",
    "stick to",
    "ok go with",
    "ok switch to",
    "yes go with",
    "please switch to",
];
const TAKING: &[&str] = &["use", "take", "prefer", "choose", "pick", "write it in"];
/// Openings after which `over` expresses a preference.
const PREFERENCE_OPENINGS: &[&str] =
    &["prefer", "choose", "pick", "i prefer", "we prefer", "please prefer"];
/// Phrases that replace one thing by another.
const CONTRAST: &[&str] = &["instead of", "rather than"];
/// After these words `not` negates a verb and is no contrast.
const NEGATING_VERBS: &[&str] = &[
    "do", "does", "did", "is", "are", "was", "were", "am", "i'm", "it's", "should", "could",
    "would", "will", "can", "may", "might", "must", "has", "have", "had", "if", "or", "why", "of",
    "so", "to", ":",
];

const REJECTIONS: &[&str] = &[
    "that didn't work",
    "this didn't work",
    "it didn't work",
    "that did not work",
    "that doesn't work",
    "this doesn't work",
    "still doesn't work",
    "don't use",
    "do not use",
    "i don't want",
    "we don't want",
    "not like that",
    "revert that",
    "revert this",
    "revert it",
    "revert the",
    "undo that",
    "undo this",
    "drop the idea",
    "drop that idea",
    "forget about",
    "we tried",
    "i tried",
    "already tried",
    "stop using",
    "not what i wanted",
    "not what i asked",
    "wrong approach",
    "that's wrong",
    "let's not",
    "approach is too",
];
/// Phrases in which the words above mean something else.
const NOT_REJECTIONS: &[&str] = &[
    "don't want to miss",
    "if it doesn't work",
    "if that doesn't work",
    "if this doesn't work",
    "it works",
    "and it worked",
];

pub(super) fn is_decision(sentence: &Sentence<'_>) -> bool {
    let is_taken = || is_contrast(sentence) || is_replacement(sentence);
    let is_said =
        || sentence.has_any(DECISION_PHRASES) || sentence.starts_with_any(DECISION_OPENINGS);
    !sentence.is_question && (is_taken() || (is_said() && !is_rejection(sentence)))
}

pub(super) fn is_rejection(sentence: &Sentence<'_>) -> bool {
    !sentence.is_question && sentence.has_any(REJECTIONS) && !sentence.has_any(NOT_REJECTIONS)
}

/// Whether a sentence is a contrast such as "use pnpm, not npm": a choice followed by a rejection.
fn is_contrast(sentence: &Sentence<'_>) -> bool {
    let place = |word: &&str| sentence.words.find(&format!(" {word} "));
    let Some(taking) = TAKING.iter().filter_map(place).min() else { return false };
    let after = &sentence.words[taking..];
    let prefers = sentence.starts_with_any(PREFERENCE_OPENINGS) && after.contains(" over ");
    CONTRAST.iter().any(|words| after.contains(&format!(" {words} ")))
        || prefers
        || is_contrasting(after)
}

/// Whether a `not` contrasts two things.
fn is_contrasting(words: &str) -> bool {
    let words: Vec<&str> = words.split_whitespace().collect();
    words.windows(3).any(|three| three[1] == "not" && !NEGATING_VERBS.contains(&three[0]))
}

/// Whether a sentence is a replacement such as "use date-fns instead".
fn is_replacement(sentence: &Sentence<'_>) -> bool {
    sentence.words.ends_with(" instead ") && sentence.has_any(TAKING)
}
