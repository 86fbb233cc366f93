//! Compilers and linters that write `path:line:col: severity: message`: gcc, clang, tsc, javac, go vet,
//! mypy, pylint, flake8, ruff.

use super::{End, Format, Mark, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::place;
use crate::tally::{Complaint, Diagnostics, Severity, count, is_rule};

pub(super) const FORMAT: Format = Format {
    name: "gcc, clang, tsc, javac, go vet, mypy, pylint, ruff",
    keeps: "errors and warnings by code and file; each error with its place",
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
    scope: Scope::Part(&[
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
    start: || Box::<Compiler>::default(),
};

/// Names of the tools, by how their codes or files look.
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

/// Lines below a complaint that may explain it.
const DETAILS: u32 = 4;

#[derive(Debug, Default)]
struct Compiler {
    found: Diagnostics,
    tool: Option<&'static str>,
    /// So many of the lines below belong to a complaint of a new kind.
    details: u32,
    /// A rule named on a line of its own, before its place.
    open_rule: Option<String>,
}

impl Recognizer for Compiler {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if let Some(mark) = self.ruff_block(text) {
            return mark;
        }
        // Below a tab stand the frames of a stack trace.
        if !text.starts_with([' ', '\t'])
            && let Some(complaint) = Complaint::read(text)
        {
            self.name_tool(complaint.path);
            let mark = self.found.add(complaint.severity, complaint.path, &complaint.kind);
            self.details = if mark == Mark::FAILURE { DETAILS } else { 0 };
            return mark;
        }
        if is_count(text) {
            return self.counted(text);
        }
        if text.starts_with("Your code has been rated") || text.contains(" fixable with ") {
            return Mark::OUTCOME;
        }
        if self.details == 0 || !text.starts_with(' ') {
            return Mark::Plain;
        }
        self.details -= 1;
        if text.trim().bytes().all(|byte| b"^~|- ".contains(&byte)) {
            Mark::Noise
        } else {
            Mark::Weight(52)
        }
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        self.found.report(self.tool.unwrap_or("diagnostics"))
    }
}

impl Compiler {
    fn name_tool(&mut self, path: &str) {
        let named = TOOLS.iter().find(|(ending, _)| path.ends_with(ending));
        self.tool = self.tool.or(named.map(|(_, tool)| *tool));
    }

    /// One file's count adds to the sum; `Found 3 errors` is the sum.
    fn counted(&mut self, text: &str) -> Mark {
        let errors = count::before(text, "errors").or(count::before(text, "error")).unwrap_or(0);
        let before =
            if text.ends_with("generated.") { self.found.said_errors.unwrap_or(0) } else { 0 };
        self.found.said_errors = Some(before + errors);
        if text.ends_with("generated.") { Mark::DETAIL } else { Mark::OUTCOME }
    }

    /// Ruff's longer form: `F401 [*] message`, then ` --> path:3:5`.
    fn ruff_block(&mut self, text: &str) -> Option<Mark> {
        if let Some(place) = text.trim_start().strip_prefix("--> ") {
            let rule = self.open_rule.take()?;
            let remark = place::remark(place)?;
            self.name_tool(remark.path);
            return Some(self.found.add(Severity::Error, remark.path, &rule));
        }
        let first = text.split(' ').next().unwrap_or_default();
        self.open_rule = is_rule(first).then(|| first.to_owned());
        self.open_rule.is_some().then_some(Mark::Weight(45))
    }
}

/// `Found 3 errors in 2 files`, `3 errors generated.`, `2 errors`.
fn is_count(text: &str) -> bool {
    let may_count = text.starts_with("Found ")
        || text.ends_with("generated.")
        || text.split(' ').nth(2).is_none();
    may_count && count::before(text, "errors").or(count::before(text, "error")).is_some()
}
