//! The user's last request, verbatim.

use forebay_text::cut;

use super::layout::Section;
use super::session_facts::SessionFacts;

/// A longer request is usually pasted text, of which the start is enough.
const MAX_BYTES: usize = 700;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let request = facts.last_request.as_ref()?;
    let shown = if request.len() <= MAX_BYTES {
        request.clone()
    } else {
        format!("{}… (cut here)", cut::prefix(request, MAX_BYTES))
    };
    Some(Section::new("## Last request", vec![shown], "ctx_history events=prompt").with_percent(22))
}
