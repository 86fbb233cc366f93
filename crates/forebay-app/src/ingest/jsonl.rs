//! Indexes JSON lines: one document per line, each a chunk of its own.

use std::io::BufRead;

use forebay_domain::{EntryKind, Timestamp};
use forebay_redact::Redactions;
use forebay_store::{NewChunk, Upload};
use forebay_text::chunk::Chunker;
use forebay_text::{cut, number};
use serde::Deserialize;
use serde_json::json;

use crate::ingest::neighbours::Neighbours;
use crate::ingest::redaction::{self, Redaction};
use crate::{Answer, App, AppError};

/// One line of the file. Unknown fields are ignored.
#[derive(Deserialize)]
struct Document {
    id: serde_json::Value,
    #[serde(default)]
    title: String,
    text: String,
    ts: Option<serde_json::Value>,
}

/// Indexes a file under a source's name, replacing the source's previous content in one transaction.
///
/// `proceed` receives the bytes read so far, and tells whether to go on. If not, or if a line is invalid, nothing
/// changes.
pub fn index(
    app: &App,
    lines: &mut dyn BufRead,
    source: &str,
    proceed: &mut dyn FnMut(u64) -> bool,
) -> Result<Answer, AppError> {
    let store = app.stores.own()?;
    let mut writer = Writer::new(store.upload()?, &app.redaction);
    let (mut documents, mut line, mut read) = (0_u64, 0_u64, 0_u64);
    let mut text = String::new();
    loop {
        text.clear();
        let bytes = lines.read_line(&mut text).map_err(|error| unreadable(documents, &error))?;
        if bytes == 0 {
            break;
        }
        read += bytes as u64;
        line += 1;
        if !text.trim().is_empty() {
            writer.add(parse(&text, line)?)?;
            documents += 1;
        }
        if !proceed(read) {
            return Err(AppError::refused(
                "cancelled; nothing was indexed",
                "a file of documents is indexed as a whole: index it again",
            ));
        }
    }
    let mut new = app.new_entry(EntryKind::Source, source.to_owned());
    source.clone_into(&mut new.source);
    new.digest = number::counted(documents, "document");
    new.has_all_chunks = true;
    new.replaces_source = true;
    writer.neighbours.flush(&mut *writer.upload)?;
    let entry = writer.upload.finish(new)?;
    let text = format!(
        "{} {} indexed from {source}",
        entry.reference,
        number::counted(documents, "document")
    );
    let data = json!({
        "ref": entry.reference.as_str(),
        "source": source,
        "documents": documents,
        "redacted": redaction::counts(&writer.redactions),
    });
    Ok(Answer::new(redaction::with_remark(text, &writer.redactions), data))
}

struct Writer<'store> {
    upload: Box<dyn Upload + 'store>,
    redaction: &'store Redaction,
    redactions: Redactions,
    neighbours: Neighbours,
    offset: u64,
    line: u64,
}

impl<'store> Writer<'store> {
    fn new(upload: Box<dyn Upload + 'store>, redaction: &'store Redaction) -> Self {
        Self {
            upload,
            redaction,
            redactions: Redactions::default(),
            neighbours: Neighbours::default(),
            offset: 0,
            line: 1,
        }
    }

    /// Appends a document and makes it searchable under its id.
    fn add(&mut self, mut document: Document) -> Result<(), AppError> {
        document.title = self.redacted(&document.title);
        let mut body = self.redacted(&document.text);
        if !body.ends_with('\n') {
            body.push('\n');
        }
        self.upload.write(body.as_bytes())?;
        for chunk in self.chunks(&document, &body) {
            self.neighbours.add(chunk, &mut *self.upload)?;
        }
        self.offset += body.len() as u64;
        self.line += body.matches('\n').count() as u64;
        Ok(())
    }

    fn redacted(&mut self, text: &str) -> String {
        let (clean, redactions) = self.redaction.redact(text);
        self.redactions.add(&redactions);
        clean
    }

    fn chunks(&self, document: &Document, body: &str) -> Vec<NewChunk> {
        let key = match &document.id {
            serde_json::Value::String(id) => self.redaction.name(id),
            other => other.to_string(),
        };
        let created = document.ts.as_ref().and_then(timestamp);
        let mut chunks = Vec::new();
        let mut emit = |chunk| {
            let mut chunk =
                crate::ingest::pending::to_chunk(&cut::one_line(&document.title, 200), chunk);
            chunk.key = Some(key.clone());
            chunk.created = created;
            chunks.push(chunk);
        };
        let mut chunker = Chunker::starting_at(self.offset, self.line);
        chunker.push(body.as_bytes(), &mut emit);
        chunker.finish(&mut emit);
        chunks
    }
}

/// Parses an RFC 3339 date, or seconds or milliseconds since 1970; returns None for anything else.
fn timestamp(value: &serde_json::Value) -> Option<Timestamp> {
    const LATEST_SECONDS: f64 = 1e11;
    if let Some(text) = value.as_str() {
        let moment: jiff::Timestamp = text.parse().ok()?;
        return Some(Timestamp(moment.as_millisecond()));
    }
    let number = value.as_f64()?;
    Some(Timestamp(if number.abs() < LATEST_SECONDS { number * 1e3 } else { number } as i64))
}

fn parse(line: &str, number: u64) -> Result<Document, AppError> {
    serde_json::from_str(line).map_err(|error| {
        AppError::bad_input(
            format!("line {number} is not a document: {error}; nothing was indexed"),
            "each line is a JSON object with `id`, `text` and optionally `title` and `ts`",
        )
    })
}

fn unreadable(documents: u64, error: &std::io::Error) -> AppError {
    AppError::bad_input(
        format!(
            "cannot read past {}: {error}; nothing was indexed",
            number::counted(documents, "document")
        ),
        "the file must be UTF-8 text with one JSON object per line",
    )
}
