//! `ctx_purge`: deletes the selected entries; without `confirm`, a dry run.

use std::{fs, io};

use forebay_domain::time::days;
use forebay_domain::{Reference, Scope, session};
use forebay_store::retention::LowSpace;
use forebay_store::{Expiry, PurgeReport, PurgeSelection, Store, StoreError};
use forebay_text::{cut, number};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Effect, Tool};
use crate::call_log::CallLog;
use crate::digest_samples::Samples;
use crate::input;
use crate::stores::registry::SharedStore;
use crate::{Answer, App, AppError, Call};

pub struct Purge;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[serde(default, alias = "ref", deserialize_with = "input::one_or_many")]
    pub refs: Vec<String>,
    /// Glob
    pub source: Option<String>,
    pub session: Option<String>,
    pub older_than_days: Option<u64>,
    /// Past retention
    #[serde(default)]
    pub expired: bool,
    /// The whole project
    #[serde(default)]
    pub everything: bool,
    /// The dry run's count
    pub confirm: Option<u64>,
}

/// Expired entries deleted per call.
const MAX_EXPIRED_PER_CALL: usize = 1_000;

impl Tool for Purge {
    const NAME: &'static str = "ctx_purge";
    const DESCRIPTION: &'static str =
        "Delete entries that match all conditions given. Without confirm, a dry run.";
    const EFFECT: Effect = Effect::Delete;
    const LISTED_BY_DEFAULT: bool = false;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        let selection = selection(app, &input)?;
        let _reserve = app.stores.release_reserve();
        let stores = stores_to_purge(app, &selection)?;
        let found = find(app, &stores, &selection)?;
        match input.confirm {
            None => {
                let how = format!("the same call with confirm={}", found.count());
                Ok(preview(&found, CallList::before(app, &selection, &found), &how))
            }
            Some(count) if count == found.count() => {
                delete_compiled_programs(app);
                let purge = |store: &dyn Store, one: &PurgeSelection| store.purge(one, app.now());
                let (samples, reported) = reported(app)?;
                let purged = sum_over(&stores, &selection, purge)?;
                let calls = CallList::delete(app, &selection, &purged);
                match &selection {
                    one if one.everything => samples.delete_all()?,
                    // Its text is what a digest is checked with, however old it is.
                    one if one.expired.is_some() => {}
                    _ => samples.delete_purged(app, &reported)?,
                }
                Ok(answer(&purged, calls, true, &on_full_disk(purged.low_space)))
            }
            Some(count) => Err(AppError::bad_input(
                format!(
                    "confirm={count}, but {} selected now; nothing was deleted",
                    amount(&found)
                ),
                "repeat the dry run (omit confirm)",
            )),
        }
    }
}

/// The reported digests of this project, and those whose entries are stored.
fn reported(app: &App) -> Result<(Samples, Vec<Reference>), AppError> {
    let samples = Samples::for_app(app);
    let reported = samples.of_stored_entries(app)?;
    Ok((samples, reported))
}

/// Deletes the compiled snippets, which contain the texts of runs; they are compiled again when needed.
fn delete_compiled_programs(app: &App) {
    let folder = app.stores.home().compiled_programs();
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(folder = %folder.display(), %error, "cannot delete compiled programs");
        }
        _ => {}
    }
}

/// What a purge does to the list of hook calls, which has their commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallList {
    Stays,
    /// It is or would be deleted, as a whole.
    Goes,
    NotDeleted,
}

impl CallList {
    /// Whether a purge of what was found deletes it.
    fn is_affected(selection: &PurgeSelection, found: &PurgeReport) -> bool {
        selection.expired.is_none() && (selection.everything || found.count() > 0)
    }

    /// What a purge would do.
    fn before(app: &App, selection: &PurgeSelection, found: &PurgeReport) -> Self {
        let is_affected = Self::is_affected(selection, found);
        // One that cannot be read may have calls.
        let goes = is_affected && CallLog::for_app(app).has_calls().unwrap_or(true);
        if goes { Self::Goes } else { Self::Stays }
    }

    fn delete(app: &App, selection: &PurgeSelection, purged: &PurgeReport) -> Self {
        if !Self::is_affected(selection, purged) {
            return Self::Stays;
        }
        match CallLog::for_app(app).delete() {
            Ok(true) => Self::Goes,
            Ok(false) => Self::Stays,
            Err(error) => {
                tracing::warn!(%error, "cannot delete the list of hook calls");
                Self::NotDeleted
            }
        }
    }

    fn describe(self, outcome: &str) -> String {
        match self {
            Self::Stays => String::new(),
            Self::Goes => format!("\nthe project's whole list of hook calls {outcome} too"),
            Self::NotDeleted => {
                "\nthe project's list of hook calls could not be deleted; see forebay.log"
                    .to_owned()
            }
        }
    }
}

/// Counts what would be deleted.
fn find(
    app: &App,
    stores: &[SharedStore],
    selection: &PurgeSelection,
) -> Result<PurgeReport, AppError> {
    sum_over(stores, selection, |store, one| store.preview_purge(one, app.now()))
}

/// A dry run for a person, who confirms with `how`. Returns the count to confirm too.
pub fn dry_run(app: &App, input: &Input, how: &str) -> Result<(Answer, u64), AppError> {
    let selection = selection(app, input)?;
    let _reserve = app.stores.release_reserve();
    let stores = stores_to_purge(app, &selection)?;
    let found = find(app, &stores, &selection)?;
    let calls = CallList::before(app, &selection, &found);
    Ok((preview(&found, calls, how), found.count()))
}

/// Returns the stores to purge: references may be in any readable one, other conditions mean the project's.
fn stores_to_purge(app: &App, selection: &PurgeSelection) -> Result<Vec<SharedStore>, AppError> {
    if selection.references.is_empty() {
        return Ok(vec![app.stores.own()?]);
    }
    for reference in &selection.references {
        app.stores.locate(*reference, Scope::Project)?;
    }
    app.stores.within(Scope::Project)
}

/// Sums the reports of `work` over the stores; a session includes its subagents.
fn sum_over(
    stores: &[SharedStore],
    selection: &PurgeSelection,
    work: impl Fn(&dyn Store, &PurgeSelection) -> Result<PurgeReport, StoreError>,
) -> Result<PurgeReport, AppError> {
    let mut sum = PurgeReport::default();
    for store in stores {
        sum.add(work(&**store, selection)?);
        for session in subagents(&**store, selection.session.as_deref())? {
            let selection = PurgeSelection { session: Some(session), ..selection.clone() };
            sum.add(work(&**store, &selection)?);
        }
    }
    Ok(sum)
}

/// Returns the sessions of the subagents of a conversation.
fn subagents(store: &dyn Store, conversation: Option<&str>) -> Result<Vec<String>, StoreError> {
    let Some(conversation) = conversation else { return Ok(Vec::new()) };
    let sessions = store.sessions(usize::MAX >> 1)?.into_iter().map(|session| session.key);
    let belongs =
        |key: &String| session::is_subagent(key) && session::conversation(key) == conversation;
    Ok(sessions.filter(belongs).collect())
}

/// Builds the selection from the input.
fn selection(app: &App, input: &Input) -> Result<PurgeSelection, AppError> {
    let selection = PurgeSelection {
        references: input::references(&input.refs)?,
        source: input.source.clone(),
        session: input.session.clone(),
        older_than: input.older_than_days.map(days),
        everything: input.everything,
        expired: input.expired.then(|| Expiry {
            keep: app.settings.keep.spans(),
            events: app.settings.keep.events(),
            limit: MAX_EXPIRED_PER_CALL,
        }),
    };
    if selection.is_empty() {
        return Err(AppError::bad_input(
            "nothing is selected",
            "give refs, source, session, older_than_days, expired or everything",
        ));
    }
    Ok(selection)
}

/// What would be deleted, and how to confirm it.
fn preview(found: &PurgeReport, calls: CallList, how: &str) -> Answer {
    let end = match found.count() {
        0 => String::new(),
        _ => format!("\nnothing is deleted yet; to do it: {how}"),
    };
    answer(found, calls, false, &end)
}

/// What a full disk made of a purge.
fn on_full_disk(low_space: Option<LowSpace>) -> String {
    let Some(LowSpace { returned_bytes, is_finished }) = low_space else { return String::new() };
    let returned = number::bytes(returned_bytes);
    let rest = if is_finished { "" } else { "; not enough to delete the rest, purge more" };
    format!("\nthe disk was full: {returned} returned to it{rest}")
}

fn amount(purged: &PurgeReport) -> String {
    let entries = number::counted(purged.entries, "entry");
    match purged.events {
        0 => entries,
        count => format!("{entries} and {}", number::counted(count, "event")),
    }
}

fn answer(purged: &PurgeReport, calls: CallList, is_done: bool, end: &str) -> Answer {
    let outcome = if is_done { "deleted" } else { "would be deleted" };
    let notes = match purged.notes {
        0 => String::new(),
        count => format!(" (including {})", number::counted(count, "note")),
    };
    let mut text = format!("{}{notes}, {} {outcome}", amount(purged), number::bytes(purged.bytes));
    for (reference, title) in &purged.examples {
        text.push_str(&format!("\n{reference} {}", cut::one_line(title, 80)));
    }
    let more = purged.entries.saturating_sub(purged.examples.len() as u64);
    if more > 0 {
        text.push_str(&format!("\n… {} more", number::grouped(more)));
    }
    text.push_str(&calls.describe(if is_done { "was deleted" } else { "would be deleted" }));
    text.push_str(end);
    let data = json!({
        "entries": purged.entries,
        "notes": purged.notes,
        "events": purged.events,
        "bytes": purged.bytes,
        "done": is_done,
        "hook_calls": calls == CallList::Goes,
        "examples": purged.examples.iter()
            .map(|(reference, title)| json!({ "ref": reference.as_str(), "title": title }))
            .collect::<Vec<_>>(),
    });
    Answer::new(text, data)
}
