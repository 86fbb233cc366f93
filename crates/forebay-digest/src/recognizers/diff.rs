//! Diffs: `git diff`, `git show`, patches: files with added and removed lines, then the changes.

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;

pub(super) const FORMAT: Format = Format {
    name: "diff",
    keeps: "files with added and removed lines and hunks; the commit; changed lines as far as there is room",
    commands: &["git diff", "git show", "diff", "git format-patch", "git stash show"],
    scope: Scope::Whole(claims),
    start: || Box::<Diff>::default(),
};

/// Files beyond so many are only counted.
const HELD: usize = 300;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let has_hunk = start.lines.iter().any(|line| is_hunk(line));
    let opens = start.telling().next().is_some_and(|first| {
        ["diff ", "--- ", "commit ", "From ", "Index: "].iter().any(|start| first.starts_with(start))
    });
    let names_files = start.lines.iter().any(|line| line.starts_with("diff --git "));
    (opens && (has_hunk || names_files)).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct File {
    path: String,
    added: u64,
    removed: u64,
    hunks: u64,
    state: &'static str,
}

#[derive(Debug, Default)]
struct Diff {
    files: Vec<File>,
    count: u64,
    added: u64,
    removed: u64,
    in_header: bool,
    message_lines: u32,
}

impl Recognizer for Diff {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        if let Some(rest) = text.strip_prefix("diff ") {
            let path = rest.rsplit_once(" b/").or_else(|| rest.rsplit_once(' '));
            let path = path.map_or(rest, |(_, path)| path);
            self.open(path);
            return Mark::Noise;
        }
        if is_hunk(text) {
            return self.hunk();
        }
        if let Some(path) = text.strip_prefix("+++ ").filter(|_| self.in_header || self.count == 0) {
            if self.count == 0 || !self.in_header {
                self.open(path.split('\t').next().unwrap_or(path).trim_start_matches("b/"));
            }
            return Mark::Noise;
        }
        match text.as_bytes().first() {
            _ if self.in_header => self.header(text),
            _ if self.count == 0 => self.commit(text),
            Some(b'+') => self.changed(true),
            Some(b'-') if !text.starts_with("--- ") || self.in_hunk() => self.changed(false),
            _ => Mark::Plain,
        }
    }

    fn report(self: Box<Self>, end: &End) -> Option<Report> {
        if self.count == 0 {
            return None;
        }
        let files = if self.count == 1 { "1 file".to_owned() } else { format!("{} files", self.count) };
        let mut said = format!("diff: {files}, +{} -{}", self.added, self.removed);
        for (state, word) in [(" (new)", "added"), (" (deleted)", "deleted"), (" (renamed)", "renamed")] {
            let count = self.files.iter().filter(|file| file.state == state).count();
            if count > 0 {
                said += &format!(", {count} {word}");
            }
        }
        let mut report = Report::of(said, Quotes::Marked);
        let mut order: Vec<&File> = self.files.iter().collect();
        // What was there before matters more than what is new.
        order.sort_by_key(|file| (file.state == " (new)", std::cmp::Reverse(file.added + file.removed)));
        for (index, file) in order.iter().take(end.room / 40).enumerate() {
            let File { path, added, removed, hunks, state } = file;
            let hunks = if *hunks > 1 { format!(", {hunks} hunks") } else { String::new() };
            report.add(80 - index.min(70) as u32, format!("{path} +{added} -{removed}{hunks}{state}"));
        }
        Some(report)
    }
}

impl Diff {
    fn open(&mut self, path: &str) {
        self.count += 1;
        self.in_header = true;
        if self.files.len() < HELD {
            self.files.push(File { path: path.to_owned(), ..File::default() });
        }
    }

    fn in_hunk(&self) -> bool {
        self.files.last().is_some_and(|file| file.hunks > 0)
    }

    fn header(&mut self, text: &str) -> Mark {
        let state = match text {
            _ if text.starts_with("new file") => " (new)",
            _ if text.starts_with("deleted file") => " (deleted)",
            _ if text.starts_with("rename to") => " (renamed)",
            _ if text.starts_with("Binary files") => " (binary)",
            _ => return Mark::Noise,
        };
        if let Some(file) = self.files.last_mut() {
            file.state = state;
        }
        Mark::Noise
    }

    fn hunk(&mut self) -> Mark {
        self.in_header = false;
        if let Some(file) = self.files.last_mut() {
            file.hunks += 1;
        }
        Mark::Weight(20)
    }

    fn changed(&mut self, added: bool) -> Mark {
        *(if added { &mut self.added } else { &mut self.removed }) += 1;
        if let Some(file) = self.files.last_mut().filter(|_| self.count <= HELD as u64) {
            *(if added { &mut file.added } else { &mut file.removed }) += 1;
        }
        Mark::Weight(20)
    }

    /// The commit that a shown diff belongs to.
    fn commit(&mut self, text: &str) -> Mark {
        self.message_lines += u32::from(!text.trim().is_empty());
        if self.message_lines <= 5 { Mark::Weight(50) } else { Mark::Weight(25) }
    }
}

fn is_hunk(line: &str) -> bool {
    line.starts_with("@@ -") && line[4..].contains(" @@")
}
