//! Extracts events from a user's prompt, sentence by sentence.

mod choice;
mod demand;
mod material;
mod sentence;
mod situation;

use self::sentence::{Sentence, sentences};
use forebay_domain::{Event, EventKind};

type Reader = fn(&Sentence<'_>) -> bool;

/// Classifiers of a sentence; all are tried, because a sentence can be of several kinds.
const CLASSIFIERS: &[(EventKind, Reader)] = &[
    (EventKind::Decision, choice::is_decision),
    (EventKind::Rejected, choice::is_rejection),
    (EventKind::Rule, demand::is_rule),
    (EventKind::Constraint, demand::is_constraint),
    (EventKind::Goal, demand::is_goal),
    (EventKind::Blocker, situation::is_blocker),
    (EventKind::Role, situation::is_role),
];

pub(super) fn events(text: &str) -> Vec<Event> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let mut found = vec![Event::new(EventKind::Prompt, "last request", text)];
    let sentences = sentences(text);
    found.extend(situation::intent(&sentences));
    for sentence in &sentences {
        let kinds = CLASSIFIERS.iter().filter(|(_, is_it)| is_it(sentence));
        found.extend(kinds.map(|(kind, _)| Event::new(*kind, sentence.text, sentence.text)));
    }
    found.extend(material::references(text));
    found.extend(material::data(text));
    found
}
