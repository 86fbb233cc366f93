//! `forebay wrap --url` in front of a server over streamable HTTP.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::env::{HANG_TIMEOUT, TestEnv, finish, reference_in, wait_until};
use crate::mcp_client::{McpClient, stateless_meta, text_of};
use crate::{gateway_client, http_client};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/wrap_http_server.py");
/// A server that speaks the transport of the revision of 2024-11-05 only.
const SSE_SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/wrap_sse_server.py");

/// A server, and the requests that it got.
struct Server {
    env: TestEnv,
    url: String,
    log: PathBuf,
    process: Child,
}

impl Server {
    fn start(token: Option<&str>) -> Option<Self> {
        Self::start_script(SERVER, token.map(|token| ("TOKEN_WANTED", token)))
    }

    /// Returns `None` and reports a skip if there is no Python to run it with.
    fn start_script(script: &str, variable: Option<(&str, &str)>) -> Option<Self> {
        let env = TestEnv::new();
        let log = env.root().join("requests");
        let mut python = env.program("python3");
        python.arg(script).env("LOG", &log).stdout(Stdio::piped()).envs(variable);
        let Ok(mut process) = python.spawn() else {
            forebay_test_support::skip("python3 is not installed");
            return None;
        };
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Some(Self { env, url: url.trim().to_owned(), log, process })
    }

    fn wrap(&self, more: &[&str]) -> Command {
        let mut words = vec!["wrap", "--name", "far", "--url", &self.url];
        words.extend(more);
        self.env.command(words)
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    #[track_caller]
    fn wait_for(&self, line: &str) {
        let is_there = wait_until(HANG_TIMEOUT, || self.log().contains(line));
        assert!(is_there, "no `{line}`:\n{}", self.log());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn calls_reach_the_server_and_long_results_are_digested() {
    let Some(server) = Server::start(None) else { return };
    let mut client = McpClient::start(server.wrap(&[]));
    let started = client.initialize("2025-11-25");
    assert_eq!(started["serverInfo"]["name"], "http test");
    assert_eq!(client.text("said", json!({ "text": "a\nb" })), "a\nb");
    let digest = client.text("lines", json!({ "count": 4_000 }));
    assert!(digest.contains("[ctx:") && digest.contains("4,000 lines"), "{digest}");
    let stored = server.env.forebay(["get", &reference_in(&digest), "--raw"]).ok().text();
    assert!(stored.ends_with("row 3999 of the listing"));
    assert!(client.take_pending().iter().any(|one| one["method"] == "notifications/progress"));
    assert_eq!(client.close().code(), Some(0));
    let log = server.log();
    assert!(log.contains("POST initialize None"), "{log}");
    assert!(log.contains("POST notifications/initialized 2025-11-25"), "{log}");
    assert!(log.contains("POST tools/call 2025-11-25 said"), "{log}");
    assert!(log.ends_with("DELETE True\n"), "{log}");
}

#[test]
fn the_server_asks_and_tells_unasked() {
    let Some(server) = Server::start(None) else { return };
    let mut client = McpClient::initialized(server.wrap(&[]));
    let id = client.begin("ask", json!({}));
    let mut received = [client.receive(), client.receive()];
    received.sort_by_key(|message| message["id"].is_null());
    assert_eq!(received[0]["method"], "sampling/createMessage");
    assert_eq!(received[1]["params"]["uri"], "test://unasked");
    let answer = r#"{"jsonrpc":"2.0","id":"s1","result":{"role":"assistant", "x":1.50}}"#;
    client.send_line(answer);
    assert_eq!(text_of(&client.response(id)["result"]), format!("answered: {answer}"));
}

#[test]
fn headers_come_from_the_command_line_and_the_environment() {
    let Some(server) = Server::start(Some("s3cret")) else { return };
    let mut command = server.wrap(&[
        "--header",
        "Authorization: Bearer ${TOKEN_OF}",
        "--header-env",
        "X-Team=TEAM_OF",
    ]);
    command.envs([("TOKEN_OF", "s3cret"), ("TEAM_OF", "blue")]);
    let mut client = McpClient::initialized(command);
    let headers: Value = serde_json::from_str(&client.text("headers", json!({}))).unwrap();
    assert_eq!(headers["x-team"].as_str().or(headers["X-Team"].as_str()), Some("blue"));

    let unset = server.env.forebay([
        "wrap",
        "--name",
        "x",
        "--url",
        "http://x",
        "--header",
        "A: ${NO_SUCH}",
    ]);
    assert!(unset.code() != Some(0) && unset.stderr.contains("NO_SUCH is not set"), "{unset:?}");
}

#[test]
fn a_missing_token_is_told_to_the_client_and_its_log() {
    let Some(server) = Server::start(Some("s3cret")) else { return };
    let request = r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}"#;
    let output = finish(server.wrap(&[]), format!("{request}\n").as_bytes());
    let answer: Value = serde_json::from_str(output.text().trim()).unwrap();
    assert_eq!(answer["id"], 7);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("HTTP 401: who are you"), "{message}");
    assert!(message.contains("--header") && message.contains("OAuth"), "{message}");
    let challenge = "Bearer resource_metadata=\"http://x/\"";
    assert!(message.contains(challenge), "{message}");
    let data = &answer["error"]["data"];
    assert_eq!(*data, json!({ "status": 401, "wwwAuthenticate": challenge }));
    assert!(output.stderr.contains("HTTP 401"), "{}", output.stderr);
}

#[test]
fn a_stream_that_breaks_is_taken_up_again() {
    let Some(server) = Server::start(None) else { return };
    let mut client = McpClient::initialized(server.wrap(&[]));
    assert_eq!(client.text("broken", json!({})), "taken up");
    client.take_pending();
    assert_eq!(client.text("two values", json!({})), "both");
    assert_eq!(client.take_pending()[0]["params"]["progress"], 7);
}

#[test]
fn a_request_without_an_answer_gets_an_error() {
    let Some(server) = Server::start(None) else { return };
    let mut client = McpClient::initialized(server.wrap(&[]));
    for (tool, expect) in [
        ("cut", "without an answer"),
        ("silent", "without an answer"),
        ("nothing", "without an answer"),
        ("garbage", "without an answer"),
        ("page", "text/html"),
        ("boom", "HTTP 500: out of order"),
    ] {
        let answer = client.ask("tools/call", json!({ "name": tool }));
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(expect), "{tool}: {message}");
    }
    assert_eq!(client.text("said", json!({ "text": "still there" })), "still there");
}

#[test]
fn a_lost_session_is_started_again() {
    let Some(server) = Server::start(None) else { return };
    let mut client = McpClient::initialized(server.wrap(&[]));
    for _ in 0..2 {
        assert_eq!(client.text("forget", json!({})), "forgotten");
        assert_eq!(client.text("said", json!({ "text": "again" })), "again");
    }
    let starts = server.log().matches("POST initialize").count();
    assert_eq!(starts, 3, "{}", server.log());
    // The client sees nothing of it.
    let seen = client.take_pending();
    assert!(seen.iter().all(|one| one["method"] == "notifications/resources/updated"), "{seen:?}");
}

#[test]
fn a_session_that_is_refused_once_is_started_by_the_next_request() {
    let Some(server) = Server::start(None) else { return };
    let mut client = McpClient::initialized(server.wrap(&[]));
    client.text("forget", json!({ "refuses": true }));
    let lost = client.ask("tools/call", json!({ "name": "said", "arguments": { "text": "x" } }));
    assert!(lost["error"]["message"].as_str().unwrap().contains("not now"), "{lost}");
    assert_eq!(client.text("said", json!({ "text": "again" })), "again");
    let seen = client.take_pending();
    assert!(seen.iter().all(|one| one["id"].is_null()), "nothing answers a greeting: {seen:?}");
}

#[test]
fn a_call_may_take_longer_than_a_notification() {
    for script in [SERVER, SSE_SERVER] {
        let Some(server) = Server::start_script(script, None) else { return };
        let mut command = server.wrap(&[]);
        command.env("FOREBAY_WRAP_ACCEPT_SECONDS", "1");
        let mut client = McpClient::initialized(command);
        let held = client.begin("held", json!({}));
        server.wait_for(if script == SERVER { "held" } else { "POST s0 tools/call" });
        // Messages keep their order: the next one is sent when the server has not accepted this one in time.
        client.notify("notifications/held", json!({}));
        assert_eq!(client.text("said", json!({ "text": "a second later" })), "a second later");
        client.text("release", json!({}));
        assert_eq!(text_of(&client.response(held)["result"]), "held");
    }
}

#[test]
fn messages_of_a_batch_are_answered_one_by_one() {
    let Some(server) = Server::start(None) else { return };
    let mut client = McpClient::initialized(server.wrap(&[]));
    let call = |id: i64, tool: &str| {
        let params = json!({ "name": tool, "arguments": { "text": "x" } });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    client.send_line(&json!([call(80, "said"), call(81, "boom")]).to_string());
    assert_eq!(text_of(&client.response(80)["result"]), "x");
    let refused = client.response(81);
    assert!(refused["error"]["message"].as_str().unwrap().contains("HTTP 500"), "{refused}");
}

#[test]
fn another_server_gets_nothing_of_a_request_that_is_redirected_to_it() {
    let Some(other) = Server::start(None) else { return };
    let elsewhere = Some(("ELSEWHERE", other.url.as_str()));
    let Some(server) = Server::start_script(SERVER, elsewhere) else { return };
    let request = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}\n";
    for (path, expect) in [
        (
            "/elsewhere",
            format!("redirects to another server, which gets no request: {}", other.url),
        ),
        ("/found", format!("it redirects to {}", other.url)),
    ] {
        let url = server.url.replace("/mcp", path);
        let words = ["wrap", "--name", "far", "--url", &url, "--header", "X-Key: s3cret"];
        let answer = finish(server.env.command(words), request).text();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(&expect), "{message}");
    }
    assert_eq!(other.log(), "");
}

#[test]
fn streams_that_a_server_leaves_open_end_with_the_session_of_a_gateway() {
    let stubborn = Some(("STUBBORN", "1"));
    let Some(server) = Server::start_script(SERVER, stubborn) else { return };
    let env = &server.env;
    env.write("servers.toml", format!("[servers.far]\nurl = \"{}\"\n", server.url));
    let words = ["gateway", "servers.toml", "--listen", "127.0.0.1:0"];
    let gateway = http_client::Server::start(env.command(words));
    let client = gateway_client::Client::start(&gateway, None);
    // A stream, if a notification of the server comes before the answer.
    let answer = client.post(&gateway_client::call(7, "far_lingers", json!({}))).text();
    assert!(answer.contains("\"answered\""), "{answer}");
    server.wait_for("GET");
    assert_eq!(client.end(), 204);
    server.wait_for("listening client left");
    server.wait_for("lingering client left");
}

#[test]
fn requests_of_the_stateless_revision_have_its_headers() {
    let Some(server) = Server::start(None) else { return };
    let mut client = McpClient::start(server.wrap(&[]));
    let listed = client.ask("tools/list", json!({ "_meta": stateless_meta() }));
    assert_eq!(listed["result"]["tools"][0]["name"], "said");
    let params = json!({ "name": "headers", "arguments": {}, "_meta": stateless_meta() });
    let answer = client.ask("tools/call", params);
    let headers = text_of(&answer["result"]).to_ascii_lowercase();
    for wanted in ["\"mcp-name\": \"headers\"", "\"mcp-protocol-version\": \"2026-07-28\""] {
        assert!(headers.contains(wanted), "no {wanted}: {headers}");
    }
    assert!(!server.log().contains("initialize"), "{}", server.log());
}

#[test]
fn a_cancelled_request_leaves_the_server() {
    let Some(server) = Server::start(None) else { return };
    let mut client = McpClient::start(server.wrap(&[]));
    let params = json!({ "name": "wait", "arguments": {}, "_meta": stateless_meta() });
    let id = client.request("tools/call", params);
    server.wait_for("tools/call 2026-07-28 wait");
    client.notify("notifications/cancelled", json!({ "requestId": id }));
    server.wait_for("client left");
    assert!(!server.log().contains("cancelled"), "the end of the stream says it");
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn the_wrapper_ends_with_its_client_or_a_signal() {
    let Some(server) = Server::start(None) else { return };
    let mut client = McpClient::initialized(server.wrap(&[]));
    client.begin("wait", json!({}));
    server.wait_for("wait");
    drop(client);
    server.wait_for("client left");
    let mut client = McpClient::initialized(server.wrap(&[]));
    kill_process(client.process(), Signal::TERM).unwrap();
    assert_eq!(client.wait().code(), Some(143));
    server.wait_for("DELETE True");
}

#[test]
fn an_address_may_move_on_its_server() {
    let Some(server) = Server::start(None) else { return };
    let moved = server.url.replace("/mcp", "/moved");
    let command = server.env.command(["wrap", "--name", "far", "--url", &moved]);
    let mut client = McpClient::initialized(command);
    assert_eq!(client.text("said", json!({ "text": "here" })), "here");
    let nobody = server.env.command(["wrap", "--name", "far", "--url", "http://127.0.0.1:9/mcp"]);
    let request = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n";
    let output = finish(nobody, request);
    assert!(
        output.text().contains("\"error\"") && output.text().contains("127.0.0.1:9"),
        "{}",
        output.text()
    );
    let words = ["wrap", "--name", "far", "--url", "ftp://x"];
    let wrong = server.env.forebay(words);
    assert_eq!(wrong.code(), Some(2), "{wrong:?}");
}

#[test]
fn a_server_with_the_older_transport_is_spoken_to_in_its_way() {
    let Some(server) = Server::start_script(SSE_SERVER, None) else { return };
    let mut client = McpClient::start(server.wrap(&[]));
    let started = client.initialize("2025-11-25");
    assert_eq!(started["serverInfo"]["name"], "sse test");
    assert_eq!(client.text("said", json!({ "text": "a\nb" })), "a\nb");
    let digest = client.text("lines", json!({ "count": 4_000 }));
    assert!(digest.contains("[ctx:") && digest.contains("4,000 lines"), "{digest}");
    assert!(client.take_pending().iter().any(|one| one["method"] == "notifications/progress"));
    let id = client.begin("ask", json!({}));
    assert_eq!(client.receive()["method"], "sampling/createMessage");
    client.send_line(r#"{"jsonrpc":"2.0","id":"q1","result":{"role":"assistant"}}"#);
    let answered = text_of(&client.response(id)["result"]);
    assert_eq!(answered, "answered: {\"role\": \"assistant\"}");
    assert_eq!(client.ask("no/such", json!({}))["error"]["code"], -32601);
    assert_eq!(client.close().code(), Some(0));
    assert_eq!(server.log().matches("GET").count(), 1, "{}", server.log());
}

#[test]
fn an_older_server_may_send_several_messages_in_one_event() {
    let Some(server) = Server::start_script(SSE_SERVER, None) else { return };
    let mut client = McpClient::initialized(server.wrap(&[]));
    assert_eq!(client.text("together", json!({})), "both");
    let notices = client.take_pending();
    assert_eq!(notices.len(), 1, "events of other kinds are no messages: {notices:?}");
    assert_eq!(notices[0]["params"]["progress"], 7);
}

#[test]
fn an_older_stream_whose_greeting_fails_is_closed() {
    let refusing = Some(("NO_GREETING", "1"));
    let Some(server) = Server::start_script(SSE_SERVER, refusing) else { return };
    let mut client = McpClient::initialized(server.wrap(&[]));
    for lost in ["hang up", "said"] {
        let lost = client.ask("tools/call", json!({ "name": lost, "arguments": { "text": "x" } }));
        assert!(lost["error"].is_object(), "{lost}");
    }
    assert_eq!(client.text("said", json!({ "text": "again" })), "again");
    assert_eq!(client.take_pending(), Vec::<Value>::new());
    assert_eq!(server.log().matches("GET").count(), 3, "{}", server.log());
}

/// A server that refuses messages and never answers a request for a stream; returns where it is, and what tells of that.
fn server_without_answers() -> (String, mpsc::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/sse", listener.local_addr().unwrap());
    let (sender, asked) = mpsc::channel();
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for connection in listener.incoming().map_while(Result::ok) {
            let mut start = [0; 4];
            let _ = (&connection).read_exact(&mut start);
            if start == *b"POST" {
                let _ = (&connection).read(&mut vec![0; 65_536]);
                let answer = b"HTTP/1.1 405 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                let _ = (&connection).write_all(answer);
            } else {
                let _ = sender.send(());
            }
            held.push(connection);
        }
    });
    (url, asked)
}

#[test]
fn a_signal_does_not_wait_for_a_stream_that_does_not_open() {
    let env = TestEnv::new();
    let (url, asked) = server_without_answers();
    let mut client = McpClient::start(env.command(["wrap", "--name", "far", "--url", &url]));
    let id = client.request("initialize", json!({ "protocolVersion": "2025-11-25" }));
    asked.recv_timeout(HANG_TIMEOUT).unwrap();
    kill_process(client.process(), Signal::TERM).unwrap();
    assert_eq!(client.wait().code(), Some(143), "request {id}");
}

#[test]
fn secrets_of_an_address_are_not_repeated() {
    let env = TestEnv::new();
    let url = "http://ann:p4ssw0rd@127.0.0.1:9/mcp?api_key=k3yk3y";
    let request = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n";
    let output = finish(env.command(["wrap", "--name", "far", "--url", url]), request);
    let told = format!("{}{}", output.text(), output.stderr);
    assert!(told.contains("127.0.0.1:9"), "{told}");
    assert!(!told.contains("p4ssw0rd") && !told.contains("k3yk3y"), "{told}");
}

#[test]
fn an_older_stream_that_ends_is_opened_again_with_the_clients_greeting() {
    let Some(server) = Server::start_script(SSE_SERVER, None) else { return };
    let mut client = McpClient::initialized(server.wrap(&[]));
    for _ in 0..2 {
        let lost = client.ask("tools/call", json!({ "name": "hang up" }));
        assert!(lost["error"]["message"].as_str().unwrap().contains("ended"), "{lost}");
        assert_eq!(client.text("said", json!({ "text": "again" })), "again");
    }
    assert_eq!(client.take_pending(), Vec::<Value>::new(), "the greetings are not its own");
    let log = server.log();
    for wanted in ["GET s2", "POST s2 initialize\nPOST s2 notifications/initialized"] {
        assert!(log.contains(wanted), "no {wanted}: {log}");
    }
}

#[test]
fn an_older_server_gets_the_token_and_no_other_host_does() {
    let wanted = Some(("TOKEN_WANTED", "s3cret"));
    let Some(server) = Server::start_script(SSE_SERVER, wanted) else { return };
    let mut command = server.wrap(&["--header-env", "Authorization=TOKEN_OF"]);
    command.env("TOKEN_OF", "Bearer s3cret");
    let mut client = McpClient::initialized(command);
    assert_eq!(client.text("said", json!({ "text": "in" })), "in");

    let elsewhere = Some(("ENDPOINT", "http://127.0.0.2:9/messages"));
    let Some(server) = Server::start_script(SSE_SERVER, elsewhere) else { return };
    let request = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n";
    let refused = finish(server.wrap(&[]), request).text();
    assert!(refused.contains("another host") && refused.contains("127.0.0.2"), "{refused}");
}

#[test]
fn calls_at_once_over_the_older_transport_lose_none() {
    let Some(server) = Server::start_script(SSE_SERVER, None) else { return };
    let mut client = McpClient::initialized(server.wrap(&[]));
    let calls: Vec<(i64, usize)> = (0..200)
        .map(|call| (client.begin("said", json!({ "text": call.to_string() })), call))
        .collect();
    for (id, call) in calls {
        assert_eq!(text_of(&client.response(id)["result"]), call.to_string());
    }
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn init_wraps_entries_that_say_all_that_a_request_needs() {
    let Some(server) = Server::start(Some("s3cret")) else { return };
    let env = &server.env;
    let settings = env.home().join(".cursor/mcp.json");
    let far = json!({ "type": "http", "url": server.url, "headers": { "Authorization": "Bearer s3cret" } });
    let other = json!({ "url": "https://mcp.example.test" });
    let text = format!("{:#}\n", json!({ "mcpServers": { "far": far, "other": other } }));
    fs::create_dir(settings.parent().unwrap()).unwrap();
    fs::write(&settings, &text).unwrap();
    let said = env.forebay(["init", "--wrap", "--yes"]).ok().text();
    assert!(said.contains("note: other (Cursor) is reached at a URL"), "{said}");
    let wrapped: Value = serde_json::from_slice(&fs::read(&settings).unwrap()).unwrap();
    let entry = &wrapped["mcpServers"]["far"];
    let words = entry["args"].as_array().unwrap();
    assert!(!words.iter().any(|word| word.as_str().unwrap().contains("s3cret")), "{entry}");
    let mut command = env.program(entry["command"].as_str().unwrap());
    command.args(words.iter().map(|word| word.as_str().unwrap()));
    for (name, value) in entry["env"].as_object().unwrap() {
        command.env(name, value.as_str().unwrap());
    }
    let mut client = McpClient::initialized(command);
    assert_eq!(client.text("said", json!({ "text": "signed in" })), "signed in");
    env.forebay(["init", "--wrap", "--undo", "--yes"]).ok();
    assert_eq!(fs::read_to_string(&settings).unwrap(), text);
}

#[test]
fn init_wraps_the_address_as_each_host_writes_it() {
    let Some(server) = Server::start(Some("s3cret")) else { return };
    let env = &server.env;
    let headers = json!({ "Authorization": "Bearer s3cret" });
    let gemini = json!({ "mcpServers": { "far": { "httpUrl": server.url, "headers": headers } } });
    let cursor = json!({ "mcpServers": { "far": { "url": server.url, "headers": headers } } });
    let far = json!({ "type": "remote", "url": server.url, "headers": headers, "enabled": true });
    let codex = format!(
        "# mine\n[mcp_servers.far]\nurl = \"{}\"\nbearer_token_env_var = \"TOKEN_OF\"\nstartup_timeout_sec = 9\n",
        server.url
    );
    let files = [
        (".gemini/settings.json", format!("{gemini:#}\n")),
        (".cursor/mcp.json", cursor.to_string()),
        ("xdg-config/opencode/opencode.json", format!("{:#}", json!({ "mcp": { "far": far } }))),
        (".codex/config.toml", codex),
    ];
    // By which OpenCode is found.
    fs::create_dir_all(env.home().join(".config/opencode")).unwrap();
    for (file, text) in &files {
        let path = env.home().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    env.forebay(["init", "--wrap", "--yes"]).ok();
    let again = env.forebay(["init", "--wrap", "--yes"]).ok().text();
    assert!(again.contains("nothing to change"), "{again}");
    for (file, _) in &files {
        let text = fs::read_to_string(env.home().join(file)).unwrap();
        let mut client = McpClient::initialized(as_host_starts(env, &text));
        let said = client.text("said", json!({ "text": file }));
        assert_eq!(said, *file);
    }
    env.forebay(["init", "--undo", "--yes"]).ok();
    for (file, text) in &files {
        assert_eq!(fs::read_to_string(env.home().join(file)).unwrap(), *text, "{file}");
    }
}

/// Starts the entry `far` as a host does that passes on only what the entry names, of a user with the token in a variable.
fn as_host_starts(env: &TestEnv, settings: &str) -> Command {
    let settings: Value = serde_json::from_str(settings).unwrap_or_else(|_| {
        serde_json::to_value(toml::from_str::<toml::Value>(settings).unwrap()).unwrap()
    });
    let servers = ["mcpServers", "mcp", "mcp_servers"].iter().find_map(|key| settings.get(key));
    let entry = &servers.unwrap()["far"];
    let words: Vec<&str> = match &entry["command"] {
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        program => [program]
            .into_iter()
            .chain(entry["args"].as_array().unwrap())
            .filter_map(Value::as_str)
            .collect(),
    };
    assert!(!words.iter().any(|word| word.contains("s3cret")), "{words:?}");
    let mut command = env.program(words[0]);
    command.args(&words[1..]);
    let own = entry.get("env").or_else(|| entry.get("environment")).and_then(Value::as_object);
    command.envs(own.into_iter().flatten().map(|(name, value)| (name, value.as_str().unwrap())));
    if entry["env_vars"].as_array().is_some_and(|names| names.contains(&json!("TOKEN_OF"))) {
        command.env("TOKEN_OF", "s3cret");
    }
    command
}
