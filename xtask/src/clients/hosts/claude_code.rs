//! Claude Code.

use super::Host;

pub(super) static HOST: Host = Host {
    agent: "claude-code",
    package: "@anthropic-ai/claude-code",
    program: "claude",
    files: &[(
        ".claude.json",
        r#"{"hasCompletedOnboarding": true, "mcpServers": {"probe": {"type": "stdio", "command": "{probe}", "args": ["probe"], "alwaysLoad": true}}}"#,
    )],
    env: &[
        ("ANTHROPIC_BASE_URL", "{url}"),
        ("ANTHROPIC_API_KEY", "scripted"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ],
    start: &["-p"],
    resume: &["--continue", "-p"],
    end: &["--allowedTools", "Bash,mcp__probe__long,mcp__forebay__ctx_execute"],
    resumes: true,
    compacts: true,
};
