//! Redaction through the real binary: the store contains no secrets and the answer reports them.

#![expect(clippy::unwrap_used, reason = "tests report failures by panicking")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A made-up GitHub token.
const TOKEN: &str = concat!("gh", "p_16C7e42F292c6912E7710c838347Ae178B4a");

/// A separate data folder and project.
struct TestEnv {
    home: TempDir,
    project: TempDir,
}

impl TestEnv {
    fn new() -> Self {
        let env = Self { home: TempDir::new().unwrap(), project: TempDir::new().unwrap() };
        std::fs::create_dir(env.project.path().join(".git")).unwrap();
        env
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

    /// Runs a command line and returns the answer and the stored output.
    fn run(&self, options: &[&str], line: &str) -> (String, String) {
        let arguments: Vec<&str> =
            ["run", "--digest"].iter().chain(options).chain(&["--", line]).copied().collect();
        let answer = self.forebay(&arguments);
        let stored = self.stored(&answer);
        (answer, stored)
    }

    /// Returns the raw content of the entry whose reference starts the answer.
    fn stored(&self, answer: &str) -> String {
        let reference = answer.split_whitespace().next().unwrap();
        self.forebay(&["get", "--raw", reference])
    }

    /// Returns whether any file in the data folder contains `secret`.
    fn data_contains(&self, secret: &str) -> bool {
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
fn run_is_stored_redacted_and_the_answer_reports_it() {
    let env = TestEnv::new();
    let (answer, stored) =
        env.run(&[], &format!("printf 'a\\n%s\\nz\\n' {TOKEN}; echo {TOKEN} >&2"));
    // Two tokens are in the command line, which is the entry's title, and two in the output.
    assert!(answer.contains("redacted: 4 github tokens"), "{answer}");
    assert!(!answer.contains(TOKEN), "{answer}");
    assert!(stored.contains("a\n[redacted:github-token]\nz\n"), "{stored}");
    assert!(!env.forebay(&["history"]).contains(TOKEN));
    assert!(!env.data_contains(TOKEN));
}

#[test]
fn streams_stay_separate() {
    let env = TestEnv::new();
    let line = format!("echo out {TOKEN}; sleep 0.2; echo err {TOKEN} >&2; sleep 0.2; echo more");
    let (answer, _) = env.run(&[], &line);
    let reference = answer.split_whitespace().next().unwrap();
    let stderr = env.forebay(&["get", reference, "--stream", "stderr"]);
    assert!(stderr.contains("err [redacted:github-token]"), "{stderr}");
    assert!(!stderr.contains("out") && !stderr.contains("more"), "{stderr}");
}

#[test]
fn redacted_private_key_keeps_its_line_count() {
    let env = TestEnv::new();
    let label = concat!("PRIV", "ATE KEY-----");
    let body = "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MaU5wW8o7sVdWkzq";
    let key = format!("-----BEGIN {label}\n{body}\n{body}\nAbCd==\n-----END {label}\nafter\n");
    std::fs::write(env.project.path().join("key.pem"), &key).unwrap();
    let (answer, stored) = env.run(&[], "cat key.pem");
    assert!(answer.contains("redacted: 1 private key"), "{answer}");
    assert!(!stored.contains("MIIE") && !stored.contains("AbCd"), "{stored}");
    assert_eq!(stored.lines().count(), key.lines().count());
    assert!(stored.ends_with("after\n"), "{stored}");
}

#[test]
fn the_value_of_a_variable_named_like_a_secret_is_not_stored() {
    let env = TestEnv::new();
    let mut command = env.command(&["run", "--digest", "--", "echo \"it is $DEPLOY_TOKEN\""]);
    let answer = text(&command.env("DEPLOY_TOKEN", "correct-horse-battery-9").output().unwrap());
    assert!(answer.contains("redacted: 1 environment value"), "{answer}");
    assert_eq!(env.stored(&answer), "it is [redacted:environment-value]\n");
}

#[test]
fn note_is_stored_redacted() {
    let env = TestEnv::new();
    let answer = env.forebay(&["note", "--topic", "deploy", &format!("log in with {TOKEN}")]);
    assert!(answer.contains("redacted: 1 github token"), "{answer}");
    assert_eq!(env.stored(&answer).trim_end(), "log in with [redacted:github-token]");
    assert!(!env.data_contains(TOKEN));
}

#[test]
fn indexed_documents_are_stored_redacted() {
    let env = TestEnv::new();
    let line = format!("{{\"id\":1,\"title\":\"t {TOKEN}\",\"text\":\"deploy with {TOKEN}\"}}\n");
    let output = env.filter(&["index", "--jsonl", "-", "--source", "s"], line.as_bytes(), &[]);
    let answer = text(&output);
    assert!(answer.contains("redacted: 2 github tokens"), "{answer}");
    assert_eq!(env.stored(&answer), "deploy with [redacted:github-token]\n");
    assert!(!env.data_contains(TOKEN));
}

#[test]
fn setting_disables_redaction() {
    let env = TestEnv::new();
    let (answer, stored) = env.run(&["--set", "store.redact=false"], &format!("echo {TOKEN}"));
    assert!(!answer.contains("redacted:"), "{answer}");
    assert_eq!(stored, format!("{TOKEN}\n"));
}

#[test]
fn tee_output_is_not_redacted() {
    let env = TestEnv::new();
    let output = env.command(&["run", "--tee", "--", &format!("echo {TOKEN}")]).output().unwrap();
    assert_eq!(text(&output), format!("{TOKEN}\n"));
    assert!(!env.data_contains(TOKEN));
}

#[test]
fn filter_changes_only_secrets() {
    let env = TestEnv::new();
    let input =
        [b"\xff\x00 a\r\n".as_slice(), TOKEN.as_bytes(), b" my-Value-99\n\x80 no newline"].concat();
    let output = env.filter(&["redact"], &input, &[("SOME_SECRET", "my-Value-99")]);
    let expect =
        b"\xff\x00 a\r\n[redacted:github-token] [redacted:environment-value]\n\x80 no newline";
    assert_eq!(output.stdout, expect);
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "redacted: 1 environment value, 1 github token\n"
    );
    let output = env.filter(&["redact", "--json"], TOKEN.as_bytes(), &[]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "{\"redacted\":{\"github-token\":1}}\n");
}

#[test]
fn filter_reports_nothing_without_secrets() {
    let env = TestEnv::new();
    let output = env.filter(&["redact"], b"plain\n", &[]);
    assert_eq!(
        (output.stdout.as_slice(), output.stderr.as_slice()),
        (b"plain\n".as_slice(), b"".as_slice())
    );
}
