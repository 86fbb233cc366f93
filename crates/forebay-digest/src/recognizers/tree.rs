//! `tree`: counts of folders and files, the upper levels first.

use forebay_text::number::counted;

use super::{
    Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start, dependencies,
};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "tree",
    keeps: "counts of folders and files; entries of the largest folders; upper levels first; file types",
    commands: &["tree", "eza --tree", "cargo tree", "npm ls"],
    scope: Scope::Whole(claims),
    create: || Box::<Tree>::default(),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    let is_entry = |line: &&&str| depth(line).is_some() && !dependencies::is_branch(line);
    let rows = start.lines.iter().filter(is_entry).count();
    (rows >= 3 && rows * 10 >= start.nonblank_lines().count() * 7).then_some(Claim::Sure)
}

/// Returns the depth of an entry; each level is four columns wide.
fn depth(line: &str) -> Option<usize> {
    let at = line.find("├─").or_else(|| line.find("└─"))?;
    // Only the lines of upper levels come before.
    if !line[..at].chars().all(|c| "│ \u{a0}".contains(c)) {
        return None;
    }
    // A name follows; in the frame of a table, another line does.
    let name = line[at..].trim_start_matches(['├', '└', '─']);
    name.starts_with([' ', '\u{a0}']).then(|| line[..at].chars().count() / 4 + 1)
}

#[derive(Debug, Default)]
struct Tree {
    entries: u64,
    deepest: usize,
    extensions: ValueCounts,
    upper: u64,
    summary: Option<String>,
    has_root: bool,
    /// The last entry of each level.
    names: Vec<String>,
    /// Entries by the folder that contains them.
    by_folder: ValueCounts,
    /// Something else came after the last entry, such as the root of another tree.
    is_interrupted: bool,
    /// True if the folder of an entry is unknown.
    has_gap: bool,
}

impl Recognizer for Tree {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        let Some(depth) = depth(text) else {
            let is_summary = text.ends_with(" files") || text.ends_with(" file");
            if is_summary && text.contains(" director") && self.summary.is_none() {
                self.summary = Some(text.trim().to_owned());
                return Mark::Noise;
            }
            let is_root =
                self.entries == 0 && !self.has_root && !text.is_empty() && !text.starts_with('{');
            self.has_root |= is_root;
            self.is_interrupted |= !is_root && !text.is_empty();
            return if is_root { Mark::Weight(48) } else { Mark::Foreign };
        };
        if self.summary.is_some() || dependencies::is_branch(text) {
            return Mark::Foreign;
        }
        self.entries += 1;
        self.upper += u64::from(depth == 1);
        self.deepest = self.deepest.max(depth);
        let name = text.rsplit("── ").next().unwrap_or(text);
        self.add_to_folder(depth, name);
        // Links have no file type of their own.
        let name = if name.contains(" -> ") { "" } else { name };
        if let Some((stem, extension)) = name.rsplit_once('.')
            && !stem.is_empty()
            && !extension.contains(' ')
            && extension.len() < 9
        {
            self.extensions.add(&format!(".{extension}"));
        }
        Mark::Weight((46_usize.saturating_sub(6 * depth)).max(2) as u32)
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        if self.entries == 0 {
            return None;
        }
        let count = self.summary.unwrap_or_else(|| format!("{} entries", self.entries));
        let summary = format!(
            "tree: {count}; {} at the top, {}",
            self.upper,
            counted(self.deepest as u64, "level")
        );
        let mut report = Report::with_summary(summary, Quotes::Marked);
        if self.extensions.distinct() > 1 {
            report.add(90, format!("kinds: {}", self.extensions.list(10)));
        }
        if self.by_folder.distinct() > 2 && self.by_folder.is_exact() && !self.has_gap {
            report.add(88, format!("entries by folder: {}", self.by_folder.list(8)));
        }
        Some(report)
    }
}

impl Tree {
    /// Counts an entry for the folder that contains it.
    fn add_to_folder(&mut self, depth: usize, name: &str) {
        self.has_gap |= self.is_interrupted || depth > self.names.len() + 1;
        self.names.truncate(depth - 1);
        let folder = if self.names.is_empty() { ".".to_owned() } else { self.names.join("/") };
        self.by_folder.add(&folder);
        self.names.push(bare_name(name).to_owned());
    }
}

/// Strips sizes and permissions in brackets, and the target of a link.
fn bare_name(name: &str) -> &str {
    let name = match name.split_once(']') {
        Some((_, rest)) if name.starts_with('[') && rest.starts_with("  ") => rest,
        _ => name,
    };
    let name = name.split(" -> ").next().unwrap_or(name);
    name.trim().trim_end_matches('/')
}
