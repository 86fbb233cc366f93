//! Every byte arrives, from the right stream, in order.

use std::fs;

use forebay_domain::run::Stream::{self, Stderr, Stdout};
use forebay_sandbox::{Cancel, Sink, run};
use proptest::prelude::*;

use crate::stage::{argv, ran, shell};

#[test]
fn streams_are_told_apart_and_kept_in_order() {
    let ran = ran(&shell("printf a; sleep 0.2; printf bb >&2; sleep 0.2; printf ccc"));
    assert_eq!(ran.text(), "abbccc");
    let spans: Vec<_> = ran.finished.spans.iter().collect();
    assert_eq!(spans, [(Stdout, 1), (Stderr, 2), (Stdout, 3)]);
}

#[test]
fn bytes_that_are_no_text_arrive_untouched() {
    let ran = ran(&shell(r"printf 'a\000\377\376\r\n'; printf '\300\200' >&2"));
    assert_eq!(ran.output.stdout, b"a\0\xff\xfe\r\n");
    assert_eq!(ran.output.stderr, b"\xc0\x80");
}

#[test]
fn no_output_is_no_output() {
    let ran = ran(&argv(&["true"]));
    assert!(ran.finished.ending.is_success());
    assert_eq!(ran.finished.spans.iter().count(), 0);
}

/// Checks a repeated line without keeping it.
struct Repeats {
    line: &'static [u8],
    seen: usize,
    largest: usize,
}

impl Sink for Repeats {
    fn write(&mut self, _stream: Stream, bytes: &[u8]) {
        for byte in bytes {
            assert_eq!(*byte, self.line[self.seen % self.line.len()], "at byte {}", self.seen);
            self.seen += 1;
        }
        self.largest = self.largest.max(bytes.len());
    }
}

#[test]
fn fifty_megabytes_pass_through_in_small_pieces() {
    let spec = shell("yes 'all the water goes through' | head -c 50000000");
    let mut sink = Repeats { line: b"all the water goes through\n", seen: 0, largest: 0 };
    let finished = run(&spec, &mut sink, &Cancel::new()).unwrap();
    assert_eq!(sink.seen, 50_000_000);
    assert_eq!(finished.spans.total(Stdout), 50_000_000);
    assert!(sink.largest <= 1 << 20, "pieces of {} bytes", sink.largest);
}

#[test]
fn two_floods_at_once_are_both_whole() {
    let ran = ran(&shell("head -c 5000000 /dev/zero >&2 & head -c 5000000 /dev/zero; wait"));
    assert_eq!(ran.finished.spans.total(Stdout), 5_000_000);
    assert_eq!(ran.finished.spans.total(Stderr), 5_000_000);
}

#[test]
fn the_reader_of_a_pipeline_may_leave_early() {
    let ran = ran(&shell("yes | head -1; echo ${PIPESTATUS[0]}"));
    assert_eq!(ran.text(), "y\n141\n", "SIGPIPE ends the writer as it does in a shell");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_bytes_arrive(bytes in prop::collection::vec(any::<u8>(), 0..200_000)) {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), &bytes).unwrap();
        let ran = ran(&argv(&["cat", file.path().to_str().unwrap()]));
        prop_assert_eq!(ran.output.stdout, bytes);
    }

    #[test]
    fn any_arguments_arrive(arguments in prop::collection::vec("[^\0]{0,20}", 1..6)) {
        let mut command = vec!["printf", "%s\\0"];
        command.extend(arguments.iter().map(String::as_str));
        let expected: String = arguments.iter().flat_map(|argument| [argument, "\0"]).collect();
        let ran = ran(&argv(&command));
        prop_assert_eq!(ran.text(), expected);
    }
}
