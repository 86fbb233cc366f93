//! `/openapi.json`: the JSON API as OpenAPI 3.1, generated from the tool registry.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use forebay_app::tools::ToolDescriptor;
use serde_json::{Map, Value, json};

use super::app_state::AppState;
use super::caller::Caller;
use super::problem::{Problem, json_response};
use crate::doors::mcp;

pub(super) async fn show(
    State(state): State<Arc<AppState>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let caller_context = state.context_for(&caller, caller.name(), &headers)?;
    Ok(json_response(&document(mcp::available_tools(&caller_context.app, caller.rights()))))
}

/// The document for these tools.
pub(crate) fn document<'a>(tools: impl Iterator<Item = &'a ToolDescriptor>) -> Value {
    let mut paths: Map<String, Value> = tools.map(tool_path).collect();
    for (path, operation) in GET_ROUTES {
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

/// GET routes and their descriptions.
const GET_ROUTES: &[(&str, Describe)] = &[
    ("/v1/tools", || {
        let format = json!({
            "name": "format", "in": "query",
            "schema": { "enum": ["openai", "gemini", "anthropic", "mcp"], "default": "openai" },
        });
        get_operation("listTools", "Tool declarations in the format of a model's API", vec![format])
    }),
    ("/v1/search", || {
        let mut parameters = vec![json!({
            "name": "q", "in": "query", "required": true, "description": "Query; repeat for several queries",
            "schema": { "type": "array", "items": { "type": "string" } },
        })];
        parameters.extend(texts(&["scope", "kind", "source", "sort"]));
        parameters.extend(numbers(&["limit", "budget"]));
        get_operation("search", "Results of ctx_search as JSON", parameters)
    }),
    ("/v1/entries/{reference}", || {
        let mut parameters = vec![json!({
            "name": "reference", "in": "path", "required": true, "schema": { "type": "string" },
        })];
        parameters.extend(texts(&["lines", "grep", "json", "stream", "cursor", "scope"]));
        parameters.extend(numbers(&["budget"]));
        parameters.push(json!({
            "name": "raw", "in": "query", "description": "Return the stored bytes",
            "schema": { "type": "boolean" },
        }));
        get_operation("entry", "An entry by reference", parameters)
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
        get_operation("context", "Overview of a project as Markdown", parameters)
    }),
    ("/health", || get_operation("health", "Liveness", Vec::new())),
    ("/ready", || get_operation("ready", "Readiness", Vec::new())),
    ("/metrics", || get_operation("metrics", "Prometheus metrics", Vec::new())),
];

fn tool_path(tool: &ToolDescriptor) -> (String, Value) {
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

fn get_operation(id: &str, summary: &str, parameters: Vec<Value>) -> Value {
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
        "400": problem("Invalid input"),
        "401": problem("Missing or invalid token"),
        "403": problem("Refused by the token's rights, the server or a rule"),
        "404": problem("Not found"),
        "429": problem("Too many requests; see Retry-After"),
        "503": problem("The store is unavailable, or the queue is full"),
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

/// An MCP tool result.
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
