//! `ctx_execute`: runs a command, stores its output whole, answers with a digest.

use std::path::PathBuf;
use std::time::Duration;

use forebay_digest::{Budget, Digest, Digester, Hint};
use forebay_domain::text::cut;
use forebay_domain::{Entry, EntryKind, Redactions, RunRecord, Spans, Stream};
use forebay_sandbox::isolation::{Reach, explain};
use forebay_sandbox::{Finished, Profile, Program, RunSpec, Sink, Stdin};
use forebay_store::{NewDetail, Store, StoreError, Upload};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Nature, Tool, input};
use crate::redaction::{self, Streams};
use crate::render::frame;
use crate::{Answer, App, AppError, Call, holding};

pub struct Execute;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Shell command
    #[serde(alias = "command")]
    pub code: String,
    /// What you look for; matching lines come first
    pub intent: Option<String>,
    pub cwd: Option<String>,
    pub timeout_ms: Option<u64>,
    /// Max tokens of the answer
    pub budget: Option<u64>,
    /// "strict": no network, reads only the project
    pub isolation: Option<String>,
}

impl Tool for Execute {
    const NAME: &'static str = "ctx_execute";
    const DESCRIPTION: &'static str = "Run a shell command. Output is stored whole; you get exit code, \
        digest and a reference for ctx_get. Use for anything that may print much.";
    const NATURE: Nature = Nature::Runs;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        let program = Program::Shell(input.code.clone());
        let command = Command { program, title: input.code, stdin: Stdin::Closed };
        let options = Options {
            intent: input.intent,
            cwd: input.cwd.map(PathBuf::from),
            timeout_ms: input.timeout_ms,
            budget: input.budget,
            profile: Some(tightened(app.settings.isolation.profile, input.isolation.as_deref())?),
        };
        run(app, command, &options, call, &mut |_, _| {}).map(|ran| ran.answer)
    }
}

/// What to run, and how it is called in the history.
pub struct Command {
    pub program: Program,
    pub title: String,
    pub stdin: Stdin,
}

#[derive(Debug, Default)]
pub struct Options {
    pub intent: Option<String>,
    pub cwd: Option<PathBuf>,
    pub timeout_ms: Option<u64>,
    pub budget: Option<u64>,
    /// What the run is held to, if not to what the settings say.
    pub profile: Option<Profile>,
}

/// A run that came to its end, with the answer for its caller.
pub struct Ran {
    pub answer: Answer,
    pub finished: Finished,
}

/// Runs a command and stores its output; `watch` sees every byte as it arrives.
pub fn run(
    app: &App,
    command: Command,
    options: &Options,
    call: &Call,
    watch: &mut dyn FnMut(Stream, &[u8]),
) -> Result<Ran, AppError> {
    let budget = budget(app, options)?;
    let store = app.places.own()?;
    let spec = spec(app, command.program, command.stdin, options)?;
    let (line, in_title) = app.redaction.text(&command.title);
    let title = cut::one_line(&line, 200);
    let taking = Taking::new(&*store, &title, options.intent.as_deref(), budget.of_digest())?;
    let mut capture = Capture { streams: app.redaction.streams(), taking, call, watch };
    let finished = forebay_sandbox::run(&spec, &mut capture, &call.cancel)?;
    let mut stored = capture.store(app, &spec, &finished);
    stored.redactions.add(&in_title);
    let answer = answer(&line, stored, &finished, budget.answer);
    Ok(Ran { answer, finished })
}

/// The profile of a tool call, which may ask for a tighter one than `own` and never for a looser one.
fn tightened(own: Profile, asked: Option<&str>) -> Result<Profile, AppError> {
    let Some(name) = asked else {
        return Ok(own);
    };
    match Profile::named(name) {
        Some(asked) if own.tightened_by(asked) == asked => Ok(asked),
        Some(_) => Err(AppError::bad_input(
            format!("a call cannot loosen isolation from {own} to {name}"),
            "leave it out; the user can set isolation.profile, or `forebay run --isolation`",
        )),
        None => Err(AppError::bad_input(
            format!("there is no isolation `{name}`"),
            "leave it out, or give \"strict\"",
        )),
    }
}

/// What isolation refused, as far as the end of a failed run's output tells.
fn blocked(end: &End, spec: &RunSpec, finished: &Finished) -> Vec<String> {
    if finished.ending.is_success() || spec.isolation.profile == Profile::Off {
        return Vec::new();
    }
    let reach = Reach::of(&spec.isolation, None);
    explain(&String::from_utf8_lossy(end.bytes()), &spec.cwd, &reach)
}

/// The answer's budget, and what of it the digest may use.
#[derive(Clone, Copy)]
struct Budgets {
    answer: u64,
    verbatim: u64,
}

impl Budgets {
    fn of_digest(self) -> Budget {
        let room = |tokens: u64| tokens.saturating_sub(frame::RESERVED_TOKENS).max(1);
        Budget { verbatim: room(self.verbatim), digest: room(self.answer) }
    }
}

/// A budget that the caller names holds for short outputs too.
fn budget(app: &App, options: &Options) -> Result<Budgets, AppError> {
    let settings = &app.settings.digest;
    let answer = input::budget(options.budget, settings.budget)?;
    let verbatim = if options.budget.is_some() { answer } else { settings.verbatim };
    Ok(Budgets { answer, verbatim })
}

fn spec(app: &App, program: Program, stdin: Stdin, options: &Options) -> Result<RunSpec, AppError> {
    let cwd = match &options.cwd {
        Some(folder) => app.cwd.join(folder),
        None => app.cwd.clone(),
    };
    let millis = options.timeout_ms.unwrap_or(app.settings.run.timeout_ms);
    if millis == 0 {
        return Err(AppError::bad_input("timeout_ms is 0", "leave it out, or give milliseconds"));
    }
    let mut spec = RunSpec::new(program, cwd);
    spec.timeout = Duration::from_millis(millis);
    spec.stdin = stdin;
    let profile = options.profile.unwrap_or(app.settings.isolation.profile);
    spec.isolation = holding::isolation(app, profile);
    spec.limits = holding::limits(&app.settings.limits);
    Ok(spec)
}

/// Takes a run's output as it arrives: to who watches as it is, to the store without its secrets.
struct Capture<'a> {
    streams: Streams,
    taking: Taking<'a>,
    call: &'a Call,
    watch: &'a mut dyn FnMut(Stream, &[u8]),
}

impl Sink for Capture<'_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        (self.watch)(stream, bytes);
        let taking = &mut self.taking;
        self.streams.push(stream, bytes, &mut |stream, clean| taking.take(stream, clean));
        self.call.report(self.taking.bytes as f64, "bytes captured");
    }
}

impl Capture<'_> {
    /// Stores what arrived. The command has run by now, so a fault here is told, not thrown.
    fn store(mut self, app: &App, spec: &RunSpec, finished: &Finished) -> Stored {
        let taking = &mut self.taking;
        let redactions = self.streams.finish(&mut |stream, clean| taking.take(stream, clean));
        let blocked = blocked(&self.taking.end, spec, finished);
        let (digest, entry) = self.taking.store(app, spec, finished);
        Stored { digest, entry, redactions, blocked }
    }
}

/// A run's entry, or why there is none; the digest is there in either case.
struct Stored {
    digest: Digest,
    entry: Result<Entry, StoreError>,
    redactions: Redactions,
    /// What isolation refused, as far as the output tells.
    blocked: Vec<String>,
}

/// Takes what may be kept: to the store and to the digest.
struct Taking<'a> {
    upload: Result<Box<dyn Upload + 'a>, StoreError>,
    digester: Digester,
    title: &'a str,
    bytes: u64,
    /// Counted here, because what is kept is not as long as what was printed.
    spans: Spans,
    end: End,
}

impl<'a> Taking<'a> {
    fn new(
        store: &'a dyn Store,
        title: &'a str,
        intent: Option<&str>,
        budget: Budget,
    ) -> Result<Self, AppError> {
        let hint = Hint { command: Some(title), ..Hint::default() };
        Ok(Self {
            upload: Ok(store.upload()?),
            digester: Digester::new(hint, intent, budget),
            title,
            bytes: 0,
            spans: Spans::default(),
            end: End::default(),
        })
    }

    fn take(&mut self, stream: Stream, bytes: &[u8]) {
        self.digester.push(bytes);
        if let Ok(upload) = &mut self.upload
            && let Err(error) = upload.write(bytes)
        {
            self.upload = Err(error);
        }
        self.spans.push(stream, bytes.len() as u64);
        self.end.push(bytes);
        self.bytes += bytes.len() as u64;
    }

    fn store(
        self,
        app: &App,
        spec: &RunSpec,
        finished: &Finished,
    ) -> (Digest, Result<Entry, StoreError>) {
        let mut digester = self.digester;
        if !finished.ending.is_success() {
            digester.command_failed();
        }
        let digest = digester.finish();
        let mut new = app.new_entry(EntryKind::Run, self.title.to_owned());
        new.digest.clone_from(&digest.text);
        new.detail = NewDetail::Run(RunRecord {
            ending: finished.ending,
            duration: finished.duration,
            cwd: spec.cwd.to_string_lossy().into_owned(),
            spans: self.spans,
        });
        (digest, self.upload.and_then(|upload| upload.finish(new)))
    }
}

/// The end of an output, where a command says why it failed.
#[derive(Default)]
struct End {
    bytes: Vec<u8>,
}

impl End {
    const MOST: usize = 16 * 1024;

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(&bytes[bytes.len().saturating_sub(Self::MOST)..]);
        if self.bytes.len() > 2 * Self::MOST {
            self.bytes.drain(..self.bytes.len() - Self::MOST);
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[self.bytes.len().saturating_sub(Self::MOST)..]
    }
}

fn answer(command: &str, stored: Stored, finished: &Finished, budget: u64) -> Answer {
    let Stored { digest, entry, redactions, blocked } = stored;
    let text = frame::run(&digest, entry.as_ref(), finished, &redactions, &blocked, budget);
    let data = json!({
        "ref": entry.as_ref().ok().map(|entry| entry.reference.as_str()),
        "command": command,
        "ending": finished.ending.to_string(),
        "exit": match finished.ending {
            forebay_domain::Ending::Exited(code) => Some(code),
            _ => None,
        },
        "millis": finished.duration.as_millis() as u64,
        "bytes": digest.bytes,
        "lines": digest.lines,
        "verbatim": digest.verbatim,
        "digest": digest.text,
        "redacted": redaction::counts(&redactions),
        "blocked": blocked,
    });
    Answer::new(text, data).instead_of(digest.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_tightens_and_never_loosens() {
        assert_eq!(tightened(Profile::Project, None).unwrap(), Profile::Project);
        assert_eq!(tightened(Profile::Project, Some("strict")).unwrap(), Profile::Strict);
        assert_eq!(tightened(Profile::Off, Some("project")).unwrap(), Profile::Project);
        for (own, asked) in [(Profile::Project, "off"), (Profile::Strict, "project")] {
            assert!(tightened(own, Some(asked)).is_err(), "{own} {asked}");
        }
        assert!(tightened(Profile::Off, Some("loose")).is_err());
    }

    #[test]
    fn the_end_of_an_output_is_bounded() {
        let mut end = End::default();
        for piece in [&b"start"[..], &vec![b'x'; 3 * End::MOST], b"end"] {
            end.push(piece);
            assert!(end.bytes.len() <= 2 * End::MOST);
        }
        assert!(end.bytes().ends_with(b"xend") && end.bytes().len() == End::MOST);
    }
}
