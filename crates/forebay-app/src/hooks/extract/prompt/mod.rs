//! Extracts events from a user's prompt beside its words: references and pasted data.

mod material;

use forebay_domain::Event;

pub(super) fn events(text: &str) -> Vec<Event> {
    let mut found = material::references(text);
    found.extend(material::data(text));
    found
}
