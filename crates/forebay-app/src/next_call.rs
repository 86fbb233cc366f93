//! Hints that name the next call, in the language of the front end: a model calls tools, a person types commands.
//!
//! A process serves one front end, so it is set once at the start; without that, hints are for a model.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

/// Who reads the answers of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontEnd {
    Model,
    Shell,
}

static ANSWERS_ARE_FOR_SHELL: AtomicBool = AtomicBool::new(false);
static ERRORS_ARE_FOR_SHELL: AtomicBool = AtomicBool::new(false);

impl FrontEnd {
    /// Makes this the reader of the answers of the process.
    pub fn reads_answers(self) {
        ANSWERS_ARE_FOR_SHELL.store(self == Self::Shell, Ordering::Relaxed);
    }

    /// Makes this the reader of the errors of the process.
    pub fn reads_errors(self) {
        ERRORS_ARE_FOR_SHELL.store(self == Self::Shell, Ordering::Relaxed);
    }

    fn selected(flag: &AtomicBool) -> Self {
        if flag.load(Ordering::Relaxed) { Self::Shell } else { Self::Model }
    }
}

/// The command for each tool, if it is not `forebay call`.
const COMMANDS: &[(&str, &str)] = &[
    ("ctx_execute", "run"),
    ("ctx_execute_file", "run --file"),
    ("ctx_job", "job"),
    ("ctx_index", "index"),
    ("ctx_fetch_and_index", "fetch"),
    ("ctx_search", "search"),
    ("ctx_get", "get"),
    ("ctx_annotate", "note"),
    ("ctx_context", "context"),
    ("ctx_history", "history"),
    ("ctx_reflect", "reflect"),
    ("ctx_import", "import"),
    ("ctx_purge", "purge"),
    ("ctx_stats", "stats"),
    ("ctx_doctor", "doctor"),
    ("context_peek", "peek"),
];

/// Options whose name differs from the tool's field.
const OPTIONS: &[(&str, &str, &str)] = &[("ctx_get", "json", "pointer")];

/// Main fields that are shown to a model with their name, since the value alone does not show it.
const NAMED_SUBJECTS: &[(&str, &str)] = &[("ctx_job", "job")];

/// The main field of tools without a command of their own, for their input as JSON.
const PATH_FIELD: &str = "path";

/// A call that a hint suggests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NextCall {
    tool: &'static str,
    subject: Option<String>,
    action: Option<&'static str>,
    arguments: Vec<(&'static str, String)>,
    alternative: Option<(&'static str, String)>,
}

impl NextCall {
    pub(crate) const fn new(tool: &'static str) -> Self {
        Self { tool, subject: None, action: None, arguments: Vec::new(), alternative: None }
    }

    /// What the call is about: its main field.
    #[must_use]
    pub(crate) fn on(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// What to do with the subject: a field of the tool, a subcommand of the command.
    #[must_use]
    pub(crate) fn action(mut self, action: &'static str) -> Self {
        self.action = Some(action);
        self
    }

    #[must_use]
    pub(crate) fn with(mut self, field: &'static str, value: impl Into<String>) -> Self {
        self.arguments.push((field, value.into()));
        self
    }

    /// A field that may take the place of the others.
    #[must_use]
    pub(crate) fn or(mut self, field: &'static str, value: impl Into<String>) -> Self {
        self.alternative = Some((field, value.into()));
        self
    }

    /// The call as the hint of an error names it.
    pub(crate) fn in_error(&self) -> String {
        self.render(FrontEnd::selected(&ERRORS_ARE_FOR_SHELL))
    }

    fn render(&self, front_end: FrontEnd) -> String {
        if front_end == FrontEnd::Shell {
            if self.is_map() {
                return "forebay map".to_owned();
            }
            if self.command().is_none() {
                return self.render_as_json();
            }
        }
        let mut parts = vec![self.name(front_end)];
        match front_end {
            FrontEnd::Model => {
                parts.extend(self.named_subject());
                parts.extend(self.action.map(|action| format!("action={action}")));
            }
            FrontEnd::Shell => {
                parts.extend(self.action.map(str::to_owned));
                parts.extend(self.subject.as_deref().map(shell_word));
            }
        }
        let argument =
            |(field, value): &(&'static str, String)| self.argument(front_end, field, value);
        parts.extend(self.arguments.iter().map(argument));
        if let Some(alternative) = &self.alternative {
            parts.push(if front_end == FrontEnd::Model { "|" } else { "or" }.to_owned());
            parts.push(argument(alternative));
        }
        parts.join(" ")
    }

    /// Whether this asks for a map of the repository, which has a command of its own.
    fn is_map(&self) -> bool {
        self.tool == "context_peek" && self.subject.as_deref() == Some(".")
    }

    fn command(&self) -> Option<&'static str> {
        COMMANDS.iter().find(|(tool, _)| *tool == self.tool).map(|(_, command)| *command)
    }

    fn name(&self, front_end: FrontEnd) -> String {
        match (front_end, self.command()) {
            (FrontEnd::Model, _) => self.tool.to_owned(),
            (FrontEnd::Shell, Some(command)) => format!("forebay {command}"),
            (FrontEnd::Shell, None) => format!("forebay call {}", self.tool),
        }
    }

    fn named_subject(&self) -> Option<String> {
        let subject = self.subject.as_ref()?;
        let named = NAMED_SUBJECTS.iter().find(|(tool, _)| *tool == self.tool);
        Some(named.map_or_else(|| subject.clone(), |(_, field)| format!("{field}={subject}")))
    }

    /// `forebay call` takes the fields as JSON.
    fn render_as_json(&self) -> String {
        let subject = self.subject.iter().map(|subject| (PATH_FIELD, subject.as_str()));
        let arguments = self.arguments.iter().map(|(field, value)| (*field, value.as_str()));
        let fields: serde_json::Map<String, Value> = subject
            .chain(arguments)
            .map(|(field, value)| (field.to_owned(), json_value(value)))
            .collect();
        let name = self.name(FrontEnd::Shell);
        if fields.is_empty() {
            return name;
        }
        format!("{name} {}", quoted(&Value::Object(fields).to_string()))
    }

    fn argument(&self, front_end: FrontEnd, field: &str, value: &str) -> String {
        if front_end == FrontEnd::Model {
            let is_plain = value.chars().all(is_plain);
            return if is_plain {
                format!("{field}={value}")
            } else {
                format!("{field}=\"{value}\"")
            };
        }
        let renamed = OPTIONS.iter().find(|(tool, name, _)| *tool == self.tool && *name == field);
        let option = renamed.map_or(field, |(_, _, option)| option).replace('_', "-");
        match value {
            "true" => format!("--{option}"),
            _ if value.chars().all(is_plain) => format!("--{option} {value}"),
            _ => format!("--{option} {}", quoted(value)),
        }
    }
}

/// A subject, mostly a reference or a path, as one word of a shell.
pub(crate) fn shell_word(subject: &str) -> String {
    let is_path = |character| is_plain(character) || "/.".contains(character);
    if subject.chars().all(is_path) { subject.to_owned() } else { quoted(subject) }
}

fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', r"'\''"))
}

fn json_value(value: &str) -> Value {
    if value == "true" { Value::Bool(true) } else { Value::from(value) }
}

/// Characters that need no quotes in either language.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-+,_:".contains(character)
}

impl fmt::Display for NextCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(FrontEnd::selected(&ANSWERS_ARE_FOR_SHELL)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(call: &NextCall, model: &str, shell: &str) {
        assert_eq!(call.render(FrontEnd::Model), model);
        assert_eq!(call.render(FrontEnd::Shell), shell);
    }

    #[test]
    fn speaks_the_language_of_the_front_end() {
        let get = NextCall::new("ctx_get").on("k3v9m2a1xq");
        check(
            &get.clone().with("lines", "1-416"),
            "ctx_get k3v9m2a1xq lines=1-416",
            "forebay get k3v9m2a1xq --lines 1-416",
        );
        check(
            &get.clone().with("lines", "2-9").or("grep", "..."),
            "ctx_get k3v9m2a1xq lines=2-9 | grep=\"...\"",
            "forebay get k3v9m2a1xq --lines 2-9 or --grep '...'",
        );
        check(
            &get.with("grep", "it's ctx_get").with("json", "/a"),
            "ctx_get k3v9m2a1xq grep=\"it's ctx_get\" json=\"/a\"",
            r"forebay get k3v9m2a1xq --grep 'it'\''s ctx_get' --pointer '/a'",
        );
        check(
            &NextCall::new("ctx_execute").with("background", "true"),
            "ctx_execute background=true",
            "forebay run --background",
        );
        check(&NextCall::new("context_read"), "context_read", "forebay call context_read");
    }

    #[test]
    fn gives_the_fields_of_a_tool_without_a_command_as_json() {
        check(
            &NextCall::new("context_read").on("src/it's.rs").with("lines", "2-9"),
            "context_read src/it's.rs lines=2-9",
            r#"forebay call context_read '{"path":"src/it'\''s.rs","lines":"2-9"}'"#,
        );
        check(&NextCall::new("context_peek").on("."), "context_peek .", "forebay map");
        check(&NextCall::new("context_peek").on("a b"), "context_peek a b", "forebay peek 'a b'");
    }

    #[test]
    fn puts_the_action_where_each_front_end_has_it() {
        check(
            &NextCall::new("ctx_job").on("j3").action("stop"),
            "ctx_job job=j3 action=stop",
            "forebay job stop j3",
        );
    }
}
