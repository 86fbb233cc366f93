//! Request bodies: limited in size and time, and read whole before processing.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use forebay_app::bounds::{BODY_TIMEOUT, echo};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;

use crate::doors::json_scan::JsonScan;

use super::problem::Problem;

/// Buffers the whole body of a request.
pub(in crate::doors) async fn whole(request: Request, max: usize) -> Result<Request, Problem> {
    let (parts, body) = request.into_parts();
    if content_length(&parts.headers).is_some_and(|bytes| bytes > max as u64) {
        return Err(too_large(max));
    }
    let read = tokio::time::timeout(BODY_TIMEOUT, Limited::new(body, max).collect()).await;
    let bytes = match read {
        Ok(Ok(collected)) => collected.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(too_large(max)),
        Ok(Err(_)) => return Err(incomplete()),
        Err(_) => return Err(too_slow()),
    };
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// Parses a JSON object body.
pub(in crate::doors) fn json(headers: &HeaderMap, bytes: &[u8]) -> Result<Value, Problem> {
    if !is_json(headers) {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!("unsupported content type `{}`", echo(content_type(headers))),
            "send JSON, with `Content-Type: application/json`",
        ));
    }
    if bytes.trim_ascii().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    JsonScan::whole(bytes).check().map_err(not_json)?;
    match serde_json::from_slice(bytes) {
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(_) => Err(not_json("the body is not a JSON object".to_owned())),
        Err(error) => Err(not_json(format!("the body is not JSON: {error}"))),
    }
}

/// Whether the body is declared as JSON.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    content_type(headers).eq_ignore_ascii_case("application/json")
}

fn content_type(headers: &HeaderMap) -> &str {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim()
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn not_json(error: String) -> Problem {
    Problem::new(
        StatusCode::BAD_REQUEST,
        error,
        "send an object with the tool's fields; GET /v1/tools lists them",
    )
}

fn too_large(max: usize) -> Problem {
    let error = format!("the body is larger than {} KB", max / 1024);
    let hint = "send less, or raise serve.body_kb on the server";
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, error, hint).with(header::CONNECTION, "close")
}

fn too_slow() -> Problem {
    let error = format!("the body did not arrive within {} s", BODY_TIMEOUT.as_secs());
    Problem::new(StatusCode::REQUEST_TIMEOUT, error, "send it without pauses")
        .with(header::CONNECTION, "close")
}

fn incomplete() -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "the body is incomplete", "send it again")
}
