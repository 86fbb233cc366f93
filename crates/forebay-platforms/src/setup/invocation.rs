//! How a host starts Forebay, read back from its files: the command of a hook and that of the MCP server.

use serde_json::Value;

use super::{
    EditError, FileContent, HookLayout, OwnedFile, SERVER_NAME, Step, entries, json, owned_file,
    toml,
};

/// How a host calls a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookCommand {
    /// A command line for a shell.
    Line(String),
    /// The file itself is the program.
    File,
    /// A program with arguments, started by a plugin.
    Arguments(Vec<String>),
}

/// How a host starts the MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCommand {
    /// The program first.
    pub arguments: Vec<String>,
    /// Variables that the host sets for it.
    pub environment: Vec<(String, String)>,
    /// The folder that the host starts it in, if it is named.
    pub cwd: Option<String>,
}

impl Step {
    /// How the host calls the hook of an event, according to a text.
    pub fn hook_command(&self, text: &str, event: &str) -> Option<HookCommand> {
        let text = without_bom(text);
        let ours = |text: &str, key: &str| {
            let hooks = json::get(text, &[key]).ok().flatten()?;
            find_hook(&hooks, &entries::arguments(self.platform, event)).map(HookCommand::Line)
        };
        match self.content {
            FileContent::Hooks(HookLayout::Named { .. }) => ours(text, SERVER_NAME),
            FileContent::Hooks(_) => ours(text, "hooks"),
            FileContent::Owned(kind) => match kind {
                OwnedFile::CopilotHooks | OwnedFile::VsCodeHooks | OwnedFile::KiroHooks => {
                    ours(text, "hooks")
                }
                OwnedFile::ClineScript { event: own } => {
                    (own == event && self.is_applied(text)).then_some(HookCommand::File)
                }
                OwnedFile::OpenCodePlugin | OwnedFile::ClinePlugin => {
                    let program = owned_file::program(text)?;
                    let words = ["hook", self.platform.id, event].map(str::to_owned);
                    Some(HookCommand::Arguments([program].into_iter().chain(words).collect()))
                }
                OwnedFile::ClaudeCodeMod(_) => None,
            },
            _ => None,
        }
    }

    /// How the host starts the MCP server, according to a text.
    pub fn server_command(&self, text: &str) -> Option<ServerCommand> {
        let text = without_bom(text);
        let entry = match self.content {
            FileContent::McpServers { key, .. } => {
                json::get(text, &[key, SERVER_NAME]).ok().flatten()?
            }
            FileContent::TomlMcpServers => toml::server(text)?,
            _ => return None,
        };
        let texts = |value: &Value| -> Vec<String> {
            let items = value.as_array().into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let mut arguments = texts(&entry["command"]);
        arguments.extend(entry["command"].as_str().map(str::to_owned));
        arguments.extend(texts(&entry["args"]));
        let environment = entry.get("env").or_else(|| entry.get("environment"));
        let environment = environment.and_then(Value::as_object).into_iter().flatten();
        let environment = environment
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect();
        let cwd = entry.get("cwd").and_then(Value::as_str).map(str::to_owned);
        (!arguments.is_empty()).then_some(ServerCommand { arguments, environment, cwd })
    }

    /// The variables that the host sets for its hooks, according to a text.
    pub fn hook_environment(&self, text: &str) -> Vec<(String, String)> {
        if !matches!(self.content, FileContent::Hooks(_)) {
            return Vec::new();
        }
        let settings = json::get(without_bom(text), &["env"]).ok().flatten();
        let variables = settings.as_ref().and_then(Value::as_object).into_iter().flatten();
        variables
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect()
    }

    /// The program that a text starts as Forebay.
    pub fn program_in(&self, text: &str) -> Option<String> {
        let text = without_bom(text);
        match self.content {
            FileContent::McpServers { .. } | FileContent::TomlMcpServers => {
                self.server_command(text)?.arguments.into_iter().next()
            }
            FileContent::Hooks(_) | FileContent::StatusLine => {
                self.is_applied(text).then(|| entries::program_in_script(&unescaped(text)))?
            }
            FileContent::Owned(_) => self.is_applied(text).then(|| owned_file::program(text))?,
            FileContent::Instructions => None,
        }
    }

    /// Whether a file has only some of the hooks, or a file that Forebay owns is not as this version writes it.
    pub fn is_incomplete(&self, text: &str) -> bool {
        let program = || self.program_in(text).unwrap_or_else(|| SERVER_NAME.to_owned());
        match self.content {
            FileContent::Hooks(_) => {
                let mut events = self.platform.registered_events();
                self.is_applied(text)
                    && events.any(|event| self.hook_command(text, event.name).is_none())
            }
            FileContent::Owned(_) => {
                self.is_applied(text)
                    && self.add(text, &program()).is_ok_and(|written| written != text)
            }
            _ => false,
        }
    }

    /// Lets a text start another program; what the user added to the entry of the MCP server stays.
    pub fn with_program(&self, text: &str, program: &str) -> Result<String, EditError> {
        super::preserving_bom(text, |text| match self.content {
            FileContent::McpServers { key, .. } => {
                let entry = json::get(text, &[key, SERVER_NAME])?.unwrap_or_default();
                match &entry["command"] {
                    Value::String(_) => {
                        let quoted = Value::String(program.to_owned()).to_string();
                        let command = [key, SERVER_NAME, "command"];
                        json::edit_source(text, &command, |_| quoted.clone())
                    }
                    _ => self.add(text, program),
                }
            }
            FileContent::TomlMcpServers => toml::with_program(text, program),
            _ => self.add(text, program),
        })
    }
}

fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// A text of JSON strings as they are meant, so far as scripts in them can be found.
pub(super) fn unescaped(text: &str) -> String {
    text.replace("\\\"", "\"").replace("\\\\", "\\")
}

/// The command line that ends with a hook's arguments, wherever it is in a value.
fn find_hook(value: &Value, arguments: &str) -> Option<String> {
    match value {
        Value::String(line) => {
            let is_ours = line.trim_end_matches('\'').ends_with(&format!(" {arguments}"));
            is_ours.then(|| line.clone())
        }
        Value::Array(items) => items.iter().find_map(|item| find_hook(item, arguments)),
        Value::Object(fields) => fields.values().find_map(|field| find_hook(field, arguments)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Level, NEW_FILE, steps};
    use super::*;
    use crate::PLATFORMS;

    const PROGRAM: &str = "/opt/my \"bin\"/fore$bay";

    fn all_steps() -> impl Iterator<Item = Step> {
        let of_levels = |platform| [steps(platform, Level::User), steps(platform, Level::Project)];
        PLATFORMS.iter().flat_map(move |platform| of_levels(platform)).flatten()
    }

    #[test]
    fn programs_are_read_back_and_replaced() {
        for step in all_steps().filter(|step| !step.is_instructions()) {
            let written = step.add(NEW_FILE, PROGRAM).unwrap();
            let name = (step.platform.id, step.path);
            let has_program = !step.path.ends_with("plugin.json")
                && !step.path.ends_with("forebay/hooks/hooks.json");
            if has_program {
                assert_eq!(step.program_in(&written).as_deref(), Some(PROGRAM), "{name:?}");
                let moved = step.with_program(&written, "/usr/bin/forebay").unwrap();
                assert_eq!(moved, step.add(NEW_FILE, "/usr/bin/forebay").unwrap(), "{name:?}");
            }
            assert!(!step.is_incomplete(&written), "{name:?}");
            assert!(
                !step.is_incomplete(NEW_FILE) && step.program_in(NEW_FILE).is_none(),
                "{name:?}"
            );
        }
    }

    #[test]
    fn every_platform_with_hooks_has_a_command_for_each_event() {
        for platform in PLATFORMS.iter().filter(|platform| platform.has_hooks()) {
            for level in [Level::User, Level::Project] {
                let steps = steps(platform, level);
                for event in platform.registered_events() {
                    let found = steps.iter().find_map(|step| {
                        step.hook_command(&step.add(NEW_FILE, PROGRAM).unwrap(), event.name)
                    });
                    let is_of_mod = platform.host_mod.is_some() && found.is_none();
                    assert!(found.is_some() || is_of_mod, "{} {}", platform.id, event.name);
                }
            }
        }
    }

    #[test]
    fn what_the_user_added_to_the_server_stays() {
        let codex = PLATFORMS.iter().find(|platform| platform.id == "codex").unwrap();
        let step = steps(codex, Level::User).into_iter().find(Step::is_server).unwrap();
        let text = "[mcp_servers.forebay]\ncommand = \"/gone/forebay\" # mine\nargs = [\"mcp\"]\ncwd = \"/srv\"\n\n\
                    [mcp_servers.forebay.env]\nFOREBAY_HOME = \"/data\"\n";
        let moved = step.with_program(text, "/usr/bin/forebay").unwrap();
        assert_eq!(moved, text.replace("/gone", "/usr/bin"));
        let command = step.server_command(text).unwrap();
        assert_eq!(command.arguments, ["/gone/forebay", "mcp"]);
        assert_eq!(command.environment, [("FOREBAY_HOME".to_owned(), "/data".to_owned())]);
        assert_eq!(command.cwd.as_deref(), Some("/srv"));
    }

    #[test]
    fn hooks_of_which_one_is_missing_are_incomplete() {
        let claude = PLATFORMS.iter().find(|platform| platform.id == "claude-code").unwrap();
        let is_hooks = |step: &Step| matches!(step.content, FileContent::Hooks(_));
        let step = steps(claude, Level::User).into_iter().find(is_hooks).unwrap();
        let text = step.add(NEW_FILE, PROGRAM).unwrap();
        assert!(step.is_incomplete(&text.replace("claude-code Stop'", "claude-code Other'")));
    }
}
