//! GitHub Copilot CLI: everything at the top level, in camel case.

use forebay_domain::hook::Reply;
use serde_json::json;

use super::{Output, rebuilt_result, rewritten_input};
use crate::decode::Decoded;

pub(crate) fn reply(decoded: &Decoded, reply: &Reply) -> Output {
    let value = match reply {
        Reply::Silent | Reply::Compact(_) | Reply::ModDuties(_) => return Output::default(),
        Reply::Deny(reason) => {
            json!({ "permissionDecision": "deny", "permissionDecisionReason": reason })
        }
        Reply::Ask(reason) => {
            json!({ "permissionDecision": "ask", "permissionDecisionReason": reason })
        }
        Reply::Rewrite(command) => json!({ "modifiedArgs": rewritten_input(decoded, command) }),
        Reply::Context(text) => json!({ "additionalContext": text }),
        Reply::Replace(text) => json!({ "modifiedResult": rebuilt_result(decoded, text) }),
    };
    Output::json(&value)
}
