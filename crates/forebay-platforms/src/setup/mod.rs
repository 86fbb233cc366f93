//! Setting a host up: the text of its files with Forebay in it, and without it again.
//!
//! Pure: a text goes in, a text comes out. What was added is taken away byte for byte, whatever the
//! file looked like: comments, order, indentation, line ends and a byte order mark stay. Adding twice
//! is adding once. A file of which only blanks are left was made by us and can be deleted.

mod block;
mod entries;
mod json;
mod layout;
mod place;
mod toml;
mod whole;

pub use block::INSTRUCTIONS;
pub use place::{Base, Folders, Os};

use crate::Platform;

/// The text to start from where there is no file: a file ends with a line end.
pub const NEW_FILE: &str = "\n";
/// What Forebay is called in every host's list of servers.
pub const SERVER: &str = "forebay";

/// Whose settings are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    User,
    Project,
}

/// A file of a host, and what Forebay puts there.
#[derive(Debug, Clone, Copy)]
pub struct SetupFile {
    pub level: Level,
    pub base: Base,
    pub path: &'static str,
    pub holds: Holds,
}

/// What Forebay puts in a file.
#[derive(Debug, Clone, Copy)]
pub enum Holds {
    /// An MCP server under a key of a JSON file.
    Servers {
        key: &'static str,
        entry: ServerEntry,
    },
    /// An MCP server in a TOML file.
    TomlServers,
    Hooks(HookLayout),
    /// A few sentences for the model, between markers.
    Instructions,
    /// A file that is all Forebay's.
    Whole(WholeFile),
}

/// How a host writes down an MCP server.
#[derive(Debug, Clone, Copy)]
pub enum ServerEntry {
    /// `command` and `args`.
    Plain,
    /// And `"type": "stdio"`.
    Stdio,
    /// And told to list its tools at once.
    AlwaysLoaded,
    /// And `"type": "local"`, with all its tools.
    Local,
    OpenCode,
}

/// How a host writes down hooks.
#[derive(Debug, Clone, Copy)]
pub enum HookLayout {
    /// `hooks.<Event>` is a list of groups with a matcher and hooks inside; time in the host's unit.
    Grouped { matcher: Option<&'static str>, timeout: u32 },
    /// `hooks.<event>` is a list of hooks, in some hosts beside a version.
    Flat { version: bool },
}

/// The files that are all Forebay's.
#[derive(Debug, Clone, Copy)]
pub enum WholeFile {
    CopilotHooks,
    VsCodeHooks,
    KiroHooks,
    OpenCodePlugin,
    /// A folder with one script an event.
    ClineScripts,
}

/// A file to change.
#[derive(Debug)]
pub struct Step {
    pub platform: &'static Platform,
    pub base: Base,
    /// Below the base.
    pub path: String,
    pub is_executable: bool,
    holds: Holds,
    /// The event that a script is for.
    event: Option<&'static str>,
}

/// Why a text is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotEdit {
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    #[error("`{0}` is something else than expected there")]
    Unexpected(String),
    #[error("the marker `{0}` stands there alone")]
    BrokenMarkers(&'static str),
    #[error("a file of somebody else has this name")]
    Taken,
}

/// The files to change for a host, in order.
///
/// Two steps may name one file, also those of two hosts: each takes the text the one before gave. They
/// are taken back in any order.
pub fn steps(platform: &'static Platform, level: Level) -> Vec<Step> {
    let files = platform.files.iter().filter(|file| file.level == level);
    files.flat_map(|file| steps_of(platform, file)).collect()
}

fn steps_of(platform: &'static Platform, file: &SetupFile) -> Vec<Step> {
    let step = |path: String, event: Option<&'static str>| Step {
        platform,
        base: file.base,
        path,
        is_executable: event.is_some(),
        holds: file.holds,
        event,
    };
    match file.holds {
        Holds::Whole(WholeFile::ClineScripts) => platform
            .registered()
            .map(|row| step(format!("{}{}", file.path, row.name), Some(row.name)))
            .collect(),
        _ => vec![step(file.path.to_owned(), None)],
    }
}

impl Step {
    /// The text with Forebay in it; `program` is how hosts start it.
    pub fn add(&self, text: &str, program: &str) -> Result<String, CannotEdit> {
        keeping_mark(text, |text| match self.holds {
            Holds::Servers { key, entry } => {
                json::put(text, &[key, SERVER], &entries::server(entry, program))
            }
            Holds::TomlServers => toml::add(text, program),
            Holds::Hooks(layout) => layout::add(text, self.platform, layout, program),
            Holds::Instructions => block::add(text),
            Holds::Whole(kind) => whole::add(text, self.platform, kind, self.event, program),
        })
    }

    /// The text without Forebay.
    pub fn remove(&self, text: &str) -> Result<String, CannotEdit> {
        keeping_mark(text, |text| match self.holds {
            Holds::Servers { key, .. } => json::drop(text, &[key, SERVER]),
            Holds::TomlServers => toml::remove(text),
            Holds::Hooks(layout) => layout::remove(text, self.platform, layout),
            Holds::Instructions => block::remove(text),
            Holds::Whole(_) => Ok(whole::remove(text, self.platform)),
        })
    }

    /// Whether Forebay stands in this text.
    pub fn is_in(&self, text: &str) -> bool {
        self.remove(text).is_ok_and(|without| without != text)
    }

    /// Whether another host's step puts the very same thing into a file of the same name.
    pub fn is_shared_with(&self, other: &Self) -> bool {
        match (self.holds, other.holds) {
            (Holds::Instructions, Holds::Instructions)
            | (Holds::TomlServers, Holds::TomlServers) => true,
            (Holds::Servers { key: own, .. }, Holds::Servers { key: others, .. }) => own == others,
            _ => false,
        }
    }

    /// Whether it registers the MCP server.
    pub fn is_server(&self) -> bool {
        matches!(self.holds, Holds::Servers { .. } | Holds::TomlServers)
    }

    /// The program that a text tells the host to start as MCP server.
    pub fn program_in(&self, text: &str) -> Option<String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match self.holds {
            Holds::Servers { key, .. } => {
                entries::program(&json::get(text, &[key, SERVER]).ok().flatten()?)
            }
            Holds::TomlServers => toml::program(text),
            _ => None,
        }
    }
}

/// Edits what stands behind a byte order mark.
fn keeping_mark(
    text: &str,
    edit: impl Fn(&str) -> Result<String, CannotEdit>,
) -> Result<String, CannotEdit> {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Ok(format!("\u{feff}{}", edit(rest)?)),
        None => edit(text),
    }
}

/// The line end a text uses.
fn newline_of(text: &str) -> &'static str {
    let crlf = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
    if crlf { "\r\n" } else { "\n" }
}

/// Where a text ends, its last line ends apart: what is appended goes here, so that they stay last.
fn end_of_lines(text: &str) -> usize {
    text.trim_end_matches(['\n', '\r']).len()
}

/// The beginning of up to `lines` line ends just before a place.
fn before_newlines(text: &str, at: usize, lines: usize) -> usize {
    let mut start = at;
    for _ in 0..lines {
        let Some(rest) = text[..start].strip_suffix('\n') else { break };
        start = rest.strip_suffix('\r').unwrap_or(rest).len();
    }
    start
}
