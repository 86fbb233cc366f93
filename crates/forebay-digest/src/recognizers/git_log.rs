//! `git log`: number of commits, authors, date range; hashes with subjects.

use forebay_text::cut;

use super::git_log_fields::FieldReader;
use super::{
    Claim, FORMATS, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start,
    git_blame, hexdump,
};
use crate::lines::Line;
use crate::tally::{Sum, ValueCounts, count};

pub(super) const FORMAT: Format = Format {
    name: "git log",
    keeps: "number of commits, authors, newest and oldest date; hashes with subjects",
    commands: &["git log", "git reflog", "git shortlog"],
    scope: Scope::Whole(claims),
    create: || Box::<GitLog>::default(),
};

/// Maximum number of commits listed.
const MAX_COMMITS: usize = 200;

/// The lengths of the hashes of this many commits are those of all, with rare exceptions.
const TYPICAL_COMMITS: u64 = 20;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let first = start.nonblank_lines().next()?;
    let is_expected = FORMAT.commands.iter().any(|pattern| start.command.matches(pattern));
    if full_commit(first).is_some()
        && start
            .nonblank_lines()
            .nth(1)
            .is_some_and(|line| line.starts_with("Author:") || line.starts_with("Merge:"))
    {
        let shows_patch = start.lines.iter().any(|line| line.starts_with("diff --"))
            || start.command.has_option(&["git log"], 'p', "--patch");
        return (!shows_patch).then_some(Claim::Sure);
    }
    if is_expected {
        let reads = start.mostly(95, |line| {
            one_line_commit(line).is_some()
                || is_stat_file(line)
                || numstat_file(line).is_some()
                || stat_totals(line).is_some()
                || is_graph(line)
        });
        return (one_line_commit(first).is_some() && reads).then_some(start.claim());
    }
    let is_known = || {
        FORMATS
            .iter()
            .flat_map(|format| format.commands)
            .any(|pattern| start.command.matches(pattern))
    };
    let short = start.mostly(95, |line| spaced_commit(line).is_some());
    // Sizes and order numbers consist of digits only; hashes rarely do.
    let hashes = start.mostly(66, |line| {
        spaced_commit(line).is_some_and(|(hash, _)| has_digits_and_letters(hash))
    });
    (short && hashes && start.nonblank_lines().count() > 2 && !is_known()).then_some(Claim::Likely)
}

#[derive(Debug, Default)]
pub(super) struct GitLog {
    pub(super) commits: u64,
    /// Commits span several lines, so a line that starts with a hash is not a commit.
    pub(super) is_multi_line: bool,
    /// Between the hash and the message of a commit.
    in_header: bool,
    /// Something else came after the last line, so an indented line is not part of a message.
    is_interrupted: bool,
    /// Lengths of the hashes of the first commits, one bit each.
    hash_lengths: u64,
    /// A commit with a longer hash, until it is known whether others like it follow.
    held: Option<String>,
    /// Number of commits that are reflog entries.
    ref_moves: u64,
    /// Author, date and subject of commits of one line.
    fields: FieldReader,
    authors: ValueCounts,
    /// Number of commits with a date.
    dated: u64,
    newest: String,
    oldest: String,
    listed: Vec<(String, String)>,
    pub(super) inserted: Sum,
    pub(super) deleted: Sum,
    /// Files of the first commit, as listed by `--stat`.
    files: Vec<String>,
    /// The totals below them.
    sum: String,
}

impl Recognizer for GitLog {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = without_graph(line.text);
        if text.trim().is_empty() {
            self.in_header = false;
            return Mark::Noise;
        }
        let is_one_line = self.commits > 0 && !self.is_multi_line;
        if let Some(hash) = full_commit(text) {
            if is_one_line {
                self.is_interrupted = true;
                return Mark::Foreign;
            }
            (self.is_multi_line, self.in_header) = (true, true);
            self.commit(cut::prefix(hash, 9), "");
        } else if let Some(author) = text.strip_prefix("Author:").filter(|_| self.in_header) {
            let name = author.split('<').next().unwrap_or(author).trim();
            self.authors.add(name);
        } else if let Some(date) = header_date(text).filter(|_| self.in_header) {
            self.add_date(date);
        } else if let Some(subject) = text.strip_prefix("    ").filter(|_| self.is_multi_line) {
            return if self.is_interrupted { Mark::Foreign } else { self.subject(subject) };
        } else if self.commits == 0 && one_line_commit(text).is_none() {
            return Mark::Foreign;
        } else if is_one_line && self.is_interrupted && one_line_commit(text).is_none() {
            // Files belong to the commit right above them.
            return Mark::Foreign;
        } else if let Some((inserted, deleted, _)) = numstat_file(text) {
            self.inserted += inserted.unwrap_or(0);
            self.deleted += deleted.unwrap_or(0);
            self.add_file(text);
        } else if is_stat_file(text) {
            self.add_file(text);
        } else if let Some((inserted, deleted)) = stat_totals(text) {
            self.inserted += inserted;
            self.deleted += deleted;
            text.trim().clone_into(&mut self.sum);
        } else if !self.is_multi_line
            && let Some((hash, subject)) = one_line_commit(text)
        {
            if !self.one_line(text, hash, subject) {
                return Mark::Foreign;
            }
        } else if !(self.is_multi_line && is_commit_header(text) || is_listed_file(text)) {
            self.is_interrupted = true;
            return Mark::Foreign;
        }
        self.is_interrupted = false;
        Mark::Noise
    }

    fn ends_at_blank(&self) -> bool {
        self.commits > 0 && !self.is_multi_line
    }

    fn report(mut self: Box<Self>, context: &ReportContext) -> Option<Report> {
        self.commit_held();
        if self.commits < 2 {
            return self.single_commit();
        }
        let what = if self.ref_moves == self.commits { "git reflog" } else { "git log" };
        let noun = if self.ref_moves == self.commits { "entries" } else { "commits" };
        let mut summary = format!("{what}: {} {noun}", self.commits);
        let fields = self.fields.first_allowed(context.log_order);
        let (authors, newest, oldest) = match fields {
            Some(fields) => (&fields.authors, &fields.newest, &fields.oldest),
            None => (&self.authors, &self.newest, &self.oldest),
        };
        if fields.is_some() || self.dated == self.commits {
            summary += &format!(", newest {newest}, oldest {oldest}");
        }
        let mut report = Report::with_summary(summary, Quotes::None);
        if authors.total() == self.commits {
            let count = authors.distinct_with_noun("author");
            report.add(95, format!("{count}: {}", authors.list(8)));
        }
        if let (Some(inserted), Some(deleted)) = (self.inserted.known(), self.deleted.known())
            && (inserted, deleted) != (0, 0)
        {
            report.add(90, format!("over all commits: +{inserted} -{deleted}"));
        }
        let last = self.listed.len() - 1;
        for (index, (hash, subject)) in self.listed.iter().enumerate() {
            let weight = if index == last { 69 } else { 70 - index.min(60) as u32 };
            if index == last {
                report.add_unlisted(self.commits - self.listed.len() as u64);
            }
            let subject =
                cut::one_line(fields.map_or(subject, |fields| fields.subject(subject)), 90);
            report.add_item(weight, format!("{hash} {subject}"));
        }
        Some(report)
    }
}

impl GitLog {
    /// Reads a commit of one line; returns false if its hash is not abbreviated like the others.
    fn one_line(&mut self, line: &str, hash: &str, subject: &str) -> bool {
        let length = 1_u64 << hash.len();
        if self.commits < TYPICAL_COMMITS {
            self.hash_lengths |= length;
        }
        if self.hash_lengths & length == 0 {
            // A few hashes are longer because a shorter one would be ambiguous, but not in a row.
            let in_a_row = self.held.take().is_some() || self.is_interrupted;
            if !in_a_row {
                self.held = Some(line.to_owned());
            }
            self.is_interrupted = in_a_row;
            return !in_a_row;
        }
        self.commit_held();
        self.add_one_line(line, hash, subject);
        true
    }

    fn commit_held(&mut self) {
        if let Some(line) = self.held.take()
            && let Some((hash, subject)) = one_line_commit(&line)
        {
            self.add_one_line(&line, hash, subject);
        }
    }

    fn add_one_line(&mut self, line: &str, hash: &str, subject: &str) {
        self.ref_moves += u64::from(subject.contains("@{") && subject.contains("}: "));
        let after_hash = line.find(hash).and_then(|at| line[at + hash.len()..].chars().next());
        self.fields.add(after_hash.unwrap_or(' '), subject);
        self.commit(cut::prefix(hash, 12), subject);
    }

    fn commit(&mut self, hash: &str, subject: &str) {
        self.commits += 1;
        if self.listed.len() == MAX_COMMITS {
            self.listed.pop();
        }
        self.listed.push((hash.to_owned(), subject.to_owned()));
    }

    fn add_date(&mut self, date: &str) {
        self.dated += 1;
        date.clone_into(&mut self.oldest);
        if self.newest.is_empty() {
            date.clone_into(&mut self.newest);
        }
    }

    fn subject(&mut self, text: &str) -> Mark {
        match self.listed.last_mut() {
            Some((_, subject)) if subject.is_empty() => {
                text.clone_into(subject);
                Mark::Noise
            }
            _ => Mark::Plain,
        }
    }

    fn add_file(&mut self, line: &str) {
        if self.commits == 1 && self.files.len() < MAX_COMMITS {
            self.files.push(line.split_ascii_whitespace().collect::<Vec<_>>().join(" "));
        }
    }

    /// Reports the only commit with its details.
    fn single_commit(&self) -> Option<Report> {
        let (hash, subject) = self.listed.first().filter(|_| !self.newest.is_empty())?;
        let summary = format!("commit {hash} {}", cut::one_line(subject, 90));
        let mut report = Report::with_summary(summary, Quotes::Sample);
        report.add(95, format!("by {}, {}", self.authors.names(1), self.newest));
        report.add(90, self.sum.clone());
        for (index, file) in self.files.iter().enumerate() {
            report.add_item(70 - index.min(60) as u32, file.clone());
        }
        Some(report)
    }
}

/// Returns true for ` path | 12 ++--` or ` path | Bin 0 -> 2 bytes`, a file listed by `--stat`.
fn is_stat_file(line: &str) -> bool {
    let Some((path, change)) = line.rsplit_once(" | ") else { return false };
    let change = change.trim_start();
    let (count, marks) = change.split_once(' ').unwrap_or((change, ""));
    let is_count = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    let is_change = is_count && marks.bytes().all(|byte| b"+-".contains(&byte)) || count == "Bin";
    path.starts_with(' ') && is_change
}

/// Parses `3<tab>1<tab>path` of `--numstat`; binary files have `-` for both numbers.
pub(super) fn numstat_file(line: &str) -> Option<(Option<u64>, Option<u64>, &str)> {
    let mut cells = line.splitn(3, '\t');
    let (inserted, deleted, path) = (cells.next()?, cells.next()?, cells.next()?);
    let lines = |cell: &str| if cell == "-" { Some(None) } else { count::parse(cell).map(Some) };
    (!path.is_empty()).then_some((lines(inserted)?, lines(deleted)?, path))
}

/// Parses ` 2 files changed, 3 insertions(+), 1 deletion(-)` into inserted and deleted lines.
fn stat_totals(line: &str) -> Option<(u64, u64)> {
    let rest = line.strip_prefix(' ')?.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_sum = rest.starts_with(" file changed") || rest.starts_with(" files changed");
    let sum = |many: &str, one: &str| {
        count::before(line, many).or_else(|| count::before(line, one)).unwrap_or(0)
    };
    is_sum.then(|| (sum("insertions(+)", "insertion(+)"), sum("deletions(-)", "deletion(-)")))
}

/// Strips the drawing of `--graph` from a line, but not the indentation of a message.
fn without_graph(line: &str) -> &str {
    let mut rest = line;
    while let Some(after) = rest.trim_start_matches(' ').strip_prefix(['*', '|', '/', '\\']) {
        if !after.starts_with([' ', '*', '|', '/', '\\']) && !after.is_empty() {
            break;
        }
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    rest
}

/// Returns the date of `Date:` or, with `--format=fuller`, `AuthorDate:`.
fn header_date(line: &str) -> Option<&str> {
    line.strip_prefix("Date:").or_else(|| line.strip_prefix("AuthorDate:")).map(str::trim)
}

/// Returns true for the other lines between the hash and the message.
fn is_commit_header(line: &str) -> bool {
    ["Merge:", "Commit:", "CommitDate:", "gpg:", "Reflog:", "Reflog message:", "Notes:"]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Returns true for a file as listed by `--name-only`, `--name-status` or `--raw`.
fn is_listed_file(line: &str) -> bool {
    let path = match line.split_once('\t') {
        Some((state, path)) => {
            let is_raw = state.starts_with(':');
            let is_state = state.starts_with(|c: char| "AMDRCTUX".contains(c)) && state.len() <= 4;
            if !is_raw && !is_state {
                return false;
            }
            path
        }
        None => line,
    };
    !path.starts_with(' ') && !path.contains(": ") && (path != line || is_bare_path(line))
}

fn is_bare_path(line: &str) -> bool {
    !line.contains([' ', '|', '(', '=']) && line.contains(['/', '.']) && !line.ends_with([':', '.'])
}

/// Returns the hash of `commit <40 hex digits>`.
pub(super) fn full_commit(line: &str) -> Option<&str> {
    let line = line.strip_prefix("* ").unwrap_or(line);
    let hash = line.strip_prefix("commit ")?.split(' ').next()?;
    (hash.len() >= 40 && is_hex(hash)).then_some(hash)
}

/// Parses `abc1234 subject`, also after `--graph` lines; custom formats may use other separators.
pub(super) fn one_line_commit(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches(['*', '|', '/', '\\', ' ']);
    let (hash, subject) = line.split_once([' ', '|', '\t', ',', ';', ':'])?;
    let is_length = (7..=12).contains(&hash.len()) || hash.len() == 40;
    let is_other = git_blame::blamed(line).is_some() || hexdump::is_row(line);
    (is_length && is_hex(hash) && !is_other).then_some((hash, subject))
}

/// Parses a short hash followed by a space, as git prints it by default.
fn spaced_commit(line: &str) -> Option<(&str, &str)> {
    let after = |hash: &str| line.find(hash).and_then(|at| line.as_bytes().get(at + hash.len()));
    one_line_commit(line).filter(|(hash, _)| hash.len() < 40 && after(hash) == Some(&b' '))
}

/// Returns true if the line contains only `--graph` drawing.
fn is_graph(line: &str) -> bool {
    line.bytes().all(|byte| b"*|/\\_ ".contains(&byte))
}

pub(super) fn has_digits_and_letters(hash: &str) -> bool {
    hash.bytes().any(|byte| byte.is_ascii_digit())
        && hash.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
