//! Diffs (`git diff`, `git show`, patches): files with added and removed lines, then the changes.

use forebay_text::number::counted;

use super::git_log::{GitLog, full_commit, has_digits_and_letters, numstat_file, one_line_commit};
use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::{Sum, count};

pub(super) const FORMAT: Format = Format {
    name: "diff",
    keeps: "files with added and removed lines and hunks; commit; changed lines, as many as fit",
    commands: &["git diff", "git show", "diff", "git format-patch", "git stash show"],
    scope: Scope::Whole(claims),
    create: || Box::<Diff>::default(),
};

/// Maximum number of files listed.
const MAX_FILES: usize = 300;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let has_hunk = start.lines.iter().any(|line| Hunk::parse(line).is_some());
    let opens = start.nonblank_lines().next().is_some_and(|first| {
        ["diff ", "--- ", "Index: "].iter().any(|start| first.starts_with(start))
            || full_commit(first).is_some()
            || is_mail(first)
            || short_commit(first).is_some()
                && start.lines.iter().any(|line| line.starts_with("diff --"))
    });
    let shows_patches = start.command.has_option(&["git log"], 'p', "--patch");
    let opens = opens || shows_patches;
    let names_files = shows_patches || start.lines.iter().any(|line| is_file_header(line));
    let lists_files = start.is_expected && start.mostly(100, |line| numstat_file(line).is_some());
    (opens && (has_hunk || names_files) || lists_files).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct File {
    path: String,
    added: u64,
    removed: u64,
    hunks: u64,
    state: &'static str,
    is_binary: bool,
}

#[derive(Debug, Default)]
struct Diff {
    files: Vec<File>,
    count: u64,
    added: Sum,
    removed: Sum,
    /// Number of files by state.
    states: [u64; STATES.len()],
    position: Position,
    /// Whether the headers of files are those of git.
    is_git: Option<bool>,
    /// Number of files that are only listed, as with `--numstat`.
    listed: u64,
    hunk: Hunk,
    hunks: u64,
    /// True if lines did not match the hunk headers, so changed lines cannot be counted.
    is_uncertain: bool,
    message_lines: u32,
    /// The commits that the changes belong to.
    log: GitLog,
}

/// Where in a patch the current line is, outside of hunks.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Position {
    #[default]
    Outside,
    /// Between the name of a file and its changes.
    Header,
    /// In a commit, before its changes.
    Commit,
    /// What follows belongs to other changes.
    Over,
}

/// The remaining lines of a hunk, according to its header.
#[derive(Debug, Default)]
struct Hunk {
    old: u64,
    new: u64,
    changes: u64,
    is_open: bool,
}

/// Header lines that name the state of a file.
const STATES: [(&str, &str); 4] = [
    ("new file", "added"),
    ("deleted file", "deleted"),
    ("rename to", "renamed"),
    ("copy to", "copied"),
];

impl Recognizer for Diff {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        if self.hunk.is_open
            && let Some(mark) = self.in_hunk(text)
        {
            return mark;
        }
        let is_commit = full_commit(text).is_some()
            || self.may_have_short_commits() && short_commit(text).is_some()
            || is_mail(text);
        // A commit precedes its changes, so those before it are another command's.
        if is_commit && self.position != Position::Over {
            let is_other = self.count > 0 && self.message_lines == 0;
            self.position = if is_other { Position::Over } else { Position::Commit };
        }
        if self.position == Position::Over {
            return Mark::Foreign;
        }
        if let Some(rest) = text.strip_prefix("diff ").filter(|_| is_file_header(text)) {
            // Another program's header starts another diff.
            let is_git = rest.starts_with("--");
            if *self.is_git.get_or_insert(is_git) != is_git {
                self.position = Position::Over;
                return Mark::Foreign;
            }
            let path = rest.rsplit_once(" b/").or_else(|| rest.rsplit_once(' '));
            let path = path.map_or(rest, |(_, path)| path);
            self.open_file(path);
            return Mark::Noise;
        }
        if let Some(hunk) = Hunk::parse(text) {
            return self.start(hunk);
        }
        if text.starts_with("@@@ ") {
            // A combined diff against several parents.
            self.is_uncertain = true;
            return Mark::Weight(20);
        }
        if self.count == self.listed
            && let Some((added, removed, path)) = numstat_file(text)
        {
            return self.list(added, removed, path);
        }
        if self.position == Position::Commit {
            let is_mail = self.log.commits == 0;
            if self.log.push_line(line) == Mark::Foreign && !is_mail {
                return Mark::Foreign;
            }
            return self.commit(text);
        }
        if let Some(path) = text.strip_prefix("+++ ") {
            if self.position != Position::Header {
                self.open_file(path.split('\t').next().unwrap_or(path).trim_start_matches("b/"));
            }
            return Mark::Noise;
        }
        match () {
            () if text.trim().is_empty() => Mark::Noise,
            () if self.position == Position::Header && is_header(text) => self.header(text),
            () if is_old_file(text) || is_between_files(text) => Mark::Noise,
            () => self.outside(text),
        }
    }

    fn report(mut self: Box<Self>, context: &ReportContext) -> Option<Report> {
        if self.count == 0 {
            return None;
        }
        if self.log.commits > 1 {
            return self.commits_report(context);
        }
        let files =
            if self.count == 1 { "1 file".to_owned() } else { format!("{} files", self.count) };
        let mut summary = format!("diff: {files}{}", self.describe_changes());
        for ((_, word), count) in STATES.iter().zip(self.states).filter(|(_, count)| *count > 0) {
            summary += &format!(", {count} {word}");
        }
        if self.count > 1 && self.hunks > 0 {
            summary += &format!(", {}", counted(self.hunks, "hunk"));
        }
        let mut report = Report::with_summary(summary, Quotes::Marked);
        let mut order: Vec<&File> = self.files.iter().collect();
        // Changes to existing files matter more than new files.
        order.sort_by_key(|file| {
            (file.state == "new", std::cmp::Reverse(file.added + file.removed))
        });
        for (index, file) in order.iter().take(context.max_bytes / 40).enumerate() {
            report.add_item(80 - index.min(70) as u32, self.describe_file(file));
        }
        Some(report)
    }
}

impl Diff {
    /// Returns true if commits are, or may be, one line each, as with `git log --oneline -p`.
    fn may_have_short_commits(&self) -> bool {
        if self.log.commits == 0 { self.count == 0 } else { !self.log.is_multi_line }
    }

    fn open_file(&mut self, path: &str) {
        self.position = Position::Header;
        self.close_hunk();
        if self.log.commits > 1
            && let Some(at) = self.files.iter().position(|file| file.path == path)
        {
            // Several commits may change the same file; the last entry is the open one.
            let known = self.files.remove(at);
            self.files.push(File { state: "", ..known });
            return;
        }
        self.count += 1;
        if self.files.len() < MAX_FILES {
            self.files.push(File { path: path.to_owned(), ..File::default() });
        }
    }

    /// Adds a file with its numbers of changed lines; binary files have none.
    fn list(&mut self, added: Option<u64>, removed: Option<u64>, path: &str) -> Mark {
        self.open_file(path);
        self.position = Position::Outside;
        self.listed += 1;
        let (is_binary, added, removed) =
            (added.is_none(), added.unwrap_or(0), removed.unwrap_or(0));
        self.added += added;
        self.removed += removed;
        if let Some(file) = self.files.last_mut().filter(|_| self.count <= MAX_FILES as u64) {
            (file.added, file.removed, file.is_binary) = (added, removed, is_binary);
        }
        Mark::Noise
    }

    /// Handles a line that belongs to no file; changed lines are missing in their hunk then.
    fn outside(&mut self, text: &str) -> Mark {
        self.position = Position::Outside;
        self.is_uncertain |= text.starts_with(['+', '-', ' ']);
        Mark::Foreign
    }

    fn header(&mut self, text: &str) -> Mark {
        let is_binary = text.starts_with("Binary files") || text.starts_with("GIT binary patch");
        let state = STATES.iter().position(|(start, _)| text.starts_with(start));
        if let Some(state) = state {
            self.states[state] += 1;
        }
        if let Some(file) = self.files.last_mut().filter(|_| self.count <= MAX_FILES as u64) {
            file.is_binary |= is_binary;
            if let Some(state) = state {
                file.state = ["new", "deleted", "renamed", "copied"][state];
            }
        }
        Mark::Noise
    }

    fn start(&mut self, hunk: Hunk) -> Mark {
        self.close_hunk();
        (self.position, self.hunk) = (Position::Outside, hunk);
        self.hunks += 1;
        if let Some(file) = self.files.last_mut().filter(|_| self.count <= MAX_FILES as u64) {
            file.hunks += 1;
        }
        Mark::Weight(20)
    }

    /// Handles a line of the hunk; returns `None` if it cannot belong to it.
    fn in_hunk(&mut self, text: &str) -> Option<Mark> {
        let hunk = &mut self.hunk;
        let (old, new) = match text.as_bytes().first() {
            Some(b'+') => (0, 1),
            Some(b'-') => (1, 0),
            None | Some(b' ') => (1, 1),
            Some(b'\\') => return Some(Mark::Plain),
            Some(_) => {
                self.is_uncertain = true;
                self.close_hunk();
                return None;
            }
        };
        let is_change = old != new;
        hunk.changes += u64::from(is_change);
        (hunk.old, hunk.new) = (hunk.old.saturating_sub(old), hunk.new.saturating_sub(new));
        if hunk.old + hunk.new == 0 {
            self.close_hunk();
        }
        Some(if is_change { self.changed(new == 1) } else { Mark::Plain })
    }

    /// Ends the hunk; one without changes or with missing lines makes the counts uncertain.
    fn close_hunk(&mut self) {
        let hunk = std::mem::take(&mut self.hunk);
        self.is_uncertain |= hunk.is_open && (hunk.changes == 0 || hunk.old + hunk.new > 0);
    }

    fn changed(&mut self, is_added: bool) -> Mark {
        *(if is_added { &mut self.added } else { &mut self.removed }) += 1;
        if let Some(file) = self.files.last_mut().filter(|_| self.count <= MAX_FILES as u64) {
            *(if is_added { &mut file.added } else { &mut file.removed }) += 1;
        }
        Mark::Weight(20)
    }

    /// Handles a line of the commit that precedes its diff.
    fn commit(&mut self, text: &str) -> Mark {
        self.message_lines += u32::from(!text.trim().is_empty());
        if self.message_lines <= 5 { Mark::Weight(50) } else { Mark::Weight(25) }
    }

    /// Describes the changed lines, unless they cannot be counted, as in word diffs.
    fn describe_changes(&self) -> String {
        match (self.added.known(), self.removed.known()) {
            (Some(added), Some(removed)) if !self.is_uncertain => format!(", +{added} -{removed}"),
            _ => String::new(),
        }
    }

    fn describe_file(&self, file: &File) -> String {
        let File { path, added, removed, hunks, state, is_binary } = file;
        let lines = if *is_binary || self.is_uncertain {
            String::new()
        } else {
            format!(" +{added} -{removed}")
        };
        let hunks = if *hunks > 1 { format!(", {hunks} hunks") } else { String::new() };
        let state = match (*state, is_binary) {
            ("", false) => String::new(),
            ("", true) => " (binary)".to_owned(),
            (state, true) => format!(" ({state}, binary)"),
            (state, false) => format!(" ({state})"),
        };
        format!("{path}{lines}{hunks}{state}")
    }

    /// Reports several commits with their changes.
    fn commits_report(&mut self, context: &ReportContext) -> Option<Report> {
        (self.log.inserted, self.log.deleted) = (Sum::default(), Sum::default());
        let mut report = Box::new(std::mem::take(&mut self.log)).report(context)?;
        (report.quotes, report.facts_share) = (Quotes::Marked, 85);
        let more = if self.count > MAX_FILES as u64 { "+" } else { "" };
        let files = self.count.min(MAX_FILES as u64);
        let noun = if files == 1 { "file" } else { "files" };
        let hunks = counted(self.hunks, "hunk");
        let changes = self.describe_changes();
        report.add(96, format!("over all commits: {files}{more} {noun}, {hunks}{changes}"));
        self.files.sort_by_key(|file| std::cmp::Reverse(file.added + file.removed));
        for (index, file) in self.files.iter().take(context.max_bytes / 40).enumerate() {
            report.add_item(68_u32.saturating_sub(2 * index as u32), self.describe_file(file));
        }
        report
            .add_unlisted((self.files.len() as u64).saturating_sub(context.max_bytes as u64 / 40));
        Some(report)
    }
}

/// Returns true for the start of a formatted patch, in which git always writes the same time.
fn is_mail(line: &str) -> bool {
    line.starts_with("From ") && line.ends_with(" Mon Sep 17 00:00:00 2001")
}

/// Parses a commit of one line; an order number or a size before a path is none.
fn short_commit(line: &str) -> Option<(&str, &str)> {
    one_line_commit(line).filter(|(hash, _)| has_digits_and_letters(hash))
}

/// Returns true for `diff --git a/x b/x`, `diff --cc x`, `diff -ru a/x b/x`.
fn is_file_header(line: &str) -> bool {
    line.strip_prefix("diff -").is_some_and(|rest| rest.contains(' '))
        || line.starts_with("diff ") && line.split(' ').count() == 3
}

/// Returns true for `--- a/path`; `go test` prints `--- FAIL: name`.
fn is_old_file(line: &str) -> bool {
    line.starts_with("--- ") && !line.contains(": ")
}

/// Returns true for a line between the name of a file and its changes.
fn is_header(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "index ",
        "old mode ",
        "new mode ",
        "new file ",
        "deleted file ",
        "similarity ",
        "mode ",
        "dissimilarity ",
        "rename ",
        "copy ",
        "Binary files ",
        "GIT binary ",
        "--- ",
        "+++ ",
        "literal ",
        "delta ",
        "====",
        "Index: ",
    ];
    STARTS.iter().any(|start| line.starts_with(start)) || !line.contains(' ') && line.len() > 1
}

/// Returns true for the lines that `diff -r` and `git format-patch` print between files.
fn is_between_files(line: &str) -> bool {
    line.starts_with("\\ ")
        || line.starts_with("Only in ")
        || line.starts_with("Binary files ")
        || line.starts_with("Files ")
        || line.starts_with("Index: ")
        || line.starts_with("====")
        || line == "--"
        || line == "-- "
        || line.starts_with(|c: char| c.is_ascii_digit())
            && line.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

impl Hunk {
    /// Parses `@@ -2,7 +2,8 @@`, which announces the number of old and new lines.
    fn parse(line: &str) -> Option<Self> {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let lines =
            |range: &str| range.split_once(',').map_or(Some(1), |(_, count)| count::parse(count));
        Some(Self { old: lines(old)?, new: lines(new)?, changes: 0, is_open: true })
    }
}
