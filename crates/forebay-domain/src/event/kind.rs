//! The kinds of events, and what each is worth.

/// What an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventKind {
    Prompt,
    Decision,
    Task,
    Rule,
    Constraint,
    Goal,
    Blocker,
    Plan,
    Error,
    Rejected,
    FileEdited,
    FileWritten,
    Git,
    Role,
    Subagent,
    Environment,
    Intent,
    Reference,
    Skill,
    Data,
    FileRead,
    Mcp,
    /// What the model answered at the end of a turn.
    Answer,
    /// The user cleared the conversation: a new topic begins.
    Topic,
    /// A rule denied a call, or had it asked about.
    Verdict,
}

/// How long an event is kept when there is no room for all: the lowest go first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Priority {
    Low,
    Normal,
    High,
    Critical,
}

impl Priority {
    pub const ALL: [Self; 4] = [Self::Low, Self::Normal, Self::High, Self::Critical];
}

/// Kind, its word, its priority, and the most bytes of its text.
const KINDS: &[(EventKind, &str, Priority, usize)] = &[
    (EventKind::Prompt, "prompt", Priority::Critical, 8_000),
    (EventKind::Decision, "decision", Priority::Critical, 400),
    (EventKind::Task, "task", Priority::Critical, 300),
    (EventKind::Rule, "rule", Priority::Critical, 400),
    (EventKind::Constraint, "constraint", Priority::Critical, 400),
    (EventKind::Goal, "goal", Priority::High, 4_000),
    (EventKind::Blocker, "blocker", Priority::High, 400),
    (EventKind::Plan, "plan", Priority::High, 2_000),
    (EventKind::Error, "error", Priority::High, 400),
    (EventKind::Rejected, "rejected", Priority::High, 400),
    (EventKind::FileEdited, "file edited", Priority::High, 200),
    (EventKind::FileWritten, "file written", Priority::High, 200),
    (EventKind::Git, "git", Priority::Normal, 300),
    (EventKind::Role, "role", Priority::Normal, 300),
    (EventKind::Subagent, "subagent", Priority::High, 600),
    (EventKind::Environment, "environment", Priority::Normal, 200),
    (EventKind::Intent, "intent", Priority::Normal, 40),
    (EventKind::Reference, "reference", Priority::Normal, 400),
    (EventKind::Skill, "skill", Priority::Low, 100),
    (EventKind::Data, "data", Priority::Low, 200),
    (EventKind::FileRead, "file read", Priority::Low, 200),
    (EventKind::Mcp, "mcp", Priority::Low, 200),
    (EventKind::Answer, "answer", Priority::High, 4_000),
    (EventKind::Topic, "topic", Priority::Critical, 100),
    (EventKind::Verdict, "verdict", Priority::Low, 300),
];

impl EventKind {
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|row| row.0)
    }

    pub const fn as_str(self) -> &'static str {
        KINDS[self as usize].1
    }

    pub fn parse(word: &str) -> Option<Self> {
        KINDS.iter().find(|row| row.1 == word).map(|row| row.0)
    }

    pub const fn priority(self) -> Priority {
        KINDS[self as usize].2
    }

    /// Whether each is an event of its own; of other kinds the last of a subject says how it stands.
    pub const fn is_kept_each(self) -> bool {
        matches!(self, Self::Prompt | Self::Answer | Self::Topic | Self::Git)
    }

    /// The most bytes of an event's text; the rest is cut.
    pub const fn most_bytes(self) -> usize {
        KINDS[self as usize].3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_stands_in_its_own_row() {
        for (index, row) in KINDS.iter().enumerate() {
            assert_eq!(row.0 as usize, index, "{}", row.1);
            assert_eq!(EventKind::parse(row.1), Some(row.0));
        }
        assert_eq!(KINDS.len(), EventKind::Verdict as usize + 1);
    }
}
