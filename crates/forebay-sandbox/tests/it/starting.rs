//! What a process gets at its start, and which runs are rejected.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;

use forebay_domain::run::Ending;
use forebay_sandbox::RunError;

use crate::fixture::{argv, in_directory, run_error, run_spec, shell, with_env};

#[test]
fn passes_arguments_unchanged() {
    let text = "a  b 'c' \"d\" $HOME";
    assert_eq!(run_spec(&argv(&["printf", "%s", text])).text(), text);
}

#[test]
fn shell_parses_the_line_once() {
    assert_eq!(run_spec(&shell("printf '%s' \"a  b\"")).text(), "a  b");
    assert_eq!(run_spec(&shell("x='$HOME'; printf '%s' \"$x\" | tr a-z A-Z")).text(), "$HOME");
}

#[test]
fn line_with_a_leading_dash_is_not_an_option() {
    let run = run_spec(&shell("-x; echo $?"));
    assert_eq!(run.output.stdout, b"127\n");
}

#[test]
fn shell_is_bash() {
    assert_eq!(run_spec(&shell("[[ a == a ]] && printf $0")).text(), "bash");
}

#[test]
fn falls_back_to_sh_without_bash() {
    let only_sh = tempfile::tempdir().unwrap();
    symlink("/bin/sh", only_sh.path().join("sh")).unwrap();
    let spec = with_env(shell("printf $0"), "PATH", only_sh.path().to_str().unwrap());
    assert_eq!(run_spec(&spec).text(), "sh");
}

#[test]
fn reports_a_missing_shell() {
    let error = run_error(&with_env(shell("true"), "PATH", "/no/such"));
    assert!(matches!(&error, RunError::NotFound(program) if program == "bash or sh"), "{error}");
}

#[test]
fn adds_variables_to_the_environment() {
    let spec = with_env(shell("printf \"$WATER:${PATH:+inherited}\""), "WATER", "clear = yes");
    assert_eq!(run_spec(&spec).text(), "clear = yes:inherited");
}

#[test]
fn runs_in_its_directory() {
    let home = tempfile::tempdir().unwrap();
    let cwd = home.path().canonicalize().unwrap().join("with space");
    fs::create_dir(&cwd).unwrap();
    assert_eq!(
        run_spec(&in_directory(argv(&["pwd"]), &cwd)).text().trim_end(),
        cwd.to_str().unwrap()
    );
}

#[test]
fn stdin_is_empty_by_default() {
    assert_eq!(run_spec(&argv(&["cat"])).finished.ending, Ending::Exited(0));
}

#[cfg(target_os = "linux")]
#[test]
fn inherits_stdin() {
    let mut spec = argv(&["readlink", "/proc/self/fd/0"]);
    spec.stdin = forebay_sandbox::Stdin::Inherit;
    let ours = fs::read_link("/proc/self/fd/0").unwrap();
    assert_eq!(run_spec(&spec).text().trim_end(), ours.to_str().unwrap());
}

#[test]
fn prompt_on_the_terminal_fails() {
    let run = run_spec(&shell("read answer </dev/tty"));
    assert_eq!(run.finished.ending, Ending::Exited(1));
}

#[cfg(target_os = "linux")]
#[test]
fn blocks_no_signal_and_does_not_ignore_sigpipe() {
    let run = run_spec(&argv(&["cat", "/proc/self/status"]));
    let mask = |name: &str| {
        let line = run.text().lines().find_map(|line| line.strip_prefix(name)).unwrap();
        u64::from_str_radix(line.trim(), 16).unwrap()
    };
    let broken_pipe = 1 << (13 - 1);
    assert_eq!((mask("SigBlk:"), mask("SigIgn:") & broken_pipe), (0, 0));
}

#[test]
fn runs_a_script_without_shebang_in_sh() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    fs::write(&script, "printf '%s|' \"$0\" \"$@\"\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let script = script.to_str().unwrap();
    assert_eq!(run_spec(&argv(&[script, "a b", "c"])).text(), format!("{script}|a b|c|"));
    let path = folder.path().to_str().unwrap();
    let found = run_spec(&with_env(argv(&["script", "a b"]), "PATH", path));
    assert_eq!(found.text(), format!("{script}|a b|"));
}

#[test]
fn given_variables_replace_inherited_ones() {
    let spec = with_env(with_env(argv(&["/usr/bin/env"]), "PATH", "/first"), "PATH", "/last");
    let run = run_spec(&spec);
    let paths: Vec<&str> = run.text().lines().filter(|line| line.starts_with("PATH=")).collect();
    assert_eq!(paths, ["PATH=/last"]);
}

#[test]
fn names_a_missing_program() {
    for name in ["forebay-no-such-program", "/no/such/program", "./no-such"] {
        let error = run_error(&argv(&[name, "x"]));
        assert!(matches!(&error, RunError::NotFound(program) if program == name), "{error}");
    }
}

#[test]
fn reports_a_file_that_is_not_executable() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = run_error(&argv(&[file.path().to_str().unwrap()]));
    assert!(matches!(error, RunError::NotExecutable(_)), "{error}");
}

#[test]
fn reports_a_file_on_path_that_is_not_executable() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tool"), "").unwrap();
    let error = run_error(&with_env(argv(&["tool"]), "PATH", folder.path().to_str().unwrap()));
    assert!(matches!(error, RunError::NotExecutable(_)), "{error}");
}

#[test]
fn rejects_bad_directories_and_blank_commands() {
    let missing = in_directory(argv(&["true"]), "/no/such".as_ref());
    assert!(matches!(run_error(&missing), RunError::MissingDirectory(_)));
    let file = in_directory(argv(&["true"]), "/dev/null".as_ref());
    assert!(matches!(run_error(&file), RunError::NotADirectory(_)));
    assert!(matches!(run_error(&shell(" \n")), RunError::EmptyCommand));
    assert!(matches!(run_error(&shell("echo \0")), RunError::NulByte));
}

#[test]
fn reports_a_command_that_is_too_long() {
    let error = run_error(&shell(&format!(": {}", "x".repeat(8 << 20))));
    let RunError::Io { source, .. } = &error else { panic!("{error}") };
    assert_eq!(source.kind(), io::ErrorKind::ArgumentListTooLong);
}
