//! Gemini CLI: decisions at the top level, the rest in `hookSpecificOutput`; inputs are merged.

use forebay_domain::hook::Reply;
use serde_json::json;

use super::{Output, claude_code, rewritten_input};
use crate::decode::Decoded;

pub(crate) fn reply(decoded: &Decoded, reply: &Reply) -> Output {
    match reply {
        // After a tool, a denial replaces the result with its reason.
        Reply::Deny(reason) | Reply::Replace(reason) => {
            Output::json(&json!({ "decision": "deny", "reason": reason }))
        }
        Reply::Rewrite(command) => claude_code::specific(
            decoded,
            [("tool_input", rewritten_input(decoded, command).into())],
        ),
        other => claude_code::reply(decoded, other),
    }
}
