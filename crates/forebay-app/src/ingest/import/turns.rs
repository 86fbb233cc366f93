//! Assembles turns from transcript lines: a turn is a prompt and everything up to the next one.

use std::collections::{HashMap, HashSet, VecDeque};

use forebay_domain::Timestamp;
use forebay_platforms::transcripts::{Item, Message, Role};
use forebay_text::{cut, number};

use super::find::Transcript;
use crate::ledger::timestamp;

/// Longer results become entries of their own instead of part of their turn.
const MAX_INLINE_RESULT_BYTES: usize = 400;
/// Ids remembered to detect duplicates: hosts repeat lines they wrote shortly before.
const MAX_RECENT: usize = 512;

/// Where and when something happened.
#[derive(Debug, Clone, Default)]
pub(super) struct SourcePosition {
    pub(super) session: String,
    pub(super) branch: Option<String>,
}

/// A prompt with its answer, or part of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Turn {
    pub(super) place: SourcePosition,
    pub(super) title: String,
    pub(super) at: Option<Timestamp>,
    pub(super) pieces: Vec<Piece>,
}

/// One message of a turn.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) id: Option<String>,
    pub(super) at: Option<Timestamp>,
}

/// A result that becomes an entry of its own.
#[derive(Debug, Clone)]
pub(super) struct Capture {
    pub(super) place: SourcePosition,
    pub(super) tool: String,
    pub(super) title: String,
    pub(super) text: String,
    pub(super) at: Option<Timestamp>,
}

/// What was collected for a batch.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) turns: Vec<Turn>,
    pub(super) captures: Vec<Capture>,
}

pub(super) struct Collector {
    place: SourcePosition,
    turn: Turn,
    collected: Collected,
    /// Tool and input of calls without a result yet.
    calls: HashMap<String, (String, String)>,
    seen: RecentIds,
    bytes: usize,
}

impl Collector {
    pub(super) fn new(transcript: &Transcript) -> Self {
        let name = transcript.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let session = transcript.session.clone().unwrap_or(name);
        Self {
            place: SourcePosition { session, branch: None },
            turn: Turn::default(),
            collected: Collected::default(),
            calls: HashMap::new(),
            seen: RecentIds::default(),
            bytes: 0,
        }
    }

    /// The session of what comes next.
    pub(super) fn session(&self) -> &str {
        &self.place.session
    }

    /// Returns the collected bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn take(&mut self, item: Item) {
        match item {
            Item::Context { session, branch, .. } => {
                self.place.session = session.unwrap_or(std::mem::take(&mut self.place.session));
                self.place.branch = branch.or_else(|| self.place.branch.take());
            }
            Item::Message(message) => self.message(message),
            Item::ToolCall(call) => self.tool_call(call.id, call.tool, call.input),
            Item::ToolResult { id, text, timestamp, is_error } => {
                self.tool_result(&id, text, timestamp, is_error);
            }
            Item::Agent(_) | Item::Model(_) | Item::Request(_) => {}
        }
    }

    /// Returns what was collected, including an unfinished turn.
    pub(super) fn finish(&mut self) -> Collected {
        self.close_turn();
        self.bytes = 0;
        std::mem::take(&mut self.collected)
    }

    fn message(&mut self, message: Message) {
        let is_repeated = message.id.as_ref().is_some_and(|id| !self.seen.is_new(id));
        if is_repeated || message.text.trim().is_empty() {
            return;
        }
        let at = message.timestamp.as_deref().and_then(timestamp);
        if message.role != Role::Assistant && !message.is_sidechain {
            self.close_turn();
        }
        if self.turn.pieces.is_empty() {
            self.turn.title = cut::one_line(&message.text, 200);
            self.turn.at = at;
        }
        let suffix = if message.is_sidechain { " (subagent)" } else { "" };
        let text = format!("{}{suffix}: {}", message.role.as_str(), message.text.trim());
        self.add(Piece { text, id: message.id, at });
    }

    fn tool_call(&mut self, call: String, tool: String, input: String) {
        if self.seen.is_new(&format!("call {call}")) {
            self.calls.insert(call, (tool, input));
        }
    }

    /// Ignores a result without a call, and a repeated one.
    fn tool_result(&mut self, call: &str, text: String, at: Option<String>, failed: bool) {
        let Some((tool, input)) = self.calls.remove(call) else { return };
        // An answer of Forebay repeats what is stored; a search must find the original.
        if crate::own_calls::is_own_tool(&tool) || crate::own_calls::is_own_command(&input) {
            return;
        }
        let at = at.as_deref().and_then(timestamp);
        let title = if input.is_empty() {
            tool.clone()
        } else {
            format!("{tool}: {}", cut::one_line(&input, 180))
        };
        let failure = if failed { " (failed)" } else { "" };
        let shown = if text.len() <= MAX_INLINE_RESULT_BYTES {
            text.trim().to_owned()
        } else {
            let lines = number::counted(text.lines().count() as u64, "line");
            format!("({lines}, a separate entry)")
        };
        self.add(Piece { text: format!("{title}{failure}\n{shown}"), id: None, at });
        if text.len() > MAX_INLINE_RESULT_BYTES {
            self.bytes += text.len();
            let place = self.place.clone();
            self.collected.captures.push(Capture { place, tool, title, text, at });
        }
    }

    fn add(&mut self, piece: Piece) {
        self.bytes += piece.text.len();
        if self.turn.title.is_empty() {
            self.turn.title = cut::one_line(&piece.text, 200);
            self.turn.at = piece.at;
        }
        self.turn.pieces.push(piece);
    }

    fn close_turn(&mut self) {
        let mut turn = std::mem::take(&mut self.turn);
        if !turn.pieces.is_empty() {
            turn.place = self.place.clone();
            self.collected.turns.push(turn);
        }
    }
}

/// A bounded set of recent ids.
#[derive(Default)]
struct RecentIds {
    order: VecDeque<String>,
    names: HashSet<String>,
}

impl RecentIds {
    fn is_new(&mut self, name: &str) -> bool {
        if !self.names.insert(name.to_owned()) {
            return false;
        }
        self.order.push_back(name.to_owned());
        if self.order.len() > MAX_RECENT
            && let Some(old) = self.order.pop_front()
        {
            self.names.remove(&old);
        }
        true
    }
}
