//! Text as stdin, written while the output is read.

use forebay_domain::run::Ending;
use forebay_sandbox::{RunSpec, Stdin};

use crate::fixture::{run_spec, shell, short_lived};

fn with_input(line: &str, text: &[u8]) -> RunSpec {
    let mut spec = shell(line);
    spec.stdin = Stdin::Text(text.to_vec());
    spec
}

#[test]
fn passes_text_and_eof_to_stdin() {
    assert_eq!(run_spec(&with_input("cat; echo end", b"one\n")).text(), "one\nend\n");
    assert_eq!(run_spec(&with_input("cat; echo end", b"")).text(), "end\n");
}

#[test]
fn passes_more_than_the_pipe_capacity() {
    let text = b"0123456789abcde\n".repeat(500_000);
    let run = run_spec(&with_input("cat", &text));
    assert!(run.output.stdout == text, "{} bytes of {}", run.output.stdout.len(), text.len());
}

#[test]
fn tolerates_a_process_that_does_not_read() {
    let text = vec![b'x'; 1_000_000];
    for line in ["exit 3", "head -c 1 >/dev/null; exit 3", "exec <&-; sleep 0.2; exit 3"] {
        assert_eq!(run_spec(&with_input(line, &text)).finished.ending, Ending::Exited(3), "{line}");
    }
}

#[test]
fn times_out_a_process_that_does_not_read() {
    let spec = short_lived(with_input("sleep 1000", &vec![b'x'; 1_000_000]));
    assert_eq!(run_spec(&spec).finished.ending, Ending::TimedOut);
}
