//! Code in a language: found, staged, compiled, cleaned away.

use std::path::Path;

use forebay_domain::run::Ending;
use forebay_sandbox::{Code, Program, RunError, RunSpec, runtimes};

use crate::stage::{ran, refused, short_lived};

fn code(language: &str, text: &str, compiled: &Path) -> RunSpec {
    let code = Code {
        runtime: runtimes::find(language).unwrap(),
        text: text.to_owned(),
        files: Vec::new(),
        compiled: compiled.to_owned(),
    };
    RunSpec::new(Program::Code(code), "/".into())
}

fn python(text: &str) -> RunSpec {
    code("python", text, Path::new("/no/such"))
}

#[test]
fn a_text_that_is_no_argument_runs_from_a_file() {
    let long = format!("# {}\n", "x".repeat(90)).repeat(20_000);
    let spec = code("bash", &format!("{long}echo ran"), Path::new("/no/such"));
    assert_eq!(ran(&spec).text(), "ran\n");
}

#[test]
fn what_stands_in_the_code_is_not_filled_in() {
    let spec = code("bash", "echo '{cwd} {load} {code}'", Path::new("/no/such"));
    assert_eq!(ran(&spec).text(), "{cwd} {load} {code}\n");
}

#[test]
fn code_with_nothing_or_nul_in_it_is_refused() {
    assert!(matches!(refused(&python(" \n")), RunError::EmptyCommand));
    assert!(matches!(refused(&python("print(1)\0")), RunError::NulByte));
}

#[test]
fn the_script_is_gone_after_the_run_whatever_its_end() {
    let folder = |spec: &RunSpec| {
        let ran = ran(spec);
        let path = ran.text().trim().to_owned();
        assert!(path.contains("forebay-"), "{path}");
        assert!(!Path::new(&path).exists(), "{path}");
        ran.finished.ending
    };
    assert_eq!(folder(&python("print(__file__)")), Ending::Exited(0));
    let mut endless = short_lived(python("print(__file__)\nimport time\ntime.sleep(1000)"));
    endless.timeout *= 4;
    assert_eq!(folder(&endless), Ending::TimedOut);
}

#[test]
fn a_compilers_complaint_is_the_output_and_nothing_is_kept() {
    let cache = tempfile::tempdir().unwrap();
    let ran = ran(&code("c", "int main(void) {\nreturn no_such_name; }", cache.path()));
    assert_eq!(ran.finished.ending, Ending::Exited(1));
    assert!(ran.text().contains("script.c:2:"), "{}", ran.text());
    assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 0);
}

#[test]
fn a_compiled_program_is_made_once_and_gives_its_code() {
    let root = tempfile::tempdir().unwrap();
    let cache = root.path().join("compiled");
    let spec = code("c", "int main(void) { return 7; }", &cache);
    for _ in 0..2 {
        assert_eq!(ran(&spec).finished.ending, Ending::Exited(7));
        assert_eq!(std::fs::read_dir(&cache).unwrap().count(), 1);
    }
    let mode = std::os::unix::fs::PermissionsExt::mode(&cache.metadata().unwrap().permissions());
    assert_eq!(mode & 0o077, 0);
}

#[test]
fn a_program_that_draws_in_a_file_follows_it() {
    let root = tempfile::tempdir().unwrap();
    let cache = root.path().join("compiled");
    let mut spec = code("c", "#include \"answer.h\"\nint main(void) { return ANSWER; }", &cache);
    spec.cwd = root.path().to_owned();
    for answer in [3, 4] {
        std::fs::write(root.path().join("answer.h"), format!("#define ANSWER {answer}\n")).unwrap();
        assert_eq!(ran(&spec).finished.ending, Ending::Exited(answer));
    }
    assert!(!cache.exists());
}
