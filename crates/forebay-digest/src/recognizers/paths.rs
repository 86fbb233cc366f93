//! Lists of paths (`find`, `fd`, `rg --files`, `git ls-files`, `ls -1`): counts by folder and file
//! type.

use std::collections::BTreeMap;

use forebay_text::number::{counted, grouped};

use super::path_lead::PathLeads;
use super::tool_errors::{ToolErrors, is_tool_error};
use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::{ValueCounts, list_series};

pub(super) const FORMAT: Format = Format {
    name: "find, fd, paths",
    keeps: "number of paths; counts by folder and file type; names by folder, as many as fit",
    commands: &[
        "find",
        "fd",
        "rg --files",
        "git ls-files",
        "locate",
        "ls",
        "rg -l",
        "grep -l",
        "grep -rl",
    ],
    scope: Scope::Whole(claims),
    create: || Box::<Paths>::default(),
};

/// After this many paths, it is known whether names without a folder occur.
const MIN_PATHS: u64 = 12;

/// Maximum number of folders listed.
const MAX_FOLDERS: usize = 600;

/// Of more folders, the largest come first.
const MAX_LISTED_FOLDERS: usize = 8;

/// Maximum number of names held per folder.
const MAX_NAMES_PER_FOLDER: usize = 300;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let with_folder = start.nonblank_lines().filter(|line| line.contains('/')).count();
    let is_list = start.nonblank_lines().count() >= 4
        && start.mostly(95, |line| is_path(line) || is_tool_error(line));
    // `find -printf '%s %p'`: it is unknown which column is the path.
    let is_formatted = start.command.has_option(&["find"], '\0', "-printf");
    let has_columns = start.mostly(80, |line| {
        line.contains(" ./")
            || line.contains(" /")
            || has_number_column(line)
            || is_formatted && line.contains(' ')
    });
    // Base64 contains slashes too, but its lines have equal lengths.
    let longest = start.nonblank_lines().map(str::len).max().unwrap_or(0);
    let is_encoded = longest >= 40 && start.mostly(90, |line| line.len() == longest);
    let looks_right = with_folder * 10 >= start.nonblank_lines().count() * 7;
    (is_list && !is_encoded && !has_columns && (start.is_expected || looks_right))
        .then_some(start.claim())
}

fn is_path(line: &str) -> bool {
    let line = line.trim_end_matches(TYPE_MARKERS);
    !line.trim().is_empty()
        && line.len() < 300
        && !line.contains(['\t', '|', '"', '(', '='])
        && !line.contains(": ")
        && (line.split(' ').count() <= 3 || is_spaced_file(line))
        && !line.starts_with(' ')
        && !line.starts_with("- ")
        && !line.ends_with([',', ';', '{'])
        && line.starts_with(|c: char| c.is_alphanumeric() || "./_~-@+%$".contains(c))
        && (line.contains(char::is_alphanumeric) || line == ".:")
        && !has_line_number(line)
        && !is_total(line)
        && !is_test(line)
}

/// Returns true for `docs/notes of the last year.txt`: only the name of the file has blanks.
fn is_spaced_file(line: &str) -> bool {
    let Some((folder, name)) = line.rsplit_once('/') else { return false };
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_extension = (1..=5).contains(&extension.len())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // A sentence about a file has the extension of the file before its words.
    is_extension && !folder.contains(' ') && !stem.contains('.')
}

/// Returns true if the first or the last of several words is a number, such as a size.
fn has_number_column(line: &str) -> bool {
    let is_number = |word: &str| {
        let digits = word.trim_end_matches(['B', 'K', 'M', 'G', 'T', 'k']);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    let ends = line.split_once(' ').zip(line.rsplit_once(' '));
    ends.is_some_and(|((first, _), (_, last))| is_number(first) || is_number(last))
}

/// Returns true for `tests/a.py::test_b`, and for a file with its outcome.
fn is_test(line: &str) -> bool {
    const OUTCOMES: &[&str] =
        &["PASSED", "FAILED", "SKIPPED", "XFAIL", "XPASS", "ERROR", "PASS", "FAIL", "OK", "ok"];
    let has_outcome = line.rsplit_once(' ').is_some_and(|(_, last)| OUTCOMES.contains(&last));
    has_outcome || line.contains(".py::") || line.contains("::") && line.contains(' ')
}

/// Returns true for `total 96K`, which `ls -l` prints first.
fn is_total(line: &str) -> bool {
    line.strip_prefix("total ").is_some_and(|size| size.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns true for `path:12`, a count or a location, and for `path:12:word`, a match.
fn has_line_number(line: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    line.split(':').skip(1).any(is_number)
}

/// Type markers that `ls -F` appends: executables, links, sockets, pipes.
const TYPE_MARKERS: [char; 4] = ['*', '@', '|', '='];

#[derive(Debug, Default)]
struct Paths {
    count: u64,
    extensions: ValueCounts,
    /// Paths by their first one, two and three names.
    levels: [ValueCounts; 3],
    by_folder: ValueCounts,
    folders: BTreeMap<String, (u64, Vec<String>)>,
    tool_errors: ToolErrors,
    /// The folder whose entries `ls` lists below its name.
    section: String,
    sections: u64,
    /// Sections are named relative to `.`, as by `ls -R`.
    sections_are_dotted: bool,
    /// Listed folders that contain the current one.
    ancestors: Vec<String>,
    /// Number of sections that are entries of another one.
    nested: u64,
    /// The previous line is not blank, so no section starts here.
    in_section: bool,
    leads: PathLeads,
    /// Something else came, so what follows is not in the section anymore.
    is_interrupted: bool,
}

impl Recognizer for Paths {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let path = line.text.trim_end();
        if path.is_empty() {
            self.in_section = false;
            return Mark::Noise;
        }
        if self.tool_errors.push_line(path) {
            return Mark::REASON;
        }
        let starts_section = !self.in_section && path.ends_with(':');
        if !self.is_own(path) || self.is_interrupted && !starts_section {
            self.is_interrupted = self.sections > 0;
            return Mark::Foreign;
        }
        self.is_interrupted = false;
        let may_be_header = path.contains('/') || path == ".:" || !self.in_section;
        let may_be_header = may_be_header && (!self.sections_are_dotted || path.starts_with('.'));
        if let Some(section) = path.strip_suffix(':').filter(|_| may_be_header) {
            self.sections_are_dotted |= section.starts_with("./");
            self.open(section);
            return Mark::Noise;
        }
        // Entries below a folder are named without it.
        let is_entry = self.section.is_empty() || !path.trim_end_matches('/').contains('/');
        if path.ends_with(':') || !is_entry {
            return Mark::Foreign;
        }
        self.in_section = true;
        self.leads.add(path);
        self.count += 1;
        let joined = if self.section.is_empty() {
            String::new()
        } else {
            format!("{}/{path}", self.section)
        };
        let path = if joined.is_empty() { path } else { &joined };
        let path = path.strip_prefix("./").unwrap_or(path);
        // A trailing slash marks a folder and is kept.
        let parted = path.trim_end_matches('/').rfind('/').map(|at| (&path[..at], &path[at + 1..]));
        let (folder, name) = parted.unwrap_or(("", path));
        let bare = name.trim_end_matches(TYPE_MARKERS);
        if let Some((stem, extension)) = bare.rsplit_once('.')
            && !stem.is_empty()
            && extension.len() < 12
        {
            self.extensions.add(&format!(".{extension}"));
        }
        for (index, level) in self.levels.iter_mut().enumerate() {
            level.add(first_names(path, index + 1));
        }
        self.by_folder.add(if folder.is_empty() { "." } else { folder });
        if self.folders.len() < MAX_FOLDERS || self.folders.contains_key(folder) {
            let (count, names) = self.folders.entry(folder.to_owned()).or_default();
            *count += 1;
            if names.len() < MAX_NAMES_PER_FOLDER {
                names.push(name.to_owned());
            }
        }
        Mark::Plain
    }

    fn can_resume(&self) -> bool {
        // Any word may be the name of a file.
        false
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        if self.count == 0 {
            return None;
        }
        let summary = match (self.sections, self.nested) {
            (0 | 1, _) if self.folders.len() == MAX_FOLDERS => {
                format!("{} in {MAX_FOLDERS} folders or more", counted(self.count, "path"))
            }
            (0 | 1, _) => format!(
                "{} in {}",
                counted(self.count, "path"),
                counted(self.folders.len() as u64, "folder")
            ),
            (sections, 0) => {
                format!("{} in {}", counted(self.count, "path"), counted(sections, "folder"))
            }
            // Each folder is also listed in its parent.
            (sections, nested) => format!(
                "{} in {} directories",
                counted(self.count.saturating_sub(nested), "file"),
                sections
            ),
        };
        let mut report = Report::with_summary(summary, Quotes::None);
        self.tool_errors.add_facts(&mut report);
        if self.extensions.distinct() > 1 {
            report.add(95, format!("kinds: {}", self.extensions.list(10)));
        }
        self.add_level(&mut report);
        self.add_folder_facts(&mut report, context.max_bytes);
        Some(report)
    }
}

impl Paths {
    /// Returns true for a path like those before it.
    fn is_own(&self, path: &str) -> bool {
        // `GET /users/1` and `On branch feature/a` are no paths.
        let folder = path.trim_end_matches('/').rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_sentence = folder.contains(' ') && !path.starts_with(['.', '/']);
        let is_header = self.sections > 0 && path.ends_with(':');
        let fits = is_header || self.leads.fit(path) || is_spaced_file(path);
        is_path(path) && fits && !is_sentence && (!self.has_only_folders() || path.contains('/'))
    }

    /// Returns true if all paths so far had a folder, and so must have all others.
    fn has_only_folders(&self) -> bool {
        self.count >= MIN_PATHS && !self.leads.have_bare_names() && self.sections == 0
    }

    /// Starts a section with the name of a folder.
    fn open(&mut self, section: &str) {
        self.sections += 1;
        self.in_section = false;
        let is_parent = |ancestors: &String| {
            section
                .strip_prefix(ancestors.as_str())
                .is_some_and(|rest| rest.starts_with('/') && !rest[1..].contains('/'))
        };
        while self.ancestors.last().is_some_and(|ancestors| !is_parent(ancestors)) {
            self.ancestors.pop();
        }
        self.nested += u64::from(!self.ancestors.is_empty());
        self.ancestors.push(section.to_owned());
        let bare = section.trim_start_matches("./");
        if bare == "." { "" } else { bare }.clone_into(&mut self.section);
    }

    /// Adds the counts by the upper folders, below a folder that contains all.
    fn add_level(&self, report: &mut Report) {
        let splits =
            |level: &&ValueCounts| level.ranked().iter().filter(|row| row.1 > 1).count() > 1;
        let is_level = |level: &&ValueCounts| splits(level) && level.is_exact();
        let Some((index, level)) =
            self.levels.iter().enumerate().find(|(_, level)| is_level(level))
        else {
            return;
        };
        if level.distinct() < self.count as usize {
            let by = if index == 0 { "by top folder" } else { "by upper folder" };
            report.add(90, format!("{by}: {}", level.list(10)));
        }
    }

    /// Gives each folder an equal share, so that small ones are listed completely.
    fn add_folder_facts(&self, report: &mut Report, max_bytes: usize) {
        let share = (max_bytes / self.folders.len().max(1)).max(30).min(max_bytes / 2);
        if self.folders.len() > MAX_LISTED_FOLDERS && self.by_folder.is_exact() {
            report.add(88, format!("largest folders: {}", self.by_folder.list(8)));
        }
        for (folder, (count, names)) in &self.folders {
            let shown: Vec<&str> = names.iter().map(String::as_str).collect();
            let more = count - names.len() as u64;
            let more = if more > 0 { format!(" +{}", grouped(more)) } else { String::new() };
            let folder = if folder.is_empty() { "." } else { folder };
            // A file that is alone in its folder says more than one of hundreds.
            let weight = if *count <= 3 { 60 } else { 50 };
            report.add_named(
                weight,
                format!("{folder}/ {count}: {}{more}", list_series(&shown, " ", share)),
                " folder",
            );
        }
    }
}

/// Returns a path up to its first names.
fn first_names(path: &str, names: usize) -> &str {
    let from = usize::from(path.starts_with('/'));
    let end = path[from..].match_indices('/').nth(names - 1);
    end.map_or(path, |(at, _)| &path[..from + at])
}
