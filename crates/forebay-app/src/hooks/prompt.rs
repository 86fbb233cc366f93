//! On a prompt: adds the guide after a compaction that the host did not announce.

use forebay_domain::hook::Reply;

use super::{GUIDE_DUE, Host, max_bytes};
use crate::{App, AppError, guide};

pub(super) fn answer(app: &App, host: &Host<'_>) -> Result<Reply, AppError> {
    let is_supported = (host.supports)(&Reply::Context(String::new()));
    if !is_supported || !app.stores.own()?.unmark(&app.session, GUIDE_DUE)? {
        return Ok(Reply::Silent);
    }
    let guide = guide::for_session(app, max_bytes(host, app.settings.hooks.compact_budget))?;
    Ok(guide.map_or(Reply::Silent, Reply::Context))
}
