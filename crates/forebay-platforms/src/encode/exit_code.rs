//! Hosts that use the exit code: Kiro, Windsurf. 2 denies with stderr as reason; stdout is context.

use forebay_domain::hook::Reply;

use super::Output;
use crate::decode::Decoded;

pub(crate) fn reply(_: &Decoded, reply: &Reply) -> Output {
    match reply {
        Reply::Deny(reason) => Output { stderr: reason.clone(), exit_code: 2, ..Output::default() },
        Reply::Context(text) => Output::text(text),
        Reply::Silent
        | Reply::Compact(_)
        | Reply::ModDuties(_)
        | Reply::Ask(_)
        | Reply::Rewrite(_)
        | Reply::Replace(_) => Output::default(),
    }
}
