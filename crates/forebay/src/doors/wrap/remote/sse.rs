//! Server-sent events, as they arrive.

use std::io::{self, BufRead, BufReader, Read};

use forebay_app::bounds::MAX_LINE_BYTES;

/// Reads the events of a stream.
pub(super) struct Events<R> {
    input: BufReader<R>,
}

/// An event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// What the server calls it.
    pub(super) kind: Option<String>,
    pub(super) id: Option<String>,
    /// Milliseconds to wait before the stream is opened again.
    pub(super) retry: Option<u64>,
    /// One message; empty where the event only has an id.
    pub(super) data: Vec<u8>,
}

impl<R: Read> Events<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input: BufReader::new(input) }
    }

    /// Returns the next event; `None` at the end of the stream, where an unfinished one does not count.
    pub(super) fn next(&mut self) -> io::Result<Option<Event>> {
        let mut event = Event::default();
        let mut is_empty = true;
        loop {
            let Some(line) = self.line(event.data.len())? else { return Ok(None) };
            if line.is_empty() && !is_empty {
                return Ok(Some(event));
            }
            is_empty = is_empty && line.is_empty();
            event.take(&line);
        }
    }

    /// Returns a line without its end, bounded together with what is kept of its event.
    fn line(&mut self, kept: usize) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let max = MAX_LINE_BYTES.saturating_sub(kept) as u64;
        let count = (&mut self.input).take(max).read_until(b'\n', &mut line)?;
        if line.pop_if(|byte| *byte == b'\n').is_none() {
            let is_long = count as u64 == max;
            let too_long = io::Error::new(io::ErrorKind::InvalidData, "an event is above 64 MB");
            return if is_long { Err(too_long) } else { Ok(None) };
        }
        line.pop_if(|byte| *byte == b'\r');
        Ok(Some(line))
    }
}

impl Event {
    /// The message of the event, if it has one: events of other kinds, such as signs of life, are no messages.
    pub(super) fn message(&self) -> Option<&[u8]> {
        let is_message = matches!(self.kind.as_deref(), None | Some("" | "message"));
        (is_message && !self.data.is_empty()).then_some(&self.data)
    }

    fn take(&mut self, line: &[u8]) {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (field, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let text = || String::from_utf8_lossy(value).into_owned();
        match field {
            b"data" => {
                // The lines of one message, between which JSON has white space.
                if !self.data.is_empty() {
                    self.data.push(b' ');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => self.kind = Some(text()),
            b"id" => self.id = Some(text()),
            b"retry" => self.retry = text().parse().ok(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stream: &str, expect: &[(Option<&str>, &str)]) {
        let mut events = Events::new(stream.as_bytes());
        let mut found = Vec::new();
        while let Some(event) = events.next().unwrap() {
            found.push((event.id, String::from_utf8(event.data).unwrap()));
        }
        let expect: Vec<_> =
            expect.iter().map(|(id, data)| (id.map(str::to_owned), (*data).to_owned())).collect();
        assert_eq!(found, expect, "{stream:?}");
    }

    #[test]
    fn reads_events_in_any_layout() {
        check("data: {}\n\n", &[(None, "{}")]);
        check(
            "event: message\r\nid: 7\r\ndata:{\"a\":1}\r\n\r\n: ping\n\ndata: [\ndata: ]\n\n",
            &[(Some("7"), "{\"a\":1}"), (None, ""), (None, "[ ]")],
        );
        check("id: 1\ndata:\n\n\n\ndata: {}\n\n", &[(Some("1"), ""), (None, "{}")]);
        check("data: cut off\n", &[]);
        check("data: cut off", &[]);
    }

    #[test]
    fn only_messages_are_messages() {
        let stream =
            "event: ping\ndata: 1\n\nevent: message\ndata: 2\n\nevent:\ndata: 3\n\nid: 4\n\n";
        let mut events = Events::new(stream.as_bytes());
        let mut found = Vec::new();
        while let Some(event) = events.next().unwrap() {
            found.extend(event.message().map(<[u8]>::to_vec));
        }
        assert_eq!(found, [b"2", b"3"]);
    }

    #[test]
    fn reads_the_time_to_wait() {
        let mut events = Events::new("retry: 1500\nid: a\n\n".as_bytes());
        assert_eq!(events.next().unwrap().unwrap().retry, Some(1_500));
    }
}
