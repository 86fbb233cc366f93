//! Custom formats of `git log`: author, date and subject of a commit on one line.

use std::sync::LazyLock;

use regex::Regex;

/// A date as git prints it: its default and RFC 2822, ISO 8601, relative.
const DATE: &str = concat!(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:[A-Z][a-z]{2} \d{1,2}|\d{1,2} [A-Z][a-z]{2})",
    r" [\d: ]{13,14}(?: [+-]\d{4})?",
    r"|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?: ?[+-]\d\d:?\d\d|Z)?)?",
    r"|\d+ (?:second|minute|hour|day|week|month|year)s?(?:, \d+ months?)? ago",
);

/// What follows the hash, by the place of the date.
static LAYOUTS: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    let words = r"[^\s|]+?(?: [^\s|]+?){0,3}?";
    let bracketed = format!(r"[<(\[](?<author>{words})[>)\]]");
    [
        // `%ad %s [%an]`
        format!(r"^(?:- )?[(\[]?(?<date>{DATE})[)\]]?:? (?<subject>.*) [<\[](?<author>{words})[>\]]$"),
        // `%s (%cr) <%an>`
        format!(r"^(?:- )?(?<subject>.*?) [(\[](?<date>{DATE})[)\]](?: {bracketed})?$"),
        // `%an %ad %s`, `%ad %s`, `- %an, %ar : %s`
        format!(
            r"^(?:- )?(?:<?(?<author>{words})>?[,:]? )?[(\[]?(?<date>{DATE})[)\]]?(?: ?[:-])? (?<subject>.*)$"
        ),
    ]
    .map(|layout| regex(&layout))
});

#[expect(clippy::expect_used, reason = "the patterns are constants, and a test uses them")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

/// The fields of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommitFields<'a> {
    pub(super) author: Option<&'a str>,
    pub(super) date: &'a str,
    pub(super) subject: &'a str,
}

/// Splits what follows the hash, if it has a date.
pub(super) fn split(rest: &str) -> Option<CommitFields<'_>> {
    let fields = LAYOUTS.iter().find_map(|layout| layout.captures(rest))?;
    let field = |name: &str| fields.name(name).map(|found| found.as_str());
    Some(CommitFields { author: field("author"), date: field("date")?, subject: field("subject")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rest: &str, author: Option<&str>, date: &str) {
        let subject = "fix: retry (again)";
        assert_eq!(split(rest), Some(CommitFields { author, date, subject }), "{rest}");
    }

    #[test]
    fn splits_common_formats() {
        let ann = Some("Ann Lee");
        check("2026-11-18 fix: retry (again)", None, "2026-11-18");
        check("Ann Lee 2026-11-18 fix: retry (again)", ann, "2026-11-18");
        check(
            "2026-11-18 10:02:03 +0000 fix: retry (again) [Ann Lee]",
            ann,
            "2026-11-18 10:02:03 +0000",
        );
        let date = "Wed Nov 18 14:29:44 2026 +0000";
        check(&format!("Ann Lee {date} fix: retry (again)"), ann, date);
        check("- Ann Lee, 82 minutes ago : fix: retry (again)", ann, "82 minutes ago");
        check("Ann Lee 1 year, 2 months ago fix: retry (again)", ann, "1 year, 2 months ago");
        check("fix: retry (again) (3 days ago) <Ann Lee>", ann, "3 days ago");
        assert_eq!(split("fix: retry (again)"), None);
    }
}
