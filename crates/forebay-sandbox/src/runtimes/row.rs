//! What a language's row says.

use std::path::Path;

/// A language, as data.
#[derive(Debug)]
pub struct Runtime {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// Of its script files, without the dot.
    pub extension: &'static str,
    /// What can run it, in order of preference.
    pub engines: &'static [Engine],
    /// What every script needs before its own text.
    pub setup: Setup,
    /// How to get it, for whoever lacks it.
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
    pub place: Place,
    pub start: Start,
    pub offer: Offer,
    /// Lists of folders to which `{folder}` and `{cwd}` are added in front.
    pub search_paths: &'static [(&'static str, &'static str)],
}

/// Where an engine is found.
#[derive(Debug)]
pub enum Place {
    OnPath,
    /// On PATH, and its `--version` is at least this.
    OnPathSince(u32, u32),
    /// On PATH, and the project has this file.
    OnPathFor(&'static str),
    /// At this path in the project.
    InProject,
    /// Below the folder that this variable names.
    Below(&'static str),
}

/// The words that follow the program.
///
/// `{code}` is the text, `{script}` a file that holds it, `{binary}` what is compiled, `{load}` the words
/// of [`Load`], `{prelude}` its file, `{folder}` the run's private folder, `{cwd}` its working folder.
#[derive(Debug)]
pub enum Start {
    /// The text is an argument, so relative imports count from the working folder; `long` is for a
    /// text that is too large for one.
    Inline { words: &'static [&'static str], long: &'static [&'static str] },
    /// The text is a file.
    Script(&'static [&'static str]),
    /// The text is a file that is compiled first; what was compiled is kept for a text that `is_alone`:
    /// one that draws in files of the project would be stale when they change.
    Compiled { words: &'static [&'static str], is_alone: fn(text: &str, cwd: &Path) -> bool },
}

/// What stands before a script's text, on its first line so that line numbers hold.
#[derive(Debug)]
pub enum Setup {
    Nothing,
    FirstLine(&'static str),
    /// The tag that opens a script, for one that lacks it.
    Tag(&'static str),
}

/// How the files that code is to work on are offered in the language's own words.
///
/// Every process finds the first path in `FILE_PATH`, and in `FOREBAY_FILES` the name of a file with
/// all of them, a line each; an offer makes `FILE_CONTENT`, `FILES` and `FILE_CONTENTS` of these.
#[derive(Debug)]
pub enum Offer {
    /// The variables of the environment are all there is.
    Environment,
    /// Text before the code, on its first line.
    FirstLine(&'static str),
    /// Text after the code, for a language in which order does not matter.
    LastLine(&'static str),
    /// A file that the engine loads.
    Loaded(Load),
}

/// A file that is loaded beside the script.
#[derive(Debug)]
pub struct Load {
    pub file: &'static str,
    pub text: &'static str,
    /// What stands for `{load}`.
    pub words: &'static [&'static str],
}
