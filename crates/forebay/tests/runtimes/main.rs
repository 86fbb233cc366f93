//! Every language that is installed here, through the real binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what is wrong by failing"
)]

mod samples;
mod stage;

use stage::{Stage, installed};

#[test]
fn hello() {
    let stage = Stage::new();
    for sample in installed() {
        let output = stage.run(sample.language, &["--digest"], sample.hello);
        assert_eq!(output.code, Some(0), "{}: {}", sample.language, output.text());
        assert!(output.text().ends_with("hello\n"), "{}: {}", sample.language, output.text());
    }
}

#[test]
fn an_error_names_the_line_of_the_code() {
    let stage = Stage::new();
    for sample in installed() {
        for options in [&["--digest"][..], &["--digest", "--file", "a.txt"][..]] {
            let output = stage.run(sample.language, options, sample.error);
            let (code, text) = (output.code, output.text());
            assert!(code != Some(0) || sample.language == "fish", "{}: {text}", sample.language);
            assert!(text.contains(sample.error_place), "{} {options:?}: {text}", sample.language);
        }
    }
}

#[test]
fn stdin_is_read() {
    let stage = Stage::new();
    for sample in installed() {
        let options = ["--tee", "--stdin"];
        let output = stage.run_reading(sample.language, &options, sample.echo, b"one\ntwo\n");
        assert_eq!(output.stdout, b"one\ntwo\n", "{}: {}", sample.language, output.text());
    }
}

#[test]
fn files_are_offered_in_the_languages_own_words() {
    let stage = Stage::new();
    for sample in installed() {
        let output = stage.run(sample.language, &["--digest", "--file", "*.txt"], sample.file);
        let text = output.text();
        assert_eq!(output.code, Some(0), "{}: {text}", sample.language);
        assert!(!text.contains("sitecustomize"), "{}: {text}", sample.language);
        assert!(text.contains("alpha") && text.contains("a.txt"), "{}: {text}", sample.language);
        let counts = sample.file.contains("count=");
        assert_eq!(text.contains("count=2"), counts, "{}: {text}", sample.language);
    }
}

#[test]
fn time_is_up() {
    let stage = Stage::new();
    for sample in installed() {
        let options = ["--digest", "--timeout-ms", "1500"];
        let output = stage.run(sample.language, &options, sample.sleep);
        assert_eq!(output.code, Some(124), "{}: {}", sample.language, output.text());
    }
}

#[test]
fn a_large_output_arrives_whole() {
    let stage = Stage::new();
    for sample in installed() {
        let told = stage.run(sample.language, &["--json"], sample.big).json();
        assert_eq!(told["lines"], 50_000, "{}: {told}", sample.language);
        assert_eq!(told["exit"], 0, "{}: {told}", sample.language);
    }
}

#[test]
fn bytes_that_are_no_text_pass_unaltered() {
    let stage = Stage::new();
    for sample in installed() {
        let output = stage.run(sample.language, &["--tee"], sample.bytes);
        assert_eq!(output.stdout, [0xff, 0xfe], "{}: {}", sample.language, output.text());
    }
}

#[test]
fn modules_of_the_project_are_found() {
    let stage = Stage::new();
    stage.write("helper.py", "VALUE = 'from python'\n");
    stage.write("helper.mjs", "export const value = 'from a module';\n");
    stage.write("helper.cjs", "exports.value = 'from require';\n");
    stage.write("helper.rb", "VALUE = 'from ruby'\n");
    for (language, code, expect) in [
        ("python", "import helper\nprint(helper.VALUE)", "from python"),
        ("js", "import { value } from './helper.mjs';\nconsole.log(value)", "from a module"),
        ("js", "console.log((await import('./helper.mjs')).value)", "from a module"),
        ("js", "const { value } = require('./helper.cjs');\nconsole.log(value)", "from require"),
        ("ruby", "require_relative './helper'\nputs VALUE", "from ruby"),
    ] {
        if !forebay_sandbox::runtimes::find(language).unwrap().is_installed("/".as_ref()) {
            continue;
        }
        let output = stage.run(language, &["--digest"], code);
        assert!(output.text().contains(expect), "{language}: {}", output.text());
    }
}

#[test]
fn the_virtual_environment_of_the_project_comes_first() {
    let stage = Stage::new();
    std::fs::create_dir_all(stage.path("app/.venv/bin")).unwrap();
    let python = stage.path("app/.venv/bin/python");
    std::fs::write(&python, "#!/bin/sh\necho venv \"$@\"\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&python, executable).unwrap();
    let output = stage.run("python", &["--digest"], "print(1)");
    assert!(output.text().contains("venv -u"), "{}", output.text());
}

#[test]
fn a_compiled_program_is_kept() {
    let stage = Stage::new();
    let program = "#include <stdio.h>\nint main(void) { puts(__TIME__); }";
    let kept = || std::fs::read_dir(stage.path("data/cache/compiled")).unwrap().count();
    stage.run("c", &["--digest"], program);
    assert_eq!(kept(), 1);
    stage.run("c", &["--digest"], program);
    assert_eq!(kept(), 1);
    stage.run("c", &["--digest"], "int main(void) { return 7; }");
    assert_eq!(kept(), 2);
}

#[test]
fn code_runs_under_the_tightest_profile_too() {
    let stage = Stage::new();
    for sample in installed().iter().filter(|sample| ["c", "perl"].contains(&sample.language)) {
        let output =
            stage.run(sample.language, &["--digest", "--isolation", "strict"], sample.hello);
        assert!(output.text().ends_with("hello\n"), "{}: {}", sample.language, output.text());
    }
}

#[test]
fn an_unknown_language_is_refused() {
    let output = Stage::new().run("cobol", &["--digest"], "DISPLAY 'HI'.");
    assert_eq!(output.code, Some(2), "{}", output.text());
    assert!(output.stderr.contains("unknown language `cobol`"), "{}", output.stderr);
    assert!(output.stderr.contains("python"), "{}", output.stderr);
}

#[test]
fn a_missing_runtime_names_how_to_get_it() {
    let Some(missing) = ["nushell", "julia", "swift", "kotlin"]
        .into_iter()
        .find(|name| !forebay_sandbox::runtimes::find(name).unwrap().is_installed("/".as_ref()))
    else {
        return forebay_test_support::skip("every runtime of the list is installed");
    };
    let output = Stage::new().run(missing, &["--digest"], "print 1");
    let install = forebay_sandbox::runtimes::find(missing).unwrap().install;
    assert!(output.stderr.contains("is not installed here"), "{}", output.stderr);
    assert!(output.stderr.contains(install), "{}", output.stderr);
}

#[test]
fn an_answer_is_no_failure() {
    let stage = Stage::new();
    let output = stage.run("shell", &["--digest"], "grep absent a.txt");
    assert!(output.text().contains("exit 1 (no match)"), "{}", output.text());
    assert_eq!(output.code, Some(1));
    let output = stage.run("shell", &["--digest"], "grep absent a.txt; false");
    assert!(!output.text().contains("(no match)"), "{}", output.text());
}
