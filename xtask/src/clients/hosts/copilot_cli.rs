//! GitHub Copilot CLI, with a custom provider.

use super::{GUIDE_START, Host};

pub(super) static HOST: Host = Host {
    label: "copilot-cli",
    agent: "copilot-cli",
    is_plugin: false,
    has_mod: false,
    package: "@github/copilot",
    program: "copilot",
    files: &[(
        ".copilot/mcp-config.json",
        r#"{"mcpServers": {"probe": {"type": "local", "command": "{probe}", "args": ["probe"], "tools": ["*"]}}}"#,
    )],
    env: &[
        ("COPILOT_OFFLINE", "true"),
        ("COPILOT_HOME", "{home}/.copilot"),
        ("COPILOT_AUTO_UPDATE", "false"),
        ("COPILOT_PROVIDER_TYPE", "openai"),
        ("COPILOT_PROVIDER_BASE_URL", "{url}/v1"),
        ("COPILOT_PROVIDER_API_KEY", "scripted"),
        ("COPILOT_MODEL", "scripted"),
    ],
    start: &["--allow-all-tools", "--trust-folder", "-p"],
    resume: &["--allow-all-tools", "--continue", "-p"],
    end: &[],
    resumed_with: GUIDE_START,
    compact: None,
    commands: &[],
};
