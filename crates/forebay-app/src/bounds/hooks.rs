//! Hooks.

use std::time::Duration;

use super::Bound;

bounds! {
    MAX_PAYLOAD_BYTES: u64 = 256 * 1024 * 1024,
        "Size of the payload of a hook", "256 MB",
        "The hook does nothing, and logs it.";
    HOOK_TIMEOUT: Duration = Duration::from_secs(9),
        "Time of a hook", "9 s",
        "It ends without an answer, and logs it.";
    HOOK_REST_TIMEOUT: Duration = Duration::from_millis(500),
        "Time of a hook for what comes after its answer", "0.5 s",
        "It ends.";
}
