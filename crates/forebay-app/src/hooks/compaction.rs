//! Compaction: stores a snapshot before it, and the host's summary after it.

use forebay_domain::EntryKind;
use forebay_domain::hook::Reply;

use super::{GUIDE_DUE, Host};
use crate::{App, AppError, guide};

/// Maximum size of a snapshot.
const SNAPSHOT_BYTES: usize = 2_048;
pub(crate) const SUMMARY: &str = "compaction summary";

const INSTRUCTIONS: &str = "Keep references like [ctx:k3v9m2a1xq] unchanged: they stay valid. Forebay repeats \
                            the user's words, open tasks, changed files and what fails after compaction.";

pub(super) fn before(app: &App, host: &Host<'_>) -> Result<Reply, AppError> {
    // A host that calls this without compacting would get the guide again and again.
    if !host.reports_compaction {
        return Ok(Reply::Silent);
    }
    let reply = Reply::Context(INSTRUCTIONS.to_owned());
    Ok(if take_snapshot(app)? && (host.supports)(&reply) { reply } else { Reply::Silent })
}

/// Stores a snapshot of the session, whose guide is due then; false if nothing happened in it.
pub(super) fn take_snapshot(app: &App) -> Result<bool, AppError> {
    let Some(snapshot) = guide::for_session(app, SNAPSHOT_BYTES)? else { return Ok(false) };
    // Names of branches and files may have secrets.
    put(app, guide::SNAPSHOT_SOURCE, &app.redaction.redact(&snapshot).0)?;
    app.stores.own()?.mark(&app.session, GUIDE_DUE)?;
    Ok(true)
}

pub(super) fn after(app: &App, summary: Option<&str>) -> Result<Reply, AppError> {
    if let Some(summary) = summary.filter(|summary| !summary.trim().is_empty()) {
        put(app, SUMMARY, &app.redaction.redact(summary).0)?;
    }
    Ok(Reply::Silent)
}

fn put(app: &App, source: &str, text: &str) -> Result<(), AppError> {
    let mut new = app.new_entry(EntryKind::Capture, source.to_owned());
    source.clone_into(&mut new.source);
    // A snapshot repeats what is stored; a search must find the original.
    new.has_all_chunks = source == guide::SNAPSHOT_SOURCE;
    new.digest = forebay_text::cut::one_line(text, 200);
    app.stores.own()?.put(new, text.as_bytes())?;
    Ok(())
}
