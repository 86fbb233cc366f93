//! OpenCode: the format that Forebay's own plugin reads (`setup/opencode_plugin.js`).

use forebay_domain::hook::Reply;
use serde_json::json;

use super::{Output, rewritten_input};
use crate::decode::Decoded;

pub(crate) fn reply(decoded: &Decoded, reply: &Reply) -> Output {
    let value = match reply {
        Reply::Silent | Reply::Compact(_) | Reply::ModDuties(_) | Reply::Ask(_) => {
            return Output::default();
        }
        Reply::Deny(reason) => json!({ "deny": reason }),
        Reply::Rewrite(command) => json!({ "args": rewritten_input(decoded, command) }),
        Reply::Context(text) => json!({ "context": text }),
        Reply::Replace(text) => json!({ "replace": text }),
    };
    Output::json(&value)
}
