//! How an agent starts Forebay, as its files say now: for a check that starts it the same way.

use std::path::PathBuf;

use forebay_platforms::Platform;
use forebay_platforms::setup::{self, HookCommand, Level, NEW_FILE, ServerCommand, Step};

use super::plan::read_settings;
use super::{Machine, machine};

/// What an agent starts at a level; None where its platform has no such thing.
pub struct Invocations {
    pub hook: Option<Invocation<Vec<String>>>,
    pub server: Option<Invocation<ServerCommand>>,
}

/// What one file says.
pub struct Invocation<Command> {
    pub path: PathBuf,
    /// None if the file has nothing of Forebay.
    pub command: Option<Command>,
    /// The program that the file names, if it cannot be started.
    pub lost_program: Option<String>,
}

impl Invocations {
    pub fn read(machine: &Machine, agent: &'static Platform, level: Level) -> Self {
        let steps = setup::steps(agent, level);
        let event = agent.probe.map(|probe| probe.event);
        let hook = event.and_then(|event| {
            let has_hook = |text: &str, step: &Step| step.hook_command(text, event).is_some();
            let is_for_it = |step: &&Step| {
                step.add(NEW_FILE, setup::SERVER_NAME).is_ok_and(|text| has_hook(&text, step))
            };
            let step = steps.iter().find(is_for_it)?;
            let file = machine.file(step).to_string_lossy().into_owned();
            Some(Invocation::read(machine, step, |text| {
                Some(match step.hook_command(text, event)? {
                    HookCommand::Line(line) => vec!["sh".to_owned(), "-c".to_owned(), line],
                    HookCommand::File => vec![file.clone()],
                    HookCommand::Arguments(arguments) => arguments,
                })
            }))
        });
        let server = steps
            .iter()
            .find(|step| step.is_server())
            .map(|step| Invocation::read(machine, step, |text| step.server_command(text)));
        Self { hook, server }
    }
}

impl<Command> Invocation<Command> {
    fn read(machine: &Machine, step: &Step, parse: impl Fn(&str) -> Option<Command>) -> Self {
        let path = machine.file(step);
        let text = read_settings(&path).ok().flatten().unwrap_or_default();
        let program = step.program_in(&text);
        let lost_program = program.filter(|program| !machine::can_start(program));
        Self { command: parse(&text), path, lost_program }
    }
}
