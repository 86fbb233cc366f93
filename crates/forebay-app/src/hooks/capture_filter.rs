//! Decides which tools' results are captured.

use forebay_domain::hook::{ToolAction, ToolCall, ToolKind};

use crate::own_calls::is_own_command;
use crate::settings::Hooks;
use crate::tools::TOOLS;

/// Whether a result of this tool may be stored and replaced.
///
/// Never those of the host's own file tools: hosts require a real read before an edit.
pub(crate) fn is_captured(call: &ToolCall, settings: &Hooks) -> bool {
    is_captured_action(call) && is_selected(&call.name, settings)
}

/// Whether the text that the model gets from this tool may be stored and replaced: also the report of a subagent, and
/// results whose structure only the host knows.
pub(super) fn is_captured_as_text(call: &ToolCall, settings: &Hooks) -> bool {
    let is_report = matches!(call.action, ToolAction::Task { .. } | ToolAction::Other);
    (is_report || is_captured_action(call)) && is_selected(&call.name, settings)
}

/// Whether a result of this tool may be cut when the conversation is compacted: not what the model goes by.
pub(super) fn is_cut_by_compaction(call: &ToolCall, settings: &Hooks) -> bool {
    let guides_model = matches!(
        call.action,
        ToolAction::Todo { .. } | ToolAction::Skill { .. } | ToolAction::Plan { .. }
    );
    !guides_model && is_selected(&call.name, settings)
}

/// Like [`is_captured`], for a past call of which only the tool is known.
pub(crate) fn is_captured_kind(name: &str, kind: ToolKind, settings: &Hooks) -> bool {
    let is_own = TOOLS.iter().any(|own| name.ends_with(own.name));
    let is_such = matches!(
        kind,
        ToolKind::Shell | ToolKind::Search | ToolKind::Fetch | ToolKind::WebSearch | ToolKind::Mcp
    );
    is_such && !is_own && is_selected(name, settings)
}

/// Whether the settings name a tool among those whose results may be replaced.
fn is_selected(name: &str, settings: &Hooks) -> bool {
    let matches = |pattern: &String| matches(pattern, name);
    settings.allow.iter().any(matches) && !settings.never.iter().any(matches)
}

fn is_captured_action(call: &ToolCall) -> bool {
    match &call.action {
        ToolAction::Shell { command } => !is_own_command(command),
        ToolAction::Search { .. } | ToolAction::Fetch { .. } | ToolAction::WebSearch { .. } => true,
        ToolAction::Mcp { tool, .. } => !is_own_tool(tool),
        _ => false,
    }
}

/// Whether a tool is Forebay's own, whose answers already fit a budget.
fn is_own_tool(tool: &str) -> bool {
    TOOLS.iter().any(|own| own.name == tool)
}

/// Whether a name matches a pattern in which `*` matches anything.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    if first.len() == pattern.len() {
        return rest.is_empty();
    }
    let pieces: Vec<&str> = pieces.collect();
    let (last, between) = pieces.split_last().map_or(("", &[][..]), |(last, rest)| (*last, rest));
    for piece in between {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Compactor;

    #[test]
    fn star_matches_anything() {
        for (pattern, name, expect) in [
            ("*", "Bash", true),
            ("Bash", "Bash", true),
            ("Bash", "BashOutput", false),
            ("mcp__*", "mcp__gh__list", true),
            ("mcp__*__list", "mcp__gh__list", true),
            ("mcp__*__list", "mcp__gh__push", false),
            ("*gh*", "mcp__gh__list", true),
            ("a*a", "a", false),
            ("", "Bash", false),
        ] {
            assert_eq!(matches(pattern, name), expect, "{pattern} {name}");
        }
    }

    fn check(name: &str, action: ToolAction, expect: bool) {
        let settings = Hooks {
            threshold: 2000,
            allow: vec!["*".to_owned()],
            never: vec!["mcp__db__*".to_owned()],
            keep_digests: Vec::new(),
            rewrite: true,
            whole_output: true,
            compact: Compactor::Host,
            compact_min_saving: 50,
            start_budget: 500,
            compact_budget: 1000,
        };
        let call = ToolCall {
            name: name.to_owned(),
            id: None,
            action,
            description: None,
            is_partial: false,
        };
        assert_eq!(is_captured(&call, &settings), expect, "{name}");
    }

    #[test]
    fn never_captures_file_tools_and_own_tools() {
        let mcp = |server: &str, tool: &str| ToolAction::Mcp {
            server: Some(server.to_owned()),
            tool: tool.to_owned(),
        };
        check("Bash", ToolAction::Shell { command: "cargo test".into() }, true);
        check("Bash", ToolAction::Shell { command: "forebay get --raw x".into() }, false);
        check("Read", ToolAction::Read { paths: vec!["a".into()] }, false);
        check("Edit", ToolAction::Edit { paths: vec!["a".into()] }, false);
        check("Task", ToolAction::Task { description: "x".into(), agent: None }, false);
        check("mcp__gh__list", mcp("gh", "list"), true);
        check("mcp__db__query", mcp("db", "query"), false);
        check(
            "mcp__plugin_forebay_forebay__ctx_get",
            mcp("plugin_forebay_forebay", "ctx_get"),
            false,
        );
    }
}
