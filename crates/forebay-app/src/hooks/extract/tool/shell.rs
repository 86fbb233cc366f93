//! Extracts the events of a shell command line, command by command.

use super::{environment, git};
use forebay_domain::Event;
use forebay_domain::hook::ToolResult;
use forebay_policy::shell::{self, Command};
use forebay_text::cut;

/// Longer command lines are inline scripts, whose start shows what they do.
const MAX_COMMAND_BYTES: usize = 20_000;
/// Programs that run the rest of their line.
const WRAPPERS: &[&[&str]] =
    &[&["forebay", "run", "--"], &["sudo"], &["time"], &["env"], &["nohup"], &["command"]];

pub(super) fn read(command: &str, result: &ToolResult) -> Vec<Event> {
    let script = shell::parse(cut::prefix(command, MAX_COMMAND_BYTES));
    let mut found = Vec::new();
    for command in &script.commands {
        let words = words(command);
        let words: Vec<&str> = strip_wrappers(&words).iter().map(String::as_str).collect();
        found.extend(git::read(&words, result));
        found.extend(environment::read(&words, &command.assignments));
    }
    found
}

/// Returns the arguments of a command as its program receives them, where known.
fn words(command: &Command) -> Vec<String> {
    command.words.iter().map(|word| word.known().unwrap_or_else(|| word.source.clone())).collect()
}

fn strip_wrappers(words: &[String]) -> &[String] {
    let mut rest = words;
    while let Some(wrapper) = WRAPPERS.iter().find(|wrapper| starts_with(rest, wrapper)) {
        rest = &rest[wrapper.len()..];
    }
    rest
}

fn starts_with(words: &[String], wrapper: &[&str]) -> bool {
    words.len() > wrapper.len() && words.iter().zip(wrapper).all(|(word, own)| word == own)
}
