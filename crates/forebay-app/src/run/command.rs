//! A command to run, and its title in the history.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use forebay_sandbox::runtimes::{self, RUNTIMES, Runtime};
use forebay_sandbox::{Code, Program, Stdin};
use forebay_text::{number, shell_quote};

use crate::rules::Act;
use crate::run::input_files;
use crate::{App, AppError};

const SHELL: &str = "shell";

/// A command to run, and its title in the history.
pub struct Command {
    pub program: Program,
    pub title: String,
    pub stdin: Stdin,
}

impl Command {
    /// Runs code in a language; without one, a shell command.
    pub fn from_code(app: &App, language: Option<&str>, code: String) -> Result<Self, AppError> {
        let runtime = runtime(language)?;
        if runtime.name == SHELL {
            return Ok(Self::from_shell(code));
        }
        let title = format!("{}: {code}", runtime.name);
        Ok(Self::new(program(app, runtime, code, Vec::new()), title))
    }

    /// Runs a shell command line.
    pub fn from_shell(line: String) -> Self {
        Self::new(Program::Shell(line.clone()), line)
    }

    /// Runs code that gets the contents of files as variables of its language.
    pub fn for_files(
        app: &App,
        language: Option<&str>,
        code: String,
        files: Vec<PathBuf>,
    ) -> Result<Self, AppError> {
        let runtime = runtime(language)?;
        let title = format!("{} over {}: {code}", runtime.name, describe_files(app, &files));
        Ok(Self::new(program(app, runtime, code, files), title))
    }

    /// Like [`Self::for_files`], with paths and globs from a command line.
    pub fn for_named_files(
        app: &App,
        language: Option<&str>,
        code: String,
        names: &[String],
    ) -> Result<Self, AppError> {
        Self::for_files(app, language, code, input_files::resolve(&app.cwd, names)?)
    }

    /// Runs exactly these arguments without a shell.
    pub fn from_arguments(arguments: Vec<String>) -> Self {
        let title = shell_quote::arguments(&arguments);
        Self::new(Program::Argv(arguments), title)
    }

    /// Returns the acts that the permission rules check.
    pub(super) fn acts(&self, cwd: &Path, env: &BTreeMap<String, String>) -> Vec<Act> {
        let given = env.iter().map(|(name, value)| (name.clone(), value.clone()));
        let run = |command: String| Act::Run { command, variables: given.clone().collect() };
        match &self.program {
            Program::Shell(line) => vec![run(line.clone())],
            Program::Argv(arguments) => vec![run(shell_quote::arguments(arguments))],
            Program::Code(code) => {
                let reading = code.files.iter().map(|path| Act::Read(path.clone()));
                let path = code.files.first().map(|path| path.to_string_lossy().into_owned());
                let passed = path.map(|path| ("FILE_PATH".to_owned(), path));
                let variables = given.clone().chain(passed).collect();
                let run = Act::Run { command: code_line(code, cwd), variables };
                // What a rule says about a file explains more than a guess about the code.
                reading.chain([run]).collect()
            }
        }
    }

    fn new(program: Program, title: String) -> Self {
        Self { program, title, stdin: Stdin::Closed }
    }
}

fn program(app: &App, runtime: &'static Runtime, text: String, files: Vec<PathBuf>) -> Program {
    // The literals of a compiled program are in its file; one with secrets is not kept.
    let is_kept = app.redaction.redact(&text).1.is_empty();
    let binary_cache = is_kept.then(|| app.stores.home().compiled_programs());
    Program::Code(Code { runtime, text, files, binary_cache })
}

/// Returns the command line that runs code, so that a rule about it or about the interpreter applies.
///
/// The code of a shell is part of the line: it consists of commands.
fn code_line(code: &Code, cwd: &Path) -> String {
    // An engine that is not installed yet is judged by its name.
    let usual = || code.runtime.engines.first().map(|engine| engine.program.to_owned());
    let program = code.runtime.program(cwd).or_else(usual).unwrap_or_default();
    if code.runtime.is_shell {
        return shell_quote::arguments(&[&*program, "-c", &code.text]);
    }
    shell_quote::arguments(&[program, format!("script.{}", code.runtime.extension)])
}

fn runtime(language: Option<&str>) -> Result<&'static Runtime, AppError> {
    let name = language.unwrap_or(SHELL);
    runtimes::find(name).ok_or_else(|| {
        let known: Vec<&str> = RUNTIMES.iter().map(|runtime| runtime.name).collect();
        AppError::bad_input(
            format!("unknown language `{}`", name.chars().take(40).collect::<String>()),
            format!("one of: {}", known.join(", ")),
        )
    })
}

/// Describes the files in a few words.
fn describe_files(app: &App, files: &[PathBuf]) -> String {
    let shown = |path: &Path| path.strip_prefix(&app.cwd).unwrap_or(path).display().to_string();
    match files {
        [one] => shown(one),
        many => number::counted(many.len() as u64, "file"),
    }
}
