//! Compilers and linters that write `path:line:col: severity: message`: gcc, clang, tsc, javac, go vet,
//! mypy, pylint, flake8, ruff.

use forebay_text::cut;

use super::{Format, Mark, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::location;
use crate::tally::{Diagnostic, Diagnostics, RuleFinding, Severity, count, is_rule_code};

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
        "yamllint",
    ],
    scope: Scope::Embedded(&[
        ": error: ",
        ": error[",
        ": warning: ",
        ": fatal error: ",
        ": [error] ",
        ": [warning] ",
        ": ERROR: ",
        ": WARNING: ",
        "error TS",
        ": note: ",
        "vet: ",
        "--> ",
        "Found ",
        "************* Module",
        "# command-line-arguments",
    ]),
    create: || Box::<Compiler>::default(),
};

/// Compilers and checkers of both languages, which share headers.
const C: &str = "c/c++";

/// Tool names by file extension.
const TOOLS: &[(&str, &str)] = &[
    (".ts", "tsc"),
    (".tsx", "tsc"),
    (".java", "javac"),
    (".go", "go"),
    (".py", "python lint"),
    (".c", C),
    (".h", C),
    (".cpp", C),
    (".cc", C),
    (".cxx", C),
    (".hpp", C),
    (".sh", "shellcheck"),
    (".rs", "rustc"),
    (".yaml", "yaml lint"),
    (".yml", "yaml lint"),
];

/// Numbers of errors in templates that are reported with their chain, and of places in a chain.
const MAX_CHAINS: usize = 6;
const MAX_CHAIN: usize = 4;

/// Bytes shown of an error in a template.
const MAX_CHAIN_ERROR_BYTES: usize = 160;

/// Weight of the first of these errors: above the counts by kind, because only the chain names the user's line.
const CHAIN_WEIGHT: u32 = 90;

/// Maximum number of lines below a diagnostic that explain it.
const MAX_DETAIL_LINES: u32 = 4;

/// A rule and its message before the place, which are stated as a fact.
const HEADLINE: Mark = Mark::Weight(11);

#[derive(Debug, Default)]
struct Compiler {
    /// The diagnostics of each tool, which are never added up.
    tools: Vec<(&'static str, Diagnostics)>,
    /// Number of following lines that belong to a diagnostic of a new kind.
    detail_lines: u32,
    /// Rule and message on a line of their own, before the location.
    pending: Option<Headline>,
    /// How the template that the next error is in was instantiated.
    instantiation: Vec<String>,
    /// The chains of errors in templates, each with its error.
    chains: Vec<(String, Vec<String>)>,
    /// Number of further chains.
    more_chains: u64,
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
            let mark = self.of_tool(diagnostic.path).add_diagnostic(&diagnostic);
            self.detail_lines = if mark == Mark::FAILURE { MAX_DETAIL_LINES } else { 0 };
            self.add_chain(text, diagnostic.severity);
            return mark;
        }
        if let Some(mark) = self.instantiation(text) {
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

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        let reports = self.tools.into_iter();
        let mut report = reports
            .filter_map(|(tool, diagnostics)| diagnostics.report(tool, context))
            .reduce(Report::merge)?;
        for (index, (error, chain)) in self.chains.iter().enumerate() {
            let weight = CHAIN_WEIGHT - index as u32;
            report.add_item(weight, format!("{error}; {}", chain.join(", ")));
        }
        report.add_unlisted(self.more_chains);
        Some(report)
    }
}

impl Compiler {
    /// Reads `a.h: In instantiation of ...`, `a.cpp:9:59:   required from ...` of gcc.
    fn instantiation(&mut self, text: &str) -> Option<Mark> {
        if text.contains(": In instantiation of ") {
            self.instantiation.clear();
            return Some(Mark::DETAIL);
        }
        let (place, from) = text.split_once(":   required ")?;
        let is_place = location::located_message(text).is_some();
        if !is_place || self.instantiation.len() >= MAX_CHAIN {
            return is_place.then_some(Mark::Plain);
        }
        let is_here = from.ends_with("from here");
        if is_here || !is_system_header(place) {
            let here = if is_here { " (from here)" } else { "" };
            self.instantiation.push(format!("required at {place}{here}"));
        }
        Some(if is_here { Mark::REASON } else { Mark::Plain })
    }

    /// Keeps the chain of an error in a template, with the error.
    fn add_chain(&mut self, error: &str, severity: Severity) {
        let chain = std::mem::take(&mut self.instantiation);
        let is_own = |place: &String| !place.contains(" at /usr/");
        if severity != Severity::Error || !chain.iter().any(is_own) {
            return;
        }
        if self.chains.len() == MAX_CHAINS {
            self.more_chains += 1;
        } else {
            self.chains.push((cut::one_line(error, MAX_CHAIN_ERROR_BYTES), chain));
        }
    }

    /// Returns the diagnostics of the tool that reports on this kind of file.
    fn of_tool(&mut self, path: &str) -> &mut Diagnostics {
        let extension = TOOLS.iter().find(|(extension, _)| path.ends_with(extension));
        let tool = match extension.map_or("diagnostics", |(_, tool)| *tool) {
            "diagnostics" if self.tools.len() == 1 => self.tools[0].0,
            tool => tool,
        };
        let at = self.tools.iter().position(|(known, _)| *known == tool).unwrap_or_else(|| {
            self.tools.push((tool, Diagnostics::default()));
            self.tools.len() - 1
        });
        &mut self.tools[at].1
    }

    /// Reads a count; counts per file are added up, `Found 3 errors` is a total. Of `Found 3 errors (1 fixed, 2 remaining)`
    /// two are listed.
    fn read_count(&mut self, text: &str) -> Mark {
        let errors = count::before(text, "remaining")
            .or(count::before(text, "errors"))
            .or(count::before(text, "error"))
            .unwrap_or(0);
        // A count belongs to the diagnostics above it.
        if let Some((_, diagnostics)) = self.tools.last_mut() {
            let is_partial = text.ends_with("generated.");
            let before = if is_partial { diagnostics.reported_errors.unwrap_or(0) } else { 0 };
            diagnostics.reported_errors = Some(before + errors);
        }
        if text.ends_with("generated.") { Mark::DETAIL } else { Mark::OUTCOME }
    }

    /// Reads `F401 [*] message` or `error[rule]: message`, then ` --> path:3:5`.
    fn ruff_block(&mut self, text: &str) -> Option<Mark> {
        if let Some(place) = text.trim_start().strip_prefix("--> ") {
            let Headline { severity, rule, message } = self.pending.take()?;
            // rustc has a recognizer of its own.
            let located = location::located_message(place)
                .filter(|located| located.path.rsplit('.').next() != Some("rs"))?;
            let finding = RuleFinding { rule: &rule, place, message: &message };
            return Some(self.of_tool(located.path).add_finding(severity, located.path, finding));
        }
        self.pending = Headline::parse(text);
        self.pending.is_some().then_some(HEADLINE)
    }
}

/// Returns true for a place in the compiler's own headers.
fn is_system_header(place: &str) -> bool {
    ["/usr/include/", "/usr/lib/", "/usr/local/include/"]
        .iter()
        .any(|start| place.starts_with(start))
}

/// The first line of a diagnostic that spans several.
#[derive(Debug)]
struct Headline {
    severity: Severity,
    rule: String,
    message: String,
}

impl Headline {
    /// Parses `F401 [*] message`, `error[rule]: message` and `warning[rule]: message`.
    fn parse(text: &str) -> Option<Self> {
        let (first, message) = text.split_once(' ').unwrap_or((text, ""));
        let (severity, rule) = if is_rule_code(first) {
            (Severity::Error, first)
        } else {
            let (severity, rule) = first.strip_suffix("]:")?.split_once('[')?;
            match severity {
                "error" => (Severity::Error, rule),
                "warning" => (Severity::Warning, rule),
                _ => return None,
            }
        };
        let message = message.trim_start_matches("[*] ").to_owned();
        Some(Self { severity, rule: rule.to_owned(), message })
    }
}

/// Returns true for `Found 3 errors in 2 files`, `3 errors generated.` or `2 errors`.
fn is_count(text: &str) -> bool {
    let may_count = text.starts_with("Found ")
        || text.ends_with("generated.")
        || text.split(' ').nth(2).is_none();
    may_count && count::before(text, "errors").or(count::before(text, "error")).is_some()
}
