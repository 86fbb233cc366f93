//! Antigravity: a JSON object for every event; before a tool, with a decision.

use forebay_domain::hook::{Moment, Reply};
use serde_json::json;

use super::Output;
use crate::decode::Decoded;

pub(crate) fn reply(decoded: &Decoded, reply: &Reply) -> Output {
    let is_before_tool = decoded.call.event.moment() == Moment::BeforeTool;
    Output::json(&match reply {
        Reply::Deny(reason) => json!({ "decision": "deny", "reason": reason }),
        // `ask` would be answered from what the user has allowed before.
        Reply::Ask(reason) => json!({ "decision": "force_ask", "reason": reason }),
        // A missing decision is a denial, and `allow` would skip the user's settings.
        _ if is_before_tool => json!({ "decision": "ask" }),
        _ => json!({}),
    })
}
