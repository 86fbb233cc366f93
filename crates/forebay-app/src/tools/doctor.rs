//! `ctx_doctor`: checks by trying that everything works here.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Instant;

use forebay_domain::treatment::SwitchOff;
use forebay_sandbox::isolation::{AccessRules, SelfTestReport};
use forebay_sandbox::runtimes::{RUNTIMES, Runtime};
use forebay_sandbox::{CancelToken, Profile, Program, RunError, RunSpec, Sink, trusted_path};
use forebay_text::number;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, Tool};
use crate::agents::host_mods::{self, ModReport};
use crate::agents::{AgentReport, Fault, Finding, Machine, homes, mend};
use crate::ledger::verdicts;
use crate::{Answer, App, AppError, Call, Capability, rules};

pub struct Doctor;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

impl Tool for Doctor {
    const NAME: &'static str = "ctx_doctor";
    const DESCRIPTION: &'static str = "Check that store and execution work here.";
    const EFFECT: Effect = Effect::ReadOnly;
    const CAPABILITY: Capability = Capability::Files;
    const LISTED_BY_DEFAULT: bool = false;
    type Input = Input;

    fn call(app: &App, _: Input, call: &Call) -> Result<Answer, AppError> {
        let escapes = forebay_sandbox::isolation::self_test(&app.writable_by_runs(), &call.cancel);
        let mut checks = vec![
            version(app),
            project(app),
            data_folder(app),
            store(app),
            index(app),
            shell(app, call),
            runtimes(app),
            isolation(app.settings.isolation.profile, &escapes),
            rules(app),
        ];
        checks.extend(switched_off(app));
        checks.extend(outdated_processes(app));
        checks.extend(credentials(app));
        checks.extend(embedder(app));
        checks.extend(agents(app));
        let table = escapes.as_ref().map(escape_table).unwrap_or_default();
        let text = checks.iter().map(Check::line).collect::<Vec<_>>().join("\n") + &table;
        let healthy = checks.iter().all(|check| check.state != State::Broken);
        let data = json!({
            "healthy": healthy,
            "escapes": escapes.as_ref().map(escape_data).unwrap_or_default(),
            "checks": checks.iter().map(Check::data).collect::<Vec<_>>(),
        });
        Ok(Answer::new(text, data))
    }
}

/// What isolation does here, found out by trying to escape from it.
pub(crate) fn isolation_data(app: &App, cancel: &CancelToken) -> Value {
    let profile = app.settings.isolation.profile;
    let escapes = forebay_sandbox::isolation::self_test(&app.writable_by_runs(), cancel);
    let checks = [isolation(profile, &escapes), rules(app)].into_iter().chain(credentials(app));
    json!({
        "profile": profile.to_string(),
        "escapes": escapes.as_ref().map(escape_data).unwrap_or_default(),
        "checks": checks.map(|check| check.data()).collect::<Vec<_>>(),
    })
}

struct Check {
    name: &'static str,
    state: State,
    finding: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    Note,
    Broken,
}

impl State {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Note => "note",
            Self::Broken => "BROKEN",
        }
    }
}

impl Check {
    fn good(name: &'static str, finding: impl Into<String>) -> Self {
        Self { name, state: State::Good, finding: finding.into() }
    }

    fn note(name: &'static str, finding: impl Into<String>) -> Self {
        Self { name, state: State::Note, finding: finding.into() }
    }

    fn broken(name: &'static str, finding: impl Into<String>) -> Self {
        Self { name, state: State::Broken, finding: finding.into() }
    }

    fn data(&self) -> Value {
        json!({ "name": self.name, "state": self.state.as_str(), "finding": self.finding })
    }

    fn line(&self) -> String {
        format!("{:<7}{:<12}{}", self.state.as_str(), self.name, self.finding)
    }
}

fn version(app: &App) -> Check {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), ", ", env!("CARGO_PKG_LICENSE"));
    match app.replaced_program() {
        None => Check::good("forebay", VERSION),
        Some(remark) => Check::note("forebay", format!("{VERSION}; {remark}")),
    }
}

/// Tells once which recognizers' results pass raw from now on.
fn switched_off(app: &App) -> Vec<Check> {
    let told = |off: SwitchOff| {
        let what = verdicts::described(&off.recognizer);
        let lost = number::grouped(off.net_tokens.unsigned_abs());
        let digests = number::counted(off.uses, "digest");
        let name = off.recognizer;
        Check::note(
            "digests",
            format!(
                "{what} pass raw from now on: {digests} cost {lost} tokens more than they saved here; \
                 hooks.keep_digests = [\"{name}\"] uses them again, `forebay stats` shows why"
            ),
        )
    };
    match verdicts::untold(app) {
        Ok(untold) => untold.into_iter().map(told).collect(),
        Err(error) => vec![Check::broken("digests", error.to_text())],
    }
}

/// Names processes that an upgrade has left with the version before.
fn outdated_processes(app: &App) -> Option<Check> {
    let executable = app.running_program.as_ref()?.executable();
    let processes = forebay_sandbox::processes_of_replaced(executable);
    let ids: Vec<String> = processes.iter().map(ToString::to_string).collect();
    (!ids.is_empty()).then(|| {
        let ids = ids.join(", ");
        let remark = "run a version that was replaced: restart their sessions to use this one";
        Check::note("processes", format!("{ids} {remark}"))
    })
}

fn project(app: &App) -> Check {
    match app.stores.project() {
        Some(project) => {
            let branch =
                project.branch().map(|name| format!(", branch {name}")).unwrap_or_default();
            Check::good("project", format!("{} at {}{branch}", project.id, project.root.display()))
        }
        None => Check::note(
            "project",
            "none (home and / are never projects): using the user's own store",
        ),
    }
}

fn data_folder(app: &App) -> Check {
    let root = app.stores.home().root();
    // Opening a store creates the folder.
    let opened = app.stores.own();
    match fs::metadata(root) {
        Ok(metadata) if !metadata.is_dir() => Check::broken(
            "data",
            format!("{} is not a folder: set FOREBAY_HOME to one", root.display()),
        ),
        Ok(metadata) if metadata.permissions().mode() & 0o077 == 0 => {
            Check::good("data", format!("{}, private", root.display()))
        }
        Ok(_) => Check::broken(
            "data",
            format!("other users can access {0}: chmod 700 {0}", root.display()),
        ),
        // A store on a server needs no folder.
        Err(_) if opened.is_ok() => {
            Check::good("data", format!("{} does not exist; not needed yet", root.display()))
        }
        Err(error) => {
            let why = opened.err().map_or_else(|| error.to_string(), |error| error.to_text());
            Check::broken("data", why)
        }
    }
}

fn store(app: &App) -> Check {
    let inspected =
        app.stores.own().and_then(|store| Ok((store.health()?, store.notices().to_vec())));
    let (health, notices) = match inspected {
        Ok(found) => found,
        Err(error) => return Check::broken("store", error.to_text()),
    };
    let about =
        format!("{}, schema {}, {}", health.engine, health.schema, health.location.display());
    if let Some(fault) = health.problems.first() {
        let remedy = if app.stores.are_on_server() {
            "ask the server's administrator"
        } else {
            "`forebay doctor --repair` moves it aside"
        };
        return Check::broken("store", format!("{about}: {fault}; {remedy}"));
    }
    match notices.first() {
        Some(notice) => Check::note("store", format!("{about}; {notice}")),
        None => Check::good("store", about),
    }
}

fn index(app: &App) -> Check {
    match app.stores.own().and_then(|store| Ok(store.unindexed_bytes()?)) {
        Ok(0) => Check::good("index", "everything is searchable"),
        Ok(bytes) => Check::note("index", format!("{} not searchable yet", number::bytes(bytes))),
        Err(error) => Check::broken("index", error.to_text()),
    }
}

/// Sends a test request to the configured embedding server, if any.
fn embedder(app: &App) -> Option<Check> {
    let embedder = app.embedder.as_ref()?;
    let about = embedder.about();
    let started = Instant::now();
    let model = match embedder.probe(embedder.query_timeout()) {
        Ok(model) => model,
        Err(error) => {
            let finding = format!("{about}: {error}; using the built-in model until it is fixed");
            return Some(Check::broken("embedder", finding));
        }
    };
    let took = started.elapsed().as_millis();
    let answers = format!("{about} answers in {took} ms, vectors stored as {model:?}");
    Some(match app.stores.own().and_then(|store| Ok(store.embedding_progress(&model)?.pending)) {
        Ok(0) => Check::good("embedder", answers),
        Ok(waiting) => Check::note(
            "embedder",
            format!("{answers}; not embedded yet: {}", number::counted(waiting, "chunk")),
        ),
        Err(error) => Check::broken("embedder", error.to_text()),
    })
}

/// Runs a command and checks that its output arrives.
fn shell(app: &App, call: &Call) -> Check {
    struct Output(String);
    impl Sink for Output {
        fn write(&mut self, _: forebay_domain::Stream, bytes: &[u8]) {
            let _ = write!(self.0, "{}", String::from_utf8_lossy(bytes));
        }
    }
    let mut output = Output(String::new());
    let program = Program::Shell("printf '%s' \"${BASH_VERSION:-sh}\"".to_owned());
    let mut spec = RunSpec::new(program, app.cwd.clone());
    // This is no run of the user's: a shell of the project must not be started.
    spec.env = vec![("PATH".to_owned(), trusted_path(&app.writable_by_runs()))];
    let profile = app.settings.isolation.profile;
    let isolation = rules::in_force(app)
        .and_then(|in_force| rules::isolation::isolation(app, profile, &in_force, Vec::new()));
    match isolation {
        Ok(isolation) => spec.isolation = isolation,
        Err(error) => return Check::broken("shell", error.to_text()),
    }
    match forebay_sandbox::run(&spec, &mut output, &call.cancel) {
        Ok(finished) if finished.ending.is_success() => Check::good(
            "shell",
            format!("bash {}", output.0).replace("bash sh", "sh (no bash here)"),
        ),
        Ok(finished) => Check::broken("shell", format!("a test command: {}", finished.ending)),
        Err(error) => Check::broken("shell", AppError::from(error).to_text()),
    }
}

/// Lists the languages whose runtime is installed.
fn runtimes(app: &App) -> Check {
    let writable = app.writable_by_runs();
    let (installed, missing): (Vec<&Runtime>, Vec<&Runtime>) =
        RUNTIMES.iter().copied().partition(|runtime| runtime.is_installed(&app.cwd, &writable));
    let names = |runtimes: &[&Runtime]| {
        runtimes.iter().map(|runtime| runtime.name).collect::<Vec<_>>().join(", ")
    };
    let missing = if missing.is_empty() {
        String::new()
    } else {
        format!("; not installed: {}", names(&missing))
    };
    Check::good("runtimes", format!("{}{missing}", names(&installed)))
}

impl AgentReport {
    fn summary(&self) -> Check {
        let set_up: Vec<String> = self.set_up.iter().map(ToString::to_string).collect();
        let idle = self.idle.join(", ");
        match (set_up.is_empty(), self.idle.is_empty()) {
            (true, true) => Check::note("agents", "none installed or set up here"),
            (true, false) => {
                Check::note("agents", format!("none set up: `forebay init` offers {idle}"))
            }
            (false, true) => Check::good("agents", set_up.join(", ")),
            (false, false) => {
                Check::good("agents", format!("{}; not set up: {idle}", set_up.join(", ")))
            }
        }
    }
}

/// Summarizes the permission rules and how far isolation enforces them inside programs.
fn rules(app: &App) -> Check {
    match rules::summary(app) {
        Ok(summary) if summary.is_held => Check::good("rules", summary.text),
        Ok(summary) => Check::note("rules", summary.text),
        Err(error) => Check::broken("rules", error.to_text()),
    }
}

/// Reports which agents use Forebay here, their errors and their limitations.
fn agents(app: &App) -> Vec<Check> {
    let Some(machine) = &app.machine else {
        return vec![Check::note("agents", "unknown: this user has no home folder")];
    };
    let report = AgentReport::new(machine);
    let mut checks = vec![report.summary()];
    checks.extend(report.faults.iter().map(|fault| Check::broken("agents", fault)));
    checks.extend(set_up_faults(machine));
    checks.extend(homes(app, machine));
    checks.extend(mods(app, machine));
    checks.extend(report.set_up.iter().map(|found| {
        Check::note(
            "agents",
            format!("{}: {}", found.agent.name, found.agent.limitations.join(" ")),
        )
    }));
    checks
}

/// Reports files of set-ups that are not as they should be; lost programs and missing files are in the summary.
fn set_up_faults(machine: &Machine) -> Vec<Check> {
    let findings = mend::findings(machine).into_iter();
    let others =
        findings.filter(|one| matches!(one.fault, Fault::Incomplete | Fault::Doubled { .. }));
    let check = |finding: Finding| {
        let Finding { agent, path, fault, .. } = finding;
        let remedy = "`forebay doctor --fix` mends it";
        Check::note("agents", format!("{}: {} {fault}: {remedy}", agent.name, path.display()))
    };
    others.map(check).collect()
}

/// Reports agents and servers that do not share the home of this process.
fn homes(app: &App, machine: &Machine) -> Vec<Check> {
    let executable = app.running_program.as_ref().map(|running| running.executable());
    let findings = homes::findings(machine, app.stores.home().root(), executable);
    findings.into_iter().map(|finding| Check::note("homes", finding)).collect()
}

/// Reports whether hosts ran Forebay's mod or plugin in their last session here.
fn mods(app: &App, machine: &Machine) -> Vec<Check> {
    // A store that cannot be read is another check's finding.
    let reports = host_mods::reports(app, machine).unwrap_or_default();
    let check = |report: &ModReport| {
        let check = if report.is_good() { Check::good } else { Check::note };
        check(report.noun, report.to_string())
    };
    reports.iter().map(check).collect()
}

/// Tries to escape from isolation and reports what is enforced.
fn isolation(profile: Profile, report: &Result<SelfTestReport, RunError>) -> Check {
    match report {
        Ok(report) => isolation_check(profile, report),
        Err(error) => {
            let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
            Check::broken("isolation", format!("{error}{hint}"))
        }
    }
}

/// Names the credentials on this machine that are closed to runs, and those that settings open.
fn credentials(app: &App) -> Option<Check> {
    let profile = app.settings.isolation.profile;
    let in_force = rules::in_force(app).ok()?;
    let isolation = rules::isolation::isolation(app, profile, &in_force, Vec::new()).ok()?;
    let credentials = AccessRules::credentials(&isolation).ok()?;
    let home = app.user_home.as_deref().and_then(|home| home.canonicalize().ok());
    let shown = |path: &PathBuf| match home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    };
    let names = |wanted: bool| {
        let matching = credentials.iter().filter(|(_, is_open)| *is_open == wanted);
        matching.map(|(path, _)| shown(path)).collect::<Vec<_>>().join(", ")
    };
    let (open, closed) = (names(true), names(false));
    if !open.is_empty() {
        return Some(Check::note("credentials", format!("every run can read {open}")));
    }
    (!closed.is_empty()).then(|| {
        Check::good(
            "credentials",
            format!("closed to runs that do not name the program that owns them: {closed}"),
        )
    })
}

fn isolation_check(profile: Profile, report: &SelfTestReport) -> Check {
    let finding = format!("profile {profile}; {}", report.mechanisms.join(", "));
    if profile == Profile::Off {
        return Check::note("isolation", format!("{finding}; profile off blocks nothing of this"));
    }
    if report.passed() {
        Check::good("isolation", finding)
    } else {
        Check::note("isolation", format!("{finding}; NOT complete, see the table"))
    }
}

/// What was tried, and how it ended under each profile.
fn escape_table(report: &SelfTestReport) -> String {
    let header = ["a run tries to", "project", "strict"];
    let checks = report.checks.iter();
    let rows = checks.map(|check| [check.escape, check.project.as_str(), check.strict.as_str()]);
    let rows: Vec<_> = std::iter::once(header).chain(rows).collect();
    let width = rows.iter().map(|[escape, ..]| escape.len()).max().unwrap_or_default();
    let line = |[escape, project, strict]: &[&str; 3]| {
        format!("\n{:19}{escape:<width$}  {project:<10}{strict}", "")
    };
    rows.iter().map(line).collect()
}

fn escape_data(report: &SelfTestReport) -> Value {
    let checks = report.checks.iter().map(|check| {
        json!({
            "escape": check.escape,
            "project": check.project.as_str(),
            "strict": check.strict.as_str(),
        })
    });
    checks.collect()
}
