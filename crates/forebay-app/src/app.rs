//! The application: its context, its shared resources, and [`App::call`], the entry point of every front end.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use forebay_digest::Hint;
use forebay_domain::usage::{self, Answered};
use forebay_domain::{Entry, ProjectId, Timestamp, tokens};
use forebay_sandbox::ReexecCommand;
use forebay_store::{Home, NewDetail, NewEntry, Project};
use forebay_text::cut;
use forebay_text::invisible::visible;
use serde_json::Value;

use crate::agents::Machine;
use crate::call_log::CallLog;
use crate::capabilities::{Capabilities, Capability};
use crate::ingest::redaction::Redaction;
use crate::rules::Permissions;
use crate::run::jobs::Jobs;
use crate::search::embedder::{self, Embedder};
use crate::stores::backend::Backend;
use crate::stores::deep_check::{self, Salvaged};
use crate::stores::registry::StoreRegistry;
use crate::tools::{self, ToolDescriptor};
use crate::upgrade::RunningProgram;
use crate::{Answer, AppError, Call, Settings};

/// Usage records buffered in memory; a killed server loses them, so the buffer stays small.
const MAX_PENDING_USAGE: usize = 64;
/// Usage records kept while the store is locked.
const MAX_UNWRITTEN_USAGE: usize = 10_000;

/// Batches of outdated chunks that one maintenance run reindexes, about 1,000 chunks in all.
const MAX_REINDEX_STEPS: usize = 10;

const MAX_AUTHOR_BYTES: usize = 64;

/// Output that a command indexes before it exits: about a tenth of a second.
const MAX_FOREGROUND_INDEX_BYTES: u64 = 512 * 1024;

/// The source of the current time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Everything a front end knows before the first call.
pub struct Setup {
    pub home: Home,
    /// The caller's working directory.
    pub cwd: PathBuf,
    /// The project that contains `cwd`, if any.
    pub project: Option<Project>,
    /// The user's home folder, which is never a project.
    pub user_home: Option<PathBuf>,
    pub settings: Settings,
    /// The environment: values of variables that are named like secrets are never stored.
    pub environment: Vec<(String, String)>,
    /// The conversation's id, as its host names it.
    pub session: String,
    /// The caller: `cli`, or the name an MCP client gives itself.
    pub client: String,
    pub clock: Clock,
    /// The program that supervises background jobs; without it there are none.
    pub supervisor: Option<ReexecCommand>,
}

/// Forebay, ready to answer.
///
/// A clone for another caller shares stores and caches: see [`App::on_behalf_of`].
#[derive(Clone)]
pub struct App {
    pub settings: Arc<Settings>,
    pub session: String,
    pub client: String,
    pub cwd: PathBuf,
    pub(crate) user_home: Option<PathBuf>,
    /// The author of notes: the user, or the team member the call is made for.
    author: String,
    is_shared: bool,
    pub(crate) stores: Arc<StoreRegistry>,
    pub(crate) redaction: Arc<Redaction>,
    /// The remote embedding model, if one is configured.
    pub(crate) embedder: Option<Arc<Embedder>>,
    pub(crate) permissions: Arc<Permissions>,
    pub(crate) jobs: Arc<Jobs>,
    /// Where agents keep their settings; `None` for a user without a home folder.
    pub machine: Option<Arc<Machine>>,
    /// The program of a process that may outlive it.
    pub(crate) running_program: Option<Arc<RunningProgram>>,
    capabilities: Capabilities,
    clock: Clock,
    /// Whether answers accumulate in a model's context. Only those are counted as usage.
    is_conversation: bool,
    notices_taken: Arc<AtomicBool>,
    /// Usage records that are not written yet.
    pending_usage: Arc<Mutex<Vec<(Answered, Timestamp)>>>,
}

impl App {
    /// Builds the application; no file is opened or created before the first call.
    pub fn new(setup: Setup) -> Self {
        let author = author(&setup);
        let backend = Backend::new(&setup.home, &setup.settings, &author);
        let machine = machine(&setup).map(Arc::new);
        let (redaction, embedder) = redaction_and_embedder(&setup.settings, setup.environment);
        let session = redaction.name(&setup.session);
        Self {
            author,
            is_shared: false,
            machine,
            redaction: Arc::clone(&redaction),
            embedder,
            is_conversation: setup.client != "cli",
            settings: Arc::new(setup.settings),
            client: redaction.name(&setup.client),
            cwd: setup.cwd,
            user_home: setup.user_home,
            stores: Arc::new(StoreRegistry::new(setup.home, backend, setup.project)),
            permissions: Arc::new(Permissions::new(&session)),
            session,
            jobs: Arc::new(Jobs::new(setup.supervisor)),
            running_program: None,
            capabilities: Capabilities::ALL,
            clock: setup.clock,
            notices_taken: Arc::default(),
            pending_usage: Arc::default(),
        }
    }

    /// Returns a clone for another caller with its own conversation; stores and caches are shared.
    ///
    /// A caller without a session is not a conversation: its answers fill no context.
    #[must_use]
    pub fn on_behalf_of(&self, client: &str, session: Option<&str>) -> Self {
        Self {
            client: self.redaction.name(client),
            session: self.redaction.name(session.unwrap_or(client)),
            is_conversation: session.is_some(),
            ..self.clone()
        }
    }

    /// Returns the app of a command whose output a model reads.
    #[must_use]
    pub fn in_conversation(self) -> Self {
        Self { is_conversation: true, ..self }
    }

    /// Holds permission rules that were read when the process started, whatever happened to their files since.
    pub fn hold_rules(&self, at_start: crate::rules::SessionRules) {
        self.permissions.hold(at_start);
    }

    /// Starts anew with the permission rules as they are now.
    pub fn start_rules(&self) -> Result<(), AppError> {
        crate::rules::start_session(self)
    }

    /// Returns the app of a process that tells when its program is replaced.
    #[must_use]
    pub fn watching(self, running_program: Option<Arc<RunningProgram>>) -> Self {
        Self { running_program, ..self }
    }

    /// Returns what to tell once if another version was installed since this process started.
    pub fn replaced_program(&self) -> Option<&'static str> {
        self.running_program.as_ref()?.replacement()
    }

    /// Restricts callers to these capabilities.
    #[must_use]
    pub fn with_capabilities(self, capabilities: Capabilities) -> Self {
        Self { capabilities, ..self }
    }

    /// Returns what callers may use of this machine.
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// Runs a small query to check that the store answers.
    pub fn check_store(&self) -> Result<(), AppError> {
        self.stores.own()?.sessions(1)?;
        Ok(())
    }

    /// Lists the tools that are offered to a model here.
    pub fn tools(&self) -> impl Iterator<Item = &'static ToolDescriptor> {
        tools::listed(&self.settings.tools).filter(|tool| self.capabilities.has(tool.capability))
    }

    /// Returns an error if callers lack this capability.
    pub fn check_capability(&self, capability: Capability, what: &str) -> Result<(), AppError> {
        if self.capabilities.has(capability) {
            return Ok(());
        }
        Err(AppError::refused(
            format!("{what} is disabled on this server"),
            format!("its administrator can start it with --enable {}", capability.as_str()),
        ))
    }

    /// Calls a tool by name and records the answer's usage.
    pub fn call(&self, name: &str, input: Value, call: &Call) -> Result<Answer, AppError> {
        let tool = tools::find(name)?;
        self.check_capability(tool.capability, tool.name)?;
        let started = Instant::now();
        let mut answer = (tool.call)(self, input, call)?;
        answer.text = visible(answer.text);
        self.record_usage(tool.name, &answer, started.elapsed());
        Ok(answer)
    }

    /// Returns the digest hint for a command's output.
    pub fn hint<'a>(&'a self, command: &'a str) -> Hint<'a> {
        let recognizers = Some(self.settings.recognizers.ready());
        Hint { command: Some(command), recognizers, ..Hint::default() }
    }

    /// Returns the stores' notices once, for example that a damaged store was set aside.
    pub fn take_notices(&self) -> Vec<String> {
        let notices = self.stores.notices();
        let taken_before = !notices.is_empty() && self.notices_taken.swap(true, Ordering::Relaxed);
        if taken_before { Vec::new() } else { notices }
    }

    /// Records the cost of the tool list, which a host shows its model once per session.
    pub fn count_tool_list(&self, delivered_tokens: u64) {
        self.queue_usage(Answered {
            tool: usage::TOOL_LIST.to_owned(),
            session: self.session.clone(),
            entry: None,
            raw_tokens: 0,
            host_tokens: 0,
            delivered_tokens,
            millis: 0,
        });
    }

    /// Does the work that was deferred to answer sooner: indexes pending text, then runs maintenance.
    pub fn finish_pending_work(&self) -> Result<(), AppError> {
        self.index_pending()?;
        self.run_maintenance()
    }

    /// Indexes all stored text that is not searchable yet.
    pub fn index_pending(&self) -> Result<(), AppError> {
        self.flush_usage();
        crate::ingest::pending::index_pending(&*self.stores.own()?, |_| true).map(drop)
    }

    /// Indexes pending text before a command exits, up to a bound on the delay.
    ///
    /// The rest of a long output is indexed by a later search or by an idle server.
    pub fn index_pending_briefly(&self) -> Result<(), AppError> {
        self.flush_usage();
        let store = self.stores.own()?;
        crate::ingest::pending::index_pending(&*store, |done| done < MAX_FOREGROUND_INDEX_BYTES)
            .map(drop)
    }

    /// Whether enough was written that the store needs maintenance.
    pub fn needs_maintenance(&self) -> bool {
        self.stores.own_needs_maintenance()
    }

    /// Embeds stored chunks with the configured remote model until `proceed(done, total)` returns false. The total is
    /// unknown while the server cannot be reached.
    ///
    /// Returns a remark if the embedding server failed and chunks are left.
    pub fn embed_pending(
        &self,
        mut proceed: impl FnMut(u64, Option<u64>) -> bool,
    ) -> Result<Option<String>, AppError> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        let timeout = embedder.batch_timeout();
        let store = self.stores.own()?;
        let total = embedder.count_pending(&*store)?;
        let outcome = embedder::backfill(embedder, &*store, &mut |done| {
            proceed(done, total).then_some(timeout)
        })?;
        let remark = |error| format!("{}: {error}; some chunks are not embedded", embedder.about());
        Ok(outcome.error.map(remark))
    }

    /// Deletes old hook calls, reindexes outdated chunks and compacts the store. Disk-bound: call it when no caller waits.
    pub fn run_maintenance(&self) -> Result<(), AppError> {
        CallLog::for_app(self).delete_old(self.now());
        let store = self.stores.own()?;
        let mut steps = 0;
        crate::ingest::pending::reindex_stale(&*store, || {
            steps += 1;
            steps <= MAX_REINDEX_STEPS
        })?;
        Ok(store.maintain()?)
    }

    /// Sets the project's store aside if it is damaged; returns what was done.
    pub fn repair(&self) -> Result<String, AppError> {
        self.stores.repair()
    }

    /// Reads every entry of the project's store, and saves what is whole if something is damaged.
    pub fn deep_check(
        &self,
        salvaged: Salvaged,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Answer, AppError> {
        deep_check::run(&self.stores, salvaged, progress)
    }

    /// Whether stores are on a database server.
    pub fn has_remote_store(&self) -> bool {
        self.stores.are_on_server()
    }

    /// Returns this app for each project that has a store on this machine, with the project's name.
    pub fn of_each_project(&self) -> Result<Vec<(String, Self)>, AppError> {
        let app = |(name, stores)| (name, Self { stores, ..self.clone() });
        Ok(self.stores.of_each_project()?.into_iter().map(app).collect())
    }

    /// Returns what identifies the project; `None` outside of any.
    pub fn project_id(&self) -> Option<&ProjectId> {
        self.stores.project().map(|project| &project.id)
    }

    /// Returns the project's folder, or the working directory outside of a project.
    pub fn root(&self) -> &Path {
        self.stores.project().map_or(&self.cwd, |project| &project.root)
    }

    /// Refuses a folder that contains the user's home: files of all kinds are below it, and no project.
    pub(crate) fn check_not_whole_home(&self, folder: &Path) -> Result<(), AppError> {
        let home = self.user_home.as_ref().and_then(|home| home.canonicalize().ok());
        let is_too_wide =
            folder.parent().is_none() || home.is_some_and(|home| home.starts_with(folder));
        if !is_too_wide {
            return Ok(());
        }
        Err(AppError::refused(
            format!("{} is no project: all your files are below it", folder.display()),
            "start in the project's folder, or name a folder in it",
        ))
    }

    /// Returns the app for a team member, who becomes the author of everything written.
    #[must_use]
    pub fn as_team_member(self, name: &str) -> Self {
        Self { author: name.to_owned(), is_shared: true, ..self }
    }

    /// Returns the app for the team project of this name.
    #[must_use]
    pub fn in_team_project(self, name: &str) -> Self {
        if self.stores.is_called(name) {
            return self;
        }
        Self { stores: self.stores.for_team_project(name), ..self }
    }

    /// Whether a project of this name exists.
    pub fn has_project(&self, name: &str) -> Result<bool, AppError> {
        Ok(self.stores.named(name)?.is_some())
    }

    /// Returns the author of notes written by this app.
    pub fn author(&self) -> &str {
        &self.author
    }

    /// Whether what is written here is shared with a team.
    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Returns a note's author if it is another one than this app's.
    pub(crate) fn other_author<'a>(&self, entry: &'a Entry) -> Option<&'a str> {
        let author = entry.note().map(|note| note.author.as_str())?;
        Some(author).filter(|author| !author.is_empty() && *author != self.author)
    }

    /// Whether the process serves one CLI command and exits.
    pub(crate) fn is_one_shot(&self) -> bool {
        self.client == "cli"
    }

    /// Whether answers accumulate in a model's context.
    pub(crate) fn is_conversation(&self) -> bool {
        self.is_conversation
    }

    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Returns a new entry of this session with the current time and branch.
    pub(crate) fn new_entry(&self, kind: forebay_domain::EntryKind, title: String) -> NewEntry {
        NewEntry {
            kind,
            title,
            source: String::new(),
            session: self.session.clone(),
            client: self.client.clone(),
            branch: self.branch(),
            created: self.now(),
            digest: String::new(),
            detail: NewDetail::Plain,
            command: None,
            has_all_chunks: false,
            replaces_source: false,
        }
    }

    /// Returns the checked-out branch, as it is stored.
    pub(crate) fn branch(&self) -> Option<String> {
        self.stores.branch().map(|branch| self.redaction.name(&branch))
    }

    /// Records the usage of an answer that did not come from [`Self::call`].
    pub fn record_usage(&self, tool: &str, answer: &Answer, took: Duration) {
        self.queue_usage(Answered {
            tool: tool.to_owned(),
            session: self.session.clone(),
            entry: answer.cost.entry,
            raw_tokens: tokens::estimate_bytes(answer.cost.raw_bytes),
            host_tokens: usage::host_tokens(answer.cost.host_bytes),
            delivered_tokens: tokens::estimate(&answer.text),
            millis: took.as_millis() as u64,
        });
    }

    /// Buffers a usage record; it is written outside of the call that waits for an answer.
    ///
    /// What a person reads at a terminal is no conversation: nothing is saved or spent there.
    fn queue_usage(&self, answered: Answered) {
        if !self.is_conversation {
            return;
        }
        let mut pending = self.pending_usage.lock().unwrap_or_else(PoisonError::into_inner);
        pending.push((answered, self.now()));
        if pending.len().is_multiple_of(MAX_PENDING_USAGE) {
            self.write_usage(&mut pending);
        }
    }

    /// Writes the buffered usage records.
    pub fn flush_usage(&self) {
        self.write_usage(&mut self.pending_usage.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Logs a failure instead of returning it: usage that cannot be written must not fail the answer.
    fn write_usage(&self, pending: &mut Vec<(Answered, Timestamp)>) {
        if pending.is_empty() {
            return;
        }
        let written = self.stores.own().and_then(|store| Ok(store.record_usage(pending)?));
        match written {
            Ok(()) => pending.clear(),
            Err(error) => {
                tracing::warn!(%error, answers = pending.len(), "cannot write usage records yet");
                // A store that stays locked must not fill the memory.
                let excess = pending.len().saturating_sub(MAX_UNWRITTEN_USAGE);
                pending.drain(..excess);
            }
        }
    }
}

/// Where agents keep their settings, unless the user has no home folder.
fn machine(setup: &Setup) -> Option<Machine> {
    let home = setup.user_home.clone()?;
    let project = setup.project.as_ref();
    Some(Machine::new(home, &setup.cwd, project, &setup.environment, &setup.home))
}

/// Builds the redaction that all stored text passes, and the remote embedder, which redacts with it too.
fn redaction_and_embedder(
    settings: &Settings,
    mut environment: Vec<(String, String)>,
) -> (Arc<Redaction>, Option<Arc<Embedder>>) {
    let key = embedder::api_key(&settings.embedder, &environment);
    // The embedding server's key is a secret, whatever its variable is called.
    environment.extend(key.iter().map(|key| ("EMBEDDER_API_KEY".to_owned(), key.clone())));
    let redaction = Arc::new(Redaction::new(settings.store.redact, environment));
    let embedder = Embedder::new(&settings.embedder, key, Arc::clone(&redaction));
    (redaction, embedder.map(Arc::new))
}

/// Returns the configured author, or else the user's login name.
fn author(setup: &Setup) -> String {
    let named = Some(setup.settings.team.author.trim()).filter(|name| !name.is_empty());
    let variable = |wanted: &str| {
        setup.environment.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    };
    let user = || variable("USER").or_else(|| variable("LOGNAME"));
    cut::one_line(named.or_else(user).unwrap_or_default(), MAX_AUTHOR_BYTES)
}
