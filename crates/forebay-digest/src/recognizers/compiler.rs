//! Compilers and linters that write `path:line:col: severity: message`: gcc, clang, tsc, javac, go vet,
//! mypy, pylint, flake8, ruff.

use super::{End, Format, Mark, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::place::{self, Remark};
use crate::tally::{Diagnostics, Severity, count};

pub(super) const FORMAT: Format = Format {
    name: "gcc, clang, tsc, javac, go vet, mypy, pylint, ruff",
    keeps: "errors and warnings by code and file; each error with its place",
    commands: &[
        "gcc", "g++", "cc", "clang", "clang++", "tsc", "javac", "go vet", "go build", "mypy", "pylint",
        "flake8", "ruff", "pyright", "golangci-lint", "shellcheck",
    ],
    scope: Scope::Part(&[
        ": error: ", ": warning: ", ": fatal error: ", "error TS", ": note: ", "vet: ", " --> ", "Found ",
        "************* Module", "# command-line-arguments",
    ]),
    start: || Box::<Compiler>::default(),
};

/// Names of the tools, by how their codes or files look.
const TOOLS: &[(&str, &str)] = &[
    (".ts", "tsc"), (".tsx", "tsc"), (".java", "javac"), (".go", "go"), (".py", "python lint"),
    (".c", "cc"), (".h", "cc"), (".cpp", "c++"), (".cc", "c++"), (".hpp", "c++"), (".sh", "shellcheck"),
];

#[derive(Debug, Default)]
struct Compiler {
    found: Diagnostics,
    tool: Option<&'static str>,
    /// The source line below a complaint.
    source_below: bool,
    /// A rule named on a line of its own, before its place.
    open_rule: Option<String>,
}

impl Recognizer for Compiler {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if let Some(mark) = self.ruff_block(text) {
            return mark;
        }
        if !text.starts_with(' ')
            && let Some(remark) = place::remark(text)
            && let Some((severity, code)) = judged(remark)
        {
            self.source_below = severity == Severity::Error;
            self.name_tool(remark.path);
            return self.found.add(severity, remark.path, code);
        }
        if is_count(text) {
            self.found.said_errors = count::before(text, "errors").or(count::before(text, "error"));
            return Mark::OUTCOME;
        }
        if text.starts_with("Your code has been rated") {
            return Mark::OUTCOME;
        }
        let below = std::mem::take(&mut self.source_below);
        if below && text.starts_with(' ') { Mark::DETAIL } else { Mark::Plain }
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
        self.open_rule.is_some().then_some(Mark::REASON)
    }
}

/// How bad a remark is, and its code, where it is a complaint at all.
fn judged(remark: Remark<'_>) -> Option<(Severity, &str)> {
    let first = remark.text.split(' ').next().unwrap_or_default();
    if let Some(severity) = Severity::of(first) {
        let code = bracketed(remark.text).or_else(|| typescript_code(remark.text)).unwrap_or_default();
        return Some((severity, code));
    }
    if remark.text.starts_with("fatal error:") {
        return Some((Severity::Error, ""));
    }
    let rule = first.trim_end_matches(':');
    if is_rule(rule) {
        let severity = if rule.starts_with(['C', 'R', 'I']) && remark.text.ends_with(')') {
            Severity::Note
        } else if rule.starts_with('W') {
            Severity::Warning
        } else {
            Severity::Error
        };
        return Some((severity, rule));
    }
    // `go vet` and `go build` name no severity.
    (remark.path.ends_with(".go") && !remark.text.is_empty()).then_some((Severity::Error, ""))
}

/// The code at the end: `[-Wunused]`, `[assignment]`.
fn bracketed(text: &str) -> Option<&str> {
    let (_, code) = text.strip_suffix(']')?.rsplit_once('[')?;
    (!code.contains(' ')).then_some(code)
}

fn typescript_code(text: &str) -> Option<&str> {
    let code = text.split(' ').nth(1)?.trim_end_matches(':');
    is_rule(code).then_some(code)
}

/// `F401`, `E501`, `TS2345`, `C0114`, `PLR0913`.
fn is_rule(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = &word[letters..];
    (1..=4).contains(&letters) && (3..=5).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// `Found 3 errors in 2 files`, `3 errors generated.`, `2 errors`.
fn is_count(text: &str) -> bool {
    let counts = count::before(text, "errors").or(count::before(text, "error")).is_some();
    counts && (text.starts_with("Found ") || text.ends_with("generated.") || text.split(' ').count() == 2)
}
