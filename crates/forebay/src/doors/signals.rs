//! Graceful shutdown on a signal: running calls are cancelled and stored.

use std::io;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tokio_util::sync::CancellationToken;

/// Cancels `end` on the first termination signal.
pub(crate) fn end_with(end: CancellationToken) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            end.cancel();
        }
    });
    Ok(())
}
