//! How each agent is installed, told where its model is, and started without a terminal.

mod claude_code;
mod codex;
mod copilot_cli;
mod gemini_cli;
mod opencode;

/// An agent that is driven.
pub(super) struct Host {
    pub(super) label: &'static str,
    /// As `forebay init` names it.
    pub(super) agent: &'static str,
    /// Set up by the plugin in this repository, and not by `forebay init`.
    pub(super) is_plugin: bool,
    /// Its package on npm, and the program in it.
    pub(super) package: &'static str,
    pub(super) program: &'static str,
    /// What a user has in the home before Forebay comes.
    pub(super) files: &'static [(&'static str, &'static str)],
    pub(super) env: &'static [(&'static str, &'static str)],
    /// The words before the prompt of a new conversation, and of the last one taken up again.
    pub(super) start: &'static [&'static str],
    pub(super) resume: &'static [&'static str],
    /// The words behind the prompt.
    pub(super) end: &'static [&'static str],
    /// What Forebay's word at a resumed session begins with.
    pub(super) resumed_with: &'static str,
    /// Whether the prompt `/compact` compacts.
    pub(super) compacts: bool,
    /// Commands that a person types, and what the model is to hear of each.
    pub(super) commands: &'static [(&'static str, &'static str)],
}

/// What Forebay's word at a session that goes on begins with.
const RECORD: &str = "Forebay's record of this session";

/// In these texts `{url}` is the model's address, `{probe}` the program of the other MCP server, `{home}`,
/// `{project}` and `{plugin}` are folders.
pub(super) const HOSTS: &[&Host] = &[
    &claude_code::HOST,
    &claude_code::WITH_PLUGIN,
    &codex::HOST,
    &gemini_cli::HOST,
    &opencode::HOST,
    &copilot_cli::HOST,
];
