//! What the user asked last, word for word.

use forebay_text::cut;

use super::facts::Facts;
use super::layout::Section;

/// A longer request is a paste; its beginning says what is wanted.
const MOST_BYTES: usize = 700;

pub(super) fn section(facts: &Facts) -> Option<Section> {
    let request = facts.last_request.as_ref()?;
    let shown = if request.len() <= MOST_BYTES {
        request.clone()
    } else {
        format!("{}… (cut here)", cut::prefix(request, MOST_BYTES))
    };
    Some(Section::new("## Last request", vec![shown], "ctx_history events=prompt").weighing(22))
}
