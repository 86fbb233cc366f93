//! From the server to the client: hands long results and listings to the rewriter, and forwards everything else as it is.

use std::io::{self, PipeReader, Write};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use super::json::{self, Members};
use super::lines::{Lines, Next};
use super::listing;
use super::rewriter::{self, Job};
use super::session::{Pending, Session};

/// The direction to the client.
pub(super) struct ToClient {
    session: Arc<Session>,
    rewriter: SyncSender<Job>,
}

impl ToClient {
    pub(super) fn new(session: Arc<Session>, rewriter: SyncSender<Job>) -> Self {
        Self { session, rewriter }
    }

    /// Forwards until the server ends its side, or the client reads no more.
    pub(super) fn run(&self, output: PipeReader) -> io::Result<()> {
        let mut lines = Lines::new(output);
        loop {
            match lines.next()? {
                Next::End => return Ok(()),
                Next::Line(line) => self.forward(line)?,
                Next::LongLine(start) => {
                    // No other line may come between its pieces.
                    let mut client = self.session.client();
                    client.write_all(start)?;
                    lines.rest(&mut |piece| client.write_all(piece))?;
                }
            }
        }
    }

    fn forward(&self, line: &[u8]) -> io::Result<()> {
        let unfinished =
            || (!line.ends_with(b"\n")).then(|| Job::Unfinished { line: line.to_owned() });
        match self.job(line).or_else(unfinished) {
            Some(job) => self.rewriter.send(job).map_err(|_| io::ErrorKind::BrokenPipe.into()),
            None => self.session.to_client(line),
        }
    }

    /// What the rewriter has to do about a line, if anything. Every other line keeps its place in the order.
    fn job(&self, line: &[u8]) -> Option<Job> {
        let text = std::str::from_utf8(line).ok()?;
        let is_long = line.len() as u64 > self.session.server.max_unchanged_bytes();
        if text.trim_ascii_start().starts_with('[') {
            let messages = json::items(text)?;
            let is_rewritten = is_long || listing::is_rewritten(&self.session, text);
            if !is_rewritten {
                // A list in a list is no message.
                let messages = messages.iter().filter(|message| message.starts_with('{'));
                messages.for_each(|message| drop(self.job(message.as_bytes())));
            }
            return is_rewritten.then(|| Job::Batch { line: text.to_owned() });
        }
        let message = Members::parse(text).ok()?;
        if message.get("method").is_some() {
            return None;
        }
        let pending = self.session.answered(message.get("id")?)?;
        match &pending {
            Pending::Initialize => {
                note_capabilities(&self.session, &message);
                None
            }
            Pending::Call(_) if !is_long => None,
            Pending::StartTask(call) if !is_long => {
                rewriter::note_task(&self.session, call, &message);
                None
            }
            Pending::ListTools { .. } if !listing::is_rewritten(&self.session, text) => None,
            Pending::ListTools { .. } | Pending::StartTask(_) | Pending::Call(_) => {
                Some(Job::Answer { line: text.to_owned(), pending })
            }
        }
    }
}

fn note_capabilities(session: &Session, message: &Members<'_>) {
    let tells = || -> Option<bool> {
        let result = message.object("result")?;
        let capabilities = result.object("capabilities")?;
        Some(capabilities.object("tools")?.get("listChanged")? == "true")
    };
    session.tells_list_changes.set(tells().unwrap_or_default());
}
