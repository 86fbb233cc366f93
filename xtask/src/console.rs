//! Terminal output of all tasks.

use std::time::Duration;

/// Prints a line to stdout.
#[expect(clippy::print_stdout, reason = "tasks are commands that report to a terminal")]
pub(crate) fn line(text: impl AsRef<str>) {
    println!("{}", text.as_ref());
}

/// Prints a heading above the output of a step.
pub(crate) fn heading(text: &str) {
    line(format!("\n== {text}"));
}

/// Prints a warning or an error to stderr.
#[expect(clippy::print_stderr, reason = "tasks are commands that report to a terminal")]
pub(crate) fn warning(text: impl AsRef<str>) {
    eprintln!("\n!! {}", text.as_ref());
}

/// Formats a duration as `4.2 s` or `3 min 12 s`.
pub(crate) fn duration(elapsed: Duration) -> String {
    match elapsed.as_secs() {
        0..60 => format!("{:.1} s", elapsed.as_secs_f64()),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}
