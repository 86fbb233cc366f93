//! Cline: one object for all events. A denial ends the whole run; there is no milder form.

use forebay_domain::hook::Reply;
use serde_json::json;

use super::{Output, rewritten_input};
use crate::decode::Decoded;

pub(crate) fn reply(decoded: &Decoded, reply: &Reply) -> Output {
    let value = match reply {
        Reply::Silent
        | Reply::Compact(_)
        | Reply::ModDuties(_)
        | Reply::Ask(_)
        | Reply::Replace(_) => {
            return Output::default();
        }
        Reply::Deny(reason) => json!({ "cancel": true, "errorMessage": reason }),
        Reply::Rewrite(command) => {
            json!({ "cancel": false, "overrideInput": rewritten_input(decoded, command) })
        }
        Reply::Context(text) => json!({ "cancel": false, "contextModification": text }),
    };
    Output::json(&value)
}
