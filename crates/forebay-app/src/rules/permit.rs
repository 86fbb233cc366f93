//! Permission for what a tool is about to do: the rules are asked, and where they say so, the user.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use forebay_platforms::Platform;
use forebay_policy::{Decision, Ground, List, Mode, Origin, Sibling, Unmatched, Verdict};
use forebay_sandbox::Profile;
use forebay_text::{number, shell_quote};

use super::isolation::is_of_agent;
use super::links::real_path;
use super::load::{Caution, load_readable};
use super::objections::{Outcome, record as record_objection};
use super::session_rules::{Record, SessionRules};
use super::unreachable::Unreachable;
use super::{Circumstances, Environment, InForce, Input, decide, load, rule_files, unreachable_by};
use crate::call::Reply;
use crate::{App, AppError, Call};

/// How long it is believed that no denied file has appeared.
const UNREACHABLE_FOR: Duration = Duration::from_secs(2);

/// Something a tool is about to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Act {
    Run(RunAct),
    /// Reads a file.
    Read(PathBuf),
    /// Changes a file, or makes it.
    Edit(PathBuf),
    /// Fetches a URL.
    Fetch(String),
}

/// Runs a shell command, together with what else decides what it does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RunAct {
    pub(crate) command: String,
    /// Variables added to its environment.
    pub(crate) variables: Vec<(String, String)>,
    /// Its standard input, if that is given with the call.
    pub(crate) stdin: Option<String>,
    /// Code of another language than the shell's, which the command runs.
    pub(crate) code: Option<String>,
    /// The other commands of the same call.
    pub(crate) siblings: Vec<Sibling>,
}

impl Act {
    /// The host's tool that does it, by which rules speak of it.
    const fn tool(&self) -> &'static str {
        match self {
            Self::Run(_) => "Bash",
            Self::Read(_) => "Read",
            Self::Edit(_) => "Edit",
            Self::Fetch(_) => "WebFetch",
        }
    }

    fn input(&self) -> Input {
        match self.clone() {
            Self::Run(RunAct { command, variables, stdin, code, siblings }) => {
                Input { main: command, variables, stdin, code, siblings, ..Input::default() }
            }
            Self::Fetch(url) => Input { main: url, ..Input::default() },
            Self::Read(path) | Self::Edit(path) => {
                Input { main: path.to_string_lossy().into_owned(), ..Input::default() }
            }
        }
    }

    /// What the user is asked about: all that the act consists of.
    fn shown(&self) -> String {
        let Input { main, variables, stdin, code, .. } = self.input();
        let assigned: String = variables
            .iter()
            .map(|(name, value)| format!("{name}={} ", shell_quote::arguments(&[value])))
            .collect();
        let code = code.map(|text| format!("\n{text}")).unwrap_or_default();
        let stdin = stdin.map(|text| format!("\nstdin: {text}")).unwrap_or_default();
        assigned + &main + &code + &stdin
    }
}

/// The rules as they are written now.
pub(crate) fn in_force(app: &App) -> Result<Arc<InForce>, AppError> {
    app.permissions.in_force(app)
}

/// Lets `acts` pass, or says which rule stands in the way.
pub(crate) fn permit(app: &App, acts: &[Act], cwd: &Path, call: &Call) -> Result<(), AppError> {
    let in_force = in_force(app)?;
    permit_under(&in_force, app, acts, cwd, call)
}

/// The same under rules that were just read.
pub(crate) fn permit_under(
    in_force: &InForce,
    app: &App,
    acts: &[Act],
    cwd: &Path,
    call: &Call,
) -> Result<(), AppError> {
    let around = circumstances(app, in_force, cwd);
    check_hidden(app, acts, cwd)?;
    for act in acts {
        let verdict = decide(act.tool(), &act.input(), &in_force.rules, &around);
        let verdict = protecting_agents(act, verdict);
        match verdict.decision {
            Decision::Allow => {}
            Decision::Deny => {
                record_objection(app, Outcome::Denied, &shown(act), &verdict.reason);
                return Err(denied(&verdict, in_force));
            }
            Decision::Ask => {
                record_objection(app, Outcome::Asked, &shown(act), &verdict.reason);
                ask(act, &verdict, call)?;
            }
        }
    }
    Ok(())
}

/// Asks about a change of what agents obey, which no rule allows in advance.
fn protecting_agents(act: &Act, verdict: Verdict) -> Verdict {
    match act {
        Act::Edit(path) if verdict.decision == Decision::Allow && is_of_agent(path) => Verdict {
            decision: Decision::Ask,
            ground: Ground::ProtectedFile,
            rule: None,
            reason: format!(
                "{} is protected: agents take commands or settings from it",
                path.display()
            ),
            dial: Vec::new(),
        },
        _ => verdict,
    }
}

/// A call as it is recorded: `Bash: sudo ls`.
fn shown(act: &Act) -> String {
    format!("{}: {}", act.tool(), act.shown())
}

/// Refuses files that are hidden from programs too: secrets, and what `isolation.deny` names.
fn check_hidden(app: &App, acts: &[Act], cwd: &Path) -> Result<(), AppError> {
    let files = acts.iter().filter_map(|act| match act {
        Act::Read(path) | Act::Edit(path) => real_path(&cwd.join(path)),
        Act::Run(_) | Act::Fetch(_) => None,
    });
    let files: Vec<PathBuf> = files.collect();
    if files.is_empty() {
        return Ok(());
    }
    let hidden = crate::rules::isolation::denied_paths(app)?;
    match hidden.iter().find(|hidden| files.iter().any(|file| file.starts_with(hidden))) {
        None => Ok(()),
        Some(path) => Err(hidden_error(app, path)),
    }
}

fn hidden_error(app: &App, path: &Path) -> AppError {
    let shown = path.display();
    if crate::rules::isolation::paths_of_setting(app, &app.settings.isolation.deny)
        .iter()
        .any(|denied| denied == path)
    {
        return AppError::refused(
            format!("denied: {shown} is in isolation.deny"),
            "continue without it, or ask the user to remove it from that setting",
        );
    }
    AppError::refused(
        format!("denied: {shown} holds credentials or stored data"),
        format!("continue without it, or ask the user to set isolation.read = [\"{shown}\"]"),
    )
}

/// Says of each file whether it may be read without anybody being asked.
pub(crate) fn readable(app: &App, paths: &[&Path]) -> Result<Vec<bool>, AppError> {
    let rules = Readable::new(app)?;
    Ok(crate::parallel::map(paths, |path| rules.allows(path)))
}

/// The rules on reading, for callers that check many files; what needs the user's approval is not allowed.
pub(crate) struct Readable {
    in_force: Arc<InForce>,
    around: Circumstances,
    denied: Vec<PathBuf>,
    /// No rule has anything against any file.
    is_open: bool,
}

impl Readable {
    pub(crate) fn new(app: &App) -> Result<Self, AppError> {
        let in_force = in_force(app)?;
        let around = circumstances(app, &in_force, &app.cwd);
        let has_rules = in_force.written.iter().any(|rule| rule.list != List::Allow);
        let is_open = around.mode == Mode::Forebay(Unmatched::Run) && !has_rules;
        Ok(Self { in_force, around, denied: crate::rules::isolation::denied_paths(app)?, is_open })
    }

    pub(crate) fn allows(&self, path: &Path) -> bool {
        !self.denied.iter().any(|denied| path.starts_with(denied))
            && (self.is_open || self.verdict(path) == Decision::Allow)
    }

    fn verdict(&self, path: &Path) -> Decision {
        let act = Act::Read(path.to_owned());
        decide(act.tool(), &act.input(), &self.in_force.rules, &self.around).decision
    }
}

/// Whether rules are read from a path, or would be.
pub(crate) fn holds_rules(app: &App, path: &Path) -> Result<bool, AppError> {
    Ok(in_force(app)?.files.iter().any(|(_, file, _)| path.starts_with(file)))
}

/// What deny rules name on this machine.
pub(crate) fn unreachable(app: &App, in_force: &InForce) -> Arc<Unreachable> {
    app.permissions.unreachable(app, in_force)
}

/// What is in force, for somebody who wants to know.
pub(crate) struct Summary {
    pub(crate) text: String,
    /// Nothing that is denied can be done by a program on its own.
    pub(crate) is_held: bool,
}

pub(crate) fn summary(app: &App) -> Result<Summary, AppError> {
    let in_force = in_force(app)?;
    let unreachable = unreachable(app, &in_force);
    let count = |list| in_force.written.iter().filter(|rule| rule.list == list).count();
    let mut parts: Vec<String> =
        List::ALL.iter().map(|list| format!("{} {}", count(*list), list.as_str())).collect();
    let lost = in_force.warnings.iter().filter(|warning| warning.is_skipped()).count();
    if lost > 0 {
        parts.push(format!("{lost} skipped (forebay rules)"));
    }
    let held = in_force.warnings.iter().filter(|one| matches!(one, Caution::Held(_))).count();
    if held > 0 {
        parts.push(format!(
            "{held} removed since the session started still hold (forebay rules reload)"
        ));
    }
    let names = unreachable.hidden_paths().count();
    let holds = app.settings.isolation.profile != Profile::Off;
    if names > 0 {
        let verb = if holds { "blocked for programs" } else { "NOT blocked: isolation is off" };
        parts.push(format!("{} {verb}", number::counted(names as u64, "denied path")));
    }
    if unreachable.cut_short {
        parts.push(
            "a wildcard rule matches too many paths: only the nearest are blocked".to_owned(),
        );
    }
    let is_held = (holds || names == 0) && !unreachable.cut_short && lost == 0;
    Ok(Summary { text: parts.join(", "), is_held })
}

pub(super) fn circumstances(app: &App, in_force: &InForce, cwd: &Path) -> Circumstances {
    let mut around = in_force.circumstances(&environment(app), None);
    around.mode = Mode::Forebay(app.settings.rules.unmatched);
    around.allows_loopback = app.settings.fetch.loopback;
    cwd.clone_into(&mut around.environment.cwd);
    around
}

/// The files in which a host keeps permission rules, whether they exist or not.
pub(crate) fn files_of(app: &App, platform: &Platform) -> Vec<(Origin, PathBuf)> {
    rule_files::of_host(platform, &environment(app))
}

pub(crate) fn environment(app: &App) -> Environment {
    Environment {
        cwd: app.cwd.clone(),
        root: app.root().to_owned(),
        home: app.user_home.clone(),
        system_root: Some(Environment::SYSTEM_ROOT.into()),
        variable: Environment::variable,
    }
}

fn denied(verdict: &Verdict, in_force: &InForce) -> AppError {
    AppError::refused(
        format!("denied: {}{}", verdict.reason, held_since(verdict, in_force)),
        match verdict.ground {
            Ground::Rule => {
                "the rule covers every spelling; continue without it, or ask the user to change \
                 the rule"
            }
            Ground::Address => "give a public address",
            _ => "ask the user to add an allow rule; `forebay rules check` explains it",
        },
    )
}

/// A remark if the deciding rule is in no file any more.
pub(super) fn held_since(verdict: &Verdict, in_force: &InForce) -> String {
    let rule = verdict.rule.as_ref();
    let held = rule.and_then(|(origin, text)| in_force.held(*origin, text));
    held.map(|caution| format!(" ({caution})")).unwrap_or_default()
}

/// What is shown and what is granted are the same text.
fn ask(act: &Act, verdict: &Verdict, call: &Call) -> Result<(), AppError> {
    let question = format!("Allow {}: {}\n({})", act.tool(), visible(&act.shown()), verdict.reason);
    match call.ask(&question) {
        Reply::Yes => Ok(()),
        Reply::No => Err(AppError::refused("the user declined", "continue without it, or ask why")),
        Reply::Unavailable => Err(AppError::refused(
            format!("needs the user's approval: {}", verdict.reason),
            unasked_hint(verdict.ground),
        )),
    }
}

/// What can be done about a question that cannot be asked here.
fn unasked_hint(ground: Ground) -> &'static str {
    match ground {
        Ground::Rule => {
            "this client cannot ask the user: they can do it themselves, or remove that rule"
        }
        Ground::Unmatched | Ground::Address => {
            "this client cannot ask the user: they can do it themselves, or add an allow rule"
        }
        Ground::ProtectedFile => {
            "no rule can allow this: tell the user the change, so that they make it themselves"
        }
        Ground::Removal => {
            "no wide rule can allow this: name the files to remove, or let the user remove them"
        }
        Ground::Unclear => {
            "no rule can allow this: write the commands out literally, or let the user run it"
        }
    }
}

/// Without control characters, which could show something else than is run.
fn visible(text: &str) -> String {
    let shown = |c: char| if c.is_control() && c != '\n' { '\u{fffd}' } else { c };
    text.chars().map(shown).collect()
}

/// The rules in force, read again when a file has changed; what held at the start of the session holds.
pub(crate) struct Permissions {
    session: String,
    /// Rules that were read when the process started; they count until the first call.
    at_start: Mutex<Option<SessionRules>>,
    loaded: Mutex<Option<Loaded>>,
    unreachable: Mutex<Option<(Instant, Arc<Unreachable>)>>,
}

struct Loaded {
    stamps: Vec<Stamp>,
    in_force: Arc<InForce>,
    since_start: SessionRules,
    /// Whether the rules of the session are recorded. If the record is gone, the user wants them to be read anew.
    is_recorded: bool,
}

/// What tells that a file has changed.
type Stamp = Option<(SystemTime, u64)>;

impl Permissions {
    pub(crate) fn new(session: &str) -> Self {
        Self {
            session: session.to_owned(),
            at_start: Mutex::default(),
            loaded: Mutex::default(),
            unreachable: Mutex::default(),
        }
    }

    pub(crate) fn hold(&self, at_start: SessionRules) {
        *self.at_start.lock().unwrap_or_else(PoisonError::into_inner) = Some(at_start);
    }

    /// The session whose rules hold, also for callers that are served on behalf of it.
    pub(super) fn session(&self) -> &str {
        &self.session
    }

    pub(super) fn in_force(&self, app: &App) -> Result<Arc<InForce>, AppError> {
        let record = Record::for_app(app);
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded.as_ref().is_some_and(|loaded| loaded.is_forgotten(record.as_ref())) {
            *loaded = None;
        }
        if let Some(loaded) = loaded.as_ref()
            && loaded.stamps == stamps(&loaded.in_force)
        {
            return Ok(Arc::clone(&loaded.in_force));
        }
        let mut in_force = load(&environment(app))?;
        let stamps = stamps_when_read(&in_force);
        let at_start = self.at_start.lock().unwrap_or_else(PoisonError::into_inner).take();
        let known = loaded.take().map(|loaded| loaded.since_start).or(at_start);
        let (since_start, is_recorded) = hold(&mut in_force, known, record.as_ref());
        let in_force = Arc::new(in_force);
        *loaded =
            Some(Loaded { stamps, in_force: Arc::clone(&in_force), since_start, is_recorded });
        Ok(in_force)
    }

    fn unreachable(&self, app: &App, in_force: &InForce) -> Arc<Unreachable> {
        let mut known = self.unreachable.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((since, found)) = known.as_ref()
            && since.elapsed() < UNREACHABLE_FOR
        {
            return Arc::clone(found);
        }
        let around = circumstances(app, in_force, &app.cwd);
        let mut found = unreachable_by(&in_force.rules, &around);
        // A run must not be able to rewrite the rules it is held to.
        for (_, file, _) in in_force.files.iter().filter(|(_, _, is_there)| *is_there) {
            found.frozen.push(file.clone());
            found.fixed.extend(file.parent().map(Path::to_owned));
        }
        let found = Arc::new(found);
        *known = Some((Instant::now(), Arc::clone(&found)));
        found
    }
}

impl Loaded {
    fn is_forgotten(&self, record: Option<&Record>) -> bool {
        self.is_recorded && record.is_some_and(|record| !record.exists())
    }
}

/// Holds rules to those of the session's start; returns what holds from now on, and whether that is recorded.
pub(super) fn hold(
    in_force: &mut InForce,
    known: Option<SessionRules>,
    record: Option<&Record>,
) -> (SessionRules, bool) {
    let recorded = record.and_then(Record::read);
    let is_recorded = recorded.is_some();
    let before = recorded.or(known).unwrap_or_else(|| SessionRules::from_in_force(in_force));
    let mut since_start = before.clone();
    since_start.hold(in_force);
    let is_current = is_recorded && since_start == before;
    let is_needed = is_recorded || !since_start.is_empty();
    let is_recorded =
        is_current || (is_needed && record.is_some_and(|record| record.write(&since_start)));
    (since_start, is_recorded)
}

/// Starts a session with the rules as they are now.
pub(crate) fn start_session(app: &App) -> Result<(), AppError> {
    if let Some(record) = Record::for_app(app) {
        record.remove();
        let (mut in_force, _) = load_readable(&environment(app))?;
        hold(&mut in_force, None, Some(&record));
    }
    Ok(())
}

fn stamps(in_force: &InForce) -> Vec<Stamp> {
    in_force.files.iter().map(|(_, path, _)| stamp(path)).collect()
}

/// The stamps of files that were read just now: the system need not be asked again about one that was not there.
fn stamps_when_read(in_force: &InForce) -> Vec<Stamp> {
    let files = in_force.files.iter();
    files.map(|(_, path, is_there)| is_there.then(|| stamp(path)).flatten()).collect()
}

fn stamp(path: &Path) -> Stamp {
    let found = fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len()))
}
