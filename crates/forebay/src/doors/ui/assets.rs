//! The page: plain files of this repository, part of the binary, served as they are.
//!
//! They are ES modules with JSDoc types, so nothing is generated: what a browser runs is what a reviewer reads.
//! `cargo xtask browser` checks the types.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use super::UiState;
use super::guard;

const INDEX: &str = include_str!("assets/index.html");

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! assets {
    ($($name:literal: $kind:expr,)*) => {
        /// Name, media type and content of each file.
        const ASSETS: &[(&str, &str, &[u8])] =
            &[$(($name, $kind, include_bytes!(concat!("assets/", $name)))),*];
    };
}

/// The formulas of the numbers, which are read without network too.
const FORMULAS: &str = include_str!("../../../../../docs/concepts/savings.md");
const FORMULAS_NAME: &str = "savings.md";

assets! {
    "app.js": JS,
    "calls.js": JS,
    "change.js": JS,
    "chart.js": JS,
    "data.js": JS,
    "dom.js": JS,
    "entry.js": JS,
    "formulas.js": JS,
    "icon.svg": SVG,
    "live.js": JS,
    "memory.js": JS,
    "overview.js": JS,
    "rules.js": JS,
    "search.js": JS,
    "sessions.js": JS,
    "style.css": CSS,
    "team.js": JS,
}

/// `GET /`: the page.
pub(in crate::doors) async fn index() -> Html<&'static str> {
    Html(INDEX)
}

/// `GET /assets/{name}`: a file of the page.
pub(in crate::doors) async fn show(Path(name): Path<String>, headers: HeaderMap) -> Response {
    if name == FORMULAS_NAME {
        return FORMULAS.into_response();
    }
    match ASSETS.iter().find(|asset| asset.0 == name) {
        Some((_, kind, content)) => {
            ([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], *content).into_response()
        }
        None => guard::refusal(&headers, StatusCode::NOT_FOUND),
    }
}

/// `GET /open?token=...`: sets the cookie and leads to the page.
///
/// A redirect would not do: a browser that comes from elsewhere sends a strict cookie only with the next request of a page
/// of this origin.
pub(super) async fn open(
    State(state): State<Arc<UiState>>,
    Query(query): Query<Vec<(String, String)>>,
    headers: HeaderMap,
) -> Response {
    let token = query.iter().find(|(name, _)| name == "token").map(|(_, token)| token.as_str());
    let cookie = token.and_then(|token| state.access.exchange(token));
    match cookie {
        Some(cookie) => ([(header::SET_COOKIE, cookie)], Html(OPENED)).into_response(),
        // A link that is opened again by the browser that used it still leads to the page.
        None if state.access.has_cookie(&headers) => Html(OPENED).into_response(),
        None => guard::refusal(&headers, StatusCode::UNAUTHORIZED),
    }
}

const OPENED: &str = "<!doctype html><html lang=en><meta charset=utf-8><meta http-equiv=refresh content=\"0;url=./\">\
    <link rel=icon href=assets/icon.svg><title>Forebay</title><p><a href=\"./\">Open the dashboard</a>";

#[cfg(test)]
mod tests {
    use super::*;

    /// What the front end may add to the binary.
    const ROOM: usize = 400 * 1024;

    #[test]
    fn the_front_end_is_small() {
        let bytes =
            ASSETS.iter().map(|asset| asset.2.len()).sum::<usize>() + INDEX.len() + FORMULAS.len();
        assert!(bytes <= ROOM, "{bytes} bytes");
    }

    #[test]
    fn nothing_is_inline_or_from_elsewhere() {
        for forbidden in ["<style", "<script>", "style=", " onclick", "http://", "https://"] {
            assert!(!INDEX.contains(forbidden), "{forbidden}");
        }
        for (name, _, content) in ASSETS.iter().filter(|asset| asset.1 == JS) {
            let text = String::from_utf8_lossy(content);
            for forbidden in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "https://",
            ] {
                assert!(!text.contains(forbidden), "{name}: {forbidden}");
            }
        }
    }
}
