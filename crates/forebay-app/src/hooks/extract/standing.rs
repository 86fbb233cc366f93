//! What still stands: a later word takes an earlier one back.

use std::collections::BTreeSet;

use forebay_domain::{Event, EventKind};

/// Whether `newer` says that `older` no longer holds.
pub fn settles(newer: &Event, older: &Event) -> bool {
    match (newer.kind, older.kind) {
        (EventKind::Decision, EventKind::Decision) => supersedes(&newer.text, &older.text),
        (EventKind::Rejected, EventKind::Decision) => takes_back(&newer.text, &older.text),
        (EventKind::Decision | EventKind::Rejected, EventKind::Plan | EventKind::Goal) => {
            takes_back(&newer.text, &older.text)
        }
        (EventKind::Prompt, EventKind::Blocker) => unblocks(&newer.text, &older.text),
        _ => false,
    }
}

/// The kinds that an event of this kind may settle.
pub const fn may_settle(kind: EventKind) -> &'static [EventKind] {
    match kind {
        EventKind::Decision | EventKind::Rejected => {
            &[EventKind::Decision, EventKind::Plan, EventKind::Goal]
        }
        EventKind::Prompt => &[EventKind::Blocker],
        _ => &[],
    }
}

/// Words after which stands what is taken.
const TAKING: &[&str] = &[
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
/// Words after which stands what is turned down.
const TURNING_DOWN: &[&str] = &[
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
/// Words after which stands what something is for.
const PURPOSES: &[&str] = &["for", "as", "in"];
/// Words with which another part of the sentence begins.
const ENDINGS: &[&str] = &[
    ",", ".", ";", ":", "not", "instead", "rather", "over", "for", "as", "in", "because", "since",
    "when", "to", "but", "and", "with", "from", "now", "here", "again", "anymore", "until", "if",
];
/// Words that name nothing.
const EMPTY: &[&str] = &[
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

/// A decision takes the place of an earlier one that it turns down, or that is for the same thing.
fn supersedes(newer: &str, older: &str) -> bool {
    takes_back(newer, older) || is_for_the_same(newer, older)
}

fn takes_back(newer: &str, older: &str) -> bool {
    let (turned_down, taken) = (named_after(newer, TURNING_DOWN), named_after(older, TAKING));
    let covers =
        |one: &BTreeSet<String>, other: &BTreeSet<String>| !one.is_empty() && one.is_subset(other);
    covers(&turned_down, &taken) || covers(&taken, &turned_down)
}

fn is_for_the_same(newer: &str, older: &str) -> bool {
    let (purpose, former) = (named_after(newer, PURPOSES), named_after(older, PURPOSES));
    let (taken, former_taken) = (named_after(newer, TAKING), named_after(older, TAKING));
    let both =
        |one: &BTreeSet<String>, other: &BTreeSet<String>| !one.is_empty() && !other.is_empty();
    both(&purpose, &former)
        && purpose == former
        && both(&taken, &former_taken)
        && taken != former_taken
}

/// The words that name something after the first of these phrases, up to the next part.
fn named_after(text: &str, phrases: &[&str]) -> BTreeSet<String> {
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
        let part = words[start..].iter().take_while(|word| !ENDINGS.contains(&word.as_str()));
        found.extend(part.filter(|word| !EMPTY.contains(&word.as_str())).cloned());
        at = start;
    }
    found
}

/// In lower case, marks apart.
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

const UNBLOCKING: &[&str] = &[
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

/// Whether a prompt says that what stood in the way no longer does.
fn unblocks(prompt: &str, blocker: &str) -> bool {
    const NAMES_NOTHING: &[&str] = &[
        "we're", "i'm", "blocked", "waiting", "down", "access", "can't", "cannot", "continue",
        "proceed", "don't", "have", "stuck", "on", "by", "no", "again", "still", "until",
    ];
    let sentences = prompt.split(['.', '!', '\n']);
    let names: BTreeSet<String> = words(blocker)
        .into_iter()
        .filter(|word| {
            !NAMES_NOTHING.contains(&word.as_str())
                && !EMPTY.contains(&word.as_str())
                && !ENDINGS.contains(&word.as_str())
        })
        .collect();
    sentences.map(str::to_lowercase).any(|sentence| {
        UNBLOCKING.iter().any(|words| sentence.contains(words))
            && words(&sentence).iter().any(|word| names.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(newer: (EventKind, &str), older: (EventKind, &str), expect: bool) {
        let event = |(kind, text)| Event::new(kind, text, text);
        assert_eq!(settles(&event(newer), &event(older)), expect, "{newer:?} {older:?}");
    }

    #[test]
    fn decisions_are_taken_back() {
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
    fn what_stood_in_the_way_is_gone() {
        use EventKind::{Blocker, Prompt};
        let staging = "staging is down again";
        check((Prompt, "staging is back, go on"), (Blocker, staging), true);
        check((Prompt, "the API key is back"), (Blocker, staging), false);
        check((Prompt, "go on with staging"), (Blocker, staging), false);
    }

    proptest::proptest! {
        #[test]
        fn any_words_are_read(newer in "\\PC{0,80}", older in "\\PC{0,80}") {
            let event = |text: &str| Event::new(EventKind::Decision, text, text);
            let _ = settles(&event(&newer), &event(&older));
        }
    }
}
