//! Runs: how a command ended and which stream each byte came from.

use std::fmt;
use std::time::Duration;

/// Which of the two output streams a byte came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    Stdout,
    Stderr,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Exited with this code.
    Exited(i32),
    /// Killed by this signal.
    Signalled(i32),
    /// Stopped at its timeout.
    TimedOut,
    /// Stopped by the caller.
    Cancelled,
    /// Stopped for exceeding a limit.
    OverLimit(Limit),
}

/// A limit that ends a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    Output,
    Processes,
}

impl Ending {
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Exited(0))
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit {code}"),
            Self::Signalled(signal) => match signal_name(*signal) {
                Some(name) => write!(f, "killed by {name}"),
                None => write!(f, "killed by signal {signal}"),
            },
            Self::TimedOut => f.write_str("timed out"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::OverLimit(Limit::Output) => f.write_str("exceeded its output limit"),
            Self::OverLimit(Limit::Processes) => f.write_str("exceeded its process limit"),
        }
    }
}

/// Names of the signals whose numbers Linux and macOS share.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        _ => return None,
    })
}

/// Metadata of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    pub ending: Ending,
    pub duration: Duration,
    pub cwd: String,
    pub spans: Spans,
}

/// Which stream each span of the captured output came from, in order of arrival.
///
/// Run lengths that alternate between the streams, starting with stdout, so that output of one stream costs one number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spans {
    lengths: Vec<u64>,
}

impl Spans {
    /// Appends `bytes` bytes of `stream`.
    pub fn push(&mut self, stream: Stream, bytes: u64) {
        if bytes == 0 {
            return;
        }
        if self.lengths.is_empty() {
            self.lengths.push(0);
        }
        if self.next_stream() == stream {
            self.lengths.push(bytes);
        } else if let Some(last) = self.lengths.last_mut() {
            *last += bytes;
        }
    }

    /// The non-empty spans in order.
    pub fn iter(&self) -> impl Iterator<Item = (Stream, u64)> + '_ {
        self.lengths
            .iter()
            .enumerate()
            .map(|(index, length)| (stream_at(index), *length))
            .filter(|(_, length)| *length > 0)
    }

    /// How many bytes came from `stream`.
    pub fn total(&self, stream: Stream) -> u64 {
        self.iter().filter(|(of, _)| *of == stream).map(|(_, length)| length).sum()
    }

    /// Encodes as LEB128 run lengths.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.lengths.len() * 2);
        for length in &self.lengths {
            write_varint(&mut bytes, *length);
        }
        bytes
    }

    /// Decodes LEB128 run lengths; malformed bytes yield the spans before them.
    pub fn from_bytes(mut bytes: &[u8]) -> Self {
        let mut lengths = Vec::new();
        while let Some(length) = read_varint(&mut bytes) {
            lengths.push(length);
        }
        Self { lengths }
    }

    fn next_stream(&self) -> Stream {
        stream_at(self.lengths.len())
    }
}

const fn stream_at(index: usize) -> Stream {
    if index.is_multiple_of(2) { Stream::Stdout } else { Stream::Stderr }
}

fn write_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn displays_endings() {
        assert_eq!(Ending::Exited(101).to_string(), "exit 101");
        assert_eq!(Ending::Signalled(9).to_string(), "killed by SIGKILL");
        assert_eq!(Ending::Signalled(64).to_string(), "killed by signal 64");
    }

    fn stream() -> impl Strategy<Value = Stream> {
        prop_oneof![Just(Stream::Stdout), Just(Stream::Stderr)]
    }

    proptest! {
        #[test]
        fn spans_keep_every_byte_in_order(pushes in prop::collection::vec((stream(), 0_u64..9_000), 0..60)) {
            let mut spans = Spans::default();
            let mut per_byte = Vec::new();
            for (stream, bytes) in pushes {
                spans.push(stream, bytes);
                per_byte.extend(std::iter::repeat_n(stream, bytes as usize));
            }
            let expanded: Vec<_> = spans
                .iter()
                .flat_map(|(stream, length)| std::iter::repeat_n(stream, length as usize))
                .collect();
            prop_assert_eq!(&expanded, &per_byte);
            prop_assert_eq!(Spans::from_bytes(&spans.to_bytes()), spans);
        }

        #[test]
        fn decodes_any_bytes(bytes: Vec<u8>) {
            let _ = Spans::from_bytes(&bytes);
        }
    }
}
