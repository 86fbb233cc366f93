//! Cline: one object for all events; the results of tools are replaced by Forebay's plugin.

use forebay_domain::hook::Reply;
use forebay_text::shell_quote;
use serde_json::{Value, json};

use super::{Output, rewritten_input};
use crate::decode::Decoded;

pub(crate) fn reply(decoded: &Decoded, reply: &Reply) -> Output {
    let value = match reply {
        Reply::Silent | Reply::Compact(_) | Reply::ModDuties(_) | Reply::Ask(_) => {
            return Output::default();
        }
        Reply::Deny(reason) => denial(decoded, reason),
        Reply::Rewrite(command) => {
            json!({ "cancel": false, "overrideInput": rewritten_input(decoded, command) })
        }
        Reply::Context(text) => json!({ "cancel": false, "contextModification": text }),
        Reply::Replace(text) => json!({ "result": text }),
    };
    Output::json(&value)
}

/// Denies a call. To cancel it ends the whole run, so another command takes the place of a denied one.
fn denial(decoded: &Decoded, reason: &str) -> Value {
    let refusal = format!("{} >&2; exit 1", shell_quote::arguments(&["printf", "%s\\n", reason]));
    match rewritten_input(decoded, &refusal) {
        Some(input) => json!({ "cancel": false, "overrideInput": input }),
        None => json!({ "cancel": true, "errorMessage": reason }),
    }
}
