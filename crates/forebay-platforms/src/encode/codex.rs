//! Codex: Claude Code's words with closed schemas. One unknown key and the whole answer is void.

use forebay_domain::hook::Reply;
use serde_json::json;

use super::{Output, claude, rewritten_input};
use crate::decode::Decoded;

pub(crate) fn reply(decoded: &Decoded, reply: &Reply) -> Output {
    match reply {
        // Codex takes another input only together with `allow`.
        Reply::Rewrite(command) => {
            let input = rewritten_input(decoded, command).into();
            claude::specific(
                decoded,
                [("permissionDecision", json!("allow")), ("updatedInput", input)],
            )
        }
        Reply::Replace(text) => Output::json(&json!({ "decision": "block", "reason": text })),
        other => claude::reply(decoded, other),
    }
}
