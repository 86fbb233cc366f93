//! Terminal output: answers, JSON, errors. A closed pipe is not an error.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use forebay_app::{App, AppError, ErrorKind, Reply};
use forebay_text::invisible::escape;
use serde_json::{Value, json};

use super::paint;

/// Exit code of shells for a command that may not be run.
const CANNOT_EXECUTE: u8 = 126;

/// Exit code of shells for a command that was interrupted.
const INTERRUPTED: u8 = 130;

/// Why a command ended early.
#[derive(Debug)]
pub(super) enum Failure {
    /// An error to report.
    Error(AppError),
    /// The user interrupted it: what is done, and how to go on.
    Interrupted(AppError),
    /// The reader of the output is gone.
    ClosedPipe,
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        Self::Error(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::ClosedPipe;
        }
        Self::Error(AppError::unavailable(error.to_string(), None))
    }
}

impl Failure {
    pub(super) fn report(self, as_json: bool) -> ExitCode {
        let (error, code) = match self {
            Self::ClosedPipe => return ExitCode::SUCCESS,
            Self::Interrupted(error) => (error, INTERRUPTED),
            Self::Error(error) => {
                let code = code_of(error.kind);
                (error, code)
            }
        };
        // If the error cannot be written, the exit code still reports it.
        let _ = tell_error(&error, as_json);
        ExitCode::from(code)
    }
}

const fn code_of(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::BadInput => 2,
        ErrorKind::Refused => CANNOT_EXECUTE,
        ErrorKind::NotFound | ErrorKind::Unavailable | ErrorKind::Busy => 1,
    }
}

fn tell_error(error: &AppError, as_json: bool) -> io::Result<()> {
    let mut stderr = anstream::stderr().lock();
    if as_json {
        return writeln!(stderr, "{}", json!({ "error": error.message, "hint": error.hint }));
    }
    writeln!(stderr, "{} {}", paint::error("error:"), escape(&error.message))?;
    match &error.hint {
        Some(hint) => writeln!(stderr, "{} {}", paint::hint("hint:"), escape(hint)),
        None => Ok(()),
    }
}

/// Asks the user at the terminal, if there is one.
pub(super) fn ask(question: &str) -> Reply {
    if !can_ask() {
        return Reply::Unavailable;
    }
    reply(&answer(question, "[y/N]"))
}

/// Like [`ask`]; the answer `d` shows the details, and the question comes again.
pub(super) fn ask_with_details(
    question: &str,
    details: &str,
    show: impl Fn() -> Result<(), Failure>,
) -> Reply {
    if !can_ask() {
        return Reply::Unavailable;
    }
    loop {
        let given = answer(question, &format!("[y/N, d: {details}]"));
        if given != "d" {
            return reply(&given);
        }
        if show().is_err() {
            return Reply::No;
        }
    }
}

/// Whether there is a terminal to ask at.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// What the user types, in lower case; nothing if it cannot be read.
fn answer(question: &str, choices: &str) -> String {
    let mut line = String::new();
    let asked = write!(anstream::stderr(), "{}\n{} ", escape(question), paint::hint(choices))
        .and_then(|()| io::stdin().read_line(&mut line));
    if asked.is_ok() { line.trim().to_lowercase() } else { String::new() }
}

fn reply(answer: &str) -> Reply {
    if matches!(answer, "y" | "yes") { Reply::Yes } else { Reply::No }
}

/// Prints the app's notices to stderr.
pub(super) fn tell_notices(app: &App) -> io::Result<()> {
    let mut stderr = anstream::stderr().lock();
    app.take_notices()
        .iter()
        .try_for_each(|notice| writeln!(stderr, "{} {}", paint::hint("note:"), escape(notice)))
}

/// Prints a note to stderr.
pub(super) fn note(notice: &str) -> io::Result<()> {
    writeln!(anstream::stderr().lock(), "{} {}", paint::hint("note:"), escape(notice))
}

/// Prints an answer, coloured on a terminal.
pub(super) fn print_answer(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    for line in text.lines() {
        writeln!(stdout, "{}", paint::answer_line(&escape(line)))?;
    }
    Ok(stdout.flush()?)
}

/// Prints the output of a command as it is.
pub(super) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    Ok(stdout.flush()?)
}

pub(super) fn print_json(data: &Value) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    serde_json::to_writer(&mut stdout, data).map_err(io::Error::from)?;
    Ok(writeln!(stdout)?)
}

/// Prints text without colours; it cannot control the terminal.
pub(super) fn print_plain(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(escape(text).as_bytes())?;
    Ok(stdout.flush()?)
}

/// Prints a line, coloured on a terminal. Of its escape sequences only those of `paint` are kept.
pub(super) fn print_painted(line: &str) -> Result<(), Failure> {
    Ok(writeln!(anstream::stdout().lock(), "{}", paint::only_painted(line))?)
}
