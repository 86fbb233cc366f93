//! The situation: blockers, the model's role, and the kind of work requested.

use super::sentence::Sentence;
use forebay_domain::{Event, EventKind};

const BLOCKED: &[&str] = &[
    "blocked by",
    "blocked on",
    "blocked until",
    "is blocked",
    "i'm blocked",
    "we're blocked",
    "waiting for",
    "waiting on",
    "can't proceed",
    "cannot proceed",
    "can't continue",
    "cannot continue",
    "can't go on",
    "don't have access",
    "do not have access",
    "no access to",
    "is down",
    "stuck on",
];
const UNBLOCKED: &[&str] =
    &["no longer blocked", "not blocked", "unblocked", "no longer waiting", "not waiting"];

const ROLE_OPENINGS: &[&str] = &[
    "you are a",
    "you are an",
    "you're a",
    "you're an",
    "act as",
    "act like a",
    "pretend to be",
    "as a senior",
    "as an expert",
    "your role is",
    "take the role of",
];
const NOT_ROLES: &[&str] =
    &["you are a star", "you are a genius", "you are a lifesaver", "you're a star"];

/// The kind of work, and the words that open a request for it.
const INTENTS: &[(&str, &[&str])] = &[
    ("fix", &["fix", "repair", "debug", "solve", "resolve"]),
    ("test", &["test", "run the tests", "cover"]),
    ("review", &["review", "check", "audit", "look at", "verify"]),
    ("refactor", &["refactor", "clean up", "rename", "simplify", "move", "extract", "split"]),
    ("explain", &["explain", "why", "how", "what", "where", "which", "describe", "show"]),
    ("find", &["find", "search", "look for", "investigate", "analyze", "analyse"]),
    ("build", &["implement", "add", "build", "create", "write", "make", "introduce", "support"]),
    (
        "change",
        &["change", "update", "replace", "remove", "delete", "upgrade", "migrate", "convert"],
    ),
    ("release", &["deploy", "release", "publish", "ship", "commit", "push", "merge"]),
    ("plan", &["plan", "design", "propose", "think about"]),
];
/// Polite openings of a request.
const POLITE_OPENINGS: &[&str] = &[
    "please",
    "can you",
    "could you",
    "would you",
    "now",
    "ok",
    "okay",
    "then",
    "and",
    "also",
    "so",
    "let's",
    "i want you to",
    "i need you to",
    "we need to",
    "i want to",
    "hey",
    "hi",
    "just",
    "next",
    "go ahead and",
];

pub(super) fn is_blocker(sentence: &Sentence<'_>) -> bool {
    !sentence.is_question && sentence.has_any(BLOCKED) && !sentence.has_any(UNBLOCKED)
}

pub(super) fn is_role(sentence: &Sentence<'_>) -> bool {
    !sentence.is_question
        && sentence.starts_with_any(ROLE_OPENINGS)
        && !sentence.starts_with_any(NOT_ROLES)
}

/// Returns the kind of work from the first sentence that opens with a word for it.
pub(super) fn intent(sentences: &[Sentence<'_>]) -> Option<Event> {
    let word = sentences.iter().find_map(intent_of)?;
    Some(Event::new(EventKind::Intent, "intent", word))
}

fn intent_of(sentence: &Sentence<'_>) -> Option<&'static str> {
    let words = without_politeness(&sentence.words);
    let opens = |phrase: &&str| words.starts_with(&format!(" {phrase} "));
    INTENTS.iter().find(|(_, phrases)| phrases.iter().any(opens)).map(|(word, _)| *word)
}

/// Strips a polite opening, keeping a leading blank.
fn without_politeness(words: &str) -> &str {
    let mut rest = words;
    // Two or three polite words are usual; the limit bounds hostile input.
    for _ in 0..4 {
        let found = POLITE_OPENINGS.iter().find(|word| rest.starts_with(&format!(" {word} ")));
        let Some(word) = found else { break };
        rest = &rest[word.len() + 1..];
    }
    rest
}
