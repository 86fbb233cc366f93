//! `/v1/tools`: the tools declared for each model's API, and called with the JSON that MCP has, too.

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

use super::body;
use super::caller::Caller;
use super::desk::Desk;
use super::problem::{Problem, json_response};
use crate::doors::functions::{self, Format};
use crate::doors::mcp;

/// `GET /v1/tools?format=openai`: what goes into a model's request as `tools`.
pub(super) async fn list(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<Response, Problem> {
    let format = format(&query)?;
    let counter = desk.counter(&caller, caller.name(), &headers)?;
    let listed = mcp::of_use(&counter.app, caller.rights());
    Ok(json_response(&functions::list(format, listed)))
}

/// `POST /v1/tools/{name}`: the tool's input as body, its result as MCP has it.
pub(super) async fn call(
    State(desk): State<Arc<Desk>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let input = body::json(&headers, &body)?;
    let (answer, app) = answer(&desk, &caller, &headers, &name, input).await?;
    Ok(json_response(&mcp::success(&name, answer, &app)).into_response())
}

/// A tool's answer to a caller, as every route asks for it.
pub(super) async fn answer(
    desk: &Desk,
    caller: &Caller,
    headers: &HeaderMap,
    name: &str,
    input: Value,
) -> Result<(Answer, Arc<App>), Problem> {
    let tool = tools::find(name)?;
    mcp::check_right(tool, caller.rights())?;
    let counter = desk.counter(caller, caller.name(), headers)?;
    let app = Arc::clone(&counter.app);
    // A caller who hangs up drops this future, and that ends the call.
    let never = CancellationToken::new();
    let answer = desk.calls().carry_out(counter, tool, input, Call::default(), never).await?;
    Ok((answer, app))
}

/// A query string as a tool's input: numbers are numbers, the rest is text.
pub(super) fn input(query: Vec<(String, String)>) -> Value {
    let value = |text: String| text.parse::<u64>().map_or(Value::String(text), Value::from);
    Value::Object(query.into_iter().map(|(name, text)| (name, value(text))).collect())
}

fn format(query: &[(String, String)]) -> Result<Format, Problem> {
    let word = query.iter().find(|(name, _)| name == "format").map_or("openai", |(_, word)| word);
    Format::from_str(word, true).map_err(|_| {
        Problem::new(
            StatusCode::BAD_REQUEST,
            format!("there is no format `{}`", word.chars().take(60).collect::<String>()),
            "openai, gemini, anthropic or mcp",
        )
    })
}
