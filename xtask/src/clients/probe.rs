//! `cargo xtask probe`: an MCP server whose tools return long answers.

use std::io::{self, BufRead, Write};

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

use super::model;

/// An image of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Serve tools with long answers over MCP (used by `clients`)
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
        "tools/list" => json!({ "tools": [
            tool("long", "Returns a long text."),
            tool("image", "Returns a long text and an image."),
        ] }),
        "tools/call" => call(request["params"]["name"].as_str().unwrap_or_default()),
        "ping" => json!({}),
        _ => {
            let error = json!({ "code": -32601, "message": "unknown method" });
            return Some(json!({ "jsonrpc": "2.0", "id": id, "error": error }));
        }
    };
    Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn tool(name: &str, description: &str) -> Value {
    let schema = json!({ "type": "object", "properties": {} });
    json!({ "name": name, "description": description, "inputSchema": schema })
}

fn call(name: &str) -> Value {
    let text = json!({ "type": "text", "text": model::long_text("probe") });
    let image = json!({ "type": "image", "mimeType": "image/png", "data": PIXEL });
    json!({ "content": if name == "image" { vec![text, image] } else { vec![text] } })
}
