//! Messages that wait until a server reads them: one that does not must not hold up the others.

use std::io::{self, PipeWriter};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};

use forebay_app::bounds::MAX_LINE_BYTES;

use super::super::lines;

/// Messages to one server, in order.
pub(super) struct Queue {
    waiting: Sender<String>,
    /// Bytes of the messages that the server has not read yet.
    bytes: Arc<AtomicUsize>,
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    Queued,
    /// The server reads no more.
    Ended,
    /// The server does not read what was sent before.
    Full,
}

impl Queue {
    /// Writes the messages on a thread of its own, until the queue is dropped or the server reads no more.
    pub(super) fn new(server: PipeWriter) -> io::Result<Self> {
        let (waiting, messages) = mpsc::channel();
        let bytes = Arc::new(AtomicUsize::new(0));
        let unread = Arc::clone(&bytes);
        super::super::spawn("queue", move || write_all(server, &messages, &unread))?;
        Ok(Self { waiting, bytes })
    }

    pub(super) fn push(&self, text: &str) -> Sent {
        let line = format!("{text}\n");
        let unread = self.bytes.fetch_add(line.len(), Ordering::AcqRel);
        // A message of any permitted size passes if nothing waits.
        if unread > 0 && unread + line.len() > MAX_LINE_BYTES {
            self.bytes.fetch_sub(line.len(), Ordering::AcqRel);
            return Sent::Full;
        }
        if self.waiting.send(line).is_ok() { Sent::Queued } else { Sent::Ended }
    }
}

fn write_all(mut server: PipeWriter, messages: &Receiver<String>, unread: &AtomicUsize) {
    for message in messages {
        if lines::write(&mut server, message.as_bytes()).is_err() {
            return;
        }
        unread.fetch_sub(message.len(), Ordering::AcqRel);
    }
}
