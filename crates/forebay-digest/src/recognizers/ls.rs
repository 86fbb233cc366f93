//! `ls -l`: files and folders counted, sizes, the largest files; names as far as they fit.

use forebay_text::number;

use super::tool_errors::{ToolErrors, is_tool_error};
use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::{Sum, ValueCounts, list_series};

pub(super) const FORMAT: Format = Format {
    name: "ls",
    keeps: "counts of files, folders and links; total size, largest files; file types; names",
    commands: &["ls", "ll", "eza", "exa", "tar"],
    scope: Scope::Whole(claims),
    create: || Box::new(Ls { may_open_section: true, ..Ls::default() }),
};

/// Maximum number of names held.
const MAX_NAMES: usize = 2_000;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let is_row = |line: &str| {
        entry(line).is_some()
            || line.starts_with("total ")
            || line.ends_with(':')
            || is_tool_error(line)
    };
    let rows = start.lines.iter().filter(|line| entry(line).is_some()).count();
    (rows >= 2 && start.mostly(95, is_row)).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct Ls {
    files: u64,
    links: u64,
    bytes: Sum,
    folders: ValueCounts,
    names: ValueCounts,
    extensions: ValueCounts,
    by_folder: ValueCounts,
    /// Size, name and size as written, the largest first.
    largest: Vec<(u64, String, String)>,
    sections: u64,
    section: String,
    /// True if any file has a size.
    has_sizes: bool,
    /// True if some sizes are rounded, so there is no exact total.
    has_rounded_sizes: bool,
    tool_errors: ToolErrors,
    /// The name of a folder follows a blank line, or comes first; errors may come in between.
    may_open_section: bool,
    /// The number of sections with that of a folder of which only the name came.
    named_sections: u64,
}

impl Recognizer for Ls {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if self.tool_errors.push_line(text) {
            return Mark::Plain;
        }
        match entry(text) {
            Some(entry) => self.entry(&entry),
            None if text.ends_with(':') && !text.contains(": ") && self.may_open_section => {
                self.named_sections = self.sections + 1;
                text.trim_end_matches(':').trim_start_matches("./").clone_into(&mut self.section);
            }
            None if text.starts_with("total ") => self.begin_section(),
            None if text.is_empty() => {}
            None => return Mark::Foreign,
        }
        self.may_open_section = text.is_empty();
        Mark::Plain
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        let exact = self.has_sizes && !self.has_rounded_sizes;
        let size = match self.bytes.known().filter(|_| exact) {
            Some(bytes) => format!(", {} ({bytes} bytes)", number::bytes(bytes)),
            None => String::new(),
        };
        let mut summary = format!(
            "{}, {}",
            number::counted(self.files, "file"),
            number::counted(self.folders.total(), "folder")
        );
        if self.links > 0 {
            summary += &format!(", {}", number::counted(self.links, "link"));
        }
        if self.sections > 1 {
            summary += &format!(" in {} listings", self.sections);
        }
        let mut report = Report::with_summary(format!("{summary}{size}"), Quotes::None);
        self.tool_errors.add_facts(&mut report);
        if self.has_sizes && self.files > 3 {
            let describe = |(bytes, name, written): &(u64, String, String)| {
                if exact {
                    format!("{name} {} ({bytes})", number::bytes(*bytes))
                } else {
                    format!("{name} {written}")
                }
            };
            let largest: Vec<String> = self.largest.iter().map(describe).collect();
            report.add(90, format!("largest: {}", largest.join(", ")));
        }
        if self.by_folder.distinct() > 1 {
            report.add(82, format!("by folder: {}", self.by_folder.list(8)));
        }
        if self.extensions.distinct() > 1 {
            report.add(85, format!("kinds: {}", self.extensions.list(8)));
        }
        let max_items = context.max_bytes / 22;
        if !self.folders.is_empty() {
            report.add(80, format!("folders: {}", self.folders.names(max_items / 2)));
        }
        let names: Vec<&str> = self.names.in_order().into_iter().map(|(name, _)| name).collect();
        report.add(75, format!("files: {}", list_series(&names, ", ", context.max_bytes / 2)));
        Some(report)
    }
}

impl Ls {
    /// Counts a listing once something of it follows the name of its folder.
    fn begin_section(&mut self) {
        self.sections = self.named_sections;
    }

    fn entry(&mut self, entry: &Entry<'_>) {
        self.begin_section();
        if matches!(entry.name, "." | ".." | "./") {
            return;
        }
        let name = if self.section.is_empty() {
            entry.name.to_owned()
        } else {
            format!("{}/{}", self.section, entry.name)
        };
        match entry.kind {
            b'd' => return self.folders.add(name.trim_end_matches('/')),
            b'l' | b'h' => self.links += 1,
            _ => self.files += 1,
        }
        if let Some((folder, _)) = name.rsplit_once('/') {
            self.by_folder.add(folder);
        }
        if self.names.distinct() < MAX_NAMES {
            self.names.add(&name);
        }
        if let (b'-', Some(Size { bytes, is_rounded })) = (entry.kind, entry.size) {
            self.has_sizes = true;
            self.has_rounded_sizes |= is_rounded;
            self.bytes += bytes;
            self.largest.push((bytes, name, entry.written_size.to_owned()));
            self.largest.sort_by_key(|(bytes, ..)| std::cmp::Reverse(*bytes));
            self.largest.truncate(3);
        }
        if entry.kind == b'-'
            && let Some((stem, extension)) = entry.name.rsplit_once('.')
            && !stem.is_empty()
        {
            self.extensions.add(&format!(".{extension}"));
        }
    }
}

struct Entry<'a> {
    kind: u8,
    size: Option<Size>,
    written_size: &'a str,
    name: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    bytes: u64,
    is_rounded: bool,
}

impl Size {
    /// Parses `1234`, `4.0K`, `1.9M`, `12Ki`.
    fn parse(word: &str) -> Option<Self> {
        let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let power = match &word[number.len()..] {
            "" => return word.parse().ok().map(|bytes| Self { bytes, is_rounded: false }),
            "K" | "k" | "Ki" => 1,
            "M" | "Mi" => 2,
            "G" | "Gi" => 3,
            "T" | "Ti" => 4,
            _ => return None,
        };
        let bytes = number.parse::<f64>().ok()? * 1024_f64.powi(power);
        Some(Self { bytes: bytes as u64, is_rounded: true })
    }
}

/// Parses `-rw-r--r-- 1 ann staff 1234 May  1 10:00 name`, also after inode and block numbers.
fn entry(line: &str) -> Option<Entry<'_>> {
    let line = without_numbers(line);
    let mode = line.split(' ').next()?.as_bytes();
    let is_mode = (10..=11).contains(&mode.len())
        && b"-dlbcpsh".contains(&mode[0])
        && mode[1..10].iter().all(|byte| b"rwxsStT-".contains(byte));
    if !is_mode {
        return None;
    }
    // `tar -tv` writes owner and group as one word, and no link count.
    let is_tar = line.split_ascii_whitespace().nth(1)?.contains('/');
    let mut words = line.split_ascii_whitespace().skip(if is_tar { 2 } else { 4 });
    let mut size = words.next()?;
    if size.ends_with(',') {
        // A device has two numbers instead of a size.
        size = words.next()?;
    }
    let date_words = if crate::tally::looks_like_date(words.next()?) { 1 } else { 2 };
    let mut last = words.nth(date_words - 1)?;
    if last.contains('.') && words.clone().next().is_some_and(is_utc_offset) {
        last = words.next()?;
    }
    let at = last.as_ptr() as usize - line.as_ptr() as usize + last.len();
    let name = line[at..].trim_start();
    let link = if mode[0] == b'h' { " link to " } else { " -> " };
    let name = name.split(link).next().unwrap_or(name);
    Some(Entry { kind: mode[0], size: Size::parse(size), written_size: size, name })
        .filter(|entry| !entry.name.is_empty())
}

/// Strips the inode and block numbers that `ls -is` and `find -ls` write first.
fn without_numbers(line: &str) -> &str {
    let mut rest = line.trim_start();
    for _ in 0..2 {
        match rest.split_once(' ') {
            Some((number, after))
                if number.starts_with(|c: char| c.is_ascii_digit())
                    && Size::parse(number).is_some() =>
            {
                rest = after.trim_start();
            }
            _ => break,
        }
    }
    rest
}

/// Returns true for `+0000`, which follows a time with fractions.
fn is_utc_offset(word: &str) -> bool {
    word.len() == 5
        && word.starts_with(['+', '-'])
        && word[1..].bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> Vec<String> {
        let mut ls = (FORMAT.create)();
        for (number, text) in (1..).zip(text.lines()) {
            ls.push_line(Line { number, text, cut: 0, has_newline: true });
        }
        let report = ls.report(&ReportContext::new(9, 1_200));
        let facts = report.map(|report| report.facts).unwrap_or_default();
        facts.into_iter().map(|fact| fact.text).collect()
    }

    #[test]
    fn a_total_that_is_too_large_is_not_stated() {
        let row = "-rw-r--r-- 1 ann staff 9223372036854775808 Jan 10 10:00 a\n";
        assert_eq!(facts(row)[0], "1 file, 0 folders, 9223372036.9 GB (9223372036854775808 bytes)");
        assert_eq!(facts(&row.repeat(2))[0], "2 files, 0 folders");
    }

    #[test]
    fn an_error_does_not_hide_the_folder_below_it() {
        let row = "-rw-r--r-- 1 ann staff 5 Jan 10 10:00";
        let error = "ls: cannot open directory './c': Permission denied";
        for text in [
            format!("{error}\n./a:\ntotal 8\n{row} x\n\n./b:\ntotal 8\n{row} y\n"),
            format!("./a:\ntotal 8\n{row} x\n\n{error}\n./b:\ntotal 8\n{row} y\n"),
        ] {
            assert_eq!(facts(&text)[0], "2 files, 0 folders in 2 listings, 10 B (10 bytes)");
            assert!(facts(&text).contains(&"by folder: a: 1, b: 1".to_owned()), "{text}");
        }
    }
}
