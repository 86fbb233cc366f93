//! Tests of comparisons.

use proptest::prelude::*;

use super::*;

fn compared(before: &str, after: &str) -> Comparison {
    let hint = Hint { command: Some("cargo test"), ..Hint::default() };
    compare(before.as_bytes(), after.as_bytes(), hint).unwrap()
}

/// An output of `cargo test` in which these tests have these outcomes.
fn cargo_test(tests: &[(&str, &str)]) -> String {
    let count = |outcome: &str| tests.iter().filter(|(_, found)| *found == outcome).count();
    let lines: String =
        tests.iter().map(|(name, outcome)| format!("test {name} ... {outcome}\n")).collect();
    let failed: Vec<&str> =
        tests.iter().filter(|(_, found)| *found == "FAILED").map(|(name, _)| *name).collect();
    let details: String = failed
        .iter()
        .map(|name| {
            format!(
                "---- {name} stdout ----\nthread '{name}' panicked at src/lib.rs:3:5:\nboom\n\n"
            )
        })
        .collect();
    let list: String = failed.iter().map(|name| format!("    {name}\n")).collect();
    let verdict = if failed.is_empty() { "ok" } else { "FAILED" };
    let failures = if failed.is_empty() {
        String::new()
    } else {
        format!("\nfailures:\n\n{details}\nfailures:\n{list}")
    };
    format!(
        "running {} tests\n{lines}{failures}\ntest result: {verdict}. {} passed; {} failed; {} ignored; \
         0 measured; 0 filtered out; finished in 0.0{}s\n",
        tests.len(),
        count("ok"),
        count("FAILED"),
        count("ignored"),
        tests.len() % 10,
    )
}

fn tests_of(before: &[(&str, &str)], after: &[(&str, &str)]) -> TestChange {
    compared(&cargo_test(before), &cargo_test(after)).tests.unwrap()
}

#[test]
fn tells_new_fixed_and_still_failing_tests() {
    let before =
        [("a::one", "FAILED"), ("a::two", "FAILED"), ("a::three", "ok"), ("a::four", "ok")];
    let after = [("a::one", "ok"), ("a::two", "FAILED"), ("a::three", "FAILED"), ("a::four", "ok")];
    let change = tests_of(&before, &after);
    assert_eq!(change.new_failures, ["a::three"]);
    assert_eq!(change.still_failing, ["a::two"]);
    assert_eq!(change.fixed, ["a::one"]);
    assert!(change.not_reported.is_empty() && change.counts.is_empty(), "{change:?}");
}

#[test]
fn a_test_that_was_removed_renamed_ignored_or_not_run_is_not_fixed() {
    let before = [("a::one", "FAILED"), ("a::two", "ok")];
    let removed = tests_of(&before, &[("a::two", "ok")]);
    assert_eq!(removed.not_reported, ["a::one"]);
    assert_eq!(removed.counts, [("failed", 1, 0)]);
    let renamed =
        tests_of(&before, &[("a::one_more", "ok"), ("a::two", "ok"), ("b::a::one", "ok")]);
    assert_eq!((renamed.fixed.len(), renamed.not_reported.len()), (0, 1), "{renamed:?}");
    let ignored = tests_of(&before, &[("a::one", "ignored"), ("a::two", "ok")]);
    assert_eq!(ignored.skipped, ["a::one"]);
    let subset = tests_of(&before, &[("c::other", "FAILED")]);
    assert_eq!(
        (&*subset.new_failures, &*subset.not_reported),
        (&["c::other".to_owned()][..], &["a::one".to_owned()][..])
    );
}

#[test]
fn an_output_without_its_end_claims_nothing_about_missing_tests() {
    let whole = cargo_test(&[("a::one", "FAILED"), ("a::two", "ok")]);
    let cut = &whole[..whole.find("test result").unwrap()];
    for (before, after) in [(whole.as_str(), cut), (cut, whole.as_str()), (cut, cut)] {
        let tests = compared(before, after).tests.unwrap_or_default();
        assert!(tests.fixed.is_empty() && tests.not_reported.is_empty(), "{tests:?}");
        assert!(tests.new_failures.is_empty(), "{tests:?}");
    }
}

#[test]
fn volatile_parts_and_order_are_no_changes() {
    let before = "start 2026-11-18T05:32:42Z\nread /tmp/a1/x in 3 ms\ndone\n";
    let after = "start 2026-11-19T05:00:00Z\nread /tmp/b2/x in 17 ms\ndone\n";
    let change = compared(before, after).lines;
    assert_eq!(change.sameness, Sameness::ExceptVolatile);
    assert_eq!(change.added.count, 2, "the lines with other times are quoted");
    assert_eq!(compared("a\nb\nb\n", "b\na\nb\n").lines.sameness, Sameness::Reordered);
    let change = compared("a\nb\nb\n", "a\nb\nc\n").lines;
    assert_eq!(
        (change.added.quoted, change.removed.quoted),
        (vec!["c".to_owned()], vec!["b".to_owned()])
    );
}

#[test]
fn a_line_that_both_texts_have_is_not_quoted_for_a_similar_one() {
    let change = compared("retry in 5 s\n", "retry in 7 s\nretry in 5 s\n").lines;
    assert_eq!((change.added.quoted, change.added.count), (vec!["retry in 7 s".to_owned()], 1));
    assert_eq!(change.removed.count, 0);
}

#[test]
fn binary_data_is_not_compared() {
    assert_eq!(compare(b"\x7fELF\x02\x01\0\0\xff\xfe", b"text\n", Hint::default()), None);
}

proptest! {
    #[test]
    fn differences_account_for_every_line(
        before in prop::collection::vec("[ab]{0,2}", 0..30),
        after in prop::collection::vec("[ab]{0,2}", 0..30),
    ) {
        let (old, new) = (before.join("\n"), after.join("\n"));
        let change = compared(&old, &new).lines;
        let lines = |text: &str| text.lines().filter(|line| !line.is_empty()).count() as u64;
        prop_assert_eq!(lines(&old) + change.added.count, lines(&new) + change.removed.count);
        prop_assert_eq!(change.sameness == Sameness::Identical, old == new);
    }

    #[test]
    fn any_bytes_are_compared(before: Vec<u8>, after: Vec<u8>) {
        if let Some(own) = compare(&before, &before, Hint::default()) {
            prop_assert_eq!(own.lines.sameness, Sameness::Identical);
        }
        let _ = compare(&before, &after, Hint::default());
    }
}
