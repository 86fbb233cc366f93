//! Whether digests show what the next action names, on recorded conversations.

use anyhow::{Result, ensure};
use serde_json::Value;

use super::Sizes;
use super::table::Row;
use crate::installation::Installation;
use crate::{process, workspace};

/// The folder of the recorded conversations.
const CONVERSATIONS: &str = "evals/replay";

pub(super) fn measure(env: &Installation, _sizes: &Sizes) -> Result<Vec<Row>> {
    let folder = workspace::root().join(CONVERSATIONS);
    let output =
        process::stdout(&mut env.forebay(&["replay", "--json", &folder.to_string_lossy()]))?;
    let data: Value = serde_json::from_slice(&output)?;
    let all = &data["all"];
    ensure!(all["replaced"].as_u64() > Some(0), "no result was replaced: {all}");
    let mut rows = vec![
        Row::figure("replay, next action wholly in the digest", next_action(all)),
        Row::figure("replay, things named later and not lost", named_later(all)),
    ];
    for (name, tally) in data["recognizers"].as_object().into_iter().flatten() {
        if tally["next_action"]["results_named"] != 0 {
            rows.push(Row::figure(format!("replay, next action after {name}"), next_action(tally)));
        }
    }
    Ok(rows)
}

/// `5 of 6 results, 7 of 9 things`
fn next_action(tally: &Value) -> String {
    let next = &tally["next_action"];
    format!(
        "{} of {} results, {} of {} things",
        next["results_wholly_visible"],
        next["results_named"],
        next["things_visible"],
        next["things"]
    )
}

/// `3 in the digest, 1 later, 2 one call away, 0 lost`
fn named_later(tally: &Value) -> String {
    let named = &tally["named_later"];
    format!(
        "{} in the digest, {} later, {} one call away, {} lost",
        named["visible"], named["shown_again"], named["one_call_away"], named["lost"]
    )
}
