//! `grep` and `rg`: matches counted by file; the first matches of every file.

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;
use crate::place;
use crate::tally::{Complaint, Tops};

pub(super) const FORMAT: Format = Format {
    name: "grep, rg",
    keeps: "matches and files counted; matches by file; the first matches of each file with line numbers",
    commands: &["grep", "rg", "ag", "ack", "git grep", "ugrep"],
    scope: Scope::Whole(claims),
    start: || Box::<Grep>::default(),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    let named = start.mostly(95, |line| hit(line).is_some() || line == "--" || is_context(line));
    let enough = start.telling().count() >= 3;
    let complains = start.mostly(30, |line| Complaint::read(line).is_some());
    if enough && named && (start.expected || !complains) {
        return Some(start.claim());
    }
    let heading = start.mostly(95, |line| numbered(line).is_some() || is_heading(line));
    (enough && heading && start.expected).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct Grep {
    matches: u64,
    files: Tops,
    heading: String,
    unread: u64,
}

impl Recognizer for Grep {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        if let Some(path) = hit(text).filter(|path| !is_context(path)) {
            self.files.add(path);
            return self.matched(path.to_owned());
        }
        if numbered(text).is_some() {
            let heading = self.heading.clone();
            if !heading.is_empty() {
                self.files.add(&heading);
            }
            return self.matched(heading);
        }
        if is_heading(text) {
            text.clone_into(&mut self.heading);
            return Mark::Weight(40);
        }
        self.unread += u64::from(!text.is_empty() && text != "--" && !is_context(text));
        Mark::Plain
    }

    fn report(self: Box<Self>, end: &End) -> Option<Report> {
        if self.matches == 0 || self.unread * 10 > self.matches {
            return None;
        }
        let files = match self.files.distinct() {
            0 => String::new(),
            1 => format!(" in 1 file: {}", self.files.names(1)),
            _ => format!(" in {} files", self.files.distinct_said()),
        };
        let mut report = Report::of(format!("{} matches{files}", self.matches), Quotes::Marked);
        if self.files.distinct() > 1 {
            report.add(90, format!("by file: {}", self.files.list(end.room / 90)));
        }
        Some(report)
    }
}

impl Grep {
    /// The first match of a file matters more than its second.
    fn matched(&mut self, file: String) -> Mark {
        self.matches += 1;
        let nth = if file.is_empty() { 10 } else { self.files.of(&file).min(12) };
        Mark::Weight(40 - 2 * nth as u32)
    }
}

/// The file of `path:12:text` or `path:text`.
fn hit(line: &str) -> Option<&str> {
    if let Some(remark) = place::remark(line) {
        return Some(remark.path);
    }
    let (path, _) = line.split_once(':')?;
    let is_path = !path.contains(' ') && path.contains(['/', '.']) && path.len() < 200 && !path.starts_with("http");
    is_path.then_some(path)
}

/// `path-12-text`: a line around a match.
fn is_context(line: &str) -> bool {
    let mut parts = line.split('-');
    let path = parts.next().unwrap_or_default();
    path.contains(['/', '.']) && parts.any(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `12:text`, below the name of the file.
fn numbered(line: &str) -> Option<&str> {
    let (number, text) = line.split_once([':', '-'])?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

fn is_heading(line: &str) -> bool {
    line.contains(['/', '.']) && !line.contains([' ', ':', '\t']) && !line.is_empty()
}
