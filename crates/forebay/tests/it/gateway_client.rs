//! A client of `forebay gateway --listen` over raw connections, with sessions and streams of events.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::Command;

use rustix::process::Pid;
use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::http_client::{Request, Response, Server};
use crate::mcp_client::text_of;
use crate::wrap::SERVER;

/// What clients of this transport take.
pub(crate) const BOTH: &str = "application/json, text/event-stream";

/// A gateway of the test servers `one`, `two` and `three`.
pub(crate) fn command(env: &TestEnv, flags: &[&str]) -> Command {
    let mut list = String::new();
    for name in ["one", "two", "three"] {
        list += &format!("[servers.{name}]\ncommand = \"python3\"\nargs = ['{SERVER}']\n");
        list += "env = { ANNOTATED = \"1\" }\n";
    }
    env.write("servers.toml", list);
    let mut command = env.command(["gateway", "servers.toml", "--listen", "127.0.0.1:0"]);
    command.args(flags);
    command
}

pub(crate) fn gateway(env: &TestEnv, flags: &[&str]) -> Server {
    Server::start(command(env, flags))
}

pub(crate) fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    request(id, "tools/call", json!({ "name": tool, "arguments": arguments }))
}

/// A client with a session.
pub(crate) struct Client<'a> {
    pub(crate) server: &'a Server,
    pub(crate) token: Option<&'a str>,
    pub(crate) session: String,
}

impl<'a> Client<'a> {
    /// What the answer to `initialize` is.
    pub(crate) fn initialize(server: &Server, token: Option<&str>) -> Response {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "elicitation": {}, "sampling": {} },
            "clientInfo": { "name": "test", "version": "1" },
        });
        let request = Request::new("POST", "/mcp").header("accept", BOTH).json(&request(
            "init",
            "initialize",
            params,
        ));
        server.send(&with_token(request, token))
    }

    pub(crate) fn start(server: &'a Server, token: Option<&'a str>) -> Self {
        let started = Self::initialize(server, token);
        assert_eq!(started.ok()["result"]["serverInfo"]["name"], "forebay-gateway");
        let session = started.header("mcp-session-id").unwrap().to_owned();
        let client = Self { server, token, session };
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(client.post(&ready).status, 202);
        client
    }

    pub(crate) fn request(&self, method: &'static str) -> Request {
        let request = Request::new(method, "/mcp")
            .header("accept", BOTH)
            .header("mcp-session-id", &self.session);
        with_token(request, self.token)
    }

    pub(crate) fn post(&self, message: &Value) -> Response {
        self.server.send(&self.request("POST").json(message))
    }

    /// The answer to a request that gets nothing else.
    #[track_caller]
    pub(crate) fn ask(&self, message: &Value) -> Value {
        self.post(message).ok()
    }

    #[track_caller]
    pub(crate) fn text(&self, tool: &str, arguments: Value) -> String {
        text_of(&self.ask(&call(7, tool, arguments))["result"])
    }

    #[track_caller]
    pub(crate) fn pid(&self, tool: &str) -> Pid {
        Pid::from_raw(self.text(tool, json!({})).parse().unwrap()).unwrap()
    }

    pub(crate) fn tools(&self) -> Vec<String> {
        let listing = self.ask(&request(1, "tools/list", json!({})));
        let tools = listing["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn stream(&self, request: &Request) -> Events {
        let mut connection = self.server.connect();
        connection.write_all(&request.bytes()).unwrap();
        Events::new(connection)
    }

    pub(crate) fn call(&self, id: i64, tool: &str, arguments: Value) -> Events {
        self.stream(&self.request("POST").json(&call(id, tool, arguments)))
    }

    pub(crate) fn end(&self) -> u16 {
        self.server.send(&self.request("DELETE")).status
    }
}

fn with_token(request: Request, token: Option<&str>) -> Request {
    match token {
        Some(token) => request.bearer(token),
        None => request,
    }
}

/// A response that is a stream of events.
pub(crate) struct Events(BufReader<TcpStream>);

impl Events {
    #[track_caller]
    pub(crate) fn new(connection: TcpStream) -> Self {
        let mut events = Self(BufReader::new(connection));
        let status = events.line().unwrap();
        assert!(status.contains(" 200 "), "{status}");
        events
    }

    /// A line of the response; `None` at its end.
    pub(crate) fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        // A stream that is cut off is at its end, too.
        let count = self.0.read_line(&mut line).unwrap_or_default();
        (count > 0).then_some(line)
    }

    /// The next event, with its id.
    pub(crate) fn next(&mut self) -> Option<(String, Value)> {
        let mut id = String::new();
        loop {
            let line = self.line()?;
            if let Some(found) = line.strip_prefix("id: ") {
                found.trim().clone_into(&mut id);
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return Some((id, serde_json::from_str(data).unwrap()));
            }
        }
    }

    #[track_caller]
    pub(crate) fn message(&mut self) -> Value {
        self.next().expect("an event").1
    }
}
