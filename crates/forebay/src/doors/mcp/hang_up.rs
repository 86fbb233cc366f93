//! Notices that the client is gone before its last messages are read.
//!
//! A server that is busy does not read, and would see the end of its input only after all requests before it.

use std::io;
use std::thread;

use forebay_app::bounds::ANSWERS_AFTER_END;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tokio_util::sync::CancellationToken;

use super::in_flight::InFlight;

/// Returns once stdin is closed and no answer has been written for a while.
pub(super) async fn client_is_gone(hung_up: CancellationToken, in_flight: &InFlight) {
    hung_up.cancelled().await;
    loop {
        let answered = in_flight.answered();
        tokio::time::sleep(ANSWERS_AFTER_END).await;
        if in_flight.answered() == answered {
            return;
        }
    }
}

/// Starts a thread that waits for the last writer of stdin to close it.
pub(super) fn watch_stdin() -> io::Result<CancellationToken> {
    let hung_up = CancellationToken::new();
    let noticed = hung_up.clone();
    thread::Builder::new().name("stdin-watch".to_owned()).spawn(move || {
        if wait_for_hang_up().is_ok() {
            noticed.cancel();
        }
    })?;
    Ok(hung_up)
}

fn wait_for_hang_up() -> io::Result<()> {
    let stdin = rustix::stdio::stdin();
    loop {
        // Without events only a hang-up or an error is reported.
        let mut watched = [PollFd::new(&stdin, PollFlags::empty())];
        match poll(&mut watched, None) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
