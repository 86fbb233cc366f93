//! Supersession: decides whether a later statement invalidates an earlier one.

use std::collections::BTreeSet;

use forebay_domain::{Event, EventKind};

/// Whether `newer` invalidates `older`.
pub fn supersedes_event(newer: &Event, older: &Event) -> bool {
    match (newer.kind, older.kind) {
        (EventKind::Decision, EventKind::Decision) => supersedes(&newer.text, &older.text),
        (EventKind::Rejected, EventKind::Decision) => rejects_choice(&newer.text, &older.text),
        (EventKind::Decision | EventKind::Rejected, EventKind::Plan | EventKind::Goal) => {
            rejects_choice(&newer.text, &older.text)
        }
        (EventKind::Prompt, EventKind::Blocker) => unblocks(&newer.text, &older.text),
        _ => false,
    }
}

/// Returns the kinds that an event of this kind can supersede.
pub const fn supersedable_kinds(kind: EventKind) -> &'static [EventKind] {
    match kind {
        EventKind::Decision | EventKind::Rejected => {
            &[EventKind::Decision, EventKind::Plan, EventKind::Goal]
        }
        EventKind::Prompt => &[EventKind::Blocker],
        _ => &[],
    }
}

/// Phrases followed by what is chosen.
const CHOICE_PHRASES: &[&str] = &[
    "use",
    "using",
    "take",
    "go with",
    "going with",
    "stick with",
    "stick to",
    "switch to",
    "move to",
    "prefer",
    "choose",
    "pick",
    "settled on",
    "decided on",
    "write it in",
    "stay with",
    "back to",
    "decided for",
];
/// Phrases followed by what is rejected.
const REJECTION_PHRASES: &[&str] = &[
    "not",
    "instead of",
    "rather than",
    "over",
    "don't use",
    "do not use",
    "stop using",
    "drop",
    "forget about",
    "forget",
    "no longer",
    "away from",
    "switch from",
    "move from",
    "revert",
    "get rid of",
    "remove",
    "tried",
    "let's not use",
];
/// Words followed by a purpose.
const PURPOSE_WORDS: &[&str] = &["for", "as", "in"];
/// Words that start another clause.
const CLAUSE_STARTS: &[&str] = &[
    ",", ".", ";", ":", "not", "instead", "rather", "over", "for", "as", "in", "because", "since",
    "when", "to", "but", "and", "with", "from", "now", "here", "again", "anymore", "until", "if",
];
/// Words that name nothing specific.
const STOP_WORDS: &[&str] = &[
    "the",
    "a",
    "an",
    "our",
    "your",
    "my",
    "this",
    "that",
    "it",
    "its",
    "please",
    "just",
    "only",
    "all",
    "any",
    "of",
    "use",
    "using",
    "we",
    "i",
    "be",
    "is",
    "are",
    "ok",
    "actually",
    "new",
    "old",
    "after",
    "everywhere",
    "idea",
];

/// Whether a decision replaces an earlier one: it rejects its choice, or has the same purpose.
fn supersedes(newer: &str, older: &str) -> bool {
    rejects_choice(newer, older) || has_same_purpose(newer, older)
}

fn rejects_choice(newer: &str, older: &str) -> bool {
    let (turned_down, taken) =
        (words_after(newer, REJECTION_PHRASES), words_after(older, CHOICE_PHRASES));
    let covers =
        |one: &BTreeSet<String>, other: &BTreeSet<String>| !one.is_empty() && one.is_subset(other);
    covers(&turned_down, &taken) || covers(&taken, &turned_down)
}

fn has_same_purpose(newer: &str, older: &str) -> bool {
    let (purpose, former) = (words_after(newer, PURPOSE_WORDS), words_after(older, PURPOSE_WORDS));
    let (taken, former_taken) =
        (words_after(newer, CHOICE_PHRASES), words_after(older, CHOICE_PHRASES));
    let both =
        |one: &BTreeSet<String>, other: &BTreeSet<String>| !one.is_empty() && !other.is_empty();
    both(&purpose, &former)
        && purpose == former
        && both(&taken, &former_taken)
        && taken != former_taken
}

/// Returns the significant words after the first of these phrases, up to the next clause.
fn words_after(text: &str, phrases: &[&str]) -> BTreeSet<String> {
    let words = words(text);
    let starts = |at: usize| {
        let begins = |phrase: &&&str| {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            words[at..].len() >= phrase.len()
                && words[at..].iter().zip(&phrase).all(|(a, b)| a == b)
        };
        phrases.iter().filter(begins).map(|phrase| at + phrase.split(' ').count()).max()
    };
    let mut found = BTreeSet::new();
    let mut at = 0;
    while at < words.len() {
        let Some(start) = starts(at) else {
            at += 1;
            continue;
        };
        let part = words[start..].iter().take_while(|word| !CLAUSE_STARTS.contains(&word.as_str()));
        found.extend(part.filter(|word| !STOP_WORDS.contains(&word.as_str())).cloned());
        at = start;
    }
    found
}

/// Splits into lowercase words and punctuation.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'");
    let mut found = Vec::new();
    for word in lower.split_whitespace() {
        let inner = word.trim_matches(|c: char| "\"`()[]{}*".contains(c));
        let bare = inner.trim_end_matches([',', '.', ';', ':', '!', '?']);
        if !bare.is_empty() {
            found.push(bare.trim_matches(['"', '`', '\'']).to_owned());
        }
        if bare.len() < inner.len() {
            found.push(",".to_owned());
        }
    }
    found
}

const UNBLOCKING_PHRASES: &[&str] = &[
    "no longer blocked",
    "not blocked",
    "unblocked",
    "is back",
    "is up again",
    "works again",
    "have access now",
    "got access",
    "have access",
    "was merged",
    "is merged",
    "arrived",
    "is done now",
    "is available now",
    "is fixed",
    "resolved",
    "no longer waiting",
];

/// Whether a prompt says that a blocker is gone.
fn unblocks(prompt: &str, blocker: &str) -> bool {
    const GENERIC_WORDS: &[&str] = &[
        "we're", "i'm", "blocked", "waiting", "down", "access", "can't", "cannot", "continue",
        "proceed", "don't", "have", "stuck", "on", "by", "no", "again", "still", "until",
    ];
    let sentences = prompt.split(['.', '!', '\n']);
    let names: BTreeSet<String> = words(blocker)
        .into_iter()
        .filter(|word| {
            !GENERIC_WORDS.contains(&word.as_str())
                && !STOP_WORDS.contains(&word.as_str())
                && !CLAUSE_STARTS.contains(&word.as_str())
        })
        .collect();
    sentences.map(str::to_lowercase).any(|sentence| {
        UNBLOCKING_PHRASES.iter().any(|words| sentence.contains(words))
            && words(&sentence).iter().any(|word| names.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(newer: (EventKind, &str), older: (EventKind, &str), expect: bool) {
        let event = |(kind, text)| Event::new(kind, text, text);
        assert_eq!(supersedes_event(&event(newer), &event(older)), expect, "{newer:?} {older:?}");
    }

    #[test]
    fn later_decisions_supersede_earlier_ones() {
        use EventKind::{Decision, Rejected};
        for (newer, older, expect) in [
            ("Use yarn instead of pnpm", "use pnpm, not npm", true),
            ("Let's switch to SQLite instead of Postgres.", "Let's go with Postgres", true),
            ("Let's use SQLite for the store", "Let's go with Postgres for the store.", true),
            ("use tabs, not spaces", "use spaces, not tabs", true),
            ("go back to axum, not actix", "we'll use actix", true),
            ("use zod for validation", "Let's go with SQLite for the store", false),
            ("use pnpm, not npm", "use pnpm, not npm", false),
            ("use the new parser, not the new API", "use the new parser", false),
            ("We decided to drop Python 3.8.", "use pnpm, not npm", false),
            ("use tokio instead of async-std", "use axum", false),
        ] {
            check((Decision, newer), (Decision, older), expect);
        }
        check((Rejected, "don't use Redis after all"), (Decision, "let's use Redis"), true);
        check((Rejected, "that didn't work"), (Decision, "let's use Redis"), false);
    }

    #[test]
    fn prompts_resolve_blockers() {
        use EventKind::{Blocker, Prompt};
        let staging = "staging is down again";
        check((Prompt, "staging is back, go on"), (Blocker, staging), true);
        check((Prompt, "the API key is back"), (Blocker, staging), false);
        check((Prompt, "go on with staging"), (Blocker, staging), false);
    }

    proptest::proptest! {
        #[test]
        fn never_panics_on_any_text(newer in "\\PC{0,80}", older in "\\PC{0,80}") {
            let event = |text: &str| Event::new(EventKind::Decision, text, text);
            let _ = supersedes_event(&event(&newer), &event(&older));
        }
    }
}
