//! `/.well-known/oauth-protected-resource`: names the token issuer to MCP clients (RFC 9728).

use axum::Router;
use axum::http::{HeaderMap, header};
use axum::routing::get;
use forebay_app::settings::Serve;
use forebay_domain::rights::Right;
use serde_json::json;

use super::problem::json_response;

pub(super) const PATH: &str = "/.well-known/oauth-protected-resource";

/// Adds the route if an issuer is configured.
pub(super) fn add_to(routes: Router, settings: &Serve) -> Router {
    if settings.issuer.is_empty() {
        return routes;
    }
    let issuer = settings.issuer.clone();
    let scheme = if settings.tls_cert.is_empty() { "http" } else { "https" };
    let metadata = get(async move |headers: HeaderMap| {
        let host =
            headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        json_response(&json!({
            "resource": format!("{scheme}://{host}/mcp"),
            "authorization_servers": [issuer],
            "scopes_supported": Right::ALL.map(Right::as_str),
            "bearer_methods_supported": ["header"],
            "resource_name": "Forebay",
        }))
    });
    // Clients first try the path below the resource.
    routes.route(PATH, metadata.clone()).route(&format!("{PATH}/mcp"), metadata)
}
