//! Support for tests of all crates: tests that cannot run here report themselves as skipped.
//!
//! A test that needs what this machine lacks (PostgreSQL, Landlock, a language runtime) calls [`skip`] and
//! returns. `cargo xtask test` lists every skipped test; in CI a skipped test fails.

use std::env;
use std::fs::File;
use std::io::{self, Write};
use std::panic::Location;
use std::thread;

/// Names the file that skipped tests are appended to, one `<test>: <reason>` per line.
pub const SKIPPED_TESTS_VARIABLE: &str = "FOREBAY_SKIPPED_TESTS";

/// Reports that the current test, or a part of it, does not run, and why; panics in CI.
///
/// The caller returns after this call.
#[track_caller]
#[expect(clippy::print_stderr, reason = "a skipped test must be visible without `cargo xtask` too")]
pub fn skip(reason: &str) {
    let test = test_name(Location::caller());
    assert!(!is_ci(), "{test} cannot be skipped in CI: {reason}");
    eprintln!("SKIPPED {test}: {reason}");
    if let Some(path) = env::var_os(SKIPPED_TESTS_VARIABLE) {
        let file = File::options().create(true).append(true).open(&path);
        let written = file.and_then(|file| append_line(file, &format!("{test}: {reason}")));
        assert!(written.is_ok(), "cannot record a skipped test in {}: {written:?}", path.display());
    }
}

/// Returns whether this process runs in CI, where nothing may be skipped.
pub fn is_ci() -> bool {
    env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

/// Returns the name libtest gave the thread, or the caller's location outside of a test thread.
fn test_name(caller: &Location) -> String {
    match thread::current().name() {
        Some(name) if name != "main" => name.to_owned(),
        _ => env::var("NEXTEST_TEST_NAME").unwrap_or_else(|_| caller.to_string()),
    }
}

/// Writes a line with one call, so that lines of concurrent test processes do not mix.
fn append_line(mut file: File, line: &str) -> io::Result<()> {
    file.write_all(format!("{line}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn names_the_running_test() {
        let name = test_name(Location::caller());
        assert!(name.ends_with("names_the_running_test"), "{name}");
    }

    #[test]
    fn appends_whole_lines() {
        let path = env::temp_dir().join(format!("forebay-skipped-{}", std::process::id()));
        for line in ["a::b: no server", "c::d: no Landlock"] {
            append_line(File::options().create(true).append(true).open(&path).unwrap(), line)
                .unwrap();
        }
        let text = fs::read_to_string(&path).unwrap();
        fs::remove_file(path).unwrap();
        assert_eq!(text, "a::b: no server\nc::d: no Landlock\n");
    }
}
