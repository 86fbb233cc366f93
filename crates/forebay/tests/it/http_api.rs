//! REST API: tools, entries, search, health, metrics and the OpenAPI document.

use serde_json::{Value, json};

use crate::env::{TestEnv, reference_in};
use crate::http_client::Request;

#[test]
fn tool_calls_use_the_same_json_as_mcp() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let run = server.tool("ctx_execute", json!({ "command": "seq 1 3" }));
    assert_eq!(run.ok()["isError"], json!(false));
    assert!(run.answer().contains("exit 0") && run.answer().ends_with("1\n2\n3"), "{run:?}");
    let noted =
        server.tool("ctx_annotate", json!({ "text": "the heron waits at the weir" })).answer();
    let found = server.tool("ctx_search", json!({ "queries": ["heron"] })).answer();
    assert!(found.contains(&reference_in(&noted)), "{found}");
    let stats = server.tool("ctx_stats", json!({})).ok();
    assert!(stats["structuredContent"].is_object(), "{stats}");
    // The server and the CLI share one store.
    assert!(env.forebay(["search", "heron"]).ok().text().contains(&reference_in(&noted)));
    let by_cli = env.noted("the otter sleeps");
    assert!(server.get("/v1/search?q=otter").text().contains(&by_cli));
}

#[test]
fn an_empty_body_is_an_empty_input() {
    let server = TestEnv::new().serve(&[]);
    let request =
        Request::new("POST", "/v1/tools/ctx_stats").header("content-type", "application/json");
    server.send(&request).ok();
}

#[test]
fn tool_list_matches_the_schema_command_in_every_format() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    for format in ["openai", "gemini", "anthropic", "mcp"] {
        let printed = env.forebay(["schema", "--format", format]).ok().json();
        assert_eq!(server.get(&format!("/v1/tools?format={format}")).ok(), printed, "{format}");
    }
    assert_eq!(server.get("/v1/tools").ok(), server.get("/v1/tools?format=openai").ok());
    server.get("/v1/tools?format=cobol").refused(400, "unknown format `cobol`", "openai");
}

#[test]
fn search_answers_several_queries_as_json() {
    let env = TestEnv::new();
    let (heron, otter) = (env.noted("the heron waits"), env.noted("the otter sleeps & dreams"));
    let server = env.serve(&[]);
    let found = server.get("/v1/search?q=heron&q=otter%20dreams&limit=1&kind=note").ok();
    let first = |index: usize| found["queries"][index]["hits"][0]["ref"].clone();
    assert_eq!((first(0), first(1)), (json!(heron), json!(otter)));
    server.get("/v1/search").refused(400, "the query is empty", "words");
    server.get("/v1/search?q=x&limit=many").refused(400, "limit", "");
    server.get("/v1/search?q=x&nonsense=1").refused(400, "nonsense", "");
    server.get("/v1/search?q=x&scope=galaxy").refused(400, "galaxy", "");
}

#[test]
fn entry_is_read_in_pages_or_raw() {
    let env = TestEnv::new();
    let mut content: Vec<u8> =
        (0..40_000).map(|n| format!("line {n}\n")).collect::<String>().into();
    content.extend_from_slice(b"\xff\x00 not text\n");
    let reference = env.stored(&content);
    let server = env.serve(&[]);
    let page = server.get(&format!("/v1/entries/{reference}?lines=3-4")).ok();
    assert!(page.to_string().contains("line 2"), "{page}");
    let matching = server.get(&format!("/v1/entries/{reference}?grep=line%2039999")).ok();
    assert!(matching.to_string().contains("line 39999"), "{matching}");
    let raw = server.get(&format!("/v1/entries/{reference}?raw=true"));
    assert_eq!(raw.header("content-type"), Some("application/octet-stream"));
    assert_eq!(raw.status, 200);
    assert!(raw.body == content, "{} bytes of {}", raw.body.len(), content.len());
    server.get("/v1/entries/aaaaaaaaaa").refused(404, "aaaaaaaaaa", "");
    server.get("/v1/entries/aaaaaaaaaa?raw=true").refused(404, "aaaaaaaaaa", "");
    server.get("/v1/entries/what").refused(400, "what", "");
}

#[test]
fn health_reports_the_state_of_the_store() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    assert_eq!(server.get("/health").ok()["status"], "ok");
    assert_eq!(server.get("/ready").ok()["status"], "ok");
    // A file in place of the folder makes the store unavailable.
    drop(server);
    std::fs::remove_dir_all(env.data().join("projects")).unwrap();
    let server = env.serve(&[]);
    std::fs::write(env.data().join("projects"), "in the way").unwrap();
    let unhealthy = server.get("/health");
    unhealthy.refused(503, "the store is unavailable", "log");
    assert_eq!(unhealthy.header("retry-after"), Some("1"));
    assert!(!unhealthy.text().contains(&*env.root().to_string_lossy()), "{}", unhealthy.text());
    // It recovers without a restart.
    std::fs::remove_file(env.data().join("projects")).unwrap();
    assert_eq!(server.get("/health").ok()["status"], "ok");
}

#[test]
fn metrics_count_requests_and_tool_calls() {
    let server = TestEnv::new().serve(&[]);
    server.tool("ctx_annotate", json!({ "text": "counted" })).ok();
    server.tool("ctx_annotate", json!({ "text": "" })).refused(400, "empty", "");
    server.get("/nowhere");
    let metrics = server.get("/metrics").text();
    for line in [
        r#"forebay_http_requests_total{route="/v1/tools/{name}",status="200"} 1"#,
        r#"forebay_http_requests_total{route="other",status="404"} 1"#,
        r#"forebay_tool_calls_total{tool="ctx_annotate",outcome="ok"} 1"#,
        r#"forebay_tool_calls_total{tool="ctx_annotate",outcome="error"} 1"#,
        r#"forebay_http_request_seconds_count{route="/v1/tools/{name}"} 2"#,
    ] {
        assert!(metrics.lines().any(|metric| metric == line), "{line}\n{metrics}");
    }
}

#[test]
fn the_openapi_document_describes_every_route_and_tool() {
    let env = TestEnv::new();
    let server = env.serve(&["--set", "tools.all=true"]);
    let document = server.get("/openapi.json").ok();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    let listed = server.get("/v1/tools?format=mcp").ok();
    for tool in listed.as_array().unwrap() {
        let path = &paths[&format!("/v1/tools/{}", tool["name"].as_str().unwrap())];
        let schema = path.pointer("/post/requestBody/content/application~1json/schema");
        assert_eq!(schema, Some(&tool["inputSchema"]), "{tool}");
    }
    for path in
        ["/v1/tools", "/v1/search", "/v1/entries/{reference}", "/health", "/ready", "/metrics"]
    {
        assert!(paths[path]["get"]["operationId"].is_string(), "{path}");
    }
    let mut references = Vec::new();
    collect_schema_references(&document, &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

fn collect_schema_references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| match value {
            Value::String(to) if name == "$ref" => found.push(to.clone()),
            other => collect_schema_references(other, found),
        }),
        Value::Array(items) => items.iter().for_each(|item| collect_schema_references(item, found)),
        _ => {}
    }
}

#[test]
fn sessions_named_in_a_header_are_separate() {
    let env = TestEnv::new();
    let server = env.serve(&[]);
    let note = |session: &str, text: &str| {
        let request = Request::tool("ctx_annotate", json!({ "text": text }));
        server.send(&request.header("forebay-session", session)).answer()
    };
    let (first, second) = (note("one", "said in one"), note("two", "said in two"));
    let history = Request::tool("ctx_history", json!({})).header("forebay-session", "one");
    let listed = server.send(&history).answer();
    assert!(listed.contains(&reference_in(&first)), "{listed}");
    assert!(!listed.contains(&reference_in(&second)), "{listed}");
}
