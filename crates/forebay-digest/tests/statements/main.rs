//! What a digest states is true of the text; in doubt it states nothing.

mod builds;
mod data;
mod files;
mod git;
mod logs;

use forebay_digest::{Budget, Hint};

fn digest(command: &str, text: &str, tokens: u64) -> String {
    let hint = Hint { command: Some(command), ..Hint::default() };
    forebay_digest::digest(text.as_bytes(), hint, None, Budget::exactly(tokens)).text
}

/// Checks what a digest must contain and must not contain.
#[track_caller]
fn check(command: &str, text: &str, tokens: u64, says: &[&str], never: &[&str]) {
    let digest = digest(command, text, tokens);
    for said in says {
        assert!(digest.contains(said), "{said:?} is missing for {command:?}:\n{digest}");
    }
    for said in never {
        assert!(!digest.contains(said), "{said:?} is said for {command:?}:\n{digest}");
    }
}

/// Builds a text with this many lines.
fn lines(count: u64, line: impl Fn(u64) -> String) -> String {
    (0..count).map(|number| line(number) + "\n").collect()
}
