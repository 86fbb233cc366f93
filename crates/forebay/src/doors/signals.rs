//! A signal ends a server in good order: what runs is ended and stored.

use std::io;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tokio_util::sync::CancellationToken;

/// Cancels `end` with the first signal that asks to end.
pub(crate) fn end_with(end: CancellationToken) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            end.cancel();
        }
    });
    Ok(())
}
