//! The command line page: `--help` of every command.

use std::path::Path;

use anyhow::{Result, ensure};

use super::GENERATED;
use crate::process;

pub(super) fn page(forebay: &Path) -> Result<String> {
    let overview = help(forebay, &[])?;
    let commands = commands(&overview);
    ensure!(!commands.is_empty(), "`forebay --help` lists no commands");
    let mut page = format!("{GENERATED}\n\n# Command line\n\n{}", block(&overview));
    for command in commands {
        page.push_str(&format!("\n## forebay {command}\n\n{}", block(&help(forebay, &[command])?)));
    }
    Ok(page)
}

/// Returns a command's help, wrapped at 80 columns.
fn help(forebay: &Path, command: &[&str]) -> Result<String> {
    let mut forebay = process::command(forebay);
    forebay.args(command).arg("--help").env("COLUMNS", "80").env("NO_COLOR", "1");
    let text = process::stdout_text(forebay.env_remove("FOREBAY_SESSION"))?;
    Ok(text.lines().map(|line| format!("{}\n", line.trim_end())).collect())
}

/// Lists the commands in a help text.
fn commands(help: &str) -> Vec<&str> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .collect()
}

fn block(text: &str) -> String {
    format!("```text\n{text}```\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_commands_of_a_help_text() {
        let help = "Says.\n\nCommands:\n  run   Run it\n          and more\n  get   Get it\n  help  Print\n\nOptions:\n  -h\n";
        assert_eq!(commands(help), ["run", "get"]);
    }
}
