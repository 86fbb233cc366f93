//! A command to run, and its title in the history.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use forebay_policy::Sibling;
use forebay_sandbox::runtimes::{self, RUNTIMES, Runtime};
use forebay_sandbox::{Code, Program, Stdin};
use forebay_text::{number, shell_quote};

use crate::rules::{Act, RunAct};
use crate::run::input_files;
use crate::{App, AppError};

const SHELL: &str = "shell";

/// A command to run, and its title in the history.
pub struct Command {
    pub program: Program,
    pub title: String,
    pub stdin: Stdin,
    /// The other commands of the same call, which may write what this one runs.
    pub siblings: Vec<Sibling>,
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
    pub(super) fn acts(&self, app: &App, cwd: &Path, env: &BTreeMap<String, String>) -> Vec<Act> {
        let Sibling { command, code } = self.as_sibling(app, cwd);
        let files: &[PathBuf] = match &self.program {
            Program::Code(code) => &code.files,
            Program::Shell(_) | Program::Argv(_) => &[],
        };
        let path = files.first().map(|path| path.to_string_lossy().into_owned());
        let given = env.iter().map(|(name, value)| (name.clone(), value.clone()));
        let variables = given.chain(path.map(|path| ("FILE_PATH".to_owned(), path))).collect();
        let siblings = self.siblings.clone();
        let run = RunAct { command, variables, stdin: self.stdin_text(), code, siblings };
        // What a rule says about a file explains more than a guess about the code.
        files.iter().cloned().map(Act::Read).chain([Act::Run(run)]).collect()
    }

    /// Returns what this command may write for other commands of the same call.
    pub(crate) fn as_sibling(&self, app: &App, cwd: &Path) -> Sibling {
        match &self.program {
            Program::Shell(line) => Sibling { command: line.clone(), code: None },
            Program::Argv(arguments) => {
                Sibling { command: shell_quote::arguments(arguments), code: None }
            }
            Program::Code(code) => Sibling {
                command: code_line(app, code, cwd),
                code: (!code.runtime.is_shell).then(|| code.text.clone()),
            },
        }
    }

    fn stdin_text(&self) -> Option<String> {
        match &self.stdin {
            Stdin::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            Stdin::Closed | Stdin::Inherit | Stdin::Pipe(_) => None,
        }
    }

    fn new(program: Program, title: String) -> Self {
        Self { program, title, stdin: Stdin::Closed, siblings: Vec::new() }
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
/// The code of a shell is part of the line: it consists of commands. Other code is judged beside it.
fn code_line(app: &App, code: &Code, cwd: &Path) -> String {
    // An engine that is not installed yet is judged by its name.
    let usual = || code.runtime.engines.first().map(|engine| engine.program.to_owned());
    let writable = app.writable_by_runs();
    let program = code.runtime.program(cwd, &writable).or_else(usual).unwrap_or_default();
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
