//! What is to be run, and how it is called in the history.

use std::path::{Path, PathBuf};

use forebay_sandbox::runtimes::{self, RUNTIMES, Runtime};
use forebay_sandbox::{Code, Program, Stdin};
use forebay_text::{number, shell_quote};

use crate::rules::Act;
use crate::run::input_files;
use crate::{App, AppError};

const SHELL: &str = "shell";

/// What to run, and how it is called in the history.
pub struct Command {
    pub program: Program,
    pub title: String,
    pub stdin: Stdin,
}

impl Command {
    /// Code in a language; without one, a shell command.
    pub fn of_code(app: &App, language: Option<&str>, code: String) -> Result<Self, AppError> {
        let runtime = runtime(language)?;
        if runtime.name == SHELL {
            return Ok(Self::of_shell(code));
        }
        let title = format!("{}: {code}", runtime.name);
        Ok(Self::new(program(app, runtime, code, Vec::new()), title))
    }

    /// A line for the shell.
    pub fn of_shell(line: String) -> Self {
        Self::new(Program::Shell(line.clone()), line)
    }

    /// Code that finds the content of files in its own language's variables.
    pub fn over_files(
        app: &App,
        language: Option<&str>,
        code: String,
        files: Vec<PathBuf>,
    ) -> Result<Self, AppError> {
        let runtime = runtime(language)?;
        let title = format!("{} over {}: {code}", runtime.name, called(app, &files));
        Ok(Self::new(program(app, runtime, code, files), title))
    }

    /// The same with the files that `names` mean, as a command line gives them.
    pub fn over_named_files(
        app: &App,
        language: Option<&str>,
        code: String,
        names: &[String],
    ) -> Result<Self, AppError> {
        Self::over_files(app, language, code, input_files::named(&app.cwd, names)?)
    }

    /// Exactly these arguments, without a shell.
    pub fn of_arguments(arguments: Vec<String>) -> Self {
        let title = shell_quote::arguments(&arguments);
        Self::new(Program::Argv(arguments), title)
    }

    /// What the permission rules are asked about.
    pub(super) fn acts(&self, cwd: &Path) -> Vec<Act> {
        match &self.program {
            Program::Shell(line) => vec![Act::Run(line.clone())],
            Program::Argv(arguments) => vec![Act::Run(shell_quote::arguments(arguments))],
            Program::Code(code) => {
                // Whoever may not run the engine from a shell may not run it here either.
                let engine = code.runtime.program(cwd).into_iter();
                let running = engine.map(|program| {
                    let script = format!("script.{}", code.runtime.extension);
                    Act::Run(shell_quote::arguments(&[program, script]))
                });
                let reading = code.files.iter().map(|path| Act::Read(path.clone()));
                running.chain(reading).collect()
            }
        }
    }

    fn new(program: Program, title: String) -> Self {
        Self { program, title, stdin: Stdin::Closed }
    }
}

fn program(app: &App, runtime: &'static Runtime, text: String, files: Vec<PathBuf>) -> Program {
    let binary_cache = app.places.home().compiled_programs();
    Program::Code(Code { runtime, text, files, binary_cache })
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

/// The files in a few words.
fn called(app: &App, files: &[PathBuf]) -> String {
    let shown = |path: &Path| path.strip_prefix(&app.cwd).unwrap_or(path).display().to_string();
    match files {
        [one] => shown(one),
        many => number::counted(many.len() as u64, "file"),
    }
}
