//! The list of a server's tools: without the output schemas of tools whose results were digested, and shorter if the user
//! wants it (`own_tools`).
//!
//! A client rejects a result whose `structuredContent` is missing if its tool declares a schema. So a tool keeps its schema
//! until a result of it was too long, and lists none from then on.

use std::io::{self, Write};

use forebay_app::wrap::WrappedCall;
use forebay_text::number;

use super::json::{self, Members};
use super::session::Session;

pub(super) const SCHEMA: &str = "outputSchema";
pub(super) const LIST_CHANGED: &[u8] =
    b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";

/// Whether an answer with these bytes may have to be rewritten.
pub(super) fn is_rewritten(session: &Session, answer: &str) -> bool {
    session.own_tools.changes_lists() || answer.contains(SCHEMA)
}

/// Returns a page of the list as the client is to see it; `None` if it stays.
pub(super) fn rewrite(session: &Session, result: &str, is_first: bool) -> Option<String> {
    let mut result = Members::parse(result).ok()?;
    let mut is_changed = false;
    let tools: Vec<String> = json::items(result.get("tools")?)?
        .iter()
        .map(|tool| {
            let rewritten = without_withdrawn_schema(session, tool);
            is_changed |= rewritten.is_some();
            rewritten.unwrap_or_else(|| (*tool).to_owned())
        })
        .collect();
    if !session.own_tools.changes_lists() {
        result.set("tools", json::list(&tools));
        return is_changed.then(|| result.into_text());
    }
    let is_last = result.get("nextCursor").is_none();
    let page = session.own_tools.page(tools, is_first, is_last);
    page.renamed.iter().for_each(|what| write_log(what));
    if let Some((before, after)) = page.tokens {
        let [before, after] = [before, after].map(number::grouped);
        let name = session.server.name();
        write_log(&format!(
            "the tools of {name} are listed in about {after} tokens instead of {before}"
        ));
    }
    result.set("tools", json::list(&page.tools));
    Some(result.into_text())
}

/// Tells the user, where agents show what a server logs.
fn write_log(what: &str) {
    let _ = writeln!(io::stderr(), "forebay wrap: {what}");
}

fn without_withdrawn_schema(session: &Session, tool: &str) -> Option<String> {
    let mut tool = Members::parse(tool).ok()?;
    let name = tool.string("name")?;
    tool.get(SCHEMA)?;
    let is_withdrawn = session.server.is_listed_without_schema(&name).unwrap_or_else(|error| {
        tracing::warn!(%error, "cannot read which output schemas were withdrawn");
        false
    });
    session.lists_schema(&name, !is_withdrawn);
    (is_withdrawn && tool.remove(SCHEMA)).then(|| tool.into_text())
}

/// Withdraws the schema of a tool whose result was too long for it.
pub(super) fn withdraw_schema(session: &Session, call: &WrappedCall) {
    if let Err(error) = session.server.withdraw_schema(call.tool()) {
        tracing::warn!(%error, "cannot withdraw an output schema");
        return;
    }
    if session.tells_list_changes.get() {
        // A client that is gone is noticed elsewhere.
        let _ = session.to_client(LIST_CHANGED);
    }
}
