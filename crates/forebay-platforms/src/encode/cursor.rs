//! Cursor: everything at the top level, in snake case. It denies the call if it cannot parse the output,
//! so the output is one of these objects or empty.

use forebay_domain::hook::Reply;
use serde_json::{Value, json};

use super::{Output, rewritten_input};
use crate::decode::Decoded;

pub(crate) fn reply(decoded: &Decoded, reply: &Reply) -> Output {
    let value = match reply {
        Reply::Silent | Reply::Compact(_) | Reply::ModDuties(_) => return Output::default(),
        Reply::Deny(reason) => permission("deny", reason),
        Reply::Ask(reason) => permission("ask", reason),
        Reply::Rewrite(command) => json!({ "updated_input": rewritten_input(decoded, command) }),
        Reply::Context(text) => json!({ "additional_context": text }),
        Reply::Replace(text) => {
            json!({ "updated_mcp_tool_output": { "content": [{ "type": "text", "text": text }] } })
        }
    };
    Output::json(&value)
}

fn permission(decision: &str, reason: &str) -> Value {
    json!({ "permission": decision, "user_message": reason, "agent_message": reason })
}
