//! Compilers and linters that write `path:line:col: severity: message`: gcc, clang, tsc, javac, go vet,
//! mypy, pylint, flake8, ruff.

use super::{Format, Mark, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::location;
use crate::tally::{Diagnostic, Diagnostics, Severity, count, is_rule_code};

pub(super) const FORMAT: Format = Format {
    name: "gcc, clang, tsc, javac, go vet, mypy, pylint, ruff",
    keeps: "errors and warnings by code and file; each error with its location",
    commands: &[
        "gcc",
        "g++",
        "cc",
        "clang",
        "clang++",
        "tsc",
        "javac",
        "go vet",
        "go build",
        "go test",
        "mypy",
        "pylint",
        "flake8",
        "ruff",
        "pyright",
        "golangci-lint",
        "shellcheck",
    ],
    scope: Scope::Embedded(&[
        ": error: ",
        ": error[",
        ": warning: ",
        ": fatal error: ",
        "error TS",
        ": note: ",
        "vet: ",
        " --> ",
        "Found ",
        "************* Module",
        "# command-line-arguments",
    ]),
    create: || Box::<Compiler>::default(),
};

/// Tool names by file extension.
const TOOLS: &[(&str, &str)] = &[
    (".ts", "tsc"),
    (".tsx", "tsc"),
    (".java", "javac"),
    (".go", "go"),
    (".py", "python lint"),
    (".c", "cc"),
    (".h", "cc"),
    (".cpp", "c++"),
    (".cc", "c++"),
    (".hpp", "c++"),
    (".sh", "shellcheck"),
    (".rs", "rustc"),
];

/// Maximum number of lines below a diagnostic that explain it.
const MAX_DETAIL_LINES: u32 = 4;

#[derive(Debug, Default)]
struct Compiler {
    diagnostics: Diagnostics,
    tool: Option<&'static str>,
    /// Number of following lines that belong to a diagnostic of a new kind.
    detail_lines: u32,
    /// A rule on a line of its own, before its location.
    pending_rule: Option<String>,
}

impl Recognizer for Compiler {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if let Some(mark) = self.ruff_block(text) {
            return mark;
        }
        // Indented lines are frames of a stack trace.
        if !text.starts_with([' ', '\t'])
            && let Some(diagnostic) = Diagnostic::parse(text)
        {
            self.name_tool(diagnostic.path);
            let mark = self.diagnostics.add(diagnostic.severity, diagnostic.path, &diagnostic.kind);
            self.detail_lines = if mark == Mark::FAILURE { MAX_DETAIL_LINES } else { 0 };
            return mark;
        }
        if is_count(text) {
            return self.read_count(text);
        }
        if text.starts_with("Your code has been rated") || text.contains(" fixable with ") {
            return Mark::OUTCOME;
        }
        if self.detail_lines == 0 || !text.starts_with(' ') {
            return Mark::Plain;
        }
        self.detail_lines -= 1;
        if text.trim().bytes().all(|byte| b"^~|- ".contains(&byte)) {
            Mark::Noise
        } else {
            Mark::Weight(52)
        }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        self.diagnostics.report(self.tool.unwrap_or("diagnostics"))
    }
}

impl Compiler {
    fn name_tool(&mut self, path: &str) {
        let named = TOOLS.iter().find(|(extension, _)| path.ends_with(extension));
        self.tool = self.tool.or(named.map(|(_, tool)| *tool));
    }

    /// Reads a count; counts per file are added up, `Found 3 errors` is a total.
    fn read_count(&mut self, text: &str) -> Mark {
        let errors = count::before(text, "errors").or(count::before(text, "error")).unwrap_or(0);
        let before = if text.ends_with("generated.") {
            self.diagnostics.reported_errors.unwrap_or(0)
        } else {
            0
        };
        self.diagnostics.reported_errors = Some(before + errors);
        if text.ends_with("generated.") { Mark::DETAIL } else { Mark::OUTCOME }
    }

    /// Reads ruff's full format: `F401 [*] message`, then ` --> path:3:5`.
    fn ruff_block(&mut self, text: &str) -> Option<Mark> {
        if let Some(location) = text.trim_start().strip_prefix("--> ") {
            let rule = self.pending_rule.take()?;
            let message = location::located_message(location)?;
            self.name_tool(message.path);
            return Some(self.diagnostics.add(Severity::Error, message.path, &rule));
        }
        let first = text.split(' ').next().unwrap_or_default();
        self.pending_rule = is_rule_code(first).then(|| first.to_owned());
        self.pending_rule.is_some().then_some(Mark::Weight(45))
    }
}

/// Returns true for `Found 3 errors in 2 files`, `3 errors generated.` or `2 errors`.
fn is_count(text: &str) -> bool {
    let may_count = text.starts_with("Found ")
        || text.ends_with("generated.")
        || text.split(' ').nth(2).is_none();
    may_count && count::before(text, "errors").or(count::before(text, "error")).is_some()
}
