//! Qwen Code: Claude Code's format, except that only a hook that stops a call can replace its result.

use forebay_domain::hook::{Moment, Reply};
use serde_json::json;

use super::{Output, claude_code};
use crate::decode::Decoded;

pub(crate) fn reply(decoded: &Decoded, reply: &Reply) -> Output {
    match reply {
        // The reason takes the place of the result, and the conversation goes on.
        Reply::Replace(text) => Output::json(&json!({ "continue": false, "stopReason": text })),
        Reply::Context(text) if decoded.call.event.moment() == Moment::BeforeCompact => {
            claude_code::specific(decoded, [("additionalContext", json!(text))])
        }
        other => claude_code::reply(decoded, other),
    }
}
