//! An event that arrives twice is handled once.
//!
//! A host runs every hook that it finds: the plugin's and those of the project's settings, or those of another host
//! whose settings it also reads. Each is a process of its own, and they run at the same time. The first one claims the
//! event with a mark in the store; the others are silent.
//!
//! Tool results, prompts and answers are known by the host's ids. The start of a session has none: it is claimed for the
//! process of the host until the session goes on.

use forebay_domain::hook::{HookCall, HookEvent, StartReason, ToolCall};

use super::Host;
use crate::{App, AppError};

/// Characters of an event's hash in its mark.
const HASH_CHARS: usize = 16;

/// A claimed event.
pub(super) struct Claim {
    topic: Option<String>,
}

impl Claim {
    /// Claims an event of `agent`'s session for this process; `None` if another one has.
    pub(super) fn new(
        agent: &App,
        host: &Host<'_>,
        call: &HookCall,
    ) -> Result<Option<Self>, AppError> {
        if ends_start(&call.event) {
            release_starts(agent, host)?;
        }
        let topic = topic(host, call);
        let is_ours = match &topic {
            Some(topic) => agent.stores.own()?.mark(&agent.session, topic)?,
            None => true,
        };
        Ok(is_ours.then_some(Self { topic }))
    }

    /// Leaves an event that could not be handled to another process.
    pub(super) fn release(&self, agent: &App) -> Result<(), AppError> {
        if let Some(topic) = &self.topic {
            agent.stores.own()?.unmark(&agent.session, topic)?;
        }
        Ok(())
    }
}

/// The mark of an event that must not be handled twice; other events have the same answer each time.
fn topic(host: &Host<'_>, call: &HookCall) -> Option<String> {
    let turn = call.event_id.as_deref();
    match &call.event {
        HookEvent::AfterTool(tool, result) => of_tool("after", turn, tool, result.texts()),
        HookEvent::ToolResult(tool, result) => of_tool("result", turn, tool, result.texts()),
        HookEvent::Prompt(text) => of_turn("prompt", call, text),
        HookEvent::Stop(Some(text)) => of_turn("answer", call, text),
        HookEvent::SessionStart(reason) => Some(of_start(*reason, host)),
        _ => None,
    }
}

/// Whether the next start of the session is another one.
fn ends_start(event: &HookEvent) -> bool {
    matches!(
        event,
        HookEvent::Prompt(_)
            | HookEvent::AfterTool(..)
            | HookEvent::BeforeCompact(_)
            | HookEvent::Compact(_)
            | HookEvent::SessionEnd
    )
}

fn release_starts(agent: &App, host: &Host<'_>) -> Result<(), AppError> {
    let store = agent.stores.own()?;
    for reason in StartReason::ALL {
        store.unmark(&agent.session, &of_start(reason, host))?;
    }
    Ok(())
}

/// The process is part of the name, because one that crashed does not say that its session ended.
fn of_start(reason: StartReason, host: &Host<'_>) -> String {
    format!("start {} {}", reason.name(), host.process)
}

/// The text is part of the name, because a turn may have several prompts and several answers.
fn of_turn(event: &str, call: &HookCall, text: &str) -> Option<String> {
    let id = call.event_id.as_deref()?;
    Some(name(event, [id, text].into_iter()))
}

/// The turn and the result are part of the name, because some model servers start again with `call_0` in every answer.
fn of_tool<'a>(
    event: &str,
    turn: Option<&'a str>,
    tool: &'a ToolCall,
    result: impl Iterator<Item = &'a str>,
) -> Option<String> {
    let id = tool.id.as_deref().filter(|id| !id.is_empty())?;
    Some(name(event, [turn.unwrap_or_default(), id, tool.name.as_str()].into_iter().chain(result)))
}

fn name<'a>(event: &str, parts: impl Iterator<Item = &'a str>) -> String {
    let mut hash = blake3::Hasher::new();
    for part in parts {
        hash.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    format!("{event} {}", &hash.finalize().to_hex()[..HASH_CHARS])
}

#[cfg(test)]
mod tests {
    use forebay_domain::hook::ToolAction;

    use super::*;

    fn after(id: Option<&str>, text: &str) -> Option<String> {
        after_in("turn 1", id, text)
    }

    fn after_in(turn: &str, id: Option<&str>, text: &str) -> Option<String> {
        let tool = ToolCall {
            name: "Bash".to_owned(),
            id: id.map(str::to_owned),
            action: ToolAction::Shell { command: "make".to_owned() },
            description: None,
            is_partial: false,
        };
        of_tool("after", Some(turn), &tool, std::iter::once(text))
    }

    #[test]
    fn only_the_same_result_of_the_same_call_has_the_same_mark() {
        let one = after(Some("call_0"), "output");
        assert!(one.is_some());
        assert_eq!(one, after(Some("call_0"), "output"));
        assert_ne!(one, after(Some("call_0"), "other"));
        assert_ne!(one, after(Some("call_1"), "output"));
        assert_ne!(one, after_in("turn 2", Some("call_0"), "output"));
        assert_eq!(after(None, "output"), None);
        assert_eq!(after(Some(""), "output"), None);
    }
}
