//! Request checks (Host, Origin, token, rate), applied to every request; refusals are logged without secrets.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use forebay_app::bounds::{
    LOGGED_REFUSALS_BURST, LOGGED_REFUSALS_PER_SECOND, WRONG_TOKEN_BURST, WRONG_TOKENS_PER_SECOND,
    echo,
};
use forebay_app::settings::Serve;
use forebay_app::team::tokens::Token;

use super::app_state::AppState;
use super::caller::{self, Caller, Peer};
use super::problem::Problem;
use super::token_watch::TokenWatch;
use super::{Access, body, dashboard, oauth};
use crate::rate_limit::RateLimit;

/// Paths that need no token.
const PUBLIC_PATHS: &[&str] = &["/health", "/ready"];

/// The checks of a request.
pub(super) struct Guard {
    state: Arc<AppState>,
    access: Access,
    token_watch: Arc<TokenWatch>,
    rate: Option<RateLimit>,
    wrong_tokens: RateLimit,
    logged_refusals: RateLimit,
    /// Serializes token verification: each takes 19 MiB and a CPU.
    verifying: tokio::sync::Semaphore,
    largest_body: usize,
    issuer: Option<String>,
    has_tls: bool,
}

/// Why a request is refused, for the log and metrics.
struct Refused {
    reason: &'static str,
    problem: Problem,
}

impl Guard {
    pub(super) fn new(state: &Arc<AppState>, settings: &Serve, access: Access) -> Self {
        let per_second = settings.rate as f64;
        Self {
            state: Arc::clone(state),
            access,
            token_watch: TokenWatch::new(state),
            rate: (settings.rate > 0).then(|| RateLimit::new(per_second, per_second * 2.0)),
            wrong_tokens: RateLimit::new(WRONG_TOKENS_PER_SECOND, WRONG_TOKEN_BURST),
            logged_refusals: RateLimit::new(LOGGED_REFUSALS_PER_SECOND, LOGGED_REFUSALS_BURST),
            verifying: tokio::sync::Semaphore::new(1),
            largest_body: usize::try_from(settings.body_kb * 1024).unwrap_or(usize::MAX),
            issuer: (!settings.issuer.is_empty()).then(|| settings.issuer.clone()),
            has_tls: !settings.tls_cert.is_empty(),
        }
    }

    /// The request with its caller and buffered body, if it is admitted.
    async fn admit(&self, mut request: Request) -> Result<Request, Refused> {
        let authority = self
            .access
            .hosts
            .authority(request.headers(), request.uri())
            .map(str::to_owned)
            .ok_or_else(foreign_host)?;
        if !self.access.hosts.allows_origin(request.headers(), &authority) {
            return Err(foreign_origin());
        }
        let path = request.uri().path();
        let is_public = PUBLIC_PATHS.contains(&path) || dashboard::is_public(path);
        if is_public || path.starts_with(oauth::PATH) {
            return Ok(request);
        }
        let address = request.extensions().get::<Peer>().map(|peer| peer.0);
        let caller = self.identify(request.headers(), address, &authority).await?;
        self.check_rate(&caller)?;
        request.extensions_mut().insert(caller);
        body::whole(request, self.largest_body)
            .await
            .map_err(|problem| Refused { reason: "body", problem })
    }

    /// Answers an admitted request; the answer ends when its token does.
    async fn answer(&self, request: Request, next: Next) -> Response {
        let caller = request.extensions().get::<Caller>();
        let token = caller.and_then(|caller| caller.token.clone());
        let response = next.run(request).await;
        match token {
            Some(token) => self.token_watch.limit(response, &token.id),
            None => response,
        }
    }

    async fn identify(
        &self,
        headers: &HeaderMap,
        address: Option<IpAddr>,
        authority: &str,
    ) -> Result<Caller, Refused> {
        let Some(address) = address else {
            let problem = Problem::new(StatusCode::BAD_REQUEST, "the caller has no address", "");
            return Err(Refused { reason: "address", problem });
        };
        match bearer(headers) {
            Bearer::None if !self.access.needs_token => Ok(Caller { address, token: None }),
            Bearer::Token(text) => {
                let token = self.verified(text, &caller::network(address), authority).await?;
                Ok(Caller { address, token: Some(token) })
            }
            Bearer::None => Err(self.unauthorized("no token", authority, "")),
            Bearer::Other => Err(self.unauthorized("no bearer token", authority, "")),
        }
    }

    async fn verified(
        &self,
        text: &str,
        address: &str,
        authority: &str,
    ) -> Result<Arc<Token>, Refused> {
        let (app, verifier) = (self.state.own(), self.state.token_verifier());
        if let Some(token) = verifier.cached(text, app.now()) {
            return Ok(token);
        }
        // A token that was right before is only looked up again, which costs nothing.
        let is_counted = !verifier.was_right(text);
        if is_counted && self.wrong_tokens.is_exhausted(address, Instant::now()) {
            return Err(too_many("wrong tokens", Duration::from_secs(2)));
        }
        let _turn = self.verifying.acquire().await;
        // Of many requests with the same token, the first has verified it.
        if let Some(token) = verifier.cached(text, app.now()) {
            return Ok(token);
        }
        // Counted before it is verified: those who wait here have all passed the check above.
        if is_counted {
            self.wrong_tokens
                .take(address, Instant::now())
                .map_err(|wait| too_many("wrong tokens", wait))?;
        }
        let (state, text) = (Arc::clone(&self.state), text.to_owned());
        let verified = self
            .state
            .calls()
            .run_short(move || state.token_verifier().verify(state.own(), &text))
            .await;
        match verified {
            Ok(Ok(token)) => {
                if is_counted {
                    self.wrong_tokens.give_back(address);
                }
                Ok(token)
            }
            Ok(Err(refusal)) => {
                if self.is_logged(address) {
                    tracing::warn!(%refusal, address, "token refused");
                }
                Err(self.unauthorized("wrong token", authority, r#", error="invalid_token""#))
            }
            Err(error) => Err(Refused { reason: "store", problem: error.into() }),
        }
    }

    /// Whether another refusal of an address is logged; all are counted in the metrics.
    fn is_logged(&self, address: &str) -> bool {
        self.logged_refusals.take(address, Instant::now()).is_ok()
    }

    fn unauthorized(&self, reason: &'static str, authority: &str, detail: &str) -> Refused {
        let scheme = if self.has_tls { "https" } else { "http" };
        let metadata = self
            .issuer
            .as_ref()
            .map(|_| format!(r#", resource_metadata="{scheme}://{authority}{}""#, oauth::PATH));
        let challenge =
            format!(r#"Bearer realm="forebay"{detail}{}"#, metadata.unwrap_or_default());
        let (error, hint) = if detail.is_empty() {
            (
                "a token is required",
                "send `Authorization: Bearer <token>`; create one with `forebay token create`",
            )
        } else {
            (
                "invalid token",
                "it is wrong, expired or revoked; get another from the server's operator",
            )
        };
        let problem = Problem::new(StatusCode::UNAUTHORIZED, error, hint);
        Refused { reason, problem: problem.with(header::WWW_AUTHENTICATE, &challenge) }
    }

    /// Local callers without a token are not limited.
    fn check_rate(&self, caller: &Caller) -> Result<(), Refused> {
        let is_counted = caller.token.is_some() || self.access.needs_token;
        let Some(rate) = self.rate.as_ref().filter(|_| is_counted) else { return Ok(()) };
        rate.take(&caller.key(), Instant::now()).map_err(|wait| too_many("rate", wait))
    }
}

/// Checks a request, passes it on, and records metrics.
pub(super) async fn check_and_forward(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let address = request.extensions().get::<Peer>().map(|peer| peer.0);
    let path = request.uri().path().to_owned();
    let cors = guard.access.hosts.shared_with(request.headers());
    let is_preflight = request.method() == Method::OPTIONS && cors.is_some();
    let answered = if is_preflight {
        Ok(StatusCode::NO_CONTENT.into_response())
    } else {
        match guard.admit(request).await {
            Ok(request) => Ok(guard.answer(request, next).await),
            Err(refused) => Err(refused),
        }
    };
    let metrics = guard.state.metrics();
    let mut response = answered.unwrap_or_else(|Refused { reason, problem }| {
        if guard.is_logged(&address.map_or_else(String::new, caller::network)) {
            let (error, status) = (problem.error(), problem.status.as_u16());
            tracing::warn!(reason, ?address, path = echo(&path), status, error, "refused");
        }
        metrics.count_refusal(reason);
        problem.into_response()
    });
    metrics.count_request(&route, response.status().as_u16(), started.elapsed());
    add_security_headers(response.headers_mut(), cors);
    response
}

/// Security headers, and CORS headers for configured origins.
fn add_security_headers(headers: &mut HeaderMap, cors: Option<HeaderValue>) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    let Some(origin) = cors else { return };
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::VARY, HeaderValue::from_static("Origin"));
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "authorization, content-type, forebay-session, last-event-id, mcp-session-id, \
             mcp-protocol-version, mcp-method, mcp-name",
        ),
        (header::ACCESS_CONTROL_EXPOSE_HEADERS, "mcp-session-id, www-authenticate, retry-after"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// The content of `Authorization`.
enum Bearer<'a> {
    None,
    Token(&'a str),
    Other,
}

fn bearer(headers: &HeaderMap) -> Bearer<'_> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (given.next(), given.next()) else {
        let is_there = headers.contains_key(header::AUTHORIZATION);
        return if is_there { Bearer::Other } else { Bearer::None };
    };
    let words = value.to_str().ok().and_then(|text| text.split_once(' '));
    match words {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => {
            Bearer::Token(token.trim())
        }
        _ => Bearer::Other,
    }
}

fn foreign_host() -> Refused {
    let problem = Problem::new(
        StatusCode::FORBIDDEN,
        "unknown host name in `Host`",
        "use the server's address or localhost, or start it with --host <name>",
    );
    Refused { reason: "host", problem }
}

fn foreign_origin() -> Refused {
    let problem = Problem::new(
        StatusCode::FORBIDDEN,
        "this origin may not call the server",
        "start the server with --origin <origin>",
    );
    Refused { reason: "origin", problem }
}

fn too_many(reason: &'static str, wait: Duration) -> Refused {
    let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
    let problem = Problem::new(
        StatusCode::TOO_MANY_REQUESTS,
        "too many requests",
        format!("wait {seconds} s"),
    );
    Refused { reason, problem: problem.retry_after(seconds) }
}
