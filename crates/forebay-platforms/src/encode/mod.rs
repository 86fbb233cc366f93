//! From an answer to what a host reads.
//!
//! The platform's table says what a host can do; a dialect file says how it is spelled. An answer a
//! host has no way to hear is [`Unsupported`], so that the caller can choose another one.

pub(crate) mod antigravity;
pub(crate) mod claude;
pub(crate) mod cline;
pub(crate) mod codex;
pub(crate) mod copilot;
pub(crate) mod cursor;
pub(crate) mod exit_code;
pub(crate) mod gemini;
pub(crate) mod opencode;

use forebay_domain::hook::{HookEvent, Moment, Reply, ToolKind};
use serde_json::Value;

use crate::decode::{Decoded, rebuild};
use crate::platform::{Ability, Replaces};

/// What a hook process leaves behind.
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

/// An answer the host cannot hear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{platform} cannot {what} at this event ({moment})")]
pub struct Unsupported {
    pub platform: &'static str,
    pub what: &'static str,
    pub moment: &'static str,
}

/// Spells an answer for the host that asked.
pub fn encode(decoded: &Decoded, reply: &Reply) -> Result<Output, Unsupported> {
    if *reply == Reply::Silent {
        return Ok(Output::default());
    }
    if can_hear(decoded, reply) {
        return Ok((decoded.platform.reply)(decoded, reply));
    }
    Err(Unsupported {
        platform: decoded.platform.name,
        what: reply.words(),
        moment: decoded.call.event.moment().words(),
    })
}

/// Whether the host that asked has a way to hear this answer.
pub fn can_hear(decoded: &Decoded, reply: &Reply) -> bool {
    let needed = needed(decoded, reply);
    needed.is_some_and(|abilities| abilities.iter().all(|one| decoded.platform.can(*one)))
        && has_place(decoded, reply)
}

/// What a host must be able to do for an answer to this event; nothing where no host could.
fn needed(decoded: &Decoded, reply: &Reply) -> Option<Vec<Ability>> {
    let moment = decoded.call.event.moment();
    let one = match (reply, moment) {
        (Reply::Deny(_), Moment::BeforeTool) => Ability::Deny,
        (Reply::Ask(_), Moment::BeforeTool) => Ability::Ask,
        (Reply::Rewrite(_), Moment::BeforeTool) => Ability::Rewrite,
        (Reply::Context(_), Moment::BeforeTool) => Ability::ContextBeforeTool,
        (Reply::Context(_), Moment::AfterTool) => Ability::ContextAfterTool,
        (Reply::Context(_), Moment::Prompt) => Ability::ContextAtPrompt,
        (Reply::Context(_), Moment::SessionStart) => Ability::ContextAtStart,
        (Reply::Context(_), Moment::BeforeCompact) => Ability::ContextForCompaction,
        (Reply::Replace(_), Moment::AfterTool) => return Some(needed_to_replace(decoded)),
        _ => return None,
    };
    Some(vec![one])
}

fn needed_to_replace(decoded: &Decoded) -> Vec<Ability> {
    let is_mcp = tool_kind(decoded) == Some(ToolKind::Mcp);
    let mut needed = vec![if is_mcp { Ability::ReplaceMcp } else { Ability::ReplaceOwn }];
    if decoded.is_failure {
        needed.push(Ability::ReplaceFailed);
    }
    needed
}

/// Whether the original has the place where the answer would go.
fn has_place(decoded: &Decoded, reply: &Reply) -> bool {
    match reply {
        Reply::Rewrite(command) => rewritten_input(decoded, command).is_some(),
        Reply::Replace(text) if decoded.platform.replaces_in_shape() => {
            rebuilt(decoded, text).is_some()
        }
        _ => true,
    }
}

pub(crate) fn tool_kind(decoded: &Decoded) -> Option<ToolKind> {
    match &decoded.call.event {
        HookEvent::BeforeTool(tool) | HookEvent::AfterTool(tool, _) => Some(tool.action.kind()),
        _ => None,
    }
}

/// The tool's input with another command; nothing when the tool is no shell.
pub(crate) fn rewritten_input(decoded: &Decoded, command: &str) -> Option<Value> {
    if tool_kind(decoded) != Some(ToolKind::Shell) {
        return None;
    }
    let mut input = decoded.input.clone();
    let name = crate::decode::COMMAND.iter().find(|name| input.get(name).is_some())?;
    let place = input.get_mut(name)?;
    *place = if place.is_array() { serde_json::json!([command]) } else { command.into() };
    Some(input)
}

/// The tool's result with another text, in the shape the host gave it.
pub(crate) fn rebuilt(decoded: &Decoded, text: &str) -> Option<Value> {
    rebuild(decoded.shape, decoded.response.clone(), text)
}

impl crate::Platform {
    /// Whether a replaced result must look like the one it replaces.
    fn replaces_in_shape(&self) -> bool {
        self.replaces == Replaces::InShape
    }
}

/// For hosts without hooks, which are never asked.
pub(crate) fn nothing(_: &Decoded, _: &Reply) -> Output {
    Output::default()
}
