//! Encodes a reply in the format that a host expects.
//!
//! The platform's table says what a host supports; a module per format says how it is written. A reply
//! that the host does not support is [`Unsupported`], so that the caller can choose another one.

pub(crate) mod antigravity;
pub(crate) mod claude_code;
pub(crate) mod cline;
pub(crate) mod codex;
pub(crate) mod copilot_cli;
pub(crate) mod cursor;
pub(crate) mod exit_code;
pub(crate) mod gemini_cli;
pub(crate) mod opencode;
pub(crate) mod qwen_code;

use forebay_domain::hook::{Moment, Reply, ToolKind};
use serde_json::Value;

use crate::decode::{Decoded, rebuild, with_command};
use crate::platform::{Capability, Replacement};

/// The output of a hook process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    pub exit_code: u8,
}

impl Output {
    pub(crate) fn text(text: &str) -> Self {
        Self { stdout: text.to_owned(), ..Self::default() }
    }

    pub(crate) fn json(value: &Value) -> Self {
        Self { stdout: value.to_string(), ..Self::default() }
    }
}

/// A reply that the host does not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{platform} cannot {what} at this event ({moment})")]
pub struct Unsupported {
    pub platform: &'static str,
    pub what: &'static str,
    pub moment: &'static str,
}

/// Encodes a reply for the host that sent the payload.
pub fn encode(decoded: &Decoded, reply: &Reply) -> Result<Output, Unsupported> {
    // Some hosts want an answer in any case.
    if *reply == Reply::Silent || supports(decoded, reply) {
        return Ok((decoded.platform.encode)(decoded, reply));
    }
    Err(Unsupported {
        platform: decoded.platform.name,
        what: reply.description(),
        moment: decoded.call.event.moment().description(),
    })
}

/// Whether the host that sent the payload supports this reply to it.
pub fn supports(decoded: &Decoded, reply: &Reply) -> bool {
    let required = required_capabilities(decoded, reply);
    required.is_some_and(|all| all.iter().all(|one| decoded.platform.can(*one)))
        && fits_original(decoded, reply)
}

/// The capabilities that a reply to this event requires; `None` if no host supports it.
fn required_capabilities(decoded: &Decoded, reply: &Reply) -> Option<Vec<Capability>> {
    let moment = decoded.call.event.moment();
    let one = match (reply, moment) {
        (Reply::Deny(_), Moment::BeforeTool) => Capability::Deny,
        (Reply::Ask(_), Moment::BeforeTool) => Capability::Ask,
        (Reply::Rewrite(_), Moment::BeforeTool) => Capability::Rewrite,
        (Reply::Context(_), Moment::BeforeTool) => Capability::ContextBeforeTool,
        (Reply::Context(_), Moment::AfterTool) => Capability::ContextAfterTool,
        (Reply::Context(_), Moment::Prompt) => Capability::ContextAtPrompt,
        (Reply::Context(_), Moment::SessionStart) => Capability::ContextAtStart,
        (Reply::Context(_), Moment::BeforeCompact) => Capability::ContextForCompaction,
        (Reply::ModDuties(_), Moment::ModLoaded) | (Reply::Compact(_), Moment::Compact) => {
            return Some(Vec::new());
        }
        (Reply::Replace(_), Moment::AfterTool) if decoded.is_replaced_later() => return None,
        (Reply::Replace(_), Moment::AfterTool | Moment::ToolResult) => {
            return Some(required_to_replace(decoded));
        }
        _ => return None,
    };
    Some(vec![one])
}

fn required_to_replace(decoded: &Decoded) -> Vec<Capability> {
    let is_mcp = tool_kind(decoded) == Some(ToolKind::Mcp);
    let mut required = vec![if is_mcp { Capability::ReplaceMcp } else { Capability::ReplaceOwn }];
    if decoded.is_failure {
        required.push(Capability::ReplaceFailed);
    }
    required
}

/// Whether the original input or result can be changed as the reply wants.
fn fits_original(decoded: &Decoded, reply: &Reply) -> bool {
    match reply {
        Reply::Rewrite(command) => rewritten_input(decoded, command).is_some(),
        Reply::Replace(text) if decoded.platform.requires_same_shape() => {
            rebuilt_result(decoded, text).is_some()
        }
        _ => true,
    }
}

pub(crate) fn tool_kind(decoded: &Decoded) -> Option<ToolKind> {
    Some(decoded.call.event.tool()?.action.kind())
}

/// The tool's input with another command; `None` if the tool is not a shell, or the command not all that it runs.
pub(crate) fn rewritten_input(decoded: &Decoded, command: &str) -> Option<Value> {
    let is_shell = tool_kind(decoded) == Some(ToolKind::Shell);
    is_shell.then(|| with_command(&decoded.input, command)).flatten()
}

/// The tool's result with another text, in its original structure.
pub(crate) fn rebuilt_result(decoded: &Decoded, text: &str) -> Option<Value> {
    rebuild(decoded.shape, decoded.response.clone(), text)
}

impl crate::Platform {
    /// Whether a replacement must have the structure of the original result.
    fn requires_same_shape(&self) -> bool {
        self.replacement == Replacement::SameShape
    }
}

/// For hosts without hooks.
pub(crate) fn no_reply(_: &Decoded, _: &Reply) -> Output {
    Output::default()
}
