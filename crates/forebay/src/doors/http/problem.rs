//! Error responses: `{error, hint}` with a matching status.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use forebay_app::{AppError, ErrorKind};
use serde_json::json;

#[derive(Debug)]
pub(in crate::doors) struct Problem {
    pub(super) status: StatusCode,
    error: String,
    hint: Option<String>,
    header: Option<Box<(HeaderName, HeaderValue)>>,
}

impl Problem {
    pub(in crate::doors) fn new(
        status: StatusCode,
        error: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self { status, error: error.into(), hint: Some(hint.into()), header: None }
    }

    pub(in crate::doors) fn with(mut self, name: HeaderName, value: &str) -> Self {
        self.header = HeaderValue::from_str(value).ok().map(|value| Box::new((name, value)));
        self
    }

    /// Adds Retry-After.
    pub(super) fn retry_after(self, seconds: u64) -> Self {
        self.with(header::RETRY_AFTER, &seconds.to_string())
    }

    pub(super) fn error(&self) -> &str {
        &self.error
    }
}

impl From<AppError> for Problem {
    fn from(error: AppError) -> Self {
        let status = match error.kind {
            ErrorKind::BadInput => StatusCode::BAD_REQUEST,
            ErrorKind::NotFound => StatusCode::NOT_FOUND,
            ErrorKind::Refused => StatusCode::FORBIDDEN,
            ErrorKind::Unavailable | ErrorKind::Busy => StatusCode::SERVICE_UNAVAILABLE,
        };
        let problem = Self { status, error: error.message, hint: error.hint, header: None };
        if problem.status == StatusCode::SERVICE_UNAVAILABLE {
            problem.retry_after(1)
        } else {
            problem
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = json_response(&json!({ "error": self.error, "hint": self.hint }));
        *response.status_mut() = self.status;
        if let Some(header) = self.header {
            response.headers_mut().insert(header.0, header.1);
        }
        response
    }
}

/// A JSON response.
pub(in crate::doors) fn json_response(data: &impl serde::Serialize) -> Response {
    let body = serde_json::to_vec(data).unwrap_or_default();
    let json = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    (json, Body::from(body)).into_response()
}
