//! What a host writes to a hook's stdin.

use std::io::{self, IsTerminal, Read};

/// Hosts cut results long before this.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// Everything on stdin; a person's keyboard is not waited for.
pub(super) fn read() -> io::Result<Vec<u8>> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(io::Error::other("a terminal; a host hands in its payload here"));
    }
    let mut bytes = Vec::with_capacity(16 * 1024);
    stdin.lock().take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.is_empty() {
        return Err(io::Error::other("nothing was handed in"));
    }
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::other(format!("more than {MOST_BYTES} bytes")));
    }
    Ok(bytes)
}
