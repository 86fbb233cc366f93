//! The bounds of requests and of what a request may cost, in one table; `docs/reference/bounds.md` is generated from it.
//!
//! A bound that a person may want to change is a setting (`settings`) instead. `cargo xtask rules` finds bounds of a door
//! that are defined elsewhere.

/// A bound as the reference shows it.
pub struct Bound {
    pub what: &'static str,
    pub limit: &'static str,
    /// What happens beyond it.
    pub beyond: &'static str,
}

/// The bounds of one kind of request.
pub struct Section {
    pub title: &'static str,
    pub bounds: &'static [Bound],
}

/// Defines each bound once: as a constant for the code, and as a row for the reference.
macro_rules! bounds {
    ($($name:ident: $type:ty = $value:expr, $what:literal, $limit:literal, $beyond:literal;)*) => {
        $(#[doc = $what] pub const $name: $type = $value;)*

        pub(super) const TABLE: &[Bound] =
            &[$(Bound { what: $what, limit: $limit, beyond: $beyond }),*];
    };
}

mod hooks;
mod http;
mod logs;
mod messages;
mod servers;

pub use self::hooks::{HOOK_REST_TIMEOUT, HOOK_TIMEOUT, MAX_PAYLOAD_BYTES};
pub use self::http::{
    BODY_TIMEOUT, FIRST_BYTE_TIMEOUT, HANDSHAKE_TIMEOUT, MAX_CHANGE_BYTES, MAX_EVENT_BYTES,
    MAX_EVENTS_PER_STREAM, MAX_HEAD_BYTES, MAX_HEADERS, MAX_LIVE_STREAMS, MAX_PROJECT_NAME_CHARS,
    MAX_SESSION_NAME_CHARS, MAX_SESSIONS, MAX_SOURCES, MAX_VIEW_BODY_BYTES, REQUESTS_TIMEOUT,
    RUNS_TIMEOUT, WRONG_TOKEN_BURST, WRONG_TOKENS_PER_SECOND,
};
pub use self::logs::{
    LOG_BURST, LOG_LINES_PER_SECOND, LOGGED_REFUSALS_BURST, LOGGED_REFUSALS_PER_SECOND,
    MAX_LOG_BYTES, MAX_LOG_LINE_BYTES,
};
pub use self::messages::{
    ANSWERS_AFTER_END, ELICITATION_TIMEOUT, EXIT_AFTER_END, IN_FLIGHT_WAIT, JOB_CHECK_INTERVAL,
    KILL_AFTER_END, MAX_CANDIDATES, MAX_ECHO_CHARS, MAX_ERROR_CHARS, MAX_ID_BYTES, MAX_IN_FLIGHT,
    MAX_IN_FLIGHT_BYTES, MAX_JSON_DEPTH, MAX_JSON_VALUES, MAX_LINE_BYTES, MAX_LISTED_RESOURCES,
    MAX_QUEUED_CALLS, MAX_RUN_TIMEOUT, MAX_SUBSCRIPTIONS, MAX_URI_BYTES, RESOURCES_PER_PAGE,
};
pub use self::servers::{
    ANSWER_TIMEOUT, GATEWAY_WORK_TIMEOUT, GREETING_TIMEOUT, LATE_GREETING_TIMEOUT,
    MAX_ERROR_BODY_BYTES, MAX_FAULT_BYTES, MAX_FAULT_HEADER_BYTES, MAX_GATEWAY_WORK,
    MAX_KEPT_EVENTS, MAX_KEPT_STREAMS, MAX_LINGERING_STREAMS, MAX_LOOKUPS, MAX_PAGES, MAX_PENDING,
    MAX_REMEMBERED_REQUESTS, MAX_REMOTE_REQUESTS, MAX_REOPENINGS, MAX_RESUMPTIONS, MAX_ROUTES,
    MAX_SERVER_REQUESTS, MAX_SHOWN_CALL_BYTES, MAX_UNANSWERED, MAX_UNREAD_BYTES, MAX_WAITING_LINES,
    MAX_WAITING_MESSAGES, READ_TIMEOUT, SERVER_END_TIMEOUT, SERVERS_END_TIMEOUT,
    SESSION_END_TIMEOUT,
};

/// All bounds.
pub const SECTIONS: &[Section] = &[
    Section { title: "MCP and commands", bounds: messages::TABLE },
    Section { title: "Hooks", bounds: hooks::TABLE },
    Section { title: "HTTP", bounds: http::TABLE },
    Section { title: "Other MCP servers", bounds: servers::TABLE },
    Section { title: "The log", bounds: logs::TABLE },
];

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
