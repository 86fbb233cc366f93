//! The words that give a line weight; each row proves itself with a hit and a miss.

use super::boundary::Boundary;

/// What a word says about its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Something failed.
    Failure,
    /// Something may have failed, but the word is too common to be sure.
    PossibleFailure,
    Warning,
    /// A result with counts.
    Outcome,
    /// A message of a routine level, in which possible failures do not count.
    Routine,
    /// The line reports success, whatever names it contains.
    Passed,
    /// A phrase that contains another pattern but has no meaning.
    Harmless,
}

impl Kind {
    pub(crate) const ALL: [Self; 7] = [
        Self::Failure,
        Self::PossibleFailure,
        Self::Warning,
        Self::Outcome,
        Self::Routine,
        Self::Passed,
        Self::Harmless,
    ];

    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }

    pub(crate) const fn weight(self) -> u32 {
        match self {
            Self::Failure => 40,
            Self::Outcome => 14,
            Self::PossibleFailure => 10,
            Self::Warning => 8,
            Self::Routine | Self::Passed | Self::Harmless => 0,
        }
    }
}

/// Words of one kind, and the condition on their surroundings.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) kind: Kind,
    pub(crate) boundary: Boundary,
    pub(crate) words: &'static [&'static str],
    /// A line that the row must match; used by the tests.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the tests"))]
    pub(crate) hit: &'static str,
    /// A line that the row must not match and that must weigh nothing; used by the tests.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the tests"))]
    pub(crate) miss: &'static str,
}

macro_rules! patterns {
    ($($kind:ident $boundary:ident $words:expr, $hit:literal, not $miss:literal;)*) => {
        /// The table; a word may occur in several rows.
        pub(crate) const PATTERNS: &[Pattern] = &[
            $(Pattern { kind: Kind::$kind, boundary: Boundary::$boundary, words: &$words, hit: $hit, miss: $miss },)*
        ];
    };
}

patterns! {
    Failure WordStart ["error: ", "ERROR: ", "error[E", "error TS", "error CS", "error MSB", "error LNK"],
        "a.c:3:5: error: expected ';'", not "my_error: 1";
    Failure Any ["Error: ", "Exception: ", "Error:\u{a0}"],
        "java.lang.IllegalStateException: closed", not "raise ValueError(message)";
    Failure WholeWord ["ERROR", "FATAL", "CRITICAL", "FAILED", "FAIL", "FAILURE", "PANIC", "SEVERE"],
        "[ERROR] Failed to execute goal", not "FAIL_FAST=1";
    Failure Any ["##[error]", "::error", "npm ERR!", "npm error "],
        "##[error]Process completed", not "[command]/usr/bin/git version";
    Failure Any ["level=error", "level=fatal", "\"level\":\"error\"", "\"level\":\"fatal\""],
        "ts=1 level=error msg=closed", not "level=info msg=open";
    Failure WordStart ["panicked at ", "panic: ", "fatal: ", "fatal error", "Fatal error", "Fatal: "],
        "thread 'main' panicked at src/main.rs:4", not "panic = \"abort\"";
    Failure WordStart ["Traceback (most recent call last)", "Caused by: ", "Exception in thread", "Uncaught ", "Unhandled "],
        "Caused by: java.io.IOException", not "traceback.print_exc()";
    Failure WordStart ["assertion failed", "Assertion failed", "assertion `", "AssertionError", "AssertionFailedError"],
        "assertion `left == right` failed", not "assert_eq!(left, right);";
    Failure WordStart ["Segmentation fault", "core dumped", "stack overflow", "out of memory", "Out of memory", "OutOfMemoryError"],
        "Segmentation fault (core dumped)", not "memory: 12 MB";
    Failure WordStart ["undefined reference", "unresolved import", "cannot find symbol", "command not found", "Cannot find module", "Module not found"],
        "a.o: undefined reference to `f'", not "Module found";
    Failure Counted ["failed", "failure", "failures", "error", "errors", "failing", "problems"],
        "4 passed; 1 failed", not "0 errors, 0 failed";
    Failure Labelled ["Failures", "Errors", "failures", "errors", "Failed", "failed", "FAILED", "fatal"],
        "Tests run: 4, Failures: 1", not "ok=3 failed=0";
    Failure LineStart ["not ok ", "✗ ", "✕ ", "× ", "--- FAIL"],
        "not ok 3 - parses", not "ok 4 - parses";
    Failure Any ["exit code ", "exit status ", "exit code: ", "exited with ", "exit value ", "returned non-zero"],
        "process exited with code 1", not "exit codes are listed below";
    Failure WholeWord ["failed to compile", "could not compile", "Compilation failed", "Build failed", "build failed"],
        "error: could not compile `a`", not "compiled";
    Failure Any ["marked build as failure"],
        "Build step 'Execute shell' marked build as failure", not "build";
    PossibleFailure WholeWord ["error", "errors", "Error", "Errors", "exception", "Exception", "failed", "Failed", "failure", "Failure", "failures", "fatal", "Fatal"],
        "the request failed.", not "src/error.rs";
    PossibleFailure WordStart ["cannot ", "Cannot ", "can't ", "could not ", "Could not ", "couldn't ", "unable to ", "Unable to ", "failed to ", "Failed to "],
        "Could not transfer metadata", not "canned";
    PossibleFailure WholeWord ["not found", "No such file", "Permission denied", "denied", "refused", "timed out", "timeout", "Timeout", "unexpected", "Unexpected", "undefined", "invalid", "Invalid", "aborted", "Aborted", "Killed", "missing", "does not exist", "no tests"],
        "a.txt: No such file or directory", not "timeout_ms";
    Warning WordStart ["warning: ", "Warning: ", "WARNING: ", "warning[", "npm WARN", "DeprecationWarning"],
        "warning: unused variable", not "warnings.warn(x)";
    Warning WholeWord ["WARN", "WARNING", "deprecated", "warning"],
        "[WARNING] The POM is missing", not "WARN_UNUSED";
    Outcome Counted ["passed", "passing", "tests", "skipped", "ignored", "warnings", "warning", "examples", "assertions", "succeeded", "insertions(+)", "files changed", "file changed", "packages", "vulnerabilities"],
        "12 passed in 0.3s", not "the test passed";
    Outcome LineStart ["test result:", "Tests run:", "Tests:", "Test Suites:", "Ran ", "Finished ", "Finished:", "Total", "Done in", "Summary", "Found "],
        "test result: ok. 3 passed", not "the test result";
    Outcome WholeWord ["BUILD SUCCESS", "BUILD SUCCESSFUL", "Tests run"],
        "[INFO] BUILD SUCCESS", not "BUILD";
    Routine WholeWord ["INFO", "DEBUG", "TRACE", "[info]", "[debug]", "level=info", "level=debug"],
        "12:00 INFO retry after error", not "INFORM";
    Passed LineEnd ["... ok", "... ignored", "PASSED", "SUCCESS"],
        "test error_handling ... ok", not "it is ok";
    Passed LineStart ["ok ", "PASS ", "✓ ", "✔ ", "√ ", "--- PASS", "PASSED "],
        "✓ throws an error: closed", not "okay";
    Harmless Any ["exit code 0", "exit status 0", "exit code: 0", "exited with 0", "exited with code 0", "exit value 0"],
        "finished with exit code 0", not "exit 0";
    Harmless WordStart ["no error", "No error", "no errors", "No errors", "without error", "without errors", "0 errors", "0 error", "0 failed", "0 failures", "no failures", "error handling", "error message", "error messages", "error code", "errors: 0", "Errors: 0", "failures: 0", "Failures: 0", "failed: 0", "Failed: 0", "failed=0", "errors=0"],
        "finished with no errors", not "10 errors_seen";
}
