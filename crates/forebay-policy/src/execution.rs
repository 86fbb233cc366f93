//! What is run, with all that decides what it does.

/// A shell command and what else decides what it does.
#[derive(Debug, Clone, Copy, Default)]
pub struct Execution<'a> {
    pub command: &'a str,
    /// Variables added to its environment.
    pub variables: &'a [(String, String)],
    /// Its standard input: for a shell or an interpreter without a script that is code. Without a command it is input for
    /// a program that runs already, of which nothing is known.
    pub stdin: Option<&'a str>,
    /// Code of another language than the shell's, which the command runs.
    pub code: Option<&'a str>,
    /// The other commands of the same call, which may write what this one runs.
    pub siblings: &'a [Sibling],
}

impl Execution<'_> {
    /// Whether a program that runs already is sent input.
    pub(crate) fn is_input(&self) -> bool {
        self.command.is_empty() && self.stdin.is_some()
    }
}

/// Another command of the same call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sibling {
    pub command: String,
    /// Code of another language than the shell's.
    pub code: Option<String>,
}
