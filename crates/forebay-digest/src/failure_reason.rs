//! Finds the line in which a program says why it failed: `cat: missing.md: No such file or directory`.
//!
//! Such a line goes to stderr, so it may stand anywhere in a long output of any format.

use forebay_text::cut;

use crate::command::Command;
use crate::lines::Line;
use crate::recognizers::{EmbeddedRecognizers, Quotes, Report};
use crate::salience;

/// Number of reasons quoted.
const MAX_QUOTED: usize = 3;

/// Bytes shown of a reason.
const MAX_SHOWN_BYTES: usize = 200;

/// A fact that contains this much of a reason tells it.
const TOLD_BYTES: usize = 60;

/// Longer lines do not start with the name of a program.
const MAX_NAME_BYTES: usize = 80;

/// Programs that report on behalf of the command.
const SHELLS: &[&str] = &["bash", "sh", "dash", "zsh", "env", "xargs", "timeout", "sudo", "nohup"];

/// The complaints of the programs that a command names.
#[derive(Debug)]
pub(crate) struct FailureReasons {
    programs: Vec<String>,
    /// The format of the command has failures of its own, which say more.
    has_own_failures: bool,
    count: u64,
    quoted: Vec<Complaint>,
    /// The first line of a program whose words do not name a failure.
    remark: Option<Complaint>,
}

#[derive(Debug, Clone)]
struct Complaint {
    line: u64,
    text: String,
}

impl FailureReasons {
    pub(crate) fn of_command(command: &Command) -> Self {
        let programs = command.programs().to_vec();
        let has_own_failures = EmbeddedRecognizers::are_named_by(command);
        Self { programs, has_own_failures, count: 0, quoted: Vec::new(), remark: None }
    }

    pub(crate) fn push_line(&mut self, line: Line<'_>) {
        if !self.is_complaint(line.text) {
            return;
        }
        let complaint = || Complaint {
            line: line.number,
            text: cut::one_line(line.text.trim(), MAX_SHOWN_BYTES),
        };
        if salience::weigh(line.text).0.weight == 0 {
            self.remark.get_or_insert_with(complaint);
            return;
        }
        self.count += 1;
        if self.quoted.len() < MAX_QUOTED {
            self.quoted.push(complaint());
        }
    }

    /// Puts the reasons before all other facts, unless these tell them; returns the lines told.
    pub(crate) fn add_to(mut self, report: &mut Option<Report>) -> Vec<u64> {
        let is_failing = report.as_ref().is_some_and(|report| report.failing == Some(true));
        if self.has_own_failures && is_failing {
            return Vec::new();
        }
        if self.count == 0 {
            self.quoted.extend(self.remark.take());
            self.count = self.quoted.len() as u64;
        }
        let Some(first) = self.quoted.first() else { return Vec::new() };
        let start = cut::prefix(&first.text, TOLD_BYTES);
        let facts = report.as_mut().map(|report| &mut report.facts);
        let told = facts.and_then(|facts| {
            let at = facts.iter().position(|fact| fact.text.contains(start))?;
            Some((facts, at))
        });
        if let Some((facts, at)) = told {
            // `line 105: reason` stands alone; other facts have a context.
            if facts[at].text.starts_with("line ") {
                facts[at].weight = REASON_WEIGHT;
                facts[..=at].rotate_right(1);
            }
            return Vec::new();
        }
        let mut reasons = Report::new(Quotes::Default);
        for (index, Complaint { line, text }) in self.quoted.iter().enumerate() {
            reasons.add_item(REASON_WEIGHT - index as u32, format!("line {line}: {text}"));
        }
        reasons.add_unlisted(self.count - self.quoted.len() as u64);
        let lines = self.quoted.iter().map(|complaint| complaint.line).collect();
        match report {
            Some(report) => drop(report.facts.splice(0..0, reasons.facts)),
            None => *report = Some(reasons),
        }
        lines
    }

    /// Returns true for `program: message` of a program of the command.
    fn is_complaint(&self, line: &str) -> bool {
        // Checked for every line: most have no colon where the name of a program ends.
        let start = &line.as_bytes()[..line.len().min(MAX_NAME_BYTES)];
        let Some(colon) = memchr::memchr(b':', start) else { return false };
        if !line[colon..].starts_with(": ") {
            return false;
        }
        let name = &line[..colon];
        let name = name.rsplit('/').next().unwrap_or(name);
        SHELLS.contains(&name)
            || self.programs.iter().any(|program| program == name)
            || name == "fatal" && self.programs.iter().any(|program| program == "git")
    }
}

/// The reason is stated whatever else fits.
const REASON_WEIGHT: u32 = 200;
