//! Demands: permanent rules, constraints on the current work, and its goal.

use super::sentence::Sentence;

const RULE_OPENINGS: &[&str] = &[
    "always",
    "from now on",
    "never",
    "remember to",
    "please always",
    "make sure to always",
    "don't ever",
    "do not ever",
];
const RULE_WORDS: &[&str] = &["from now on", "as a rule", "in the future always", "every time you"];
/// Openings that only look like rules.
const NOT_RULES: &[&str] = &["never mind", "nevermind", "always a", "always been", "always nice"];

const BOUND_WORDS: &[&str] = &[
    "must",
    "must not",
    "mustn't",
    "has to be",
    "have to be",
    "has to work",
    "has to support",
    "needs to work",
    "needs to support",
    "needs to run on",
    "should stay below",
    "should stay under",
    "has to stay",
    "needs to stay",
    "don't touch",
    "do not touch",
    "don't change",
    "do not change",
    "don't modify",
    "do not modify",
    "don't add",
    "do not add",
    "don't break",
    "do not break",
    "don't commit",
    "do not commit",
    "don't push",
    "do not push",
    "without adding",
    "without changing",
    "without breaking",
    "without using",
    "no new dependencies",
    "at most",
    "no more than",
    "backwards compatible",
    "backward compatible",
    "not allowed",
    "is forbidden",
];
/// Openings that limit the work.
const BOUND_OPENINGS: &[&str] = &[
    "only change",
    "only touch",
    "only edit",
    "only modify",
    "only use",
    "please only",
    "just change only",
];
const NOT_BOUNDS: &[&str] = &[
    "must say",
    "must admit",
    "must have been",
    "must be a",
    "must be because",
    "must be something",
    "must be the",
    "you must be",
];

const GOAL_WORDS: &[&str] = &[
    "the goal is",
    "our goal is",
    "my goal is",
    "goal is to",
    "the aim is",
    "the idea is to",
    "the objective is",
    "i want to",
    "i'd like to",
    "we want to",
    "we need to",
    "i need to",
    "i want you to",
    "what i want is",
    "the point is to",
    "we're trying to",
    "i'm trying to",
    "goal :",
    "i would like to",
];
const NOT_GOALS: &[&str] = &["i want to thank", "i want to say", "do we need to", "i want to know"];

pub(super) fn is_rule(sentence: &Sentence<'_>) -> bool {
    !sentence.is_question
        && (sentence.starts_with_any(RULE_OPENINGS) || sentence.has_any(RULE_WORDS))
        && !sentence.starts_with_any(NOT_RULES)
}

pub(super) fn is_constraint(sentence: &Sentence<'_>) -> bool {
    let is_bound = sentence.has_any(BOUND_WORDS) || sentence.starts_with_any(BOUND_OPENINGS);
    !sentence.is_question && is_bound && !sentence.has_any(NOT_BOUNDS)
}

pub(super) fn is_goal(sentence: &Sentence<'_>) -> bool {
    !sentence.is_question && sentence.has_any(GOAL_WORDS) && !sentence.has_any(NOT_GOALS)
}
