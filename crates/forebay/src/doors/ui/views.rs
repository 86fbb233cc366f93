//! `GET /api/{view}`: the data of a view, as the app returns it.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use forebay_app::dashboard::{self, OverviewSpan, SearchQuery};
use forebay_app::{App, AppError};
use forebay_domain::Timestamp;
use serde_json::Value;

use super::UiState;
use crate::doors::calls::Calls;
use crate::doors::http::problem::{Problem, json_response};

/// Returns the data of a view from the fields of a request.
type View = fn(&App, &Fields) -> Result<Value, AppError>;

/// Views of the machine that the program runs on, which a server does not show.
pub(in crate::doors) const LOCAL_VIEWS: &[&str] = &["rules", "judge", "isolation"];

const VIEWS: &[(&str, View)] = &[
    ("search", search),
    ("entry", |app, fields| dashboard::entry(app, fields.text("ref"))),
    ("lines", |app, fields| dashboard::lines(app, fields.text("ref"), fields.text_or("from", "1"))),
    ("json", |app, fields| {
        dashboard::json_children(app, fields.text("ref"), fields.text("pointer"), fields.page()?)
    }),
    ("skeleton", |app, fields| dashboard::skeleton(app, fields.text("ref"))),
    ("explained", |app, fields| dashboard::explained(app, fields.text("ref"))),
    ("sessions", |app, fields| dashboard::sessions(app, fields.page()?)),
    ("session", |app, fields| dashboard::session(app, fields.text("key"))),
    ("timeline", |app, fields| {
        dashboard::timeline(
            app,
            fields.text("key"),
            fields.text("filter"),
            fields.number("before")?,
        )
    }),
    ("stored", |app, fields| {
        let only_compactions = fields.text("filter") == "compactions";
        dashboard::stored(app, fields.text("key"), only_compactions, fields.number("before")?)
    }),
    ("guide", |app, fields| dashboard::guide(app, fields.text("key"))),
    ("notes", |app, fields| dashboard::notes(app, fields.text("only"), fields.page()?)),
    ("note_text", |app, fields| dashboard::note_text(app, fields.text("ref"))),
    ("sources", |app, fields| dashboard::sources(app, fields.page()?)),
    ("rules", |app, _| dashboard::rules(app)),
    ("isolation", |app, _| Ok(dashboard::isolation(app))),
    ("judge", |app, fields| {
        dashboard::judge(
            app,
            fields.text_or("tool", "Bash"),
            fields.text("input"),
            fields.optional("mode"),
        )
    }),
    ("overview", |app, fields| dashboard::overview(app, span(fields)?)),
    ("latency", |app, _| dashboard::latency(app)),
    ("growth", |app, fields| dashboard::growth(app, span(fields)?)),
];

pub(super) async fn show(
    State(state): State<Arc<UiState>>,
    Path(name): Path<String>,
    Query(fields): Query<Vec<(String, String)>>,
) -> Result<Response, Problem> {
    answer(Arc::clone(&state.app), &state.calls, &name, fields).await
}

/// Answers a view with the data of an app.
pub(in crate::doors) async fn answer(
    app: Arc<App>,
    calls: &Calls,
    name: &str,
    fields: Vec<(String, String)>,
) -> Result<Response, Problem> {
    let view = VIEWS.iter().find(|view| view.0 == name).map(|view| view.1);
    let view = view.ok_or_else(no_view)?;
    let data = calls.run_short(move || view(&app, &Fields(fields))).await?;
    Ok(json_response(&data))
}

pub(in crate::doors) fn no_view() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "no such view", "reload the page")
}

fn search(app: &App, fields: &Fields) -> Result<Value, AppError> {
    let owned = |name: &str| fields.optional(name).map(str::to_owned);
    let query = SearchQuery {
        query: fields.text("q").to_owned(),
        kind: owned("kind"),
        scope: owned("scope"),
        sort: owned("sort"),
        page: fields.page()?,
    };
    dashboard::search(app, &query)
}

fn span(fields: &Fields) -> Result<OverviewSpan, AppError> {
    Ok(OverviewSpan {
        from: Timestamp(fields.number("from")?.unwrap_or_default()),
        period: Duration::from_millis(fields.number("period")?.unwrap_or_default()),
        periods: fields.number("periods")?.unwrap_or_default(),
    })
}

/// The fields of a query string.
struct Fields(Vec<(String, String)>);

impl Fields {
    /// A field that is not empty.
    fn optional(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|field| field.0 == name).map(|field| field.1.as_str());
        found.filter(|value| !value.is_empty())
    }

    fn text(&self, name: &str) -> &str {
        self.text_or(name, "")
    }

    fn text_or<'a>(&'a self, name: &str, default: &'a str) -> &'a str {
        self.optional(name).unwrap_or(default)
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, AppError> {
        let read = |text: &str| {
            text.parse().map_err(|_| {
                AppError::bad_input(format!("`{name}` is no number"), "reload the page")
            })
        };
        self.optional(name).map(read).transpose()
    }

    fn page(&self) -> Result<usize, AppError> {
        Ok(self.number("page")?.unwrap_or_default())
    }
}
