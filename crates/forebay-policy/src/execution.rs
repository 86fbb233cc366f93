//! What is run, with all that decides what it does.

/// A shell command and what else decides what it does.
#[derive(Debug, Clone, Copy, Default)]
pub struct Execution<'a> {
    pub command: &'a str,
    /// Variables added to its environment.
    pub variables: &'a [(String, String)],
    /// Its standard input: for a shell or an interpreter without a script that is code.
    pub stdin: Option<&'a str>,
    /// Code of another language than the shell's, which the command runs.
    pub code: Option<&'a str>,
    /// The other commands of the same call, which may write what this one runs.
    pub siblings: &'a [Sibling],
}

/// Another command of the same call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sibling {
    pub command: String,
    /// Code of another language than the shell's.
    pub code: Option<String>,
}
