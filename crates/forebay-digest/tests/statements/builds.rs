//! Compilers, make, terraform, CI.

use super::{check, lines};

#[test]
fn counts_short_rustc_diagnostics() {
    let errors = lines(30, |n| format!("src/lib.rs:{n}:5: error[E0425]: cannot find value `x{n}`"));
    let warnings = lines(6, |n| format!("src/lib.rs:{n}:1: warning: unused variable: `y`"));
    let text =
        format!("{errors}{warnings}error: could not compile `small` due to 30 previous errors\n");
    let expected = ["rustc: 30 errors, 6 warnings", "E0425: 30, src/lib.rs:0:5 cannot find value"];
    check("cargo check --message-format=short", &text, 120, &expected, &[]);
}

#[test]
fn counts_json_rustc_diagnostics() {
    let message = |level: &str, code: &str, n: u64| {
        format!(
            "{{\"reason\":\"compiler-message\",\"message\":{{\"rendered\":\"{level}: message {n}\\n --> \
             src/lib.rs:{n}:5\\n\",\"children\":[{{\"level\":\"error\",\"code\":null}}],\"level\":\"{level}\",\
             \"code\":{{\"code\":\"{code}\",\"explanation\":null}}}}}}"
        )
    };
    let text = lines(20, |n| message("warning", "unused", n))
        + &lines(3, |n| message("error", "E0308", n))
        + "{\"reason\":\"build-finished\",\"success\":false}\n";
    let expected =
        ["rustc: 3 errors, 20 warnings", "src/lib.rs:2:5 error: message 2", "success: false"];
    check("cargo build --message-format=json", &text, 200, &expected, &["diagnostics"]);
}

#[test]
fn names_a_fatal_error_by_its_message() {
    let text = lines(60, |n| format!("cc -c file{n}.c"))
        + "app.c:1:10: fatal error: missing.h: No such file or directory\n\
           util.c:2:3: error: 'x' undeclared\n";
    check(
        "gcc app.c",
        &text,
        90,
        &["2 errors"],
        &["error: missing.h: No such file or directory: 1"],
    );
}

#[test]
fn names_failed_make_targets_but_not_their_callers() {
    let text = lines(60, |n| format!("cc -c file{n}.c"))
        + "make[2]: *** [build.make:76: app.c.o] Error 1\n\
           make[2]: *** [build.make:90: util.c.o] Error 1\n\
           make[2]: Target 'build' not remade because of errors.\n\
           make[1]: *** [Makefile2:85: all] Error 2\n\
           make: *** Waiting for unfinished jobs....\n\
           make: *** [Makefile:101: all] Error 2\n";
    let expected =
        ["2 targets failed: [build.make:76: app.c.o] Error 1, [build.make:90: util.c.o] Error 1"];
    check("make -k", &text, 120, &expected, &["3 targets"]);
}

#[test]
fn distinguishes_terraform_plan_from_apply() {
    let created = lines(20, |n| {
        format!("  # aws_s3.b{n} will be created\n  + resource \"s3\" \"b{n}\" {{\n    }}")
    });
    let text = format!(
        "Terraform will perform the following actions:\n\n{created}      + data = <<-EOT\n            # aws_fake.x \
         will be destroyed\n        EOT\n\nPlan: 20 to add, 0 to change, 0 to destroy.\n"
    );
    check(
        "terraform plan",
        &text,
        90,
        &["20 to create"],
        &["created,", "1 to destroy", "aws_fake.x,"],
    );
    let applied = format!("{text}Apply complete! Resources: 20 added, 0 changed, 0 destroyed.\n");
    check("terraform apply", &applied, 90, &["20 created"], &[]);
}

#[test]
fn reads_ci_job_logs_behind_their_prefix() {
    let prefixed = |n: u64, text: &str| {
        format!("build\tRun tests\t2026-03-01T10:{:02}:{:02}.1234567Z {text}", n / 60, n % 60)
    };
    let text = lines(60, |n| prefixed(n, &format!("step {n} of the build")))
        + &prefixed(60, "##[group]Run make test")
        + "\n"
        + &prefixed(61, "src/a.c:3:5: error: bad thing")
        + "\n"
        + &prefixed(62, "##[error]Process completed with exit code 1.")
        + "\n";
    let expected = ["CI failed", "Run make test", "\nsrc/a.c:3:5: error: bad thing"];
    check("gh run view 1 --log", &text, 120, &expected, &["2026-03-01T10:01:01"]);
}

#[test]
fn diagnostics_of_other_tools_are_not_of_rustc() {
    let text = "warning: `select` is deprecated in favour of `lint.select`\n".to_owned()
        + &lines(40, |n| {
            format!(
                "F401 [*] `os` imported but unused\n --> app/a{n}.py:1:8\n  |\n1 | import os\n  |        ^^\n"
            )
        });
    check("ruff check", &text, 90, &["python lint: 40 errors in 40 files"], &["rustc"]);
}

#[test]
fn a_frame_of_a_native_library_is_not_where_a_test_failed() {
    let noise = lines(60, |n| format!(" ✓ src/file_{n}.test.ts (1 test)"));
    let text = format!(
        " RUN  v3.0.0 /app\n\n{noise}\n⎯⎯⎯ Failed Tests 1 ⎯⎯⎯\n\n FAIL  src/a.test.ts > adds\nError: boom\n    at \
         __libc_start_call_main (../sysdeps/nptl/libc_start_call_main.h:58)\n ❯ src/a.test.ts:12:3\n\n Test \
         Files  1 failed | 60 passed (61)\n      Tests  1 failed | 60 passed (61)\n"
    );
    check("vitest run", &text, 90, &["src/a.test.ts:12"], &["libc_start_call_main.h:58\n  "]);
}

#[test]
fn problems_below_their_file_are_told_with_file_place_and_message() {
    let eslint = "/app/src/a.js\n".to_owned()
        + &lines(60, |n| {
            format!("  {}:5  error  Unexpected var, use let or const instead  no-var", n + 1)
        });
    let expected = ["no-var: 60, /app/src/a.js:1:5 Unexpected var"];
    check("eslint .", &eslint, 120, &expected, &[]);
    let ruff = lines(40, |n| {
        format!(
            "F401 [*] `os` imported but unused\n --> app/a{n}.py:1:8\n  |\n1 | import os\n  |        ^^\n"
        )
    });
    check("ruff check", &ruff, 120, &["F401: 40, app/a0.py:1:8 `os` imported but unused"], &[]);
}

#[test]
fn counts_results_before_the_first_failure() {
    let passed = lines(400, |n| format!("ok {} - test", n + 1));
    let text = format!("{passed}not ok 401 - bad\n1..401\n");
    check("./run", &text, 90, &["tap: 400 passed, 1 failed"], &[]);
    let cut = lines(30, |n| format!("ok {} - test", n + 371)) + "not ok 401 - bad\n1..401\n";
    check("tail out.tap", &cut, 60, &[], &["0 passed", "30 passed", "1 test"]);
}

#[test]
fn steps_of_a_web_build_are_no_packages() {
    let routes = lines(60, |n| format!("├ ○ /page{n}                     1.{n} kB         101 kB"));
    let text = format!(
        "   ▲ Next.js 15.3.2\n   Creating an optimized production build ...\n ✓ Compiled successfully in 2000ms\n   \
         Collecting page data ...\n   Collecting build traces ...\n   Collecting garbage...\n{routes}"
    );
    check("npx next build", &text, 120, &[], &["collected", "packages:"]);
    let collected = lines(60, |n| format!("Collecting package{n}>=1.{n} (from app)"));
    check("pip install app", &collected, 90, &["packages: 60 collected"], &[]);
}
