//! Gemini CLI.

use super::{GUIDE_START, Host};

pub(super) static HOST: Host = Host {
    label: "gemini-cli",
    agent: "gemini-cli",
    is_plugin: false,
    has_mod: false,
    package: "@google/gemini-cli",
    program: "gemini",
    files: &[(
        ".gemini/settings.json",
        r#"{
  "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },
  "privacy": { "usageStatisticsEnabled": false },
  "general": { "enableAutoUpdate": false },
  // another server
  "mcpServers": { "probe": { "command": "{probe}", "args": ["probe"], "trust": true } }
}
"#,
    )],
    env: &[
        ("GOOGLE_GEMINI_BASE_URL", "{url}"),
        ("GEMINI_API_KEY", "scripted"),
        ("GEMINI_TELEMETRY_ENABLED", "false"),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ("GEMINI_CLI_NO_RELAUNCH", "true"),
    ],
    start: &["--yolo", "-m", "gemini-2.5-flash", "-p"],
    resume: &["--yolo", "-m", "gemini-2.5-flash", "--resume", "latest", "-p"],
    end: &[],
    resumed_with: GUIDE_START,
    compact: None,
    commands: &[],
};
