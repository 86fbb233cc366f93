//! Test runners: what a test or another tool prints is not a result.

use super::{check, lines};

#[test]
fn a_problem_of_a_linter_is_not_a_failing_test() {
    let lint = lines(28, |n| format!("  {n}:3  warning  Unexpected var  no-var"));
    let text = format!(
        "Test Suites: 1 passed, 1 total\n/src/app.js\n{lint}\n✖ 28 problems (0 errors, 28 warnings)\n"
    );
    check("npm test; npx eslint", &text, 120, &[], &["failing tests", "FAILED 28 problems"]);
}

#[test]
fn results_of_a_plan_are_numbered_in_order() {
    let file =
        |first: u64| format!("1..30\n{}", lines(30, |n| format!("ok {} parses {n}", n + first)));
    let text = format!("{}{}", file(1), file(1));
    check("prove -v t", &text, 90, &["tap: 60 passed"], &[]);
    let printed =
        format!("1..40\n{}not ok 1 - printed\n", lines(30, |n| format!("ok {} a", n + 1)));
    check("prove -v t; node --test", &printed, 90, &[], &["1 failed", "31 tests"]);
}

#[test]
fn results_before_the_version_of_tap_are_printed_by_something_else() {
    let results = lines(40, |n| format!("ok {} - parses {n}", n + 1));
    let text = format!("not ok 1 - fake\nTAP version 13\n{results}1..40\n");
    check("node app.js; node --test", &text, 90, &["tap: 40 passed"], &["FAILED", "1 failed"]);
}

#[test]
fn results_among_the_output_of_tests_are_doubtful_without_a_summary() {
    let results = lines(60, |n| format!("test a::b{n} ... ok"));
    let mixed = "test a::c ... printed by a test\ntest foo::bar ... FAILED\n";
    let text = format!("running 90 tests\n{results}{mixed}");
    check("cargo test -- --nocapture", &text, 90, &[], &["failing tests so far", "FAILED foo"]);
    let unmixed = format!("running 90 tests\n{results}test foo::bar ... FAILED\n");
    check("cargo test", &unmixed, 90, &["failing tests so far: 1"], &[]);
}

#[test]
fn packages_that_were_collected_are_no_tests() {
    let title = |text: &str| format!("{text:=^80}\n");
    let session = title(" test session starts ") + "collected 30 items\n\n";
    let progress = lines(60, |n| format!("tests/test_{n}.py .."));
    let summary = title(" 28 passed, 2 failed in 0.31s ");
    let text =
        format!("{session}{progress}{summary}Installing collected packages: a4, click, 7 more\n");
    check("pytest; bash ci.sh", &text, 90, &["28 passed, 2 failed, 30 tests"], &["4 tests"]);
}

#[test]
fn fewer_tests_than_results_are_of_another_session() {
    let title = |text: &str| format!("{text:=^80}\n");
    let session = title(" test session starts ") + "collected 3 items\n\n";
    let progress = lines(60, |n| format!("tests/test_{n}.py .."));
    let text = format!("{session}{progress}{}", title(" 28 passed, 2 failed in 0.31s "));
    check("pytest", &text, 90, &["28 passed, 2 failed"], &["3 tests"]);
}

#[test]
fn the_reason_of_a_failing_gradle_test_is_indented() {
    let noise = lines(60, |n| format!("> Task :step{n} UP-TO-DATE"));
    let text = format!(
        "{noise}PriceTest > list FAILED\n    expected:<3> but was:<4>\n/src/Cart.java:5: error: bad\n   Cart cart = \
         new Cart();\n\nBUILD FAILED in 16s\n"
    );
    check(
        "gradle build",
        &text,
        150,
        &["expected:<3> but was:<4>"],
        &["<4>; Cart cart", "<4>; /src"],
    );
}

#[test]
fn the_announcement_of_tests_is_seen_whatever_the_command_is() {
    let results = lines(137, |n| format!("test a::b{n} ... ok"));
    let failures = lines(4, |n| format!("test a::bad{n} ... FAILED"));
    let printed = lines(4, |n| format!("---- a::bad{n} stdout ----\nassertion failed: {n}\n"));
    let list = lines(4, |n| format!("    a::bad{n}"));
    let text = format!(
        "\nrunning 141 tests\n{results}{failures}\nfailures:\n\n{printed}\nfailures:\n{list}\ntest result: FAILED. 137 \
         passed; 4 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.13s\n"
    );
    check("cat out.txt; test 1 = 0", &text, 120, &["cargo test: 137 passed, 4 failed"], &[]);
}
