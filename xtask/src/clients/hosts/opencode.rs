//! OpenCode.

use super::{GUIDE_START, Host};

pub(super) static HOST: Host = Host {
    label: "opencode",
    agent: "opencode",
    is_plugin: false,
    has_mod: false,
    package: "opencode-ai",
    program: "opencode",
    files: &[(
        ".config/opencode/opencode.json",
        r#"{
  "$schema": "https://opencode.ai/config.json",
  // a custom model
  "provider": {
    "scripted": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": "{url}/v1", "apiKey": "scripted" },
      "models": { "scripted": { "name": "scripted", "tool_call": true, "limit": { "context": 200000, "output": 8000 } } },
    },
  },
  "permission": "allow",
  "mcp": {
    "probe": { "type": "local", "command": ["{probe}", "probe"], "enabled": true },
  },
}
"#,
    )],
    env: &[
        ("OPENCODE_DISABLE_AUTOUPDATE", "true"),
        ("OPENCODE_DISABLE_SHARE", "true"),
        ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "true"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "true"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "true"),
    ],
    start: &["run", "--model", "scripted/scripted"],
    resume: &["run", "--model", "scripted/scripted", "--continue"],
    end: &[],
    resumed_with: GUIDE_START,
    compact: None,
    commands: &[],
};
