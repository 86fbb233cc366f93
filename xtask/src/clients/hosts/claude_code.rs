//! Claude Code.

use super::{GUIDE_START, Host};

pub(super) const HOST: Host = Host {
    label: "claude-code",
    agent: "claude-code",
    is_plugin: false,
    has_mod: true,
    package: "@anthropic-ai/claude-code",
    program: "claude",
    files: &[(
        ".claude.json",
        r#"{"hasCompletedOnboarding": true, "mcpServers": {"probe": {"type": "stdio", "command": "{probe}", "args": ["probe"], "alwaysLoad": true}}}"#,
    )],
    env: &[
        ("SHELL", "/bin/bash"),
        ("ANTHROPIC_BASE_URL", "{url}"),
        ("ANTHROPIC_API_KEY", "scripted"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ],
    start: &["-p"],
    resume: &["--continue", "-p"],
    end: &[
        "--allowedTools",
        "Bash,Agent,mcp__probe,mcp__forebay__ctx_execute,mcp__forebay__ctx_get",
    ],
    resumed_with: GUIDE_START,
    compact: Some("/compact"),
    commands: &[],
};

/// Claude Code with the plugin in place of `forebay init`.
pub(super) static WITH_PLUGIN: Host = Host {
    label: "claude plugin",
    is_plugin: true,
    start: &["--plugin-dir", "{plugin}", "-p"],
    resume: &["--plugin-dir", "{plugin}", "--continue", "-p"],
    end: &["--allowedTools", "Bash,Agent,mcp__probe,mcp__plugin_forebay_forebay__ctx_execute"],
    compact: None,
    commands: &[
        ("/forebay:stats", "show its answer as it is"),
        ("/forebay:doctor", "If a check failed"),
        ("/forebay:search flamingo", "with the query: flamingo"),
    ],
    ..HOST
};

/// Claude Code with only the permission rules of its settings.
pub(in crate::clients) static WITH_RULES: Host = Host { label: "claude rules", end: &[], ..HOST };
