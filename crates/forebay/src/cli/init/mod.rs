//! `forebay init`: sets up agents to use Forebay, and undoes it.

mod check;
mod choose;
mod holdout;
mod report;
mod variables;

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use forebay_app::agents::{self, Level, Machine, Plan, ServerNames, Wish, Wrapper};
use forebay_app::upgrade::Channel;
use forebay_app::{AppError, Reply};

use self::check::Reach;
use self::choose::Chosen;
use self::report::Report;
use super::changes::{self, files};
use super::terminal::{self, Failure};
use super::{Common, project_root};

/// Set up agents: MCP server, hooks and instructions for the model
///
/// Shows the changes and asks before writing. Without names, sets up the agents that are installed or used in
/// the project. Edits your own settings, for all projects; with --project, files that the project shares. In the end it
/// starts each hook and server as the agent does, and says whether they answered.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a command-line flag")]
pub(super) struct Init {
    #[arg(value_name = "AGENT", help = choose::agent_ids())]
    agents: Vec<String>,
    /// Edit your own settings, for all projects (the default)
    #[arg(long)]
    user: bool,
    /// Edit files of this project; committed, they are shared with everyone who works on it
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// Leave the agent's status line to you; removes Forebay's line from it
    #[arg(long, conflicts_with = "undo")]
    no_status_line: bool,
    /// Instead of setting up agents, start their other MCP servers through `forebay wrap`: the named ones, or all
    #[arg(
        long, value_name = "SERVERS", value_delimiter = ',', num_args = 0..=1, require_equals = true,
        default_missing_value = ALL_SERVERS, conflicts_with_all = ["project", "no_status_line"]
    )]
    wrap: Option<Vec<String>>,
    /// Remove Forebay and restore every file
    #[arg(long)]
    undo: bool,
    /// Do not start the hooks and servers to see that they answer
    #[arg(long)]
    no_check: bool,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// Write without asking
    #[arg(short, long, conflicts_with = "dry_run")]
    yes: bool,
}

/// What `--wrap` without names stands for.
const ALL_SERVERS: &str = "*";

/// The outcome of a plan.
enum Outcome {
    /// Nothing to write, or a dry run.
    Shown,
    Declined,
    NoTerminal,
    /// With the errors of single files.
    Written(Vec<String>),
}

impl Init {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        // Faults of the settings would otherwise show up first in the agents.
        common.tolerant_settings(&project_root(&common.working_folder()?))?;
        let machine = &common.machine()?;
        let level = self.level(machine)?;
        let mut chosen = self.choose(machine, level)?;
        let wish = self.wish(machine, level)?;
        chosen.remarks.extend(remark_on_program(&wish, level));
        chosen.remarks.extend(remark_on_cache(&wish));
        if let Some(servers) = self.servers() {
            chosen.remarks.extend(agents::remarks_on_servers(machine, &chosen.agents, &servers));
            if !self.undo {
                chosen.remarks.extend(variables::remark_on_secret());
            }
        }
        let plan = agents::plan(machine, &chosen.agents, level, &wish);
        let report = Report { machine, level, is_undo: self.undo, chosen: &chosen, plan: &plan };
        if !common.json {
            report.show_plan(!self.yes && !self.dry_run && terminal::can_ask())?;
        }
        let done = self.decide(machine, &plan, level, &wish, common);
        if common.json {
            let reached = self.check(machine, &chosen, level, &done, common)?;
            terminal::print_json(&report.as_data(&done, &reached))?;
            return exit_code(&plan, &done, &reached);
        }
        report.show_outcome(&done)?;
        let reached = self.check(machine, &chosen, level, &done, common)?;
        report.show_check(&reached)?;
        let is_written = matches!(done, Outcome::Written(_)) && !self.undo && self.wrap.is_none();
        if is_written || !reached.is_empty() {
            report.show_next_steps()?;
        }
        if is_written {
            report.show_way_back()?;
        }
        if is_written && !self.yes {
            holdout::offer(common)?;
        }
        exit_code(&plan, &done, &reached)
    }

    /// Checks that the agents reach what their files name, unless nothing was to be written.
    fn check(
        &self,
        machine: &Machine,
        chosen: &Chosen,
        level: Level,
        done: &Outcome,
        common: &Common,
    ) -> Result<Vec<Reach>, AppError> {
        let is_set_up = match done {
            Outcome::Written(_) => true,
            Outcome::Shown => !self.dry_run,
            Outcome::Declined | Outcome::NoTerminal => false,
        };
        if !is_set_up || self.undo || self.no_check || self.wrap.is_some() {
            return Ok(Vec::new());
        }
        Ok(check::check(machine, &chosen.agents, level, &common.working_folder()?))
    }

    fn level(&self, machine: &Machine) -> Result<Level, AppError> {
        match (self.project, machine.has_project()) {
            (false, _) => Ok(Level::User),
            (true, true) => Ok(Level::Project),
            (true, false) => Err(AppError::bad_input(
                "this folder is not a project",
                "without --project, `forebay init` sets up your agents for all projects",
            )),
        }
    }

    fn choose(&self, machine: &Machine, level: Level) -> Result<Chosen, AppError> {
        match (self.agents.is_empty(), self.undo) {
            (true, _) if self.wrap.is_some() => Chosen::found(machine, level),
            (false, _) => Chosen::named(&self.agents, level),
            (true, true) => Chosen::set_up(machine, level),
            (true, false) => Chosen::found(machine, level),
        }
    }

    /// The servers to wrap, or not to wrap any more.
    fn servers(&self) -> Option<ServerNames> {
        self.wrap.as_ref().map(|names| match names.as_slice() {
            [all] if all == ALL_SERVERS => ServerNames::All,
            names => ServerNames::These(names.to_vec()),
        })
    }

    fn wish(&self, machine: &Machine, level: Level) -> Result<Wish, Failure> {
        if self.undo {
            return Ok(self.servers().map_or(Wish::TakeBack, |servers| Wish::Unwrap { servers }));
        }
        let program = machine.program(&super::running_program()?, level);
        if let Some(servers) = self.servers() {
            let wrapper = Wrapper { program, variables: variables::to_carry()? };
            return Ok(Wish::Wrap { wrapper, servers });
        }
        Ok(Wish::SetUp { program, with_status_line: !self.no_status_line })
    }

    /// Writes the changes if the user agrees.
    fn decide(
        &self,
        machine: &Machine,
        plan: &Plan,
        level: Level,
        wish: &Wish,
        common: &Common,
    ) -> Outcome {
        if plan.changes.is_empty() || self.dry_run {
            return Outcome::Shown;
        }
        if !self.yes {
            let asked =
                if common.json { Reply::Unavailable } else { self.ask(plan, machine.home()) };
            match asked {
                Reply::Yes => {}
                Reply::No => return Outcome::Declined,
                Reply::Unavailable => return Outcome::NoTerminal,
            }
        }
        let faults = agents::apply(plan, machine, level, wish);
        Outcome::Written(faults.iter().map(ToString::to_string).collect())
    }

    fn ask(&self, plan: &Plan, home: &Path) -> Reply {
        let verb = if self.undo { "Restore or remove" } else { "Write" };
        let question = format!("\n{verb} {}?", files(plan.changes.len()));
        let whole = || plan.changes.iter().filter(|change| !changes::is_edit(change));
        let details = if self.undo { "show removed files" } else { "show new files" };
        match whole().next() {
            None => terminal::ask(&question),
            Some(_) => terminal::ask_with_details(&question, details, || {
                changes::show_differences(whole(), home)
            }),
        }
    }
}

/// The remark on a program that shared files name by a path of this machine.
fn remark_on_program(wish: &Wish, level: Level) -> Option<String> {
    let Wish::SetUp { program, .. } = wish else { return None };
    (level == Level::Project && agents::machine::is_own_path(program)).then(|| {
        format!(
            "forebay is not on the PATH: these files name {program} and work on this machine only"
        )
    })
}

/// The remark on a program that only the cache of a package manager has.
fn remark_on_cache(wish: &Wish) -> Option<String> {
    let (Wish::SetUp { program, .. } | Wish::Wrap { wrapper: Wrapper { program, .. }, .. }) = wish
    else {
        return None;
    };
    let install = Channel::detect(Path::new(program), Path::new("/")).lasting_install()?;
    Some(format!(
        "{program} is in a cache and may disappear: `{install}`, then `forebay init` again"
    ))
}

fn exit_code(plan: &Plan, done: &Outcome, reached: &[Reach]) -> Result<ExitCode, Failure> {
    let is_complete = plan.faults.is_empty() && reached.iter().all(Reach::is_good);
    match done {
        Outcome::Shown if is_complete => Ok(ExitCode::SUCCESS),
        Outcome::Written(faults) if is_complete && faults.is_empty() => Ok(ExitCode::SUCCESS),
        Outcome::NoTerminal => Err(AppError::bad_input(
            "nothing was written: cannot ask without a terminal",
            "--yes writes without asking, --dry-run only shows",
        )
        .into()),
        _ => Ok(ExitCode::FAILURE),
    }
}
