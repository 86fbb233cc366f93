//! The user's last words; when short, with what they answer.

use super::layout::Section;
use super::quoted;
use super::session_facts::SessionFacts;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let title = if facts.is_subagent { "## Task" } else { "## Last request" };
    let request = facts.talk.last_request()?;
    Some(Section::new(title, quoted::lines(&request), "").with_percent(22))
}
