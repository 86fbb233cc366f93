//! `/v1/tools`: tool declarations for each model's API, and tool calls with JSON input.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use clap::ValueEnum;
use forebay_app::{Answer, App, Call, tools};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::app_state::AppState;
use super::body;
use super::caller::Caller;
use super::problem::{Problem, json_response};
use crate::doors::functions::{self, Format};
use crate::doors::mcp;

/// `GET /v1/tools?format=openai`: the `tools` value of a request.
pub(super) async fn list(
    State(state): State<Arc<AppState>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<Response, Problem> {
    let format = format(&query)?;
    let caller_context = state.context_for(&caller, caller.name(), &headers)?;
    let listed = mcp::available_tools(&caller_context.app, caller.rights());
    Ok(json_response(&functions::list(format, listed)))
}

/// `POST /v1/tools/{name}`: the tool's input as body, an MCP result as response.
pub(super) async fn call(
    State(state): State<Arc<AppState>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let input = body::json(&headers, &body)?;
    let (answer, app) = answer(&state, &caller, &headers, &name, input).await?;
    Ok(json_response(&mcp::success(&name, answer, &app)).into_response())
}

/// Calls a tool for a caller; used by every route.
pub(super) async fn answer(
    state: &AppState,
    caller: &Caller,
    headers: &HeaderMap,
    name: &str,
    input: Value,
) -> Result<(Answer, Arc<App>), Problem> {
    let tool = tools::find(name)?;
    mcp::check_right(tool, caller.rights())?;
    let caller_context = state.context_for(caller, caller.name(), headers)?;
    let app = Arc::clone(&caller_context.app);
    // A disconnect drops this future, which cancels the call.
    let never = CancellationToken::new();
    let answer = state.calls().run(caller_context, tool, input, Call::default(), never).await?;
    Ok((answer, app))
}

/// Converts a query string to tool input: numbers as numbers, the rest as text.
pub(super) fn input(query: Vec<(String, String)>) -> Value {
    let value = |text: String| text.parse::<u64>().map_or(Value::String(text), Value::from);
    Value::Object(query.into_iter().map(|(name, text)| (name, value(text))).collect())
}

fn format(query: &[(String, String)]) -> Result<Format, Problem> {
    let word = query.iter().find(|(name, _)| name == "format").map_or("openai", |(_, word)| word);
    Format::from_str(word, true).map_err(|_| {
        Problem::new(
            StatusCode::BAD_REQUEST,
            format!("unknown format `{}`", word.chars().take(60).collect::<String>()),
            "use openai, gemini, anthropic or mcp",
        )
    })
}
