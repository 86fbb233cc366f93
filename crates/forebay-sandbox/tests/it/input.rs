//! Text as stdin: written while the output is read, and never a reason to hang or fail.

use forebay_domain::run::Ending;
use forebay_sandbox::{RunSpec, Stdin};

use crate::stage::{ran, shell, short_lived};

fn reading(line: &str, text: &[u8]) -> RunSpec {
    let mut spec = shell(line);
    spec.stdin = Stdin::Text(text.to_vec());
    spec
}

#[test]
fn the_text_arrives_and_ends() {
    assert_eq!(ran(&reading("cat; echo end", b"one\n")).text(), "one\nend\n");
    assert_eq!(ran(&reading("cat; echo end", b"")).text(), "end\n");
}

#[test]
fn more_than_the_pipes_hold_flows_through() {
    let text = b"0123456789abcde\n".repeat(500_000);
    let ran = ran(&reading("cat", &text));
    assert!(ran.output.stdout == text, "{} bytes of {}", ran.output.stdout.len(), text.len());
}

#[test]
fn who_reads_nothing_is_no_fault() {
    let text = vec![b'x'; 1_000_000];
    for line in ["exit 3", "head -c 1 >/dev/null; exit 3", "exec <&-; sleep 0.2; exit 3"] {
        assert_eq!(ran(&reading(line, &text)).finished.ending, Ending::Exited(3), "{line}");
    }
}

#[test]
fn who_does_not_read_is_ended_in_time() {
    let spec = short_lived(reading("sleep 1000", &vec![b'x'; 1_000_000]));
    assert_eq!(ran(&spec).finished.ending, Ending::TimedOut);
}
