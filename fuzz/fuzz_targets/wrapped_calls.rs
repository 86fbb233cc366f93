//! Whatever a client sends through `forebay wrap`, no call of a denied tool reaches the server, however it reads lines.
#![no_main]

use std::fs;
use std::sync::LazyLock;

use forebay::fuzzing::{lines_for_wrapped_server, rewritten_object};
use forebay_app::wrap::WrappedServer;
use forebay_fuzz::app;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let claude = folder.path().join("project/.claude");
    fs::create_dir_all(&claude).unwrap();
    let rules = r#"{"permissions":{"deny":["mcp__srv__die"]}}"#;
    fs::write(claude.join("settings.json"), rules).unwrap();
    folder
});

fuzz_target!(|input: &[u8]| {
    let server = WrappedServer::new(app(FOLDER.path()), "srv");
    let sent = lines_for_wrapped_server(server, input).unwrap();
    let sent = String::from_utf8_lossy(&sent);
    // Some servers end a line at a carriage return or at a separator of Unicode.
    for line in sent.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        let line = line.trim().trim_start_matches('\u{feff}');
        match serde_json::from_str(line) {
            Ok(Value::Array(messages)) => messages.iter().for_each(assert_allowed),
            Ok(message) => assert_allowed(&message),
            Err(_) => {}
        }
    }
    if let Ok(text) = std::str::from_utf8(input)
        && let Some(rewritten) = rewritten_object(text)
        && let Ok(before) = serde_json::from_str::<Value>(text)
    {
        assert_eq!(serde_json::from_str::<Value>(&rewritten).unwrap(), before, "{rewritten}");
    }
});

fn assert_allowed(message: &Value) {
    let is_call = message["method"] == "tools/call";
    assert!(!(is_call && message["params"]["name"] == "die"), "{message} was forwarded");
}
