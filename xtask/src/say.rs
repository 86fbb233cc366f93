//! What the chores print: this is the one place where they do.

use std::time::Duration;

/// Prints a line for the person who started the chore.
#[expect(clippy::print_stdout, reason = "chores are commands; their output is for a person")]
pub(crate) fn line(text: impl AsRef<str>) {
    println!("{}", text.as_ref());
}

/// Prints a heading above what a step says.
pub(crate) fn heading(text: &str) {
    line(format!("\n== {text}"));
}

/// Prints what must not be overlooked.
#[expect(clippy::print_stderr, reason = "chores are commands; their output is for a person")]
pub(crate) fn loudly(text: impl AsRef<str>) {
    eprintln!("\n!! {}", text.as_ref());
}

/// Gives a duration as a person says it.
pub(crate) fn seconds(took: Duration) -> String {
    match took.as_secs() {
        0..60 => format!("{:.1} s", took.as_secs_f64()),
        whole => format!("{} min {} s", whole / 60, whole % 60),
    }
}
