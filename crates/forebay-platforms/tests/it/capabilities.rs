//! Capabilities in the tables agree with the replies that can be encoded.

use std::collections::HashSet;

use forebay_domain::hook::{HookEvent, Moment, Reply, ToolKind};
use forebay_platforms::platform::{Capability, Replacement};
use forebay_platforms::setup::FileContent;
use forebay_platforms::{PLATFORMS, encode};

use crate::samples;

/// The capability that a reply to an event demonstrates.
fn demonstrated(reply: &Reply, moment: Moment, is_mcp: bool) -> Option<Capability> {
    Some(match (reply, moment) {
        (Reply::Deny(_), _) => Capability::Deny,
        (Reply::Ask(_), _) => Capability::Ask,
        (Reply::Rewrite(_), _) => Capability::Rewrite,
        (Reply::Replace(_), _) if is_mcp => Capability::ReplaceMcp,
        (Reply::Replace(_), _) => Capability::ReplaceOwn,
        (Reply::Context(_), Moment::BeforeTool) => Capability::ContextBeforeTool,
        (Reply::Context(_), Moment::AfterTool) => Capability::ContextAfterTool,
        (Reply::Context(_), Moment::Prompt) => Capability::ContextAtPrompt,
        (Reply::Context(_), Moment::SessionStart) => Capability::ContextAtStart,
        (Reply::Context(_), Moment::BeforeCompact) => Capability::ContextForCompaction,
        _ => return None,
    })
}

#[test]
fn encodable_replies_match_the_table() {
    for platform in PLATFORMS {
        for sample in samples::samples_of(platform) {
            let decoded = sample.decoded();
            let moment = decoded.call.event.moment();
            let kind = match &decoded.call.event {
                HookEvent::BeforeTool(tool) | HookEvent::AfterTool(tool, _) => tool.action.kind(),
                _ => ToolKind::Other,
            };
            for reply in samples::replies() {
                let Ok(output) = encode(&decoded, &reply) else { continue };
                let context = format!("{} {} {reply:?}", platform.id, sample.name);
                let shown = demonstrated(&reply, moment, kind == ToolKind::Mcp);
                assert!(shown.is_some_and(|one| platform.can(one)), "{context}: not in the table");
                let has_output = !output.stdout.is_empty() || output.exit_code == 2;
                assert!(has_output, "{context}: no output");
            }
        }
    }
}

#[test]
fn tables_are_consistent() {
    let mut ids = HashSet::new();
    for platform in PLATFORMS {
        let id = platform.id;
        assert!(ids.insert(id), "{id} twice");
        assert!(!platform.limitations.is_empty(), "{id} has no limitations");
        assert!(!platform.files.is_empty(), "{id} cannot be set up");
        let replaces = platform.can(Capability::ReplaceOwn) || platform.can(Capability::ReplaceMcp);
        assert_eq!(replaces, platform.replacement != Replacement::Unsupported, "{id}");
        let sees = |moment| platform.registered_events().any(|row| row.moment == moment);
        assert_eq!(platform.can(Capability::SeeStart), sees(Moment::SessionStart), "{id}");
        assert_eq!(platform.can(Capability::SeePrompt), sees(Moment::Prompt), "{id}");
        assert_eq!(platform.can(Capability::SeeCompaction), sees(Moment::BeforeCompact), "{id}");
        let has_shell = platform.tools.iter().any(|(_, kind)| *kind == ToolKind::Shell)
            || platform.events.iter().any(|row| row.tool == Some(ToolKind::Shell));
        assert_eq!(has_shell, !platform.events.is_empty(), "{id}");
        let writes_hooks = platform
            .files
            .iter()
            .any(|file| matches!(file.content, FileContent::Hooks(_) | FileContent::Owned(_)));
        assert_eq!(platform.has_hooks(), writes_hooks, "{id}");
        let names: HashSet<&str> = platform.events.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), platform.events.len(), "{id} has an event twice");
        let tools: HashSet<&str> = platform.tools.iter().map(|(name, _)| *name).collect();
        assert_eq!(tools.len(), platform.tools.len(), "{id} has a tool twice");
    }
    assert_eq!(ids.len(), 14);
}

#[test]
fn context_limits_are_in_bytes() {
    let bytes = |id| forebay_platforms::find(id).unwrap().context_bytes();
    assert_eq!(
        [bytes("claude-code"), bytes("codex"), bytes("opencode")],
        [Some(10_000), Some(10_000), None]
    );
}

#[test]
fn unsupported_reply_is_an_error() {
    let kiro = samples::samples_of(forebay_platforms::find("kiro").unwrap());
    let after = kiro.iter().find(|sample| sample.event == "PostToolUse").unwrap();
    let refused = encode(&after.decoded(), &Reply::Replace("x".to_owned())).unwrap_err();
    assert_eq!(refused.to_string(), "Kiro cannot replace a result at this event (after a tool)");
}
