//! The keys of sessions.

/// Separates a session from a subagent that works in it.
const SUBAGENT: &str = "/agent:";

/// The session of a subagent: its events are not those of the conversation with the user.
pub fn of_subagent(session: &str, agent: &str) -> String {
    format!("{session}{SUBAGENT}{agent}")
}

/// What the sessions of all subagents of a session start with.
pub fn subagent_prefix(session: &str) -> String {
    of_subagent(session, "")
}

/// The first possible session of a subagent of a session, and what follows the last one, in the order of bytes.
pub fn subagent_range(session: &str) -> (String, String) {
    let first = subagent_prefix(session);
    let end = format!("{};", first.trim_end_matches(':'));
    (first, end)
}

/// The conversation that a session belongs to: itself, or that of the main agent.
pub fn conversation(session: &str) -> &str {
    session.split_once(SUBAGENT).map_or(session, |(main, _)| main)
}

/// Whether a session is that of a subagent.
pub fn is_subagent(session: &str) -> bool {
    session.contains(SUBAGENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subagent_belongs_to_a_conversation() {
        let agent = of_subagent("s1", "a1");
        assert!(is_subagent(&agent) && !is_subagent("s1"));
        assert_eq!((conversation(&agent), conversation("s1")), ("s1", "s1"));
    }

    #[test]
    fn the_range_of_subagents_has_no_other_session() {
        let (first, end) = subagent_range("s1");
        let is_in = |key: &str| (first.as_str()..end.as_str()).contains(&key);
        assert!(is_in(&of_subagent("s1", "a")) && is_in(&of_subagent("s1", "\u{10ffff}")));
        assert!(!is_in("s1") && !is_in("s1/b") && !is_in(&of_subagent("s2", "a")));
    }
}
