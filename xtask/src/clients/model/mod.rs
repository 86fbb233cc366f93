//! The scripted model: a server on loopback that implements the APIs agents use.
//!
//! It is stateless. A prompt names a script, and the number of tool results after the prompt selects the step, so
//! repeated requests and side requests do not confuse it.

mod chat;
mod gemini;
mod http;
pub(super) mod messages;
mod responses;
pub(super) mod script;

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Result;
use serde_json::{Value, json};

/// The minimum length of a tool's long answer.
pub(super) const LONG_BYTES: usize = 60_000;
/// The file that the denied command would create.
pub(super) const DENIED_FILE: &str = "denied.txt";
/// The text of every line of a long answer.
const LINE: &str = "the quick brown fox jumps over the lazy dog and goes on";

/// Returns a text of at least [`LONG_BYTES`] in which no two lines are equal.
pub(super) fn long_text(word: &str) -> String {
    (1..)
        .map(|number| format!("{word} line {number}: {LINE}\n"))
        .scan(0, |bytes, line| {
            let is_short = *bytes < LONG_BYTES;
            *bytes += line.len();
            is_short.then_some(line)
        })
        .collect()
}

/// A tool that the agent offers to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tool {
    pub(super) name: String,
    /// The namespace that Codex lists it in.
    pub(super) namespace: Option<String>,
}

/// A request to the model, independent of the API.
#[derive(Debug, Clone, Default)]
pub(super) struct ModelRequest {
    pub(super) tools: Vec<Tool>,
    /// The last scripted user prompt.
    pub(super) prompt: String,
    /// The tool results after that prompt.
    pub(super) results: Vec<String>,
    /// The whole request body.
    pub(super) raw: String,
}

/// The model's reply.
#[derive(Debug, Clone)]
pub(super) enum ModelTurn {
    Text(String),
    /// Calls that the agent may run in parallel.
    Calls(Vec<Call>),
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) tool: Tool,
    pub(super) input: Value,
}

/// A request and the model's reply, formatted for debugging.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) path: String,
    pub(super) request: ModelRequest,
    pub(super) reply: String,
    /// When the reply was ready.
    pub(super) replied: Instant,
}

/// The server; it runs until the process exits.
pub(super) struct ScriptedModel {
    address: SocketAddr,
    exchanges: Arc<Mutex<Vec<Exchange>>>,
}

impl ScriptedModel {
    pub(super) fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let exchanges = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&exchanges);
        std::thread::spawn(move || http::serve(&listener, &shared));
        Ok(Self { address, exchanges })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns and clears the exchanges since the last call.
    pub(super) fn drain(&self) -> Vec<Exchange> {
        std::mem::take(&mut *self.exchanges.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The prompt of the script with one shell command.
pub(super) const SHELL_PROMPT: &str = "SCRIPT shell";
/// The output of that command.
pub(super) const SHELL_OUTPUT: &str = "the-shell-works";

/// The prompt of the script with one shell command that fails.
pub(super) const FAILING_PROMPT: &str = "SCRIPT failing";
/// The program of that command, a file in the project.
pub(super) const FAILING_PROGRAM: &str = "cargo";

/// The prompt of the script with one call of the other MCP server.
pub(super) const PROBE_PROMPT: &str = "SCRIPT probe";

/// Returns the tool results of the request with the most results.
pub(super) fn longest_results(exchanges: &[Exchange]) -> Vec<String> {
    const PROMPTS: [&str; 4] = ["SCRIPT all", SHELL_PROMPT, FAILING_PROMPT, PROBE_PROMPT];
    let is_scripted = |prompt: &str| PROMPTS.iter().any(|one| prompt.contains(one));
    let scripted = exchanges.iter().filter(|exchange| is_scripted(&exchange.request.prompt));
    scripted
        .map(|exchange| exchange.request.results.clone())
        .max_by_key(Vec::len)
        .unwrap_or_default()
}

/// The prompt of the script that writes a note and finds it again.
pub(super) const FUNCTIONS_PROMPT: &str = "SCRIPT functions";
/// The text of that note.
pub(super) const NOTE_TEXT: &str = "the heron waits at the weir";

/// Returns the next reply of the [`FUNCTIONS_PROMPT`] script.
fn next_function_turn(request: &ModelRequest) -> ModelTurn {
    let (name, input) = match request.results.len() {
        0 => ("ctx_annotate", json!({ "text": NOTE_TEXT, "kind": "finding" })),
        1 => ("ctx_search", json!({ "queries": ["heron"] })),
        _ => return ModelTurn::Text("SCRIPT-END".to_owned()),
    };
    match request.tools.iter().find(|tool| tool.name == name) {
        Some(tool) => ModelTurn::Calls(vec![Call { tool: tool.clone(), input }]),
        None => ModelTurn::Text(format!("the tool {name} is missing")),
    }
}

/// Returns the script's next reply.
fn next_turn(request: &ModelRequest) -> ModelTurn {
    let done = ModelTurn::Text("SCRIPT-END".to_owned());
    if request.prompt.contains(FUNCTIONS_PROMPT) {
        return next_function_turn(request);
    }
    if request.prompt.contains(script::PROMPT) {
        let last = || script::last_words(request).map_or(done, ModelTurn::Text);
        return script::next_turn(request).unwrap_or_else(last);
    }
    for (prompt, command) in [
        (SHELL_PROMPT, format!("echo {SHELL_OUTPUT}")),
        (FAILING_PROMPT, format!("./{FAILING_PROGRAM} test")),
    ] {
        if request.prompt.contains(prompt) && request.results.is_empty() {
            let call = shell_call(&request.tools, &command);
            return call.map_or(done, |(tool, input)| ModelTurn::Calls(vec![Call { tool, input }]));
        }
    }
    if request.prompt.contains(PROBE_PROMPT) && request.results.is_empty() {
        let call = find_tool(&request.tools, &["long"], "probe");
        return call.map_or(done, |tool| ModelTurn::Calls(vec![Call { tool, input: json!({}) }]));
    }
    if !request.prompt.contains("SCRIPT all") || request.tools.is_empty() {
        return done;
    }
    let shell = |command: &str| shell_call(&request.tools, command);
    let call = match request.results.len() {
        // No command substitution: Gemini CLI rejects it.
        0 => shell(&format!("seq -f 'shell line %.0f: {LINE}' 1 900")),
        1 => find_tool(&request.tools, &["long"], "probe").map(|tool| (tool, json!({}))),
        2 => shell(&format!("touch {DENIED_FILE}")),
        3 => find_tool(&request.tools, &["ctx_execute"], "forebay")
            .map(|tool| (tool, json!({ "code": "echo forebay-answers" }))),
        _ => None,
    };
    call.map_or(done, |(tool, input)| ModelTurn::Calls(vec![Call { tool, input }]))
}

/// Calls the agent's shell tool.
fn shell_call(tools: &[Tool], command: &str) -> Option<(Tool, Value)> {
    const NAMES: [&str; 7] = [
        "Bash",
        "exec_command",
        "shell_command",
        "shell",
        "run_shell_command",
        "bash",
        "run_commands",
    ];
    let found = NAMES.iter().find_map(|name| tools.iter().find(|tool| tool.name == *name))?;
    let input = match found.name.as_str() {
        "exec_command" => json!({ "cmd": command }),
        "shell" => json!({ "command": ["bash", "-lc", command] }),
        "run_commands" => json!({ "commands": [command] }),
        _ => json!({ "command": command, "description": "scripted" }),
    };
    Some((found.clone(), input))
}

/// Finds a tool of an MCP server; agents join the two names in different ways.
fn find_tool(tools: &[Tool], names: &[&str], server: &str) -> Option<Tool> {
    let is_match = |tool: &&Tool| {
        let full_name = format!("{}{}", tool.namespace.as_deref().unwrap_or_default(), tool.name);
        full_name.contains(server) && names.iter().any(|name| tool.name.ends_with(name))
    };
    tools.iter().find(is_match).cloned()
}

/// Returns the text of a content that is a string or a list of parts.
pub(super) fn text_content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_content).collect::<Vec<_>>().join("\n"),
        Value::Object(part) => {
            let inner = ["text", "content", "output"].iter().find_map(|key| part.get(*key));
            inner.map(text_content).unwrap_or_default()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_has_the_requested_length() {
        let text = long_text("x");
        assert!((LONG_BYTES..LONG_BYTES + 200).contains(&text.len()), "{}", text.len());
    }

    #[test]
    fn script_follows_the_results() {
        let tool = |name: &str| Tool { name: name.to_owned(), namespace: None };
        let tools = vec![tool("bash"), tool("probe_long"), tool("forebay_ctx_execute")];
        let mut request =
            ModelRequest { tools, prompt: "SCRIPT all".to_owned(), ..ModelRequest::default() };
        let mut called = Vec::new();
        while let ModelTurn::Calls(calls) = next_turn(&request) {
            called.extend(calls.into_iter().map(|call| call.tool.name));
            request.results.push("result".to_owned());
        }
        assert_eq!(called, ["bash", "probe_long", "bash", "forebay_ctx_execute"]);
    }
}
