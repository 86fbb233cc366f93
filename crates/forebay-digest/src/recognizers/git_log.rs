//! `git log`: how many commits, by whom, from when to when; each with hash and subject.

use forebay_domain::text::cut;

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;
use crate::tally::{Tops, count, looks_like_date};

pub(super) const FORMAT: Format = Format {
    name: "git log",
    keeps: "the number of commits, authors, dates of the newest and the oldest; hashes with subjects",
    commands: &["git log", "git reflog", "git shortlog"],
    scope: Scope::Whole(claims),
    start: || Box::<GitLog>::default(),
};

/// Commits beyond so many are only counted.
const HELD: usize = 200;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let first = start.telling().next()?;
    if full_commit(first).is_some() && start.telling().nth(1).is_some_and(|line| line.starts_with("Author:") || line.starts_with("Merge:")) {
        let shows_patch = start.lines.iter().any(|line| line.starts_with("diff --git "));
        return (!shows_patch).then_some(Claim::Sure);
    }
    let short = start.mostly(95, |line| one_line_commit(line).is_some());
    (short && start.telling().count() > 2).then_some(start.claim())
}

#[derive(Debug, Default)]
struct GitLog {
    commits: u64,
    authors: Tops,
    newest: String,
    oldest: String,
    held: Vec<(String, String)>,
    files_changed: u64,
    inserted: u64,
    deleted: u64,
}

impl Recognizer for GitLog {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        if let Some(hash) = full_commit(text) {
            self.commit(cut::prefix(hash, 9), "");
        } else if let Some(author) = text.strip_prefix("Author:") {
            let name = author.split('<').next().unwrap_or(author).trim();
            self.authors.add(name);
        } else if let Some(date) = text.strip_prefix("Date:") {
            date.trim().clone_into(&mut self.oldest);
            if self.newest.is_empty() {
                date.trim().clone_into(&mut self.newest);
            }
        } else if let Some(subject) = text.strip_prefix("    ") {
            self.subject(subject);
        } else if let Some((hash, subject)) = one_line_commit(text) {
            self.commit(hash, subject);
            self.dated(subject);
        } else if text.contains(" changed, ") {
            self.files_changed += count::first_number(text.trim()).unwrap_or(0);
            self.inserted += count::before(text, "insertions(+)").or(count::before(text, "insertion(+)")).unwrap_or(0);
            self.deleted += count::before(text, "deletions(-)").or(count::before(text, "deletion(-)")).unwrap_or(0);
        }
        Mark::Noise
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        if self.commits < 2 {
            return None;
        }
        let mut said = format!("git log: {} commits", self.commits);
        if !self.newest.is_empty() {
            said += &format!(", newest {}, oldest {}", self.newest, self.oldest);
        }
        let mut report = Report::of(said, Quotes::Nothing);
        if !self.authors.is_empty() {
            let count = self.authors.distinct();
            report.add(95, format!("{count} authors: {}", self.authors.list(8)));
        }
        if self.inserted + self.deleted > 0 {
            report.add(90, format!("over all commits: +{} -{}", self.inserted, self.deleted));
        }
        let last = self.held.len() - 1;
        for (index, (hash, subject)) in self.held.iter().enumerate() {
            let weight = if index == last { 69 } else { 70 - index.min(60) as u32 };
            report.add(weight, format!("{hash} {}", cut::one_line(subject, 90)));
        }
        Some(report)
    }
}

impl GitLog {
    fn commit(&mut self, hash: &str, subject: &str) {
        self.commits += 1;
        if self.held.len() == HELD {
            self.held.pop();
        }
        self.held.push((hash.to_owned(), subject.to_owned()));
    }

    /// `Ann Lee 2024-05-01 subject`, as formats of one's own often write it.
    fn dated(&mut self, text: &str) {
        let words: Vec<&str> = text.split(' ').take(6).collect();
        let Some(at) = words.iter().position(|word| looks_like_date(word)).filter(|at| *at > 0) else {
            return;
        };
        self.authors.add(&words[..at].join(" "));
        words[at].clone_into(&mut self.oldest);
        if self.newest.is_empty() {
            words[at].clone_into(&mut self.newest);
        }
    }

    fn subject(&mut self, text: &str) {
        if let Some((_, subject)) = self.held.last_mut().filter(|(_, subject)| subject.is_empty()) {
            text.clone_into(subject);
        }
    }
}

/// The hash of `commit <40 hex digits>`.
fn full_commit(line: &str) -> Option<&str> {
    let hash = line.strip_prefix("commit ")?.split(' ').next()?;
    (hash.len() >= 40 && is_hex(hash)).then_some(hash)
}

/// `abc1234 subject`, also behind the lines of `--graph`.
fn one_line_commit(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches(['*', '|', '/', '\\', ' ']);
    let (hash, subject) = line.split_once(' ')?;
    ((7..=12).contains(&hash.len()) && is_hex(hash)).then_some((hash, subject))
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
