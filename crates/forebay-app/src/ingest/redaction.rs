//! Redacts secrets before text is stored, and counts them for the answer.

use std::borrow::Cow;
use std::sync::OnceLock;

use forebay_domain::Stream;
use forebay_redact::{Redactions, Redactor};
use forebay_text::invisible::escape_name;
use serde_json::{Map, Value};

/// A shorter name has no room for a secret with a format.
const MIN_SECRET_NAME: usize = 12;

/// Redacts what is stored, unless disabled in the settings.
pub(crate) struct Redaction {
    is_enabled: bool,
    environment: Vec<(String, String)>,
    /// Built on first use.
    redactor: OnceLock<Redactor>,
}

impl Redaction {
    pub(crate) fn new(is_enabled: bool, environment: Vec<(String, String)>) -> Self {
        Self { is_enabled, environment, redactor: OnceLock::new() }
    }

    /// Returns a text without its secrets, and counts of what was redacted.
    pub(crate) fn redact(&self, text: &str) -> (String, Redactions) {
        let (clean, redactions) = self.redact_cow(text);
        (clean.into_owned(), redactions)
    }

    /// Like [`Self::redact`], without copying a text that has no secrets.
    pub(crate) fn redact_cow<'a>(&self, text: &'a str) -> (Cow<'a, str>, Redactions) {
        let Some(redactor) = self.redactor() else {
            return (Cow::Borrowed(text), Redactions::default());
        };
        let (clean, redactions) = redactor.redact(text.as_bytes());
        let clean = match clean {
            Cow::Borrowed(same) if same.len() == text.len() => Cow::Borrowed(text),
            other => String::from_utf8(other.into_owned())
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
                .into(),
        };
        (clean, redactions)
    }

    /// Returns a name (a file, a branch, a session, a tool) without its secrets, as one line: answers show it where a line
    /// of their own could follow.
    pub(crate) fn name(&self, name: &str) -> String {
        let name = &*escape_name(name);
        // A hook that records nothing must not build the redactor for its session's id.
        let is_short = name.len() < MIN_SECRET_NAME;
        let is_id = name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        if is_short || is_id {
            return name.to_owned();
        }
        // Two underscores join names: mcp__server__tool.
        name.split("__").map(|part| self.redact(part).0).collect::<Vec<_>>().join("__")
    }

    /// Returns the redactor of a run's two output streams.
    pub(crate) fn streams(&self) -> StreamRedactor {
        let pair = self.redactor().map(|redactor| RedactorPair {
            stdout: redactor.fresh(),
            stderr: redactor.fresh(),
            last: Stream::Stdout,
        });
        StreamRedactor(pair)
    }

    fn redactor(&self) -> Option<&Redactor> {
        let make =
            || Redactor::with_values(self.environment.iter().map(|(name, value)| (name, value)));
        self.is_enabled.then(|| self.redactor.get_or_init(make))
    }
}

/// Redacts the two output streams of a run.
///
/// Each stream has its own redactor, so that their lines do not mix. A redactor holds back an unfinished line;
/// when the other stream writes, that line is released first unless a secret may have begun in it. So the order
/// of arrival is preserved, except that a line with a possible secret arrives when it is complete.
pub(crate) struct StreamRedactor(Option<RedactorPair>);

struct RedactorPair {
    stdout: Redactor,
    stderr: Redactor,
    /// Which stream wrote last.
    last: Stream,
}

impl StreamRedactor {
    /// Takes printed bytes and passes on redacted ones.
    pub(crate) fn push(&mut self, from: Stream, bytes: &[u8], out: &mut dyn FnMut(Stream, &[u8])) {
        match &mut self.0 {
            None => out(from, bytes),
            Some(pair) => pair.push(from, bytes, out),
        }
    }

    /// Releases held-back bytes in which no secret may have begun.
    pub(crate) fn flush_safe(&mut self, out: &mut dyn FnMut(Stream, &[u8])) {
        if let Some(pair) = &mut self.0 {
            let last = pair.last;
            pair.redactor_mut(last).flush_decided(&mut |clean| out(last, clean));
        }
    }

    /// Releases all held-back bytes; the stream that wrote last comes last.
    pub(crate) fn finish(&mut self, out: &mut dyn FnMut(Stream, &[u8])) -> Redactions {
        self.0.take().map(|pair| pair.finish(out)).unwrap_or_default()
    }
}

impl RedactorPair {
    fn push(&mut self, from: Stream, bytes: &[u8], out: &mut dyn FnMut(Stream, &[u8])) {
        if from != self.last {
            let last = self.last;
            self.redactor_mut(last).flush_decided(&mut |clean| out(last, clean));
            self.last = from;
        }
        self.redactor_mut(from).push(bytes, &mut |clean| out(from, clean));
    }

    fn finish(self, out: &mut dyn FnMut(Stream, &[u8])) -> Redactions {
        let stdout = (Stream::Stdout, self.stdout);
        let stderr = (Stream::Stderr, self.stderr);
        let in_order = match self.last {
            Stream::Stdout => [stderr, stdout],
            Stream::Stderr => [stdout, stderr],
        };
        let mut redactions = Redactions::default();
        for (stream, redactor) in in_order {
            redactions.add(&redactor.finish(&mut |clean| out(stream, clean)));
        }
        redactions
    }

    fn redactor_mut(&mut self, stream: Stream) -> &mut Redactor {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }
}

/// Appends a line on redactions to an answer, if there were any.
pub(crate) fn with_remark(answer: String, redactions: &Redactions) -> String {
    if redactions.is_empty() { answer } else { format!("{answer}\n{redactions}") }
}

/// Returns the counts by kind as JSON.
pub(crate) fn counts(redactions: &Redactions) -> Value {
    let counts: Map<String, Value> =
        redactions.iter().map(|(kind, count)| (kind.to_owned(), count.into())).collect();
    counts.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    use Stream::{Stderr, Stdout};

    /// Returns the redacted output of these writes.
    fn redact_stream(
        is_enabled: bool,
        printed: &[(Stream, &str)],
    ) -> (Vec<(Stream, String)>, Redactions) {
        let mut streams = Redaction::new(is_enabled, Vec::new()).streams();
        let mut arrived = Vec::new();
        let mut out = |stream, clean: &[u8]| {
            arrived.push((stream, String::from_utf8_lossy(clean).into_owned()));
        };
        for (stream, text) in printed {
            streams.push(*stream, text.as_bytes(), &mut out);
        }
        let redactions = streams.finish(&mut out);
        (arrived, redactions)
    }

    #[track_caller]
    fn check(printed: &[(Stream, &str)], expect: &[(Stream, &str)]) {
        let (arrived, _) = redact_stream(true, printed);
        let arrived: Vec<(Stream, &str)> =
            arrived.iter().map(|(stream, text)| (*stream, text.as_str())).collect();
        assert_eq!(arrived, expect);
    }

    #[test]
    fn preserves_the_order_of_arrival() {
        check(
            &[(Stdout, "working ... "), (Stderr, "a warning\n"), (Stdout, "done\n")],
            &[(Stdout, "working ... "), (Stderr, "a warning\n"), (Stdout, "done\n")],
        );
        check(
            &[(Stdout, "a"), (Stderr, "b"), (Stdout, "c")],
            &[(Stdout, "a"), (Stderr, "b"), (Stdout, "c")],
        );
    }

    #[test]
    fn redacts_a_secret_interrupted_by_the_other_stream() {
        check(
            &[(Stdout, "password=hun"), (Stderr, "a warning\n"), (Stdout, "ter2\n")],
            &[
                (Stderr, "a warning\n"),
                (Stdout, "password="),
                (Stdout, "[redacted:password]"),
                (Stdout, "\n"),
            ],
        );
    }

    #[test]
    fn passes_everything_when_disabled() {
        let (arrived, redactions) = redact_stream(false, &[(Stdout, "password=hunter2")]);
        assert_eq!(arrived, [(Stdout, "password=hunter2".to_owned())]);
        assert!(redactions.is_empty());
    }
}
