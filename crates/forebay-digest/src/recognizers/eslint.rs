//! ESLint, Biome and yamllint: problems by rule and file.

use super::{Format, Mark, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::location::{self, LocatedMessage};
use crate::tally::{Diagnostics, RuleFinding, Severity, count};

pub(super) const FORMAT: Format = Format {
    name: "eslint, biome, yamllint",
    keeps: "errors and warnings by rule and file; the first of each rule",
    commands: &["eslint", "biome", "next lint", "yamllint"],
    scope: Scope::Embedded(&["  error  ", "  warning  ", "✖ ", " lint/"]),
    create: || Box::<Eslint>::default(),
};

#[derive(Debug, Default)]
struct Eslint {
    diagnostics: Diagnostics,
    file: String,
    /// The previous line is not blank, so a bare name is not that of a file.
    in_section: bool,
    /// Something else came among the problems of a file, so those that follow have none.
    is_interrupted: bool,
}

impl Recognizer for Eslint {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if text.is_empty() {
            // The problems of a file end here.
            self.file.clear();
            (self.in_section, self.is_interrupted) = (false, false);
            return Mark::Plain;
        }
        let opens_section = !std::mem::replace(&mut self.in_section, true);
        // Places that are aligned to the right have no blanks before the longest.
        let is_below_file = !opens_section && !self.file.is_empty();
        if let Some(problem) = problem(text).filter(|_| is_below_file || text.starts_with(' ')) {
            let place = format!("{}:{}", self.file, problem.place);
            let Problem { severity, message, rule, .. } = problem;
            let finding = RuleFinding { rule, place: &place, message };
            return self.diagnostics.add_finding(severity, &self.file, finding);
        }
        if is_file(text, opens_section) {
            self.is_interrupted |= !opens_section && !self.file.is_empty();
            self.file.clear();
            if !self.is_interrupted {
                text.clone_into(&mut self.file);
            }
            return Mark::DETAIL;
        }
        if text.starts_with("✖ ") && text.contains(" problem") {
            self.diagnostics.reported_errors =
                count::before(text, "errors").or(count::before(text, "error"));
            return Mark::OUTCOME;
        }
        if text.starts_with("Found ") && text.contains(" error") {
            self.diagnostics.reported_errors = count::after(text, "Found ");
            return Mark::OUTCOME;
        }
        self.biome(text)
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        self.diagnostics.report("lint", context)
    }
}

impl Eslint {
    /// Handles `src/a.ts:3:5 lint/style/useConst  FIXABLE ━━━`, then `× message`.
    fn biome(&mut self, text: &str) -> Mark {
        let Some(message) = biome_finding(text) else {
            let is_message = text.trim_start().starts_with("× ");
            return if is_message { Mark::REASON } else { Mark::Plain };
        };
        let rule = message.text.split(' ').next().unwrap_or_default();
        self.diagnostics.add(Severity::Error, message.path, rule)
    }
}

/// Parses `src/a.ts:3:5 lint/style/useConst  FIXABLE ━━━`.
pub(super) fn biome_finding(text: &str) -> Option<LocatedMessage<'_>> {
    location::located_message(text).filter(|message| message.text.starts_with("lint/"))
}

/// A problem below the name of its file.
struct Problem<'a> {
    severity: Severity,
    /// Line and column.
    place: &'a str,
    message: &'a str,
    rule: &'a str,
}

/// Parses `  12:5  error  'x' is not defined  no-undef`.
fn problem(text: &str) -> Option<Problem<'_>> {
    let (place, rest) = text.trim_start().split_once("  ")?;
    let (line, column) = place.split_once(':')?;
    let is_location = line.parse::<u64>().is_ok() && column.parse::<u64>().is_ok();
    let (word, rest) = rest.trim_start().split_once(' ')?;
    let severity = Severity::from_word(word).filter(|_| is_location)?;
    let rest = rest.trim();
    if let Some((rule, message)) = leading_rule(rest) {
        return Some(Problem { severity, place, message, rule });
    }
    // yamllint writes the rule in parentheses, after a syntax error with only one space before it.
    let (message, rule) =
        rest.rsplit_once("  ").or_else(|| rest.rsplit_once(" (")).unwrap_or((rest, ""));
    let rule = rule.trim().trim_start_matches('(').trim_end_matches(')');
    let is_rule = !rule.contains(' ');
    let (message, rule) = if is_rule { (message.trim(), rule) } else { (rest, "") };
    Some(Problem { severity, place, message, rule })
}

/// Splits `no-undef    'x' is not defined    paths./a.get` of tools that write the rule first.
fn leading_rule(rest: &str) -> Option<(&str, &str)> {
    let (rule, message) = rest.split_once("  ")?;
    let message = message.trim_start();
    let is_rule = rule.contains('-') && !rule.contains(' ');
    is_rule.then(|| (rule, message.split("  ").next().unwrap_or(message).trim_end()))
}

/// Returns true for a problem below the name of its file.
pub(super) fn is_problem(text: &str) -> bool {
    text.starts_with(' ') && problem(text).is_some()
}

/// Returns true for a line that is just a path; a name without a folder only opens a section.
fn is_file(text: &str, opens_section: bool) -> bool {
    let (_, extension) = text.rsplit_once('.').unwrap_or_default();
    !text.starts_with([' ', '\t'])
        && (text.contains('/') || opens_section)
        && !text.contains(' ')
        && (1..=6).contains(&extension.len())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_places_that_are_aligned_to_the_right() {
        let text = [
            "",
            "/api/openapi.yaml",
            "  7:9   warning  operation-tags  Operation must have tags.",
            " 11:10    error  path-params     Operation must define \"id\".",
            "120:10    error  path-params     Operation must define \"id\".",
        ];
        let mut lint = Eslint::default();
        for (number, text) in (1..).zip(text) {
            lint.push_line(Line { number, text, cut: 0, has_newline: true });
        }
        let report = Box::new(lint).report(&ReportContext::new(5, 1_200));
        let facts = report.map(|report| report.facts).unwrap_or_default();
        assert!(facts[0].text.starts_with("lint: 2 errors, 1 warning (3 findings)"), "{facts:?}");
    }
}
