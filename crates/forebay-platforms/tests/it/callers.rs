//! Hosts run each other's hooks; a hook answers only its own host.

use forebay_platforms::{PLATFORMS, decode, find};

use crate::samples;

#[test]
fn accepts_payloads_of_the_own_host() {
    for platform in PLATFORMS {
        for sample in samples::samples_of(platform) {
            let own = platform.caller.own_env;
            let decoded = sample.decoded();
            assert!(
                decoded.is_from_platform(|name| own.contains(&name)),
                "{} {}",
                platform.id,
                sample.name
            );
            assert!(decoded.is_from_platform(|_| false), "{} {}", platform.id, sample.name);
        }
    }
}

/// Hosts that read Claude Code's settings send its hooks their own payloads.
#[test]
fn claude_code_hook_rejects_payloads_of_other_hosts() {
    let claude = find("claude-code").unwrap();
    for id in ["cursor", "vscode-copilot", "qwen-code", "gemini-cli", "copilot-cli"] {
        for sample in samples::samples_of(find(id).unwrap()) {
            let decoded = decode(claude, "PreToolUse", &sample.bytes).unwrap();
            // Also if the agent runs in Claude Code's shell.
            assert!(!decoded.is_from_platform(|name| name == "CLAUDECODE"), "{id} {}", sample.name);
        }
    }
}

/// Copilot CLI's other format: snake case, with event name and timestamp.
const COPILOT_PASCAL: &str = r#"{"session_id": "s", "timestamp": "2026-11-15T00:51:07.265Z",
    "cwd": "/home/user/project", "hook_event_name": "PreToolUse", "tool_name": "Bash",
    "tool_input": {"command": "ls"}}"#;

#[test]
fn distinguishes_copilot_cli_from_vs_code() {
    let vscode = decode(find("vscode-copilot").unwrap(), "PreToolUse", COPILOT_PASCAL.as_bytes());
    assert!(!vscode.unwrap().is_from_platform(|name| name == "COPILOT_CLI"));
    let copilot = find("copilot-cli").unwrap();
    for sample in samples::samples_of(find("vscode-copilot").unwrap()) {
        assert!(!decode(copilot, "preToolUse", &sample.bytes).unwrap().is_from_platform(|_| true));
    }
}

#[test]
fn own_variable_takes_precedence_over_foreign_one() {
    let sample = &samples::samples_of(find("claude-code").unwrap())[2];
    let both = |name: &str| ["CLAUDECODE", "COPILOT_CLI"].contains(&name);
    assert!(sample.decoded().is_from_platform(both));
    assert!(!sample.decoded().is_from_platform(|name| name == "COPILOT_CLI"));
}
