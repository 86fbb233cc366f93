//! Redaction: secrets leave a text before it is stored, and the answer tells how many.

use std::borrow::Cow;
use std::sync::OnceLock;

use forebay_domain::Stream;
use forebay_redact::{Redactions, Redactor};
use serde_json::{Map, Value};

/// Takes secrets out of what is stored, unless the settings say no.
pub(crate) struct Redaction {
    wanted: bool,
    environment: Vec<(String, String)>,
    /// Made when something is stored for the first time.
    redactor: OnceLock<Redactor>,
}

impl Redaction {
    pub(crate) fn new(wanted: bool, environment: Vec<(String, String)>) -> Self {
        Self { wanted, environment, redactor: OnceLock::new() }
    }

    /// A text without its secrets, and what was taken out of it.
    pub(crate) fn text(&self, text: &str) -> (String, Redactions) {
        let (clean, redactions) = self.whole(text);
        (clean.into_owned(), redactions)
    }

    /// The same of a text that may be large: where it has no secret it is not copied.
    pub(crate) fn whole<'a>(&self, text: &'a str) -> (Cow<'a, str>, Redactions) {
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

    /// What the two outputs of a run pass through.
    pub(crate) fn streams(&self) -> Streams {
        let pair = self.redactor().map(|redactor| Pair {
            stdout: redactor.fresh(),
            stderr: redactor.fresh(),
            last: Stream::Stdout,
        });
        Streams(pair)
    }

    fn redactor(&self) -> Option<&Redactor> {
        let make =
            || Redactor::with_values(self.environment.iter().map(|(name, value)| (name, value)));
        self.wanted.then(|| self.redactor.get_or_init(make))
    }
}

/// The two outputs of a run on their way to the store.
///
/// Each has a redactor of its own, because a line of one must not be mixed with a line of the other. A
/// redactor holds the unfinished line back; when the other stream writes, the line is let go first
/// unless a secret may have begun in it. So the order of arrival is kept, except that a line with a
/// possible secret in it arrives when it is finished.
pub(crate) struct Streams(Option<Pair>);

struct Pair {
    stdout: Redactor,
    stderr: Redactor,
    /// Which stream wrote last.
    last: Stream,
}

impl Streams {
    /// Takes bytes as they were printed and hands on those that may be kept.
    pub(crate) fn push(&mut self, from: Stream, bytes: &[u8], out: &mut dyn FnMut(Stream, &[u8])) {
        match &mut self.0 {
            None => out(from, bytes),
            Some(pair) => pair.push(from, bytes, out),
        }
    }

    /// Hands on what was held back only because more may come, where no secret may have begun in it.
    pub(crate) fn settle(&mut self, out: &mut dyn FnMut(Stream, &[u8])) {
        if let Some(pair) = &mut self.0 {
            let last = pair.last;
            pair.of(last).flush_decided(&mut |clean| out(last, clean));
        }
    }

    /// Hands on what was held back; the stream that wrote last comes last.
    pub(crate) fn finish(&mut self, out: &mut dyn FnMut(Stream, &[u8])) -> Redactions {
        self.0.take().map(|pair| pair.finish(out)).unwrap_or_default()
    }
}

impl Pair {
    fn push(&mut self, from: Stream, bytes: &[u8], out: &mut dyn FnMut(Stream, &[u8])) {
        if from != self.last {
            let last = self.last;
            self.of(last).flush_decided(&mut |clean| out(last, clean));
            self.last = from;
        }
        self.of(from).push(bytes, &mut |clean| out(from, clean));
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

    fn of(&mut self, stream: Stream) -> &mut Redactor {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }
}

/// The answer with a line on what was taken out, when anything was.
pub(crate) fn told(answer: String, redactions: &Redactions) -> String {
    if redactions.is_empty() { answer } else { format!("{answer}\n{redactions}") }
}

/// The counts by kind, as data.
pub(crate) fn counts(redactions: &Redactions) -> Value {
    let counts: Map<String, Value> =
        redactions.iter().map(|(kind, count)| (kind.to_owned(), count.into())).collect();
    counts.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    use Stream::{Stderr, Stdout};

    /// What arrives when these are printed in this order.
    fn arriving(wanted: bool, printed: &[(Stream, &str)]) -> (Vec<(Stream, String)>, Redactions) {
        let mut streams = Redaction::new(wanted, Vec::new()).streams();
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
        let (arrived, _) = arriving(true, printed);
        let arrived: Vec<(Stream, &str)> =
            arrived.iter().map(|(stream, text)| (*stream, text.as_str())).collect();
        assert_eq!(arrived, expect);
    }

    #[test]
    fn the_order_of_arrival_is_kept() {
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
    fn a_secret_is_found_though_the_other_stream_writes_within_it() {
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
    fn what_is_not_wanted_is_not_done() {
        let (arrived, redactions) = arriving(false, &[(Stdout, "password=hunter2")]);
        assert_eq!(arrived, [(Stdout, "password=hunter2".to_owned())]);
        assert!(redactions.is_empty());
    }
}
