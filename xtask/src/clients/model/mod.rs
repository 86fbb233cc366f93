//! The scripted model: a server on the loopback that speaks the APIs agents know.
//!
//! It has no state of its own. A prompt names a script, the results that came after the prompt tell how far
//! it is, so requests that are repeated or made for something else do not confuse it.

mod chat;
mod gemini;
mod http;
mod messages;
mod responses;

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde_json::{Value, json};

/// What a tool's long answer has at least.
pub(super) const LONG_BYTES: usize = 60_000;
/// What the command that a rule denies would make.
pub(super) const DENIED_FILE: &str = "denied.txt";
/// What every long line of the shell has.
const LINE: &str = "the quick brown fox jumps over the lazy dog and goes on";

/// A text of the length that matters, no two lines alike.
pub(super) fn long_text(word: &str) -> String {
    (1..)
        .map(|number| format!("{word} line {number}: {LINE}\n"))
        .scan(0, |bytes, line| {
            let goes_on = *bytes < LONG_BYTES;
            *bytes += line.len();
            goes_on.then_some(line)
        })
        .collect()
}

/// A tool that the agent offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tool {
    pub(super) name: String,
    /// The group that Codex lists it in.
    pub(super) namespace: Option<String>,
}

/// A request, whichever API it came by.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    pub(super) tools: Vec<Tool>,
    /// The last thing a person said.
    pub(super) prompt: String,
    /// The results of tools since then.
    pub(super) results: Vec<String>,
    /// All of it.
    pub(super) whole: String,
}

/// What the model says.
#[derive(Debug, Clone)]
pub(super) enum Said {
    Text(String),
    Call { tool: Tool, input: Value },
}

/// A request and what was said to it.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) path: String,
    pub(super) asked: Asked,
    pub(super) said: String,
}

/// The server; it ends with the process.
pub(super) struct Model {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<Exchange>>>,
}

impl Model {
    pub(super) fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let heard = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&heard);
        std::thread::spawn(move || http::serve(&listener, &shared));
        Ok(Self { address, heard })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was said since the last time.
    pub(super) fn take(&self) -> Vec<Exchange> {
        std::mem::take(&mut *self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The results of the request that saw the most of them.
pub(super) fn results(exchanges: &[Exchange]) -> Vec<String> {
    let scripted = exchanges.iter().filter(|one| one.asked.prompt.contains("SCRIPT all"));
    scripted.map(|one| one.asked.results.clone()).max_by_key(Vec::len).unwrap_or_default()
}

/// The prompt for which the model asks to write a note and to find it again.
pub(super) const FUNCTIONS: &str = "SCRIPT functions";
/// What the note says.
pub(super) const NOTED: &str = "the heron waits at the weir";

/// What the script of [`FUNCTIONS`] says next.
fn next_function(asked: &Asked) -> Said {
    let (name, input) = match asked.results.len() {
        0 => ("ctx_annotate", json!({ "text": NOTED, "kind": "finding" })),
        1 => ("ctx_search", json!({ "queries": ["heron"] })),
        _ => return Said::Text("SCRIPT-END".to_owned()),
    };
    match asked.tools.iter().find(|tool| tool.name == name) {
        Some(tool) => Said::Call { tool: tool.clone(), input },
        None => Said::Text(format!("there is no {name}")),
    }
}

/// What the script says next.
fn next(asked: &Asked) -> Said {
    let done = Said::Text("SCRIPT-END".to_owned());
    if asked.prompt.contains(FUNCTIONS) {
        return next_function(asked);
    }
    if !asked.prompt.contains("SCRIPT all") || asked.tools.is_empty() {
        return done;
    }
    let shell = |command: &str| shell_call(&asked.tools, command);
    let call = match asked.results.len() {
        // Gemini CLI refuses commands that substitute.
        0 => shell(&format!("seq -f 'shell line %.0f: {LINE}' 1 900")),
        1 => tool(&asked.tools, &["long"], "probe").map(|tool| (tool, json!({}))),
        2 => shell(&format!("touch {DENIED_FILE}")),
        3 => tool(&asked.tools, &["ctx_execute"], "forebay")
            .map(|tool| (tool, json!({ "code": "echo forebay-answers" }))),
        _ => None,
    };
    call.map_or(done, |(tool, input)| Said::Call { tool, input })
}

/// A call of whatever the agent runs commands with.
fn shell_call(tools: &[Tool], command: &str) -> Option<(Tool, Value)> {
    const NAMES: [&str; 6] =
        ["Bash", "exec_command", "shell_command", "shell", "run_shell_command", "bash"];
    let found = NAMES.iter().find_map(|name| tools.iter().find(|tool| tool.name == *name))?;
    let input = match found.name.as_str() {
        "exec_command" => json!({ "cmd": command }),
        "shell" => json!({ "command": ["bash", "-lc", command] }),
        _ => json!({ "command": command, "description": "scripted" }),
    };
    Some((found.clone(), input))
}

/// The tool of a server, however the agent joins the two names.
fn tool(tools: &[Tool], names: &[&str], server: &str) -> Option<Tool> {
    let is_it = |tool: &&Tool| {
        let whole = format!("{}{}", tool.namespace.as_deref().unwrap_or_default(), tool.name);
        whole.contains(server) && names.iter().any(|name| tool.name.ends_with(name))
    };
    tools.iter().find(is_it).cloned()
}

/// The text of a content that is a string or a list of parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(part) => {
            let inner = ["text", "content", "output"].iter().find_map(|key| part.get(*key));
            inner.map(text_of).unwrap_or_default()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_long_enough_and_no_longer() {
        let text = long_text("x");
        assert!((LONG_BYTES..LONG_BYTES + 200).contains(&text.len()), "{}", text.len());
    }

    #[test]
    fn the_script_follows_the_results() {
        let tool = |name: &str| Tool { name: name.to_owned(), namespace: None };
        let tools = vec![tool("bash"), tool("probe_long"), tool("forebay_ctx_execute")];
        let mut asked = Asked { tools, prompt: "SCRIPT all".to_owned(), ..Asked::default() };
        let mut called = Vec::new();
        while let Said::Call { tool, .. } = next(&asked) {
            called.push(tool.name);
            asked.results.push("result".to_owned());
        }
        assert_eq!(called, ["bash", "probe_long", "bash", "forebay_ctx_execute"]);
    }
}
