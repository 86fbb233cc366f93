//! `forebay rules`: the permission rules in force, and what they say about a call.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use forebay_app::rules::{self, Environment, InForce, Input};
use forebay_app::{AppError, Settings};
use forebay_policy::{Mode, Trust, Verdict, host_of, shell};
use forebay_store::Project;
use forebay_text::number;
use serde_json::{Value, json};

use super::terminal::{self, Failure};
use super::{Common, data_folder, input, project_root, user_home};

/// Show the permission rules in force and where each came from
#[derive(Debug, Args)]
pub(super) struct Rules {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    Check(Check),
    Reload(Reload),
}

/// Let running sessions of this project follow the rules as they are now
///
/// A session keeps the deny and ask rules it started with, even if their files are changed or removed. A new session
/// reads the files anew; this command, at a terminal, does so for those that run.
#[derive(Debug, Args)]
struct Reload {}

/// Show what the rules decide about a call, without running it
#[derive(Debug, Args)]
struct Check {
    /// Bash, Read, Edit, Write, WebFetch, or an mcp__server__tool
    #[arg(required_unless_present = "jsonl")]
    tool: Option<String>,
    /// The command, path or URL
    #[arg(default_value = "", allow_hyphen_values = true)]
    input: String,
    /// Decide as the host would in this mode: default, acceptEdits, plan, dontAsk, bypassPermissions
    #[arg(long, value_parser = read_mode)]
    mode: Option<Mode>,
    /// Check many calls: a file of {"id","tool","input","scopes"?...} lines, - for stdin
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tool", "input", "mode"])]
    jsonl: Option<PathBuf>,
}

fn read_mode(name: &str) -> Result<Mode, String> {
    Mode::from_host_name(name).ok_or_else(|| "unknown mode".to_owned())
}

impl Rules {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let environment = environment(common)?;
        let settings = common.tolerant_settings(&environment.root)?;
        match self.action {
            None => list(common, &environment)?,
            Some(Action::Check(Check { jsonl: Some(file), .. })) => {
                check_file(&file, &environment)?;
            }
            Some(Action::Reload(_)) => reload(&environment)?,
            Some(Action::Check(check)) => check.explain(common, &settings, &environment)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

pub(super) fn environment(common: &Common) -> Result<Environment, AppError> {
    let cwd = common.working_folder()?;
    Ok(Environment {
        root: project_root(&cwd),
        cwd,
        home: user_home(),
        system_root: Some(Environment::SYSTEM_ROOT.into()),
        variable: Environment::variable,
    })
}

/// Only a person can do this: an agent could change a rule file and reload it.
fn reload(environment: &Environment) -> Result<(), Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(AppError::refused(
            "`forebay rules reload` needs a terminal",
            "only the user can let running sessions follow changed rules; a new session does, too",
        )
        .into());
    }
    rules::load(environment)?;
    let project = Project::for_folder(&environment.cwd, environment.home.as_deref());
    let id = project.as_ref().map(|project| &project.id);
    let count = rules::forget_sessions(&data_folder()?, id)? as u64;
    terminal::print_plain(&format!(
        "the rules as they are now hold for {} of this project\n",
        number::counted(count, "session")
    ))
}

fn list(common: &Common, environment: &Environment) -> Result<(), Failure> {
    let in_force = rules::load(environment)?;
    if common.json {
        terminal::print_json(&listed_json(&in_force))
    } else {
        terminal::print_plain(&listed_text(&in_force))
    }
}

fn listed_text(in_force: &InForce) -> String {
    let mut text = String::new();
    for each in &in_force.written {
        text.push_str(&format!(
            "{:<5} {:<40} {:<8} {}\n",
            each.list.as_str(),
            visible(&each.text),
            each.origin.as_str(),
            each.file.display()
        ));
    }
    if in_force.written.is_empty() {
        text.push_str("no rules\n");
    }
    for warning in &in_force.warnings {
        text.push_str(&format!("warning: {}\n", visible(&warning.to_string())));
    }
    if in_force.managed_only {
        text.push_str("only managed rules apply here\n");
    }
    if in_force.trust != Trust::Workspace {
        let host = rules::trust_host().map_or("the agent", |platform| platform.name);
        text.push_str(&format!(
            "this workspace is not trusted in {host}: its own allow rules are ignored\n"
        ));
    }
    text.push_str("\nfiles, strongest first; a deny in any of them wins:\n");
    let (present, absent): (Vec<_>, Vec<_>) = in_force.files.iter().partition(|file| file.2);
    for (origin, file, _) in present {
        text.push_str(&format!("  {:<8} {}\n", origin.as_str(), file.display()));
    }
    text.push_str(&format!("  {} more do not exist (--json lists them)\n", absent.len()));
    text
}

fn listed_json(in_force: &InForce) -> Value {
    let written: Vec<Value> = in_force
        .written
        .iter()
        .map(|each| {
            json!({
                "list": each.list.as_str(),
                "rule": each.text,
                "scope": each.origin.as_str(),
                "file": each.file.to_string_lossy(),
            })
        })
        .collect();
    let warnings: Vec<String> = in_force.warnings.iter().map(ToString::to_string).collect();
    let paths = |is_there| -> Vec<String> {
        let such = in_force.files.iter().filter(|file| file.2 == is_there);
        such.map(|file| file.1.to_string_lossy().into_owned()).collect()
    };
    json!({
        "rules": written,
        "warnings": warnings,
        "files": paths(true),
        "absent_files": paths(false),
        "managed_only": in_force.managed_only,
        "trusted": in_force.trust == Trust::Workspace,
    })
}

impl Check {
    fn explain(
        self,
        common: &Common,
        settings: &Settings,
        environment: &Environment,
    ) -> Result<(), Failure> {
        let in_force = rules::load(environment)?;
        let tool = self.tool.unwrap_or_default();
        let input = Input { main: self.input, ..Input::default() };
        // Without a mode of the host, Forebay's own tools would make the call.
        let mode = self.mode.unwrap_or(Mode::Forebay(settings.rules.unmatched));
        let mut around = in_force.circumstances(environment, Some(mode));
        around.allows_loopback = settings.fetch.loopback;
        let verdict = rules::decide(&tool, &input, &in_force.rules, &around);
        if common.json {
            let data = rules::to_json(&verdict, &in_force.warnings);
            return terminal::print_json(&Value::Object(data));
        }
        terminal::print_plain(&explained(&verdict, &input))?;
        let warnings: String = in_force
            .warnings
            .iter()
            .map(|warning| format!("warning: {}\n", visible(&warning.to_string())))
            .collect();
        terminal::print_plain(&warnings)
    }
}

fn explained(verdict: &Verdict, input: &Input) -> String {
    let mut text = format!("{}: {}\n", verdict.decision, visible(&verdict.reason));
    if host_of(&input.main).is_some() {
        text.push_str("the host's addresses are checked when it is fetched\n");
    }
    text
}

/// A text of somebody else's as it is, or with everything spelled out that would not be seen.
fn visible(text: &str) -> String {
    match shell::hidden_in(text) {
        Some(_) => text.escape_debug().to_string(),
        None => text.to_owned(),
    }
}

/// Answers each line of a file with one, in order.
fn check_file(file: &Path, environment: &Environment) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    for (number, line) in input::open(file)?.lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = rules::check_line(&line, environment).map_err(|error| AppError {
            message: format!("line {}: {}", number + 1, error.message),
            ..error
        })?;
        writeln!(stdout, "{answer}")?;
    }
    Ok(stdout.flush()?)
}
