//! What a digest states is true of the text, and where that is not sure nothing is stated.

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

/// Holds a digest to what it must say and must not say.
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

/// A text of so many lines.
fn lines(count: u64, line: impl Fn(u64) -> String) -> String {
    (0..count).map(|number| line(number) + "\n").collect()
}
