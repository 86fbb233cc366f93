//! Redaction through the real binary: what is stored has no secret in it, and the answer says so.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A GitHub token that was never one.
const TOKEN: &str = concat!("gh", "p_16C7e42F292c6912E7710c838347Ae178B4a");

/// A data folder and a project of its own.
struct Stage {
    home: TempDir,
    project: TempDir,
}

impl Stage {
    fn new() -> Self {
        let stage = Self { home: TempDir::new().unwrap(), project: TempDir::new().unwrap() };
        std::fs::create_dir(stage.project.path().join(".git")).unwrap();
        stage
    }

    #[expect(clippy::disallowed_methods, reason = "the binary itself is under test")]
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        command
            .args(arguments)
            .current_dir(self.project.path())
            .env("FOREBAY_HOME", self.home.path())
            .env("FOREBAY_SESSION", "redact")
            .stdin(Stdio::null());
        command
    }

    fn forebay(&self, arguments: &[&str]) -> String {
        text(&self.command(arguments).output().unwrap())
    }

    /// Runs a command line and gives the answer and everything that was stored.
    fn run(&self, options: &[&str], line: &str) -> (String, String) {
        let arguments: Vec<&str> =
            ["run", "--digest"].iter().chain(options).chain(&["--", line]).copied().collect();
        let answer = self.forebay(&arguments);
        let stored = self.stored(&answer);
        (answer, stored)
    }

    /// What stands behind the reference an answer begins with.
    fn stored(&self, answer: &str) -> String {
        let reference = answer.split_whitespace().next().unwrap();
        self.forebay(&["get", "--raw", reference])
    }

    /// Every byte of every file in the data folder.
    fn holds(&self, secret: &str) -> bool {
        fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
            let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
        }
        files(self.home.path()).iter().any(|file| {
            let bytes = std::fs::read(file).unwrap();
            bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
        })
    }

    fn filter(&self, arguments: &[&str], input: &[u8], environment: &[(&str, &str)]) -> Output {
        let mut child = self
            .command(arguments)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap()
    }
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_run_is_stored_without_its_token_and_the_answer_tells_it() {
    let stage = Stage::new();
    let (answer, stored) =
        stage.run(&[], &format!("printf 'a\\n%s\\nz\\n' {TOKEN}; echo {TOKEN} >&2"));
    // Two in the command line, which is the entry's title, and two in the output.
    assert!(answer.contains("redacted: 4 github tokens"), "{answer}");
    assert!(!answer.contains(TOKEN), "{answer}");
    assert!(stored.contains("a\n[redacted:github-token]\nz\n"), "{stored}");
    assert!(!stage.forebay(&["history"]).contains(TOKEN));
    assert!(!stage.holds(TOKEN));
}

#[test]
fn streams_are_still_told_apart() {
    let stage = Stage::new();
    let line = format!("echo out {TOKEN}; sleep 0.2; echo err {TOKEN} >&2; sleep 0.2; echo more");
    let (answer, _) = stage.run(&[], &line);
    let reference = answer.split_whitespace().next().unwrap();
    let stderr = stage.forebay(&["get", reference, "--stream", "stderr"]);
    assert!(stderr.contains("err [redacted:github-token]"), "{stderr}");
    assert!(!stderr.contains("out") && !stderr.contains("more"), "{stderr}");
}

#[test]
fn a_private_key_keeps_its_lines() {
    let stage = Stage::new();
    let label = concat!("PRIV", "ATE KEY-----");
    let body = "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MaU5wW8o7sVdWkzq";
    let key = format!("-----BEGIN {label}\n{body}\n{body}\nAbCd==\n-----END {label}\nafter\n");
    std::fs::write(stage.project.path().join("key.pem"), &key).unwrap();
    let (answer, stored) = stage.run(&[], "cat key.pem");
    assert!(answer.contains("redacted: 1 private key"), "{answer}");
    assert!(!stored.contains("MIIE") && !stored.contains("AbCd"), "{stored}");
    assert_eq!(stored.lines().count(), key.lines().count());
    assert!(stored.ends_with("after\n"), "{stored}");
}

#[test]
fn the_value_of_a_variable_named_like_a_secret_is_not_stored() {
    let stage = Stage::new();
    let mut command = stage.command(&["run", "--digest", "--", "echo \"it is $DEPLOY_TOKEN\""]);
    let answer = text(&command.env("DEPLOY_TOKEN", "correct-horse-battery-9").output().unwrap());
    assert!(answer.contains("redacted: 1 environment value"), "{answer}");
    assert_eq!(stage.stored(&answer), "it is [redacted:environment-value]\n");
}

#[test]
fn a_note_is_kept_without_its_token() {
    let stage = Stage::new();
    let answer = stage.forebay(&["note", "--topic", "deploy", &format!("log in with {TOKEN}")]);
    assert!(answer.contains("redacted: 1 github token"), "{answer}");
    assert_eq!(stage.stored(&answer).trim_end(), "log in with [redacted:github-token]");
    assert!(!stage.holds(TOKEN));
}

#[test]
fn indexed_documents_are_kept_without_their_tokens() {
    let stage = Stage::new();
    let line = format!("{{\"id\":1,\"title\":\"t {TOKEN}\",\"text\":\"deploy with {TOKEN}\"}}\n");
    let output = stage.filter(&["index", "--jsonl", "-", "--source", "s"], line.as_bytes(), &[]);
    let answer = text(&output);
    assert!(answer.contains("redacted: 2 github tokens"), "{answer}");
    assert_eq!(stage.stored(&answer), "deploy with [redacted:github-token]\n");
    assert!(!stage.holds(TOKEN));
}

#[test]
fn the_setting_turns_it_off() {
    let stage = Stage::new();
    let (answer, stored) = stage.run(&["--set", "store.redact=false"], &format!("echo {TOKEN}"));
    assert!(!answer.contains("redacted:"), "{answer}");
    assert_eq!(stored, format!("{TOKEN}\n"));
}

#[test]
fn bytes_that_pass_through_are_never_altered() {
    let stage = Stage::new();
    let output = stage.command(&["run", "--tee", "--", &format!("echo {TOKEN}")]).output().unwrap();
    assert_eq!(text(&output), format!("{TOKEN}\n"));
    assert!(!stage.holds(TOKEN));
}

#[test]
fn the_filter_changes_nothing_but_secrets() {
    let stage = Stage::new();
    let input =
        [b"\xff\x00 a\r\n".as_slice(), TOKEN.as_bytes(), b" my-Value-99\n\x80 no newline"].concat();
    let output = stage.filter(&["redact"], &input, &[("SOME_SECRET", "my-Value-99")]);
    let expect =
        b"\xff\x00 a\r\n[redacted:github-token] [redacted:environment-value]\n\x80 no newline";
    assert_eq!(output.stdout, expect);
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "redacted: 1 environment value, 1 github token\n"
    );
    let output = stage.filter(&["redact", "--json"], TOKEN.as_bytes(), &[]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "{\"redacted\":{\"github-token\":1}}\n");
}

#[test]
fn the_filter_says_nothing_when_there_is_nothing() {
    let stage = Stage::new();
    let output = stage.filter(&["redact"], b"plain\n", &[]);
    assert_eq!(
        (output.stdout.as_slice(), output.stderr.as_slice()),
        (b"plain\n".as_slice(), b"".as_slice())
    );
}
