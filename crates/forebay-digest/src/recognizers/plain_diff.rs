//! `diff` and `diff -r` without options for context: files, hunks, added and removed lines.

use forebay_text::number::{counted, grouped};

use super::tool_errors::{ToolErrors, is_tool_error};
use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::count;

pub(super) const FORMAT: Format = Format {
    name: "plain diff",
    keeps: "numbers of files, hunks, added and removed lines; files with most changes; one-sided files",
    commands: &["diff"],
    scope: Scope::Whole(claims),
    create: || Box::<PlainDiff>::default(),
};

/// Maximum number of files listed of each kind.
const MAX_FILES: usize = 300;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let is_header = |line: &str| FileLine::parse(line).is_some() || is_tool_error(line);
    let lines: Vec<&str> = start.nonblank_lines().collect();
    let headers = lines.iter().take_while(|line| is_header(line)).count();
    let has_hunk = lines.get(headers).is_some_and(|line| Hunk::parse(line).is_some())
        && lines.get(headers + 1).is_some_and(|line| line.starts_with(['<', '>']));
    let is_brief = headers == lines.len() && headers >= 3 && start.command.matches("diff");
    (has_hunk || is_brief).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct PlainDiff {
    files: Vec<File>,
    file_count: u64,
    hunks: u64,
    added: u64,
    removed: u64,
    /// Files that differ in an unknown number of lines.
    differing: Vec<String>,
    differing_count: u64,
    one_sided: Vec<String>,
    one_sided_count: u64,
    hunk: Hunk,
    /// True if a hunk lacked lines, so changes cannot be counted.
    is_uncertain: bool,
    tool_errors: ToolErrors,
}

#[derive(Debug, Default)]
struct File {
    path: String,
    hunks: u64,
    added: u64,
    removed: u64,
}

impl Recognizer for PlainDiff {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        if text.starts_with("\\ No newline") {
            return Mark::Plain;
        }
        if let Some(hunk) = Hunk::parse(text) {
            return self.start(hunk);
        }
        if let Some(file) = FileLine::parse(text) {
            self.add_file(file);
            return Mark::Noise;
        }
        match text.as_bytes() {
            [] => Mark::Noise,
            [b'<', ..] if self.hunk.removed > 0 => {
                self.hunk.removed -= 1;
                self.changed(0, 1)
            }
            [b'>', ..] if self.hunk.added > 0 => {
                self.hunk.added -= 1;
                self.changed(1, 0)
            }
            b"---" if self.hunk.added > 0 => Mark::Plain,
            _ if self.tool_errors.push_line(text) => Mark::REASON,
            _ => Mark::Foreign,
        }
    }

    fn report(mut self: Box<Self>, context: &ReportContext) -> Option<Report> {
        self.close_hunk();
        if self.hunks + self.differing_count + self.one_sided_count == 0 {
            return None;
        }
        let mut report = Report::with_summary(self.summary(), Quotes::Marked);
        self.tool_errors.add_facts(&mut report);
        self.files.sort_by_key(|file| std::cmp::Reverse(file.added + file.removed));
        let max_files = (context.max_bytes / 40).min(MAX_FILES);
        for (index, file) in self.files.iter().take(max_files).enumerate() {
            let File { path, hunks, added, removed } = file;
            let changes =
                if self.is_uncertain { String::new() } else { format!(" +{added} -{removed}") };
            let hunks = counted(*hunks, "hunk");
            report
                .add_item(80_u32.saturating_sub(index as u32), format!("{path}{changes}, {hunks}"));
        }
        report.add_unlisted(self.file_count.saturating_sub(max_files as u64));
        for (index, path) in self.one_sided.iter().enumerate() {
            let weight = 78_u32.saturating_sub(2 * index as u32);
            report.add_named(weight, path.clone(), " one-sided file");
        }
        for (index, path) in self.differing.iter().enumerate() {
            let weight = 77_u32.saturating_sub(2 * index as u32);
            report.add_named(weight, format!("differs: {path}"), " differing file");
        }
        Some(report)
    }
}

impl PlainDiff {
    fn summary(&self) -> String {
        let mut items = Vec::new();
        if self.file_count > 0 {
            items.push(format!("{} changed", counted(self.file_count, "file")));
        }
        if self.hunks > 0 {
            items.push(counted(self.hunks, "hunk"));
        }
        if self.hunks > 0 && !self.is_uncertain {
            items.push(format!("+{} -{}", self.added, self.removed));
        }
        if self.differing_count > 0 {
            items.push(format!("{} differ", grouped(self.differing_count)));
        }
        if self.one_sided_count > 0 {
            items.push(format!("{} on one side only", grouped(self.one_sided_count)));
        }
        format!("diff: {}", items.join(", "))
    }

    fn add_file(&mut self, file: FileLine<'_>) {
        self.close_hunk();
        let (count, list, text) = match file {
            FileLine::Changed(path) => {
                self.file_count += 1;
                if self.files.len() < MAX_FILES {
                    self.files.push(File { path: path.to_owned(), ..File::default() });
                }
                return;
            }
            FileLine::Differs(path) => (&mut self.differing_count, &mut self.differing, path),
            FileLine::OneSided(text) => (&mut self.one_sided_count, &mut self.one_sided, text),
        };
        *count += 1;
        if list.len() < MAX_FILES {
            list.push(text.to_owned());
        }
    }

    fn start(&mut self, hunk: Hunk) -> Mark {
        self.close_hunk();
        self.hunk = hunk;
        self.hunks += 1;
        if let Some(file) = self.current_file() {
            file.hunks += 1;
        }
        Mark::Weight(20)
    }

    fn changed(&mut self, added: u64, removed: u64) -> Mark {
        self.added += added;
        self.removed += removed;
        if let Some(file) = self.current_file() {
            file.added += added;
            file.removed += removed;
        }
        Mark::Weight(20)
    }

    /// Returns the file that the current hunk belongs to, if it is listed.
    fn current_file(&mut self) -> Option<&mut File> {
        self.files.last_mut().filter(|_| self.file_count <= MAX_FILES as u64)
    }

    fn close_hunk(&mut self) {
        let Hunk { removed, added } = std::mem::take(&mut self.hunk);
        self.is_uncertain |= removed + added > 0;
    }
}

/// The lines of a hunk that have not come yet.
#[derive(Debug, Default)]
struct Hunk {
    removed: u64,
    added: u64,
}

impl Hunk {
    /// Parses `3c3`, `5,6d4`, `7a8,12`, which announces the number of lines.
    fn parse(line: &str) -> Option<Self> {
        let at = line.find(['a', 'c', 'd']).filter(|_| line.len() < 40)?;
        let lines = |range: &str| match range.split_once(',') {
            Some((first, last)) => (count::parse(last)? + 1).checked_sub(count::parse(first)?),
            None => count::parse(range).map(|_| 1),
        };
        let (removed, added) = (lines(&line[..at])?, lines(&line[at + 1..])?);
        Some(match line.as_bytes()[at] {
            b'a' => Self { removed: 0, added },
            b'd' => Self { removed, added: 0 },
            _ => Self { removed, added },
        })
    }
}

/// A line about a whole file.
enum FileLine<'a> {
    /// Its hunks follow.
    Changed(&'a str),
    Differs(&'a str),
    OneSided(&'a str),
}

impl<'a> FileLine<'a> {
    /// Parses `diff -r a/x b/x`, `Files a/x and b/x differ`, `Only in a: x`.
    fn parse(line: &'a str) -> Option<Self> {
        // `diff --git` starts a patch.
        if let Some(rest) = line.strip_prefix("diff -").filter(|rest| !rest.starts_with('-')) {
            return rest.rsplit_once(' ').map(|(_, path)| Self::Changed(path));
        }
        if line.starts_with("Only in ") && line.contains(": ") {
            return Some(Self::OneSided(line));
        }
        let files = line.strip_prefix("Binary files ").or_else(|| line.strip_prefix("Files "))?;
        let (_, path) = files.strip_suffix(" differ")?.split_once(" and ")?;
        Some(Self::Differs(path))
    }
}
