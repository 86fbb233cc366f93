//! Antigravity: a decision at the top level.

use forebay_domain::hook::Reply;
use serde_json::json;

use super::Output;
use crate::decode::Decoded;

pub(crate) fn reply(_: &Decoded, reply: &Reply) -> Output {
    match reply {
        Reply::Deny(reason) => Output::json(&json!({ "decision": "deny", "reason": reason })),
        Reply::Ask(reason) => Output::json(&json!({ "decision": "ask", "reason": reason })),
        _ => Output::default(),
    }
}
