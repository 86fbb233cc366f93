//! Codex: Claude Code's format with closed schemas. An unknown key invalidates the whole reply.

use forebay_domain::hook::Reply;
use serde_json::json;

use super::{Output, claude_code, rewritten_input};
use crate::decode::Decoded;

pub(crate) fn reply(decoded: &Decoded, reply: &Reply) -> Output {
    match reply {
        // Codex accepts a changed input only together with `allow`.
        Reply::Rewrite(command) => {
            let input = rewritten_input(decoded, command).into();
            claude_code::specific(
                decoded,
                [("permissionDecision", json!("allow")), ("updatedInput", input)],
            )
        }
        Reply::Replace(text) => Output::json(&json!({ "decision": "block", "reason": text })),
        other => claude_code::reply(decoded, other),
    }
}
