//! The bounds of requests and of what a request may cost, in one table; `docs/reference/bounds.md` is generated from it.
//!
//! A bound that a person may want to change is a setting (`settings`) instead.

use std::time::Duration;

/// A bound as the reference shows it.
pub struct Bound {
    pub what: &'static str,
    pub limit: &'static str,
    /// What happens beyond it.
    pub beyond: &'static str,
}

/// Defines each bound once: as a constant for the code, and as a row for the reference.
macro_rules! bounds {
    ($($name:ident: $type:ty = $value:expr, $what:literal, $limit:literal, $beyond:literal;)*) => {
        $(#[doc = $what] pub const $name: $type = $value;)*

        /// All bounds.
        pub const TABLE: &[Bound] =
            &[$(Bound { what: $what, limit: $limit, beyond: $beyond }),*];
    };
}

bounds! {
    MAX_LINE_BYTES: usize = 64 * 1024 * 1024,
        "Length of an MCP message on stdin", "64 MB",
        "Error -32600 under the message's id; the message is skipped and not kept in memory.";
    MAX_JSON_VALUES: usize = 20_000,
        "Values in a JSON message: keys, list items, brackets", "20,000",
        "Error -32600, over HTTP status 400; nothing of the message is decoded.";
    MAX_JSON_DEPTH: usize = 64,
        "Nested lists and objects in a JSON message", "64",
        "Error -32600, over HTTP status 400; nothing of the message is decoded.";
    MAX_ID_BYTES: usize = 256,
        "Length of a message's `id`, as JSON, and of a progress token", "256 bytes",
        "Error -32600 with `\"id\": null`, over HTTP status 400; a call with a longer token reports no progress.";
    MAX_IN_FLIGHT: usize = 256,
        "Requests on stdin without a written answer", "256",
        "No further message is read until an answer is written, or refused as busy after a second.";
    MAX_IN_FLIGHT_BYTES: usize = 64 * 1024 * 1024,
        "Bytes of requests on stdin without a written answer", "64 MB",
        "As above.";
    IN_FLIGHT_WAIT: Duration = Duration::from_secs(1),
        "Time that a request on stdin waits for room", "1 s",
        "Error -32000: too many requests in flight.";
    MAX_QUEUED_CALLS: usize = 1_024,
        "Calls of a kind (reading, writing, long) that wait for others", "1,024",
        "Refused as busy.";
    ANSWERS_AFTER_END: Duration = Duration::from_secs(1),
        "Time to answer after stdin has ended", "1 s",
        "Running calls are cancelled; what they printed is stored.";
    KILL_AFTER_END: Duration = Duration::from_millis(1_800),
        "Time until commands are killed after stdin has ended", "1.8 s",
        "SIGKILL.";
    EXIT_AFTER_END: Duration = Duration::from_millis(2_500),
        "Time until the server exits after stdin has ended", "2.5 s",
        "The process ends.";
    RESOURCES_PER_PAGE: usize = 50,
        "Entries on a page of `resources/list`", "50",
        "The rest follows on the next page.";
    MAX_LISTED_RESOURCES: usize = 200,
        "Entries in `resources/list`", "200",
        "Older ones are not listed; each is read by its address.";
    MAX_SUBSCRIPTIONS: usize = 64,
        "Resources that one MCP session or stream follows", "64",
        "A further subscription is refused.";
    JOB_CHECK_INTERVAL: Duration = Duration::from_millis(500),
        "Time between checks of a job that a client follows", "0.5 s",
        "Several changes in that time are one notification.";
    MAX_ECHO_CHARS: usize = 60,
        "Characters of a caller's word repeated in an error", "60",
        "The rest is cut.";
    MAX_ERROR_CHARS: usize = 4_000,
        "Characters of an error message", "4,000",
        "The rest is cut.";
    MAX_LOG_BYTES: u64 = 5_000_000,
        "Size of the log", "5 MB",
        "It becomes `forebay.log.old`, and a new one starts.";
    MAX_LOG_LINE_BYTES: usize = 2_000,
        "Length of a line of the log", "2,000 bytes",
        "The rest is cut.";
    LOG_LINES_PER_SECOND: f64 = 20.0,
        "Lines a second from one place in the code", "20",
        "Not logged; counters in `/metrics` go on.";
    LOG_BURST: f64 = 200.0,
        "Lines at once from one place in the code", "200",
        "As above.";
    LOGGED_REFUSALS_PER_SECOND: f64 = 1.0,
        "Refusals a second from one address that are logged", "1",
        "As above.";
    LOGGED_REFUSALS_BURST: f64 = 20.0,
        "Refusals at once from one address that are logged", "20",
        "As above.";
    WRONG_TOKENS_PER_SECOND: f64 = 0.5,
        "Wrong tokens a second from one address (IPv6: from one /64)", "0.5",
        "Status 429, before the token is verified.";
    WRONG_TOKEN_BURST: f64 = 10.0,
        "Wrong tokens at once from one address", "10",
        "As above.";
    MAX_RUN_TIMEOUT: Duration = Duration::from_hours(24),
        "Timeout of a command", "24 h",
        "The call is refused; a background job has no timeout of its own.";
}

/// A caller's word for an error message.
pub fn echo(word: &str) -> String {
    cut(word, MAX_ECHO_CHARS)
}

/// The first `max` characters, and a mark if something is missing.
pub(crate) fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
