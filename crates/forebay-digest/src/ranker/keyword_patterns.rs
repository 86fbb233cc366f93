//! The patterns of the classes of lines, which `build.rs` turns into a table.

/// One pattern per class, in the order of `Class`. Classes of characters and boundaries of words are those of ASCII.
pub(crate) const PATTERNS: [&str; 8] = [
    r"(?i)error|fail|exception|panic|fatal|assert|traceback|undefined|cannot|not found|unable|missing|invalid|abort|denied|timed out|segfault|\bnot ok\b|unexpected|mismatch|could not",
    r"(?i)\berrors?\b ?[:\[(!]|\berror ?:|^error\b|\[error\]|\bFAIL(?:ED|URE|URES)?\b|\bfatal\b|panicked|Traceback|Exception\b|AssertionError|assertion|\*\*\* |\bnot ok\b",
    r"(?i)exited with|exit code|exit status|exit [1-9]|returned a non-zero|non-zero exit|failed with (?:code|status|exit)|Error [0-9]+$|ELIFECYCLE|BUILD FAIL|Build failed|Command failed|##\[error\]|rake aborted|Done\. Your build",
    r"^(?:\$ |travis_fold:|travis_time:|##\[(?:group|section|command)\]|\+ |::group::|>>> |==> )",
    r"(?i)[0-9]+ (?:tests? |specs? |examples?,? |scenarios?,? )?(?:fail|error|problem|offense|issue|warning|assertion|passed|passing|pending)|(?:Fail(?:ed|ures?)|Errors?): *[0-9]|Tests run|Ran [0-9]+|short test summary|FAILED \(|failing",
    r"(?i)warn|deprecat|notice|info\b|debug",
    r"(?i)[A-Za-z0-9_./\\-]+\.[A-Za-z]{1,6}[:(][0-9]+|line [0-9]+",
    r#"^(?:at |File "|from |in |#[0-9]+ |\.\.\. [0-9]+ more|Caused by)"#,
];
