//! Other MCP servers, behind `forebay wrap` and `forebay gateway`.

use std::time::Duration;

use super::Bound;

bounds! {
    MAX_WAITING_LINES: usize = 4,
        "Lines of a server that wait to become digests", "4",
        "No further line is read from the server.";
    MAX_PENDING: usize = 10_000,
        "Requests of a client that a wrapped server has not answered, and its tasks", "10,000",
        "Answers to further ones pass unchanged.";
    MAX_REMEMBERED_REQUESTS: usize = 10_000,
        "Requests that are answered with an error if a server dies and is started again", "10,000",
        "Further ones wait for ever.";
    MAX_SHOWN_CALL_BYTES: usize = 1_000,
        "Bytes of a call in a question to the user", "1,000",
        "The rest is cut.";
    SERVER_END_TIMEOUT: Duration = Duration::from_secs(2),
        "Time for a server to end after its client is gone, and again after SIGTERM", "2 s",
        "SIGTERM, then SIGKILL.";
    MAX_REMOTE_REQUESTS: usize = 1_000,
        "Requests in progress to a server over HTTP", "1,000",
        "Further ones wait.";
    SESSION_END_TIMEOUT: Duration = Duration::from_secs(1),
        "Time for a server over HTTP to end a session", "1 s",
        "It is left to the server.";
    MAX_RESUMPTIONS: u32 = 5,
        "Attempts to take up the stream of an answer without a message in between", "5",
        "The request ends with an error.";
    MAX_REOPENINGS: u32 = 20,
        "Attempts to open the stream of notifications without a message in between", "20",
        "It stays closed.";
    MAX_LINGERING_STREAMS: usize = 8,
        "Streams of a server that stay open after their answer", "8",
        "Further ones are closed.";
    MAX_ERROR_BODY_BYTES: u64 = 1 << 20,
        "Body of a server's HTTP error that is read for an error of MCP", "1 MB",
        "The client gets the status alone.";
    MAX_FAULT_BYTES: usize = 300,
        "Bytes of what a server says with an HTTP error", "300",
        "The rest is cut.";
    MAX_FAULT_HEADER_BYTES: usize = 2_000,
        "Bytes of a header that comes with it, such as a challenge", "2,000",
        "The rest is cut.";
    GREETING_TIMEOUT: Duration = Duration::from_secs(8),
        "Time for the servers of a gateway to answer `initialize` before the client is answered", "8 s",
        "They join later.";
    LATE_GREETING_TIMEOUT: Duration = Duration::from_mins(10),
        "Time for a server to join later", "10 min",
        "It is left out.";
    GATEWAY_WORK_TIMEOUT: Duration = Duration::from_mins(1),
        "Time for what a gateway asks several servers", "1 min",
        "The servers that have not answered are left out.";
    MAX_GATEWAY_WORK: usize = 1_000,
        "Requests that a gateway works on itself", "1,000",
        "Further ones are refused.";
    MAX_LOOKUPS: usize = 3,
        "Lists of a server's tools for one call of a token with limited rights, if they change meanwhile", "3",
        "The call is refused.";
    MAX_PAGES: usize = 200,
        "Pages of one list of one server", "200",
        "The rest is left out.";
    MAX_ROUTES: usize = 100_000,
        "Names that a gateway remembers the server of", "100,000",
        "Every server is asked for the others.";
    MAX_SERVER_REQUESTS: usize = 10_000,
        "Requests of a server that the client has not answered, and of the gateway that a server has not", "10,000",
        "Further ones are refused.";
    MAX_UNANSWERED: usize = 1_000,
        "Requests of a gateway's client over HTTP without an answer", "1,000",
        "Further ones are refused.";
    MAX_WAITING_MESSAGES: usize = 1_000,
        "Messages of such a client that its servers have not got", "1,000, 64 MB",
        "Refused as busy.";
    SERVERS_END_TIMEOUT: Duration = Duration::from_secs(6),
        "Time for the servers of a gateway's sessions to end with it", "6 s",
        "The gateway ends.";
    ANSWER_TIMEOUT: Duration = Duration::from_secs(10),
        "Time for an answer to come alone, as JSON", "10 s",
        "A stream of events begins.";
    READ_TIMEOUT: Duration = Duration::from_secs(30),
        "Time for such a client to read before a notification", "30 s",
        "The notification is dropped.";
    MAX_UNREAD_BYTES: usize = 4 * 1024 * 1024,
        "Bytes of a stream that its client has not read", "4 MB",
        "Notifications wait, then are dropped.";
    MAX_KEPT_EVENTS: usize = 64,
        "Events of such a stream that are kept for a client that reconnects", "64",
        "The oldest are forgotten.";
    MAX_KEPT_STREAMS: usize = 32,
        "Streams with all answers that are kept for such a client", "32, all streams of a session 64 MB",
        "The oldest are forgotten.";
}
