//! The captured output is complete, in order, and assigned to the right stream.

use std::fs;

use forebay_domain::run::Stream::{self, Stderr, Stdout};
use forebay_sandbox::{CancelToken, Sink, run};
use proptest::prelude::*;

use crate::fixture::{argv, run_spec, shell};

#[test]
fn records_streams_in_order() {
    let run = run_spec(&shell("printf a; sleep 0.2; printf bb >&2; sleep 0.2; printf ccc"));
    assert_eq!(run.text(), "abbccc");
    let spans: Vec<_> = run.finished.spans.iter().collect();
    assert_eq!(spans, [(Stdout, 1), (Stderr, 2), (Stdout, 3)]);
}

#[test]
fn passes_binary_output_unchanged() {
    let run = run_spec(&shell(r"printf 'a\000\377\376\r\n'; printf '\300\200' >&2"));
    assert_eq!(run.output.stdout, b"a\0\xff\xfe\r\n");
    assert_eq!(run.output.stderr, b"\xc0\x80");
}

#[test]
fn accepts_empty_output() {
    let run = run_spec(&argv(&["true"]));
    assert!(run.finished.ending.is_success());
    assert_eq!(run.finished.spans.iter().count(), 0);
}

/// Checks a repeated line without storing it.
struct ExpectRepeated {
    line: &'static [u8],
    seen: usize,
    largest: usize,
}

impl Sink for ExpectRepeated {
    fn write(&mut self, _stream: Stream, bytes: &[u8]) {
        for byte in bytes {
            assert_eq!(*byte, self.line[self.seen % self.line.len()], "at byte {}", self.seen);
            self.seen += 1;
        }
        self.largest = self.largest.max(bytes.len());
    }
}

#[test]
fn passes_large_output_in_small_chunks() {
    let spec = shell("yes 'all the water goes through' | head -c 50000000");
    let mut sink = ExpectRepeated { line: b"all the water goes through\n", seen: 0, largest: 0 };
    let finished = run(&spec, &mut sink, &CancelToken::new()).unwrap();
    assert_eq!(sink.seen, 50_000_000);
    assert_eq!(finished.spans.total(Stdout), 50_000_000);
    assert!(sink.largest <= 1 << 20, "chunks of {} bytes", sink.largest);
}

#[test]
fn captures_two_large_outputs_at_once() {
    let run = run_spec(&shell("head -c 5000000 /dev/zero >&2 & head -c 5000000 /dev/zero; wait"));
    assert_eq!(run.finished.spans.total(Stdout), 5_000_000);
    assert_eq!(run.finished.spans.total(Stderr), 5_000_000);
}

#[test]
fn sigpipe_ends_the_writer_of_a_pipeline() {
    let run = run_spec(&shell("yes | head -1; echo ${PIPESTATUS[0]}"));
    assert_eq!(run.text(), "y\n141\n", "SIGPIPE ends the writer as it does in a shell");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    #[test]
    fn passes_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200_000)) {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), &bytes).unwrap();
        let run = run_spec(&argv(&["cat", file.path().to_str().unwrap()]));
        prop_assert_eq!(run.output.stdout, bytes);
    }

    #[test]
    fn passes_any_arguments(arguments in prop::collection::vec("[^\0]{0,20}", 1..6)) {
        let mut command = vec!["printf", "%s\\0"];
        command.extend(arguments.iter().map(String::as_str));
        let expected: String = arguments.iter().flat_map(|argument| [argument, "\0"]).collect();
        let run = run_spec(&argv(&command));
        prop_assert_eq!(run.text(), expected);
    }
}
