//! `/openapi.json`: the plain API as OpenAPI 3.1, made from the registry of tools.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use forebay_app::tools::ToolRow;
use serde_json::{Map, Value, json};

use super::caller::Caller;
use super::desk::Desk;
use super::problem::{Problem, json_response};
use crate::doors::mcp;

pub(super) async fn show(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let counter = desk.counter(&caller, caller.name(), &headers)?;
    Ok(json_response(&document(mcp::of_use(&counter.app, caller.rights()))))
}

/// The document for these tools.
pub(crate) fn document<'a>(tools: impl Iterator<Item = &'a ToolRow>) -> Value {
    let mut paths: Map<String, Value> = tools.map(tool_path).collect();
    for (path, operation) in READING {
        paths.insert((*path).to_owned(), json!({ "get": operation() }));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Forebay",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Keeps large tool output out of a model's context and finds it again.",
        },
        "paths": paths,
        "components": {
            "schemas": { "Result": result_schema(), "Problem": problem_schema() },
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
        "security": [{ "token": [] }, {}],
    })
}

type Describe = fn() -> Value;

/// What is read with GET, and how it is described.
const READING: &[(&str, Describe)] = &[
    ("/v1/tools", || {
        let format = json!({
            "name": "format", "in": "query",
            "schema": { "enum": ["openai", "gemini", "anthropic", "mcp"], "default": "openai" },
        });
        reading("listTools", "The tools, declared as a model's API takes them", vec![format])
    }),
    ("/v1/search", || {
        let mut parameters = vec![json!({
            "name": "q", "in": "query", "required": true, "description": "Words; give several for several questions",
            "schema": { "type": "array", "items": { "type": "string" } },
        })];
        parameters.extend(texts(&["scope", "kind", "source", "sort"]));
        parameters.extend(numbers(&["limit", "budget"]));
        reading("search", "What ctx_search finds, as data", parameters)
    }),
    ("/v1/entries/{reference}", || {
        let mut parameters = vec![json!({
            "name": "reference", "in": "path", "required": true, "schema": { "type": "string" },
        })];
        parameters.extend(texts(&["lines", "grep", "json", "stream", "cursor", "scope"]));
        parameters.extend(numbers(&["budget"]));
        parameters.push(json!({
            "name": "raw", "in": "query", "description": "Every byte as it is stored",
            "schema": { "type": "boolean" },
        }));
        reading("entry", "What stands behind a reference", parameters)
    }),
    ("/context", || {
        let mut parameters = texts(&["project", "scope"]);
        parameters.extend(numbers(&[
            "limit",
            "compact",
            "pinned",
            "notes",
            "prompts",
            "sessions",
            "max_bytes",
        ]));
        reading("context", "What is known of a project, as markdown", parameters)
    }),
    ("/health", || reading("health", "Whether the store answers", Vec::new())),
    ("/ready", || reading("ready", "Whether new requests should come here", Vec::new())),
    ("/metrics", || reading("metrics", "Figures for Prometheus", Vec::new())),
];

fn tool_path(tool: &ToolRow) -> (String, Value) {
    let operation = json!({
        "operationId": tool.name,
        "summary": tool.description,
        "requestBody": {
            "required": true,
            "content": { "application/json": { "schema": (tool.schema)() } },
        },
        "responses": responses(json!({ "$ref": "#/components/schemas/Result" })),
    });
    (format!("/v1/tools/{}", tool.name), json!({ "post": operation }))
}

fn reading(id: &str, summary: &str, parameters: Vec<Value>) -> Value {
    json!({
        "operationId": id,
        "summary": summary,
        "parameters": parameters,
        "responses": responses(json!({})),
    })
}

fn responses(schema: Value) -> Value {
    let problem = |what: &str| {
        let schema = json!({ "$ref": "#/components/schemas/Problem" });
        json!({ "description": what, "content": { "application/json": { "schema": schema } } })
    };
    json!({
        "200": { "description": "The answer", "content": { "application/json": { "schema": schema } } },
        "400": problem("The input is wrong"),
        "401": problem("A token is needed, or the one that was sent opens nothing"),
        "403": problem("The token, the server or a rule says no"),
        "404": problem("There is no such thing"),
        "429": problem("Too many requests; Retry-After tells when to come again"),
        "503": problem("The store does not answer, or too many others wait"),
    })
}

fn texts(names: &[&str]) -> Vec<Value> {
    parameters(names, "string")
}

fn numbers(names: &[&str]) -> Vec<Value> {
    parameters(names, "integer")
}

fn parameters(names: &[&str], kind: &str) -> Vec<Value> {
    let parameter =
        |name: &&str| json!({ "name": name, "in": "query", "schema": { "type": kind } });
    names.iter().map(parameter).collect()
}

/// The result of a tool as MCP has it.
fn result_schema() -> Value {
    json!({
        "type": "object",
        "required": ["content"],
        "properties": {
            "content": { "type": "array", "items": {
                "type": "object",
                "required": ["type", "text"],
                "properties": { "type": { "const": "text" }, "text": { "type": "string" } },
            } },
            "structuredContent": { "type": "object" },
            "isError": { "type": "boolean" },
        },
    })
}

fn problem_schema() -> Value {
    json!({
        "type": "object",
        "required": ["error"],
        "properties": { "error": { "type": "string" }, "hint": { "type": ["string", "null"] } },
    })
}
