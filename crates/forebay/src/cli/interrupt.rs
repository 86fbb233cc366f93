//! Ctrl-C in commands that keep what is done: the first ends them in order, the second at once.

use std::io;

use forebay_sandbox::CancelToken;
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// Cancels `cancel` on Ctrl-C.
pub(super) fn cancel_on_interrupt(cancel: CancelToken) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT])?;
    std::thread::spawn(move || {
        for (count, _) in signals.forever().enumerate() {
            if count == 0 {
                cancel.cancel();
            } else if let Err(error) = emulate_default_handler(SIGINT) {
                tracing::warn!(%error, "cannot end at once");
            }
        }
    });
    Ok(())
}
