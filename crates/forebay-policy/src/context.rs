//! The facts a judgement needs, passed in as values; nothing here inspects the machine.

/// Where a call happens and under which settings.
#[derive(Clone, Copy)]
pub struct CallContext<'a> {
    /// The working directory; bare patterns are relative to it.
    pub cwd: &'a str,
    /// The project's root; `/` in project rules is relative to it.
    pub root: &'a str,
    /// The user's home directory, for `~/`.
    pub home: Option<&'a str>,
    /// Additional working directories.
    pub directories: &'a [String],
    pub trust: Trust,
    pub mode: Mode,
    /// Whether file names are case-insensitive.
    pub ignores_case: bool,
    /// Whether fetches from loopback are allowed.
    pub allows_loopback: bool,
    /// Resolves symlinks; `None` if the path is unchanged or unknown.
    pub real_path: &'a dyn Fn(&str) -> Option<String>,
}

/// Which allow rules of the workspace apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// All: the user trusts the workspace.
    Workspace,
    /// Only the local file's, which is the user's own.
    LocalFile,
    /// None: the local file is under version control, so others may have written it.
    Nothing,
}

/// The permission mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Forebay's own: the host already approved the tool, and a setting decides unmatched calls.
    Forebay(Unmatched),
    /// Modes of hosts, for judging as the host would.
    Default,
    AcceptEdits,
    Plan,
    DontAsk,
    BypassPermissions,
}

/// What happens to a call that no rule matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Unmatched {
    #[default]
    Run,
    Ask,
    Deny,
}

impl Unmatched {
    pub const ALL: [Self; 3] = [Self::Run, Self::Ask, Self::Deny];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.as_str() == word)
    }
}

impl Mode {
    /// Parses a host's name of a mode.
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

/// A path as given and with symlinks resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    pub given: String,
    pub resolved: Option<String>,
}

/// A resolver for tests and callers without symlinks.
pub fn no_links(_: &str) -> Option<String> {
    None
}
