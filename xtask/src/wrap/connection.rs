//! A client that keeps every line as it arrives.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::process;

pub(super) struct Connection {
    server: Child,
    requests: ChildStdin,
    lines: BufReader<ChildStdout>,
    last_id: u64,
}

/// A request, and what the server sent until it had answered.
pub(super) struct Exchange {
    pub(super) request: String,
    pub(super) received: Vec<String>,
}

impl Connection {
    pub(super) fn start_program(command: &[String], folder: &Path) -> Result<Self> {
        let (program, arguments) = command.split_first().context("no command")?;
        let mut command = process::command(program);
        command.args(arguments);
        Self::start(command, folder)
    }

    /// Starts a server that keeps its data in `folder`.
    pub(super) fn start(mut command: Command, folder: &Path) -> Result<Self> {
        let mut server = command
            .env("MEMORY_FILE_PATH", folder.join("memory.jsonl"))
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let requests = server.stdin.take().context("the server's stdin")?;
        let lines = BufReader::new(server.stdout.take().context("the server's stdout")?);
        Ok(Self { server, requests, lines, last_id: 0 })
    }

    /// Sends a request and waits for its answer; answers requests of the server meanwhile.
    pub(super) fn exchange(&mut self, method: &str, params: &Value) -> Result<Exchange> {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&request)?;
        let mut received = Vec::new();
        loop {
            let line = self.receive()?;
            let message: Value = serde_json::from_str(&line).context(line.clone())?;
            received.push(line);
            if message.get("method").is_some() {
                self.answer(&message)?;
            } else if message["id"] == id {
                break;
            }
        }
        if method == "initialize" {
            self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        }
        Ok(Exchange { request: request.to_string(), received })
    }

    /// Answers a request of the server, as a user would who types nothing.
    fn answer(&mut self, message: &Value) -> Result<()> {
        let result = match message["method"].as_str().unwrap_or_default() {
            _ if message.get("id").is_none() => return Ok(()),
            "roots/list" => json!({ "roots": [] }),
            "sampling/createMessage" => json!({
                "role": "assistant",
                "model": "none",
                "content": { "type": "text", "text": "sampled" },
            }),
            "elicitation/create" => json!({ "action": "decline" }),
            _ => json!({}),
        };
        self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
    }

    pub(super) fn end(self) -> Result<()> {
        let Self { mut server, requests, lines, .. } = self;
        drop((requests, lines));
        server.wait()?;
        Ok(())
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        Ok(self.requests.write_all(format!("{message}\n").as_bytes())?)
    }

    fn receive(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.lines.read_line(&mut line)? == 0 {
            bail!("the server ended without an answer");
        }
        Ok(line)
    }
}
