//! The description of a language: its engines, and how they run code.

use std::path::Path;

/// A language and its engines.
#[derive(Debug)]
pub struct Runtime {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// Whether its code consists of commands, as in a shell.
    pub is_shell: bool,
    /// The extension of script files, without the dot.
    pub extension: &'static str,
    /// The programs that can run it, in order of preference.
    pub engines: &'static [Engine],
    /// Added before the text of every script.
    pub header: Header,
    /// How to install it.
    pub install: &'static str,
}

impl PartialEq for Runtime {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Runtime {}

/// A program that runs a language.
#[derive(Debug)]
pub struct Engine {
    pub program: &'static str,
    pub location: EngineLocation,
    pub invocation: Invocation,
    pub prelude: Prelude,
    /// Search path variables and the directories to prepend.
    pub search_paths: &'static [(&'static str, &'static str)],
}

/// Where an engine is found.
#[derive(Debug)]
pub enum EngineLocation {
    OnPath,
    /// On `PATH`, if its `--version` is at least this.
    OnPathMinVersion(u32, u32),
    /// On `PATH`, if the project contains this file.
    OnPathIfProjectHas(&'static str),
    /// At this path in the project.
    InProject,
    /// Below the directory in this environment variable.
    InEnvDir(&'static str),
}

/// The arguments of an engine.
///
/// Placeholders: `{code}` is the text, `{script}` the file that contains it, `{binary}` the compiled program,
/// `{prelude}` the prelude file, `{prelude-args}` the arguments that load it, `{folder}` the private directory
/// of the run, `{cwd}` its working directory.
#[derive(Debug)]
pub enum Invocation {
    /// The text is an argument, so that relative imports are resolved from the working directory. A text that
    /// is too long for an argument becomes a file, run with `script_args`.
    Inline { args: &'static [&'static str], script_args: &'static [&'static str] },
    /// The text is a file.
    Script(&'static [&'static str]),
    /// The text is a file that is compiled first. The binary is cached only if the text `is_self_contained`: if
    /// it includes files of the project, the binary would be stale when they change.
    Compiled {
        args: &'static [&'static str],
        is_self_contained: fn(text: &str, cwd: &Path) -> bool,
    },
}

/// Text before the code, on its first line so that line numbers stay correct.
#[derive(Debug)]
pub enum Header {
    None,
    FirstLine(&'static str),
    /// An opening tag, added if the code lacks it.
    OpeningTag(&'static str),
}

/// How the input files are exposed as variables of the language.
///
/// Every process has the first path in the environment variable `FILE_PATH`, and the name of a file that lists
/// all paths in `FOREBAY_FILES`. A prelude derives `FILE_CONTENT`, `FILES` and `FILE_CONTENTS` from these.
#[derive(Debug)]
pub enum Prelude {
    /// Only the environment variables.
    EnvironmentOnly,
    /// Text before the code, on its first line.
    FirstLine(&'static str),
    /// Text after the code, for a language in which the order of items does not matter.
    LastLine(&'static str),
    /// A file that the engine loads.
    File(PreludeFile),
}

/// A file that the engine loads together with the script.
#[derive(Debug)]
pub struct PreludeFile {
    pub name: &'static str,
    pub text: &'static str,
    /// Replaces `{prelude-args}`.
    pub args: &'static [&'static str],
}
