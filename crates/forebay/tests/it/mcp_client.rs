//! A bare MCP client: one message a line, with every wait bounded.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::env::{HANG, wait_until};

pub(crate) struct McpClient {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<String>,
    /// What came while something else was waited for.
    aside: Vec<Value>,
    last_id: i64,
}

impl McpClient {
    /// Starts a server and says nothing to it.
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (sender, messages) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let stdin = child.stdin.take();
        Self { child, stdin, messages, aside: Vec::new(), last_id: 0 }
    }

    /// Starts a server and shakes hands as revision 2025-11-25 does.
    pub(crate) fn initialized(command: Command) -> Self {
        let mut client = Self::start(command);
        client.initialize("2025-11-25");
        client
    }

    /// Shakes hands and returns what the server says about itself.
    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        let answer = self.ask("initialize", initialize_params(version));
        self.notify("notifications/initialized", json!({}));
        answer["result"].clone()
    }

    /// Shakes hands as a client with capabilities.
    pub(crate) fn initialize_able_to(&mut self, capabilities: Value) {
        let mut params = initialize_params("2025-11-25");
        params["capabilities"] = capabilities;
        self.ask("initialize", params);
        self.notify("notifications/initialized", json!({}));
    }

    pub(crate) fn process(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Writes a line as it is.
    pub(crate) fn send_line(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.send_line(&message.to_string());
    }

    /// Sends a request and returns its id at once.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        let id = self.last_id;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send_line(&message.to_string());
        id
    }

    /// Sends a request and waits for its response.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.response(id)
    }

    /// Starts a tool call and returns its id at once.
    pub(crate) fn begin(&mut self, tool: &str, arguments: Value) -> i64 {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Calls a tool; its result, whatever it says.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.begin(tool, arguments);
        let response = self.response(id);
        assert!(response["result"].is_object(), "{response}");
        response["result"].clone()
    }

    /// Calls a tool that must succeed; its text.
    #[track_caller]
    pub(crate) fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], json!(true), "{result}");
        text_of(&result)
    }

    /// Calls a tool that must fail; what it says.
    #[track_caller]
    pub(crate) fn fault(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], json!(true), "{result}");
        text_of(&result)
    }

    /// The next message, which must be one of the protocol.
    #[track_caller]
    pub(crate) fn receive(&mut self) -> Value {
        if !self.aside.is_empty() {
            return self.aside.remove(0);
        }
        self.receive_new().expect("a message")
    }

    /// The response to a request; other messages are put aside.
    #[track_caller]
    pub(crate) fn response(&mut self, id: i64) -> Value {
        let is_it = |message: &Value| message["id"] == json!(id) && message["method"].is_null();
        if let Some(at) = self.aside.iter().position(is_it) {
            return self.aside.remove(at);
        }
        loop {
            let message = self.receive_new().unwrap_or_else(|| panic!("no response to {id}"));
            if is_it(&message) {
                return message;
            }
            self.aside.push(message);
        }
    }

    /// What was put aside so far.
    pub(crate) fn take_aside(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.aside)
    }

    fn receive_new(&mut self) -> Option<Value> {
        let line = self.messages.recv_timeout(HANG).ok()?;
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Some(message)
    }

    /// Closes the server's stdin and waits for its end.
    pub(crate) fn close(mut self) -> ExitStatus {
        drop(self.stdin.take());
        self.wait()
    }

    /// Ends the server at once, as a crash would; what it had written is still read.
    pub(crate) fn kill(&mut self) -> Vec<Value> {
        kill_process(self.process(), Signal::KILL).unwrap();
        self.wait();
        let rest: Vec<String> = self.messages.iter().collect();
        // The last line may be torn by the end.
        rest.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        let ended = wait_until(Duration::from_secs(30), || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        assert!(ended, "the server did not end");
        status.unwrap()
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        // Ended already, or ended by this.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn initialize_params(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": { "name": "it", "version": "1" },
    })
}

/// What a request of the stateless revision carries in place of a handshake.
pub(crate) fn stateless_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "it", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

pub(crate) fn text_of(result: &Value) -> String {
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
}
