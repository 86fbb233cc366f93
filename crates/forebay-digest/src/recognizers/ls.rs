//! `ls -l`: files and folders counted, sizes, the largest; all names as far as there is room.

use forebay_domain::text::number;

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;
use crate::tally::{Tops, listed};

pub(super) const FORMAT: Format = Format {
    name: "ls",
    keeps: "files, folders and links counted; total size, the largest files; kinds; names",
    commands: &["ls", "ll", "eza", "exa", "tar"],
    scope: Scope::Whole(claims),
    start: || Box::<Ls>::default(),
};

/// Names beyond so many are only counted.
const HELD: usize = 2_000;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let is_row = |line: &str| entry(line).is_some() || line.starts_with("total ") || line.ends_with(':');
    let rows = start.lines.iter().filter(|line| entry(line).is_some()).count();
    (rows >= 2 && start.mostly(95, is_row)).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct Ls {
    files: u64,
    links: u64,
    bytes: u64,
    folders: Tops,
    names: Tops,
    extensions: Tops,
    places: Tops,
    largest: Vec<(u64, String)>,
    sections: u64,
    section: String,
    /// Sizes were given in bytes.
    exact: bool,
    unread: u64,
}

impl Recognizer for Ls {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        match entry(text) {
            Some(found) => self.entry(&found),
            None if text.ends_with(':') => {
                self.sections += 1;
                text.trim_end_matches(':').trim_start_matches("./").clone_into(&mut self.section);
            }
            None if text.is_empty() || text.starts_with("total ") => {}
            None => self.unread += 1,
        }
        Mark::Plain
    }

    fn report(self: Box<Self>, end: &End) -> Option<Report> {
        if self.unread > 0 {
            return None;
        }
        let size = if self.exact { format!(", {} ({} bytes)", number::bytes(self.bytes), self.bytes) } else { String::new() };
        let mut said = format!("{}, {}", number::counted(self.files, "file"), number::counted(self.folders.total(), "folder"));
        if self.links > 0 {
            said += &format!(", {}", number::counted(self.links, "link"));
        }
        if self.sections > 1 {
            said += &format!(" in {} listings", self.sections);
        }
        let mut report = Report::of(format!("{said}{size}"), Quotes::Nothing);
        if self.exact && self.files > 3 {
            let largest: Vec<String> =
                self.largest.iter().map(|(bytes, name)| format!("{name} {} ({bytes})", number::bytes(*bytes))).collect();
            report.add(90, format!("largest: {}", largest.join(", ")));
        }
        if self.places.distinct() > 1 {
            report.add(82, format!("by folder: {}", self.places.list(8)));
        }
        if self.extensions.distinct() > 1 {
            report.add(85, format!("kinds: {}", self.extensions.list(8)));
        }
        let most = end.room / 22;
        if !self.folders.is_empty() {
            report.add(80, format!("folders: {}", self.folders.names(most / 2)));
        }
        let names: Vec<&str> = self.names.in_order().into_iter().map(|(name, _)| name).collect();
        report.add(75, format!("files: {}", listed(&names, ", ", end.room / 2)));
        Some(report)
    }
}

impl Ls {
    fn entry(&mut self, found: &Entry<'_>) {
        if matches!(found.name, "." | "..") {
            return;
        }
        let name = if self.section.is_empty() { found.name.to_owned() } else { format!("{}/{}", self.section, found.name) };
        match found.kind {
            b'd' => return self.folders.add(name.trim_end_matches('/')),
            b'l' => self.links += 1,
            _ => self.files += 1,
        }
        if let Some((folder, _)) = name.rsplit_once('/') {
            self.places.add(folder);
        }
        if self.names.distinct() < HELD {
            self.names.add(&name);
        }
        if let (b'-', Some(bytes)) = (found.kind, found.bytes) {
            self.exact = true;
            self.bytes += bytes;
            self.largest.push((bytes, name));
            self.largest.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
            self.largest.truncate(3);
        }
        if found.kind == b'-' && let Some((stem, extension)) = found.name.rsplit_once('.') && !stem.is_empty() {
            self.extensions.add(&format!(".{extension}"));
        }
    }
}

struct Entry<'a> {
    kind: u8,
    bytes: Option<u64>,
    name: &'a str,
}

/// `-rw-r--r-- 1 ann staff 1234 May  1 10:00 name`.
fn entry(line: &str) -> Option<Entry<'_>> {
    let mode = line.split(' ').next()?.as_bytes();
    let is_mode = (10..=11).contains(&mode.len())
        && b"-dlbcps".contains(&mode[0])
        && mode[1..10].iter().all(|byte| b"rwxsStT-".contains(byte));
    if !is_mode {
        return None;
    }
    // `tar -tv` writes owner and group as one word, and no links.
    let is_tar = line.split_ascii_whitespace().nth(1)?.contains('/');
    let mut words = line.split_ascii_whitespace().skip(if is_tar { 2 } else { 4 });
    let size = words.next()?;
    let date_words = if crate::tally::looks_like_date(words.next()?) { 1 } else { 2 };
    let last = words.nth(date_words - 1)?;
    let at = last.as_ptr() as usize - line.as_ptr() as usize + last.len();
    let name = line[at..].trim_start();
    let name = name.split(" -> ").next().unwrap_or(name);
    Some(Entry { kind: mode[0], bytes: size.parse().ok(), name }).filter(|entry| !entry.name.is_empty())
}
