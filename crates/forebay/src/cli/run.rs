//! `forebay run`: runs a command, stores its output, prints the digest.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use forebay_app::run::{self, Command, Delivery, Options, Ran, Watcher};
use forebay_app::tools::job;
use forebay_app::{App, AppError, Call};
use forebay_domain::{Ending, Stream, tokens};
use forebay_sandbox::{CancelToken, Profile, Stdin, path_candidates};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::progress::Spinner;
use super::terminal::Failure;
use super::{Common, terminal};

/// Run a command; print a digest, store the whole output
///
/// One argument is a shell command line, or code with --language; several arguments run without a shell.
/// The exit code is the command's. If stdout is redirected or piped in your terminal, or with --tee, the command's
/// bytes pass through unchanged, and only the first line of the digest goes to stderr.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Run {
    /// Run the argument as code in this language: python, js, ts, ruby, ...
    #[arg(long, value_name = "LANG")]
    language: Option<String>,
    /// Pass this file to the code as FILE_CONTENT and FILE_PATH; a path or glob, repeatable
    #[arg(long, value_name = "PATH")]
    file: Vec<String>,
    /// Set an environment variable for the command
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<(String, String)>,
    /// What you are looking for; matching lines come first
    #[arg(long, value_name = "TEXT")]
    intent: Option<String>,
    /// Timeout in milliseconds
    #[arg(long, value_name = "MS")]
    timeout_ms: Option<u64>,
    /// Token budget of the answer
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
    /// Working directory of the command
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Isolation profile: strict, project or off
    #[arg(long, value_name = "PROFILE", value_parser = profile)]
    isolation: Option<Profile>,
    /// Forward stdin to the command (default: closed)
    #[arg(long)]
    stdin: bool,
    /// Run in the background; `forebay job` reads and stops it
    #[arg(long, conflicts_with_all = ["tee", "stdin"])]
    background: bool,
    /// Pass the command's bytes through unchanged
    #[arg(long, conflicts_with_all = ["digest", "json"])]
    tee: bool,
    /// Print the digest even if stdout is redirected
    #[arg(long)]
    digest: bool,
    /// Print the output itself if it has at most this many tokens
    #[arg(long, value_name = "TOKENS", conflicts_with_all = ["tee", "json"])]
    raw_up_to: Option<u64>,
    /// A shell command line, or a program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl Run {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let tee = self.passes_through(common);
        let spinner = (!tee).then(Spinner::for_a_command);
        let call = new_call(spinner.as_ref());
        forward_signals(call.cancel.clone(), run::preparation(&app))?;
        let options = Options { delivery: self.delivery(common, tee), ..self.options() };
        let raw_up_to = self.raw_up_to;
        if self.background {
            let command = self.into_command(&app)?;
            drop(spinner);
            let answer = job::start(&app, command, &options, true, &call)?;
            return common.show(&answer);
        }
        let command = self.into_command(&app)?;
        let short = raw_up_to.map(ShortOutput::up_to);
        let mut pass = PassThrough { cancel: call.cancel.clone(), wanted: tee, short };
        let ran = run::run(&app, command, &options, &call, &mut pass)?;
        drop(spinner);
        let raw = pass.short.and_then(ShortOutput::into_bytes);
        if !tee && raw.is_none() {
            app.record_usage("ctx_execute", &ran.answer, ran.finished.duration);
        }
        terminal::tell_notices(&app)?;
        // The command has run: even if the reader is gone, its output is stored and its exit code returned.
        let shown = match raw {
            Some(bytes) => terminal::print_bytes(&bytes),
            None => show(common, &ran, tee),
        };
        match shown {
            Ok(()) | Err(Failure::ClosedPipe) => {}
            Err(failure) => return Err(failure),
        }
        common.index_some(&app)?;
        Ok(end_like(ran.finished.ending))
    }

    /// Whether to pass the command's bytes to stdout because another program reads them.
    ///
    /// A user who redirects stdout still has a terminal on stderr. An agent host has none; it gets the digest.
    fn passes_through(&self, common: &Common) -> bool {
        let redirected_by_a_person = !io::stdout().is_terminal() && io::stderr().is_terminal();
        self.tee || (redirected_by_a_person && !self.digest && !common.json)
    }

    /// Bytes that pass through reach no model for certain.
    fn delivery(&self, common: &Common, tee: bool) -> Delivery {
        if tee {
            return Delivery::Nowhere;
        }
        Delivery::for_view(self.intent.is_some() || self.budget.is_some() || common.json)
    }

    fn options(&self) -> Options {
        Options {
            delivery: Delivery::default(),
            intent: self.intent.clone(),
            cwd: self.cwd.clone(),
            env: self.env.iter().cloned().collect(),
            timeout_ms: self.timeout_ms,
            budget: self.budget,
            profile: self.isolation,
        }
    }

    fn into_command(self, app: &App) -> Result<Command, AppError> {
        let stdin = if self.stdin { Stdin::Inherit } else { Stdin::Closed };
        let command = if self.language.is_some() || !self.file.is_empty() {
            self.into_code(app)?
        } else {
            self.into_plain_command()
        };
        Ok(Command { stdin, ..command })
    }

    fn into_code(self, app: &App) -> Result<Command, AppError> {
        let [code] = <[String; 1]>::try_from(self.command).map_err(|_| {
            AppError::bad_input("code is one argument", "quote it, after --: -- 'print(1)'")
        })?;
        let language = self.language.as_deref();
        if self.file.is_empty() {
            Command::from_code(app, language, code)
        } else {
            Command::for_named_files(app, language, code, &self.file)
        }
    }

    fn into_plain_command(mut self) -> Command {
        if self.command.len() == 1 && !is_program(&self.command[0]) {
            let line = self.command.remove(0);
            return Command::from_shell(line);
        }
        Command::from_arguments(self.command)
    }
}

fn profile(name: &str) -> Result<Profile, &'static str> {
    Profile::from_name(name).ok_or("use strict, project or off")
}

/// Splits `NAME=VALUE`.
fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("give NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Whether a single argument is the name of a program, which needs no shell.
fn is_program(word: &str) -> bool {
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c));
    plain && path_candidates(word).any(|path| path.is_file())
}

/// A call whose progress drives the spinner.
fn new_call(spinner: Option<&Spinner>) -> Call {
    let call = Call::default();
    let Some(bar) = spinner.map(Spinner::bar) else { return call.prompting_with(terminal::ask) };
    let asked_over = bar.clone();
    call.reporting_to(move |step| bar.set_position(step.done as u64))
        .prompting_with(move |question| asked_over.suspend(|| terminal::ask(question)))
}

/// Forwards the command's bytes as they arrive.
struct PassThrough {
    cancel: CancelToken,
    wanted: bool,
    /// The output, while it is short enough to be printed as it is.
    short: Option<ShortOutput>,
}

/// Output up to a size.
struct ShortOutput {
    bytes: Vec<u8>,
    max: usize,
    is_over: bool,
}

impl ShortOutput {
    fn up_to(max: u64) -> Self {
        Self { bytes: Vec::new(), max: tokens::to_bytes(max), is_over: false }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.is_over |= self.bytes.len() + bytes.len() > self.max;
        if !self.is_over {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// The whole output, if it is short.
    fn into_bytes(self) -> Option<Vec<u8>> {
        (!self.is_over).then_some(self.bytes)
    }
}

impl Watcher for PassThrough {
    fn printed(&mut self, stream: Stream, bytes: &[u8]) {
        if let Some(short) = &mut self.short {
            short.push(bytes);
        }
        if !self.wanted {
            return;
        }
        let written = match stream {
            Stream::Stdout => io::stdout().lock().write_all(bytes),
            Stream::Stderr => io::stderr().lock().write_all(bytes),
        };
        // As in a pipeline: when the reader is gone, the command is stopped.
        if written.and_then(|()| io::stdout().flush()).is_err() {
            self.wanted = false;
            self.cancel.cancel();
        }
    }
}

fn show(common: &Common, ran: &Ran, tee: bool) -> Result<(), Failure> {
    if tee {
        let head = ran.answer.text.lines().next().unwrap_or_default();
        return Ok(writeln!(anstream::stderr(), "{}", super::paint::answer_line(head))?);
    }
    if common.json {
        return terminal::print_json(&ran.answer.data);
    }
    terminal::print_answer(&ran.answer.text)
}

/// Forwards the first signal to the command, which may end gracefully; the next one kills it.
///
/// The waiting thread first runs `before`, which saves starting a second thread.
fn forward_signals(
    cancel: CancelToken,
    before: Option<impl FnOnce() + Send + 'static>,
) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::spawn(move || {
        if let Some(before) = before {
            before();
        }
        for (count, signal) in signals.forever().enumerate() {
            if count == 0 { cancel.forward(signal) } else { cancel.cancel() }
        }
    });
    Ok(())
}

/// Exits the way the command ended.
fn end_like(ending: Ending) -> ExitCode {
    const TIMED_OUT: u8 = 124;
    const CANCELLED: u8 = 130;
    const KILLED: u8 = 137;
    match ending {
        Ending::Exited(code) => ExitCode::from(code as u8),
        Ending::Signalled(signal) => end_by_signal(signal),
        Ending::TimedOut => ExitCode::from(TIMED_OUT),
        Ending::Cancelled => ExitCode::from(CANCELLED),
        Ending::OverLimit(_) => ExitCode::from(KILLED),
    }
}

fn end_by_signal(signal: i32) -> ExitCode {
    use rustix::process::{Resource, Rlimit, Signal, getpid, kill_process, setrlimit};
    // The command may dump core; this process must not.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    if signal == Signal::KILL.as_raw() {
        let _ = kill_process(getpid(), Signal::KILL);
    }
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    ExitCode::from((128 + signal) as u8)
}
