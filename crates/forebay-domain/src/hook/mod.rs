//! What an agent host tells a hook, and what a hook may answer, in Forebay's own words.
//!
//! A host's JSON becomes these values at the edge; nothing behind it knows how a host spells them.

mod tool;

pub use tool::{
    HostCut, ResultPart, SavedOutput, SavedSign, TodoItem, TodoState, ToolAction, ToolCall,
    ToolKind, ToolResult,
};

use crate::Timestamp;
use crate::usage::ModelRequest;

/// One call of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCall {
    /// The host's own name of the conversation.
    pub session: Option<String>,
    /// The folder the host works in.
    pub cwd: Option<String>,
    /// Where the host writes the conversation down.
    pub transcript: Option<String>,
    /// The subagent that is at work, if it is not the main one.
    pub subagent: Option<String>,
    /// The host's permission mode, in the host's word.
    pub permission_mode: Option<String>,
    /// The host's id of the event, or of the prompt that the event belongs to.
    pub event_id: Option<String>,
    pub event: HookEvent,
}

/// What happened, or is about to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookEvent {
    BeforeTool(ToolCall),
    AfterTool(ToolCall, ToolResult),
    /// A result as it enters the conversation, after the hooks that report the call.
    ToolResult(ToolCall, ToolResult),
    /// The host runs Forebay's mod: code in its own process, which hands over results.
    ModLoaded,
    /// The model answered a request of the host, which names what it was billed for.
    ModelRequest {
        request: ModelRequest,
        /// When the host sent it, by the host's clock, if it tells.
        started: Option<Timestamp>,
    },
    /// The user's own words; empty if the host wrote the whole message.
    Prompt(String),
    SessionStart(StartReason),
    /// The host asks Forebay's mod to compact the conversation.
    Compact(LongResults),
    BeforeCompact(CompactTrigger),
    /// The conversation was compacted; the host's summary, if it tells.
    AfterCompact(Option<String>),
    SessionEnd,
    /// The model ended its turn, with these last words.
    Stop(Option<String>),
    SubagentStart(Option<String>),
    SubagentStop(Option<String>),
    Notification(String),
    /// An event that means nothing to Forebay.
    Other,
}

impl HookEvent {
    pub const fn moment(&self) -> Moment {
        match self {
            Self::BeforeTool(_) => Moment::BeforeTool,
            Self::AfterTool(..) => Moment::AfterTool,
            Self::ToolResult(..) => Moment::ToolResult,
            Self::ModLoaded => Moment::ModLoaded,
            Self::ModelRequest { .. } => Moment::ModelRequest,
            Self::Prompt(_) => Moment::Prompt,
            Self::SessionStart(_) => Moment::SessionStart,
            Self::Compact(_) => Moment::Compact,
            Self::BeforeCompact(_) => Moment::BeforeCompact,
            Self::AfterCompact(_) => Moment::AfterCompact,
            Self::SessionEnd => Moment::SessionEnd,
            Self::Stop(_) => Moment::Stop,
            Self::SubagentStart(_) => Moment::SubagentStart,
            Self::SubagentStop(_) => Moment::SubagentStop,
            Self::Notification(_) => Moment::Notification,
            Self::Other => Moment::Other,
        }
    }

    /// The tool that the event is about.
    pub const fn tool(&self) -> Option<&ToolCall> {
        match self {
            Self::BeforeTool(tool) | Self::AfterTool(tool, _) | Self::ToolResult(tool, _) => {
                Some(tool)
            }
            _ => None,
        }
    }
}

/// The kinds of events, without what they carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Moment {
    BeforeTool,
    AfterTool,
    ToolResult,
    ModLoaded,
    ModelRequest,
    Prompt,
    SessionStart,
    Compact,
    BeforeCompact,
    AfterCompact,
    SessionEnd,
    Stop,
    SubagentStart,
    SubagentStop,
    Notification,
    Other,
}

impl Moment {
    /// The event in a sentence.
    pub const fn description(self) -> &'static str {
        match self {
            Self::BeforeTool => "before a tool",
            Self::AfterTool => "after a tool",
            Self::ToolResult => "tool result",
            Self::ModLoaded => "mod loaded",
            Self::ModelRequest => "request to the model",
            Self::Prompt => "prompt",
            Self::SessionStart => "session start",
            Self::Compact => "compaction by the mod",
            Self::BeforeCompact => "before compaction",
            Self::AfterCompact => "after compaction",
            Self::SessionEnd => "session end",
            Self::Stop => "end of a turn",
            Self::SubagentStart => "subagent start",
            Self::SubagentStop => "subagent end",
            Self::Notification => "notification",
            Self::Other => "other",
        }
    }
}

/// Why a conversation begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StartReason {
    Startup,
    Resume,
    Clear,
    Compact,
    Fork,
}

impl StartReason {
    pub const ALL: [Self; 5] =
        [Self::Startup, Self::Resume, Self::Clear, Self::Compact, Self::Fork];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Startup => "startup",
            Self::Resume => "resume",
            Self::Clear => "clear",
            Self::Compact => "compact",
            Self::Fork => "fork",
        }
    }
}

/// Who asked for a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompactTrigger {
    Manual,
    Auto,
}

/// The tool results that Forebay may cut in a conversation, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LongResults {
    pub results: Vec<(ToolCall, ToolResult)>,
    /// The size of the whole conversation, these results included.
    pub conversation_bytes: u64,
}

/// What a hook answers. It says one thing, or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// No opinion: the host goes on as if there were no hook.
    Silent,
    /// The tool must not run, for this reason.
    Deny(String),
    /// The user decides whether the tool runs, for this reason.
    Ask(String),
    /// The shell runs this command instead.
    Rewrite(String),
    /// The model is told this beside what it asked for.
    Context(String),
    /// The model gets this text in place of the tool's result.
    Replace(String),
    /// These texts take the place of tool results; every other message of the conversation stays.
    Compact(Vec<CutResult>),
    /// What the mod has to do beside handing over results.
    ModDuties(ModDuties),
}

impl Reply {
    /// What this asks of a host, in a sentence.
    pub const fn description(&self) -> &'static str {
        match self {
            Self::Silent => "say nothing",
            Self::Deny(_) => "deny a tool call",
            Self::Ask(_) => "ask the user",
            Self::Rewrite(_) => "rewrite a command",
            Self::Context(_) => "add context",
            Self::Replace(_) => "replace a result",
            Self::Compact(_) => "compact a conversation",
            Self::ModDuties(_) => "instruct the mod",
        }
    }
}

/// A tool result that is replaced in a compacted conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutResult {
    /// The host's name of the call.
    pub call: String,
    pub text: String,
}

/// What the settings ask of the mod.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModDuties {
    /// Name the commands that the host allows without asking, so that hooks can wrap them.
    pub wrap_commands: bool,
    /// Hand over the conversation when it is compacted.
    pub compact: bool,
}
