//! Lists of paths (`find`, `fd`, `rg --files`, `git ls-files`, `ls -1`): counted by folder and kind.

use std::collections::BTreeMap;

use forebay_domain::text::number::{counted, grouped};

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;
use crate::tally::{Tops, listed};

pub(super) const FORMAT: Format = Format {
    name: "find, fd, paths",
    keeps: "the number of paths; counts by folder and kind; names grouped by folder as far as there is room",
    commands: &["find", "fd", "rg --files", "git ls-files", "locate", "ls", "rg -l", "grep -l", "grep -rl"],
    scope: Scope::Whole(claims),
    start: || Box::<Paths>::default(),
};

/// Folders beyond so many are not listed.
const FOLDERS: usize = 600;

/// Names of one folder beyond so many are only counted.
const NAMES: usize = 300;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let with_folder = start.telling().filter(|line| line.contains('/')).count();
    let is_list = start.telling().count() >= 4 && start.mostly(95, is_path);
    // Encoded data has slashes too, and lines that are all as long.
    let longest = start.telling().map(str::len).max().unwrap_or(0);
    let is_encoded = longest >= 40 && start.mostly(90, |line| line.len() == longest);
    let looks_right = with_folder * 10 >= start.telling().count() * 7;
    (is_list && !is_encoded && (start.expected || looks_right)).then_some(start.claim())
}

fn is_path(line: &str) -> bool {
    !line.trim().is_empty() && line.len() < 300 && !line.contains(['\t', '|', '"', '(', '=']) && !line.contains(": ")
        && line.split(' ').count() <= 3 && !line.starts_with(' ') && !line.starts_with("- ") && !line.ends_with([',', ';', '{'])
}

#[derive(Debug, Default)]
struct Paths {
    count: u64,
    extensions: Tops,
    tops: Tops,
    folders: BTreeMap<String, (u64, Vec<String>)>,
    unread: u64,
    /// `ls -R` writes the name of each folder above what is in it.
    section: String,
    sections: u64,
}

impl Recognizer for Paths {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let path = line.text.trim_end();
        if path.is_empty() {
            return Mark::Noise;
        }
        if !is_path(path) {
            self.unread += 1;
            return Mark::REASON;
        }
        if let Some(section) = path.strip_suffix(':').filter(|_| path.contains('/') || path == ".:") {
            section.trim_start_matches("./").clone_into(&mut self.section);
            self.sections += 1;
            return Mark::Noise;
        }
        self.count += 1;
        let joined = if self.sections > 1 { format!("{}/{path}", self.section) } else { String::new() };
        let path = if joined.is_empty() { path } else { &joined };
        let path = path.strip_prefix("./").unwrap_or(path);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if let Some((stem, extension)) = name.rsplit_once('.') && !stem.is_empty() && extension.len() < 12 {
            self.extensions.add(&format!(".{extension}"));
        }
        self.tops.add(top_of(path));
        if self.folders.len() < FOLDERS || self.folders.contains_key(folder) {
            let (count, names) = self.folders.entry(folder.to_owned()).or_default();
            *count += 1;
            if names.len() < NAMES {
                names.push(name.to_owned());
            }
        }
        Mark::Plain
    }

    fn report(self: Box<Self>, end: &End) -> Option<Report> {
        if self.count == 0 || self.unread * 10 > self.count {
            return None;
        }
        let said = match self.sections {
            0 | 1 => format!("{} in {}", counted(self.count, "path"), counted(self.folders.len() as u64, "folder")),
            // Each folder but the first is also listed in the one above.
            sections => format!("{} in {} directories", counted((self.count + 1).saturating_sub(sections), "file"), sections),
        };
        let mut report = Report::of(said, Quotes::Nothing);
        if self.extensions.distinct() > 1 {
            report.add(95, format!("kinds: {}", self.extensions.list(10)));
        }
        if self.tops.distinct() > 1 && self.tops.distinct() < self.count as usize {
            report.add(90, format!("by top folder: {}", self.tops.list(10)));
        }
        self.tell_folders(&mut report, end.room);
        Some(report)
    }
}

impl Paths {
    /// Each folder gets its share, so that small ones are named whole.
    fn tell_folders(&self, report: &mut Report, room: usize) {
        let share = (room / self.folders.len().max(1)).max(30).min(room / 2);
        for (folder, (count, names)) in &self.folders {
            let shown: Vec<&str> = names.iter().map(String::as_str).collect();
            let more = count - names.len() as u64;
            let more = if more > 0 { format!(" +{}", grouped(more)) } else { String::new() };
            let folder = if folder.is_empty() { "." } else { folder };
            // What stands alone is more telling than one of hundreds.
            let weight = if *count <= 3 { 60 } else { 50 };
            report.add(weight, format!("{folder}/ {count}: {}{more}", listed(&shown, " ", share)));
        }
    }
}

fn top_of(path: &str) -> &str {
    let from = usize::from(path.starts_with('/'));
    path[from..].find('/').map_or(path, |end| &path[..from + end])
}
