//! Builds redacted entries from collected turns and results; turns are searchable immediately.

use forebay_domain::{EntryKind, Timestamp};
use forebay_redact::Redactions;
use forebay_store::{Import, NewChunk, NewDetail, NewEntry};
use forebay_text::chunk::Chunker;
use forebay_text::cut;

use super::find::Transcript;
use super::turns::{Capture, Collected, Piece, SourcePosition, Turn};
use crate::App;
use crate::ingest::neighbours::{EACH_SIDE, SHORT_BYTES};
use crate::ingest::pending::to_chunk;

pub(super) struct BuiltEntries {
    pub(super) entries: Vec<Import>,
    pub(super) turns: u64,
    pub(super) captures: u64,
    pub(super) redactions: Redactions,
}

pub(super) fn entries(app: &App, transcript: &Transcript, collected: Collected) -> BuiltEntries {
    let mut maker =
        EntryBuilder { app, host: transcript.platform.id, redactions: Redactions::default() };
    let (turns, captures) = (collected.turns.len() as u64, collected.captures.len() as u64);
    let mut entries: Vec<Import> =
        collected.turns.into_iter().map(|turn| maker.turn(turn)).collect();
    add_neighbour_text(&mut entries);
    entries.extend(collected.captures.into_iter().map(|capture| maker.capture(capture)));
    BuiltEntries { entries, turns, captures, redactions: maker.redactions }
}

struct EntryBuilder<'a> {
    app: &'a App,
    host: &'static str,
    redactions: Redactions,
}

impl EntryBuilder<'_> {
    fn turn(&mut self, turn: Turn) -> Import {
        let title = self.clean(&turn.title);
        let (mut raw, mut chunks, mut line) = (String::new(), Vec::new(), 1);
        for mut piece in turn.pieces {
            piece.id = piece.id.map(|id| self.app.redaction.name(&id));
            let text = format!("{}\n\n", self.clean(&piece.text));
            chunks.extend(chunks_of(&title, &piece, &text, raw.len() as u64, line));
            line += text.matches('\n').count() as u64;
            raw.push_str(&text);
        }
        let mut new = self.new_entry(EntryKind::Turn, title, &turn.place, turn.at);
        new.digest = cut::one_line(&raw, 300);
        new.has_all_chunks = true;
        Import { new, raw: raw.into_bytes(), chunks }
    }

    /// Builds the entry of a result, which is indexed in the background like all output.
    fn capture(&mut self, capture: Capture) -> Import {
        let title = self.clean(&capture.title);
        let text = self.clean(&capture.text);
        let mut new = self.new_entry(EntryKind::Capture, title, &capture.place, capture.at);
        new.source = format!("{}:{}", self.host, self.app.redaction.name(&capture.tool));
        new.digest = cut::one_line(&text, 300);
        Import { new, raw: text.into_bytes(), chunks: Vec::new() }
    }

    fn new_entry(
        &self,
        kind: EntryKind,
        title: String,
        place: &SourcePosition,
        at: Option<Timestamp>,
    ) -> NewEntry {
        NewEntry {
            command: None,
            kind,
            title,
            source: format!("{}:{}", self.host, self.app.redaction.name(&place.session)),
            session: self.app.redaction.name(&place.session),
            client: self.host.to_owned(),
            branch: place.branch.as_deref().map(|branch| self.app.redaction.name(branch)),
            created: at.unwrap_or_else(|| self.app.now()),
            digest: String::new(),
            detail: NewDetail::Plain,
            has_all_chunks: false,
            replaces_source: false,
        }
    }

    fn clean(&mut self, text: &str) -> String {
        let (clean, redactions) = self.app.redaction.redact(text);
        self.redactions.add(&redactions);
        clean
    }
}

fn chunks_of(title: &str, piece: &Piece, text: &str, start: u64, line: u64) -> Vec<NewChunk> {
    let mut chunks = Vec::new();
    let mut emit = |chunk| {
        let mut chunk = to_chunk(title, chunk);
        chunk.key.clone_from(&piece.id);
        chunk.created = piece.at;
        chunks.push(chunk);
    };
    let mut chunker = Chunker::starting_at(start, line);
    chunker.push(text.as_bytes(), &mut emit);
    chunker.finish(&mut emit);
    chunks
}

/// Indexes short pieces with the text before and after them in the same conversation.
fn add_neighbour_text(entries: &mut [Import]) {
    let places: Vec<(usize, usize)> = entries
        .iter()
        .enumerate()
        .flat_map(|(entry, import)| (0..import.chunks.len()).map(move |chunk| (entry, chunk)))
        .collect();
    for (at, &(entry, chunk)) in places.iter().enumerate() {
        if entries[entry].chunks[chunk].bytes > SHORT_BYTES {
            continue;
        }
        let near = at.saturating_sub(EACH_SIDE)..(at + EACH_SIDE + 1).min(places.len());
        let around: Vec<&str> = near
            .filter(|other| *other != at)
            .map(|other| &places[other])
            .filter(|(other, _)| entries[*other].new.session == entries[entry].new.session)
            .map(|(other, chunk)| &entries[*other].chunks[*chunk])
            .filter(|chunk| chunk.bytes <= SHORT_BYTES)
            .map(|chunk| chunk.text.trim())
            .collect();
        entries[entry].chunks[chunk].context = around.join(" ");
    }
}
