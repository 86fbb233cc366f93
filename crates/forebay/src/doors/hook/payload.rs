//! Reads a host's payload from stdin.

use forebay_app::bounds::MAX_PAYLOAD_BYTES;
use std::io::{self, IsTerminal, Read};

/// Reads all of stdin, unless it is a terminal.
pub(super) fn read() -> io::Result<Vec<u8>> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(io::Error::other("stdin is a terminal; a host passes its payload here"));
    }
    let mut bytes = Vec::with_capacity(16 * 1024);
    stdin.lock().take(MAX_PAYLOAD_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.is_empty() {
        return Err(io::Error::other("stdin is empty"));
    }
    if bytes.len() as u64 > MAX_PAYLOAD_BYTES {
        return Err(io::Error::other(format!("more than {MAX_PAYLOAD_BYTES} bytes")));
    }
    Ok(bytes)
}
