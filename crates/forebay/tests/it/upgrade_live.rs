//! An upgrade and the way back while sessions run: nothing is lost, and sessions report that their program was replaced.

use std::fs;

use serde_json::{Value, json};

use crate::env::{TestEnv, finish, reference_in};
use crate::mcp_client::McpClient;
use crate::release_server::{INSTALLED, Installation, NEWER, Publisher, program_with_version};

/// The log messages about an upgrade that a client has received.
fn notices(mcp: &mut McpClient) -> Vec<String> {
    let pending = mcp.take_pending().into_iter();
    let logged = pending.filter(|message| message["method"] == "notifications/message");
    let notice = |message: Value| Some(message["params"]["data"]["notice"].as_str()?.to_owned());
    logged.filter_map(notice).collect()
}

fn note(installed: &Installation<'_>, text: &str) -> String {
    finish(installed.command(&["note", "--", text]), b"").ok().reference()
}

fn doctor(installed: &Installation<'_>) -> Vec<Value> {
    let answer = finish(installed.command(&["doctor", "--json"]), b"").json();
    answer["checks"].as_array().unwrap().clone()
}

#[test]
fn a_session_lives_through_an_upgrade_and_the_way_back() {
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    publisher.publish(NEWER, &program_with_version(NEWER));
    finish(installed.command(&["init", "claude-code", "--yes"]), b"").ok();
    let mut session = McpClient::initialized(installed.command(&["mcp"]));
    session.ask("logging/setLevel", json!({ "level": "notice" }));
    let mut written =
        vec![reference_in(&session.text("ctx_execute", json!({ "code": "echo first" })))];
    assert_eq!(notices(&mut session), [] as [String; 0]);

    let pipe = env.project().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0)
        .unwrap();
    let call = session.begin("ctx_execute", json!({ "code": "read x < pipe; echo during" }));
    installed.upgrade_from(&publisher, &[]).ok();
    fs::write(&pipe, "go\n").unwrap();
    let answer = session.response(call);
    written.push(reference_in(&answer["result"]["content"][0]["text"].to_string()));
    assert_eq!(notices(&mut session).len(), 1, "told once");
    written.push(reference_in(&session.text("ctx_annotate", json!({ "text": "old session" }))));
    assert_eq!(notices(&mut session), [] as [String; 0]);
    let told = session.text("ctx_doctor", json!({}));
    assert!(told.contains("restart it to use that"), "{told}");

    written.push(note(&installed, "by the new version"));
    let checks = doctor(&installed);
    let finding = |name: &str| {
        let check = checks.iter().find(|check| check["name"] == name);
        check.map(|check| check["finding"].as_str().unwrap().to_owned()).unwrap_or_default()
    };
    assert!(finding("forebay").starts_with(NEWER), "{checks:?}");
    let process = session.process().as_raw_nonzero().to_string();
    assert!(finding("processes").contains(&process), "{checks:?}");

    installed.upgrade("", "", &["--rollback"]).ok();
    assert_eq!(installed.version(), format!("forebay {INSTALLED}"));
    written.push(note(&installed, "after the way back"));
    written.push(reference_in(&session.text("ctx_annotate", json!({ "text": "still here" }))));
    for reference in &written {
        finish(installed.command(&["get", reference]), b"").ok();
    }
    let set_up = finish(installed.command(&["init", "claude-code", "--dry-run"]), b"").ok();
    assert!(set_up.text().contains("nothing to change"), "no stale path: {set_up:?}");
}

#[test]
fn a_store_that_a_newer_version_migrated_is_left_to_it() {
    let env = TestEnv::new();
    let mut session = env.mcp();
    let before = reference_in(&session.text("ctx_annotate", json!({ "text": "before" })));
    let database = rusqlite::Connection::open(env.database()).unwrap();
    let newer = "INSERT INTO migration (name, checksum) VALUES ('0999_later', 'x')";
    database.execute(newer, []).unwrap();
    let error = session.error("ctx_annotate", json!({ "text": "too late" }));
    assert!(error.contains("written by a newer Forebay") && error.contains("Restart"), "{error}");
    assert!(session.text("ctx_get", json!({ "ref": before })).contains("before"));
    let refused = env.forebay(["note", "too late"]);
    assert!(refused.stderr.contains("upgrade --rollback"), "{refused:?}");
    database.execute("DELETE FROM migration WHERE name = '0999_later'", []).unwrap();
    session.text("ctx_annotate", json!({ "text": "as before" }));
    assert!(env.forebay(["get", &before]).ok().text().contains("before"));
}
