//! Answers hook calls of a host.
//!
//! - `before_tool`, `after_tool`, `tool_result`, `prompt`, `session_start`, `compaction`, `own_compaction`,
//!   `model_request` answer one event each;
//! - `rewrite` changes commands where results cannot be replaced, `whole_output` those whose output the host would cut
//!   if they fail, `advice` adds a hint;
//! - `capture_filter` decides which results are captured, `saved_output` reads those the host saved to a file,
//!   `capture` stores them; `duplicate_events` keeps a result that arrives twice from being stored twice;
//! - [`extract`] derives session events, `record` stores them; `working_set_updates` updates the working set;
//! - `logged` lists each call with the time that it took, and with what went wrong.
//!
//! A hook must never break the agent: errors are only logged and listed, and the host continues as if there were no hook.
//! Only a deny rule that was read successfully blocks a call.

mod advice;
mod after_tool;
mod before_tool;
pub(crate) mod capture;
pub(crate) mod capture_filter;
mod compaction;
mod duplicate_events;
pub mod extract;
mod logged;
mod model_request;
mod own_compaction;
mod prompt;
mod record;
pub(crate) mod rewrite;
mod said;
mod saved_output;
mod session_start;
mod tool_result;
mod whole_output;
mod working_set_updates;

use std::path::PathBuf;
use std::time::Duration;

use forebay_domain::hook::{CutResult, HookCall, HookEvent, ModDuties, Reply, StartReason};
use forebay_domain::usage::HOOK_CONTEXT;
use forebay_domain::{Timestamp, session, tokens};
use forebay_platforms::transcripts::ParseLine;
use forebay_text::invisible::visible;
use serde_json::Value;

pub(crate) use self::compaction::SUMMARY as SUMMARY_SOURCE;
use self::duplicate_events::Claim;
pub use self::logged::{FailedOutcome, Failure, Faults, log_call, log_failure};
use crate::agents::host_mods;
use crate::earlier_runs::HAS_SUBAGENTS;
use crate::settings::{Compactor, Hooks};
use crate::{Answer, App, AppError, ledger};

/// The calling host, as far as a reply depends on it.
pub struct Host<'a> {
    /// Whether it supports a reply to this event.
    pub supports: &'a dyn Fn(&Reply) -> bool,
    /// What can be done with the result of the called tool.
    pub results: ResultAccess,
    /// Forebay's mod, if it runs in this session.
    pub loaded_mod: Option<LoadedMod>,
    /// Whether the start of a session comes from Forebay's plugin, without which other hooks run all the same.
    pub starts_in_plugin: bool,
    /// Whether it calls hooks for compaction.
    pub reports_compaction: bool,
    /// How many bytes of added context certainly reach the model.
    pub context_bytes: Option<usize>,
    /// How many bytes of a tool's result reach its model, if known.
    pub result_bytes: Option<usize>,
    /// Its version, if its hooks know it.
    pub version: Option<String>,
    /// The id of its process, as far as this process can tell: that of a shell in between would differ with each hook.
    pub process: u32,
    /// Whether commands in its shell know the conversation from their environment.
    pub names_session: bool,
    /// The command that runs this program in the host's shell, if known.
    pub program: Option<String>,
    /// Folders in which it saves output that is too long for it.
    pub folders: Vec<PathBuf>,
    /// Parses a line of its transcripts.
    pub transcript: Option<ParseLine>,
}

/// What hooks of a host can do with the result of a tool.
#[derive(Debug, Clone, Copy)]
pub struct ResultAccess {
    /// The whole result can be replaced.
    pub is_replaceable: bool,
    /// A later event has the result that this one cannot replace.
    pub comes_again: bool,
}

/// Forebay's mod in the host's process.
pub struct LoadedMod {
    /// Whether the host allows this call without asking; the mod sees to it that a rewritten call is judged the same.
    pub allows_unasked: bool,
}

/// Marks a session that was compacted and has not received the guide yet.
const GUIDE_DUE: &str = "guide due";

/// Answers a hook call. What goes wrong beside the answer is one of the `faults`.
pub fn answer(
    app: &App,
    host: &Host<'_>,
    call: &HookCall,
    faults: &mut Faults,
) -> Result<Reply, AppError> {
    let began = app.now();
    let restored = whole_output::with_original_command(call);
    let call = restored.as_ref().unwrap_or(call);
    // First, because rules must apply even if everything below fails.
    if let Some(objection) = objection(app, host, call)? {
        return Ok(objection);
    }
    if let HookEvent::SessionStart(reason) = &call.event
        && is_begun_by_the_user(*reason)
        && let Err(error) = app.start_rules()
    {
        faults.add("cannot record the rules of the session", error);
    }
    if call.session.is_none() {
        return Err(AppError::bad_input(
            "the payload has no session",
            "this call was not recorded",
        ));
    }
    let subagent = subagent(app, call);
    let agent = subagent.as_ref().unwrap_or(app);
    let Some(claim) = Claim::new(agent, host, call)? else { return Ok(Reply::Silent) };
    if subagent.is_some()
        && let HookEvent::BeforeTool(_) = &call.event
        && let Err(error) = mark_subagents(app)
    {
        faults.add("cannot record that subagents work", error);
    }
    if host.starts_in_plugin
        && let HookEvent::BeforeTool(_) = &call.event
        && let Err(error) = host_mods::record_missing_plugin(app)
    {
        faults.add("cannot record that the plugin is missing", error);
    }
    let reply = reply(app, agent, host, call);
    match &reply {
        Ok(Reply::Context(text)) => count_context(agent, text),
        Ok(_) => {}
        Err(_) => claim.release(agent)?,
    }
    // Recording and answering are independent: one may fail without the other. A cause that affects both is
    // logged once.
    let noted = record::record(app, subagent.as_ref(), host, call)
        .and_then(|()| working_set_updates::apply(app, host, call));
    if let (Err(error), Ok(_)) = (noted, &reply) {
        faults.add("cannot record all events", error);
    }
    if let Ok(reply) = &reply
        && let Err(error) = keep_ledger(app, agent, host, call, reply, began)
    {
        faults.add("cannot record requests to the model", error);
    }
    // The next hook has to read the log that this one leaves.
    if let Err(error) = app.stores.maintain_own() {
        faults.add("cannot checkpoint the store's log", error);
    }
    reply.map(shown)
}

/// Stores a long result that enters the conversation as it is.
pub fn store_result(app: &App, host: &Host<'_>, call: &HookCall) -> Result<(), AppError> {
    let HookEvent::ToolResult(tool, result) = &call.event else { return Ok(()) };
    let agent = subagent(app, call);
    let agent = agent.as_ref().unwrap_or(app);
    match Claim::new(agent, host, call)? {
        Some(_) => tool_result::store(app, agent, host, tool, result),
        None => Ok(()),
    }
}

/// The app of the subagent that an event belongs to.
fn subagent(app: &App, call: &HookCall) -> Option<App> {
    let agent = call.subagent.as_deref().filter(|_| !ends_subagent(&call.event))?;
    Some(app.on_behalf_of(&app.client, Some(&session::of_subagent(&app.session, agent))))
}

/// Records what a call tells about requests to the model and about compactions; at the end of a turn, judges digests.
fn keep_ledger(
    app: &App,
    agent: &App,
    host: &Host<'_>,
    call: &HookCall,
    reply: &Reply,
    began: Timestamp,
) -> Result<(), AppError> {
    model_request::read_transcript(app, host, call)?;
    ledger::record_compaction(agent, call, reply, began)?;
    match call.event {
        HookEvent::Stop(_) => ledger::verdicts::judge(app),
        _ => Ok(()),
    }
}

/// Marks the session before a subagent's call of a tool, whose answer must not rely on the main agent's context.
fn mark_subagents(app: &App) -> Result<(), AppError> {
    let store = app.stores.own()?;
    if !store.is_marked(&app.session, HAS_SUBAGENTS)? {
        store.mark(&app.session, HAS_SUBAGENTS)?;
    }
    Ok(())
}

/// A reply whose text hides no characters. A command must stay as it is.
fn shown(reply: Reply) -> Reply {
    match reply {
        Reply::Deny(text) => Reply::Deny(visible(text)),
        Reply::Ask(text) => Reply::Ask(visible(text)),
        Reply::Context(text) => Reply::Context(visible(text)),
        Reply::Replace(text) => Reply::Replace(visible(text)),
        Reply::Compact(cut) => {
            let shown = |one: CutResult| CutResult { call: one.call, text: visible(one.text) };
            Reply::Compact(cut.into_iter().map(shown).collect())
        }
        Reply::Silent | Reply::Rewrite(_) | Reply::ModDuties(_) => reply,
    }
}

/// What the user's rules object to a call; only this is asked if nothing else can be relied on.
pub fn objection(app: &App, host: &Host<'_>, call: &HookCall) -> Result<Option<Reply>, AppError> {
    match &call.event {
        HookEvent::BeforeTool(tool) => {
            let mode = call.permission_mode.as_deref();
            Ok(before_tool::objection(app, host, tool, mode)?.map(shown))
        }
        _ => Ok(None),
    }
}

/// Records what [`answer`] objected to. It comes after the answer: a denial does not wait for a store.
pub fn record_objection(app: &App, call: &HookCall, reply: &Reply) {
    let HookEvent::BeforeTool(tool) = &call.event else { return };
    if call.session.is_some() {
        let subagent = subagent(app, call);
        before_tool::record(subagent.as_ref().unwrap_or(app), tool, reply);
    }
}

/// Whether the user has started or resumed a conversation, as opposed to the host continuing one.
fn is_begun_by_the_user(reason: StartReason) -> bool {
    matches!(reason, StartReason::Startup | StartReason::Resume | StartReason::Clear)
}

/// Whether a subagent reports to the main agent with this event.
fn ends_subagent(event: &HookEvent) -> bool {
    matches!(event, HookEvent::SubagentStart(_) | HookEvent::SubagentStop(_))
}

/// Answers a call; `agent` has the session whose context the answer goes to.
fn reply(app: &App, agent: &App, host: &Host<'_>, call: &HookCall) -> Result<Reply, AppError> {
    match &call.event {
        HookEvent::BeforeTool(tool) => match rewrite::rewrite(app, host, tool) {
            Some(rewritten) => Ok(rewritten),
            None => advice::on_large_read(app, host, tool),
        },
        HookEvent::AfterTool(tool, result) => after_tool::answer(app, agent, host, tool, result),
        HookEvent::ToolResult(tool, result) => tool_result::answer(app, agent, host, tool, result),
        HookEvent::Prompt(_) => prompt::answer(agent, host),
        HookEvent::SessionStart(reason) => session_start::answer(agent, host, *reason),
        HookEvent::ModLoaded => {
            host_mods::record_load(app)?;
            Ok(mod_duties(&app.settings.hooks).map_or(Reply::Silent, Reply::ModDuties))
        }
        HookEvent::ModelRequest { request, started } => {
            model_request::record(agent, request, *started)
        }
        HookEvent::Compact(long) => own_compaction::answer(app, agent, host, long),
        HookEvent::BeforeCompact(_) => compaction::before(agent, host),
        HookEvent::AfterCompact(summary) => compaction::after(agent, summary.as_deref()),
        _ => Ok(Reply::Silent),
    }
}

/// What the settings ask of the mod, if anything.
fn mod_duties(settings: &Hooks) -> Option<ModDuties> {
    let compact = settings.compact == Compactor::Forebay;
    let duties = ModDuties { wrap_commands: settings.whole_output, compact };
    (duties != ModDuties::default()).then_some(duties)
}

/// Counts the text that a hook adds to the model's context as a cost.
fn count_context(app: &App, text: &str) {
    let answer = Answer::new(text.to_owned(), Value::Null);
    app.record_usage(HOOK_CONTEXT, &answer, Duration::ZERO);
    app.flush_usage();
}

/// Returns the bytes of a budget, limited by what the host passes on.
fn max_bytes(host: &Host<'_>, budget: u64) -> usize {
    let bytes = tokens::to_bytes(budget);
    host.context_bytes.map_or(bytes, |most| bytes.min(most))
}
