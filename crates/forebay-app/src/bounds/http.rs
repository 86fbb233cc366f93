//! Requests over HTTP.

use std::time::Duration;

use super::Bound;

bounds! {
    FIRST_BYTE_TIMEOUT: Duration = Duration::from_mins(10),
        "Time for the first byte of a request", "10 min",
        "The connection is closed.";
    HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10),
        "Time for a TLS handshake", "10 s",
        "The connection is closed.";
    MAX_HEADERS: usize = 64,
        "Headers of a request", "64",
        "Status 431.";
    MAX_HEAD_BYTES: usize = 32 * 1024,
        "Size of the head of a request", "32 KB",
        "Status 431.";
    BODY_TIMEOUT: Duration = Duration::from_secs(30),
        "Time for the body of a request", "30 s",
        "Status 408.";
    MAX_SESSIONS: usize = 10_000,
        "MCP sessions; idle ones end after minutes", "10,000",
        "A further one is refused as busy.";
    MAX_EVENT_BYTES: usize = 16 * 1024 * 1024,
        "Memory of events that are kept for clients that reconnect", "16 MB",
        "The oldest streams are forgotten.";
    MAX_EVENTS_PER_STREAM: usize = 64,
        "Events of one stream that are kept", "64",
        "The oldest are forgotten.";
    MAX_SOURCES: usize = 32,
        "Sources that a pull for a team may name", "32",
        "Status 400.";
    MAX_SESSION_NAME_CHARS: usize = 128,
        "Characters of the name of a session", "128",
        "The rest is cut.";
    MAX_PROJECT_NAME_CHARS: usize = 64,
        "Characters of the name of a team project", "64",
        "The rest is cut.";
    MAX_VIEW_BODY_BYTES: usize = 1_024,
        "Body of a request of the dashboard that reads", "1 KB",
        "Status 413.";
    MAX_CHANGE_BYTES: usize = 64 * 1024,
        "Body of a request of the dashboard that changes something", "64 KB",
        "Status 413.";
    MAX_LIVE_STREAMS: usize = 16,
        "Streams of the dashboard's live view", "16",
        "A further one is refused.";
    REQUESTS_TIMEOUT: Duration = Duration::from_secs(20),
        "Time for requests in progress when the server ends", "20 s",
        "They are cut off.";
    RUNS_TIMEOUT: Duration = Duration::from_secs(5),
        "Time for runs to end and be stored after that", "5 s",
        "The process ends.";
    WRONG_TOKENS_PER_SECOND: f64 = 0.5,
        "Wrong tokens a second from one address (IPv6: from one /64)", "0.5",
        "Status 429, before the token is verified.";
    WRONG_TOKEN_BURST: f64 = 10.0,
        "Wrong tokens at once from one address", "10",
        "As above.";
}
