//! The log.

use super::Bound;

bounds! {
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
}
