//! Messages of MCP, and the end of a session on stdio.

use std::time::Duration;

use super::Bound;

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
    MAX_URI_BYTES: usize = 4_096,
        "Length of a resource's address", "4,096 bytes",
        "The address is refused.";
    MAX_CANDIDATES: usize = 1_000,
        "Entries, jobs and sessions that completions are taken from", "1,000",
        "Only the newest are offered.";
    ELICITATION_TIMEOUT: Duration = Duration::from_mins(5),
        "Time that a client has to answer a question to its user", "5 min",
        "The call is refused, as without an answer.";
    MAX_RUN_TIMEOUT: Duration = Duration::from_hours(24),
        "Timeout of a command", "24 h",
        "The call is refused; a background job has no timeout of its own.";
}
