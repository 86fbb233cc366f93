//! Secrets planted through every door are in no file of the data folder.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

use serde_json::json;

use crate::env::{TestEnv, check_out, finish, wait_until};
use crate::http_client::Request;
use crate::mcp_client::{McpClient, initialize_params, text_of};

/// Hands out a secret for each door and remembers them.
#[derive(Default)]
struct Secrets(Vec<(&'static str, String)>);

impl Secrets {
    /// A token in the format of a forge; its number is in the middle.
    fn plant(&mut self, door: &'static str) -> String {
        let number = self.0.len();
        let secret = format!("ghp_Ab1Cd2Ef3Gh4{number:04}Ij5Kl6Mn7Op8Qr9St0Uv");
        self.0.push((door, secret.clone()));
        secret
    }

    /// The doors whose secrets are in the bytes, however they are written.
    fn found_in(&self, bytes: &[u8]) -> Vec<&'static str> {
        let plain = String::from_utf8_lossy(bytes).to_lowercase();
        let narrow: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
        let narrow = String::from_utf8_lossy(&narrow).to_lowercase();
        let has = |secret: &str| {
            let part = secret[12..28].to_lowercase();
            plain.contains(&part) || narrow.contains(&part)
        };
        self.0.iter().filter(|(_, secret)| has(secret)).map(|(door, _)| *door).collect()
    }
}

fn files_below(folder: &Path, visit: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, visit);
        } else {
            visit(&path);
        }
    }
}

/// Serves one page with a secret in its text.
fn serve_page(text: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut head = [0; 4096];
            let _ = stream.read(&mut head);
            let length = text.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\n\r\n{text}"
            );
        }
    });
    format!("http://{address}")
}

fn through_tools(env: &TestEnv, secrets: &mut Secrets) {
    let mut mcp = McpClient::start(env.command(["mcp", "--set", "fetch.loopback=true"]));
    let mut hello = initialize_params("2025-11-25");
    hello["clientInfo"]["name"] = json!(secrets.plant("client name"));
    mcp.ask("initialize", hello);
    mcp.notify("notifications/initialized", json!({}));
    let mut run = |code: String| text_of(&mcp.call("ctx_execute", json!({ "code": code })));

    let file = |name: &str, bytes: &[u8]| env.write(name, bytes);
    file("plain", secrets.plant("output").as_bytes());
    run("cat plain".to_owned());
    file("plain", secrets.plant("stderr").as_bytes());
    run("cat plain >&2".to_owned());
    let coloured = secrets.plant("coloured output");
    file(
        "coloured",
        format!("{}\u{1b}[01;31m{}\u{1b}[m\n", &coloured[..20], &coloured[20..]).as_bytes(),
    );
    run("cat coloured".to_owned());
    let wide = secrets.plant("UTF-16 output");
    file(
        "wide",
        &format!("x {wide} y\n").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
    );
    run("cat wide".to_owned());
    run(format!("echo {}", secrets.plant("command")));
    run(format!("true # mysql -u root -p{} db", secrets.plant("mysql password")));
    run(format!("cat {} 2>&1", secrets.plant("missing file name")));
    mcp.call(
        "ctx_execute",
        json!({ "language": "python", "code": format!("print('{}')", secrets.plant("code")) }),
    );
    mcp.call("ctx_execute", json!({ "language": "c", "code": format!(
        "#include <stdio.h>\nint main(void) {{ puts(\"{}\"); }}", secrets.plant("compiled code")) }));
    mcp.call("ctx_execute", json!({ "code": "cat", "stdin": secrets.plant("stdin") }));
    mcp.call(
        "ctx_execute",
        json!({ "code": "env", "env": { "SOME_VALUE": secrets.plant("environment") } }),
    );
    mcp.call("ctx_execute", json!({ "code": "seq 9", "intent": secrets.plant("intent") }));
    let folder = secrets.plant("cwd");
    fs::create_dir(env.project().join(&folder)).unwrap();
    mcp.call("ctx_execute", json!({ "code": "pwd", "cwd": folder }));
    mcp.call(
        "ctx_batch_execute",
        json!({ "commands": [format!("echo {}", secrets.plant("batch"))],
        "queries": [secrets.plant("batch query")] }),
    );
    mcp.call(
        "ctx_execute",
        json!({ "code": format!("echo {}", secrets.plant("job")), "background": true }),
    );

    mcp.call(
        "ctx_annotate",
        json!({ "text": format!("note {}", secrets.plant("note")), "topic": secrets.plant("topic"),
        "kind": "decision" }),
    );
    mcp.call("ctx_index", json!({ "text": format!("text {}", secrets.plant("indexed text")), "source": secrets.plant("source name") }));
    let name = secrets.plant("indexed file name");
    file(&name, format!("text {}", secrets.plant("indexed file")).as_bytes());
    mcp.call("ctx_index", json!({ "path": name }));
    let folder = secrets.plant("indexed folder name");
    fs::create_dir(env.project().join(&folder)).unwrap();
    file(&format!("{folder}/{}", secrets.plant("file name in a folder")), b"text");
    mcp.call("ctx_index", json!({ "path": folder }));
    file(
        "docs.jsonl",
        json!({ "id": secrets.plant("document id"), "text": secrets.plant("document") })
            .to_string()
            .as_bytes(),
    );
    mcp.call("ctx_index", json!({ "path": "docs.jsonl" }));
    let page = serve_page(format!("page {}", secrets.plant("page")));
    let url = format!("{page}/x?key={}", secrets.plant("URL"));
    mcp.call("ctx_fetch_and_index", json!({ "url": url }));
    mcp.call("ctx_search", json!({ "query": secrets.plant("query") }));
    mcp.call("ctx_get", json!({ "ref": secrets.plant("reference") }));

    let name = format!("{}.rs", secrets.plant("edited file name"));
    mcp.call("context_write", json!({ "path": name, "content": format!("// {}\nfn a() {{}}\n", secrets.plant("written file")) }));
    mcp.call("context_read", json!({ "path": name }));
    mcp.call("context_edit", json!({ "path": name, "old": "fn a() {}", "new": format!("fn {}() {{}}", secrets.plant("edit")) }));
    mcp.call("context_peek", json!({ "paths": [name] }));
    mcp.ask("tools/call", json!({ "name": secrets.plant("tool name") }));
    mcp.call("ctx_reflect", json!({}));
    mcp.close();
}

fn through_hooks(env: &TestEnv, secrets: &mut Secrets) {
    let session = secrets.plant("session");
    let payload = |event: &str, mut fields: serde_json::Value| {
        fields["session_id"] = json!(session);
        fields["cwd"] = json!(env.project());
        fields["hook_event_name"] = json!(event);
        env.forebay_reading(["hook", "claude-code", event], fields.to_string().as_bytes());
    };
    payload("SessionStart", json!({ "source": "startup" }));
    payload(
        "UserPromptSubmit",
        json!({ "prompt": format!("use {} from now on", secrets.plant("prompt")) }),
    );
    let long: String = (0..3_000).map(|n| format!("{n} line {}\n", n * 7)).collect();
    payload(
        "PostToolUse",
        json!({ "tool_name": "Bash", "tool_input": { "command": format!("deploy {}", secrets.plant("hook command")) },
        "tool_response": { "stdout": format!("{long}{}\n", secrets.plant("hook result")), "stderr": "", "interrupted": false } }),
    );
    payload(
        "PostToolUse",
        json!({ "tool_name": format!("mcp__x__{}", secrets.plant("hook tool name")), "tool_input": {},
        "tool_response": [{ "type": "text", "text": long }] }),
    );
    payload(
        "PostToolUse",
        json!({ "tool_name": "Write", "tool_input": { "file_path": env.project().join(secrets.plant("hook file name")),
        "content": secrets.plant("hook content") }, "tool_response": {} }),
    );
    let read = secrets.plant("file read by the host");
    env.write(&read, "text\n");
    payload(
        "PostToolUse",
        json!({ "tool_name": "Read", "tool_input": { "file_path": env.project().join(&read) },
            "tool_response": { "type": "text", "file": { "content": "text" } } }),
    );
    payload("PreCompact", json!({ "trigger": "manual" }));
    payload("SubagentStop", json!({ "agent_id": secrets.plant("subagent") }));
}

fn through_import(env: &TestEnv, secrets: &mut Secrets) {
    let file = format!(".claude/projects/-x/{}.jsonl", secrets.plant("transcript name"));
    let path = env.home().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let line = |number: u32, text: String| {
        json!({ "type": "user", "uuid": format!("u{number}"), "sessionId": "past", "cwd": env.project(),
            "gitBranch": "main", "timestamp": "2026-03-01T10:00:00.000Z", "isSidechain": false,
            "message": { "role": "user", "content": text } })
    };
    let mut marked = line(2, "the last line".to_owned());
    marked["uuid"] = json!(secrets.plant("line id"));
    marked["sessionId"] = json!(secrets.plant("imported session"));
    marked["gitBranch"] = json!(secrets.plant("imported branch"));
    let lines = format!(
        "{}\n{marked}\n{}",
        line(1, format!("said {}", secrets.plant("imported text"))),
        line(3, secrets.plant("unfinished line"))
    );
    fs::write(path, lines).unwrap();
    finish(env.command(["import", "--yes"]), b"");
    finish(env.command(["import"]), b"");
}

/// A server behind `forebay wrap`, whose name and tools have secrets too.
fn through_wrap(env: &TestEnv, secrets: &mut Secrets) {
    let name = secrets.plant("wrapped server");
    let mut command = env.program("python3");
    command.arg("--version");
    if !command.status().is_ok_and(|status| status.success()) {
        return forebay_test_support::skip("python3 is not installed");
    }
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/wrap_server.py");
    let command = env.command(["wrap", "--name", &name, "--", "python3", server]);
    let mut client = McpClient::initialized(command);
    let long: String = (0..3_000).map(|n| format!("{n} line {}\n", n * 7)).collect();
    client.send_line(&json!({ "jsonrpc": "2.0", "id": 700, "method": "tools/list" }).to_string());
    client.response(700);
    let said = format!("{long}{}", secrets.plant("wrapped result"));
    client.call("said", json!({ "text": said, "why": secrets.plant("wrapped argument") }));
    // It is listed without its schema from now on.
    client.call("structured", json!({ "count": 2_000 }));
    client.call("shot", json!({ "of": secrets.plant("argument of a large image") }));
    client.close();
}

/// Requests that are read from a transcript at the end of a turn, and what shows and replays them.
fn through_the_ledger(env: &TestEnv, secrets: &mut Secrets) {
    let session = secrets.plant("session of the ledger");
    let path = env.home().join(format!("{}.jsonl", secrets.plant("transcript of the ledger")));
    let usage =
        json!({ "input_tokens": 1_000, "output_tokens": 20, "cache_read_input_tokens": 3_000 });
    let line = json!({ "type": "assistant", "sessionId": session, "uuid": secrets.plant("answer id"),
        "requestId": secrets.plant("request id"), "timestamp": "2026-03-01T10:00:00.000Z",
        "message": { "role": "assistant", "id": secrets.plant("message id"), "usage": usage,
            "model": secrets.plant("model"), "content": [{ "type": "text", "text": "Done." }] } });
    fs::write(&path, format!("{line}\n")).unwrap();
    let stop = json!({ "session_id": session, "cwd": env.project(), "hook_event_name": "Stop",
        "transcript_path": path });
    env.forebay_reading(["hook", "claude-code", "Stop"], stop.to_string().as_bytes());
    let status = json!({ "session_id": session, "workspace": { "project_dir": env.project() } });
    env.forebay_reading(["statusline", "claude-code"], status.to_string().as_bytes());
    env.forebay(["replay", path.to_str().unwrap()]).ok();
}

fn through_http(env: &TestEnv, secrets: &mut Secrets) {
    env.token("ann", &[]);
    let server = env.serve(&["--require-token", "--set", "serve.rate=1000"]);
    server.send(&Request::get(&format!("/v1/search?q={}", secrets.plant("HTTP query"))));
    server.send(&Request::get("/v1/tools").bearer(&secrets.plant("wrong token")));
    server.send(&Request::get(&format!("/{}", secrets.plant("HTTP path"))));
    server.send(
        &Request::get("/v1/tools").header("host", &format!("{}.example", secrets.plant("Host"))),
    );
}

/// Plants a secret through every door.
fn plant_all(env: &TestEnv) -> Secrets {
    let mut secrets = Secrets::default();
    let branch = secrets.plant("branch");
    check_out(&env.project(), &branch);
    let mut command = env.command(["run", "--", "true"]);
    command.env("CLAUDE_SESSION_ID", secrets.plant("session in the environment"));
    finish(command, b"");
    through_tools(env, &mut secrets);
    through_hooks(env, &mut secrets);
    through_import(env, &mut secrets);
    through_wrap(env, &mut secrets);
    through_the_ledger(env, &mut secrets);
    through_http(env, &mut secrets);
    assert!(secrets.0.len() >= 50, "{} doors", secrets.0.len());
    secrets
}

/// What was found where.
struct Leaks<'a> {
    secrets: &'a Secrets,
    found: BTreeSet<String>,
}

impl<'a> Leaks<'a> {
    fn new(secrets: &'a Secrets) -> Self {
        Self { secrets, found: BTreeSet::new() }
    }

    fn check(&mut self, place: &str, bytes: &[u8]) {
        let found = self.secrets.found_in(bytes);
        self.found.extend(found.iter().map(|door| format!("{door}: {place}")));
    }

    /// Free pages, indexes, logs, caches and names of files.
    fn check_files(&mut self, env: &TestEnv) {
        files_below(&env.data(), &mut |path| {
            let name = path.strip_prefix(env.data()).unwrap().to_string_lossy().into_owned();
            self.check(&format!("name of {name}"), name.as_bytes());
            self.check(&name, &fs::read(path).unwrap());
        });
    }

    /// Blobs are compressed where they are stored.
    fn check_entries(&mut self, env: &TestEnv, references: Vec<String>) {
        assert!(references.len() > 15, "{references:?}");
        for reference in references {
            self.check("an entry", &env.forebay(["get", "--raw", &reference]).ok().stdout);
        }
    }
}

#[test]
fn no_planted_secret_reaches_a_file() {
    let env = TestEnv::new();
    let secrets = plant_all(&env);
    wait_until(std::time::Duration::from_secs(2), || env.log_bytes() == 0);
    let mut leaks = Leaks::new(&secrets);
    leaks.check_files(&env);
    let store = rusqlite::Connection::open(env.database()).unwrap();
    let mut statement = store.prepare("SELECT ref FROM entry").unwrap();
    let references = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap);
    leaks.check_entries(&env, references.collect());
    assert_eq!(leaks.found, BTreeSet::new());
}

#[test]
fn no_planted_secret_reaches_a_table() {
    let Some(url) = crate::postgres::unused_workspace() else { return };
    let (server, workspace) = url.split_once("?workspace=").unwrap();
    let env = TestEnv::on_server(url.clone());
    let secrets = plant_all(&env);
    let mut leaks = Leaks::new(&secrets);
    leaks.check_files(&env);
    let mut client = postgres::Client::connect(server, postgres::NoTls).unwrap();
    let id = "SELECT id FROM forebay.workspace WHERE name = $1";
    let id: i32 = client.query_one(id, &[&workspace]).unwrap().get(0);
    for table in tables_of_workspaces(&mut client) {
        let rows = format!("SELECT * FROM forebay.{table} WHERE workspace = {id}");
        let mut bytes = Vec::new();
        let copy = format!("COPY ({rows}) TO STDOUT (FORMAT binary)");
        client.copy_out(&copy).unwrap().read_to_end(&mut bytes).unwrap();
        leaks.check(&format!("table {table}"), &bytes);
    }
    let references = format!("SELECT ref FROM forebay.entry WHERE workspace = {id}");
    let references = client.query(&references, &[]).unwrap();
    leaks.check_entries(&env, references.iter().map(|row| row.get(0)).collect());
    assert_eq!(leaks.found, BTreeSet::new());
}

/// All tables but those that have no rows of a workspace: names of migrations, models and workspaces.
fn tables_of_workspaces(client: &mut postgres::Client) -> Vec<String> {
    let all = "SELECT table_name::text, bool_or(column_name = 'workspace')
               FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
               WHERE table_schema = 'forebay' AND table_type = 'BASE TABLE' GROUP BY 1 ORDER BY 1";
    let rows = client.query(all, &[]).unwrap();
    let (with, without): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.get::<_, bool>(1));
    let names =
        |rows: Vec<&postgres::Row>| rows.iter().map(|row| row.get(0)).collect::<Vec<String>>();
    assert_eq!(names(without), ["migration", "model", "workspace"]);
    let with = names(with);
    assert!(with.len() > 10, "{with:?}");
    with
}
