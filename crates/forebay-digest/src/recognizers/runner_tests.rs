//! Distinguishing test runners from the output of their tests, and one run from another.

use std::fs;
use std::path::Path;

use crate::{Budget, Hint};

fn digest(raw: &str, command: &str, tokens: u64) -> String {
    let hint = Hint { command: Some(command), failed: true, ..Hint::default() };
    crate::digest(raw.as_bytes(), hint, None, Budget::exactly(tokens)).text
}

/// Checks the digest of an output that is too large to be shown verbatim.
#[track_caller]
fn check(raw: &str, command: &str, has: &[&str], has_not: &[&str]) {
    let text = digest(&format!("{raw}{}", "and what comes after it\n".repeat(200)), command, 220);
    for part in has {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    for part in has_not {
        assert!(!text.contains(part), "{part:?} is in\n{text}");
    }
}

/// Checks the facts of a recorded output, without the quoted lines.
#[track_caller]
fn check_recorded(name: &str, command: &str, has: &[&str], has_not: &[&str]) {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name).with_extension("txt");
    let text = digest(&fs::read_to_string(path).unwrap(), command, 300);
    let facts = text.split("\n… line").next().unwrap();
    for part in has {
        assert!(facts.contains(part), "{part:?} is not in\n{facts}");
    }
    for part in has_not {
        assert!(!facts.contains(part), "{part:?} is in\n{facts}");
    }
}

/// The command names no linter, and the first findings have no word that tells them from other lines.
#[test]
fn counts_all_findings_of_a_script() {
    let line = |number| format!("app/a.py:{number}:1: F401 `os` imported but unused\n");
    let findings: String = (1..=9).map(line).collect();
    let raw = format!("{findings}app/a.py:12:1: ERA001 Found commented-out code\n{findings}");
    let expect =
        ["python lint: 19 errors in 1 file", "F401: 18, app/a.py:1:1 `os`", "ERA001 app/a"];
    check(&raw, "make lint", &expect, &[]);
    let block = "F401 [*] `os` imported but unused\n --> app/a.py:1:8\n  |\n1 | import os\n";
    check(&block.repeat(4), "make lint", &["python lint: 4 errors in 1 file"], &[]);
    let at_margin = block.replace("\n -->", "\n-->");
    check(&at_margin.repeat(4), "make lint", &["python lint: 4 errors in 1 file"], &[]);
    let fixed = "Found 6 errors (2 fixed, 4 remaining).\n";
    let summary = "python lint: 4 errors in 1 file";
    check(&format!("{}{fixed}", block.repeat(4)), "make lint", &[summary], &[]);
    // The test that printed the first result has not ended.
    check_recorded("mocha/two-runs", "./test.sh", &["3 passed, 3 failed"], &["12 passed"]);
}

#[test]
fn separates_cargo_runs() {
    let head = "cargo test: 3 runs, in total 124 passed, 12 failed, 4 skipped";
    check_recorded("cargo/test-twice", "cargo test; cargo test", &[head], &["should panic\n"]);
}

#[test]
fn separates_pytest_runs() {
    let has = ["pytest: 3 runs, in total 30 passed, 4 failed", "(1 passed, 2 failed, 3 tests)"];
    check_recorded("pytest/three-runs", "pytest a; pytest b", &has, &[]);
}

#[test]
fn separates_jest_vitest_and_mocha_runs() {
    let jest = "tests: 2 runs, in total 17 passed, 1 failed, 18 tests (9 passed, 0 failed)";
    check_recorded("jest/workspaces", "npm test --workspaces", &[jest, "p2 only failure"], &[]);
    let vitest = "(2 passed, 3 failed, 1 skipped, 1 todo) (1 passed, 0 failed, 6 skipped)";
    check_recorded("vitest/two-runs", "npm test", &[vitest], &["fake"]);
    let mocha = "(2 passed, 3 failed, 2 skipped) (1 passed, 0 failed)";
    check_recorded("mocha/two-runs", "npm test", &[mocha], &["12 passed"]);
}

#[test]
fn same_go_package_again_starts_another_run() {
    let run = "--- FAIL: TestA (0.00s)\n    a_test.go:3: one\nFAIL\nFAIL\tex.com/m\t0.1s\nFAIL\n";
    let again = format!("{run}ok  \tex.com/m\t0.1s\n");
    check(
        &again,
        "go test ./...; go test ./...",
        &["go test: 2 runs, in total 1 failed"],
        &["0 failed;"],
    );
}

#[test]
fn ignores_results_printed_by_cargo_tests() {
    let head = "cargo test: 62 passed, 6 failed, 2 skipped in 3 test binaries";
    let not = ["foo::bar", "pytest", "\ntests: "];
    check_recorded(
        "cargo/test-prints-results",
        "cargo test",
        &[head, "Error: \"bad thing\""],
        &not,
    );
    let has =
        ["cargo test: 61 passed, 5 failed, 2 skipped", "FAILED tests::res\n  Error: \"bad thing\""];
    check_recorded("cargo/test-nocapture", "cargo test", &has, &not);
}

#[test]
fn ignores_results_printed_by_pytest_tests() {
    for sample in ["pytest/prints-results", "pytest/quiet", "pytest/traceback-line"] {
        let has = ["pytest: 30 passed, 12 failed, 3 errors", "FAILED test_p.py::test_names[a - b]"];
        check_recorded(sample, "pytest", &has, &["tests/foo.py", "cargo test", "test_names[a\n"]);
    }
    let first = "FAILED test_p.py::test_td2\n  OSError: teardown broke\nFAILED test_p.py::test_param[7]\n  AssertionError: x is 7";
    check_recorded("pytest/traceback-line", "pytest --tb=line", &[first], &[]);
}

#[test]
fn ignores_results_printed_by_unittest_tests() {
    let head = "unittest: 42 passed, 3 failed, 2 errors, 1 skipped, 1 expected failure, 1 unexpected success, 48 tests";
    check_recorded(
        "unittest/subtests",
        "python3 -m unittest",
        &[head, "test_sub (i=3)"],
        &["test_zzz"],
    );
}

#[test]
fn ignores_results_printed_by_go_tests() {
    let head =
        "go test: 4 passed, 5 failed, 1 skipped (with subtests); 1 package ok, 3 packages failed";
    check_recorded(
        "go/test-prints-results",
        "go test -v ./...",
        &[head, "go: 2 errors in 1 file"],
        &["TestFake"],
    );
}

#[test]
fn ignores_results_printed_by_ctest_tests() {
    for sample in ["ctest/output-on-failure", "ctest/verbose-disabled"] {
        let has = [
            "ctest: 1 passed, 4 failed, 5 tests",
            "1 disabled",
            "FAILED crash\n  Subprocess aborted\n",
        ];
        check_recorded(sample, "ctest", &has, &["FAILED dis", "12 passed", "cc:", "test 4"]);
    }
}

#[test]
fn ignores_results_printed_by_node_and_jest_tests() {
    let node = "tests: 3 passed, 2 failed, 1 skipped, 1 todo, 7 tests";
    check_recorded(
        "node-test/spec",
        "node --test",
        &[node, "FAILED bad  "],
        &["tap", "FAILED todo", "FAILED suite"],
    );
    let jest = "tests: 5 passed, 5 failed, 1 skipped, 1 todo, 12 tests";
    check_recorded(
        "jest/prints-console",
        "jest",
        &[jest, "  boom"],
        &["Console", "fake", "Received: {"],
    );
}

#[test]
fn ignores_a_cargo_result_line_printed_by_a_test() {
    let printed = "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out";
    let quiet = format!("{}.{printed}\n{printed}\n", "starting\n".repeat(30));
    check(&quiet, "./run.sh", &[], &["cargo test:"]);
    let only_results = format!("{printed}\n").repeat(8);
    check(&only_results, "cargo test | grep result", &["cargo test: 24 passed, 16 failed"], &[]);
}

#[test]
fn separates_maven_and_gradle_runs() {
    let maven = |failed: u32, ended: &str| {
        format!(
            "[INFO] Scanning for projects...\n[INFO] Results:\n[INFO]\n\
             [ERROR] Tests run: 5, Failures: {failed}, Errors: 0, Skipped: 0\n[INFO]\n[INFO] {ended}\n"
        )
    };
    let runs = format!("{}{}", maven(2, "BUILD FAILURE"), maven(0, "BUILD SUCCESS"));
    let has = [
        "maven tests: 2 runs, in total 8 passed, 2 failed, 10 tests (3 passed, 2 failed, 5 tests)",
    ];
    check(&runs, "mvn test; mvn test", &has, &[]);
    let gradle = "> Task :test FAILED\n\nA > adds() FAILED\n\n5 tests completed, 2 failed\n\nBUILD FAILED in 3s\n\
                  > Task :test\n\n5 tests completed, 0 failed\n\nBUILD SUCCESSFUL in 2s\n";
    let has = [
        "gradle tests: 2 runs, in total 8 passed, 2 failed",
        "BUILD FAILED in 3s; BUILD SUCCESSFUL in 2s",
    ];
    check(gradle, "gradle test; gradle test", &has, &[]);
}

#[test]
fn recognizes_a_runner_after_long_test_output() {
    let run = format!(
        "running 1 test\ntest long ... FAILED\n\nfailures:\n\n---- long stdout ----\n{}=== 5 failed, 3 passed in 0.12s ===\n\
         ok  \tex.com/other\t0.1s\n\nfailures:\n    long\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n",
        "what it says\n".repeat(1_000)
    );
    check(&run, "cargo test", &["cargo test: 0 passed, 1 failed"], &["\ngo test:", "pytest:"]);
}

#[test]
fn panic_outside_tests_is_not_a_failing_test() {
    let run = format!(
        "   Compiling app v0.1.0 (/app)\n    Finished `dev` profile\n     Running `target/debug/app`\n{}thread 'main' \
         panicked at src/main.rs:9:13:\ncalled `Option::unwrap()` on a `None` value\n",
        "listening\nloading\n".repeat(20)
    );
    check(&run, "cargo run", &["src/main.rs:9:13", "`None` value"], &["cargo test", "FAILED main"]);
}

#[test]
fn go_subtests_keep_their_messages_and_are_counted() {
    let run = "=== RUN   TestTable\n=== RUN   TestTable/one\n=== RUN   TestTable/two\n    a_test.go:6: bad two\n\
               === RUN   TestTable/drei\n    a_test.go:7: bad drei\n--- FAIL: TestTable (0.00s)\n    \
               --- PASS: TestTable/one (0.00s)\n    --- FAIL: TestTable/two (0.00s)\n    \
               --- FAIL: TestTable/drei (0.00s)\nFAIL\nFAIL\tex.com/m\t0.003s\nFAIL\n";
    let two = "FAILED TestTable/two  a_test.go:6\n  bad two\nFAILED TestTable/drei  a_test.go:7\n  bad drei";
    let head = "go test: 1 passed, 3 failed (with subtests); 0 packages ok, 1 package failed";
    check(run, "go test -v .", &[head, two], &["go: "]);
}

#[test]
fn go_stack_frames_are_not_compiler_errors() {
    let run = "--- FAIL: TestP (0.00s)\npanic: nil map [recovered]\n\tpanic: nil map\n\ngoroutine 6 [running]:\n\
               testing.tRunner.func1()\n\t/usr/lib/go-1.19/src/testing/testing.go:1399 +0x39f\n\
               ex.com/m/sub.TestP(0x0?)\n\t/home/user/project/sub/s_test.go:3 +0x2e\nFAIL\tex.com/m/sub\t0.004s\nFAIL\n";
    check(run, "go test ./...", &["s_test.go:3", "1 package failed"], &["go: ", "errors"]);
}

#[test]
fn reads_failing_tests_from_go_json_events() {
    let has = [
        "go test: 9 passed, 5 failed, 1 skipped",
        "FAILED TestTable/drei/ü  a_test.go:6\n  bad \"drei/ü\"",
    ];
    check_recorded("go/test-json", "go test -json .", &has, &["6 failed"]);
}

#[test]
fn counts_timed_out_tests_as_failed() {
    let run = "    Starting 6 tests across 2 binaries\n        PASS [   0.005s] app tests::a\n  \
               TRY 1 FAIL [   0.004s] app tests::flaky\n  TRY 2 PASS [   0.004s] app tests::flaky\n        \
               FAIL [   0.004s] app tests::bad\n  stdout ───\n\n    running 1 test\n    test tests::bad ... FAILED\n\n    \
               test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 5 filtered out\n\n     \
               TIMEOUT [ 120.000s] app tests::slow\n────────────\n     Summary [ 120.009s] 4 tests run: 2 passed \
               (1 flaky), 1 failed, 1 timed out, 1 skipped\n        FAIL [   0.004s] app tests::bad\n     \
               TIMEOUT [ 120.000s] app tests::slow\nerror: test run failed\n";
    let has = [
        "cargo test: 2 passed, 1 failed, 1 skipped, 1 timed out",
        "FAILED tests::slow\n  timed out",
    ];
    check(run, "cargo nextest run", &has, &["FAILED tests::flaky"]);
}

#[test]
fn phpunit_risky_tests_are_not_failures() {
    let run = "PHPUnit 10.5.2 by Sebastian Bergmann and contributors.\n\nThere was 1 error:\n\n1) Tests\\FooTest::testErr\n\
               Error: Call to undefined method Foo::bar()\n\n/app/tests/FooTest.php:22\n\n--\n\nThere was 1 failure:\n\n\
               1) Tests\\FooTest::testFail\nFailed asserting that 2 matches expected 1.\n\n/app/tests/FooTest.php:15\n\n--\n\n\
               There was 1 risky test:\n\n1) Tests\\FooTest::testRisky\nThis test did not perform any assertions\n\n\
               /app/tests/FooTest.php:30\n\nERRORS!\nTests: 13, Assertions: 10, Errors: 1, Failures: 1, Skipped: 1, \
               Incomplete: 1, Risky: 1.\n";
    let head = "phpunit: 8 passed, 1 failed, 1 error, 1 skipped, 1 incomplete, 1 risky, 13 tests";
    check(
        run,
        "phpunit",
        &[head, "  Error: Call to undefined method Foo::bar()\n"],
        &["FAILED Tests\\FooTest::testRisky"],
    );
}

#[test]
fn counts_rspec_errors_outside_of_examples() {
    let run = "..F*.F\n\nPending: (Failures listed here are expected)\n\n  1) Foo is pending\n     # Later\n     \
               # ./spec/foo_spec.rb:30\n\nFailures:\n\n  1) Foo raises\n     Failure/Error: raise \"x\"\n\n     \
               RuntimeError:\n       x\n     # ./lib/foo.rb:4:in `go'\n\nFinished in 0.0123 seconds\n6 examples, \
               1 failure, 1 pending, 1 error occurred outside of examples\n\nFailed examples:\n\n\
               rspec ./spec/foo_spec.rb:11 # Foo raises\n";
    let has = ["examples: 4 passed, 1 failed, 1 error, 1 skipped, 6 tests", "  RuntimeError: x\n"];
    check(run, "rspec", &has, &["FAILED Foo is pending"]);
    let other = "\n4 examples, 0 failures\n";
    check(&format!("{run}{other}"), "rspec; rspec", &["2 runs, in total 8 passed, 1 failed"], &[]);
}

#[test]
fn ignores_elements_in_xml_comments_and_cdata() {
    let cases = "<testcase classname=\"A\" name=\"z\"/>\n".repeat(20);
    let run = format!(
        "<?xml version=\"1.0\"?>\n<!-- <testcase name=\"old\"><failure message=\"commented\"/>\n</testcase> -->\n\
         <testsuites>\n{cases}<testcase classname=\"A\" name=\"y\"><failure message=\"real\"/></testcase>\n\
         <testcase classname=\"A\" name=\"x\"><system-out><![CDATA[<failure message=\"fake\"/>]]></system-out>\
         </testcase>\n</testsuites>\n"
    );
    let has = ["testcase: 22", "tests: 22, 1 failed, 0 errors, 0 skipped", "FAILED A y  real"];
    check(&run, "cat junit.xml", &has, &["FAILED old", "FAILED A x"]);
}

#[test]
fn shows_the_exception_for_every_language() {
    let thrown = [
        "Exception in thread \"main\" java.lang.IllegalStateException: cannot start",
        "Caused by: com.acme.ConfigException: port missing",
        "TypeError: Cannot read properties of undefined (reading 'id')",
        "panic: runtime error: index out of range [5] with length 3",
        "app.rb:5:in `foo': undefined method `bar' for nil:NilClass (NoMethodError)",
    ];
    let frames =
        "    at call (/app/src/users.js:14:22)\n\tat com.acme.Main.main(Main.java:14)\n".repeat(9);
    let run: String = thrown.iter().map(|line| format!("{frames}{line}\n{frames}")).collect();
    check(&run, "./run.sh", &thrown, &["cargo test"]);
}
