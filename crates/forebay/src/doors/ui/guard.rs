//! Checks of every request, and the headers of every response.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use forebay_app::AppError;

use forebay_app::bounds::{MAX_CHANGE_BYTES, MAX_VIEW_BODY_BYTES};

use super::UiState;
use crate::doors::http::body;
use crate::doors::http::host_check::HostCheck;
use crate::doors::http::problem::Problem;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Everything comes from this server, and nothing is inline; no page of another origin may show or use it.
const HEADERS: [(HeaderName, &str); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The checks of a request.
pub(super) struct Guard {
    state: Arc<UiState>,
    hosts: HostCheck,
}

impl Guard {
    pub(super) fn new(state: &Arc<UiState>) -> Result<Self, AppError> {
        // No name but the server's own, whatever `serve` allows.
        let settings = forebay_app::settings::Serve {
            hosts: Vec::new(),
            origins: Vec::new(),
            ..state.app.settings.serve.clone()
        };
        Ok(Self { state: Arc::clone(state), hosts: HostCheck::new(&settings)? })
    }

    async fn admit(&self, request: Request) -> Result<Request, Response> {
        self.check_origin(&request).map_err(IntoResponse::into_response)?;
        self.check_method(request.method()).map_err(IntoResponse::into_response)?;
        let access = &self.state.access;
        let Some(route) = request.uri().path().strip_prefix(access.base()) else {
            return Err(refusal(request.headers(), StatusCode::NOT_FOUND));
        };
        let is_opening = route == "/open";
        if !is_opening && !is_own_page(request.headers()) {
            return Err(foreign().into_response());
        }
        if !is_opening && !access.has_cookie(request.headers()) {
            return Err(refusal(request.headers(), StatusCode::UNAUTHORIZED));
        }
        let is_change = *request.method() == Method::POST;
        let max = if is_change { MAX_CHANGE_BYTES } else { MAX_VIEW_BODY_BYTES };
        body::whole(request, max).await.map_err(IntoResponse::into_response)
    }

    fn check_origin(&self, request: &Request) -> Result<(), Problem> {
        let authority = self.hosts.authority(request.headers(), request.uri());
        let authority = authority.filter(|name| self.state.access.is_own_authority(name));
        let authority = authority.ok_or_else(|| {
            Problem::new(
                StatusCode::FORBIDDEN,
                "unknown host name in `Host`",
                "open the printed link",
            )
        })?;
        if !self.hosts.allows_origin(request.headers(), authority) {
            return Err(foreign());
        }
        Ok(())
    }

    fn check_method(&self, method: &Method) -> Result<(), Problem> {
        let may_write = self.state.access.csrf_token().is_some();
        if matches!(*method, Method::GET | Method::HEAD) || may_write && *method == Method::POST {
            return Ok(());
        }
        let hint = "end it, and start forebay ui --write to change something";
        let problem =
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "the dashboard only reads", hint);
        Err(problem.with(header::ALLOW, "GET, HEAD"))
    }
}

/// Whether a request is not one that a page of another origin caused. Another port of this host is another origin, although
/// it gets the same cookies. Old browsers do not say.
fn is_own_page(headers: &HeaderMap) -> bool {
    headers.get(SEC_FETCH_SITE).is_none_or(|site| site == "same-origin" || site == "none")
}

fn foreign() -> Problem {
    Problem::new(
        StatusCode::FORBIDDEN,
        "another page may not use the dashboard",
        "open the printed link",
    )
}

/// Checks a request and passes it on.
pub(super) async fn check_and_forward(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match guard.admit(request).await {
        Ok(request) => next.run(request).await,
        Err(refused) => refused,
    };
    add_headers(&mut response);
    response
}

/// Adds the headers of every response; a route may have a stricter policy of its own.
pub(in crate::doors) fn add_headers(response: &mut Response) {
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
}

/// What a person sees without the cookie, and what a program does.
pub(super) fn refusal(headers: &HeaderMap, status: StatusCode) -> Response {
    let accepts = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    if accepts.is_some_and(|accepts| accepts.contains("text/html")) {
        return (status, Html(NO_ACCESS)).into_response();
    }
    let hint = "open the link that forebay ui prints; it works once";
    Problem::new(status, "no access to this dashboard", hint).into_response()
}

const NO_ACCESS: &str = "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
    <title>Forebay: no access</title><h1>No access to this dashboard</h1>\
    <p>The link that <code>forebay ui</code> prints works once, and only in the browser that opens it. \
    End that command and start it again for a new link.";
