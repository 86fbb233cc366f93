//! What a digest states is true of the text; in doubt it states nothing.

mod boundaries;
mod builds;
mod data;
mod files;
mod git;
mod logs;
mod runners;

use forebay_digest::{Budget, Hint};

fn digest(command: &str, text: &str, tokens: u64) -> String {
    let hint = Hint { command: Some(command), ..Hint::default() };
    forebay_digest::digest(text.as_bytes(), hint, None, Budget::exactly(tokens)).text
}

/// Checks what a digest must contain and must not contain.
#[track_caller]
fn check(command: &str, text: &str, tokens: u64, expected: &[&str], forbidden: &[&str]) {
    let digest = digest(command, text, tokens);
    for part in expected {
        assert!(digest.contains(part), "{part:?} is missing for {command:?}:\n{digest}");
    }
    for part in forbidden {
        assert!(!digest.contains(part), "{part:?} must not occur for {command:?}:\n{digest}");
    }
}

/// Builds a text with this many lines.
fn lines(count: u64, line: impl Fn(u64) -> String) -> String {
    (0..count).map(|number| line(number) + "\n").collect()
}
