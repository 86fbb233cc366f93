//! An event that arrives twice is handled once.
//!
//! A host runs every hook that it finds: the plugin's and those of the project's settings, or those of another host
//! whose settings it also reads. Each is a process of its own, and they run at the same time. The first one claims the
//! result of a tool call with a mark in the store; the others are silent.

use forebay_domain::hook::{HookEvent, ToolCall, ToolResult};

use crate::{App, AppError};

/// Characters of a result's hash in its mark.
const HASH_CHARS: usize = 16;

/// A claimed event.
pub(super) struct Claim {
    topic: Option<String>,
}

impl Claim {
    /// Claims an event for this process; `None` if another one has.
    pub(super) fn new(app: &App, event: &HookEvent) -> Result<Option<Self>, AppError> {
        let topic = topic(event);
        let is_ours = match &topic {
            Some(topic) => app.stores.own()?.mark(&app.session, topic)?,
            None => true,
        };
        Ok(is_ours.then_some(Self { topic }))
    }

    /// Leaves an event that could not be handled to another process.
    pub(super) fn release(&self, app: &App) -> Result<(), AppError> {
        if let Some(topic) = &self.topic {
            app.stores.own()?.unmark(&app.session, topic)?;
        }
        Ok(())
    }
}

/// The mark of an event that must not be handled twice; other events have the same answer each time.
fn topic(event: &HookEvent) -> Option<String> {
    match event {
        HookEvent::AfterTool(tool, result) => name("after", tool, result),
        HookEvent::ToolResult(tool, result) => name("result", tool, result),
        _ => None,
    }
}

/// The result is part of the name, because some model servers start again with `call_0` in every answer.
fn name(event: &str, tool: &ToolCall, result: &ToolResult) -> Option<String> {
    let id = tool.id.as_deref().filter(|id| !id.is_empty())?;
    let mut hash = blake3::Hasher::new();
    for part in [id, tool.name.as_str()].into_iter().chain(result.texts()) {
        hash.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    Some(format!("{event} {}", &hash.finalize().to_hex()[..HASH_CHARS]))
}

#[cfg(test)]
mod tests {
    use forebay_domain::hook::{ResultPart, ToolAction};

    use super::*;

    fn after(id: Option<&str>, text: &str) -> Option<String> {
        let tool = ToolCall {
            name: "Bash".to_owned(),
            id: id.map(str::to_owned),
            action: ToolAction::Shell { command: "make".to_owned() },
            description: None,
            is_partial: false,
        };
        let parts = vec![ResultPart::Text(text.to_owned())];
        let result = ToolResult { parts, is_error: false, exit_code: None, saved: None, cut: None };
        topic(&HookEvent::AfterTool(tool, result))
    }

    #[test]
    fn only_the_same_result_of_the_same_call_has_the_same_mark() {
        let one = after(Some("call_0"), "output");
        assert!(one.is_some());
        assert_eq!(one, after(Some("call_0"), "output"));
        assert_ne!(one, after(Some("call_0"), "other"));
        assert_ne!(one, after(Some("call_1"), "output"));
        assert_eq!(after(None, "output"), None);
        assert_eq!(after(Some(""), "output"), None);
    }
}
