//! Claude Code's format, which VS Code shares and Qwen Code mostly: everything in `hookSpecificOutput`.

use forebay_domain::hook::{CutResult, Moment, Reply};
use serde_json::{Map, Value, json};

use super::{Output, rebuilt_result, rewritten_input};
use crate::decode::Decoded;

pub(crate) fn reply(decoded: &Decoded, reply: &Reply) -> Output {
    match reply {
        Reply::Silent => Output::default(),
        Reply::ModDuties(duties) => {
            let fields =
                [("wrapCommands", duties.wrap_commands.into()), ("compact", duties.compact.into())];
            specific(decoded, fields)
        }
        Reply::Compact(cut) => {
            let text = |one: &CutResult| (one.call.clone(), json!(one.text));
            specific(decoded, [("cutResults", cut.iter().map(text).collect())])
        }
        Reply::Deny(reason) => permission(decoded, "deny", reason),
        Reply::Ask(reason) => permission(decoded, "ask", reason),
        Reply::Rewrite(command) => {
            specific(decoded, [("updatedInput", rewritten_input(decoded, command).into())])
        }
        // Before compaction, the output of a hook is plain text.
        Reply::Context(text) if decoded.call.event.moment() == Moment::BeforeCompact => {
            Output::text(text)
        }
        Reply::Context(text) => specific(decoded, [("additionalContext", json!(text))]),
        Reply::Replace(text) => {
            specific(decoded, [("updatedToolOutput", rebuilt_result(decoded, text).into())])
        }
    }
}

pub(super) fn permission(decoded: &Decoded, decision: &str, reason: &str) -> Output {
    let fields =
        [("permissionDecision", json!(decision)), ("permissionDecisionReason", json!(reason))];
    specific(decoded, fields)
}

/// A reply with these fields in `hookSpecificOutput`.
pub(super) fn specific<const N: usize>(decoded: &Decoded, fields: [(&str, Value); N]) -> Output {
    let mut inner = Map::from_iter([("hookEventName".to_owned(), json!(decoded.event_name))]);
    inner.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
    Output::json(&json!({ "hookSpecificOutput": inner }))
}
