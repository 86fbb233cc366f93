//! Errors of tools that list or search files and continue after unreadable ones.

use forebay_text::cut;
use forebay_text::number::counted;

use super::Report;

/// Number of errors quoted.
const MAX_QUOTED: usize = 8;

/// Tools that prefix errors with their name.
const TOOLS: &[&str] = &[
    "ls", "find", "fd", "grep", "egrep", "rg", "ugrep", "ag", "tar", "tree", "du", "stat", "eza",
    "exa", "locate", "diff",
];

const MAX_NAME_BYTES: usize = 6;

/// Errors, counted.
#[derive(Debug, Default)]
pub(super) struct ToolErrors {
    count: u64,
    quoted: Vec<String>,
}

impl ToolErrors {
    /// Counts the line if it is an error; returns true if it is.
    pub(super) fn push_line(&mut self, line: &str) -> bool {
        if !is_tool_error(line) {
            return false;
        }
        self.count += 1;
        if self.quoted.len() < MAX_QUOTED {
            self.quoted.push(cut::one_line(line, 120));
        }
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds the number of errors and quotes the first ones.
    pub(super) fn add_facts(&self, report: &mut Report) {
        if self.is_empty() {
            return;
        }
        report.failing = Some(true);
        report.add(98, format!("{}: {}", counted(self.count, "error"), self.quoted[0]));
        for (index, message) in self.quoted.iter().enumerate().skip(1) {
            report.add_item(89 - index as u32, message.clone());
        }
        report.add_unlisted(self.count - self.quoted.len() as u64);
    }
}

/// Returns true for `find: ‘/root’: Permission denied`,
/// `ls: cannot access 'x': No such file or directory`.
pub(super) fn is_tool_error(line: &str) -> bool {
    // Checked for every line: most have no colon where the name of a tool ends.
    let Some(colon) = memchr::memchr(b':', &line.as_bytes()[..line.len().min(MAX_NAME_BYTES + 1)])
    else {
        return false;
    };
    TOOLS.contains(&&line[..colon])
        && line[colon + 1..].starts_with(' ')
        && line[colon + 1..].contains(": ")
}
