//! `/v1/team/entries`: pages of replicated entries as JSON lines.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use forebay_app::bounds::MAX_SOURCES;
use forebay_app::team::exchange;
use forebay_app::tools;

use super::app_state::AppState;
use super::caller::Caller;
use super::problem::{Problem, json_response};
use super::query;
use crate::doors::mcp;

const LINES: &str = "application/x-ndjson";

/// `GET`: the entries of a project after a sequence number.
pub(super) async fn pull(
    State(state): State<Arc<AppState>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    RawQuery(asked): RawQuery,
) -> Result<Response, Problem> {
    mcp::check_right(tools::find("ctx_search")?, caller.rights())?;
    let asked = PageQuery::read(asked.as_deref())?;
    let caller_context = state.context_for(&caller, caller.name(), &headers)?;
    let page = state
        .calls()
        .run_short(move || {
            exchange::serve_pull(
                &caller_context.app,
                &asked.project,
                asked.after,
                asked.sources,
                asked.runs,
            )
        })
        .await?;
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static(LINES))];
    Ok((kind, page.lines).into_response())
}

/// `POST`: entries for a project; the caller is recorded as their author.
pub(super) async fn push(
    State(state): State<Arc<AppState>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    RawQuery(asked): RawQuery,
    body: Bytes,
) -> Result<Response, Problem> {
    mcp::check_right(tools::find("ctx_annotate")?, caller.rights())?;
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if kind.is_none_or(|kind| !kind.trim().eq_ignore_ascii_case(LINES)) {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "entries must be JSON lines",
            format!("send {LINES}, as `forebay push` does"),
        ));
    }
    let asked = PageQuery::read(asked.as_deref())?;
    let caller_context = state.context_for(&caller, caller.name(), &headers)?;
    let app = Arc::new((*caller_context.app).clone().in_team_project(&asked.project));
    let taking = Arc::clone(&app);
    let tally = state.calls().run_short(move || exchange::accept_push(&taking, &body)).await?;
    caller_context.idle.index_when_idle(app);
    Ok(json_response(&tally))
}

/// The parsed query string.
struct PageQuery {
    project: String,
    after: i64,
    sources: Vec<String>,
    runs: bool,
}

impl PageQuery {
    fn read(query: Option<&str>) -> Result<Self, Problem> {
        let pairs = query::pairs(query);
        let all = |wanted: &'static str| {
            pairs.iter().filter(move |(name, _)| name == wanted).map(|(_, value)| value.clone())
        };
        let project = all("project").next().filter(|name| is_name(name)).ok_or_else(|| {
            Problem::new(
                StatusCode::BAD_REQUEST,
                "missing parameter `project`",
                "pull project=<name>, at most 64 bytes",
            )
        })?;
        let after = all("after").next().map_or(Ok(0), |text| text.parse()).map_err(|_| {
            let hint = "use the number from the previous page";
            Problem::new(StatusCode::BAD_REQUEST, "invalid `after`", hint)
        })?;
        let runs = all("runs").any(|word| matches!(word.as_str(), "1" | "true"));
        let sources = all("source").take(MAX_SOURCES).collect();
        Ok(Self { project, after, sources, runs })
    }
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && !name.chars().any(char::is_control)
}
