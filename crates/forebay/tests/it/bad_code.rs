//! Malformed, huge and hostile code: each call ends in bounded time with a clear answer.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::env::TestEnv;

#[test]
fn code_with_nul_bytes_is_refused() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    for arguments in [
        json!({ "code": "echo a\0b" }),
        json!({ "code": "print(1)\0", "language": "python" }),
        json!({ "code": "true", "env": { "A": "b\0" } }),
    ] {
        let answer = client.error("ctx_execute", arguments);
        assert!(answer.contains("NUL"), "{answer}");
    }
    let answer = client.error("ctx_execute", json!({ "code": "true", "env": { "A=B": "c" } }));
    assert!(answer.contains("invalid environment variable name"), "{answer}");
}

#[test]
fn ten_megabytes_of_code_run_or_are_refused() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let padding = "# padding that makes it long\n".repeat(10 * 1024 * 1024 / 29);
    let answer = client.text(
        "ctx_execute",
        json!({ "code": format!("{padding}print('arrived')"), "language": "python" }),
    );
    assert!(answer.contains("arrived"), "{answer}");
    let answer = client.error("ctx_execute", json!({ "code": format!("{padding}echo arrived") }));
    assert!(answer.contains("hint:"), "{answer}");
}

#[test]
fn rules_apply_to_the_targets_of_links_and_relative_paths() {
    let env = TestEnv::new();
    fs::create_dir_all(env.project().join(".claude")).unwrap();
    let rules = json!({ "permissions": { "deny": [format!("Read(/{}/**)", env.root().join("out").display())] } });
    env.write(".claude/settings.json", rules.to_string());
    fs::create_dir(env.root().join("out")).unwrap();
    fs::create_dir(env.root().join("free")).unwrap();
    fs::write(env.root().join("out/secret.txt"), "hidden").unwrap();
    fs::write(env.root().join("free/open.txt"), "shown").unwrap();
    symlink(env.root().join("out/secret.txt"), env.project().join("link.txt")).unwrap();
    let mut client = env.mcp();
    let count = |path: &str| json!({ "path": path, "code": "cat \"$FILE_PATH\"" });
    for denied in ["link.txt", "../out/secret.txt", "../app/../out/secret.txt"] {
        let answer = client.error("ctx_execute_file", count(denied));
        assert!(answer.contains("denies it") && !answer.contains("hidden"), "{denied}: {answer}");
    }
    assert!(client.text("ctx_execute_file", count("../free/open.txt")).contains("shown"));
    for (path, message) in
        [("gone.txt", "does not exist"), (".", "is a folder"), ("/dev/zero", "not a regular file")]
    {
        let answer = client.error("ctx_execute_file", count(path));
        assert!(answer.contains(message) && answer.contains("hint:"), "{answer}");
    }
}

#[test]
fn a_command_that_kills_its_process_group_does_not_kill_the_server() {
    let env = TestEnv::new();
    let mut client = env.mcp();
    let answer =
        client.text("ctx_execute", json!({ "code": "echo before; kill -9 0; echo after" }));
    assert!(answer.contains("killed by SIGKILL") && answer.ends_with("before"), "{answer}");
    assert!(client.text("ctx_execute", json!({ "code": "echo alive" })).contains("alive"));
}
