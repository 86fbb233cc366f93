//! `grep` and `rg`: matches counted by file; the first matches of every file.

use forebay_text::number::counted;

use super::grumbles::{Grumbles, is_grumble};
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
    let is_hit = |line: &str| {
        hit(line).is_some() || start.expected && (spaced_hit(line).is_some() || is_grumble(line))
    };
    let named = start.mostly(95, |line| is_hit(line) || line == "--" || is_context(line));
    let enough = start.telling().count() >= 3;
    let complains = || start.mostly(30, |line| Complaint::read(line).is_some());
    if enough && named && (start.expected || !complains()) {
        return Some(start.claim());
    }
    let heading = || start.mostly(95, |line| numbered(line).is_some() || is_heading(line));
    (enough && start.expected && heading()).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct Grep {
    matches: u64,
    files: Tops,
    heading: String,
    grumbles: Grumbles,
    /// Files that match and are not shown, being no text.
    binary: u64,
    /// What the tool itself counts at the end: matches, of which several may stand in a line.
    said: Option<u64>,
    unread: u64,
}

impl Recognizer for Grep {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        if !is_binary(text) && self.grumbles.take(text) {
            return Mark::REASON;
        }
        if let Some(path) = hit(text).or_else(|| spaced_hit(text)).filter(|path| !is_context(path))
        {
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
        if is_binary(text) {
            self.binary += 1;
            return Mark::Weight(40);
        }
        if let Some(mark) = self.statistics(text) {
            return mark;
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
        let mut said = match self.said {
            Some(matches) if matches != self.matches => {
                format!("{matches} matches on {} lines{files}", self.matches)
            }
            _ if self.matches == 1 => format!("1 match{files}"),
            _ => format!("{} matches{files}", self.matches),
        };
        if self.binary > 0 {
            said += &format!(", and in {}", counted(self.binary, "binary file"));
        }
        let mut report = Report::of(said, Quotes::Marked);
        self.grumbles.tell(&mut report);
        if self.files.distinct() > 1 {
            report.add(90, format!("by file: {}", self.files.list(end.room / 90)));
        }
        Some(report)
    }
}

impl Grep {
    /// The lines that `rg --stats` ends with.
    fn statistics(&mut self, text: &str) -> Option<Mark> {
        let (number, what) = text.split_once(' ')?;
        match what {
            "matches" | "match" => self.said = number.parse().ok(),
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
    let is_path = !path.contains(' ')
        && path.contains(['/', '.'])
        && path.len() < 200
        && !path.starts_with("http");
    is_path.then_some(path)
}

/// The file of `path:12:text` where its name has blanks.
fn spaced_hit(line: &str) -> Option<&str> {
    let at =
        memchr::memchr_iter(b':', line.as_bytes()).find(|at| is_between_colons(&line[at + 1..]))?;
    let path = &line[..at];
    let is_path = path.contains(['/', '.'])
        && path.len() < 200
        && !path.starts_with(' ')
        && !path.contains(": ");
    is_path.then_some(path)
}

fn is_between_colons(text: &str) -> bool {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    digits > 0 && text[digits..].starts_with(':')
}

/// `Binary file x matches`, `grep: x: binary file matches`.
fn is_binary(line: &str) -> bool {
    line.starts_with("Binary file ") && line.ends_with(" matches")
        || line.ends_with(": binary file matches")
}

/// `path-12-text`: a line around a match.
fn is_context(line: &str) -> bool {
    let mut parts = line.split('-');
    let path = parts.next().unwrap_or_default();
    path.contains(['/', '.'])
        && parts.any(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `12:text`, below the name of the file.
fn numbered(line: &str) -> Option<&str> {
    let (number, text) = line.split_once([':', '-'])?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

fn is_heading(line: &str) -> bool {
    line.contains(['/', '.']) && !line.contains([' ', ':', '\t']) && !line.is_empty()
}
