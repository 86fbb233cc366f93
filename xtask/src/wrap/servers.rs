//! The servers, and what is asked of them. Their answers must be the same each time.

use std::path::Path;

use serde_json::{Value, json};

use crate::browser;

pub(super) struct Server {
    pub(super) name: &'static str,
    /// Below `node_modules`.
    entry: &'static str,
    arguments: Arguments,
    pub(super) requests: fn(&Path) -> Vec<(&'static str, Value)>,
    /// What its digests must show.
    pub(super) shown: &'static [&'static str],
}

enum Arguments {
    None,
    /// The folder that it keeps its data in.
    Folder,
    /// To use the browser that is there.
    Browser,
}

pub(super) const SERVERS: &[Server] = &[
    Server {
        name: "everything",
        entry: "@modelcontextprotocol/server-everything/dist/index.js",
        arguments: Arguments::None,
        requests: everything,
        shown: &[],
    },
    Server {
        name: "filesystem",
        entry: "@modelcontextprotocol/server-filesystem/dist/index.js",
        arguments: Arguments::Folder,
        requests: filesystem,
        shown: &[],
    },
    Server {
        name: "memory",
        entry: "@modelcontextprotocol/server-memory/dist/index.js",
        arguments: Arguments::None,
        requests: memory,
        shown: &[],
    },
    Server {
        name: "playwright",
        entry: "@playwright/mcp/cli.js",
        arguments: Arguments::Browser,
        requests: playwright,
        // The buttons that are clicked by these references afterwards.
        shown: &["Pay 0 e4", "Pay 2 e8"],
    },
];

impl Server {
    /// The command that starts the server; `None` if it needs a browser and there is none.
    pub(super) fn command(&self, packages: &Path, folder: &Path) -> Option<Vec<String>> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut words =
            vec!["node".to_owned(), text(&packages.join("node_modules").join(self.entry))];
        match self.arguments {
            Arguments::None => {}
            Arguments::Folder => words.push(text(folder)),
            Arguments::Browser => {
                let flags = ["--headless", "--isolated", "--no-sandbox", "--executable-path"];
                words.extend(flags.map(str::to_owned));
                words.push(text(&browser::find()?));
            }
        }
        Some(words)
    }
}

/// The requests that every client begins with.
fn start(capabilities: Value) -> Vec<(&'static str, Value)> {
    let initialize = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "clientInfo": { "name": "xtask", "version": "1" },
    });
    vec![("initialize", initialize), ("ping", json!({})), ("tools/list", json!({}))]
}

fn call(tool: &str, arguments: Value) -> (&'static str, Value) {
    ("tools/call", json!({ "name": tool, "arguments": arguments }))
}

fn everything(_: &Path) -> Vec<(&'static str, Value)> {
    let document = json!({ "uri": "demo://resource/static/document/features.md" });
    let argument = json!({
        "ref": { "type": "ref/prompt", "name": "completable-prompt" },
        "argument": { "name": "department", "value": "E" },
    });
    let mut requests = start(json!({}));
    requests.extend([
        ("prompts/list", json!({})),
        ("prompts/get", json!({ "name": "args-prompt", "arguments": { "city": "Turin" } })),
        ("prompts/get", json!({ "name": "no such prompt" })),
        ("completion/complete", argument),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", document.clone()),
        ("resources/subscribe", document.clone()),
        ("resources/unsubscribe", document),
        ("logging/setLevel", json!({ "level": "error" })),
        ("tasks/list", json!({})),
        ("no/such/method", json!({ "x": 1.50 })),
        call("echo", json!({ "message": "\u{e9}\u{202e}\u{0}" })),
        call("echo", json!({})),
        call("no such tool", json!({})),
        call("get-sum", json!({ "a": 1, "b": 2.5 })),
        call("get-annotated-message", json!({ "messageType": "error", "includeImage": true })),
        call("get-resource-links", json!({ "count": 3 })),
        call("get-structured-content", json!({ "location": "Chicago" })),
        call("get-tiny-image", json!({})),
        (
            "tools/call",
            json!({
                "name": "trigger-long-running-operation",
                "arguments": { "duration": 0.2, "steps": 2 },
                "_meta": { "progressToken": "p" },
            }),
        ),
        call("echo", json!({ "message": "a line of a long text\n".repeat(2_000) })),
    ]);
    requests
}

fn filesystem(folder: &Path) -> Vec<(&'static str, Value)> {
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let long: String = (0..4_000).map(|line| format!("line {line} of the file\n")).collect();
    let edit = json!([{ "oldText": "two", "newText": "three" }]);
    let mut requests = start(json!({}));
    requests.extend([
        call("list_allowed_directories", json!({})),
        call("write_file", json!({ "path": path("a.txt"), "content": "one\ntwo\n" })),
        call("edit_file", json!({ "path": path("a.txt"), "edits": edit })),
        call("read_text_file", json!({ "path": path("a.txt") })),
        call("create_directory", json!({ "path": path("b/c") })),
        call("directory_tree", json!({ "path": path("") })),
        call("search_files", json!({ "path": path(""), "pattern": "*.txt" })),
        call("read_text_file", json!({ "path": path("missing.txt") })),
        call("read_text_file", json!({ "path": "/etc/passwd" })),
        call("write_file", json!({ "path": path("long.txt"), "content": long })),
        call("read_text_file", json!({ "path": path("long.txt") })),
        call("read_text_file", json!({ "path": path("long.txt"), "head": 3 })),
    ]);
    requests
}

fn memory(_: &Path) -> Vec<(&'static str, Value)> {
    let entity = |name: String| json!({ "name": name, "entityType": "part", "observations": ["is in the shed"] });
    let many: Vec<Value> = (0..400).map(|number| entity(format!("part {number}"))).collect();
    let relation = json!([{ "from": "saw", "to": "shed", "relationType": "is in" }]);
    let mut requests = start(json!({}));
    requests.extend([
        ("resources/list", json!({})),
        call(
            "create_entities",
            json!({ "entities": [entity("saw".into()), entity("shed".into())] }),
        ),
        call("create_relations", json!({ "relations": relation })),
        call("search_nodes", json!({ "query": "saw" })),
        call("read_graph", json!({})),
        call("delete_entities", json!({ "entityNames": ["saw"] })),
        call("open_nodes", json!({ "names": ["shed", "saw"] })),
        call("create_entities", json!({ "entities": many })),
        call("read_graph", json!({})),
        call("open_nodes", json!({ "names": ["part 7"] })),
    ]);
    requests
}

fn playwright(_: &Path) -> Vec<(&'static str, Value)> {
    const PAGE: &str = "data:text/html,<title>Orders</title><h1>Orders</h1><script>for(let i=0;i<600;i++)document.write(\
                        `<p>Order ${i} <button onclick=\"document.title='paid ${i}'\">Pay ${i}</button></p>`)</script>";
    let click = |name: &str, reference: &str| {
        call("browser_click", json!({ "element": name, "target": reference }))
    };
    let mut requests = start(json!({}));
    requests.extend([
        call("browser_navigate", json!({ "url": PAGE })),
        call("browser_snapshot", json!({})),
        click("Pay 0", "e4"),
        click("Pay 2", "e8"),
        click("nothing", "e99999"),
        call("browser_evaluate", json!({ "function": "() => document.title" })),
        call("browser_navigate", json!({ "url": "data:text/html,<title>small</title>small" })),
        call("browser_snapshot", json!({})),
        call("browser_close", json!({})),
    ]);
    requests
}
