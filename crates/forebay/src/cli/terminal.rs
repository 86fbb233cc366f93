//! Writing to the terminal: answers, data, failures; a reader that goes away is no fault.

use std::io::{self, Write};
use std::process::ExitCode;

use forebay_app::{AppError, ErrorKind};
use serde_json::{Value, json};

use super::paint;

/// Why a command ended early.
#[derive(Debug)]
pub(super) enum Failure {
    /// Something to tell the user.
    Told(AppError),
    /// The reader of our output has gone; nobody is left to tell.
    NobodyReads,
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        Self::Told(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::NobodyReads;
        }
        Self::Told(AppError {
            kind: ErrorKind::Unavailable,
            message: error.to_string(),
            hint: None,
        })
    }
}

impl Failure {
    pub(super) fn tell(self, as_json: bool) -> ExitCode {
        let Self::Told(error) = self else { return ExitCode::SUCCESS };
        let code = match error.kind {
            ErrorKind::BadInput => 2,
            ErrorKind::NotFound | ErrorKind::Unavailable => 1,
        };
        // When the error cannot even be written, the exit code still tells.
        let _ = tell_error(&error, as_json);
        ExitCode::from(code)
    }
}

fn tell_error(error: &AppError, as_json: bool) -> io::Result<()> {
    let mut stderr = anstream::stderr().lock();
    if as_json {
        return writeln!(stderr, "{}", json!({ "error": error.message, "hint": error.hint }));
    }
    writeln!(stderr, "{} {}", paint::fault("error:"), error.message)?;
    match &error.hint {
        Some(hint) => writeln!(stderr, "{} {hint}", paint::advice("hint:")),
        None => Ok(()),
    }
}

/// Prints an answer, with colours where a person looks.
pub(super) fn print_answer(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    for line in text.lines() {
        writeln!(stdout, "{}", paint::answer_line(line))?;
    }
    Ok(stdout.flush()?)
}

pub(super) fn print_json(data: &Value) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    serde_json::to_writer(&mut stdout, data).map_err(io::Error::from)?;
    Ok(writeln!(stdout)?)
}

/// Prints text as it is.
pub(super) fn print_plain(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// Prints a line whose colours go where nobody looks.
pub(super) fn print_painted(line: &str) -> Result<(), Failure> {
    Ok(writeln!(anstream::stdout().lock(), "{line}")?)
}
