//! The stream on which a server speaks without being asked, where it offers one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use forebay_app::bounds::MAX_REOPENINGS;

use super::Remote;
use super::exchange::{Position, open_stream};
use super::sse::Events;

/// A stream that is open for so long is not refused: proxies close silent ones after a while.
const MIN_LIFETIME: Duration = Duration::from_secs(10);

/// Listens until the session ends, or the server offers no such stream.
pub(super) fn listen(remote: &Arc<Remote>) {
    let remote = Arc::clone(remote);
    let listening = super::super::spawn("notices", move || pass_on(&remote));
    if let Err(error) = listening {
        tracing::warn!(%error, "messages that the server sends unasked do not arrive");
    }
}

fn pass_on(remote: &Remote) {
    let session = remote.session.id();
    let connection = remote.http.connection(&remote.endpoint.url);
    if !remote.background.replace_notices(connection.abort_handle()) {
        return;
    }
    let mut position = Position::default();
    while remote.session.id() == session
        && position.resumptions < MAX_REOPENINGS
        && !remote.ended.is_cancelled()
        && !connection.is_aborted()
    {
        position.resumptions += 1;
        let opened = Instant::now();
        match open_stream(remote, &connection, position.last_id.as_deref()) {
            Ok(stream) if stream.status == 200 => {
                let mut events = Events::new(stream.body);
                while let Ok(Some(event)) = events.next() {
                    position.note(&event);
                    if let Some(message) = event.message() {
                        remote.deliver(message);
                    }
                }
                position.note_lifetime(opened.elapsed(), MIN_LIFETIME);
            }
            // It has none, or the session is gone, which the next request notices.
            Ok(stream) if stream.status < 500 => return,
            Ok(_) | Err(_) => {}
        }
        remote.pause(position.retry);
    }
}
