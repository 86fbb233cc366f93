//! Reads a host's payload from stdin.

use std::io::{self, IsTerminal, Read};

/// Maximum size; hosts truncate results long before.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Reads all of stdin, unless it is a terminal.
pub(super) fn read() -> io::Result<Vec<u8>> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(io::Error::other("stdin is a terminal; a host passes its payload here"));
    }
    let mut bytes = Vec::with_capacity(16 * 1024);
    stdin.lock().take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.is_empty() {
        return Err(io::Error::other("stdin is empty"));
    }
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("more than {MAX_BYTES} bytes")));
    }
    Ok(bytes)
}
