//! A recorded conversation: the requests to the model, and what entered its context between them.

use std::collections::{HashMap, HashSet};

use forebay_domain::Timestamp;
use forebay_domain::hook::ToolKind;
use forebay_domain::usage::BilledTokens;
use forebay_platforms::Platform;
use forebay_platforms::transcripts::{self, Item, Role, tool_kind};

use crate::AppError;
use crate::ingest::import::find::Transcript;
use crate::ingest::import::read;
use crate::ledger::timestamp;

/// What one agent said, did and read. A subagent has a context, and so a conversation, of its own.
#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) platform: &'static Platform,
    pub(super) cwd: Option<String>,
    pub(super) requests: Vec<Request>,
    pub(super) calls: Vec<PastCall>,
    /// Everything that entered the context, in order.
    pub(super) steps: Vec<Step>,
}

/// A request to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    /// What it was billed for, if the host recorded that.
    pub(super) tokens: Option<BilledTokens>,
    pub(super) at: Option<Timestamp>,
}

/// Something that entered the context.
#[derive(Debug)]
pub(super) struct Step {
    /// The number of requests before it: the index of the first one that read it.
    pub(super) reader: usize,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    /// Words of the user.
    Asked(String),
    /// Words of the model.
    Said(String),
    /// The input of a call, by its index.
    Call(usize),
    /// The result of a call, by the call's index.
    Result(usize),
    /// A summary took the place of everything before.
    Compaction,
}

/// A call of a tool.
#[derive(Debug)]
pub(super) struct PastCall {
    pub(super) id: String,
    pub(super) tool: String,
    pub(super) kind: ToolKind,
    /// Its command, file or query.
    pub(super) input: String,
    pub(super) description: Option<String>,
    /// All texts of its input.
    pub(super) texts: String,
    /// The index of its step.
    pub(super) step: usize,
    pub(super) result: Option<PastResult>,
}

/// What the model was shown of a result.
#[derive(Debug)]
pub(super) struct PastResult {
    pub(super) text: String,
    pub(super) is_error: bool,
    pub(super) step: usize,
}

impl Conversation {
    fn new(platform: &'static Platform) -> Self {
        Self { platform, cwd: None, requests: Vec::new(), calls: Vec::new(), steps: Vec::new() }
    }

    /// The requests that read what entered the context with a step: those until the next compaction.
    pub(super) fn readers(&self, step: usize) -> std::ops::Range<usize> {
        let first = self.steps[step].reader;
        let is_compaction = |step: &&Step| matches!(step.content, Content::Compaction);
        let last = self.steps[step..].iter().find(is_compaction).map(|step| step.reader);
        first..last.unwrap_or(self.requests.len())
    }
}

/// Reads the conversations of a transcript: that of the agent, and those of subagents recorded in the same file.
pub(super) fn read_all(transcript: &Transcript) -> Result<Vec<Conversation>, AppError> {
    let mut builder = Builder::new(transcript.platform);
    let mut items = Vec::new();
    read::lines(transcript, 0, &mut |_, line| {
        if let read::Line::Whole(bytes) | read::Line::Open(bytes) = line {
            // A line that does not parse contains no item.
            let _ = (transcript.format.parse_line)(bytes, &mut items);
        }
        items.drain(..).for_each(|item| builder.take(item));
        true
    })?;
    Ok(builder.finish())
}

/// Assembles conversations from the items of a transcript.
pub(super) struct Builder {
    platform: &'static Platform,
    cwd: Option<String>,
    agents: Vec<(Option<String>, Thread)>,
    /// The index of the agent of the following items.
    current: usize,
}

/// The conversation of one agent while it is read.
struct Thread {
    conversation: Conversation,
    /// The request whose answer is being read.
    open: Option<usize>,
    model: Option<String>,
    request_ids: HashMap<String, usize>,
    message_ids: HashSet<String>,
    /// The calls without a result yet.
    waiting: HashMap<String, usize>,
}

impl Builder {
    pub(super) fn new(platform: &'static Platform) -> Self {
        let main = (None, Thread::new(platform));
        Self { platform, cwd: None, agents: vec![main], current: 0 }
    }

    pub(super) fn take(&mut self, item: Item) {
        match item {
            Item::Context { cwd, .. } => self.cwd = cwd.or(self.cwd.take()),
            Item::Agent(agent) => self.current = self.index_of(agent),
            item => self.agents[self.current].1.take(item),
        }
    }

    fn index_of(&mut self, agent: Option<String>) -> usize {
        let known = self.agents.iter().position(|(known, _)| *known == agent);
        known.unwrap_or_else(|| {
            self.agents.push((agent, Thread::new(self.platform)));
            self.agents.len() - 1
        })
    }

    pub(super) fn finish(self) -> Vec<Conversation> {
        let conversations = self.agents.into_iter().map(|(_, thread)| thread.conversation);
        conversations
            .filter(|conversation| !conversation.steps.is_empty())
            .map(|conversation| Conversation { cwd: self.cwd.clone(), ..conversation })
            .collect()
    }
}

impl Thread {
    fn new(platform: &'static Platform) -> Self {
        Self {
            conversation: Conversation::new(platform),
            open: None,
            model: None,
            request_ids: HashMap::new(),
            message_ids: HashSet::new(),
            waiting: HashMap::new(),
        }
    }

    fn take(&mut self, item: Item) {
        match item {
            Item::Model(model) => self.model = Some(model),
            Item::Request(request) if request.follows_answer => self.complete(request),
            Item::Request(request) => self.begin(request),
            Item::Message(message) => self.message(message),
            Item::ToolCall(call) => self.call(call),
            Item::ToolResult { id, text, is_error, .. } => self.result(&id, text, is_error),
            Item::Context { .. } | Item::Agent(_) => {}
        }
    }

    /// A request whose answer follows. Hosts that record each part of an answer repeat it, at last with all its output.
    fn begin(&mut self, request: transcripts::Request) {
        let known = self.request_ids.get(&request.id).copied();
        let index = known.unwrap_or_else(|| self.add_request());
        self.record(index, request);
        self.open = Some(index);
    }

    /// A request whose answer was recorded before, maybe with results of tools it called between its calls.
    fn complete(&mut self, request: transcripts::Request) {
        if self.request_ids.contains_key(&request.id) {
            return;
        }
        let requests = &self.conversation.requests;
        let first =
            requests.iter().rposition(|known| known.tokens.is_some()).map_or(0, |at| at + 1);
        if first == requests.len() {
            self.add_request();
        }
        self.conversation.requests.truncate(first + 1);
        for step in self.conversation.steps.iter_mut().rev() {
            if step.reader <= first + 1 {
                break;
            }
            step.reader = first + 1;
        }
        self.record(first, request);
        self.open = None;
    }

    fn record(&mut self, index: usize, request: transcripts::Request) {
        let transcripts::Request { id, model, tokens, timestamp: at, .. } = request;
        self.request_ids.insert(id.clone(), index);
        let known = &mut self.conversation.requests[index];
        known.id = Some(id);
        known.model = model.or_else(|| self.model.clone());
        known.tokens = Some(tokens);
        known.at = known.at.or_else(|| at.as_deref().and_then(timestamp));
    }

    fn add_request(&mut self) -> usize {
        let model = self.model.clone();
        self.conversation.requests.push(Request { id: None, model, tokens: None, at: None });
        self.conversation.requests.len() - 1
    }

    /// The request that the model answers with the next item.
    fn answered_request(&mut self) -> usize {
        let index = self.open.unwrap_or_else(|| self.add_request());
        self.open = Some(index);
        index
    }

    fn message(&mut self, message: transcripts::Message) {
        if message.id.is_some_and(|id| !self.message_ids.insert(id)) {
            return;
        }
        match message.role {
            Role::Assistant => {
                self.answered_request();
                self.add(Content::Said(message.text));
            }
            Role::User => {
                self.open = None;
                self.add(Content::Asked(message.text));
            }
            Role::Summary => {
                self.open = None;
                self.add(Content::Compaction);
                self.add(Content::Said(message.text));
            }
        }
    }

    fn call(&mut self, call: transcripts::ToolCall) {
        let transcripts::ToolCall { id, tool, input, description, texts, timestamp: _ } = call;
        if !self.message_ids.insert(format!("call {id}")) {
            return;
        }
        self.answered_request();
        let index = self.conversation.calls.len();
        let step = self.add(Content::Call(index));
        self.waiting.insert(id.clone(), index);
        let kind = tool_kind(self.conversation.platform, &tool);
        let call = PastCall { id, tool, kind, input, description, texts, step, result: None };
        self.conversation.calls.push(call);
    }

    fn result(&mut self, id: &str, text: String, is_error: bool) {
        let Some(index) = self.waiting.remove(id) else { return };
        self.open = None;
        let step = self.add(Content::Result(index));
        self.conversation.calls[index].result = Some(PastResult { text, is_error, step });
    }

    fn add(&mut self, content: Content) -> usize {
        let reader = self.conversation.requests.len();
        self.conversation.steps.push(Step { reader, content });
        self.conversation.steps.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use forebay_platforms::PLATFORMS;
    use forebay_platforms::transcripts::{Message, Request as Recorded, ToolCall};

    use super::*;

    fn call(id: &str) -> Item {
        let [tool, input] = ["Bash", "make"].map(str::to_owned);
        let texts = input.clone();
        let id = id.to_owned();
        Item::ToolCall(ToolCall { id, tool, input, description: None, texts, timestamp: None })
    }

    fn result(id: &str) -> Item {
        let (id, text) = (id.to_owned(), format!("result of {id}"));
        Item::ToolResult { id, text, is_error: false, timestamp: None }
    }

    fn request(id: &str, output: u64, follows_answer: bool) -> Item {
        Item::Request(Recorded {
            id: id.to_owned(),
            model: Some("m".to_owned()),
            tokens: BilledTokens { output, ..BilledTokens::default() },
            timestamp: None,
            agent: None,
            follows_answer,
        })
    }

    fn said(role: Role, text: &str) -> Item {
        let text = text.to_owned();
        Item::Message(Message { role, id: None, text, timestamp: None, is_sidechain: false })
    }

    /// Compares the output tokens of the requests, and the first request that read each result.
    #[track_caller]
    fn check(items: Vec<Item>, outputs: &[Option<u64>], readers: &[usize]) {
        let mut builder = Builder::new(PLATFORMS[0]);
        for item in items {
            builder.take(item);
        }
        let conversation = builder.finish().remove(0);
        let billed = conversation.requests.iter();
        let billed: Vec<Option<u64>> =
            billed.map(|request| request.tokens.map(|tokens| tokens.output)).collect();
        assert_eq!(billed, outputs);
        let results = conversation.calls.iter().filter_map(|call| call.result.as_ref());
        let read: Vec<usize> =
            results.map(|result| conversation.steps[result.step].reader).collect();
        assert_eq!(read, readers);
    }

    #[test]
    fn parts_of_an_answer_are_one_request() {
        let items = vec![
            request("a", 1, false),
            call("1"),
            result("1"),
            request("a", 7, false),
            call("2"),
            result("2"),
            request("b", 5, false),
            said(Role::Assistant, "done"),
        ];
        check(items, &[Some(7), Some(5)], &[1, 1]);
    }

    #[test]
    fn usage_that_follows_belongs_to_the_calls_before() {
        let items = vec![
            call("1"),
            result("1"),
            call("2"),
            result("2"),
            request("r1", 3, true),
            call("3"),
            result("3"),
            request("r2", 4, true),
            said(Role::Assistant, "done"),
            request("r3", 5, true),
        ];
        check(items, &[Some(3), Some(4), Some(5)], &[1, 1, 2]);
    }

    #[test]
    fn usage_that_is_recorded_twice_counts_once() {
        let items = vec![
            call("1"),
            request("total 10", 3, true),
            result("1"),
            request("total 10", 3, true),
            call("2"),
            request("total 20", 4, true),
            result("2"),
        ];
        check(items, &[Some(3), Some(4)], &[1, 2]);
    }

    #[test]
    fn without_usage_an_answer_is_a_request() {
        let items = vec![
            said(Role::User, "hello"),
            said(Role::Assistant, "let me see"),
            call("1"),
            call("2"),
            result("1"),
            result("2"),
            result("2"),
            said(Role::Assistant, "done"),
        ];
        check(items, &[None, None], &[1, 1]);
    }

    #[test]
    fn compaction_ends_the_readers_of_a_result() {
        let mut builder = Builder::new(PLATFORMS[0]);
        let items = vec![
            call("1"),
            result("1"),
            call("2"),
            said(Role::Summary, "so far"),
            call("3"),
            Item::Agent(Some("a".to_owned())),
            call("4"),
            Item::Agent(None),
            call("5"),
        ];
        for item in items {
            builder.take(item);
        }
        let conversations = builder.finish();
        assert_eq!(conversations.len(), 2);
        let main = &conversations[0];
        assert_eq!(main.requests.len(), 3, "two calls of one answer");
        let step = main.calls[0].result.as_ref().unwrap().step;
        assert_eq!(main.readers(step), 1..2);
        assert_eq!(conversations[1].requests.len(), 1);
    }
}
