//! How each agent is installed, configured for the scripted model, and started without a terminal.

mod claude_code;
mod cline;
mod codex;
mod copilot_cli;
mod gemini_cli;
mod opencode;
mod qwen_code;

/// An agent to run.
pub(super) struct Host {
    pub(super) label: &'static str,
    /// Its name for `forebay init`.
    pub(super) agent: &'static str,
    /// Whether the plugin of this repository sets it up, in place of `forebay init`.
    pub(super) is_plugin: bool,
    /// Whether Forebay's mod runs in it.
    pub(super) has_mod: bool,
    /// Its npm package, and the program in that package.
    pub(super) package: &'static str,
    pub(super) program: &'static str,
    /// The user's settings files before `forebay init`, as path and content.
    pub(super) files: &'static [(&'static str, &'static str)],
    pub(super) env: &'static [(&'static str, &'static str)],
    /// Arguments before the prompt, for a new conversation and for the resumed last one.
    pub(super) start: &'static [&'static str],
    pub(super) resume: &'static [&'static str],
    /// Arguments after the prompt.
    pub(super) end: &'static [&'static str],
    /// The start of the guide in a resumed session.
    pub(super) resumed_with: &'static str,
    /// The prompt that compacts the conversation, if one does so without a terminal.
    pub(super) compact: Option<&'static str>,
    /// Slash commands, each with a text that the model must receive.
    pub(super) commands: &'static [(&'static str, &'static str)],
}

pub(super) use claude_code::WITH_RULES as CLAUDE_CODE_WITH_RULES;

/// The start of the guide in a resumed session.
const GUIDE_START: &str = "Forebay's record of this session";

/// All agents. In their texts `{url}` is the model's address, `{probe}` the program of the other MCP server;
/// `{home}`, `{project}` and `{plugin}` are folders.
pub(super) const HOSTS: &[&Host] = &[
    &claude_code::HOST,
    &claude_code::WITH_PLUGIN,
    &codex::HOST,
    &gemini_cli::HOST,
    &opencode::HOST,
    &copilot_cli::HOST,
    &qwen_code::HOST,
    &cline::HOST,
];
