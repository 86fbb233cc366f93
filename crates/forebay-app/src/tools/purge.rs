//! `ctx_purge`: forgets what was named; tells first what would go.

use forebay_domain::Scope;
use forebay_domain::time::days;
use forebay_store::{Expiry, PurgeReport, PurgeSelection, Store, StoreError};
use forebay_text::{cut, number};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Nature, Tool};
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
    /// Past their keep time
    #[serde(default)]
    pub expired: bool,
    /// The whole project
    #[serde(default)]
    pub everything: bool,
    /// The count the dry run told
    pub confirm: Option<u64>,
}

/// What one sweep of expired entries takes at most.
const SWEEP: usize = 1_000;

impl Tool for Purge {
    const NAME: &'static str = "ctx_purge";
    const DESCRIPTION: &'static str =
        "Forget entries; conditions narrow each other. Without confirm only tells what would go.";
    const NATURE: Nature = Nature::Removes;
    const STANDARD: bool = false;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        let selection = selection(app, &input)?;
        let stores = stores_of(app, &selection)?;
        let found = over(&stores, |store| store.preview_purge(&selection, app.now()))?;
        match input.confirm {
            None => Ok(answer(&found, "would be forgotten", dry_run_end(&found))),
            Some(count) if count == found.count() => {
                let purged = over(&stores, |store| store.purge(&selection, app.now()))?;
                Ok(answer(&purged, "forgotten", String::new()))
            }
            Some(count) => Err(AppError::bad_input(
                format!("confirm={count}, but {} match now; nothing was forgotten", amount(&found)),
                "look at the dry run again (leave confirm out)",
            )),
        }
    }
}

/// A reference names an entry wherever it can be read; everything else means the project's own.
fn stores_of(app: &App, selection: &PurgeSelection) -> Result<Vec<SharedStore>, AppError> {
    if selection.references.is_empty() {
        return Ok(vec![app.places.own()?]);
    }
    for reference in &selection.references {
        app.places.locate(*reference, Scope::Project)?;
    }
    app.places.within(Scope::Project)
}

/// The sum of what `work` does in each store.
fn over(
    stores: &[SharedStore],
    work: impl Fn(&dyn Store) -> Result<PurgeReport, StoreError>,
) -> Result<PurgeReport, AppError> {
    let mut sum = PurgeReport::default();
    for store in stores {
        sum.add(work(&**store)?);
    }
    Ok(sum)
}

/// What an input selects.
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
            limit: SWEEP,
        }),
    };
    if selection.is_empty() {
        return Err(AppError::bad_input(
            "nothing is named to forget",
            "give refs, source, session, older_than_days, expired or everything",
        ));
    }
    Ok(selection)
}

fn dry_run_end(found: &PurgeReport) -> String {
    match found.count() {
        0 => String::new(),
        count => format!("\nnothing is removed yet; to do it: the same call with confirm={count}"),
    }
}

fn amount(purged: &PurgeReport) -> String {
    let plural = if purged.entries == 1 { "entry" } else { "entries" };
    let entries = format!("{} {plural}", number::grouped(purged.entries));
    match purged.events {
        0 => entries,
        count => format!("{entries} and {}", number::counted(count, "event")),
    }
}

fn answer(purged: &PurgeReport, word: &str, end: String) -> Answer {
    let notes = match purged.notes {
        0 => String::new(),
        count => format!(" ({} among them)", number::counted(count, "note")),
    };
    let mut text = format!("{}{notes}, {} {word}", amount(purged), number::bytes(purged.bytes));
    for (reference, title) in &purged.examples {
        text.push_str(&format!("\n{reference} {}", cut::one_line(title, 80)));
    }
    text.push_str(&end);
    let data = json!({
        "entries": purged.entries,
        "notes": purged.notes,
        "events": purged.events,
        "bytes": purged.bytes,
        "done": word == "forgotten",
        "examples": purged.examples.iter()
            .map(|(reference, title)| json!({ "ref": reference.as_str(), "title": title }))
            .collect::<Vec<_>>(),
    });
    Answer::new(text, data)
}
