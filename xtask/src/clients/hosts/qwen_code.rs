//! Qwen Code.

use super::{GUIDE_START, Host};

pub(super) static HOST: Host = Host {
    label: "qwen-code",
    agent: "qwen-code",
    is_plugin: false,
    has_mod: false,
    package: "@qwen-code/qwen-code",
    program: "qwen",
    files: &[(
        ".qwen/settings.json",
        r#"{
  "security": { "auth": { "selectedType": "openai" }, "folderTrust": { "enabled": false } },
  "privacy": { "usageStatisticsEnabled": false },
  "general": { "enableAutoUpdate": false },
  "model": { "name": "scripted" },
  // no side requests after a turn
  "memory": { "enableManagedAutoMemory": false, "enableManagedAutoDream": false, "enableAutoSkill": false },
  // another server
  "mcpServers": { "probe": { "command": "{probe}", "args": ["probe"], "trust": true, "alwaysLoadTools": true } }
}
"#,
    )],
    env: &[
        ("OPENAI_API_KEY", "scripted"),
        ("OPENAI_BASE_URL", "{url}/v1"),
        ("OPENAI_MODEL", "scripted"),
        ("QWEN_CODE_SUPPRESS_YOLO_WARNING", "1"),
    ],
    start: &["--yolo", "-p"],
    resume: &["--yolo", "--continue", "-p"],
    end: &[],
    resumed_with: GUIDE_START,
    compact: Some("/compress"),
    commands: &[],
};
