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
}
