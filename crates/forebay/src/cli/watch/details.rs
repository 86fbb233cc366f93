//! The digest of a stored result, and its raw text with the lines that the digest leaves out folded.

use forebay_app::{App, AppError, dashboard};
use forebay_text::number;
use serde_json::Value;

/// Columns between the stops of a tab.
const TAB: usize = 4;

/// What is shown of one result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Details {
    pub(super) project: usize,
    pub(super) reference: String,
    pub(super) digest: Vec<DigestLine>,
    pub(super) raw: Vec<RawLine>,
    pub(super) lines: u64,
    pub(super) digest_tokens: u64,
    pub(super) raw_tokens: u64,
    /// The whole text is the digest.
    pub(super) is_verbatim: bool,
    pub(super) recognizers: Vec<String>,
    /// Why the kept lines are unknown.
    pub(super) remark: Option<String>,
}

/// A line of the digest, and why it is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DigestLine {
    pub(super) text: String,
    pub(super) why: Option<String>,
}

/// A line of the raw text, or several that are folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RawLine {
    Text {
        number: u64,
        pieces: Vec<Piece>,
        /// Whether the digest has it.
        is_kept: bool,
        /// Bytes of the line that are not shown.
        cut_bytes: u64,
    },
    Fold {
        first: u64,
        last: u64,
        /// The part that is folded is one of the digest: it is only long.
        is_kept: bool,
    },
}

/// A part of a line in one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    /// Names of styles: `f1 g4 bold`.
    pub(super) styles: String,
}

impl Details {
    pub(super) fn load(app: &App, project: usize, reference: &str) -> Result<Self, AppError> {
        match dashboard::explained(app, reference) {
            Ok(data) => Ok(Self::from_explained(&data, project, reference)),
            Err(error) => {
                // A text that is too large to be digested again can be read all the same.
                let entry = dashboard::entry(app, reference)?;
                Ok(Self::from_entry(&entry, project, reference, error.message))
            }
        }
    }

    fn from_explained(data: &Value, project: usize, reference: &str) -> Self {
        let rows = items(&data["rows"]).map(|row| DigestLine {
            text: expand_tabs(row["text"].as_str().unwrap_or_default()),
            why: row["why"].as_str().map(str::to_owned),
        });
        let is_as_delivered = data["is_as_delivered"] == true;
        let explained: Vec<DigestLine> = rows.filter(|_| is_as_delivered).collect();
        let digest = if explained.is_empty() { digest_lines(&data["digest"]) } else { explained };
        let remark = "made anew with other settings or other versions: the marked lines may differ";
        Self {
            project,
            reference: reference.to_owned(),
            digest,
            raw: items(&data["ranges"]).flat_map(range).collect(),
            lines: integer(&data["lines"]),
            digest_tokens: integer(&data["digest_tokens"]),
            raw_tokens: integer(&data["raw_tokens"]),
            is_verbatim: data["is_verbatim"] == true,
            recognizers: items(&data["recognizers"])
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect(),
            remark: (!is_as_delivered).then(|| remark.to_owned()),
        }
    }

    fn from_entry(entry: &Value, project: usize, reference: &str, remark: String) -> Self {
        let lines = integer(&entry["lines"]);
        let fold = RawLine::Fold { first: 1, last: lines, is_kept: false };
        Self {
            project,
            reference: reference.to_owned(),
            digest: digest_lines(&entry["digest"]),
            raw: (lines > 0).then_some(fold).into_iter().collect(),
            lines,
            digest_tokens: forebay_domain::tokens::estimate(
                entry["digest"].as_str().unwrap_or_default(),
            ),
            raw_tokens: forebay_domain::tokens::estimate_bytes(integer(&entry["bytes"])),
            remark: Some(remark),
            ..Self::default()
        }
    }

    /// Puts lines in the place of the fold that begins with the first of them; what is left of it stays folded.
    pub(super) fn unfold(&mut self, unfolded: Unfolded) {
        let Unfolded { first, lines } = unfolded;
        let is_wanted =
            |line: &RawLine| matches!(line, RawLine::Fold { first: at, .. } if *at == first);
        let Some(index) = self.raw.iter().position(is_wanted) else { return };
        let RawLine::Fold { last, is_kept, .. } = self.raw[index] else { return };
        let mut shown: Vec<RawLine> = lines
            .into_iter()
            .filter(|line| line.first() <= last)
            .map(|line| line.kept(is_kept))
            .collect();
        let next = shown.last().map_or(first, |line| line.first() + 1);
        if shown.is_empty() {
            return;
        }
        shown.extend((next <= last).then_some(RawLine::Fold { first: next, last, is_kept }));
        self.raw.splice(index..=index, shown);
    }

    /// `48 of 9,012 lines kept`
    pub(super) fn kept_text(&self) -> String {
        if self.is_verbatim {
            return format!("all of {}", number::counted(self.lines, "line"));
        }
        let kept: u64 = self.raw.iter().map(RawLine::kept_lines).sum();
        format!("{} of {} kept", number::grouped(kept), number::counted(self.lines, "line"))
    }
}

/// Lines of a fold that were read.
#[derive(Debug)]
pub(super) struct Unfolded {
    first: u64,
    lines: Vec<RawLine>,
}

impl Unfolded {
    pub(super) fn load(app: &App, reference: &str, first: u64) -> Result<Self, AppError> {
        let page = dashboard::lines(app, reference, &first.to_string())?;
        Ok(Self {
            first,
            lines: items(&page["lines"]).map(|line| text_line(line, false)).collect(),
        })
    }
}

impl RawLine {
    /// Its number, or that of the first folded one.
    pub(super) const fn first(&self) -> u64 {
        match self {
            Self::Text { number, .. } => *number,
            Self::Fold { first, .. } => *first,
        }
    }

    fn kept(self, is_kept: bool) -> Self {
        match self {
            Self::Text { number, pieces, cut_bytes, .. } => {
                Self::Text { number, pieces, is_kept, cut_bytes }
            }
            fold @ Self::Fold { .. } => fold,
        }
    }

    const fn kept_lines(&self) -> u64 {
        match self {
            Self::Text { is_kept: true, .. } => 1,
            Self::Fold { first, last, is_kept: true } => *last + 1 - *first,
            _ => 0,
        }
    }
}

/// The lines of a range that the digest keeps, or a fold.
fn range(range: &Value) -> Vec<RawLine> {
    let last = integer(&range["last"]);
    let Some(kept) = range["kept"].as_array() else {
        return vec![RawLine::Fold { first: integer(&range["first"]), last, is_kept: false }];
    };
    let mut lines: Vec<RawLine> = kept.iter().map(|line| text_line(line, true)).collect();
    let rest = range["rest"].as_u64();
    lines.extend(rest.map(|first| RawLine::Fold { first, last, is_kept: true }));
    lines
}

fn text_line(line: &Value, is_kept: bool) -> RawLine {
    let pieces = items(&line["text"]).map(|piece| Piece {
        text: expand_tabs(piece[0].as_str().unwrap_or_default()),
        styles: piece[1].as_str().unwrap_or_default().to_owned(),
    });
    RawLine::Text {
        number: integer(&line["n"]),
        pieces: pieces.collect(),
        is_kept,
        cut_bytes: integer(&line["rest"]["bytes"]),
    }
}

fn digest_lines(digest: &Value) -> Vec<DigestLine> {
    let text = digest.as_str().unwrap_or_default();
    text.lines().map(|line| DigestLine { text: expand_tabs(line), why: None }).collect()
}

/// A terminal's cell cannot hold a tab.
fn expand_tabs(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => shown.push_str(&" ".repeat(TAB - shown.chars().count() % TAB)),
            _ => shown.push(c),
        }
    }
    shown
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn integer(number: &Value) -> u64 {
    number.as_u64().unwrap_or_default()
}

#[cfg(test)]
pub(in crate::cli::watch) mod tests {
    use serde_json::json;

    use super::*;

    /// A build with a failure in line 3 of 9.
    pub(in crate::cli::watch) fn sample() -> Details {
        let kept = json!([
            { "n": 3, "from": 0, "text": [["\terror", "f1 bold"], [": no such file", ""]] },
            { "n": 4, "from": 0, "text": [["  at main.c:7", ""]] },
        ]);
        let data = json!({
            "digest": "1 error\n  error: no such file", "is_as_delivered": true, "is_verbatim": false,
            "rows": [{ "text": "1 error", "why": "make" }, { "text": "error: no such file", "why": null }],
            "ranges": [{ "first": 1, "last": 2 }, { "first": 3, "last": 4, "kept": kept, "rest": null },
                { "first": 5, "last": 9 }],
            "lines": 9, "recognizers": ["make"], "raw_tokens": 5_000, "digest_tokens": 12,
        });
        Details::from_explained(&data, 0, "k3v9m2a1xq")
    }

    fn line(number: u64) -> RawLine {
        let pieces = vec![Piece { text: format!("line {number}"), styles: String::new() }];
        RawLine::Text { number, pieces, is_kept: false, cut_bytes: 0 }
    }

    #[test]
    fn what_the_digest_leaves_out_is_folded() {
        let details = sample();
        assert_eq!(details.raw.len(), 4);
        assert_eq!(details.raw[0], RawLine::Fold { first: 1, last: 2, is_kept: false });
        let RawLine::Text { pieces, is_kept: true, .. } = &details.raw[1] else {
            panic!("{details:?}")
        };
        assert_eq!(pieces[0].text, "    error");
        assert_eq!(details.kept_text(), "2 of 9 lines kept");
        assert_eq!(details.digest[0].why.as_deref(), Some("make"));
    }

    #[test]
    fn a_fold_is_unfolded_page_by_page() {
        let mut details = sample();
        details.unfold(Unfolded { first: 5, lines: vec![line(5), line(6)] });
        assert_eq!(details.raw[3..5], [line(5), line(6)]);
        assert_eq!(details.raw[5], RawLine::Fold { first: 7, last: 9, is_kept: false });
        details.unfold(Unfolded { first: 7, lines: (7..20).map(line).collect() });
        assert_eq!(details.raw[5..], [line(7), line(8), line(9)]);
        let before = details.clone();
        details.unfold(Unfolded { first: 5, lines: vec![line(5)] });
        assert_eq!(details, before, "it is unfolded already");
    }

    #[test]
    fn a_text_that_is_too_large_is_one_fold() {
        let entry = json!({ "lines": 7, "bytes": 400, "digest": "a\nb" });
        let details = Details::from_entry(&entry, 0, "k3v9m2a1xq", "too large".to_owned());
        assert_eq!(details.raw, [RawLine::Fold { first: 1, last: 7, is_kept: false }]);
        assert_eq!((details.digest.len(), details.raw_tokens), (2, 100));
    }
}
