//! Counts in a text what a digest of it leaves out because it is one or as expected.

use std::collections::{BTreeMap, BTreeSet};

/// Returns what a digest of a single commit does not count.
pub(super) fn unstated(text: &str) -> BTreeMap<String, BTreeSet<u64>> {
    let commits = text.lines().filter(|line| is_commit(line)).count() as u64;
    let commits = (commits > 0).then(|| ("git log|commit".to_owned(), BTreeSet::from([commits])));
    commits.into_iter().collect()
}

/// Returns true for `commit <40 hex digits>`.
fn is_commit(line: &str) -> bool {
    let hash = line.strip_prefix("commit ").and_then(|rest| rest.get(..40));
    hash.is_some_and(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns the sum of the plans of TAP: `1..12`.
pub(super) fn planned_tests(text: &str) -> u64 {
    let plan = |line: &str| line.strip_prefix("1..")?.split(' ').next()?.parse::<u64>().ok();
    text.lines().filter_map(plan).sum()
}

/// Returns the number of lines that start with `WARNING`.
pub(super) fn warnings(text: &str) -> u64 {
    text.lines().filter(|line| line.starts_with("WARNING")).count() as u64
}

/// Returns the number of modules that webpack built.
pub(super) fn built_modules(text: &str) -> u64 {
    let is_module = |line: &&str| line.trim_start().starts_with("./") && line.contains("[built]");
    text.lines().filter(is_module).count() as u64
}

/// Returns the number of goroutines in stack traces of Go.
pub(super) fn goroutines(text: &str) -> u64 {
    let is_one = |line: &&str| line.starts_with("goroutine ") && line.ends_with("]:");
    text.lines().filter(is_one).count() as u64
}

/// Returns the number of files with problems below their names.
pub(super) fn files_with_problems(text: &str) -> u64 {
    let names: BTreeSet<&str> = text.lines().filter(|line| line.starts_with('/')).collect();
    names.iter().filter(|name| problems_below(text, name) > 0).count() as u64
}

/// Returns the number of HTTP status lines.
pub(super) fn responses(text: &str) -> u64 {
    let bare = |line: &str| line.strip_prefix("< ").unwrap_or(line).starts_with("HTTP/");
    text.lines().filter(|line| bare(line)).count() as u64
}

/// Returns the number of hunks.
pub(super) fn hunks(text: &str) -> u64 {
    text.lines().filter(|line| line.starts_with("@@ -")).count() as u64
}

/// Returns the number of hunks of the file that `path +3 -1, 2 hunks` is about.
pub(super) fn hunks_of_file(text: &str, fact: &str) -> Option<u64> {
    let path = fact.split_once(", ")?.0;
    let path = path.split(" +").next().unwrap_or(path);
    let (mut hunks, mut is_in_file) = (0, false);
    for line in text.lines() {
        if line.starts_with("diff ") {
            is_in_file = line.ends_with(&format!("/{path}"));
        } else if line.starts_with("@@ -") {
            hunks += u64::from(is_in_file);
        }
    }
    Some(hunks)
}

/// Returns true if a line may be of a template, whose `#` and `*` stand for varying words.
pub(super) fn is_of_template(line: &str, template: &str) -> bool {
    let mut rest = line;
    template.split(['#', '*', '…']).all(|part| match rest.split_once(part.trim()) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

/// Returns true if pytest collected this many tests, in one run or two.
pub(super) fn has_collected(text: &str, number: u64) -> bool {
    let collected = |line: &str| line.split_once("collected ")?.1.split(' ').next()?.parse().ok();
    let numbers: Vec<u64> = text.lines().filter_map(collected).collect();
    numbers.iter().any(|one| *one == number || numbers.iter().any(|two| one + two == number))
}

/// Returns the number of results that `go test` prints of this kind.
pub(super) fn go_results(text: &str, noun: &str) -> u64 {
    let count =
        |is_one: &dyn Fn(&str) -> bool| text.lines().filter(|line| is_one(line)).count() as u64;
    let ended = |state: &str| count(&|line: &str| line.trim_start().starts_with(state));
    match noun {
        "passed" => ended("--- PASS: "),
        "failed" => ended("--- FAIL: "),
        "skipped" => ended("--- SKIP: "),
        "package ok" => count(&|line: &str| line.starts_with("ok  \t")),
        "package failed" => count(&|line: &str| line.starts_with("FAIL\t")),
        "without test" => count(&|line: &str| line.ends_with("[no test files]")),
        _ => 0,
    }
}

/// Returns the number of problems below the name of a file, up to a blank line.
pub(super) fn problems_below(text: &str, file: &str) -> u64 {
    let place =
        |line: &str| line.trim_start().split(' ').next()?.split_once(':')?.0.parse::<u64>().ok();
    let is_problem = |line: &str| line.starts_with("  ") && place(line).is_some();
    let (mut problems, mut is_below) = (0, false);
    for line in text.lines() {
        match () {
            () if line == file => is_below = true,
            () if line.trim().is_empty() => is_below = false,
            () => problems += u64::from(is_below && is_problem(line)),
        }
    }
    problems
}

/// Returns true if `12 rows, 3 other lines` are as many as the nonblank lines.
pub(super) fn are_all_lines(text: &str, fact: &str) -> bool {
    let (rows, others) = fact.split_once(" rows").unwrap_or_default();
    let others = others.strip_prefix(", ").and_then(|rest| rest.split_once(" other line"));
    let others = others.map_or("0", |(count, _)| count);
    let sum = rows.parse::<usize>().ok().zip(others.parse::<usize>().ok()).map(|(a, b)| a + b);
    sum == Some(text.lines().filter(|line| !line.trim().is_empty()).count())
}
