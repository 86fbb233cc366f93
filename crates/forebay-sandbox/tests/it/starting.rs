//! What the process is given, and what is refused before it starts.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;

use forebay_domain::run::Ending;
use forebay_sandbox::RunError;

use crate::stage::{argv, in_directory, ran, refused, shell, with_env};

#[test]
fn arguments_arrive_exactly() {
    let text = "a  b 'c' \"d\" $HOME";
    assert_eq!(ran(&argv(&["printf", "%s", text])).text(), text);
}

#[test]
fn a_shell_line_is_read_by_the_shell_once() {
    assert_eq!(ran(&shell("printf '%s' \"a  b\"")).text(), "a  b");
    assert_eq!(ran(&shell("x='$HOME'; printf '%s' \"$x\" | tr a-z A-Z")).text(), "$HOME");
}

#[test]
fn a_line_that_starts_with_a_dash_is_not_an_option() {
    let ran = ran(&shell("-x; echo $?"));
    assert_eq!(ran.output.stdout, b"127\n");
}

#[test]
fn the_shell_is_bash() {
    assert_eq!(ran(&shell("[[ a == a ]] && printf $0")).text(), "bash");
}

#[test]
fn without_bash_the_shell_is_sh() {
    let only_sh = tempfile::tempdir().unwrap();
    symlink("/bin/sh", only_sh.path().join("sh")).unwrap();
    let spec = with_env(shell("printf $0"), "PATH", only_sh.path().to_str().unwrap());
    assert_eq!(ran(&spec).text(), "sh");
}

#[test]
fn without_any_shell_it_is_not_found() {
    let error = refused(&with_env(shell("true"), "PATH", "/no/such"));
    assert!(matches!(&error, RunError::NotFound(program) if program == "bash or sh"), "{error}");
}

#[test]
fn the_environment_is_added_to() {
    let spec = with_env(shell("printf \"$WATER:${PATH:+inherited}\""), "WATER", "clear = yes");
    assert_eq!(ran(&spec).text(), "clear = yes:inherited");
}

#[test]
fn it_runs_in_its_directory() {
    let home = tempfile::tempdir().unwrap();
    let cwd = home.path().canonicalize().unwrap().join("with space");
    fs::create_dir(&cwd).unwrap();
    assert_eq!(ran(&in_directory(argv(&["pwd"]), &cwd)).text().trim_end(), cwd.to_str().unwrap());
}

#[test]
fn stdin_is_at_its_end() {
    assert_eq!(ran(&argv(&["cat"])).finished.ending, Ending::Exited(0));
}

#[cfg(target_os = "linux")]
#[test]
fn stdin_can_be_ours() {
    let mut spec = argv(&["readlink", "/proc/self/fd/0"]);
    spec.stdin = forebay_sandbox::Stdin::Inherit;
    let ours = fs::read_link("/proc/self/fd/0").unwrap();
    assert_eq!(ran(&spec).text().trim_end(), ours.to_str().unwrap());
}

#[test]
fn a_question_on_the_terminal_fails_at_once() {
    let ran = ran(&shell("read answer </dev/tty"));
    assert_eq!(ran.finished.ending, Ending::Exited(1));
}

#[cfg(target_os = "linux")]
#[test]
fn no_signal_is_blocked_and_a_broken_pipe_is_not_ignored() {
    let ran = ran(&argv(&["cat", "/proc/self/status"]));
    let mask = |name: &str| {
        let line = ran.text().lines().find_map(|line| line.strip_prefix(name)).unwrap();
        u64::from_str_radix(line.trim(), 16).unwrap()
    };
    let broken_pipe = 1 << (13 - 1);
    assert_eq!((mask("SigBlk:"), mask("SigIgn:") & broken_pipe), (0, 0));
}

#[test]
fn a_script_that_does_not_say_what_reads_it_is_read_by_a_shell() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    fs::write(&script, "printf '%s|' \"$0\" \"$@\"\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let script = script.to_str().unwrap();
    assert_eq!(ran(&argv(&[script, "a b", "c"])).text(), format!("{script}|a b|c|"));
    let path = folder.path().to_str().unwrap();
    let found = ran(&with_env(argv(&["script", "a b"]), "PATH", path));
    assert_eq!(found.text(), format!("{script}|a b|"));
}

#[test]
fn a_variable_that_is_given_takes_the_place_of_ours() {
    let spec = with_env(with_env(argv(&["/usr/bin/env"]), "PATH", "/first"), "PATH", "/last");
    let ran = ran(&spec);
    let paths: Vec<&str> = ran.text().lines().filter(|line| line.starts_with("PATH=")).collect();
    assert_eq!(paths, ["PATH=/last"]);
}

#[test]
fn a_missing_program_is_named() {
    for name in ["forebay-no-such-program", "/no/such/program", "./no-such"] {
        let error = refused(&argv(&[name, "x"]));
        assert!(matches!(&error, RunError::NotFound(program) if program == name), "{error}");
    }
}

#[test]
fn a_file_without_the_permission_is_not_executable() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = refused(&argv(&[file.path().to_str().unwrap()]));
    assert!(matches!(error, RunError::NotExecutable(_)), "{error}");
}

#[test]
fn a_file_without_the_permission_on_path_is_not_executable() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tool"), "").unwrap();
    let error = refused(&with_env(argv(&["tool"]), "PATH", folder.path().to_str().unwrap()));
    assert!(matches!(error, RunError::NotExecutable(_)), "{error}");
}

#[test]
fn directories_and_blank_commands_are_refused_by_kind() {
    let missing = in_directory(argv(&["true"]), "/no/such".as_ref());
    assert!(matches!(refused(&missing), RunError::MissingDirectory(_)));
    let file = in_directory(argv(&["true"]), "/dev/null".as_ref());
    assert!(matches!(refused(&file), RunError::NotADirectory(_)));
    assert!(matches!(refused(&shell(" \n")), RunError::EmptyCommand));
    assert!(matches!(refused(&shell("echo \0")), RunError::NulByte));
}

#[test]
fn a_command_too_long_for_the_system_says_what_to_do() {
    let error = refused(&shell(&format!(": {}", "x".repeat(8 << 20))));
    let RunError::Io { source, .. } = &error else { panic!("{error}") };
    assert_eq!(source.kind(), io::ErrorKind::ArgumentListTooLong);
}
