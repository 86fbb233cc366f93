//! The facts a judgement needs, handed in as values: nothing here looks at the machine.

/// Where the call happens and under which settings.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// The folder the call starts in; bare patterns begin here.
    pub cwd: &'a str,
    /// The project's root; `/` in project rules begins here.
    pub root: &'a str,
    /// The user's home; `~/` begins here.
    pub home: Option<&'a str>,
    /// Further folders in which work was allowed.
    pub directories: &'a [String],
    pub trust: Trust,
    pub mode: Mode,
    /// File names that differ only in case are one file.
    pub ignores_case: bool,
    /// Whether a fetch may go to this machine itself.
    pub allows_loopback: bool,
    /// Where a path leads after symlinks; `None` where it is the same or cannot be told.
    pub real_path: &'a dyn Fn(&str) -> Option<String>,
}

/// Whose allow rules count, of those that lie in the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// All: the user trusted the workspace.
    Workspace,
    /// The local file's: it is the user's own.
    LocalFile,
    /// None: the local file is under version control as well, so others may have written it.
    Nothing,
}

/// How much is settled without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Forebay's own: the host has asked for the tool already, and the setting says what happens to
    /// a call that no rule mentions.
    Forebay(Unmatched),
    /// The host's modes, for judging as the host would.
    Default,
    AcceptEdits,
    Plan,
    DontAsk,
    BypassPermissions,
}

/// What happens to a call that no rule mentions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Unmatched {
    #[default]
    Run,
    Ask,
    Deny,
}

impl Unmatched {
    pub const ALL: [Self; 3] = [Self::Run, Self::Ask, Self::Deny];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.word() == word)
    }
}

impl Mode {
    /// Reads the host's name of a mode.
    pub fn from_host_name(name: &str) -> Option<Self> {
        Some(match name {
            "default" => Self::Default,
            "acceptEdits" => Self::AcceptEdits,
            "plan" => Self::Plan,
            "dontAsk" => Self::DontAsk,
            "bypassPermissions" => Self::BypassPermissions,
            _ => return None,
        })
    }
}

/// A path as it was given and as symlinks make it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    pub given: String,
    pub resolved: Option<String>,
}

/// For worlds without links.
pub fn no_links(_: &str) -> Option<String> {
    None
}
