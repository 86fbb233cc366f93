//! Hints that name the next call, in the language of the front end: a model calls tools, a person types commands.
//!
//! A process serves one front end, so it is set once at the start; without that, hints are for a model.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// A call that a hint suggests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NextCall {
    tool: &'static str,
    subject: Option<String>,
    arguments: Vec<(&'static str, String)>,
    alternative: Option<(&'static str, String)>,
}

impl NextCall {
    pub(crate) const fn new(tool: &'static str) -> Self {
        Self { tool, subject: None, arguments: Vec::new(), alternative: None }
    }

    /// What the call is about: its main field.
    #[must_use]
    pub(crate) fn on(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
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
        let mut parts = vec![self.name(front_end)];
        parts.extend(self.subject.clone());
        let argument =
            |(field, value): &(&'static str, String)| self.argument(front_end, field, value);
        parts.extend(self.arguments.iter().map(argument));
        if let Some(alternative) = &self.alternative {
            parts.push(if front_end == FrontEnd::Model { "|" } else { "or" }.to_owned());
            parts.push(argument(alternative));
        }
        parts.join(" ")
    }

    fn name(&self, front_end: FrontEnd) -> String {
        let command = COMMANDS.iter().find(|(tool, _)| *tool == self.tool);
        match (front_end, command) {
            (FrontEnd::Model, _) => self.tool.to_owned(),
            (FrontEnd::Shell, Some((_, command))) => format!("forebay {command}"),
            (FrontEnd::Shell, None) => format!("forebay call {}", self.tool),
        }
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
            _ => format!("--{option} '{}'", value.replace('\'', r"'\''")),
        }
    }
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
}
