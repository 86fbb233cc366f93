//! Compares a run with the one before it: docs/internals/difference.md.
//!
//! An answer leaves out what did not change only if the earlier answer is certainly in the model's context.

mod command_hash;

use std::path::Path;

use forebay_digest::{Comparison, Sameness, compare};
use forebay_domain::{Entry, Reference};
use forebay_store::{CommandRun, CommandRunPage, NewCommandRun, Store};

use crate::own_calls::is_own_command;
use crate::{App, AppError};

/// Marks a session in which subagents work: calls of theirs through MCP cannot be told from those of the main agent.
pub(crate) const HAS_SUBAGENTS: &str = "has subagents";

/// A shorter output is read sooner than what changed in it.
const MIN_COMPARED_BYTES: u64 = 400;
/// Longer outputs are not compared, so that time and memory stay bounded.
const MAX_COMPARED_BYTES: u64 = 1 << 20;
/// Earlier runs among which one of exactly the same command is sought.
const MAX_CANDIDATES: usize = 8;

/// Where the answer to a run goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delivery {
    /// To the caller, which requested a certain view: nothing is left out because it is known.
    #[default]
    Whole,
    /// To the caller, who need not see again what is unchanged.
    Changes,
    /// To no reader now: the job runs in the background, or the output goes through a pipe.
    Nowhere,
}

impl Delivery {
    /// To a caller who may have asked for a certain view, such as a larger budget.
    pub fn for_view(is_asked_for: bool) -> Self {
        if is_asked_for { Self::Whole } else { Self::Changes }
    }
}

/// What changed since an earlier run of the same command.
pub(crate) struct Difference {
    pub(crate) earlier: CommandRun,
    /// Whether the words are equal, also the paths and numbers.
    pub(crate) is_same_command: bool,
    pub(crate) has_same_ending: bool,
    pub(crate) comparison: Comparison,
    /// The last run that succeeded, if neither this one nor the earlier one did.
    pub(crate) last_success: Option<Reference>,
    /// The output of this run.
    pub(crate) output: Vec<u8>,
}

impl Difference {
    /// Whether the model has this very output, apart from times and the like.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.earlier.is_in_context && self.is_same_command && self.is_same_result()
    }

    /// Whether the output and the ending are those of the earlier run, apart from times and the like.
    pub(crate) fn is_same_result(&self) -> bool {
        let sameness = self.comparison.lines.sameness;
        self.has_same_ending && matches!(sameness, Sameness::Identical | Sameness::ExceptVolatile)
    }
}

/// Describes a run for later comparisons; nothing for commands of our own, whose answers repeat what is stored.
///
/// The session is that of the model whose context the answer enters, empty if that is not certain.
pub(crate) fn command_run(
    app: &App,
    command: &str,
    folder: &Path,
    outcome: (bool, String),
    session: String,
) -> Option<NewCommandRun> {
    let folder = folder.strip_prefix(app.root()).unwrap_or(folder);
    let (failed, ending) = outcome;
    (app.settings.digest.diff && !is_own_command(command)).then(|| NewCommandRun {
        command: command_hash::command_hash(command, folder),
        failed,
        ending,
        session,
    })
}

/// Returns the session whose model certainly reads an answer to this app, empty if a subagent may be the caller.
pub(crate) fn reading_session(app: &App, delivery: Delivery) -> Result<String, AppError> {
    let is_certain = app.is_conversation()
        && delivery != Delivery::Nowhere
        && !app.stores.own()?.is_marked(&app.session, HAS_SUBAGENTS)?;
    Ok(if is_certain { app.session.clone() } else { String::new() })
}

/// Compares a stored run with an earlier one. A difference is extra, so failing to find one is no error.
pub(crate) fn difference(app: &App, entry: &Entry, run: &NewCommandRun) -> Option<Difference> {
    let found = find_difference(app, entry, run);
    found.unwrap_or_else(|error| {
        tracing::warn!(%error, "cannot compare with an earlier run");
        None
    })
}

fn find_difference(
    app: &App,
    entry: &Entry,
    run: &NewCommandRun,
) -> Result<Option<Difference>, AppError> {
    if !(MIN_COMPARED_BYTES..=MAX_COMPARED_BYTES).contains(&entry.bytes) {
        return Ok(None);
    }
    let store = app.stores.own()?;
    let Some(earlier) = earlier_run(app, &*store, entry, run)? else { return Ok(None) };
    if earlier.bytes > MAX_COMPARED_BYTES {
        return Ok(None);
    }
    let last_success = if run.failed && earlier.failed {
        let page = CommandRunPage { succeeded_only: true, limit: 1, ..page(entry, run) };
        store.command_runs(&page)?.first().map(|run| run.reference)
    } else {
        None
    };
    let before = content(&*store, earlier.reference)?;
    let output = content(&*store, entry.reference)?;
    let comparison = compare(&before, &output, app.hint(&entry.title));
    Ok(comparison.map(|comparison| Difference {
        is_same_command: is_same_command(&earlier, entry),
        has_same_ending: earlier.ending == run.ending && earlier.failed == run.failed,
        earlier,
        comparison,
        last_success,
        output,
    }))
}

/// Returns the run to compare with: the last one that the model has seen, on a team's server otherwise the last one of
/// the default branch, or else the last one; of these one of exactly the same command, if there is one.
fn earlier_run(
    app: &App,
    store: &dyn Store,
    entry: &Entry,
    run: &NewCommandRun,
) -> Result<Option<CommandRun>, AppError> {
    let mut runs = store.command_runs(&page(entry, run))?;
    let default_branch = app.stores.default_branch().filter(|_| app.has_remote_store());
    if let Some(branch) = default_branch
        && !runs.iter().any(|run| run.is_in_context)
    {
        let on_default = CommandRunPage { branch: Some(branch), ..page(entry, run) };
        let on_default = store.command_runs(&on_default)?;
        runs = if on_default.is_empty() { runs } else { on_default };
    }
    let exact = runs.iter().position(|run| is_same_command(run, entry)).unwrap_or(0);
    Ok((!runs.is_empty()).then(|| runs.swap_remove(exact)))
}

/// A title that was cut may stand for several commands.
fn is_same_command(earlier: &CommandRun, entry: &Entry) -> bool {
    earlier.title == entry.title && !entry.title.ends_with('…')
}

fn page(entry: &Entry, run: &NewCommandRun) -> CommandRunPage {
    CommandRunPage {
        command: run.command,
        // Of two runs at the same time only the later one is compared with the other.
        before: entry.sequence,
        session: run.session.clone(),
        succeeded_only: false,
        branch: None,
        limit: MAX_CANDIDATES,
    }
}

fn content(store: &dyn Store, reference: Reference) -> Result<Vec<u8>, AppError> {
    let mut content = Vec::new();
    store.read(reference, 0, &mut |part| {
        content.extend_from_slice(part);
        content.len() as u64 <= MAX_COMPARED_BYTES
    })?;
    Ok(content)
}
