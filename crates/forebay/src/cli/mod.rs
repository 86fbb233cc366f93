//! The command line: one file per command.

mod call;
mod changes;
mod completions;
mod config;
mod context;
mod demo;
mod digest;
mod digest_check;
mod doctor;
mod export;
mod fetch;
mod files;
mod gateway;
mod get;
mod history;
mod hook;
mod import;
mod index;
mod init;
mod input;
mod interrupt;
mod job;
mod line_breaking;
mod maintain;
mod man;
mod map;
mod mcp;
mod network;
mod note;
mod paint;
mod paths;
mod peek;
mod pin;
mod progress;
mod purge;
mod redact;
mod reflect;
mod replay;
mod report;
mod rules;
mod run;
mod schema;
mod search;
mod serve;
mod share;
mod sources;
mod start_page;
mod stats;
mod statusline;
mod supervise_job;
mod terminal;
mod token;
mod ui;
mod uninstall;
mod upgrade;
mod watch;
mod wrap;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use forebay_app::agents::Machine;
use forebay_app::{Answer, App, AppError, Call, FrontEnd, Settings, Setup};
use forebay_domain::Timestamp;
use forebay_domain::usage::TERMINAL_SESSION;
use forebay_sandbox::{CancelToken, ProcessClock, ReexecCommand, own_executable};
use forebay_store::Project;
use serde_json::Value;

use self::paths::{
    data_folder, executable, no_home, project_root, running_program, settings_files, user_home,
    user_settings_file,
};
use self::terminal::Failure;
use crate::config::{Config, ConfigError, environment};

/// Keeps raw tool output out of an AI agent's context window.
///
/// Forebay stores a command's whole output; you get a digest and a reference like
/// [ctx:k3v9m2a1xq] to read any part again. `forebay demo` is a one-minute tour.
#[derive(Debug, Parser)]
#[command(name = "forebay", version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    common: Common,
    /// Without one, `forebay` says what is set up here, and the next step.
    #[command(subcommand)]
    command: Option<Command>,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Common options")]
struct Common {
    /// Run as if started in this directory
    #[arg(short = 'C', long, global = true, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// The conversation this belongs to [env: FOREBAY_SESSION]
    #[arg(long, global = true, value_name = "KEY")]
    session: Option<String>,
    /// Override a setting for this call, e.g. digest.budget=200
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print JSON instead of text
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
    #[command(visible_alias = "discover")]
    Replay(replay::Replays),
    Report(report::Report),
    Digest(digest::Digest),
    Redact(redact::Redact),
    Stats(stats::Stats),
    Purge(purge::Purge),
    Init(init::Init),
    Doctor(doctor::Doctor),
    Upgrade(upgrade::Upgrade),
    Uninstall(uninstall::Uninstall),
    Job(job::Job),
    SuperviseJob(supervise_job::SuperviseJob),
    Maintain(maintain::Maintain),
    Rules(rules::Rules),
    Config(config::ConfigCommand),
    Mcp(mcp::Serve),
    Serve(serve::Serve),
    Ui(ui::Ui),
    Watch(watch::Watch),
    Wrap(wrap::Wrap),
    Gateway(gateway::Gateway),
    Token(token::Tokens),
    Schema(schema::Schema),
    Call(call::Call),
    Hook(hook::Hook),
    Statusline(statusline::StatusLine),
    Demo(demo::Demo),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Hints name commands to a person. An answer that is not shown at a terminal may be read by an agent, which has the
/// tools; so is everything that serves one.
fn select_front_ends(command: &Command, as_json: bool) {
    let serves_models = matches!(
        command,
        Command::Mcp(_)
            | Command::Serve(_)
            | Command::Wrap(_)
            | Command::Gateway(_)
            | Command::Call(_)
            | Command::SuperviseJob(_)
    );
    if serves_models || as_json {
        return;
    }
    FrontEnd::Shell.reads_errors();
    // The tour shows what a person sees.
    if io::stdout().is_terminal() || matches!(command, Command::Demo(_)) {
        FrontEnd::Shell.reads_answers();
    }
}

/// Parses the command line, runs the command, and maps the outcome to an exit code.
pub(crate) fn main() -> ExitCode {
    if let Some(code) = hook::called().or_else(statusline::called) {
        return code;
    }
    let Cli { common, command } = parse_frequent().unwrap_or_else(Cli::parse);
    let json = common.json;
    let Some(command) = command else {
        return start_page::show(&common).unwrap_or_else(|failure| failure.report(json));
    };
    select_front_ends(&command, json);
    let done = match command {
        Command::Run(run) => run.run(&common),
        Command::Get(get) => get.run(&common),
        Command::Search(search) => search.run(&common),
        Command::Note(note) => note.run(&common),
        Command::Pin(pin) => pin.run(&common),
        Command::Unpin(unpin) => unpin.run(&common),
        Command::Context(context) => context.run(&common),
        Command::History(history) => history.run(&common),
        Command::Reflect(reflect) => reflect.run(&common),
        Command::Import(import) => import.run(&common),
        Command::Export(export) => export.run(&common),
        Command::Push(push) => push.run(&common),
        Command::Pull(pull) => pull.run(&common),
        Command::Replay(replay) => replay.run(&common),
        Command::Report(report) => report.run(&common),
        Command::Index(index) => index.run(&common),
        Command::Fetch(fetch) => fetch.run(&common),
        Command::Sources(sources) => sources.run(&common),
        Command::Peek(peek) => peek.run(&common),
        Command::Map(map) => map.run(&common),
        Command::Files(files) => files.run(&common),
        Command::Digest(digest) => digest.run(&common),
        Command::Redact(redact) => redact.run(&common),
        Command::Stats(stats) => stats.run(&common),
        Command::Purge(purge) => purge.run(&common),
        Command::Init(init) => init.run(&common),
        Command::Doctor(doctor) => doctor.run(&common),
        Command::Upgrade(upgrade) => upgrade.run(&common),
        Command::Uninstall(uninstall) => uninstall.run(&common),
        Command::Job(job) => job.run(&common),
        Command::SuperviseJob(supervise) => supervise.run(&common),
        Command::Maintain(maintain) => maintain.run(&common),
        Command::Rules(rules) => rules.run(&common),
        Command::Config(config) => config.run(&common),
        Command::Mcp(serve) => serve.run(&common),
        Command::Serve(serve) => serve.run(&common),
        Command::Ui(ui) => ui.run(&common),
        Command::Watch(watch) => watch.run(&common),
        Command::Wrap(wrap) => wrap.run(&common),
        Command::Gateway(gateway) => gateway.run(&common),
        Command::Token(tokens) => tokens.run(&common),
        Command::Schema(schema) => schema.run(&common),
        Command::Call(call) => call.run(&common),
        Command::Hook(hook) => Ok(hook.answer(&ProcessClock::start())),
        Command::Statusline(line) => Ok(line.print()),
        Command::Demo(demo) => demo.run(&common),
        Command::Completions(completions) => completions.run(),
        Command::Man(man) => man.run(),
    };
    done.unwrap_or_else(|failure| failure.report(json))
}

/// Parses a frequent command without building the parsers of all others, which takes longer than many commands run
/// (`cargo xtask bench --only start`). None for another command, an error, or a request for help.
fn parse_frequent() -> Option<Cli> {
    match std::env::args_os().nth(1)?.to_str()? {
        "run" => parse_only("run", Command::Run),
        "search" => parse_only("search", Command::Search),
        "note" => parse_only("note", Command::Note),
        "get" => parse_only("get", Command::Get),
        "index" => parse_only("index", Command::Index),
        _ => None,
    }
}

fn parse_only<Own: Args>(name: &'static str, command: fn(Own) -> Command) -> Option<Cli> {
    let own = Own::augment_args(clap::Command::new(name));
    let parse_only = Common::augment_args(clap::Command::new("forebay")).subcommand(own);
    let matches = parse_only.try_get_matches().ok()?;
    let (_, of_own) = matches.subcommand()?;
    let own = Own::from_arg_matches(of_own).ok()?;
    Some(Cli { common: Common::from_arg_matches(&matches).ok()?, command: Some(command(own)) })
}

fn command() -> clap::Command {
    Cli::command()
}

impl Common {
    /// The app of a command. It is never dropped: the process ends with it, and skipping destructors ends it sooner.
    fn app(&self) -> Result<ManuallyDrop<App>, Failure> {
        Ok(self.for_reader(self.app_for("cli", TERMINAL_SESSION)?))
    }

    /// The app of a command whose output a person reads, or a model if a conversation is named.
    fn for_reader(&self, app: App) -> ManuallyDrop<App> {
        let is_conversation = self.session_name().is_some() && !io::stdout().is_terminal();
        ManuallyDrop::new(if is_conversation { app.in_conversation() } else { app })
    }

    /// The app of a command that runs nothing: a project's settings file with an error is reported and ignored.
    fn tolerant_app(&self) -> Result<ManuallyDrop<App>, Failure> {
        let cwd = self.working_folder()?;
        let settings = self.tolerant_settings(&project_root(&cwd))?;
        let app = self.app_with(settings, cwd.clone(), &cwd, "cli", TERMINAL_SESSION)?;
        Ok(self.for_reader(app))
    }

    /// The settings for a command that runs nothing; a project's file with an error is reported and ignored.
    fn tolerant_settings(&self, root: &Path) -> Result<Settings, Failure> {
        let (settings, fault) = self.valid_settings(root)?;
        if let Some(fault) = fault {
            terminal::note(&format!("{fault}; what is valid in this file counts"))?;
        }
        Ok(settings)
    }

    /// The app for a client; `session` is the default name of the conversation.
    fn app_for(&self, client: &str, session: &str) -> Result<App, AppError> {
        let cwd = self.working_folder()?;
        self.app_in(cwd.clone(), &cwd, client, session)
    }

    /// The app of the project that contains `project`, with `cwd` as working directory.
    fn app_in(
        &self,
        cwd: PathBuf,
        project: &Path,
        client: &str,
        session: &str,
    ) -> Result<App, AppError> {
        let settings = self.settings(&project_root(project))?;
        self.app_with(settings, cwd, project, client, session)
    }

    fn app_with(
        &self,
        settings: Settings,
        cwd: PathBuf,
        project: &Path,
        client: &str,
        session: &str,
    ) -> Result<App, AppError> {
        let home = data_folder()?;
        crate::log::start(&home.log_file());
        let user_home = user_home();
        let project = Project::for_folder(project, user_home.as_deref());
        Ok(App::new(Setup {
            home,
            cwd,
            project,
            user_home,
            settings,
            environment: environment::all(),
            session: self.session_name().unwrap_or_else(|| session.to_owned()),
            client: client.to_owned(),
            clock: Arc::new(wall_clock),
            supervisor: self.own_program(supervise_job::NAME),
        }))
    }

    /// Where this user's agents keep their settings. It needs no store and no settings of Forebay.
    fn machine(&self) -> Result<Machine, AppError> {
        let cwd = self.working_folder()?;
        let home = user_home().ok_or_else(no_home)?;
        let project = Project::for_folder(&cwd, Some(&home));
        Ok(Machine::new(home, &cwd, project.as_ref(), &environment::all(), &data_folder()?))
    }

    /// The settings of the project at `root`.
    fn settings(&self, root: &Path) -> Result<Settings, AppError> {
        let loaded = Config::load(&settings_files(root), &self.set);
        loaded.and_then(Config::settings).map_err(wrong_settings)
    }

    /// The settings of the project at `root`; without its file if that has an error, which is returned.
    fn valid_settings(&self, root: &Path) -> Result<(Settings, Option<ConfigError>), AppError> {
        let (config, fault) = self.valid_config(root)?;
        Ok((config.settings().map_err(wrong_settings)?, fault))
    }

    /// The same settings with their origins.
    fn valid_config(&self, root: &Path) -> Result<(Config, Option<ConfigError>), AppError> {
        Config::load_what_is_valid(&settings_files(root), &self.set).map_err(wrong_settings)
    }

    fn working_folder(&self) -> Result<PathBuf, AppError> {
        let current = std::env::current_dir().map_err(|error| {
            AppError::bad_input(
                format!("cannot use the current directory: {error}"),
                "change to a directory that exists",
            )
        })?;
        let folder =
            self.directory.as_ref().map_or_else(|| current.clone(), |given| current.join(given));
        if folder.is_dir() {
            return Ok(folder);
        }
        Err(AppError::bad_input(
            format!("{} is not a directory", folder.display()),
            "check -C/--directory",
        ))
    }

    fn session_name(&self) -> Option<String> {
        let configured = || environment::read(environment::SESSION);
        self.session.clone().or_else(configured).or_else(environment::host_session)
    }

    /// Calls a tool like every other door and prints its answer.
    fn call_tool(&self, tool: &str, input: Value) -> Result<ExitCode, Failure> {
        self.call_tool_of(&*self.app()?, tool, input)
    }

    /// The same for a tool that shows what is stored, which an invalid project file does not hinder.
    fn call_reader(&self, tool: &str, input: Value) -> Result<ExitCode, Failure> {
        self.call_tool_of(&*self.tolerant_app()?, tool, input)
    }

    fn call_tool_of(&self, app: &App, tool: &str, input: Value) -> Result<ExitCode, Failure> {
        let answer = app.call(tool, input, &Call::default())?;
        terminal::tell_notices(app)?;
        let shown = self.show(&answer);
        self.index_some(app)?;
        shown
    }

    /// Indexes what was added and embeds it with the configured remote model, showing progress.
    fn index_all(&self, app: &App) -> Result<(), Failure> {
        self.index_all_until(app, &CancelToken::new())
    }

    /// Indexes everything; a cancelled call leaves the rest to the next search.
    fn index_all_until(&self, app: &App, cancel: &CancelToken) -> Result<(), Failure> {
        app.index_pending()?;
        let bar = progress::steps("embedding", "chunks");
        let left = app.embed_pending(|done, total| {
            if let Some(total) = total {
                bar.set_length(total);
            }
            bar.set_position(done);
            !cancel.is_cancelled()
        });
        bar.finish_and_clear();
        if let Some(why) = left? {
            terminal::note(&why)?;
        }
        maintain::spawn_if_needed(self, app)?;
        if cancel.is_cancelled() {
            return Err(Failure::Interrupted(AppError::refused(
                "interrupted; what is done is kept",
                "the rest follows with later searches",
            )));
        }
        Ok(())
    }

    /// Indexes a bounded amount; the rest waits for the next search.
    fn index_some(&self, app: &App) -> Result<(), Failure> {
        app.index_pending_briefly()?;
        maintain::spawn_if_needed(self, app)
    }

    /// This program as a command for a subtask, with the same directory and settings.
    fn own_program(&self, task: &str) -> Option<ReexecCommand> {
        let mut arguments: Vec<OsString> = vec!["-C".into(), self.working_folder().ok()?.into()];
        arguments.extend(self.set.iter().flat_map(|set| ["--set".into(), set.into()]));
        arguments.push(task.into());
        Some(ReexecCommand { program: own_executable()?.to_owned(), arguments })
    }

    fn show(&self, answer: &Answer) -> Result<ExitCode, Failure> {
        if self.json {
            terminal::print_json(&answer.data)?;
        } else {
            terminal::print_answer(&answer.text)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Like [`Self::show`], broken at the width of the terminal; continued lines are indented.
    fn show_wrapped(&self, answer: &Answer, indent: usize) -> Result<ExitCode, Failure> {
        match line_breaking::columns().filter(|_| !self.json) {
            None => self.show(answer),
            Some(columns) => {
                terminal::print_answer(&line_breaking::text(&answer.text, columns, indent))?;
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

fn wall_clock() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

fn wrong_settings(error: ConfigError) -> AppError {
    AppError::bad_input(error.to_string(), error.hint())
}
