//! What is known of a host: the columns of a platform's table.

use forebay_domain::hook::{Moment, Reply, StartReason, ToolKind};
use forebay_domain::tokens;

use crate::decode::Decoded;
use crate::encode::Output;
use crate::setup::{Holds, Level, SetupFile};

/// One agent host.
#[derive(Debug)]
pub struct Platform {
    /// The word for it on the command line.
    pub id: &'static str,
    /// The name its makers use.
    pub name: &'static str,
    /// What this table rests on.
    pub evidence: Evidence,
    /// What it calls itself when it connects to an MCP server; a beginning of the name is enough.
    pub mcp_client: Option<&'static str>,
    pub events: &'static [EventRow],
    /// The host's own tools; a name that is missing here is an MCP tool or means nothing to us.
    pub tools: &'static [(&'static str, ToolKind)],
    pub mcp_names: McpNames,
    pub payload: &'static Payload,
    /// Its words for why a session starts.
    pub start_words: &'static [(&'static str, StartReason)],
    pub reply: fn(&Decoded, &Reply) -> Output,
    pub can: &'static [Ability],
    pub replaces: Replaces,
    pub limits: Limits,
    /// What it cannot do, for people.
    pub cannot: &'static [&'static str],
    pub installed: Installed,
    pub caller: Caller,
    pub files: &'static [SetupFile],
    /// What a person still has to do after the files are written.
    pub afterwards: Option<&'static str>,
}

impl Platform {
    pub fn can(&self, ability: Ability) -> bool {
        self.can.contains(&ability)
    }

    /// Whether Forebay sets up hooks there.
    pub fn has_hooks(&self) -> bool {
        self.registered().next().is_some()
    }

    /// Whether its MCP server can be registered at a level.
    pub fn registers_server(&self, level: Level) -> bool {
        let is_server =
            |file: &&SetupFile| matches!(file.holds, Holds::Servers { .. } | Holds::TomlServers);
        self.files.iter().filter(is_server).any(|file| file.level == level)
    }

    /// How many bytes of added context are sure to reach the model; nothing where no limit is known.
    pub fn context_bytes(&self) -> Option<usize> {
        let tokens = self.limits.context_tokens.map(|tokens| tokens::to_bytes(tokens as u64));
        // A character is a byte or more, so that many bytes are never too many characters.
        [self.limits.context_chars, tokens].into_iter().flatten().min()
    }

    /// The events Forebay asks to be called for.
    pub fn registered(&self) -> impl Iterator<Item = &'static EventRow> {
        self.events.iter().filter(|row| row.is_registered)
    }

    pub(crate) fn event(&self, name: &str) -> Option<&'static EventRow> {
        self.events.iter().find(|row| row.name == name)
    }
}

/// How a table came to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The host was run.
    Run,
    /// Its published package was read.
    Package,
    /// Its documentation was read.
    Documentation,
}

/// One event of a host.
#[derive(Debug, Clone, Copy)]
pub struct EventRow {
    pub name: &'static str,
    pub moment: Moment,
    /// Forebay asks to be called for it; else it is understood when it comes.
    pub is_registered: bool,
    /// The tool it is about, where the event says it and not the payload.
    pub tool: Option<ToolKind>,
    /// The tool failed, and the payload carries the error in place of a result.
    pub is_failure: bool,
}

/// An event Forebay asks for.
pub(crate) const fn on(name: &'static str, moment: Moment) -> EventRow {
    EventRow { name, moment, is_registered: true, tool: None, is_failure: false }
}

/// An event that is understood and not asked for.
pub(crate) const fn also(name: &'static str, moment: Moment) -> EventRow {
    EventRow { is_registered: false, ..on(name, moment) }
}

impl EventRow {
    pub(crate) const fn failure(self) -> Self {
        Self { is_failure: true, ..self }
    }

    pub(crate) const fn of(self, tool: ToolKind) -> Self {
        Self { tool: Some(tool), ..self }
    }
}

/// How a host spells the tools of MCP servers.
#[derive(Debug, Clone, Copy)]
pub enum McpNames {
    /// `<prefix><server><between><tool>`.
    Joined { prefix: &'static str, between: &'static str },
    /// `<prefix><tool>`: the server stands elsewhere or nowhere.
    ToolOnly { prefix: &'static str },
    /// Hooks see no MCP tools.
    Unknown,
}

/// A way to a value: the keys, outermost first.
pub type Path = &'static [&'static str];

/// Where a host puts what it tells; the first place that holds something counts.
#[derive(Debug)]
pub struct Payload {
    pub event: &'static [Path],
    pub session: &'static [Path],
    pub cwd: &'static [Path],
    pub transcript: &'static [Path],
    pub subagent: &'static [Path],
    pub permission_mode: &'static [Path],
    pub tool_name: &'static [Path],
    pub tool_input: &'static [Path],
    pub tool_id: &'static [Path],
    pub tool_result: &'static [Path],
    /// The result is a text that holds JSON.
    pub result_is_quoted: bool,
    pub tool_failed: &'static [Sign],
    pub mcp_server: &'static [Path],
    pub mcp_tool: &'static [Path],
    pub error: &'static [Path],
    pub prompt: &'static [Path],
    /// A prompt without this is the host talking to itself.
    pub prompt_needs: Option<&'static str>,
    pub start_word: &'static [Path],
    pub trigger: &'static [Path],
    pub last_message: &'static [Path],
    pub summary: &'static [Path],
    pub message: &'static [Path],
}

/// A value that says something.
#[derive(Debug)]
pub struct Sign {
    pub at: Path,
    pub is: Word,
}

/// A plain value.
#[derive(Debug, Clone, Copy)]
pub enum Word {
    Text(&'static str),
    Bool(bool),
}

/// The fields most hosts took over from Claude Code.
pub(crate) const SNAKE_CASE: Payload = Payload {
    event: &[&["hook_event_name"]],
    session: &[&["session_id"]],
    cwd: &[&["cwd"]],
    transcript: &[&["transcript_path"]],
    subagent: &[&["agent_id"]],
    permission_mode: &[&["permission_mode"]],
    tool_name: &[&["tool_name"]],
    tool_input: &[&["tool_input"]],
    tool_id: &[&["tool_use_id"]],
    tool_result: &[&["tool_response"]],
    result_is_quoted: false,
    tool_failed: &[],
    mcp_server: &[&["mcp_server", "name"]],
    mcp_tool: &[],
    error: &[&["error"]],
    prompt: &[&["prompt"]],
    prompt_needs: None,
    start_word: &[&["source"]],
    trigger: &[&["trigger"]],
    last_message: &[&["last_assistant_message"]],
    summary: &[&["compact_summary"]],
    message: &[&["message"]],
};

/// The words for starts that most hosts share.
pub(crate) const START_WORDS: &[(&str, StartReason)] = &[
    ("startup", StartReason::Startup),
    ("new", StartReason::Startup),
    ("resume", StartReason::Resume),
    ("clear", StartReason::Clear),
    ("compact", StartReason::Compact),
    ("fork", StartReason::Fork),
];

/// Something a host lets a hook do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ability {
    Deny,
    Ask,
    Rewrite,
    ContextBeforeTool,
    ContextAfterTool,
    ContextAtPrompt,
    ContextAtStart,
    ContextForCompaction,
    /// Results of the host's own tools.
    ReplaceOwn,
    /// Results of MCP tools.
    ReplaceMcp,
    /// Results of tools that failed.
    ReplaceFailed,
    SeeCompaction,
    SeeStart,
    SeePrompt,
}

impl Ability {
    pub const ALL: [Self; 14] = [
        Self::Deny,
        Self::Ask,
        Self::Rewrite,
        Self::ContextBeforeTool,
        Self::ContextAfterTool,
        Self::ContextAtPrompt,
        Self::ContextAtStart,
        Self::ContextForCompaction,
        Self::ReplaceOwn,
        Self::ReplaceMcp,
        Self::ReplaceFailed,
        Self::SeeCompaction,
        Self::SeeStart,
        Self::SeePrompt,
    ];

    pub const fn words(self) -> &'static str {
        match self {
            Self::Deny => "deny a tool call",
            Self::Ask => "ask the user about a tool call",
            Self::Rewrite => "rewrite a command",
            Self::ContextBeforeTool => "add context before a tool",
            Self::ContextAfterTool => "add context after a tool",
            Self::ContextAtPrompt => "add context to a prompt",
            Self::ContextAtStart => "add context at session start",
            Self::ContextForCompaction => "add context for compaction",
            Self::ReplaceOwn => "replace results of its own tools",
            Self::ReplaceMcp => "replace results of MCP tools",
            Self::ReplaceFailed => "replace results of failed tools",
            Self::SeeCompaction => "see compaction",
            Self::SeeStart => "see session starts",
            Self::SeePrompt => "see prompts",
        }
    }
}

/// What a host takes in place of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaces {
    Nothing,
    /// Any text.
    WithText,
    /// A result that looks like the tool's own.
    InShape,
}

/// How much a host takes.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Characters of added context; beyond them it is cut, dropped or put in a file.
    pub context_chars: Option<usize>,
    pub context_tokens: Option<usize>,
    /// Characters of a shell result that reach the model whole, as far as it is known.
    pub result_chars: Option<usize>,
}

pub(crate) const NO_LIMITS: Limits =
    Limits { context_chars: None, context_tokens: None, result_chars: None };

/// How to tell that a host is on a machine.
#[derive(Debug)]
pub struct Installed {
    pub binaries: &'static [&'static str],
    /// Folders in the user's home that only this host makes.
    pub folders: &'static [&'static str],
}

/// How to tell that a host's hook is called by that host.
///
/// Hosts run each other's hooks: Copilot CLI, VS Code and Cursor read Claude Code's settings. What
/// the payload says counts more than the environment, because an agent that was started inside
/// another one's shell carries that one's variables too.
#[derive(Debug)]
pub struct Caller {
    /// Fields this host never sends.
    pub foreign_fields: &'static [&'static str],
    /// Variables of other hosts that count when none of its own is set.
    pub foreign_env: &'static [&'static str],
    pub own_env: &'static [&'static str],
}

pub(crate) const ANYBODY: Caller = Caller { foreign_fields: &[], foreign_env: &[], own_env: &[] };
