//! Scopes: what a search or a note is limited to.

/// How far a search or note reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scope {
    /// This conversation.
    Session,
    /// Entries made on the current git branch.
    Branch,
    /// Entries made for the ticket in the branch name.
    Ticket,
    /// This project and the user's personal notes.
    #[default]
    Project,
    /// All projects of this user.
    All,
}

impl Scope {
    pub const ALL: [Self; 5] =
        [Self::Session, Self::Branch, Self::Ticket, Self::Project, Self::All];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Branch => "branch",
            Self::Ticket => "ticket",
            Self::Project => "project",
            Self::All => "all",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }
}
