//! `grep` and `rg`: matches counted by file; the first matches of each file.

use forebay_text::number::counted;

use super::path_lead::PathLeads;
use super::tool_errors::{ToolErrors, is_tool_error};
use super::{
    Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start, access_log,
    eslint, grep_count, terraform,
};
use crate::lines::Line;
use crate::location;
use crate::log_prefix;
use crate::tally::{Diagnostic, ValueCounts};

pub(super) const FORMAT: Format = Format {
    name: "grep, rg",
    keeps: "number of matches and files; matches by file; the first matches of each file with line numbers",
    commands: &["grep", "rg", "ag", "ack", "git grep", "ugrep"],
    scope: Scope::Whole(claims),
    create: || Box::<Grep>::default(),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    let is_match = |line: &str| {
        match_path(line).is_some()
            || start.is_expected && (spaced_match_path(line).is_some() || is_tool_error(line))
    };
    let named = start.mostly(95, |line| is_match(line) || line == "--" || is_context(line));
    let enough = start.nonblank_lines().count() >= 3;
    let is_diagnostic = || start.mostly(30, |line| Diagnostic::parse(line).is_some());
    let has_match = start.nonblank_lines().any(is_match);
    if enough && named && has_match && (start.is_expected || !is_diagnostic()) {
        return Some(start.claim());
    }
    let heading = || start.mostly(95, |line| numbered_line(line).is_some() || is_heading(line));
    (enough && start.is_expected && heading()).then_some(Claim::Sure)
}

/// After this many matches, it is known whether they have line numbers.
const MIN_MATCHES: u64 = 8;

/// Where the file of a match is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Named,
    Headings,
}

#[derive(Debug, Default)]
struct Grep {
    matches: u64,
    files: ValueCounts,
    heading: String,
    /// The previous line is neither blank nor an error, so a path is not a heading.
    in_section: bool,
    style: Option<Style>,
    /// All matches so far had a line number, and so must have all others.
    all_numbered: bool,
    /// The last line number below the heading; they only increase.
    last_number: u64,
    leads: PathLeads,
    tool_errors: ToolErrors,
    /// A match is nothing but a number.
    has_bare_places: bool,
    /// Number of binary files that match.
    binary: u64,
    /// Number of matches reported by `--stats`; a line may contain several.
    reported_matches: Option<u64>,
}

impl Recognizer for Grep {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        // An error may come anywhere, because it is not written to the same stream.
        if !is_binary_match(text) && self.tool_errors.push_line(text) {
            return Mark::REASON;
        }
        let opens_section = !std::mem::replace(&mut self.in_section, !text.is_empty());
        if is_other(text) {
            return Mark::Foreign;
        }
        // A file is named either above its matches or before each of them.
        if self.style != Some(Style::Headings)
            && let Some(path) = match_path(text)
                .or_else(|| spaced_match_path(text))
                .filter(|path| !is_context(path))
        {
            let is_numbered = starts_with_line_number(&text[path.len() + 1..]);
            let is_unlike_others = self.matches >= MIN_MATCHES && self.all_numbered && !is_numbered;
            // A place alone is rather that of a finding, unless the matches themselves are numbers.
            let is_bare = is_place(text);
            let is_finding = is_bare && !self.has_bare_places && self.matches > 0;
            if is_unlike_others || is_finding || !self.leads.fit(path) {
                return Mark::Foreign;
            }
            self.leads.add(path);
            self.has_bare_places |= is_bare;
            self.all_numbered = is_numbered && (self.all_numbered || self.matches == 0);
            self.style = Some(Style::Named);
            self.files.add(path);
            return self.add_match(path.to_owned());
        }
        if self.style != Some(Style::Named) {
            if let Some((number, is_match)) = numbered_line(text) {
                return self.numbered(number, is_match);
            }
            if opens_section && is_heading(text) {
                self.style = Some(Style::Headings);
                self.last_number = 0;
                text.clone_into(&mut self.heading);
                return Mark::Weight(40);
            }
        }
        if is_binary_match(text) {
            self.binary += 1;
            return Mark::Weight(40);
        }
        if let Some(mark) = self.statistics(text) {
            return mark;
        }
        if text.is_empty() || text == "--" || is_context(text) {
            return Mark::Plain;
        }
        Mark::Foreign
    }

    fn can_resume(&self) -> bool {
        // Much other text starts with a path and a colon.
        false
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        if self.matches == 0 {
            return None;
        }
        let files = match self.files.distinct() {
            0 => String::new(),
            1 => format!(" in 1 file: {}", self.files.names(1)),
            _ => format!(" in {} files", self.files.distinct_label()),
        };
        let mut summary = match self.reported_matches {
            Some(matches) if matches != self.matches => {
                format!("{matches} matches on {} lines{files}", self.matches)
            }
            _ if self.matches == 1 => format!("1 match{files}"),
            _ => format!("{} matches{files}", self.matches),
        };
        if self.binary > 0 {
            summary += &format!(", and in {}", counted(self.binary, "binary file"));
        }
        let mut report = Report::with_summary(summary, Quotes::Marked);
        self.tool_errors.add_facts(&mut report);
        if self.files.distinct() > 1 {
            report.add(90, format!("by file: {}", self.files.list(context.max_bytes / 90)));
        }
        Some(report)
    }
}

impl Grep {
    /// Handles the lines of `rg --stats`.
    fn statistics(&mut self, text: &str) -> Option<Mark> {
        let (number, what) = text.split_once(' ')?;
        match what {
            "matches" | "match" => self.reported_matches = number.parse().ok(),
            "matched lines"
            | "matched line"
            | "files contained matches"
            | "file contained matches"
            | "files searched"
            | "file searched"
            | "bytes printed"
            | "bytes searched"
            | "seconds spent searching"
            | "seconds" => {}
            _ => return None,
        }
        number.starts_with(|c: char| c.is_ascii_digit()).then_some(Mark::Noise)
    }

    /// Handles a line below a heading.
    fn numbered(&mut self, number: u64, is_match: bool) -> Mark {
        if number <= self.last_number {
            return Mark::Foreign;
        }
        self.last_number = number;
        if !is_match {
            return Mark::Plain;
        }
        let heading = self.heading.clone();
        if !heading.is_empty() {
            self.files.add(&heading);
        }
        self.add_match(heading)
    }

    /// Weighs a match; the first one of a file weighs most.
    fn add_match(&mut self, file: String) -> Mark {
        self.matches += 1;
        let nth = if file.is_empty() { 10 } else { self.files.count_of(&file).min(12) };
        Mark::Weight(40 - 2 * nth as u32)
    }
}

/// Returns true for `path:12:3` and `path:12`.
fn is_place(line: &str) -> bool {
    let located = location::located_message(line);
    located.is_some_and(|located| located.text.is_empty()) && !line.ends_with(':')
}

/// Returns the path of `path:12:text` or `path:text`.
fn match_path(line: &str) -> Option<&str> {
    if let Some(located_message) = location::located_message(line) {
        return Some(located_message.path).filter(|path| !path.contains('\t'));
    }
    // `tests/a.py::test_b` is a test.
    let (path, _) = line.split_once(':').filter(|(_, text)| !text.starts_with(':'))?;
    // `aws_instance.web[0]: Creating...` names no file.
    let is_path = !path.contains([' ', '\t'])
        && (path.contains('/') || path.contains('.') && !path.contains('['))
        && path.len() < 200
        && !path.starts_with("http");
    is_path.then_some(path)
}

/// Returns the path of `path:12:text` if it contains spaces.
fn spaced_match_path(line: &str) -> Option<&str> {
    let at = memchr::memchr_iter(b':', line.as_bytes())
        .find(|at| starts_with_line_number(&line[at + 1..]))?;
    let path = &line[..at];
    let is_path = path.contains(['/', '.'])
        && path.len() < 200
        && !path.starts_with(' ')
        && !path.contains('\t')
        && !path.contains(": ");
    is_path.then_some(path)
}

fn starts_with_line_number(text: &str) -> bool {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    digits > 0 && text[digits..].starts_with(':')
}

/// Returns true for `Binary file x matches` or `grep: x: binary file matches`.
fn is_binary_match(line: &str) -> bool {
    line.starts_with("Binary file ") && line.ends_with(" matches")
        || line.ends_with(": binary file matches")
}

/// Returns true for `path-12-text`, a context line.
fn is_context(line: &str) -> bool {
    let mut parts = line.split('-');
    let path = parts.next().unwrap_or_default();
    path.contains(['/', '.'])
        && !path.contains('\t')
        && parts.any(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Parses the number of `12:text`, a match, or `12-text`, its context, below a heading.
fn numbered_line(line: &str) -> Option<(u64, bool)> {
    let (number, _) = line.split_once([':', '-'])?;
    Some((number.parse().ok()?, line[number.len()..].starts_with(':')))
}

/// Returns true for lines with a path that compilers, logs and `grep -c` print.
fn is_other(line: &str) -> bool {
    Diagnostic::parse(line).is_some()
        || log_prefix::split_timestamp(line).is_some()
        || access_log::request(line).is_some()
        || eslint::biome_finding(line).is_some()
        || terraform::is_refreshed(line)
        || grep_count::count_of(line).is_some_and(|(path, _)| path.contains(['/', '.']))
}

fn is_heading(line: &str) -> bool {
    line.contains(['/', '.']) && !line.contains([' ', ':', '\t']) && !line.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let mut grep = Grep::default();
        for (number, text) in (1..).zip(text.lines()) {
            grep.push_line(Line { number, text, cut: 0, has_newline: true });
        }
        let report = Box::new(grep).report(&ReportContext::new(9, 1_200));
        let facts = report.map(|report| report.facts).unwrap_or_default();
        let facts: Vec<&str> = facts.iter().map(|fact| fact.text.as_str()).collect();
        assert_eq!(facts, expect);
    }

    #[test]
    fn an_error_does_not_hide_the_heading_below_it() {
        let error = "rg: ./secret: Permission denied (os error 13)";
        let error_fact = format!("1 error: {error}");
        let expect = ["4 matches in 2 files", &error_fact, "by file: a.rs: 2, b.rs: 2"];
        check(&format!("{error}\na.rs\n1:x\n4:x\n\nb.rs\n2:x\n5:x\n"), &expect);
        check(&format!("a.rs\n1:x\n4:x\n\n{error}\nb.rs\n2:x\n5:x\n"), &expect);
        check(&format!("a.rs\n1:x\n{error}\n4:x\n\nb.rs\n2:x\n5:x\n"), &expect);
    }
}
