//! `/metrics`: counters in Prometheus text format.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use forebay_domain::rights::Right;

use super::app_state::AppState;
use super::caller::Caller;
use super::problem::Problem;

/// Histogram bucket bounds in seconds.
const BOUNDS: [f64; 10] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

#[derive(Default)]
pub(in crate::doors) struct Metrics {
    requests: Mutex<BTreeMap<(String, u16), u64>>,
    times: Mutex<BTreeMap<String, Times>>,
    refusals: Mutex<BTreeMap<&'static str, u64>>,
    connections: AtomicI64,
    accepted: AtomicU64,
}

#[derive(Default)]
struct Times {
    /// Requests below each bound, and the total.
    counts: [u64; BOUNDS.len()],
    all: u64,
    seconds: f64,
}

impl Metrics {
    pub(super) fn count_request(&self, route: &str, status: u16, took: Duration) {
        *lock(&self.requests).entry((route.to_owned(), status)).or_default() += 1;
        lock(&self.times).entry(route.to_owned()).or_default().add(took);
    }

    pub(super) fn count_refusal(&self, reason: &'static str) {
        *lock(&self.refusals).entry(reason).or_default() += 1;
    }

    /// Counts a connection as open until the returned guard is dropped.
    pub(super) fn open_connection(self: &Arc<Self>) -> OpenConnection {
        self.connections.fetch_add(1, Ordering::Relaxed);
        self.accepted.fetch_add(1, Ordering::Relaxed);
        OpenConnection(Arc::clone(self))
    }

    fn text(&self, calls: &BTreeMap<(&'static str, &'static str), u64>) -> String {
        let mut text = String::new();
        family(&mut text, "forebay_build_info", "gauge", "The running version.");
        sample(&mut text, "forebay_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
        family(&mut text, "forebay_http_requests_total", "counter", "Requests answered.");
        for ((route, status), count) in &*lock(&self.requests) {
            let labels = [("route", route.as_str()), ("status", &status.to_string())];
            sample(&mut text, "forebay_http_requests_total", &labels, count);
        }
        family(&mut text, "forebay_http_request_seconds", "histogram", "Time to response.");
        lock(&self.times).iter().for_each(|(route, times)| times.write_to(route, &mut text));
        family(&mut text, "forebay_http_refused_total", "counter", "Requests refused, by reason.");
        for (reason, count) in &*lock(&self.refusals) {
            sample(&mut text, "forebay_http_refused_total", &[("reason", reason)], count);
        }
        family(&mut text, "forebay_tool_calls_total", "counter", "Tool calls.");
        for ((tool, outcome), count) in calls {
            let labels = [("tool", *tool), ("outcome", *outcome)];
            sample(&mut text, "forebay_tool_calls_total", &labels, count);
        }
        family(&mut text, "forebay_connections", "gauge", "Open connections.");
        sample(&mut text, "forebay_connections", &[], self.connections.load(Ordering::Relaxed));
        family(&mut text, "forebay_connections_total", "counter", "Connections accepted.");
        sample(&mut text, "forebay_connections_total", &[], self.accepted.load(Ordering::Relaxed));
        if let Some(bytes) = resident_bytes() {
            family(&mut text, "process_resident_memory_bytes", "gauge", "Resident memory.");
            sample(&mut text, "process_resident_memory_bytes", &[], bytes);
        }
        text
    }
}

impl Times {
    fn add(&mut self, took: Duration) {
        let seconds = took.as_secs_f64();
        for (count, bound) in self.counts.iter_mut().zip(BOUNDS) {
            *count += u64::from(seconds <= bound);
        }
        self.all += 1;
        self.seconds += seconds;
    }

    fn write_to(&self, route: &str, text: &mut String) {
        for (count, bound) in self.counts.iter().zip(BOUNDS) {
            let labels = [("route", route), ("le", &bound.to_string())];
            sample(text, "forebay_http_request_seconds_bucket", &labels, count);
        }
        let all = [("route", route), ("le", "+Inf")];
        sample(text, "forebay_http_request_seconds_bucket", &all, self.all);
        sample(text, "forebay_http_request_seconds_sum", &all[..1], self.seconds);
        sample(text, "forebay_http_request_seconds_count", &all[..1], self.all);
    }
}

/// Guard of an open connection.
pub(super) struct OpenConnection(Arc<Metrics>);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

pub(super) async fn show(
    State(state): State<Arc<AppState>>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, Problem> {
    if !caller.rights().has(Right::Read) {
        let hint = "use a token with the read right";
        return Err(Problem::new(StatusCode::FORBIDDEN, "this token lacks the read right", hint));
    }
    let text = state.metrics().text(&state.calls().outcomes());
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

fn family(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn sample(text: &mut String, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
    let labels: Vec<String> =
        labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    let braces =
        if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
    let _ = writeln!(text, "{name}{braces} {value}");
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// From /proc, where it exists.
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
