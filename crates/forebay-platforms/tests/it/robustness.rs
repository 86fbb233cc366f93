//! No input on stdin crashes the decoder or the encoders.

use forebay_platforms::{PLATFORMS, decode, encode};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::samples;

/// Field names of some host, so that random objects reach deep code.
const FIELD_NAMES: &[&str] = &[
    "hook_event_name",
    "tool_name",
    "tool_input",
    "tool_response",
    "toolName",
    "toolArgs",
    "toolResult",
    "tool_call",
    "tool_result",
    "name",
    "input",
    "output",
    "command",
    "commands",
    "content",
    "text",
    "stdout",
    "stderr",
    "llmContent",
    "metadata",
    "exit",
    "todos",
    "status",
    "file_path",
    "paths",
    "prompt",
    "source",
    "trigger",
    "session_id",
    "isError",
    "tool_info",
    "mcp_context",
];
const VALUES: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "Bash",
    "bash",
    "run_commands",
    "mcp__a__b",
    "mcp__",
    "a-b",
    "_",
    "@x/y",
    "MCP:z",
    "",
    "startup",
    "Exit Code: 99999999999",
    "<persisted-output>\nFull output saved to: é",
];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop::sample::select(VALUES).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(FIELD_NAMES), inner), 0..6).prop_map(
                |fields| {
                    Value::Object(
                        fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<Map<_, _>>(),
                    )
                }
            ),
        ]
    })
}

fn try_all(bytes: &[u8]) {
    for platform in PLATFORMS {
        let names = platform.events.iter().map(|row| row.name).chain(["NoSuchEvent"]);
        for event in names {
            let Ok(decoded) = decode(platform, event, bytes) else { continue };
            for reply in samples::replies() {
                let _ = encode(&decoded, &reply);
            }
        }
    }
}

proptest! {
    #[test]
    fn handles_any_json(value in value()) {
        try_all(value.to_string().as_bytes());
    }

    #[test]
    fn handles_any_bytes(bytes: Vec<u8>) {
        try_all(&bytes);
    }

    #[test]
    fn replies_to_any_tool_result_are_json(value in value()) {
        let payload = serde_json::json!({"tool_name": "Bash", "tool_input": {"command": "x"}, "tool_response": value});
        for platform in PLATFORMS.iter().filter(|platform| !["kiro", "windsurf"].contains(&platform.id)) {
            for row in platform.events {
                let decoded = decode(platform, row.name, payload.to_string().as_bytes()).unwrap();
                for reply in samples::replies() {
                    let is_text = row.moment == forebay_domain::hook::Moment::BeforeCompact;
                    if let Ok(output) = encode(&decoded, &reply) && !is_text {
                        prop_assert!(serde_json::from_str::<Value>(&output.stdout).is_ok(), "{}", output.stdout);
                    }
                }
            }
        }
    }
}

#[test]
fn rejects_truncated_payloads() {
    for platform in PLATFORMS {
        for sample in samples::samples_of(platform) {
            let end = sample.bytes.len() - 2;
            for cut in (0..end).step_by(37) {
                assert!(decode(platform, &sample.event, &sample.bytes[..cut]).is_err());
            }
        }
    }
}

#[test]
fn rejects_other_json_and_invalid_utf8() {
    let platform = PLATFORMS[0];
    for bytes in [&b""[..], b"[]", b"\"x\"", b"null", b"{\"prompt\": \"\xff\xfe\"}", b"{} {}"] {
        assert!(decode(platform, "PreToolUse", bytes).is_err(), "{bytes:?}");
    }
    assert!(decode(platform, "PreToolUse", b"\xef\xbb\xbf{}").is_ok());
}
