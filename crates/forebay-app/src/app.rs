//! The application: where it stands, what it may use, and the one way in for every door.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use forebay_digest::Hint;
use forebay_domain::usage::{self, Answered};
use forebay_domain::{Entry, Timestamp, tokens};
use forebay_sandbox::ReexecCommand;
use forebay_store::{Home, NewDetail, NewEntry, Project};
use forebay_text::cut;
use serde_json::Value;

use crate::agents::Machine;
use crate::capabilities::{Power, Powers};
use crate::ingest::redaction::Redaction;
use crate::rules::Permissions;
use crate::run::jobs::Jobs;
use crate::search::embedder::{self, Embedder};
use crate::stores::backend::Stores;
use crate::stores::registry::Places;
use crate::tools::{self, ToolRow};
use crate::{Answer, AppError, Call, Settings};

/// A server that is killed takes what the ledger lacks with it, so that is not left to grow.
const MOST_UNRECORDED: usize = 64;

/// Steps in which older passages are brought up to date, each time somebody has answered: some 1,000 of them.
const RENEWED_STEPS: usize = 10;

/// Bytes of an author's name.
const LONGEST_AUTHOR: usize = 64;

/// What a command makes searchable before it ends: about a tenth of a second.
const BYTES_WAITED_FOR: u64 = 512 * 1024;

/// Everything a door knows before the first call.
pub struct Setup {
    pub home: Home,
    /// The folder the caller works in.
    pub cwd: PathBuf,
    /// The project of that folder, if it is in one.
    pub project: Option<Project>,
    /// The user's home folder, which is never a project.
    pub user_home: Option<PathBuf>,
    pub settings: Settings,
    /// The environment: values of variables that are named like secrets are never stored.
    pub environment: Vec<(String, String)>,
    /// The conversation, as its host names it.
    pub session: String,
    /// Who is calling: `cli`, or the name an MCP client gives itself.
    pub client: String,
    pub clock: fn() -> Timestamp,
    /// How a keeper of background jobs is started; without it there are none.
    pub keeper: Option<ReexecCommand>,
}

/// Forebay, ready to answer.
///
/// Its parts are shared with those who are answered beside this caller: see [`App::on_behalf_of`].
#[derive(Clone)]
pub struct App {
    pub settings: Arc<Settings>,
    pub session: String,
    pub client: String,
    pub cwd: PathBuf,
    pub(crate) user_home: Option<PathBuf>,
    /// Who writes notes here, unless a member of a team does.
    author: String,
    is_shared: bool,
    pub(crate) places: Arc<Places>,
    pub(crate) redaction: Arc<Redaction>,
    /// A server's model, where the user named one.
    pub(crate) embedder: Option<Arc<Embedder>>,
    pub(crate) permissions: Arc<Permissions>,
    pub(crate) jobs: Arc<Jobs>,
    /// Where agents keep their settings; unknown for a user without a home.
    pub machine: Option<Arc<Machine>>,
    powers: Powers,
    clock: fn() -> Timestamp,
    /// Whether there is a context that many answers would fill.
    is_conversation: bool,
    notices_told: Arc<AtomicBool>,
    /// Answers that the ledger does not have yet.
    unrecorded: Arc<Mutex<Vec<(Answered, Timestamp)>>>,
}

impl App {
    /// No file is opened or made before something is asked.
    pub fn new(setup: Setup) -> Self {
        let author = author(&setup);
        let stores = Stores::of(&setup.home, &setup.settings, &author);
        let machine = Machine::of(&setup).map(Arc::new);
        let (redaction, embedder) = outgoing(&setup.settings, setup.environment);
        Self {
            author,
            is_shared: false,
            machine,
            redaction,
            embedder,
            is_conversation: setup.client != "cli",
            settings: Arc::new(setup.settings),
            session: setup.session,
            client: setup.client,
            cwd: setup.cwd,
            user_home: setup.user_home,
            places: Arc::new(Places::new(setup.home, stores, setup.project)),
            permissions: Arc::default(),
            jobs: Arc::new(Jobs::new(setup.keeper)),
            powers: Powers::ALL,
            clock: setup.clock,
            notices_told: Arc::default(),
            unrecorded: Arc::default(),
        }
    }

    /// The same for another caller, in a conversation of its own: stores and caches are shared.
    ///
    /// Who names no session has no context that many answers would fill.
    #[must_use]
    pub fn on_behalf_of(&self, client: &str, session: Option<&str>) -> Self {
        Self {
            client: client.to_owned(),
            session: session.unwrap_or(client).to_owned(),
            is_conversation: session.is_some(),
            ..self.clone()
        }
    }

    /// The same with no more than these powers over this machine.
    #[must_use]
    pub fn limited_to(self, powers: Powers) -> Self {
        Self { powers, ..self }
    }

    /// What callers may use of this machine.
    pub fn powers(&self) -> Powers {
        self.powers
    }

    /// Asks the store something small, to see that it answers.
    pub fn check_store(&self) -> Result<(), AppError> {
        self.places.own()?.sessions(1)?;
        Ok(())
    }

    /// The tools that a model is told of here.
    pub fn tools(&self) -> impl Iterator<Item = &'static ToolRow> {
        tools::listed(&self.settings.tools).filter(|tool| self.powers.has(tool.power))
    }

    /// Refuses what needs a power that callers do not have here.
    pub(crate) fn check_power(&self, power: Power, what: &str) -> Result<(), AppError> {
        if self.powers.has(power) {
            return Ok(());
        }
        Err(AppError::refused(
            format!("{what} is off on this server"),
            format!("who runs the server can start it with --enable {}", power.word()),
        ))
    }

    /// Calls a tool by name, as every door does, and enters the answer in the ledger.
    pub fn call(&self, name: &str, input: Value, call: &Call) -> Result<Answer, AppError> {
        let tool = tools::find(name)?;
        self.check_power(tool.power, tool.name)?;
        let started = Instant::now();
        let answer = (tool.call)(self, input, call)?;
        self.enter_in_ledger(tool.name, &answer, started.elapsed());
        Ok(answer)
    }

    /// What is known of a command's output; every digest starts from it.
    pub fn hint<'a>(&'a self, command: &'a str) -> Hint<'a> {
        let recognizers = Some(self.settings.recognizers.ready());
        Hint { command: Some(command), recognizers, ..Hint::default() }
    }

    /// What the user must know beside an answer, told once: a damaged store that was set aside, say.
    pub fn take_notices(&self) -> Vec<String> {
        let notices = self.places.notices();
        let told_before = !notices.is_empty() && self.notices_told.swap(true, Ordering::Relaxed);
        if told_before { Vec::new() } else { notices }
    }

    /// Counts the tool list, which a host shows its model once in a session.
    pub fn count_tool_list(&self, delivered_tokens: u64) {
        self.write_ledger(Answered {
            tool: "tool list".to_owned(),
            session: self.session.clone(),
            raw_tokens: 0,
            host_tokens: 0,
            delivered_tokens,
            millis: 0,
        });
    }

    /// Finishes what was put off to answer sooner: stored text becomes searchable, the store tidy.
    pub fn settle(&self) -> Result<(), AppError> {
        self.catch_up()?;
        self.tidy_up()
    }

    /// Has all stored text searchable.
    pub fn catch_up(&self) -> Result<(), AppError> {
        self.flush_ledger();
        crate::ingest::pending::finish_all(&*self.places.own()?, |_| true).map(drop)
    }

    /// The same for somebody who waits for the command to end: of a long output only the beginning
    /// becomes searchable, and the rest when a search or a server comes to it.
    pub fn catch_up_soon(&self) -> Result<(), AppError> {
        self.flush_ledger();
        crate::ingest::pending::finish_all(&*self.places.own()?, |done| done < BYTES_WAITED_FOR)
            .map(drop)
    }

    /// Whether so much was written that it is time to tidy up.
    pub fn wants_tidying(&self) -> bool {
        self.places.own_wants_tidying()
    }

    /// Has the model that the user named tell what stored passages mean, while `go_on` allows; it is told how
    /// many are done. Answers why some are left, if that is the server's fault.
    pub fn embed_rest(
        &self,
        mut go_on: impl FnMut(u64) -> bool,
    ) -> Result<Option<String>, AppError> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        let time = embedder.batch_time();
        let store = self.places.own()?;
        let left = embedder::embed(embedder, &*store, &mut |done| go_on(done).then_some(time))?;
        Ok(left.fault.map(|fault| format!("{}: {fault}; passages wait for it", embedder.about())))
    }

    /// Puts the store in order. That takes as long as the disk does: for when nobody waits.
    pub fn tidy_up(&self) -> Result<(), AppError> {
        let store = self.places.own()?;
        let mut steps = 0;
        crate::ingest::pending::renew(&*store, || {
            steps += 1;
            steps <= RENEWED_STEPS
        })?;
        Ok(store.tidy()?)
    }

    /// Sets the project's store aside when it is damaged; says what was done.
    pub fn repair(&self) -> Result<String, AppError> {
        self.places.repair()
    }

    /// Whether stores are on a server, which is waited for.
    pub fn is_on_server(&self) -> bool {
        self.places.are_on_server()
    }

    /// The project's folder, or the folder the caller stands in when it is no project.
    pub fn root(&self) -> &Path {
        self.places.project().map_or(&self.cwd, |project| &project.root)
    }

    /// The same for a member of a team: what he writes is his, whatever he says.
    #[must_use]
    pub fn by_member(self, name: &str) -> Self {
        Self { author: name.to_owned(), is_shared: true, ..self }
    }

    /// The same in a project that a team calls so.
    #[must_use]
    pub fn in_team_project(self, name: &str) -> Self {
        if self.places.is_called(name) {
            return self;
        }
        Self { places: self.places.of_team_project(name), ..self }
    }

    /// Whether a project is known by this name here.
    pub fn has_project(&self, name: &str) -> Result<bool, AppError> {
        Ok(self.places.named(name)?.is_some())
    }

    /// Who writes what is written here.
    pub fn author(&self) -> &str {
        &self.author
    }

    /// Whether others read what is written here.
    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Who wrote a note, if that was somebody else.
    pub(crate) fn other_author<'a>(&self, entry: &'a Entry) -> Option<&'a str> {
        let author = entry.note().map(|note| note.author.as_str())?;
        Some(author).filter(|author| !author.is_empty() && *author != self.author)
    }

    /// Whether it is asked by somebody who types a command, and ends with the answer.
    pub(crate) fn asks_once(&self) -> bool {
        self.client == "cli"
    }

    /// Whether there is a context that many answers would fill.
    pub(crate) fn is_conversation(&self) -> bool {
        self.is_conversation
    }

    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// The beginnings of an entry of this session, made now.
    pub(crate) fn new_entry(&self, kind: forebay_domain::EntryKind, title: String) -> NewEntry {
        NewEntry {
            kind,
            title,
            source: String::new(),
            session: self.session.clone(),
            client: self.client.clone(),
            branch: self.places.branch(),
            created: self.now(),
            digest: String::new(),
            detail: NewDetail::Plain,
            chunks_are_complete: false,
            replaces_source: false,
        }
    }

    /// Enters an answer that was given past [`Self::call`].
    pub fn enter_in_ledger(&self, tool: &str, answer: &Answer, took: Duration) {
        self.write_ledger(Answered {
            tool: tool.to_owned(),
            session: self.session.clone(),
            raw_tokens: tokens::of_bytes(answer.cost.raw_bytes),
            host_tokens: usage::host_tokens(answer.cost.raw_bytes),
            delivered_tokens: tokens::of(&answer.text),
            millis: took.as_millis() as u64,
        });
    }

    /// Puts an answer aside for the ledger; it is written when nobody waits.
    fn write_ledger(&self, answered: Answered) {
        let mut pending = self.unrecorded.lock().unwrap_or_else(PoisonError::into_inner);
        pending.push((answered, self.now()));
        if pending.len() >= MOST_UNRECORDED {
            self.record(&mut pending);
        }
    }

    /// Writes what was put aside for the ledger.
    pub fn flush_ledger(&self) {
        self.record(&mut self.unrecorded.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// A ledger that cannot be written must not take the answer with it.
    fn record(&self, pending: &mut Vec<(Answered, Timestamp)>) {
        let pending = std::mem::take(pending);
        if pending.is_empty() {
            return;
        }
        let written = self.places.own().and_then(|store| Ok(store.record(&pending)?));
        if let Err(error) = written {
            tracing::warn!(%error, answers = pending.len(), "not entered in the usage ledger");
        }
    }
}

/// What every text passes on its way to the store, and to the server that the user named.
fn outgoing(
    settings: &Settings,
    mut environment: Vec<(String, String)>,
) -> (Arc<Redaction>, Option<Arc<Embedder>>) {
    let key = embedder::key(&settings.embedder, &environment);
    // The server's key is a secret, whatever its variable is called.
    environment.extend(key.iter().map(|key| ("EMBEDDER_API_KEY".to_owned(), key.clone())));
    let redaction = Arc::new(Redaction::new(settings.store.redact, environment));
    let embedder = Embedder::of(&settings.embedder, key, Arc::clone(&redaction));
    (redaction, embedder.map(Arc::new))
}

/// The author that the settings name, or else the user.
fn author(setup: &Setup) -> String {
    let named = Some(setup.settings.team.author.trim()).filter(|name| !name.is_empty());
    let variable = |wanted: &str| {
        setup.environment.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    };
    let user = || variable("USER").or_else(|| variable("LOGNAME"));
    cut::one_line(named.or_else(user).unwrap_or_default(), LONGEST_AUTHOR)
}
