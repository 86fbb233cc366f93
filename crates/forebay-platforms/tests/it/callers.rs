//! Who is calling: hosts run each other's hooks, and a hook speaks to its own host only.

use forebay_platforms::{PLATFORMS, decode, find};

use crate::samples;

#[test]
fn every_host_knows_its_own_payloads() {
    for platform in PLATFORMS {
        for sample in samples::of(platform) {
            let own = platform.caller.own_env;
            let decoded = sample.decoded();
            assert!(
                decoded.is_from_its_platform(|name| own.contains(&name)),
                "{} {}",
                platform.id,
                sample.name
            );
            assert!(decoded.is_from_its_platform(|_| false), "{} {}", platform.id, sample.name);
        }
    }
}

/// Hosts that read Claude Code's settings send its hooks their own payloads.
#[test]
fn claude_codes_hooks_know_strangers() {
    let claude = find("claude-code").unwrap();
    for id in ["cursor", "vscode-copilot", "qwen-code", "gemini-cli", "copilot-cli"] {
        for sample in samples::of(find(id).unwrap()) {
            let decoded = decode(claude, "PreToolUse", &sample.bytes).unwrap();
            // Even when an agent was started from Claude Code's shell.
            assert!(
                !decoded.is_from_its_platform(|name| name == "CLAUDECODE"),
                "{id} {}",
                sample.name
            );
        }
    }
}

/// Copilot CLI in its other spelling: snake case, with an event name and a time.
const COPILOT_PASCAL: &str = r#"{"session_id": "s", "timestamp": "2026-11-15T00:51:07.265Z",
    "cwd": "/home/user/project", "hook_event_name": "PreToolUse", "tool_name": "Bash",
    "tool_input": {"command": "ls"}}"#;

#[test]
fn copilot_and_vs_code_share_files_and_are_told_apart() {
    let vscode = decode(find("vscode-copilot").unwrap(), "PreToolUse", COPILOT_PASCAL.as_bytes());
    assert!(!vscode.unwrap().is_from_its_platform(|name| name == "COPILOT_CLI"));
    let copilot = find("copilot-cli").unwrap();
    for sample in samples::of(find("vscode-copilot").unwrap()) {
        assert!(
            !decode(copilot, "preToolUse", &sample.bytes).unwrap().is_from_its_platform(|_| true)
        );
    }
}

#[test]
fn a_shell_inside_another_agent_changes_nothing() {
    let sample = &samples::of(find("claude-code").unwrap())[2];
    let both = |name: &str| ["CLAUDECODE", "COPILOT_CLI"].contains(&name);
    assert!(sample.decoded().is_from_its_platform(both));
    assert!(!sample.decoded().is_from_its_platform(|name| name == "COPILOT_CLI"));
}
