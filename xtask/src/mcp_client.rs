//! A minimal client of `forebay mcp`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::installation::Installation;

pub(crate) struct Client {
    server: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    last_id: u64,
}

impl Client {
    /// Starts a server and performs the handshake.
    pub(crate) fn start(env: &Installation) -> Result<Self> {
        Self::start_with(env, &[])
    }

    /// Like [`Client::start`], with options before the command.
    pub(crate) fn start_with(env: &Installation, options: &[&str]) -> Result<Self> {
        Self::start_command(env.forebay(&[options, &["mcp"]].concat()))
    }

    /// Starts another command that serves MCP.
    pub(crate) fn start_command(mut command: Command) -> Result<Self> {
        let mut server =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let requests = server.stdin.take().context("the server's stdin")?;
        let answers = BufReader::new(server.stdout.take().context("the server's stdout")?);
        let mut client = Self { server, requests, answers, last_id: 0 };
        client.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "xtask", "version": "1" },
            }),
        )?;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    /// Returns the server's process id.
    pub(crate) fn pid(&self) -> u32 {
        self.server.id()
    }

    /// Sends a request and waits for its result; an error response is an error.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut answer = self.receive()?;
            if answer["id"] == id {
                if answer.get("error").is_some() {
                    bail!("{method}: {answer}");
                }
                return Ok(answer["result"].take());
            }
        }
    }

    /// Calls a tool and returns the text of its answer.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        let answer =
            self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        if answer["isError"] == true {
            bail!("{tool}: {answer}");
        }
        Ok(answer["content"][0]["text"].as_str().unwrap_or_default().to_owned())
    }

    /// Closes the server's stdin and waits until it exits.
    pub(crate) fn end(self) -> Result<()> {
        let Self { mut server, requests, answers, .. } = self;
        drop(requests);
        server.wait()?;
        drop(answers);
        Ok(())
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let mut line = message.to_string();
        line.push('\n');
        Ok(self.requests.write_all(line.as_bytes())?)
    }

    fn receive(&mut self) -> Result<Value> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            bail!("the server exited without a response");
        }
        serde_json::from_str(&line).with_context(|| format!("not a message: {line}"))
    }
}
