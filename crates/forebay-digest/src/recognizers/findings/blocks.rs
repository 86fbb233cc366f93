//! Findings of several lines: one that names a rule or a severity, one below it that is nothing but a place, and an
//! excerpt.
//!
//! ```text
//! >> Issue: [B602:shell] message      error[rule]: message     rule[part]: message     × plugin(rule): message
//!    Severity: High                     --> a.yml:3:5          a.yml:3:5                 ╭─[a.js:3:5]
//!    Location: a.py:3:5              3 | excerpt                                       3 │ excerpt
//! ```

use std::path::Path;

use super::line;
use super::tally::OwnedFinding;
use crate::location;

/// The place follows within this many lines.
const MAX_LINES_TO_PLACE: u32 = 8;

/// What stands before a place.
const PLACE_MARKS: &[&str] =
    &["-->", "╭─[", ",-[", "┌─", "Location:", "File:", "at ", "on ", "in ", "└─", "::"];

/// Names of a field that rates a finding.
const RATINGS: &[&str] = &["Severity:", "Level:", "Priority:", "Risk:", "Impact:"];

/// What a line is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BlockLine {
    /// Rule and message.
    Head,
    /// The place of the finding that is complete now.
    Place(String),
    /// Another line of the finding.
    Inside,
}

/// Reads findings of several lines.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// A finding without its place, and the lines since.
    head: Option<(OwnedFinding, u32)>,
    /// The lines after the place belong to the finding as well.
    is_in_excerpt: bool,
    /// The number of findings without a place.
    pub(super) unplaced: u64,
    /// The number of complete findings.
    pub(super) complete: u64,
    /// The finding of the last place.
    pub(super) finding: Option<OwnedFinding>,
}

impl Blocks {
    /// Reads a line of a finding that has begun; nothing if none has, or if it ends before this line.
    pub(super) fn go_on(&mut self, text: &str) -> Option<BlockLine> {
        if self.is_in_excerpt {
            if is_excerpt(text) {
                return Some(BlockLine::Inside);
            }
            self.is_in_excerpt = false;
        }
        let (mut head, lines) = self.head.take()?;
        if let Some((path, place)) = place(text) {
            place.clone_into(&mut head.place);
            self.finding = Some(head);
            self.complete += 1;
            self.is_in_excerpt = true;
            return Some(BlockLine::Place(path.to_owned()));
        }
        if lines == MAX_LINES_TO_PLACE || !text.starts_with([' ', '\t']) {
            self.unplaced += 1;
            return None;
        }
        if let Some(rating) = rating(text) {
            rating.clone_into(&mut head.rating);
        }
        self.head = Some((head, lines + 1));
        Some(BlockLine::Inside)
    }

    /// Begins a finding if the line names a rule or a severity.
    pub(super) fn begin(&mut self, text: &str) -> Option<BlockLine> {
        let head = line::head(text)?;
        self.head = Some(((&head).into(), 1));
        Some(BlockLine::Head)
    }

    /// Ends the finding.
    pub(super) fn end(&mut self) {
        self.unplaced += u64::from(self.head.take().is_some());
        self.is_in_excerpt = false;
    }
}

/// Parses a line that is a place with at most a mark before it: `--> a.yml:3:5`, `╭─[a.js:3:5]`, `a.yml:3 Task: x`.
fn place(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let mark = PLACE_MARKS.iter().find_map(|mark| text.strip_prefix(mark));
    let text = mark.unwrap_or(text).trim_start();
    if let Some((path, rest)) = text.split_once(" line ")
        && mark.is_some()
    {
        let place = line::line_and_column(rest);
        return (is_path(path) && !place.is_empty()).then_some((path, place));
    }
    let located = location::located_message(text)?;
    let after = &text[located.path.len() + 1..];
    let place = line::line_and_column(after);
    let ends = after[place.len()..].chars().next().is_none_or(|c| " ])".contains(c));
    // The compiler's own blocks have a recognizer that keeps more of them.
    let is_own = Path::new(located.path).extension().is_some_and(|ending| ending == "rs");
    (ends && !place.is_empty() && !is_own && is_path(located.path)).then_some((located.path, place))
}

fn is_path(text: &str) -> bool {
    !text.is_empty() && !text.contains([' ', '"', '\'']) && text.contains(['.', '/'])
}

/// Returns the word after `Severity:`.
fn rating(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let value = RATINGS.iter().find_map(|name| text.strip_prefix(name))?.trim_start();
    value.split("  ").next().filter(|word| !word.is_empty() && word.len() <= 16)
}

/// Returns true for lines of a file with their numbers, what points at them, and remarks.
fn is_excerpt(text: &str) -> bool {
    let after_number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = after_number.len() < text.len()
        && (after_number.is_empty() || after_number.starts_with([' ', '\t', '|', '│', ':']));
    let is_gap = text.starts_with("...") || text.starts_with('…');
    text.starts_with([' ', '\t', '|', '│', '╰', '`', '=', '·', '^']) || is_numbered || is_gap
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_stands_alone_or_behind_a_mark() {
        for (text, expect) in [
            ("   Location: py/a.py:12:4", Some(("py/a.py", "12:4"))),
            ("   ╭─[src/a.js:3:7]", Some(("src/a.js", "3:7"))),
            ("  --> .github/ci.yml:7:9", Some((".github/ci.yml", "7:9"))),
            ("play/site.yml:3 Task/Handler: echo", Some(("play/site.yml", "3"))),
            ("cfn/t.yaml:8:7", Some(("cfn/t.yaml", "8:7"))),
            ("  on main.tf line 3, in resource \"x\" \"y\":", Some(("main.tf", "3"))),
            ("a.py:3: a message", None),
            (" --> src/main.rs:3:5", None),
            ("12:30:01 started", None),
            ("the file is on line 3", None),
        ] {
            assert_eq!(place(text), expect, "{text}");
        }
    }

    #[test]
    fn a_finding_without_a_place_is_not_complete() {
        let mut blocks = Blocks::default();
        assert_eq!(blocks.begin("no-dash: message"), Some(BlockLine::Head));
        assert_eq!(blocks.go_on("something else"), None);
        assert_eq!((blocks.complete, blocks.unplaced), (0, 1));
        assert_eq!(blocks.begin("no-dash: message"), Some(BlockLine::Head));
        assert_eq!(blocks.go_on("a.yml:3:5"), Some(BlockLine::Place("a.yml".to_owned())));
        assert_eq!(blocks.go_on("3 | - x"), Some(BlockLine::Inside));
        assert_eq!(blocks.go_on("next"), None);
        assert_eq!((blocks.complete, blocks.unplaced), (1, 1));
    }
}
