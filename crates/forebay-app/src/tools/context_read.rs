//! `context_read`: shows a file, or says that the lines were delivered before and are unchanged.

use forebay_domain::tokens;
use forebay_text::line_range::LineRange;
use forebay_text::{cut, number};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Effect, Tool};
use crate::edit::source_file::{self, Access, ProjectPath, SourceFile, locate};
use crate::edit::working_set::{FileUpdate, SessionFiles, Version};
use crate::next_call::NextCall;
use crate::{Answer, App, AppError, Call, Capability};

pub struct ContextRead;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub path: String,
    pub lines: Option<String>,
    pub fresh: Option<bool>,
}

impl Tool for ContextRead {
    const NAME: &'static str = "context_read";
    const DESCRIPTION: &'static str =
        "Read a file, or lines of it; unchanged text is not repeated.";
    const EFFECT: Effect = Effect::ReadOnly;
    const CAPABILITY: Capability = Capability::Files;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        let location = locate(app, &input.path, Access::Read, call)?;
        let file = SourceFile::read(&location)?;
        let range = requested_lines(input.lines.as_deref(), &location, &file)?;
        let at_work = SessionFiles::new(app)?;
        let version = at_work.version(app, &location, &file)?;
        let is_repeat = !input.fresh.unwrap_or(false)
            && at_work.has_delivered(&location, &file, range)
            && tokens::estimate(lines_of(file.text(), range)) > MIN_OMITTED_TOKENS;
        let page = (!is_repeat).then(|| Page::new(file.text(), range, app.settings.files.read));
        let happened = FileUpdate {
            delivered: page.as_ref().filter(|page| page.is_whole_lines).map(|page| page.lines),
            version: Some(version.clone()),
            ..FileUpdate::default()
        };
        at_work.make_active(&location, &file, happened)?;
        let read = Read { location, file, version, range };
        Ok(match page {
            Some(page) => read.delivered(&page),
            None => read.unchanged(),
        })
    }
}

/// Returns the requested lines, by default all.
fn requested_lines(
    lines: Option<&str>,
    location: &ProjectPath,
    file: &SourceFile,
) -> Result<(u64, u64), AppError> {
    let total = file.lines();
    let Some(lines) = lines else { return Ok((1, total)) };
    let range: LineRange = lines.parse().map_err(|error| {
        let error: forebay_text::line_range::BadLineRange = error;
        AppError::bad_input(error.to_string(), "for example: lines=640-700")
    })?;
    range.within(total).ok_or_else(|| {
        AppError::bad_input(
            format!("{} has {}", location.shown, number::counted(total, "line")),
            "give lines within this range",
        )
    })
}

/// A repeat of fewer tokens costs less than saying that the text is unchanged.
const MIN_OMITTED_TOKENS: u64 = 60;

/// Returns these lines of a text.
fn lines_of(text: &str, (first, last): (u64, u64)) -> &str {
    let end_of = |count: u64| {
        let lines = text.split_inclusive('\n').take(count as usize);
        lines.map(str::len).sum::<usize>()
    };
    let start = end_of(first.saturating_sub(1));
    &text[start..end_of(last).max(start)]
}

/// The part of a text that fits within the budget.
struct Page {
    text: String,
    lines: (u64, u64),
    /// False if even the first line is cut.
    is_whole_lines: bool,
}

/// Tokens reserved for the lines above the text.
const FRAME_TOKENS: u64 = 150;

impl Page {
    fn new(text: &str, (first, last): (u64, u64), budget: u64) -> Self {
        let room = tokens::to_bytes(budget.saturating_sub(FRAME_TOKENS));
        let skipped = first.saturating_sub(1) as usize;
        let mut page = Self { text: String::new(), lines: (first, last), is_whole_lines: true };
        let lines = text.split_inclusive('\n').skip(skipped).take((last + 1 - first) as usize);
        for (number, line) in (first..).zip(lines) {
            if page.text.len() + line.len() <= room {
                page.text.push_str(line);
                continue;
            }
            if page.text.is_empty() {
                page.text.push_str(cut::prefix(line, room));
                page.lines = (number, number);
                page.is_whole_lines = false;
            } else {
                page.lines = (first, number - 1);
            }
            break;
        }
        page
    }
}

/// A file that was read.
struct Read {
    location: ProjectPath,
    file: SourceFile,
    version: Version,
    range: (u64, u64),
}

impl Read {
    fn delivered(self, page: &Page) -> Answer {
        let mut lines = vec![format!("{} · {}", self.head(page.lines), self.facts())];
        lines.extend(self.more(page));
        let head = lines.join("\n");
        let answer = format!("{head}\n\n{}", page.text);
        Answer::new(
            answer.trim_end_matches('\n').to_owned(),
            self.data(page.lines, Some(&page.text)),
        )
        .instead_of(page.text.len() as u64)
    }

    fn unchanged(self) -> Answer {
        let (head, facts) = (self.head(self.range), self.facts());
        let text = format!("{head} · unchanged since you read it · {facts}\nfresh=true repeats it");
        let omitted = lines_of(self.file.text(), self.range).len() as u64;
        Answer::new(text, self.data(self.range, None)).instead_of(omitted)
    }

    /// `src/pool.rs lines 1-40 of 143`
    fn head(&self, (first, last): (u64, u64)) -> String {
        let total = self.file.lines();
        if (first, last) == (1, total) {
            return format!("{} {}", self.location.shown, number::counted(total, "line"));
        }
        let lines = source_file::line_range(first as usize, last as usize);
        format!("{} {lines} of {}", self.location.shown, number::grouped(total))
    }

    /// `1,050 tokens · hash 1f2e3d4c · [ctx:k3v9m2a1xq]`
    fn facts(&self) -> String {
        let size = number::counted(tokens::estimate(self.file.text()), "token");
        let form = self.file.source.format.remark();
        let hash = format!("hash {}", source_file::short(&self.file.hash));
        let parts = [Some(size), form, Some(hash), Some(self.version.reference.to_string())];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }

    fn more(&self, page: &Page) -> Option<String> {
        if !page.is_whole_lines {
            let reference = self.version.reference.as_str();
            let full = NextCall::new("ctx_get").on(reference);
            return Some(format!("line {} is cut; full: {full}", page.lines.0));
        }
        let next = page.lines.1 + 1;
        (page.lines.1 < self.range.1).then(|| {
            let lines = format!("{next}-{}", self.range.1);
            let rest =
                NextCall::new("context_read").on(self.location.shown.as_str()).with("lines", lines);
            format!("more: {rest}")
        })
    }

    fn data(&self, lines: (u64, u64), text: Option<&str>) -> serde_json::Value {
        json!({
            "path": self.location.shown,
            "lines": [lines.0, lines.1],
            "of": self.file.lines(),
            "tokens": tokens::estimate(self.file.text()),
            "hash": source_file::short(&self.file.hash),
            "ref": self.version.reference.as_str(),
            "unchanged": text.is_none(),
            "text": text,
        })
    }
}
