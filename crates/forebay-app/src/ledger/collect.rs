//! Collects requests and compactions from the items of a transcript.

use forebay_domain::Timestamp;
use forebay_domain::session::of_subagent;
use forebay_domain::usage::ModelRequest;
use forebay_platforms::transcripts::{Item, Request, Role};
use forebay_store::{ReportedRequest, Reporter, Store};

use crate::{App, AppError};

/// Requests and compactions of one or more sessions.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    requests: Vec<ReportedRequest>,
    compactions: Vec<(String, Timestamp)>,
}

pub(crate) struct Collector<'a> {
    app: &'a App,
    client: &'static str,
    session: String,
    /// Empty until a line names it.
    model: String,
    /// When the answer began whose request is not recorded yet.
    answer_began: Option<Timestamp>,
    collected: Collected,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(app: &'a App, client: &'static str, session: &str) -> Self {
        Self {
            app,
            client,
            session: app.redaction.name(session),
            model: String::new(),
            answer_began: None,
            collected: Collected::default(),
        }
    }

    pub(crate) fn take(&mut self, item: &Item) {
        match item {
            Item::Context { session: Some(session), .. } => {
                let session = self.app.redaction.name(session);
                if session != self.session {
                    self.session = session;
                    self.answer_began = None;
                }
            }
            Item::Model(model) => self.model = self.app.redaction.name(model),
            Item::Request(request) => self.request(request),
            Item::ToolCall(call) => self.answer_part(call.timestamp.as_deref()),
            Item::Message(message) if message.role == Role::Assistant => {
                self.answer_part(message.timestamp.as_deref());
            }
            Item::Message(message) => {
                // The answer before was interrupted: its request is not recorded.
                self.answer_began = None;
                if message.role == Role::Summary && !message.is_sidechain {
                    let at = message.timestamp.as_deref().and_then(timestamp);
                    self.collected.compactions.extend(at.map(|at| (self.session.clone(), at)));
                }
            }
            _ => {}
        }
    }

    fn answer_part(&mut self, recorded: Option<&str>) {
        self.answer_began = self.answer_began.or(recorded.and_then(timestamp));
    }

    /// Without a time, a request has no place among the others.
    ///
    /// One that is recorded after its answer may be recorded after the results of its calls, so the first part of the answer
    /// tells its time.
    fn request(&mut self, request: &Request) {
        let answer_began = self.answer_began.take().filter(|_| request.follows_answer);
        let recorded = request.timestamp.as_deref().and_then(timestamp);
        let Some(recorded) = recorded else { return };
        let created = answer_began.map_or(recorded, |began| began.min(recorded));
        let name = |name: &str| self.app.redaction.name(name);
        let agent = request.agent.as_deref();
        self.collected.requests.push(ReportedRequest {
            session: agent.map_or_else(
                || self.session.clone(),
                |agent| of_subagent(&self.session, &name(agent)),
            ),
            client: self.client.to_owned(),
            reporter: Reporter::Transcript,
            created,
            request: ModelRequest {
                id: name(&request.id),
                model: request.model.as_deref().map_or_else(|| self.model.clone(), name),
                tokens: request.tokens,
            },
        });
    }

    pub(crate) fn finish(&mut self) -> Collected {
        std::mem::take(&mut self.collected)
    }
}

impl Collected {
    /// Stores what was collected; what the store has already is not counted again.
    pub(crate) fn record(mut self, store: &dyn Store) -> Result<(), AppError> {
        self.add_known_models(store)?;
        if !self.requests.is_empty() {
            store.record_requests(&self.requests)?;
        }
        for (session, at) in &self.compactions {
            store.record_compaction(session, *at)?;
        }
        Ok(())
    }

    /// Hosts that name the model once name it in lines that were read before.
    fn add_known_models(&mut self, store: &dyn Store) -> Result<(), AppError> {
        let Some(unnamed) = self.requests.iter().find(|one| one.request.model.is_empty()) else {
            return Ok(());
        };
        let session = unnamed.session.clone();
        let known = store.ledgers(Some(&session), None)?.remove(&session).unwrap_or_default();
        let Some(last) = known.requests.into_iter().max_by_key(|request| request.at) else {
            return Ok(());
        };
        for one in self.requests.iter_mut().take_while(|one| one.request.model.is_empty()) {
            one.request.model.clone_from(&last.model);
        }
        Ok(())
    }
}

/// Parses an RFC 3339 date, or milliseconds since 1970.
pub(crate) fn timestamp(text: &str) -> Option<Timestamp> {
    if let Ok(millis) = text.parse() {
        return Some(Timestamp(millis));
    }
    let timestamp: jiff::Timestamp = text.parse().ok()?;
    Some(Timestamp(timestamp.as_millisecond()))
}
