//! The end of the model's last answer: the state, a question, what comes next.

use super::layout::Section;
use super::quoted;
use super::session_facts::SessionFacts;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let (end, is_open) = facts.talk.where_it_stood()?;
    let title = if is_open { "## Where it stood before that request" } else { "## Where it stood" };
    Some(Section::new(title, quoted::lines(&end), "").with_percent(15))
}
