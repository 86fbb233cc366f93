//! The command line: one file a command, each reading top to bottom.

mod call;
mod completions;
mod config;
mod context;
mod demo;
mod digest;
mod digest_check;
mod discover;
mod doctor;
mod export;
mod fetch;
mod files;
mod get;
mod history;
mod hook;
mod import;
mod index;
mod init;
mod input;
mod job;
mod keep_job;
mod man;
mod map;
mod mcp;
mod note;
mod paint;
mod peek;
mod pin;
mod progress;
mod purge;
mod redact;
mod reflect;
mod rules;
mod run;
mod schema;
mod search;
mod serve;
mod share;
mod sources;
mod stats;
mod terminal;
mod tidy;
mod token;

use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use forebay_app::{Answer, App, AppError, Call, Settings, Setup};
use forebay_domain::Timestamp;
use forebay_sandbox::OwnProgram;
use forebay_store::{Home, Project};
use serde_json::Value;

use self::terminal::Failure;
use crate::config::{Config, ConfigError, PROJECT_FILE, environment};

/// Keeps raw tool output out of an AI agent's context window.
///
/// Commands run through Forebay are stored whole; you get a digest and a reference like
/// [ctx:k3v9m2a1xq] with which any part is read again. `forebay demo` shows it in a minute.
#[derive(Debug, Parser)]
#[command(name = "forebay", version, max_term_width = 100, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Common options")]
struct Common {
    /// Work as if started in this folder
    #[arg(short = 'C', long, global = true, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// The conversation this belongs to; FOREBAY_SESSION names it too
    #[arg(long, global = true, value_name = "KEY")]
    session: Option<String>,
    /// Change a setting for this call, e.g. digest.budget=200
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print data instead of text
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Run),
    Get(get::Get),
    Search(search::Search),
    Note(note::Note),
    Pin(pin::Pin),
    Unpin(pin::Unpin),
    Context(context::Context),
    History(history::History),
    Reflect(reflect::Reflect),
    Index(index::Index),
    Fetch(fetch::Fetch),
    Sources(sources::Sources),
    Peek(peek::Peek),
    Map(map::Map),
    Files(files::Files),
    Import(import::Import),
    Export(export::Export),
    Push(share::Push),
    Pull(share::Pull),
    Discover(discover::Discover),
    Digest(digest::Digest),
    Redact(redact::Redact),
    Stats(stats::Stats),
    Purge(purge::Purge),
    Init(init::Init),
    Doctor(doctor::Doctor),
    Job(job::Job),
    KeepJob(keep_job::KeepJob),
    Tidy(tidy::Tidy),
    Rules(rules::Rules),
    Config(config::Show),
    Mcp(mcp::Serve),
    Serve(serve::Serve),
    Token(token::Tokens),
    Schema(schema::Schema),
    Call(call::Call),
    Hook(hook::Hook),
    Demo(demo::Demo),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Reads the command line, does what it says, and turns the outcome into an exit code.
pub(crate) fn main() -> ExitCode {
    if let Some(code) = hook::called() {
        return code;
    }
    let Cli { common, command } = read_alone().unwrap_or_else(Cli::parse);
    let json = common.json;
    let done = match command {
        Command::Run(run) => run.carry_out(&common),
        Command::Get(get) => get.carry_out(&common),
        Command::Search(search) => search.carry_out(&common),
        Command::Note(note) => note.carry_out(&common),
        Command::Pin(pin) => pin.carry_out(&common),
        Command::Unpin(unpin) => unpin.carry_out(&common),
        Command::Context(context) => context.carry_out(&common),
        Command::History(history) => history.carry_out(&common),
        Command::Reflect(reflect) => reflect.carry_out(&common),
        Command::Import(import) => import.carry_out(&common),
        Command::Export(export) => export.carry_out(&common),
        Command::Push(push) => push.carry_out(&common),
        Command::Pull(pull) => pull.carry_out(&common),
        Command::Discover(discover) => discover.carry_out(&common),
        Command::Index(index) => index.carry_out(&common),
        Command::Fetch(fetch) => fetch.carry_out(&common),
        Command::Sources(sources) => sources.carry_out(&common),
        Command::Peek(peek) => peek.carry_out(&common),
        Command::Map(map) => map.carry_out(&common),
        Command::Files(files) => files.carry_out(&common),
        Command::Digest(digest) => digest.carry_out(&common),
        Command::Redact(redact) => redact.carry_out(&common),
        Command::Stats(stats) => stats.carry_out(&common),
        Command::Purge(purge) => purge.carry_out(&common),
        Command::Init(init) => init.carry_out(&common),
        Command::Doctor(doctor) => doctor.carry_out(&common),
        Command::Job(job) => job.carry_out(&common),
        Command::KeepJob(keep) => keep.carry_out(&common),
        Command::Tidy(tidy) => tidy.carry_out(&common),
        Command::Rules(rules) => rules.carry_out(&common),
        Command::Config(show) => show.carry_out(&common),
        Command::Mcp(serve) => serve.carry_out(&common),
        Command::Serve(serve) => serve.carry_out(&common),
        Command::Token(tokens) => tokens.carry_out(&common),
        Command::Schema(schema) => schema.carry_out(&common),
        Command::Call(call) => call.carry_out(&common),
        Command::Hook(hook) => Ok(hook.answer()),
        Command::Demo(demo) => demo.carry_out(&common),
        Command::Completions(completions) => completions.carry_out(),
        Command::Man(man) => man.carry_out(),
    };
    done.unwrap_or_else(|failure| failure.tell(json))
}

/// Reads a command that is started often without the others: to make those known takes longer than many a command
/// runs. None where it is another, or wrong, or asks for help.
fn read_alone() -> Option<Cli> {
    match std::env::args_os().nth(1)?.to_str()? {
        "run" => alone("run", Command::Run),
        "search" => alone("search", Command::Search),
        "note" => alone("note", Command::Note),
        "get" => alone("get", Command::Get),
        "index" => alone("index", Command::Index),
        _ => None,
    }
}

fn alone<Own: Args>(name: &'static str, command: fn(Own) -> Command) -> Option<Cli> {
    let own = Own::augment_args(clap::Command::new(name));
    let alone = Common::augment_args(clap::Command::new("forebay")).subcommand(own);
    let matches = alone.try_get_matches().ok()?;
    let (_, of_own) = matches.subcommand()?;
    let own = Own::from_arg_matches(of_own).ok()?;
    Some(Cli { common: Common::from_arg_matches(&matches).ok()?, command: command(own) })
}

fn command() -> clap::Command {
    Cli::command()
}

impl Common {
    /// The app of a command. It is never taken apart: the process ends with it, and is then sooner at its end.
    fn app(&self) -> Result<ManuallyDrop<App>, Failure> {
        Ok(ManuallyDrop::new(self.app_for("cli", "cli")?))
    }

    /// The app for a client; `session` is the conversation's name when nobody gave one.
    fn app_for(&self, client: &str, session: &str) -> Result<App, AppError> {
        let cwd = self.working_folder()?;
        self.app_in(cwd.clone(), &cwd, client, session)
    }

    /// The app of the project that `project` lies in, for somebody who stands in `cwd`.
    fn app_in(
        &self,
        cwd: PathBuf,
        project: &Path,
        client: &str,
        session: &str,
    ) -> Result<App, AppError> {
        let home = data_folder()?;
        crate::log::start(&home.log_file());
        let user_home = user_home();
        let project = Project::of(project, user_home.as_deref());
        let root = project.as_ref().map_or(&cwd, |project| &project.root);
        let settings = self.settings(root)?;
        Ok(App::new(Setup {
            home,
            cwd,
            project,
            user_home,
            settings,
            environment: environment::all(),
            session: self.session_name().unwrap_or_else(|| session.to_owned()),
            client: client.to_owned(),
            clock: wall_clock,
            keeper: self.own_program(keep_job::NAME),
        }))
    }

    /// The settings of the project at `root`, as the app takes them.
    fn settings(&self, root: &Path) -> Result<Settings, AppError> {
        self.config(root).and_then(Config::settings).map_err(wrong_settings)
    }

    /// The settings of the project at `root`, with where each came from.
    fn config(&self, root: &Path) -> Result<Config, ConfigError> {
        Config::load(user_settings_file().as_deref(), &root.join(PROJECT_FILE), &self.set)
    }

    fn working_folder(&self) -> Result<PathBuf, AppError> {
        let current = std::env::current_dir().map_err(|error| {
            AppError::bad_input(
                format!("the current folder cannot be used: {error}"),
                "change to one that exists",
            )
        })?;
        let folder =
            self.directory.as_ref().map_or_else(|| current.clone(), |given| current.join(given));
        if folder.is_dir() {
            return Ok(folder);
        }
        Err(AppError::bad_input(
            format!("{} is not a folder", folder.display()),
            "check -C/--directory",
        ))
    }

    fn session_name(&self) -> Option<String> {
        let by_host = || environment::HOST_SESSIONS.iter().find_map(|name| environment::read(name));
        self.session.clone().or_else(|| environment::read(environment::SESSION)).or_else(by_host)
    }

    /// Asks a tool as every door does, and shows its answer.
    fn ask(&self, tool: &str, input: Value) -> Result<ExitCode, Failure> {
        let app = self.app()?;
        let answer = app.call(tool, input, &Call::default())?;
        terminal::tell_notices(&app)?;
        let shown = self.show(&answer);
        self.settle_soon(&app)?;
        shown
    }

    /// Makes what was added searchable, and has the model told of it that the user named; a person sees how far it is.
    fn settle(&self, app: &App) -> Result<(), Failure> {
        app.catch_up()?;
        let bar = progress::passages();
        let left = app.embed_rest(|done| {
            bar.set_position(done);
            true
        });
        bar.finish_and_clear();
        if let Some(why) = left? {
            terminal::note(&why)?;
        }
        tidy::leave_behind(self, app)
    }

    /// The same for a command that added little: what is left of it waits for the next search.
    fn settle_soon(&self, app: &App) -> Result<(), Failure> {
        app.catch_up_soon()?;
        tidy::leave_behind(self, app)
    }

    /// This program for a task of its own, in the same folder and with the same settings.
    fn own_program(&self, task: &str) -> Option<OwnProgram> {
        let mut arguments: Vec<OsString> = vec!["-C".into(), self.working_folder().ok()?.into()];
        arguments.extend(self.set.iter().flat_map(|set| ["--set".into(), set.into()]));
        arguments.push(task.into());
        Some(OwnProgram { program: std::env::current_exe().ok()?, arguments })
    }

    fn show(&self, answer: &Answer) -> Result<ExitCode, Failure> {
        if self.json {
            terminal::print_json(&answer.data)?;
        } else {
            terminal::print_answer(&answer.text)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The folder of the project that `cwd` lies in; itself where that is none.
fn project_root(cwd: &Path) -> PathBuf {
    Project::of(cwd, user_home().as_deref()).map_or_else(|| cwd.to_owned(), |project| project.root)
}

/// The data folder: where `FOREBAY_HOME` says, or where the platform keeps data.
fn data_folder() -> Result<Home, AppError> {
    let root =
        environment::read(environment::HOME).map(PathBuf::from).or_else(Home::default_location);
    root.map(Home::at).ok_or_else(|| {
        AppError::bad_input(
            "this user has no home folder",
            format!("set {} to a folder", environment::HOME),
        )
    })
}

fn user_home() -> Option<PathBuf> {
    std::env::home_dir()
}

fn user_settings_file() -> Option<PathBuf> {
    Home::settings_file(environment::read(environment::HOME).map(PathBuf::from).as_deref())
}

fn wall_clock() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

fn wrong_settings(error: ConfigError) -> AppError {
    AppError::bad_input(error.to_string(), error.hint())
}
