//! An entry: what is known of it, and its text line by line.

use forebay_domain::{Entry, Reference, Scope};
use forebay_store::Store;
use serde_json::{Value, json};

use super::styled::{self, Style};
use super::{image, json_tree, memory, shown, skeleton};
use crate::render::describe;
use crate::stores::line_reader::{self, Line, Position};
use crate::stores::registry::SharedStore;
use crate::{App, AppError};

/// Lines and bytes of a page.
const PAGE_LINES: usize = 300;
const PAGE_BYTES: usize = 128 * 1024;
/// Bytes of a line that a page shows, and of a page that goes on within a line.
const LINE_BYTES: usize = 4 * 1024;
const REST_BYTES: usize = 32 * 1024;

/// Finds an entry of this project or of the user.
pub(super) fn find(app: &App, reference: &str) -> Result<(SharedStore, Entry), AppError> {
    app.stores.locate(Reference::parse(reference)?, Scope::Project)
}

/// Returns what is known of an entry.
pub fn entry(app: &App, reference: &str) -> Result<Value, AppError> {
    let (store, entry) = find(app, reference)?;
    let mut data = summary(app, &entry);
    data["digest"] = json!(forebay_digest::displayed(entry.digest.as_bytes()));
    data["is_json"] = json!(json_tree::is_json(&*store, &entry)?);
    data["image"] = image::facts(&*store, &entry)?;
    data["language"] = json!(skeleton::language_name(&entry));
    if let Some(run) = entry.run() {
        data["run"] =
            json!({ "ending": run.ending.to_string(), "succeeded": run.ending.is_success() });
    }
    if entry.note().is_some() {
        data["note"] = memory::note(app, &*store, &entry)?;
    }
    Ok(shown::data(data))
}

/// Returns what a list shows of an entry.
pub(super) fn summary(app: &App, entry: &Entry) -> Value {
    json!({
        "ref": entry.reference.as_str(),
        "kind": entry.kind.as_str(),
        "what": describe::what(entry),
        "title": entry.title,
        "source": entry.source,
        "session": entry.session,
        "branch": entry.branch,
        "created": entry.created.0,
        "age": describe::age(entry.created, app.now()),
        "lines": entry.lines,
        "bytes": entry.bytes,
    })
}

/// Returns a page of an entry's lines, from `641`, or from within a line: `641+4000`.
pub fn lines(app: &App, reference: &str, from: &str) -> Result<Value, AppError> {
    let (store, entry) = find(app, reference)?;
    let from = position(from)?;
    let page = read(&*store, entry.reference, from, (PAGE_LINES, entry.lines))?;
    // Styled text is visible already, and a page of it longer than other texts may be.
    Ok(json!({ "lines": page.lines, "total": entry.lines, "next": page.next.map(cursor) }))
}

/// Lines as data, and where they go on.
pub(super) struct LinePage {
    pub(super) lines: Vec<Value>,
    pub(super) next: Option<Position>,
}

/// Reads at most `max` lines up to line `last`; a long line is cut, and what follows it is found by the index.
pub(super) fn read(
    store: &dyn Store,
    reference: Reference,
    from: Position,
    (max, last): (usize, u64),
) -> Result<LinePage, AppError> {
    let mut page = PageBuilder { lines: Vec::new(), style: Style::default(), bytes: 0, cut: None };
    let mut at = from;
    while at.line <= last && page.lines.len() < max && page.bytes < PAGE_BYTES {
        let before = page.lines.len();
        line_reader::lines(store, reference, at, &mut |line| {
            line.number <= last
                && page.lines.len() < max
                && page.bytes < PAGE_BYTES
                && page.add(&line)
        })?;
        if page.lines.len() == before {
            break;
        }
        at = Position { line: at.line + (page.lines.len() - before) as u64, offset: 0 };
        if let Some(cut) = page.cut.take() {
            page.finish_cut_line(store, reference, cut)?;
        }
    }
    let next = (at.line <= last && !page.lines.is_empty()).then_some(at);
    Ok(LinePage { lines: page.lines, next })
}

struct PageBuilder {
    lines: Vec<Value>,
    style: Style,
    bytes: usize,
    /// Where the last line was cut.
    cut: Option<Position>,
}

impl PageBuilder {
    /// Adds a line or its start; false if the rest of it is to be skipped.
    fn add(&mut self, line: &Line<'_>) -> bool {
        let max = if line.offset == 0 { LINE_BYTES } else { REST_BYTES };
        let mut end = line.bytes.len().min(max);
        while end > 1 && line.bytes.get(end).is_some_and(|byte| byte & 0xC0 == 0x80) {
            end -= 1;
        }
        let pieces = styled::pieces(&line.bytes[..end], &mut self.style);
        self.lines.push(json!({ "n": line.number, "from": line.offset, "text": pieces }));
        self.bytes += end;
        // A piece that is as long as pieces get is not the whole line either.
        let is_whole = end == line.bytes.len() && end < line_reader::MAX_PIECE_BYTES;
        if !is_whole {
            self.cut = Some(Position { line: line.number, offset: line.offset + end as u64 });
        }
        is_whole
    }

    /// Tells how much of a line is left out, without reading it.
    fn finish_cut_line(
        &mut self,
        store: &dyn Store,
        reference: Reference,
        cut: Position,
    ) -> Result<(), AppError> {
        let start = store.line_start(reference, cut.line)?;
        let end = store.line_start(reference, cut.line + 1)?;
        let left = end.saturating_sub(start + cut.offset);
        if let Some(last) = self.lines.last_mut().filter(|_| left > 1) {
            last["rest"] = json!({ "from": cursor(cut), "bytes": left });
        }
        Ok(())
    }
}

fn position(text: &str) -> Result<Position, AppError> {
    let (line, offset) = text.split_once('+').unwrap_or((text, "0"));
    match (line.parse(), offset.parse()) {
        (Ok(line @ 1..), Ok(offset)) => Ok(Position { line, offset }),
        _ => Err(AppError::bad_input(
            "no such position",
            "give a line, or a line and an offset: 641+4000",
        )),
    }
}

fn cursor(at: Position) -> String {
    match at.offset {
        0 => at.line.to_string(),
        offset => format!("{}+{offset}", at.line),
    }
}
