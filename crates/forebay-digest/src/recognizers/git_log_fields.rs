//! Custom formats of `git log`: author, date and subject of a commit on one line.
//!
//! A subject may look like any field, so a layout is used only if it holds for every commit, and if the format in the
//! command, where it is known, has the fields in this order.

use std::sync::LazyLock;

use regex::Regex;

use crate::command::Command;
use crate::tally::{ValueCounts, looks_like_date};

/// A date as git prints it: its default and RFC 2822, ISO 8601, relative.
const DATE: &str = concat!(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:[A-Z][a-z]{2} \d{1,2}|\d{1,2} [A-Z][a-z]{2})",
    r" [\d: ]{13,14}(?: [+-]\d{4})?",
    r"|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?: ?[+-]\d\d:?\d\d|Z)?)?",
    r"|\d+ (?:second|minute|hour|day|week|month|year)s?(?:, \d+ months?)? ago",
);

/// The order of author, date and subject, each by its first letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FieldOrder([u8; 3]);

const DATE_SUBJECT: FieldOrder = FieldOrder(*b"ds ");
const AUTHOR_DATE_SUBJECT: FieldOrder = FieldOrder(*b"ads");
const DATE_AUTHOR_SUBJECT: FieldOrder = FieldOrder(*b"das");
const DATE_SUBJECT_AUTHOR: FieldOrder = FieldOrder(*b"dsa");
const SUBJECT_DATE: FieldOrder = FieldOrder(*b"sd ");
const SUBJECT_AUTHOR_DATE: FieldOrder = FieldOrder(*b"sad");
const SUBJECT_DATE_AUTHOR: FieldOrder = FieldOrder(*b"sda");

impl FieldOrder {
    /// Returns the order that the format of a command states. Several formats have none in common.
    pub(crate) fn in_command(command: &Command) -> Option<Self> {
        let words = command.arguments(&["git log", "git reflog"]);
        let mut orders = words.filter_map(Self::of_option);
        let first = orders.next()?;
        Some(if orders.all(|order| order == first) { first } else { Self([b' '; 3]) })
    }

    fn of_option(word: &str) -> Option<Self> {
        if word == "--oneline" {
            return Some(Self(*b"s  "));
        }
        let format = word.strip_prefix("--format=").or_else(|| word.strip_prefix("--pretty="))?;
        format.contains('%').then(|| Self::of_format(format))
    }

    /// Reads `%h %an %ad %s`.
    fn of_format(format: &str) -> Self {
        let mut order = [b' '; 3];
        let mut free = order.iter_mut();
        let mut seen = String::new();
        for placeholder in format.split('%').skip(1) {
            let mut letters = placeholder.chars();
            let field = match (letters.next(), letters.next()) {
                (Some('a' | 'c'), Some('n' | 'N' | 'e' | 'E' | 'l' | 'L')) => 'a',
                (Some('a' | 'c'), Some(_)) => 'd',
                (Some('s' | 'f' | 'B'), _) => 's',
                _ => continue,
            };
            if !seen.contains(field)
                && let Some(place) = free.next()
            {
                seen.push(field);
                *place = field as u8;
            }
        }
        Self(order)
    }
}

/// Layouts whose fields are separated by spaces, the more likely ones first.
static SPACED: LazyLock<[(FieldOrder, Regex); 5]> = LazyLock::new(|| {
    let words = r"[^\s|]+?(?: [^\s|]+?){0,3}?";
    let date = format!(r"[(\[]?(?<date>{DATE})[)\]]?(?: ?[:-])?");
    let bracketed_date = format!(r"[(\[](?<date>{DATE})[)\]]");
    [
        // `%ad %s`
        (DATE_SUBJECT, format!("{date} (?<subject>.*)")),
        // `%an %ad %s`, `- %an, %ar : %s`
        (AUTHOR_DATE_SUBJECT, format!("<?(?<author>{words})>?[,:]? {date} (?<subject>.*)")),
        // `%s (%cr)`
        (SUBJECT_DATE, format!("(?<subject>.*?) {bracketed_date}")),
        // `%ad %s [%an]`
        (DATE_SUBJECT_AUTHOR, format!(r"{date} (?<subject>.*) [<\[](?<author>{words})[>\]]")),
        // `%s (%cr) <%an>`
        (
            SUBJECT_DATE_AUTHOR,
            format!(r"(?<subject>.*?) {bracketed_date} [<(\[](?<author>{words})[>)\]]"),
        ),
    ]
    .map(|(order, fields)| (order, regex(&format!("^(?:- )?{fields}$"))))
});

#[expect(clippy::expect_used, reason = "the patterns are constants, and a test uses them")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

/// The fields of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CommitFields<'a> {
    author: Option<&'a str>,
    date: &'a str,
    subject: &'a str,
}

#[derive(Debug, Clone, Copy)]
enum Layout {
    /// By its index.
    Spaced(usize),
    Separated {
        separator: char,
        date: DatePosition,
        has_author: bool,
    },
}

#[derive(Debug, Clone, Copy)]
enum DatePosition {
    At(usize),
    Last,
}

impl Layout {
    /// Returns the layouts that what follows a hash may have.
    fn candidates(separator: char, rest: &str) -> Vec<Self> {
        if !is_separator(separator) {
            return (0..SPACED.len()).map(Self::Spaced).collect();
        }
        let first_date = rest.split(separator).position(is_date).map(DatePosition::At);
        let positions: Vec<DatePosition> =
            first_date.into_iter().chain([DatePosition::Last]).collect();
        [true, false]
            .into_iter()
            .flat_map(|has_author| {
                positions.iter().map(move |date| Self::Separated {
                    separator,
                    date: *date,
                    has_author,
                })
            })
            .collect()
    }

    fn order(self) -> FieldOrder {
        match self {
            Self::Spaced(index) => SPACED[index].0,
            Self::Separated { date, has_author, .. } => match (date, has_author) {
                (DatePosition::At(0), true) => DATE_AUTHOR_SUBJECT,
                (DatePosition::At(_), true) => AUTHOR_DATE_SUBJECT,
                (DatePosition::At(_), false) => DATE_SUBJECT,
                (DatePosition::Last, true) => SUBJECT_AUTHOR_DATE,
                (DatePosition::Last, false) => SUBJECT_DATE,
            },
        }
    }

    /// Returns true if the layout has the known order. If it is unknown, brackets at the end are part of the subject.
    fn is_allowed(self, known: Option<FieldOrder>) -> bool {
        let order = self.order();
        known.map_or(order.0[2] != b'a', |known| known == order)
    }

    fn split(self, separator: char, rest: &str) -> Option<CommitFields<'_>> {
        match self {
            Self::Spaced(_) if is_separator(separator) => None,
            Self::Spaced(index) => split_spaced(index, rest),
            Self::Separated { separator: own, date, has_author } => {
                let fields = Separated { fields: rest.split(own).collect(), text: rest };
                fields.split(date, has_author).filter(|_| own == separator)
            }
        }
    }
}

fn split_spaced(index: usize, rest: &str) -> Option<CommitFields<'_>> {
    let fields = SPACED[index].1.captures(rest)?;
    let field = |name: &str| fields.name(name).map(|found| found.as_str());
    Some(CommitFields { author: field("author"), date: field("date")?, subject: field("subject")? })
}

/// What follows a hash, as `author|date|subject`.
struct Separated<'a> {
    fields: Vec<&'a str>,
    text: &'a str,
}

impl<'a> Separated<'a> {
    fn split(&self, date: DatePosition, has_author: bool) -> Option<CommitFields<'a>> {
        let at = match date {
            DatePosition::At(at) => at,
            DatePosition::Last => self.fields.len() - 1,
        };
        let is_last = matches!(date, DatePosition::Last);
        let date = self.fields.get(at).filter(|field| is_date(field))?.trim();
        let (author, from, to) = match (is_last, has_author) {
            (true, true) => (at.checked_sub(1), 0, at.checked_sub(1)?),
            (true, false) => (None, 0, at),
            (false, true) if at == 0 => (Some(1), 2, self.fields.len()),
            (false, true) => (Some(0), at + 1, self.fields.len()),
            (false, false) => (None, at + 1, self.fields.len()),
        };
        let author = author.map(|author| self.fields.get(author).map(|field| field.trim()));
        let subject = self.fields.get(from..to).filter(|subject| !subject.is_empty())?;
        Some(CommitFields { author: author.flatten(), date, subject: self.joined(subject) })
    }

    /// Returns the text from the first to the last of some fields.
    fn joined(&self, fields: &[&'a str]) -> &'a str {
        let offset = |field: &str| field.as_ptr() as usize - self.text.as_ptr() as usize;
        match fields {
            [first, .., last] => &self.text[offset(first)..offset(last) + last.len()],
            [only] => only,
            [] => "",
        }
    }
}

fn is_separator(c: char) -> bool {
    "|\t;,".contains(c)
}

/// Returns true for `2026-11-17`, `Tue Nov 17 21:27:47 2026 +0000`, `3 days ago`.
fn is_date(field: &str) -> bool {
    const DAYS: &[&str] = &["Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "];
    let field = field.trim();
    let is_git_date = DAYS.iter().any(|day| field.starts_with(day)) && field.contains(':');
    let is_relative = field.ends_with(" ago") && field.starts_with(|c: char| c.is_ascii_digit());
    looks_like_date(field) || is_git_date || is_relative
}

/// The fields of all commits in each layout that holds for all of them.
#[derive(Debug, Default)]
pub(super) struct FieldReader {
    commits: u64,
    layouts: Vec<LayoutFields>,
}

impl FieldReader {
    /// Reads what follows a hash and a separator.
    pub(super) fn add(&mut self, separator: char, rest: &str) {
        if self.commits == 0 {
            let candidates = Layout::candidates(separator, rest);
            self.layouts = candidates.into_iter().map(LayoutFields::new).collect();
        }
        self.commits += 1;
        self.layouts.retain_mut(|layout| layout.add(separator, rest));
    }

    pub(super) fn first_allowed(&self, known_order: Option<FieldOrder>) -> Option<&LayoutFields> {
        self.layouts.iter().find(|fields| fields.layout.is_allowed(known_order))
    }
}

/// The fields of all commits in one layout.
#[derive(Debug)]
pub(super) struct LayoutFields {
    layout: Layout,
    separator: char,
    pub(super) authors: ValueCounts,
    pub(super) newest: String,
    pub(super) oldest: String,
}

impl LayoutFields {
    fn new(layout: Layout) -> Self {
        let separator = match layout {
            Layout::Spaced(_) => ' ',
            Layout::Separated { separator, .. } => separator,
        };
        let authors = ValueCounts::default();
        Self { layout, separator, authors, newest: String::new(), oldest: String::new() }
    }

    /// Returns false if the commit has another layout.
    fn add(&mut self, separator: char, rest: &str) -> bool {
        let Some(fields) = self.layout.split(separator, rest) else { return false };
        if let Some(author) = fields.author {
            self.authors.add(author);
        }
        if self.newest.is_empty() {
            fields.date.clone_into(&mut self.newest);
        }
        fields.date.clone_into(&mut self.oldest);
        true
    }

    /// Returns the subject of a commit, without the fields that the digest summarizes over all commits.
    pub(super) fn subject<'a>(&self, rest: &'a str) -> &'a str {
        self.layout.split(self.separator, rest).map_or(rest, |fields| fields.subject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(order: FieldOrder, rest: &str, author: Option<&str>, date: &str) {
        let subject = "fix: retry (again)";
        let index = SPACED.iter().position(|(known, _)| *known == order).unwrap();
        let expect = Some(CommitFields { author, date, subject });
        assert_eq!(split_spaced(index, rest), expect, "{rest}");
    }

    #[test]
    fn splits_common_formats() {
        let ann = Some("Ann Lee");
        check(DATE_SUBJECT, "2026-11-18 fix: retry (again)", None, "2026-11-18");
        check(AUTHOR_DATE_SUBJECT, "Ann Lee 2026-11-18 fix: retry (again)", ann, "2026-11-18");
        check(
            DATE_SUBJECT_AUTHOR,
            "2026-11-18 10:02:03 +0000 fix: retry (again) [Ann Lee]",
            ann,
            "2026-11-18 10:02:03 +0000",
        );
        let date = "Wed Nov 18 14:29:44 2026 +0000";
        check(AUTHOR_DATE_SUBJECT, &format!("Ann Lee {date} fix: retry (again)"), ann, date);
        let relative = "- Ann Lee, 82 minutes ago : fix: retry (again)";
        check(AUTHOR_DATE_SUBJECT, relative, ann, "82 minutes ago");
        let relative = "Ann Lee 1 year, 2 months ago fix: retry (again)";
        check(AUTHOR_DATE_SUBJECT, relative, ann, "1 year, 2 months ago");
        check(SUBJECT_DATE, "fix: retry (again) (3 days ago)", None, "3 days ago");
        let bracketed = "fix: retry (again) (3 days ago) <Ann Lee>";
        check(SUBJECT_DATE_AUTHOR, bracketed, ann, "3 days ago");
        assert!((0..SPACED.len()).all(|index| split_spaced(index, "fix: retry").is_none()));
    }

    #[test]
    fn reads_the_order_of_a_format() {
        let order = |command: &str| FieldOrder::in_command(&Command::parse(command));
        assert_eq!(order("git log --format='%h %ad %s [%an]'"), Some(DATE_SUBJECT_AUTHOR));
        assert_eq!(
            order("git log --pretty=format:\"%C(yellow)%h%x09%aN%x09%cs%x09%s\""),
            Some(AUTHOR_DATE_SUBJECT)
        );
        assert_eq!(order("git log --oneline"), Some(FieldOrder(*b"s  ")));
        assert_eq!(order("git lg"), None);
        assert_eq!(order("git log --pretty=medium"), None);
        let two = order("git log --oneline; git log --format='%h %ad %s'");
        assert_eq!(two, Some(FieldOrder(*b"   ")));
    }

    #[test]
    fn only_a_layout_of_all_commits_is_used() {
        let read = |separator, rests: &[&str], order: Option<FieldOrder>| {
            let mut fields = FieldReader::default();
            for rest in rests {
                fields.add(separator, rest);
            }
            let layout = fields.first_allowed(order)?;
            let subjects: Vec<&str> = rests.iter().map(|rest| layout.subject(rest)).collect();
            let (authors, subjects) = (layout.authors.names(9), subjects.join("; "));
            Some(format!("{authors}: {subjects}: {}..{}", layout.newest, layout.oldest))
        };
        let subjects = ["2026-05-02 b [PROJ-3]", "2026-05-01 a [skip ci]"];
        let expect = Some(": b [PROJ-3]; a [skip ci]: 2026-05-02..2026-05-01".to_owned());
        assert_eq!(read(' ', &subjects, None), expect);
        assert_eq!(read(' ', &subjects, Some(DATE_SUBJECT)), expect);
        let expect = Some("PROJ-3, skip ci: b; a: 2026-05-02..2026-05-01".to_owned());
        assert_eq!(read(' ', &subjects, Some(DATE_SUBJECT_AUTHOR)), expect);
        let subjects = ["Ann Lee 2026-05-02 b", "Bo 2026-05-01 a (1999-01-01)"];
        let expect = Some("Ann Lee, Bo: b; a (1999-01-01): 2026-05-02..2026-05-01".to_owned());
        assert_eq!(read(' ', &subjects, None), expect);
        assert_eq!(read(' ', &["a (1999-01-01)", "b"], None), None);
        let separated = ["2026-05-02|b|c", "2026-05-01|a"];
        let expect = Some(": b|c; a: 2026-05-02..2026-05-01".to_owned());
        assert_eq!(read('|', &separated, None), expect);
        let separated = ["b|c|Ann|2026-05-02", "a|Bo|2026-05-01"];
        let expect = Some("Ann, Bo: b|c; a: 2026-05-02..2026-05-01".to_owned());
        assert_eq!(read('|', &separated, Some(SUBJECT_AUTHOR_DATE)), expect);
        let separated = ["b|2026-05-02|Ann", "a|2026-05-01|Bo"];
        assert_eq!(read('|', &separated, Some(SUBJECT_DATE_AUTHOR)), None);
    }
}
