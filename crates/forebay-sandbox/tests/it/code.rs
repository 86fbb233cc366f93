//! Running code: engine lookup, staging, compilation, cleanup.

use std::path::Path;

use forebay_domain::run::Ending;
use forebay_sandbox::{Code, Program, RunError, RunSpec, runtimes};

use crate::fixture::{run_error, run_spec, short_lived};

fn code(language: &str, text: &str, compiled: &Path) -> RunSpec {
    let code = Code {
        runtime: runtimes::find(language).unwrap(),
        text: text.to_owned(),
        files: Vec::new(),
        binary_cache: Some(compiled.to_owned()),
    };
    RunSpec::new(Program::Code(code), "/".into())
}

fn python(text: &str) -> RunSpec {
    code("python", text, Path::new("/no/such"))
}

#[test]
fn runs_long_code_from_a_file() {
    let long = format!("# {}\n", "x".repeat(90)).repeat(20_000);
    let spec = code("bash", &format!("{long}echo ran"), Path::new("/no/such"));
    assert_eq!(run_spec(&spec).text(), "ran\n");
}

#[test]
fn does_not_expand_placeholders_in_the_code() {
    let spec = code("bash", "echo '{cwd} {prelude-args} {code}'", Path::new("/no/such"));
    assert_eq!(run_spec(&spec).text(), "{cwd} {prelude-args} {code}\n");
}

#[test]
fn rejects_blank_code_and_nul_bytes() {
    assert!(matches!(run_error(&python(" \n")), RunError::EmptyCommand));
    assert!(matches!(run_error(&python("print(1)\0")), RunError::NulByte));
}

#[test]
fn removes_the_script_after_the_run() {
    let folder = |spec: &RunSpec| {
        let run = run_spec(spec);
        let path = run.text().trim().to_owned();
        assert!(path.contains("forebay-"), "{path}");
        assert!(!Path::new(&path).exists(), "{path}");
        run.finished.ending
    };
    assert_eq!(folder(&python("print(__file__)")), Ending::Exited(0));
    let mut endless = short_lived(python("print(__file__)\nimport time\ntime.sleep(1000)"));
    endless.timeout *= 4;
    assert_eq!(folder(&endless), Ending::TimedOut);
}

#[test]
fn compiler_errors_are_the_output_and_nothing_is_cached() {
    let cache = tempfile::tempdir().unwrap();
    let run = run_spec(&code("c", "int main(void) {\nreturn no_such_name; }", cache.path()));
    assert_eq!(run.finished.ending, Ending::Exited(1));
    assert!(run.text().contains("script.c:2:"), "{}", run.text());
    assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 0);
}

#[test]
fn compiles_a_program_once() {
    let root = tempfile::tempdir().unwrap();
    let cache = root.path().join("compiled");
    let spec = code("c", "int main(void) { return 7; }", &cache);
    for _ in 0..2 {
        assert_eq!(run_spec(&spec).finished.ending, Ending::Exited(7));
        assert_eq!(std::fs::read_dir(&cache).unwrap().count(), 1);
    }
    let mode = std::os::unix::fs::PermissionsExt::mode(&cache.metadata().unwrap().permissions());
    assert_eq!(mode & 0o077, 0);
}

#[test]
fn recompiles_a_program_that_includes_a_project_file() {
    let root = tempfile::tempdir().unwrap();
    let cache = root.path().join("compiled");
    let mut spec = code("c", "#include \"answer.h\"\nint main(void) { return ANSWER; }", &cache);
    spec.cwd = root.path().to_owned();
    for answer in [3, 4] {
        std::fs::write(root.path().join("answer.h"), format!("#define ANSWER {answer}\n")).unwrap();
        assert_eq!(run_spec(&spec).finished.ending, Ending::Exited(answer));
    }
    assert!(!cache.exists());
}
