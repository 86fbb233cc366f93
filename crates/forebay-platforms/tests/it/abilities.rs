//! The tables tell the truth: what a host is said to be able to do can be said to it, and no more.

use std::collections::HashSet;

use forebay_domain::hook::{HookEvent, Moment, Reply, ToolKind};
use forebay_platforms::platform::{Ability, Replaces};
use forebay_platforms::setup::Holds;
use forebay_platforms::{PLATFORMS, encode};

use crate::samples;

/// What an answer to an event shows a host to be capable of.
fn shown(reply: &Reply, moment: Moment, is_mcp: bool) -> Option<Ability> {
    Some(match (reply, moment) {
        (Reply::Deny(_), _) => Ability::Deny,
        (Reply::Ask(_), _) => Ability::Ask,
        (Reply::Rewrite(_), _) => Ability::Rewrite,
        (Reply::Replace(_), _) if is_mcp => Ability::ReplaceMcp,
        (Reply::Replace(_), _) => Ability::ReplaceOwn,
        (Reply::Context(_), Moment::BeforeTool) => Ability::ContextBeforeTool,
        (Reply::Context(_), Moment::AfterTool) => Ability::ContextAfterTool,
        (Reply::Context(_), Moment::Prompt) => Ability::ContextAtPrompt,
        (Reply::Context(_), Moment::SessionStart) => Ability::ContextAtStart,
        (Reply::Context(_), Moment::BeforeCompact) => Ability::ContextForCompaction,
        _ => return None,
    })
}

#[test]
fn what_samples_show_is_what_the_table_says() {
    for platform in PLATFORMS {
        for sample in samples::of(platform) {
            let decoded = sample.decoded();
            let moment = decoded.call.event.moment();
            let kind = match &decoded.call.event {
                HookEvent::BeforeTool(tool) | HookEvent::AfterTool(tool, _) => tool.action.kind(),
                _ => ToolKind::Other,
            };
            for reply in samples::replies() {
                let Ok(output) = encode(&decoded, &reply) else { continue };
                let place = format!("{} {} {reply:?}", platform.id, sample.name);
                let ability = shown(&reply, moment, kind == ToolKind::Mcp);
                assert!(ability.is_some_and(|ability| platform.can(ability)), "{place}: not told");
                let says = !output.stdout.is_empty() || output.exit_code == 2;
                assert!(says, "{place}: nothing is said");
            }
        }
    }
}

#[test]
fn tables_agree_with_themselves() {
    let mut ids = HashSet::new();
    for platform in PLATFORMS {
        let id = platform.id;
        assert!(ids.insert(id), "{id} twice");
        assert!(!platform.cannot.is_empty(), "{id} can do everything?");
        assert!(!platform.files.is_empty(), "{id} cannot be set up");
        let replaces = platform.can(Ability::ReplaceOwn) || platform.can(Ability::ReplaceMcp);
        assert_eq!(replaces, platform.replaces != Replaces::Nothing, "{id}");
        let sees = |moment| platform.registered().any(|row| row.moment == moment);
        assert_eq!(platform.can(Ability::SeeStart), sees(Moment::SessionStart), "{id}");
        assert_eq!(platform.can(Ability::SeePrompt), sees(Moment::Prompt), "{id}");
        assert_eq!(platform.can(Ability::SeeCompaction), sees(Moment::BeforeCompact), "{id}");
        let has_shell = platform.tools.iter().any(|(_, kind)| *kind == ToolKind::Shell)
            || platform.events.iter().any(|row| row.tool == Some(ToolKind::Shell));
        assert_eq!(has_shell, !platform.events.is_empty(), "{id}");
        let writes_hooks = platform
            .files
            .iter()
            .any(|file| matches!(file.holds, Holds::Hooks(_) | Holds::Whole(_)));
        assert_eq!(platform.has_hooks(), writes_hooks, "{id}");
        let names: HashSet<&str> = platform.events.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), platform.events.len(), "{id} has an event twice");
        let tools: HashSet<&str> = platform.tools.iter().map(|(name, _)| *name).collect();
        assert_eq!(tools.len(), platform.tools.len(), "{id} has a tool twice");
    }
    assert_eq!(ids.len(), 14);
}

#[test]
fn limits_are_bytes_to_whoever_writes() {
    let bytes = |id| forebay_platforms::find(id).unwrap().context_bytes();
    assert_eq!(
        [bytes("claude-code"), bytes("codex"), bytes("opencode")],
        [Some(10_000), Some(10_000), None]
    );
}

#[test]
fn what_cannot_be_said_is_named() {
    let qwen = samples::of(forebay_platforms::find("qwen-code").unwrap());
    let after = qwen.iter().find(|sample| sample.event == "PostToolUse").unwrap();
    let refused = encode(&after.decoded(), &Reply::Replace("x".to_owned())).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "Qwen Code cannot replace a result at this event (after a tool)"
    );
}
