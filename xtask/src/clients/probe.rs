//! `cargo xtask probe`: an MCP server with one tool that returns a long answer.

use std::io::{self, BufRead, Write};

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

use super::model;

/// Serve one tool with a long answer over MCP (used by `clients`)
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct Probe {}

impl Probe {
    pub(crate) fn run(self) -> Result<()> {
        let mut stdout = io::stdout().lock();
        for line in io::stdin().lock().lines() {
            let Ok(request) = serde_json::from_str::<Value>(&line?) else { continue };
            if let Some(reply) = reply(&request) {
                writeln!(stdout, "{reply}")?;
                stdout.flush()?;
            }
        }
        Ok(())
    }
}

fn reply(request: &Value) -> Option<Value> {
    let id = request.get("id")?;
    let result = match request["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "probe", "version": "1" },
        }),
        "tools/list" => json!({ "tools": [{
            "name": "long",
            "description": "Returns a long text.",
            "inputSchema": { "type": "object", "properties": {} },
        }] }),
        "tools/call" => {
            json!({ "content": [{ "type": "text", "text": model::long_text("probe") }] })
        }
        "ping" => json!({}),
        _ => {
            let error = json!({ "code": -32601, "message": "unknown method" });
            return Some(json!({ "jsonrpc": "2.0", "id": id, "error": error }));
        }
    };
    Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}
