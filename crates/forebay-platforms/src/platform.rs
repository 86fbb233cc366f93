//! The columns of a host's table.

use forebay_domain::hook::{Moment, Reply, StartReason, ToolKind};
use forebay_domain::tokens;

use crate::decode::{self, Decoded};
use crate::encode::{self, Output};
use crate::folders::BaseDir;
pub use crate::host_event::HostEvent;
pub(crate) use crate::host_event::{recognized, registered};
pub use crate::host_version::{HostVersion, VersionVariable};
use crate::machine_text::{self, MachineText};
use crate::permissions::{RuleSource, TrustFile};
use crate::setup::{Level, SERVER_NAME, SetupFile};
use crate::status::StatusFields;
use crate::transcripts::{ParseLine, TranscriptFormat};

/// One agent host.
#[derive(Debug)]
pub struct Platform {
    /// Its name on the command line.
    pub id: &'static str,
    /// Its name in texts.
    pub name: &'static str,
    /// What else people call it, besides its id, its name and its programs.
    pub aliases: &'static [&'static str],
    /// The agents that run in it, each with its own settings; none if it runs only itself.
    pub harnesses: &'static [Harness],
    /// What this table is based on.
    pub evidence: Evidence,
    pub events: &'static [HostEvent],
    /// The host's built-in tools; any other tool is an MCP tool or unknown.
    pub tools: &'static [(&'static str, ToolKind)],
    pub mcp_tool_names: McpToolNames,
    pub payload: &'static PayloadFields,
    /// What it writes into prompts beside the user's words.
    pub machine_text: &'static MachineText,
    /// Its names for the reasons a session starts.
    pub start_reasons: &'static [(&'static str, StartReason)],
    /// Encodes a reply in the host's format.
    pub encode: fn(&Decoded, &Reply) -> Output,
    pub capabilities: &'static [Capability],
    pub replacement: Replacement,
    pub limits: Limits,
    /// How a failing test of 20,000 lines was seen to reach the model, if it was tried.
    pub failing_test: Option<&'static str>,
    /// What it cannot do, for users.
    pub limitations: &'static [&'static str],
    pub detection: Detection,
    pub caller: CallerCheck,
    /// Variables that name the session, in processes that the host starts.
    pub session_env: &'static [&'static str],
    /// The variable that names the project's folder, in hooks that the host starts.
    pub project_env: Option<&'static str>,
    /// Forebay's mod, if the host can run one.
    pub host_mod: Option<&'static HostMod>,
    /// An event that a check sends to its hook.
    pub probe: Option<&'static Probe>,
    /// Why the host may not have loaded Forebay's plugin, if sessions start there and other hooks run without it.
    pub plugin_diagnosis: Option<&'static str>,
    /// Forebay's plugin, as the host's own command installs it, if the settings tell.
    pub plugin: Option<&'static HostPlugin>,
    /// What it tells the command of its status line, if it has one.
    pub status: Option<&'static StatusFields>,
    /// The variable that names the host's version, in hooks that it starts.
    pub version_env: Option<VersionVariable>,
    /// It cuts long output before hooks see it, so that only a rewritten command keeps all of it.
    pub cuts_output_before_hooks: bool,
    /// It saves long results in the folder for temporary files.
    pub saves_results_in_temp: bool,
    /// Files that `forebay init` edits.
    pub files: &'static [SetupFile],
    /// What the user has to do after the files are written.
    pub next_steps: Option<&'static str>,
    /// The same after a set-up of a project.
    pub project_next_steps: Option<&'static str>,
    /// Files from which it loads instructions for the model.
    pub instructions: InstructionFiles,
    /// Files in which it keeps permission rules.
    pub permissions: &'static [RuleSource],
    /// Files with its own credentials, below the home folder; for `doctor` and strict isolation.
    pub credentials: &'static [&'static str],
    /// Where it records the workspaces that the user trusts.
    pub trust: Option<TrustFile>,
    /// How it records conversations, if they can be imported.
    pub transcripts: Option<&'static TranscriptFormat>,
    /// Parses a line of the transcript that its hooks name, if these do not have the model's answers.
    pub answers: Option<ParseLine>,
}

/// An agent that runs in a host, and reads the files of another table.
#[derive(Debug, Clone, Copy)]
pub struct Harness {
    /// Its name in the host, in lower case.
    pub name: &'static str,
    /// The id of the table that describes it.
    pub platform: &'static str,
    /// Whether it is set up with the host; the others are set up by name.
    pub is_default: bool,
}

/// The values of fields that a table leaves out.
pub(crate) const DEFAULTS: Platform = Platform {
    id: "",
    name: "",
    aliases: &[],
    harnesses: &[],
    evidence: Evidence::Documentation,
    events: &[],
    tools: &[],
    mcp_tool_names: McpToolNames::Unknown,
    payload: &SNAKE_CASE,
    machine_text: &machine_text::ANY_HOST,
    start_reasons: &[],
    encode: encode::no_reply,
    capabilities: &[],
    replacement: Replacement::Unsupported,
    limits: NO_LIMITS,
    failing_test: None,
    limitations: &[],
    detection: Detection { binaries: &[], folders: &[], in_project: &[] },
    caller: ANY_CALLER,
    session_env: &[],
    project_env: None,
    host_mod: None,
    plugin_diagnosis: None,
    plugin: None,
    probe: None,
    status: None,
    version_env: None,
    cuts_output_before_hooks: false,
    saves_results_in_temp: false,
    files: &[],
    next_steps: None,
    project_next_steps: None,
    instructions: AGENTS_MD,
    permissions: &[],
    credentials: &[],
    trust: None,
    transcripts: None,
    answers: None,
};

impl Platform {
    pub fn can(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// Whether Forebay registers hooks with it.
    pub fn has_hooks(&self) -> bool {
        self.registered_events().next().is_some()
    }

    /// Whether the user has to do something before it runs what was written at a level.
    pub fn has_own_step(&self, level: Level) -> bool {
        self.next_steps.is_some() || level == Level::Project && self.project_next_steps.is_some()
    }

    /// Whether Forebay's MCP server can be registered at a level.
    pub fn registers_server(&self, level: Level) -> bool {
        let is_server = |file: &&SetupFile| file.content.is_mcp_server();
        self.files.iter().filter(is_server).any(|file| file.level == level)
    }

    /// How many bytes of added context certainly reach the model; `None` if no limit is known.
    pub fn context_bytes(&self) -> Option<usize> {
        let tokens = self.limits.context_tokens.map(|tokens| tokens::to_bytes(tokens as u64));
        // A character takes at least a byte, so a limit in characters is safe as a limit in bytes.
        [self.limits.context_chars, tokens].into_iter().flatten().min()
    }

    /// The events that Forebay registers hooks for.
    pub fn registered_events(&self) -> impl Iterator<Item = &'static HostEvent> {
        self.events.iter().filter(|row| row.is_registered)
    }

    /// What the host's event of this name reports.
    pub fn moment(&self, event: &str) -> Option<Moment> {
        self.event(event).map(|row| row.moment)
    }

    pub(crate) fn event(&self, name: &str) -> Option<&'static HostEvent> {
        self.events.iter().find(|row| row.name == name)
    }
}

/// What a table is based on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Runs of the host.
    Run,
    /// Its published package.
    Package,
    /// Its documentation.
    Documentation,
}

/// How a host names tools of MCP servers.
#[derive(Debug, Clone, Copy)]
pub enum McpToolNames {
    /// `<prefix><server><separator><tool>`.
    Joined { prefix: &'static str, separator: &'static str },
    /// `<prefix><tool>`; the server is another field, or not given.
    ToolOnly { prefix: &'static str },
    /// Hooks are not called for MCP tools.
    Unknown,
}

/// The keys that lead to a value, outermost first.
pub type KeyPath = &'static [&'static str];

/// Where a payload has its values; the first path that leads to a value counts.
#[derive(Debug)]
pub struct PayloadFields {
    pub event: &'static [KeyPath],
    pub session: &'static [KeyPath],
    pub cwd: &'static [KeyPath],
    pub transcript: &'static [KeyPath],
    pub subagent: &'static [KeyPath],
    pub permission_mode: &'static [KeyPath],
    /// What tells two prompts with the same text apart.
    pub event_id: &'static [KeyPath],
    pub tool_name: &'static [KeyPath],
    pub tool_input: &'static [KeyPath],
    pub tool_id: &'static [KeyPath],
    pub tool_result: &'static [KeyPath],
    /// The result is JSON inside a string.
    pub is_result_json_text: bool,
    pub failure_markers: &'static [FieldValue],
    pub mcp_server: &'static [KeyPath],
    pub mcp_tool: &'static [KeyPath],
    pub error: &'static [KeyPath],
    pub prompt: &'static [KeyPath],
    /// Without this field, the prompt does not come from the user.
    pub prompt_requires: Option<&'static str>,
    pub start_reason: &'static [KeyPath],
    pub trigger: &'static [KeyPath],
    pub last_message: &'static [KeyPath],
    pub summary: &'static [KeyPath],
    pub message: &'static [KeyPath],
}

/// A field with a certain value.
#[derive(Debug)]
pub struct FieldValue {
    pub path: KeyPath,
    pub value: Scalar,
}

/// A scalar value.
#[derive(Debug, Clone, Copy)]
pub enum Scalar {
    Text(&'static str),
    Bool(bool),
}

/// The fields of Claude Code, which most hosts share.
pub(crate) const SNAKE_CASE: PayloadFields = PayloadFields {
    event: &[&["hook_event_name"]],
    session: &[&["session_id"]],
    cwd: &[&["cwd"]],
    transcript: &[&["transcript_path"]],
    subagent: &[&["agent_id"]],
    permission_mode: &[&["permission_mode"]],
    event_id: &[&["prompt_id"], &["turn_id"]],
    tool_name: &[&["tool_name"]],
    tool_input: &[&["tool_input"]],
    tool_id: &[&["tool_use_id"]],
    tool_result: &[&["tool_response"]],
    is_result_json_text: false,
    failure_markers: &[],
    mcp_server: &[&["mcp_server", "name"]],
    mcp_tool: &[],
    error: &[&["error"]],
    prompt: &[&["prompt"]],
    prompt_requires: None,
    start_reason: &[&["source"]],
    trigger: &[&["trigger"]],
    last_message: &[&["last_assistant_message"]],
    summary: &[&["compact_summary"]],
    message: &[&["message"]],
};

/// The start reasons that most hosts share.
pub(crate) const START_REASONS: &[(&str, StartReason)] = &[
    ("startup", StartReason::Startup),
    ("new", StartReason::Startup),
    ("resume", StartReason::Resume),
    ("clear", StartReason::Clear),
    ("compact", StartReason::Compact),
    ("fork", StartReason::Fork),
];

/// Something a host lets a hook do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Capability {
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

impl Capability {
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

    pub const fn description(self) -> &'static str {
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

/// What may replace a tool's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    Unsupported,
    AnyText,
    /// A result with the structure of the original.
    SameShape,
}

/// How much text a host accepts.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Characters of added context; longer context is cut, dropped or saved to a file.
    pub context_chars: Option<usize>,
    pub context_tokens: Option<usize>,
    /// Characters of a shell result that reach the model uncut, if known.
    pub result_chars: Option<usize>,
}

pub(crate) const NO_LIMITS: Limits =
    Limits { context_chars: None, context_tokens: None, result_chars: None };

/// How to detect that a host is installed.
#[derive(Debug)]
pub struct Detection {
    pub binaries: &'static [&'static str],
    /// Folders in the user's home that only this host creates.
    pub folders: &'static [&'static str],
    /// Files and folders in a project that only this host uses.
    pub in_project: &'static [&'static str],
}

/// How to detect that a host's hook was called by another host.
///
/// Hosts run each other's hooks: Copilot CLI, VS Code and Cursor read Claude Code's settings. The payload
/// takes precedence over the environment, because an agent that runs in another agent's shell inherits
/// its variables.
#[derive(Debug)]
pub struct CallerCheck {
    /// Fields that this host never sends.
    pub foreign_fields: &'static [&'static str],
    /// Variables of other hosts, checked if none of its own is set.
    pub foreign_env: &'static [&'static str],
    pub own_env: &'static [&'static str],
}

pub(crate) const ANY_CALLER: CallerCheck =
    CallerCheck { foreign_fields: &[], foreign_env: &[], own_env: &[] };

/// Forebay's mod: code that a host runs in its own process.
#[derive(Debug)]
pub struct HostMod {
    /// The variable that names the session in which it runs, in hooks that the host starts.
    pub session_env: &'static str,
    /// The variable with the ids of calls that the host allows without asking, separated by spaces.
    pub allowed_env: &'static str,
    /// The first version that runs mods, and the latest one that was tried.
    pub since: HostVersion,
    pub tried: HostVersion,
    /// Settings that forbid it, in the files that also have the permission rules.
    pub switches: &'static [Switch],
    /// Whether the host asks no mod to compact if there are any settings of an administrator.
    pub is_bypassed_if_managed: bool,
    /// How to see why the host did not load it.
    pub diagnosis: &'static str,
}

impl HostMod {
    /// The setting in the text of a settings file that forbids the mod.
    pub fn switch_in(&self, text: &str, is_managed: bool) -> Option<&'static str> {
        let settings: serde_json::Value = serde_json::from_str(text).ok()?;
        let is_on = |switch: &&Switch| {
            (is_managed || !switch.is_managed_only)
                && decode::get(&settings, switch.path).is_some_and(|value| *value == true)
        };
        self.switches.iter().find(is_on)?.path.last().copied()
    }
}

/// A setting that forbids mods if it is true.
#[derive(Debug)]
pub struct Switch {
    pub path: KeyPath,
    /// It counts only in the settings of an administrator.
    pub is_managed_only: bool,
}

/// Forebay's plugin, as a host's own command installs it.
#[derive(Debug)]
pub struct HostPlugin {
    /// The settings that list the user's plugins.
    pub base: BaseDir,
    pub file: &'static str,
    pub key: &'static str,
    /// The command that removes it.
    pub remove: &'static str,
}

impl HostPlugin {
    /// The name of Forebay's plugin, if the text of the settings enables it.
    pub fn enabled_in(&self, text: &str) -> Option<String> {
        let settings: serde_json::Value = serde_json::from_str(text).ok()?;
        let plugins = settings.get(self.key)?.as_object()?;
        let is_ours = |name: &str| name.split('@').next() == Some(SERVER_NAME);
        let enabled = plugins.iter().find(|(name, value)| is_ours(name) && **value != false);
        enabled.map(|(name, _)| name.clone())
    }
}

/// An event of a host as it was recorded, for a check of its hook.
#[derive(Debug)]
pub struct Probe {
    /// One that Forebay registers a hook for.
    pub event: &'static str,
    /// With the folders `/home/user` and `/home/user/project`.
    pub payload: &'static str,
}

/// Files from which a host loads instructions for the model.
#[derive(Debug)]
pub struct InstructionFiles {
    /// Relative to the project's root; a file of the same name in another folder also counts.
    pub files: &'static [&'static str],
    /// Folders whose files all count.
    pub folders: &'static [&'static str],
}

pub(crate) const AGENTS_MD: InstructionFiles =
    InstructionFiles { files: &["AGENTS.md"], folders: &[] };
