//! Adds Forebay to the text of a host's settings files, and removes it again.
//!
//! Pure: a text goes in, a text comes out. Removal restores the original byte for byte, whatever the file
//! looks like: comments, order, indentation, line endings and a byte order mark are kept. Adding is
//! idempotent. A file that contains only whitespace after removal was created by Forebay and can be deleted.

mod entries;
mod hooks;
mod instructions;
mod invocation;
mod json;
mod owned_file;
mod remote_servers;
mod remote_toml;
mod status_line;
mod toml;
mod wrapped_servers;

pub use instructions::INSTRUCTIONS;
pub use invocation::{HookCommand, ServerCommand};
pub use wrapped_servers::{ConfiguredServer, ServerKind, ServerNames, Wrapper};

use crate::Platform;
use crate::folders::BaseDir;

/// The text that a missing file counts as.
pub const NEW_FILE: &str = "\n";
/// Forebay's name in every host's list of MCP servers.
pub const SERVER_NAME: &str = "forebay";

/// Which settings to edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    User,
    Project,
}

/// A file of a host, and what Forebay adds to it.
#[derive(Debug, Clone, Copy)]
pub struct SetupFile {
    pub level: Level,
    pub base: BaseDir,
    pub path: &'static str,
    pub content: FileContent,
}

/// What Forebay adds to a file.
#[derive(Debug, Clone, Copy)]
pub enum FileContent {
    /// An MCP server below a key of a JSON file.
    McpServers {
        key: &'static str,
        entry: ServerEntry,
    },
    /// An MCP server in a TOML file.
    TomlMcpServers,
    Hooks(HookLayout),
    /// A line in the host's status line, beside the user's own.
    StatusLine,
    /// Instructions for the model, between markers.
    Instructions,
    /// A file that Forebay owns.
    Owned(OwnedFile),
}

impl FileContent {
    pub(crate) const fn is_mcp_server(self) -> bool {
        matches!(self, Self::McpServers { .. } | Self::TomlMcpServers)
    }

    const fn written_by_host(self) -> &'static [&'static str] {
        match self {
            Self::Owned(OwnedFile::ClaudeCodeMod(ModFile::Manifest)) => owned_file::MOD_TYPES,
            _ => &[],
        }
    }
}

/// The format of an MCP server's entry.
#[derive(Debug, Clone, Copy)]
pub enum ServerEntry {
    /// `command` and `args`.
    Plain,
    /// With `"type": "stdio"`.
    Stdio,
    /// With `"type": "stdio"`, and its tools always loaded.
    AlwaysLoaded,
    /// With its tools always loaded, as Qwen Code spells it.
    AlwaysLoadTools,
    /// With `"type": "local"` and all tools enabled.
    Local,
    OpenCode,
}

/// The format of hooks.
#[derive(Debug, Clone, Copy)]
pub enum HookLayout {
    /// `hooks.<Event>` is a list of groups with a matcher and hooks; the timeout is in the host's unit.
    Grouped {
        matcher: Option<&'static str>,
        timeout: u32,
        /// The field of the command on Windows, if there is one.
        windows: Option<&'static str>,
    },
    /// `hooks.<event>` is a list of hooks, in some hosts next to a version.
    Flat { version: bool },
    /// `forebay.<Event>` is a list of hooks: the host names each set of hooks.
    Named { timeout: u32 },
}

/// The files that Forebay owns.
#[derive(Debug, Clone, Copy)]
pub enum OwnedFile {
    CopilotHooks,
    VsCodeHooks,
    KiroHooks,
    OpenCodePlugin,
    /// A file of the folder with Claude Code's mod.
    ClaudeCodeMod(ModFile),
    ClinePlugin,
    /// A script that Cline runs at an event.
    ClineScript {
        event: &'static str,
    },
}

/// The files of a mod.
#[derive(Debug, Clone, Copy)]
pub enum ModFile {
    Manifest,
    Hooks,
    Module,
}

/// An edit of one file.
#[derive(Debug)]
pub struct Step {
    pub platform: &'static Platform,
    pub base: BaseDir,
    /// Relative to the base.
    pub path: &'static str,
    pub is_executable: bool,
    /// What the host itself writes beside a file that Forebay owns, relative to the base.
    pub written_by_host: &'static [&'static str],
    content: FileContent,
}

/// Why a file cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("cannot parse it: {0}")]
    Parse(String),
    #[error("`{0}` has an unexpected type")]
    UnexpectedType(String),
    #[error("the marker `{0}` has no counterpart")]
    UnpairedMarker(&'static str),
    #[error("a file with this name exists that Forebay did not create")]
    NotOurs,
}

/// The edits that set up a host, in order.
///
/// Several steps, also of different hosts, may edit the same file: each takes the text that the previous
/// one returned. They can be undone in any order.
pub fn steps(platform: &'static Platform, level: Level) -> Vec<Step> {
    let files = platform.files.iter().filter(|file| file.level == level);
    files.map(|file| step(platform, file)).collect()
}

/// Whether a file may contain something of Forebay, also if it cannot be parsed.
pub fn may_contain_forebay(text: &str) -> bool {
    // A hook may start a program of any name.
    text.contains(SERVER_NAME) || text.contains(" hook ")
}

fn step(platform: &'static Platform, file: &SetupFile) -> Step {
    Step {
        platform,
        base: file.base,
        path: file.path,
        is_executable: matches!(file.content, FileContent::Owned(OwnedFile::ClineScript { .. })),
        written_by_host: file.content.written_by_host(),
        content: file.content,
    }
}

impl Step {
    /// Adds Forebay to a text; `program` is the command that starts it.
    pub fn add(&self, text: &str, program: &str) -> Result<String, EditError> {
        preserving_bom(text, |text| match self.content {
            FileContent::McpServers { key, entry } => {
                json::set(text, &[key, SERVER_NAME], &entries::server(entry, program))
            }
            FileContent::TomlMcpServers => toml::add(text, program),
            FileContent::Hooks(layout) => hooks::add(text, self.platform, layout, program),
            FileContent::StatusLine => status_line::add(text, self.platform, program),
            FileContent::Instructions => instructions::add(text),
            FileContent::Owned(kind) => owned_file::add(text, self.platform, kind, program),
        })
    }

    /// Removes Forebay from a text.
    pub fn remove(&self, text: &str) -> Result<String, EditError> {
        preserving_bom(text, |text| match self.content {
            FileContent::McpServers { key, .. } => json::remove(text, &[key, SERVER_NAME]),
            FileContent::TomlMcpServers => toml::remove(text),
            FileContent::Hooks(layout) => hooks::remove(text, self.platform, layout),
            FileContent::StatusLine => status_line::remove(text, self.platform),
            FileContent::Instructions => instructions::remove(text),
            FileContent::Owned(_) => Ok(owned_file::remove(text, self.platform)),
        })
    }

    /// Has MCP servers of a text started through a command.
    pub fn wrap(
        &self,
        text: &str,
        names: &ServerNames,
        wrapper: &Wrapper,
    ) -> Result<String, EditError> {
        preserving_bom(text, |text| wrapped_servers::wrap(text, self.content, names, wrapper))
    }

    /// Restores how MCP servers of a text were started.
    pub fn unwrap(&self, text: &str, names: &ServerNames) -> Result<String, EditError> {
        preserving_bom(text, |text| wrapped_servers::unwrap(text, self.content, names))
    }

    /// The MCP servers of a text, apart from Forebay.
    pub fn servers(&self, text: &str) -> Result<Vec<ConfiguredServer>, EditError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        wrapped_servers::servers(text, self.content)
    }

    /// Whether a text contains what this step adds.
    pub fn is_applied(&self, text: &str) -> bool {
        self.remove(text).is_ok_and(|without| without != text)
    }

    /// Whether a program that Forebay owns differs from the one that this version writes.
    pub fn is_altered(&self, text: &str) -> bool {
        matches!(self.content, FileContent::Owned(kind) if owned_file::is_altered(text, kind))
    }

    /// Whether another host's step adds the same content to a file of the same name.
    pub fn is_shared_with(&self, other: &Self) -> bool {
        match (self.content, other.content) {
            (FileContent::Instructions, FileContent::Instructions)
            | (FileContent::TomlMcpServers, FileContent::TomlMcpServers) => true,
            (
                FileContent::McpServers { key: own, .. },
                FileContent::McpServers { key: others, .. },
            ) => own == others,
            _ => false,
        }
    }

    /// Whether it adds instructions for the model.
    pub fn is_instructions(&self) -> bool {
        matches!(self.content, FileContent::Instructions)
    }

    /// Whether a host's plugin of Forebay has what it adds.
    pub fn is_in_plugin(&self) -> bool {
        !self.is_instructions() && !self.is_status_line()
    }

    /// Whether it adds a status line, which the user may do without.
    pub fn is_status_line(&self) -> bool {
        matches!(self.content, FileContent::StatusLine)
    }

    /// Whether it registers the MCP server.
    pub fn is_server(&self) -> bool {
        self.content.is_mcp_server()
    }
}

/// Edits a text without its byte order mark, which is kept.
fn preserving_bom(
    text: &str,
    edit: impl Fn(&str) -> Result<String, EditError>,
) -> Result<String, EditError> {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Ok(format!("\u{feff}{}", edit(rest)?)),
        None => edit(text),
    }
}

/// The line ending of a text.
fn line_ending(text: &str) -> &'static str {
    let crlf = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
    if crlf { "\r\n" } else { "\n" }
}

/// The end of a text without its final newlines; text is appended there.
fn end_without_newlines(text: &str) -> usize {
    text.trim_end_matches(['\n', '\r']).len()
}

/// The start of up to `count` newlines directly before a position.
fn start_of_newlines(text: &str, at: usize, count: usize) -> usize {
    let mut start = at;
    for _ in 0..count {
        let Some(rest) = text[..start].strip_suffix('\n') else { break };
        start = rest.strip_suffix('\r').unwrap_or(rest).len();
    }
    start
}
