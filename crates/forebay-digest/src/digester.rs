//! Builds the digest of an output that arrives in chunks.

use std::borrow::Cow;

use forebay_domain::tokens;
use forebay_text::cut;
use forebay_text::number::grouped;
use forebay_text::trees::Model;
use sha2::{Digest as _, Sha256};

use crate::binary::{self, Binary};
use crate::custom::CustomRecognizers;
use crate::lines::{Line, LineReader};
use crate::ranker::{LineRanker, TextKind};
use crate::reducer::{Reduced, Reducer};
use crate::repeats;
use crate::salience::IntentText;
use crate::{Budget, Digest, Hint, OmittedRange};

/// Maximum bytes held of one line; only single-line data is ever this long.
const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;

/// Bytes buffered before a recognizer is chosen.
pub(crate) const START_BYTES: usize = 16 * 1024;

/// Tokens for the line that tells about items.
const ITEMS_TOKENS: u64 = 20;

/// Builds a digest from pushed bytes; chunk boundaries do not affect the result.
#[derive(Debug)]
pub struct Digester {
    bytes: u64,
    state: State,
    /// The first bytes, until they decide between text and binary data.
    start: Vec<u8>,
    reader: LineReader,
    ranker: LineRanker,
    text: TextDigest,
}

#[derive(Debug)]
enum State {
    Undecided,
    Text,
    /// Items that end with NUL; each is read as a line.
    NulList(RawLines),
    Binary(Binary, Sha256),
}

/// Counts the lines of raw bytes.
#[derive(Debug, Default)]
struct RawLines {
    newlines: u64,
    is_open: bool,
}

impl RawLines {
    fn push(&mut self, raw: &[u8]) {
        self.newlines += memchr::memchr_iter(b'\n', raw).count() as u64;
        self.is_open = raw.last().map_or(self.is_open, |last| *last != b'\n');
    }

    fn count(&self) -> u64 {
        self.newlines + u64::from(self.is_open)
    }
}

impl Digester {
    pub fn new(hint: Hint<'_>, intent: Option<&str>, budget: Budget) -> Self {
        let whole = tokens::to_bytes(budget.verbatim.max(budget.digest));
        Self {
            bytes: 0,
            state: State::Undecided,
            start: Vec::new(),
            // Escape sequences can make a raw line several times longer than its visible text.
            reader: LineReader::with_max_bytes(whole.saturating_mul(4).max(MAX_LINE_BYTES)),
            ranker: LineRanker::default(),
            text: TextDigest {
                budget,
                tells_items: false,
                explains: false,
                failed: hint.failed,
                command: hint.command.unwrap_or_default().to_owned(),
                intent: intent
                    .map_or(IntentText::None, |words| IntentText::Stated(words.to_owned())),
                recognizers: hint.recognizers.cloned().unwrap_or_default(),
                state: TextState::Buffered(String::new()),
            },
        }
    }

    /// Gives words that the reader may look for, used if the caller stated no intent. Before the first push.
    ///
    /// They change which unmarked lines are quoted, never what is stated as a fact.
    pub fn infer_intent(&mut self, words: &str) {
        if matches!(self.text.intent, IntentText::None) {
            self.text.intent = IntentText::Inferred(words.to_owned());
        }
    }

    /// Adds to each line of a reduced text why it is shown; the text may then exceed the budget.
    #[must_use]
    pub fn explaining(mut self) -> Self {
        self.text.explains = true;
        self
    }

    /// Ranks the lines of texts of a kind with other trees than the committed ones.
    #[doc(hidden)]
    #[must_use]
    pub fn with_model(self, kind: TextKind, model: &'static Model) -> Self {
        Self { ranker: LineRanker::with_model(kind, model), ..self }
    }

    pub fn push(&mut self, raw: &[u8]) {
        self.bytes += raw.len() as u64;
        match self.state {
            State::Undecided => self.probe(raw),
            State::Text | State::NulList(_) | State::Binary(..) => self.read(raw),
        }
    }

    /// Records that the command failed, which is known only after all of its output.
    pub fn command_failed(&mut self) {
        self.text.failed = true;
        if let TextState::Reducing(reduced) = &mut self.text.state {
            reduced.command_failed();
        }
    }

    pub fn finish(mut self) -> Digest {
        if matches!(self.state, State::Undecided) {
            self.decide();
        }
        self.reader.finish(&mut |line| self.text.push_line(line));
        let (mut lines, mut items) = (self.reader.count(), None);
        let output = match self.state {
            State::Binary(binary, hash) => {
                self.text.placeholder(&binary.describe(self.bytes, &short_hex(hash)), lines)
            }
            State::Undecided | State::Text => self.text.finish(lines, self.ranker),
            State::NulList(raw) => {
                let count = std::mem::replace(&mut lines, raw.count());
                items = Some(count);
                let note = self.text.items_note(count);
                self.text.finish(count, self.ranker).with_all_omitted(lines).with_note(note)
            }
        };
        let Output { text, verbatim, omitted, recognizers } = output;
        Digest { text, verbatim, lines, items, bytes: self.bytes, omitted, recognizers }
    }

    fn probe(&mut self, raw: &[u8]) {
        let missing = raw.len().min(binary::PROBE_BYTES - self.start.len());
        let (start, rest) = raw.split_at(missing);
        self.start.extend_from_slice(start);
        if self.start.len() == binary::PROBE_BYTES {
            self.decide();
            self.read(rest);
        }
    }

    fn decide(&mut self) {
        let start = std::mem::take(&mut self.start);
        self.state = match Binary::recognize(&start) {
            Some(binary) => State::Binary(binary, Sha256::default()),
            None if binary::is_nul_list(&start) => {
                self.text.reserve_items_note();
                State::NulList(RawLines::default())
            }
            None => State::Text,
        };
        self.read(&start);
    }

    fn read(&mut self, raw: &[u8]) {
        let mut items = Cow::Borrowed(raw);
        // Lines of binary data are counted but not read.
        let is_text = match &mut self.state {
            State::Binary(_, hash) => {
                hash.update(raw);
                false
            }
            State::NulList(lines) => {
                lines.push(raw);
                items = Cow::Owned(binary::items_as_lines(raw));
                true
            }
            State::Undecided | State::Text => {
                self.ranker.push(raw);
                true
            }
        };
        self.reader.push(&items, &mut |line| {
            if is_text {
                self.text.push_line(line);
            }
        });
    }
}

/// Returns the first eight hexadecimal digits of a hash.
fn short_hex(hash: Sha256) -> String {
    hash.finalize().iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// Digests the text after terminal noise was removed.
#[derive(Debug)]
struct TextDigest {
    budget: Budget,
    /// A note about items precedes the reduced text.
    tells_items: bool,
    explains: bool,
    failed: bool,
    command: String,
    intent: IntentText,
    recognizers: CustomRecognizers,
    state: TextState,
}

#[derive(Debug)]
enum TextState {
    /// The whole text so far, while it may still be shown verbatim or is needed to choose a
    /// recognizer.
    Buffered(String),
    /// The text is too large and is being reduced.
    Reducing(Box<Reducer>),
}

/// The text of a digest and the lines it omits.
struct Output {
    text: String,
    verbatim: bool,
    omitted: Vec<OmittedRange>,
    recognizers: Vec<&'static str>,
}

impl Output {
    fn whole(text: String) -> Self {
        Self { text, verbatim: true, omitted: Vec::new(), recognizers: Vec::new() }
    }

    /// Marks all raw lines as omitted if the text is reduced and its lines are not the raw ones.
    fn with_all_omitted(self, lines: u64) -> Self {
        let all = OmittedRange { first: 1, last: lines };
        Self { omitted: if self.verbatim { Vec::new() } else { vec![all] }, ..self }
    }

    /// Puts a line before a reduced text.
    fn with_note(self, note: Option<String>) -> Self {
        match note.filter(|_| !self.verbatim) {
            Some(note) => Self { text: format!("{note}\n{}", self.text), ..self },
            None => self,
        }
    }

    fn reduced(Reduced { text, omitted, recognizers }: Reduced) -> Self {
        Self { text, verbatim: false, omitted, recognizers }
    }
}

impl TextDigest {
    fn push_line(&mut self, line: Line<'_>) {
        let limit = self.max_verbatim_bytes().max(START_BYTES);
        match &mut self.state {
            TextState::Buffered(text) if fits(text, line, limit) => line.append_to(text),
            TextState::Buffered(text) => {
                let text = std::mem::take(text);
                let start =
                    if text.is_empty() { cut::prefix(line.text, START_BYTES) } else { &text };
                let mut reduced = self.reducer(start);
                feed(&mut reduced, &text);
                reduced.push_line(line);
                self.state = TextState::Reducing(Box::new(reduced));
            }
            TextState::Reducing(reduced) => reduced.push_line(line),
        }
    }

    /// Leaves space for the note about items, unless the budget is tiny.
    fn reserve_items_note(&mut self) {
        self.tells_items = self.budget.digest >= 3 * ITEMS_TOKENS;
        if self.tells_items {
            self.budget.digest -= ITEMS_TOKENS;
        }
    }

    /// Tells that the numbers of lines in a reduced text are those of items.
    fn items_note(&self, items: u64) -> Option<String> {
        let note = || format!("{} NUL-terminated items, one per line here", grouped(items));
        self.tells_items.then(note)
    }

    /// Returns the maximum size of a text that may be shown verbatim.
    fn max_verbatim_bytes(&self) -> usize {
        tokens::to_bytes(self.budget.verbatim.max(self.budget.digest))
    }

    /// Creates a reducer for a text with this start.
    fn reducer(&self, start: &str) -> Reducer {
        let hint = Hint {
            command: Some(&self.command),
            failed: self.failed,
            recognizers: Some(&self.recognizers),
        };
        let mut reducer = Reducer::new(hint, start, &self.intent, self.budget.digest);
        if self.explains {
            reducer.explain();
        }
        reducer
    }

    fn finish(mut self, lines: u64, ranker: LineRanker) -> Output {
        match std::mem::replace(&mut self.state, TextState::Buffered(String::new())) {
            TextState::Buffered(text) if tokens::estimate(&text) <= self.budget.verbatim => {
                Output::whole(repeats::fold(&text).unwrap_or(text))
            }
            TextState::Buffered(text) => self.smaller_of(text, lines, ranker),
            TextState::Reducing(reduced) => Output::reduced(reduced.finish(lines, ranker)),
        }
    }

    /// Returns the reduced text, or the text itself if reducing it gains nothing.
    fn smaller_of(&self, text: String, lines: u64, ranker: LineRanker) -> Output {
        let mut reducer = self.reducer(&text);
        feed(&mut reducer, &text);
        let reduced = reducer.finish(lines, ranker);
        if tokens::estimate(&text) <= self.budget.digest
            && reduced.text.len() >= text.trim_end().len()
        {
            return Output::whole(text);
        }
        Output::reduced(reduced)
    }

    /// Returns a short text in place of all lines.
    fn placeholder(&self, text: &str, lines: u64) -> Output {
        let text = cut::prefix(text, tokens::to_bytes(self.budget.digest)).to_owned();
        let omitted = vec![OmittedRange { first: 1, last: lines }];
        Output::reduced(Reduced { text, omitted, recognizers: Vec::new() })
    }
}

/// Pushes the lines of a buffered start into the reducer.
pub(crate) fn feed(reducer: &mut Reducer, start: &str) {
    for (number, text) in (1..).zip(start.lines()) {
        reducer.push_line(Line { number, text, cut: 0, has_newline: true });
    }
}

fn fits(text: &str, line: Line<'_>, limit: usize) -> bool {
    line.cut == 0 && text.len() + line.text.len() + usize::from(line.has_newline) <= limit
}
