//! Scopes: what a search or a note is limited to.

/// How far a search reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scope {
    /// This conversation.
    Session,
    /// What was made on the git branch that is checked out.
    Branch,
    /// What was made for the ticket that the branch is named after.
    Ticket,
    /// This project and the user's own notes.
    #[default]
    Project,
    /// Everything of this user, other projects included.
    All,
}

impl Scope {
    pub const ALL: [Self; 5] =
        [Self::Session, Self::Branch, Self::Ticket, Self::Project, Self::All];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Branch => "branch",
            Self::Ticket => "ticket",
            Self::Project => "project",
            Self::All => "all",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.word() == word)
    }
}
