//! Cline CLI. Without a hub, it leaves no process behind.
//!
//! It resumes a conversation only in a terminal: the next one is new, and gets the guide to the project.

use super::Host;

pub(super) static HOST: Host = Host {
    label: "cline",
    agent: "cline",
    is_plugin: false,
    has_mod: false,
    package: "cline",
    program: "cline",
    files: &[
        (
            ".cline/data/settings/providers.json",
            r#"{
  "version": 1,
  "lastUsedProvider": "openai-compatible",
  "providers": {
    "openai-compatible": {
      "settings": { "provider": "openai-compatible", "apiKey": "scripted", "model": "scripted", "baseUrl": "{url}/v1" },
      "updatedAt": "2026-11-18T00:00:00.000Z",
      "tokenSource": "manual"
    }
  }
}
"#,
        ),
        (
            ".cline/data/settings/cline_mcp_settings.json",
            r#"{ "mcpServers": { "probe": { "command": "{probe}", "args": ["probe"] } } }
"#,
        ),
    ],
    env: &[
        ("CLINE_SESSION_BACKEND_MODE", "local"),
        // On a busy machine, Cline gives up on a plugin after 4 seconds.
        ("CLINE_PLUGIN_IMPORT_TIMEOUT_MS", "30000"),
    ],
    start: &[],
    resume: &[],
    end: &[],
    resumed_with: "What Forebay knows about this project",
    compact: None,
    commands: &[],
};
