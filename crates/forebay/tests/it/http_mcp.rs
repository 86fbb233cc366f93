//! MCP over streamable HTTP, with and without sessions.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::env::{TestEnv, reference_in};
use crate::http_client::{Request, Response, Server};
use crate::mcp_client::{initialize_params, stateless_meta, text_of};

fn post(message: &Value) -> Request {
    let accept = "application/json, text/event-stream";
    Request::new("POST", "/mcp").header("accept", accept).json(message)
}

fn message(id: i64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// Returns the last message of an answer, which is JSON or an event stream.
#[track_caller]
fn last_message(response: &Response) -> Value {
    assert_eq!(response.status, 200, "{}", response.text());
    if response.header("content-type") == Some("application/json") {
        return response.json();
    }
    let text = response.text();
    let data =
        text.lines().filter_map(|line| line.strip_prefix("data: ")).rfind(|data| !data.is_empty());
    serde_json::from_str(data.unwrap_or_else(|| panic!("no message: {text}"))).unwrap()
}

/// A client with a session.
struct Session<'a> {
    server: &'a Server,
    name: String,
    token: Option<String>,
}

impl<'a> Session<'a> {
    fn start(server: &'a Server, token: Option<&str>) -> Self {
        let mut hello = post(&message(1, "initialize", initialize_params("2025-11-25")));
        if let Some(token) = token {
            hello = hello.bearer(token);
        }
        let answer = server.send(&hello);
        assert_eq!(last_message(&answer)["result"]["protocolVersion"], "2025-11-25");
        let name = answer.header("mcp-session-id").unwrap().to_owned();
        let session = Self { server, name, token: token.map(str::to_owned) };
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(server.send(&session.with_headers(post(&ready))).status, 202);
        session
    }

    fn with_headers(&self, request: Request) -> Request {
        let request = request.header("mcp-session-id", &self.name);
        let request = request.header("mcp-protocol-version", "2025-11-25");
        match &self.token {
            Some(token) => request.bearer(token),
            None => request,
        }
    }

    fn send(&self, message: &Value) -> Response {
        self.server.send(&self.with_headers(post(message)))
    }

    #[track_caller]
    fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        last_message(&self.send(&message(2, "tools/call", params)))["result"].clone()
    }
}

#[test]
fn session_answers_like_stdio() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let session = Session::start(&server, None);
    let listed = last_message(&session.send(&message(2, "tools/list", json!({}))));
    assert_eq!(
        listed["result"]["tools"],
        env.mcp().ask("tools/list", json!({}))["result"]["tools"]
    );
    let run = session.call("ctx_execute", json!({ "command": "echo over http" }));
    assert!(text_of(&run).contains("over http"), "{run}");
    let failed = session.call("ctx_get", json!({ "ref": "aaaaaaaaaa" }));
    assert_eq!(failed["isError"], json!(true), "{failed}");
    let unknown = session.send(&message(3, "tools/call", json!({ "name": "ctx_nothing" })));
    assert_eq!(last_message(&unknown)["error"]["code"], json!(-32602));
}

#[test]
fn sessions_have_separate_histories() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let (one, two) = (Session::start(&server, None), Session::start(&server, None));
    let noted = reference_in(&text_of(&one.call("ctx_annotate", json!({ "text": "mine alone" }))));
    two.call("ctx_annotate", json!({ "text": "something else" }));
    assert!(text_of(&one.call("ctx_history", json!({}))).contains(&noted));
    assert!(!text_of(&two.call("ctx_history", json!({}))).contains(&noted));
}

#[test]
fn a_session_ends_when_it_is_deleted() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let session = Session::start(&server, None);
    let ended = server.send(&session.with_headers(Request::new("DELETE", "/mcp")));
    assert!((200..300).contains(&ended.status), "{ended:?}");
    assert_eq!(session.send(&message(2, "tools/list", json!({}))).status, 404);
}

#[test]
fn a_session_belongs_to_its_token() {
    let env = TestEnv::new();
    let (ann, bob) = (env.token("ann", &["--rights", "read,write"]), env.token("bob", &[]));
    let server = env.serve(&[]);
    let session = Session::start(&server, Some(&ann));
    let stolen = Session { server: &server, name: session.name.clone(), token: Some(bob) };
    let list = message(2, "tools/list", json!({}));
    stolen.send(&list).refused(404, "unknown session", "initialize");
    let anonymous = Session { server: &server, name: session.name.clone(), token: None };
    anonymous.send(&list).refused(404, "unknown session", "initialize");
    let bare = session.name.split('.').next().unwrap().to_owned();
    let unsigned = Session { server: &server, name: bare, token: Some(ann) };
    unsigned.send(&list).refused(404, "unknown session", "initialize");
    assert!(last_message(&session.send(&list))["result"]["tools"].is_array());
}

#[test]
fn the_stateless_revision_needs_no_session() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let params = json!({
        "name": "ctx_execute", "arguments": { "command": "echo alone" }, "_meta": stateless_meta(),
    });
    let request = post(&message(1, "tools/call", params))
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "ctx_execute");
    let answer = server.send(&request);
    assert!(text_of(&last_message(&answer)["result"]).contains("alone"), "{}", answer.text());
    assert_eq!(answer.header("mcp-session-id"), None);
    assert_eq!(answer.header("content-type"), Some("application/json"));
}

#[test]
fn a_server_without_sessions_answers_older_clients_too() {
    let env = TestEnv::new();
    let server = env.serve(&["--stateless"]);
    let hello = server.send(&post(&message(1, "initialize", initialize_params("2025-11-25"))));
    assert_eq!(hello.header("mcp-session-id"), None);
    assert_eq!(last_message(&hello)["result"]["protocolVersion"], "2025-11-25");
    let listed = server.send(&post(&message(2, "tools/list", json!({}))));
    assert!(last_message(&listed)["result"]["tools"].is_array(), "{}", listed.text());
}

#[test]
fn interrupted_answer_is_resumed() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let session = Session::start(&server, None);
    let params = json!({ "name": "ctx_execute", "arguments": { "command": "cat pipe" } });
    let mut stream = server.connect();
    // The run ends only when something is written into the pipe.
    let pipe = env.project().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    stream
        .write_all(&session.with_headers(post(&message(7, "tools/call", params))).bytes())
        .unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let event = lines.find_map(|line| line.strip_prefix("id: ").map(str::to_owned)).unwrap();
    drop(lines);
    std::fs::write(&pipe, "came late\n").unwrap();

    let again = Request::get("/mcp").header("accept", "text/event-stream");
    let mut stream = server.connect();
    stream.write_all(&session.with_headers(again.header("last-event-id", &event)).bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let answer = lines.find(|line| line.starts_with("data: {")).unwrap();
    assert!(answer.contains("came late"), "{answer}");
}

impl Session<'_> {
    /// Opens the stream of the server's messages and returns it after its first event.
    fn listen(&self) -> BufReader<TcpStream> {
        let request = Request::get("/mcp").header("accept", "text/event-stream");
        let mut stream = self.server.connect();
        stream.write_all(&self.with_headers(request).bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while !line.starts_with("data:") && !line.starts_with("id:") {
            line.clear();
            assert_ne!(reader.read_line(&mut line).unwrap(), 0, "the stream is open");
        }
        reader
    }
}

/// The command line revokes the token: another process than the server.
fn check_that_revoking_ends_streams(env: &TestEnv) {
    let (ann, bob) = (env.token("ann", &[]), env.token("bob", &[]));
    let server = env.serve(&[]);
    let sessions = [&ann, &ann, &bob].map(|token| Session::start(&server, Some(token)));
    let [mut one, mut two, mut of_bob] = sessions.each_ref().map(Session::listen);
    env.forebay(["token", "revoke", "ann"]).ok();
    for stream in [&mut one, &mut two] {
        // Fails by the socket's timeout if the stream stays open.
        stream.read_to_end(&mut Vec::new()).unwrap();
    }
    of_bob.get_ref().set_nonblocking(true).unwrap();
    let still_open = of_bob.read_to_end(&mut Vec::new()).unwrap_err();
    assert_eq!(still_open.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn revoking_a_token_ends_its_open_streams() {
    check_that_revoking_ends_streams(&TestEnv::new());
}

#[test]
fn revoking_a_token_ends_its_open_streams_on_postgres() {
    let Some(url) = crate::postgres::unused_workspace() else { return };
    check_that_revoking_ends_streams(&TestEnv::on_server(url));
}

#[test]
fn invalid_message_gets_a_client_error() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let json = |body: &str| post(&json!({})).body(body);
    let long = json!({ "jsonrpc": "2.0", "id": 1, "method": "m".repeat(100_000) }).to_string();
    let wide = format!("[{}1]", "1,".repeat(100_000));
    for (request, status, code) in [
        (json("{"), 400, Some(-32700)),
        (json("[]"), 400, Some(-32600)),
        (json("{}"), 400, Some(-32600)),
        (json(&wide), 400, Some(-32600)),
        (json(&long), 400, Some(-32601)),
        (json(r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#), 400, Some(-32600)),
        (json("{}").header("content-type", "text/plain"), 415, None),
        (json(&message(1, "ping", json!({})).to_string()).header("accept", "text/html"), 406, None),
        (Request::new("PUT", "/mcp"), 405, None),
        (post(&message(1, "tools/list", json!({}))).header("mcp-session-id", "nope"), 404, None),
    ] {
        let answer = server.send(&request);
        assert_eq!(answer.status, status, "{answer:?}");
        if let Some(code) = code {
            assert_eq!(answer.json()["error"]["code"], code, "{answer:?}");
            assert!(answer.body.len() < 1_000, "{} bytes", answer.body.len());
        }
    }
    server.get("/health").ok();
}

impl Session<'_> {
    #[track_caller]
    fn ask(&self, method: &str, params: Value) -> Value {
        last_message(&self.send(&message(3, method, params)))
    }
}

/// The address of the note that a session writes.
fn noted_uri(session: &Session<'_>, text: &str) -> String {
    let reference = reference_in(&text_of(&session.call("ctx_annotate", json!({ "text": text }))));
    format!("forebay://entry/{}", reference.trim_start_matches("[ctx:").trim_end_matches(']'))
}

#[test]
fn resources_and_prompts_stay_in_their_workspace() {
    let env = TestEnv::new();
    let [ann, bob] = ["ann", "bob"].map(|name| {
        env.token(name, &["--rights", "read,write", "--workspace", &format!("of-{name}")])
    });
    let server = env.serve(&[]);
    let (ann, bob) = (Session::start(&server, Some(&ann)), Session::start(&server, Some(&bob)));
    let uri = noted_uri(&ann, "the walrus is hers");
    let read = ann.ask("resources/read", json!({ "uri": uri }));
    assert!(read["result"]["contents"][0]["text"].as_str().unwrap().contains("walrus"), "{read}");
    let refused = bob.ask("resources/read", json!({ "uri": uri }));
    assert_eq!(refused["error"]["code"], -32002, "{refused}");
    let refused = bob.ask("resources/subscribe", json!({ "uri": uri }));
    assert_eq!(refused["error"]["code"], -32002, "{refused}");
    assert_eq!(bob.ask("resources/list", json!({}))["result"]["resources"], json!([]));
    let query = json!({ "name": "recall", "arguments": { "query": "walrus" } });
    let recalled = |session: &Session<'_>| session.ask("prompts/get", query.clone()).to_string();
    assert!(recalled(&ann).contains("the walrus is hers"));
    assert!(!recalled(&bob).contains("the walrus is hers"));
}

#[test]
fn jobs_need_the_right_to_execute_and_entries_the_right_to_read() {
    let env = TestEnv::new();
    let (reads, writes) =
        (env.token("r", &["--rights", "read"]), env.token("w", &["--rights", "write"]));
    let server = env.serve(&[]);
    let own = Session::start(&server, None);
    let job = json!({ "code": "sleep 100", "background": true });
    assert!(text_of(&own.call("ctx_execute", job)).contains("j1 running"));
    let uri = noted_uri(&own, "for readers");
    let (reader, writer) =
        (Session::start(&server, Some(&reads)), Session::start(&server, Some(&writes)));
    let listed = own.ask("resources/list", json!({}))["result"]["resources"].clone();
    assert_eq!(listed[0]["uri"], "forebay://job/j1");
    let listed = reader.ask("resources/list", json!({}))["result"]["resources"].clone();
    assert_eq!((&listed[0]["uri"], listed.as_array().unwrap().len()), (&json!(uri), 1));
    for method in ["resources/read", "resources/subscribe"] {
        let refused = reader.ask(method, json!({ "uri": "forebay://job/j1" }));
        assert!(
            refused["error"]["message"].as_str().unwrap().contains("the right `execute`"),
            "{refused}"
        );
        let refused = writer.ask(method, json!({ "uri": uri }));
        assert!(
            refused["error"]["message"].as_str().unwrap().contains("the right `read`"),
            "{refused}"
        );
    }
    assert_eq!(writer.ask("resources/list", json!({}))["result"]["resources"], json!([]));
    assert_eq!(writer.ask("prompts/list", json!({}))["result"]["prompts"], json!([]));
    let refused = writer.ask("prompts/get", json!({ "name": "stats" }));
    assert!(
        refused["error"]["message"].as_str().unwrap().contains("the right `read`"),
        "{refused}"
    );
    let templates = reader.ask("resources/templates/list", json!({}));
    assert_eq!(templates["result"]["resourceTemplates"].as_array().unwrap().len(), 1);
}

#[test]
fn a_session_hears_of_its_job_on_its_stream() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let session = Session::start(&server, None);
    let code = "until [ -e go ]; do sleep 0.05; done";
    session.call("ctx_execute", json!({ "code": code, "background": true }));
    let mut stream = session.listen();
    let followed = session.ask("resources/subscribe", json!({ "uri": "forebay://job/j1" }));
    assert_eq!(followed["result"], json!({}), "{followed}");
    std::fs::write(env.project().join("go"), "").unwrap();
    let mut line = String::new();
    while !line.contains("notifications/resources/updated") {
        line.clear();
        assert_ne!(stream.read_line(&mut line).unwrap(), 0, "the stream is open");
    }
    assert!(line.contains("forebay://job/j1"), "{line}");
}

#[test]
fn a_request_of_the_stateless_revision_gets_its_log_messages() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let mut meta = stateless_meta();
    meta["io.modelcontextprotocol/logLevel"] = json!("debug");
    let params = json!({ "name": "ctx_stats", "arguments": {}, "_meta": meta });
    let request = post(&message(1, "tools/call", params))
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "ctx_stats");
    let answer = server.send(&request);
    assert!(answer.text().contains("notifications/message"), "{}", answer.text());
    assert!(text_of(&last_message(&answer)["result"]).contains("saved"), "{}", answer.text());
}
