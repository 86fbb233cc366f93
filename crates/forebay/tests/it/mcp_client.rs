//! A minimal MCP client: one message per line, with bounded waits.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::env::{HANG_TIMEOUT, wait_until};

pub(crate) struct McpClient {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<String>,
    /// Messages received while waiting for another one.
    pending: Vec<Value>,
    last_id: i64,
}

impl McpClient {
    /// Starts a server without a handshake.
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (sender, messages) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let stdin = child.stdin.take();
        Self { child, stdin, messages, pending: Vec::new(), last_id: 0 }
    }

    /// Starts a server and performs the handshake of revision 2025-11-25.
    pub(crate) fn initialized(command: Command) -> Self {
        let mut client = Self::start(command);
        client.initialize("2025-11-25");
        client
    }

    /// Performs the handshake and returns the server's result.
    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        let answer = self.ask("initialize", initialize_params(version));
        self.notify("notifications/initialized", json!({}));
        answer["result"].clone()
    }

    /// Performs the handshake with client capabilities.
    pub(crate) fn initialize_with_capabilities(&mut self, capabilities: Value) {
        let mut params = initialize_params("2025-11-25");
        params["capabilities"] = capabilities;
        self.ask("initialize", params);
        self.notify("notifications/initialized", json!({}));
    }

    pub(crate) fn process(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Writes a raw line.
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

    /// Sends a request and returns its id without waiting.
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

    /// Starts a tool call and returns its id without waiting.
    pub(crate) fn begin(&mut self, tool: &str, arguments: Value) -> i64 {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Calls a tool and returns its result, successful or not.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.begin(tool, arguments);
        let response = self.response(id);
        assert!(response["result"].is_object(), "{response}");
        response["result"].clone()
    }

    /// Calls a tool that must succeed and returns its text.
    #[track_caller]
    pub(crate) fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], json!(true), "{result}");
        text_of(&result)
    }

    /// Calls a tool that must fail and returns the error text.
    #[track_caller]
    pub(crate) fn error(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], json!(true), "{result}");
        text_of(&result)
    }

    /// Returns the next message.
    #[track_caller]
    pub(crate) fn receive(&mut self) -> Value {
        if !self.pending.is_empty() {
            return self.pending.remove(0);
        }
        self.receive_new().expect("a message")
    }

    /// Returns the response to a request and keeps other messages as pending.
    #[track_caller]
    pub(crate) fn response(&mut self, id: i64) -> Value {
        let is_response =
            |message: &Value| message["id"] == json!(id) && message["method"].is_null();
        if let Some(index) = self.pending.iter().position(is_response) {
            return self.pending.remove(index);
        }
        loop {
            let message = self.receive_new().unwrap_or_else(|| panic!("no response to {id}"));
            if is_response(&message) {
                return message;
            }
            self.pending.push(message);
        }
    }

    /// Takes the pending messages.
    pub(crate) fn take_pending(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.pending)
    }

    fn receive_new(&mut self) -> Option<Value> {
        let line = self.messages.recv_timeout(HANG_TIMEOUT).ok()?;
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Some(message)
    }

    /// Closes the server's stdin and waits until it exits.
    pub(crate) fn close(mut self) -> ExitStatus {
        drop(self.stdin.take());
        self.wait()
    }

    /// Kills the server, simulating a crash, and returns the messages it had written.
    pub(crate) fn kill(&mut self) -> Vec<Value> {
        kill_process(self.process(), Signal::KILL).unwrap();
        self.wait();
        let rest: Vec<String> = self.messages.iter().collect();
        // The last line may be incomplete.
        rest.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        let has_exited = wait_until(Duration::from_secs(30), || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        assert!(has_exited, "the server did not exit");
        status.unwrap()
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        // The process may have exited already.
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

/// Metadata that a request of the stateless revision carries instead of a handshake.
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
