//! What a caller may send: so much, in so much time, and read whole before anything is done with it.

use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;

use super::problem::Problem;

/// How long a body may be on its way.
const PATIENCE: Duration = Duration::from_secs(30);

/// The request with all of its body at hand.
pub(super) async fn whole(request: Request, most: usize) -> Result<Request, Problem> {
    let (parts, body) = request.into_parts();
    if announced(&parts.headers).is_some_and(|bytes| bytes > most as u64) {
        return Err(too_large(most));
    }
    let read = tokio::time::timeout(PATIENCE, Limited::new(body, most).collect()).await;
    let bytes = match read {
        Ok(Ok(collected)) => collected.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(too_large(most)),
        Ok(Err(_)) => return Err(broken_off()),
        Err(_) => return Err(too_slow()),
    };
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// The JSON object that a caller sent.
pub(super) fn json(headers: &HeaderMap, bytes: &[u8]) -> Result<Value, Problem> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!(
                "a body of type `{}` is not understood",
                kind.chars().take(60).collect::<String>()
            ),
            "send JSON, with `Content-Type: application/json`",
        ));
    }
    if bytes.trim_ascii().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    match serde_json::from_slice(bytes) {
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(_) => Err(not_json("the body is no JSON object".to_owned())),
        Err(error) => Err(not_json(format!("the body is no JSON: {error}"))),
    }
}

fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn not_json(error: String) -> Problem {
    Problem::new(
        StatusCode::BAD_REQUEST,
        error,
        "send an object with the tool's fields; GET /v1/tools lists them",
    )
}

fn too_large(most: usize) -> Problem {
    let error = format!("the body is larger than {} KB", most / 1024);
    let hint = "send less; who runs the server can raise serve.body_kb";
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, error, hint).with(header::CONNECTION, "close")
}

fn too_slow() -> Problem {
    let error = format!("the body did not arrive within {} s", PATIENCE.as_secs());
    Problem::new(StatusCode::REQUEST_TIMEOUT, error, "send it at one go")
        .with(header::CONNECTION, "close")
}

fn broken_off() -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "the body broke off", "send it again")
}
