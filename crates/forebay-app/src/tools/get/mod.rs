//! `ctx_get`: reads a stored entry, whole or in part, page by page.

mod grep;
mod json;
mod pages;

use forebay_domain::{Entry, EntryKind, Reference, Stream};
use forebay_text::line_range::{BadLineRange, LineRanges};
use forebay_text::number;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Effect, Tool};
use crate::input;
use crate::next_call::NextCall;
use crate::render::{describe, outside};
use crate::stores::line_reader::Position;
use crate::stores::registry::SharedStore;
use crate::{Answer, App, AppError, Call};

pub struct Get;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[serde(alias = "reference")]
    pub r#ref: String,
    /// e.g. 640-700,900-, -50 (last 50)
    pub lines: Option<String>,
    /// Regex for matching lines
    pub grep: Option<String>,
    /// Lines around matches
    pub context: Option<u64>,
    /// JSON pointer, e.g. /items/0
    pub json: Option<String>,
    /// stdout or stderr only
    pub stream: Option<String>,
    /// From the previous page
    pub cursor: Option<String>,
    pub budget: Option<u64>,
    /// all: other projects too
    pub scope: Option<String>,
}

impl Tool for Get {
    const NAME: &'static str = "ctx_get";
    const DESCRIPTION: &'static str =
        "Read a stored entry by reference: whole, lines, grep or JSON pointer; paged by budget.";
    const EFFECT: Effect = Effect::ReadOnly;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        let request = Request::parse(app, &input)?;
        let page = match (&input.grep, &input.json) {
            (Some(pattern), None) => grep::matching_lines(&request, pattern)?,
            (None, Some(pointer)) => json::value_at(&request, pointer)?,
            (None, None) => pages::text(&request)?,
            (Some(_), Some(_)) => return Err(cannot_combine("grep and json")),
        };
        Ok(answer(app, &request, page))
    }
}

/// Passes the stored bytes of an entry, or of the lines that match `grep`, to `consume` until it returns false.
pub fn raw(
    app: &App,
    input: &Input,
    consume: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<(), AppError> {
    let request = Request::parse(app, input)?;
    match &input.grep {
        Some(pattern) => grep::raw_lines(&request, pattern, consume),
        None => Ok(request.store.read(request.entry.reference, 0, consume)?),
    }
}

/// A validated request for one entry.
struct Request {
    store: SharedStore,
    entry: Entry,
    ranges: Option<LineRanges>,
    /// Lines to show around each match.
    context: u64,
    stream: Option<Stream>,
    from: Option<Position>,
    budget: u64,
    /// The arguments that select a part, as the caller wrote them.
    selectors: Vec<(&'static str, String)>,
}

/// A page of text with its description and the position of the next page.
struct Page {
    /// `lines 641-700 of 9,012`
    about: String,
    text: String,
    /// The start of the next page.
    next: Option<Position>,
}

impl Request {
    fn parse(app: &App, input: &Input) -> Result<Self, AppError> {
        let reference = Reference::parse(&input.r#ref)?;
        let scope = input::scope(input.scope.as_deref())?;
        let (store, entry) = app.stores.locate(reference, scope)?;
        Ok(Self {
            ranges: input.lines.as_deref().map(parse_ranges).transpose()?,
            context: input.context.unwrap_or(0).min(MAX_CONTEXT),
            stream: input.stream.as_deref().map(parse_stream).transpose()?,
            from: input.cursor.as_deref().map(parse_cursor).transpose()?,
            budget: input::budget(input.budget, app.settings.get.budget)?,
            selectors: selectors(input),
            store,
            entry,
        })
    }

    /// Returns the call that fetches the next page.
    fn call_for(&self, next: Position) -> String {
        let call = NextCall::new("ctx_get").on(self.entry.reference.as_str());
        let select =
            |call: NextCall, (field, value): &(&'static str, String)| call.with(field, value);
        let call =
            self.selectors.iter().fold(call, select).with("cursor", cursor(next)).to_string();
        if call.len() > MAX_CALL_BYTES {
            return format!("the same call with cursor={}", cursor(next));
        }
        call
    }
}

/// Longer calls are not repeated in the answer.
const MAX_CALL_BYTES: usize = 110;

fn selectors(input: &Input) -> Vec<(&'static str, String)> {
    let arguments = [
        ("lines", &input.lines),
        ("stream", &input.stream),
        ("grep", &input.grep),
        ("context", &input.context.map(|lines| lines.to_string())),
        ("json", &input.json),
    ];
    arguments.into_iter().filter_map(|(field, value)| Some((field, value.clone()?))).collect()
}

fn answer(app: &App, request: &Request, page: Page) -> Answer {
    let entry = &request.entry;
    let mut text = head(entry, &page.about);
    if !page.text.is_empty() {
        text.push('\n');
        text.push_str(&outside::marked(&page.text));
    }
    let more = page.next.map(|next| request.call_for(next));
    if let Some(more) = &more {
        text.push_str(&format!("\nmore: {more}"));
    }
    let data = json!({
        "ref": entry.reference.as_str(),
        "kind": entry.kind.as_str(),
        "what": describe::what(entry),
        "title": entry.title,
        "source": entry.source,
        "created": entry.created.0,
        "age": describe::age(entry.created, app.now()),
        "author": entry.note().map(|note| note.author.as_str()),
        "conflicts_with": entry.conflicts.map(|other| other.as_str().to_owned()),
        "lines": entry.lines,
        "bytes": entry.bytes,
        "shown": page.about,
        "text": page.text,
        "more": more,
    });
    Answer::new(text, data).about(entry.reference)
}

fn head(entry: &Entry, about: &str) -> String {
    let mut head = format!("{} {} · {about}", entry.reference, describe::what(entry));
    if let Some(newer) = entry.note().and_then(|note| note.superseded_by) {
        head.push_str(&format!(" · replaced by {newer}"));
    }
    if let Some(note) = entry.note() {
        let by = (!note.author.is_empty()).then(|| format!(" · by {}", note.author));
        let marks = [(note.pinned, " · pinned"), (note.personal, " · personal")];
        head.extend(by);
        head.extend(marks.iter().filter(|(holds, _)| *holds).map(|(_, mark)| *mark));
    }
    if let Some(other) = entry.conflicts {
        head.push_str(&format!(" · conflicts with {other}"));
    }
    if entry.kind == EntryKind::Page {
        head.push_str(&format!(" · {}", describe::EXTERNAL_CONTENT));
    }
    head
}

/// More context is better read as a range.
const MAX_CONTEXT: u64 = 50;
/// Tokens reserved for the lines around a page.
const FRAME_TOKENS: u64 = 40;

impl Request {
    /// Returns the maximum bytes of text on one page.
    fn page_bytes(&self) -> usize {
        forebay_domain::tokens::to_bytes(self.budget.saturating_sub(FRAME_TOKENS)).max(40)
    }

    fn of_lines(&self) -> String {
        format!("of {}", number::grouped(self.entry.lines))
    }
}

fn parse_ranges(text: &str) -> Result<LineRanges, AppError> {
    text.parse().map_err(|error: BadLineRange| {
        AppError::bad_input(
            error.to_string(),
            "the first line of a run's answer has the line count",
        )
    })
}

fn parse_stream(word: &str) -> Result<Stream, AppError> {
    match word {
        "stdout" => Ok(Stream::Stdout),
        "stderr" => Ok(Stream::Stderr),
        _ => Err(input::one_of("stream", word, ["stdout", "stderr"])),
    }
}

/// Parses `641`, or `641+4000` for an offset within a long line.
fn parse_cursor(text: &str) -> Result<Position, AppError> {
    let (line, offset) = text.split_once('+').unwrap_or((text, "0"));
    match (line.trim().parse(), offset.trim().parse()) {
        (Ok(line @ 1..), Ok(offset)) => Ok(Position { line, offset }),
        _ => Err(AppError::bad_input(
            format!("`{}` is not a cursor", text.chars().take(40).collect::<String>()),
            "copy it from the last line of the previous page",
        )),
    }
}

fn cursor(at: Position) -> String {
    match at.offset {
        0 => at.line.to_string(),
        offset => format!("{}+{offset}", at.line),
    }
}

fn cannot_combine(selectors: &str) -> AppError {
    AppError::bad_input(
        format!("cannot combine {selectors}"),
        "use one of lines, grep, json per call",
    )
}
