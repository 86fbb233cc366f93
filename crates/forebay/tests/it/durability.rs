//! Acknowledged writes survive killed processes and concurrent writers.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::env::{TestEnv, finished, reference_in};
use crate::mcp_client::{McpClient, text_of};

const WRITES: usize = 500;

/// Returns the reference and text of each acknowledged note.
fn acknowledged_notes<'a>(
    texts: &BTreeMap<i64, String>,
    responses: impl IntoIterator<Item = &'a Value>,
) -> Vec<(String, String)> {
    responses
        .into_iter()
        .filter_map(|response| {
            let text = texts.get(&response["id"].as_i64()?)?;
            Some((reference_in(&text_of(&response["result"])), text.clone()))
        })
        .collect()
}

/// Sends writes to a server and kills it after `after` acknowledgements.
fn write_and_kill_after(env: &TestEnv, after: usize) -> Vec<(String, String)> {
    let mut mcp = env.mcp();
    let mut texts = BTreeMap::new();
    for number in 0..WRITES {
        let text = format!("note {number} of the server killed after {after}");
        texts.insert(mcp.begin("ctx_annotate", json!({ "text": text })), text);
    }
    let mut responses: Vec<Value> = (0..after).map(|_| mcp.receive()).collect();
    responses.extend(mcp.kill());
    acknowledged_notes(&texts, &responses)
}

#[test]
fn killing_a_server_during_writes_loses_no_acknowledged_entry() {
    let env = TestEnv::new();
    let mut kept = Vec::new();
    for after in [1, 17, 83, 214, 391] {
        let notes = write_and_kill_after(&env, after);
        assert!(notes.len() >= after && notes.len() <= WRITES);
        kept.extend(notes);
        env.forebay(["doctor"]).ok();
    }
    let mut mcp = env.mcp();
    for (reference, text) in &kept {
        let got = mcp.text("ctx_get", json!({ "ref": reference }));
        assert_eq!(got.split_once('\n').unwrap().1, text);
    }
    // Search finds the newest note.
    let (reference, text) = kept.last().unwrap();
    let found = mcp.text("ctx_search", json!({ "query": text, "limit": 1 }));
    assert!(found.contains(reference), "{found}");
}

#[test]
fn killing_a_server_during_a_run_keeps_existing_entries() {
    let env = TestEnv::new();
    let before = env.noted("written before");
    let mut mcp = env.mcp();
    let line = "yes 0123456789abcdef | head -c 20000000; echo $$ > pid; sleep 300";
    mcp.begin("ctx_execute", json!({ "code": line }));
    let process = crate::env::announced_process(&env.project().join("pid"));
    mcp.kill();
    assert!(crate::env::is_gone(process));
    env.forebay(["doctor"]).ok();
    assert_eq!(env.forebay(["get", &before]).ok().body(), "written before");
    let history = env.forebay(["history", "--all"]).ok().text();
    assert!(!history.contains("yes 0123"), "an incomplete run is not stored: {history}");
    assert!(env.forebay(["search", "0123456789abcdef"]).ok().text().contains("nothing found"));
}

#[test]
fn four_concurrent_writers_lose_no_entry() {
    const EACH: usize = 50;
    let env = TestEnv::new();
    let mut servers: Vec<_> = (0..4).map(|_| env.mcp()).collect();
    let mut begun: Vec<BTreeMap<i64, String>> = vec![BTreeMap::new(); servers.len()];
    for number in 0..EACH {
        for (at, mcp) in servers.iter_mut().enumerate() {
            let text = format!("entry {number} of writer {at}");
            begun[at].insert(mcp.begin("ctx_annotate", json!({ "text": text })), text);
        }
    }
    let mut kept = Vec::new();
    for (mcp, texts) in servers.iter_mut().zip(&begun) {
        let responses: Vec<Value> = texts.keys().map(|id| mcp.response(*id)).collect();
        kept.extend(acknowledged_notes(texts, &responses));
    }
    assert_eq!(kept.len(), 4 * EACH);
    let mut reader = env.mcp();
    for (reference, text) in &kept {
        let got = reader.text("ctx_get", json!({ "ref": reference }));
        assert_eq!(got.split_once('\n').unwrap().1, text);
    }
    let entries = env.forebay(["stats", "--json"]).ok().json()["store"]["entries"]["note"].clone();
    assert_eq!(entries, 4 * EACH);
}

#[test]
fn processes_started_concurrently_create_one_store() {
    let env = TestEnv::new();
    let children: Vec<_> = (0..8)
        .map(|number| env.command(["note", &format!("first words {number}")]).spawn().unwrap())
        .collect();
    let references: Vec<String> =
        children.into_iter().map(|child| finished(child).ok().reference()).collect();
    for (number, reference) in references.iter().enumerate() {
        let body = env.forebay(["get", reference]).ok().body();
        assert_eq!(body, format!("first words {number}"));
    }
}

#[test]
fn concurrent_projects_are_isolated() {
    let env = TestEnv::new();
    let other = env.add_project("other");
    let mut here = env.mcp();
    let mut command = env.command(["mcp"]);
    command.current_dir(&other);
    let mut there = McpClient::initialized(command);
    for number in 0..20 {
        let mine = here.begin("ctx_annotate", json!({ "text": format!("walrus here {number}") }));
        let yours =
            there.begin("ctx_annotate", json!({ "text": format!("walrus there {number}") }));
        here.response(mine);
        there.response(yours);
    }
    let found = here.text("ctx_search", json!({ "query": "walrus", "limit": 100, "budget": 9000 }));
    assert_eq!(found.matches("walrus here").count(), 20, "{found}");
    assert!(!found.contains("walrus there"), "{found}");
    let found =
        there.text("ctx_search", json!({ "query": "walrus", "limit": 100, "budget": 9000 }));
    assert!(!found.contains("walrus here"), "{found}");
}

/// Returns a text large enough to exceed the size limit of the log.
fn large_text() -> String {
    (0..40_000).map(|number| format!("walrus number{number}\n")).collect()
}

#[test]
fn a_large_log_is_checkpointed_after_the_command_exits() {
    let env = TestEnv::new();
    env.forebay_reading(["index", "-", "--source", "s"], large_text().as_bytes()).ok();
    env.wait_for_checkpoint();
    assert_eq!(env.log_bytes(), 0);
    assert!(env.forebay(["search", "number31417"]).ok().text().contains("number31417"));
}

#[test]
fn checkpoints_the_log_itself_if_its_executable_is_gone() {
    let env = TestEnv::new();
    let program = env.root().join("forebay");
    fs::copy(env!("CARGO_BIN_EXE_forebay"), &program).unwrap();
    let mut command = env.program(program.to_str().unwrap());
    let mut child =
        command.args(["index", "-", "--source", "s"]).stdin(Stdio::piped()).spawn().unwrap();
    fs::remove_file(&program).unwrap();
    child.stdin.take().unwrap().write_all(large_text().as_bytes()).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(env.log_bytes(), 0);
}

/// A server whose databases are in a folder of the project that the user has opened to tools.
fn server_with_data_in_project(env: &TestEnv) -> McpClient {
    let mut command = env.command(["mcp"]);
    let state = env.project().join("state");
    command.env("FOREBAY_ISOLATION_READ", json!([&state, state.join("projects")]).to_string());
    command.env("FOREBAY_HOME", state);
    McpClient::initialized(command)
}

/// Reading a database as a text takes SQLite's locks away, after which writers damage each other's work.
#[test]
fn tools_never_open_the_databases_of_the_data_folder() {
    let env = TestEnv::new();
    let mut servers = [(); 4].map(|()| server_with_data_in_project(&env));
    let mut notes = Vec::new();
    for round in 0..6 {
        for (number, server) in servers.iter_mut().enumerate() {
            let text = format!("note {round} of server {number}");
            let saved = server.text("ctx_annotate", json!({ "text": text }));
            notes.push((reference_in(&saved), text));
            server.begin("ctx_index", json!({ "path": "state" }));
        }
        for server in &mut servers {
            server.receive();
        }
    }
    let databases: Vec<PathBuf> = fs::read_dir(env.project().join("state/projects"))
        .unwrap()
        .map(|folder| folder.unwrap().path())
        .collect();
    // A project that no server has open.
    let closed = env.project().join("state/projects/other/store.db");
    fs::create_dir_all(closed.parent().unwrap()).unwrap();
    fs::copy(databases[0].join("store.db"), &closed).unwrap();
    for file in [databases[0].join("store.db-shm"), closed] {
        let path = file.to_str().unwrap();
        for (tool, input) in [
            ("context_read", json!({ "path": path })),
            ("ctx_index", json!({ "path": path })),
            ("ctx_execute_file", json!({ "path": [path], "language": "sh", "code": "cat" })),
        ] {
            let refused = text_of(&servers[0].call(tool, input));
            assert!(refused.contains("database of Forebay"), "{tool} {path}: {refused}");
        }
    }
    for (reference, text) in &notes {
        let got = servers[3].text("ctx_get", json!({ "ref": reference }));
        assert!(got.contains(text.as_str()), "{got}");
    }
}
