//! Runs code in every installed language through the real binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests report failures by panicking"
)]

mod env;
mod samples;

use env::{TestEnv, installed};
use forebay_sandbox::WritableByRuns;

#[test]
fn hello_world_runs() {
    let env = TestEnv::new();
    for sample in installed() {
        let output = env.run(sample.language, &["--digest"], sample.hello);
        assert_eq!(output.code, Some(0), "{}: {}", sample.language, output.text());
        assert!(output.text().ends_with("hello\n"), "{}: {}", sample.language, output.text());
    }
}

#[test]
fn error_names_the_source_line() {
    let env = TestEnv::new();
    for sample in installed() {
        for options in [&["--digest"][..], &["--digest", "--file", "a.txt"][..]] {
            let output = env.run(sample.language, options, sample.error);
            let (code, text) = (output.code, output.text());
            assert!(code != Some(0) || sample.language == "fish", "{}: {text}", sample.language);
            assert!(
                text.contains(sample.error_location),
                "{} {options:?}: {text}",
                sample.language
            );
        }
    }
}

#[test]
fn stdin_is_read() {
    let env = TestEnv::new();
    for sample in installed() {
        let options = ["--tee", "--stdin"];
        let output = env.run_with_stdin(sample.language, &options, sample.echo, b"one\ntwo\n");
        assert_eq!(output.stdout, b"one\ntwo\n", "{}: {}", sample.language, output.text());
    }
}

#[test]
fn files_are_available_as_variables() {
    let env = TestEnv::new();
    for sample in installed() {
        let output = env.run(sample.language, &["--digest", "--file", "*.txt"], sample.file);
        let text = output.text();
        assert_eq!(output.code, Some(0), "{}: {text}", sample.language);
        assert!(!text.contains("sitecustomize"), "{}: {text}", sample.language);
        assert!(text.contains("alpha") && text.contains("a.txt"), "{}: {text}", sample.language);
        let has_count = sample.file.contains("count=");
        assert_eq!(text.contains("count=2"), has_count, "{}: {text}", sample.language);
    }
}

#[test]
fn timeout_ends_the_run() {
    let env = TestEnv::new();
    for sample in installed() {
        let options = ["--digest", "--timeout-ms", "1500"];
        let output = env.run(sample.language, &options, sample.sleep);
        assert_eq!(output.code, Some(124), "{}: {}", sample.language, output.text());
    }
}

#[test]
fn large_output_is_stored_in_full() {
    let env = TestEnv::new();
    for sample in installed() {
        let report = env.run(sample.language, &["--json"], sample.big).json();
        assert_eq!(report["lines"], 50_000, "{}: {report}", sample.language);
        assert_eq!(report["exit"], 0, "{}: {report}", sample.language);
    }
}

#[test]
fn binary_output_is_unaltered() {
    let env = TestEnv::new();
    for sample in installed() {
        let output = env.run(sample.language, &["--tee"], sample.bytes);
        assert_eq!(output.stdout, [0xff, 0xfe], "{}: {}", sample.language, output.text());
    }
}

#[test]
fn project_modules_can_be_imported() {
    let env = TestEnv::new();
    env.write("helper.py", "VALUE = 'from python'\n");
    env.write("helper.mjs", "export const value = 'from a module';\n");
    env.write("helper.cjs", "exports.value = 'from require';\n");
    env.write("helper.rb", "VALUE = 'from ruby'\n");
    for (language, code, expect) in [
        ("python", "import helper\nprint(helper.VALUE)", "from python"),
        ("js", "import { value } from './helper.mjs';\nconsole.log(value)", "from a module"),
        ("js", "console.log((await import('./helper.mjs')).value)", "from a module"),
        ("js", "const { value } = require('./helper.cjs');\nconsole.log(value)", "from require"),
        ("ruby", "require_relative './helper'\nputs VALUE", "from ruby"),
    ] {
        if !forebay_sandbox::runtimes::find(language)
            .unwrap()
            .is_installed("/".as_ref(), &WritableByRuns::default())
        {
            continue;
        }
        let output = env.run(language, &["--digest"], code);
        assert!(output.text().contains(expect), "{language}: {}", output.text());
    }
}

#[test]
fn project_virtual_environment_is_preferred() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.path("app/.venv/bin")).unwrap();
    let python = env.path("app/.venv/bin/python");
    std::fs::write(&python, "#!/bin/sh\necho venv \"$@\"\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&python, executable).unwrap();
    let output = env.run("python", &["--digest"], "print(1)");
    assert!(output.text().contains("venv -u"), "{}", output.text());
}

#[test]
fn compiled_programs_are_cached() {
    let env = TestEnv::new();
    let program = "#include <stdio.h>\nint main(void) { puts(__TIME__); }";
    let cached_programs = || std::fs::read_dir(env.path("data/cache/compiled")).unwrap().count();
    env.run("c", &["--digest"], program);
    assert_eq!(cached_programs(), 1);
    env.run("c", &["--digest"], program);
    assert_eq!(cached_programs(), 1);
    env.run("c", &["--digest"], "int main(void) { return 7; }");
    assert_eq!(cached_programs(), 2);
}

#[test]
fn a_purge_leaves_no_compiled_program() {
    let env = TestEnv::new();
    env.run("c", &["--digest"], "int main(void) { return 0; }");
    assert!(env.path("data/cache/compiled").exists());
    env.purge_everything();
    assert!(!env.path("data/cache/compiled").exists());
}

#[test]
fn code_runs_under_the_strict_profile() {
    let env = TestEnv::new();
    for sample in installed().iter().filter(|sample| ["c", "perl"].contains(&sample.language)) {
        let output = env.run(sample.language, &["--digest", "--isolation", "strict"], sample.hello);
        assert!(output.text().ends_with("hello\n"), "{}: {}", sample.language, output.text());
    }
}

#[test]
fn an_unknown_language_is_refused() {
    let output = TestEnv::new().run("cobol", &["--digest"], "DISPLAY 'HI'.");
    assert_eq!(output.code, Some(2), "{}", output.text());
    assert!(output.stderr.contains("unknown language `cobol`"), "{}", output.stderr);
    assert!(output.stderr.contains("python"), "{}", output.stderr);
}

#[test]
fn missing_runtime_error_says_how_to_install_it() {
    let Some(missing) = ["nushell", "julia", "swift", "kotlin"].into_iter().find(|name| {
        !forebay_sandbox::runtimes::find(name)
            .unwrap()
            .is_installed("/".as_ref(), &WritableByRuns::default())
    }) else {
        return forebay_test_support::skip("every runtime of the list is installed");
    };
    let output = TestEnv::new().run(missing, &["--digest"], "print 1");
    let install = forebay_sandbox::runtimes::find(missing).unwrap().install;
    assert!(output.stderr.contains("is not installed here"), "{}", output.stderr);
    assert!(output.stderr.contains(install), "{}", output.stderr);
}

#[test]
fn expected_nonzero_exit_is_explained() {
    let env = TestEnv::new();
    let output = env.run("shell", &["--digest"], "grep absent a.txt");
    assert!(output.text().contains("exit 1 (no match)"), "{}", output.text());
    assert_eq!(output.code, Some(1));
    let output = env.run("shell", &["--digest"], "grep absent a.txt; false");
    assert!(!output.text().contains("(no match)"), "{}", output.text());
}
