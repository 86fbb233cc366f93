//! `TestEnv`: an isolated home, data folder and project, and methods that run the binary there.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::mcp_client::McpClient;

/// Timeout after which a process counts as hung; generous enough for a busy machine.
pub(crate) const HANG_TIMEOUT: Duration = Duration::from_mins(1);

/// A user with an empty home and one project, `app`, on branch `main`.
pub(crate) struct TestEnv {
    root: TempDir,
    temp: PathBuf,
    /// URL of the store server; `None` uses SQLite files.
    store: Option<String>,
}

impl TestEnv {
    pub(crate) fn new() -> Self {
        Self::with_store(None)
    }

    /// Creates an environment whose store is on a server.
    pub(crate) fn on_server(url: String) -> Self {
        Self::with_store(Some(url))
    }

    fn with_store(store: Option<String>) -> Self {
        let root = tempfile::tempdir().unwrap();
        Self::in_folder(Self { temp: root.path().to_owned(), root, store })
    }

    /// Creates an environment that is not in a temporary folder, where every run can write.
    pub(crate) fn outside_temp() -> Self {
        let home = std::env::home_dir().unwrap();
        let root = tempfile::Builder::new().prefix(".forebay-test-").tempdir_in(home).unwrap();
        let temp = root.path().join("temp");
        fs::create_dir(&temp).unwrap();
        Self::in_folder(Self { root, temp, store: None })
    }

    fn in_folder(env: Self) -> Self {
        fs::create_dir(env.home()).unwrap();
        env.add_project("app");
        env
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// Returns the data folder, which Forebay creates itself.
    pub(crate) fn data(&self) -> PathBuf {
        self.root().join("data")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root().join("app")
    }

    /// Creates another repository next to `app`.
    pub(crate) fn add_project(&self, name: &str) -> PathBuf {
        let project = self.root().join(name);
        fs::create_dir_all(project.join(".git")).unwrap();
        check_out(&project, "main");
        project
    }

    /// Writes a file into the project.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Returns the path of the database of `app`.
    pub(crate) fn database(&self) -> PathBuf {
        let projects = fs::read_dir(self.data().join("projects")).unwrap();
        let mut found: Vec<PathBuf> =
            projects.map(|folder| folder.unwrap().path().join("store.db")).collect();
        found.retain(|path| path.parent().unwrap().to_string_lossy().contains("/app-"));
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    /// Returns the size of the write-ahead log of [`Self::database`].
    pub(crate) fn log_bytes(&self) -> u64 {
        fs::metadata(self.database().with_extension("db-wal")).map_or(0, |log| log.len())
    }

    /// Waits for the background checkpoint that follows a large write.
    #[track_caller]
    pub(crate) fn wait_for_checkpoint(&self) {
        let is_checkpointed = wait_until(HANG_TIMEOUT, || self.log_bytes() < 1_000_000);
        assert!(is_checkpointed, "{} bytes", self.log_bytes());
    }

    /// Runs `forebay` in the project until it exits.
    pub(crate) fn forebay<const N: usize>(&self, arguments: [&str; N]) -> Output {
        finish(self.command(arguments), b"")
    }

    /// Runs `forebay` in the project with `stdin` as its input.
    pub(crate) fn forebay_reading<const N: usize>(
        &self,
        arguments: [&str; N],
        stdin: &[u8],
    ) -> Output {
        finish(self.command(arguments), stdin)
    }

    /// Runs `forebay` in another folder.
    pub(crate) fn forebay_in<const N: usize>(&self, folder: &Path, arguments: [&str; N]) -> Output {
        let mut command = self.command(arguments);
        command.current_dir(folder);
        finish(command, b"")
    }

    /// Builds a `forebay` command in the project without starting it.
    pub(crate) fn command<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_forebay"));
        command.args(arguments);
        command
    }

    /// Builds a command whose environment refers only to this test home.
    #[expect(clippy::disallowed_methods, reason = "the tests drive the real binary from outside")]
    pub(crate) fn program(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.home())
            .env("FOREBAY_HOME", self.data())
            .env("XDG_DATA_HOME", self.home().join("xdg-data"))
            .env("XDG_CONFIG_HOME", self.home().join("xdg-config"))
            .env("XDG_CACHE_HOME", self.home().join("xdg-cache"))
            .env("TMPDIR", &self.temp)
            .current_dir(self.project())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.envs(self.store.iter().map(|url| ("FOREBAY_STORE", url)));
        command
    }

    /// Runs `cat` on `content` and returns the reference of the stored output.
    pub(crate) fn stored(&self, content: impl AsRef<[u8]>) -> String {
        self.write("stored.txt", content);
        self.forebay(["run", "--", "cat stored.txt"]).ok().reference()
    }

    /// Writes a note and returns its reference.
    pub(crate) fn noted(&self, text: &str) -> String {
        self.forebay(["note", "--", text]).ok().reference()
    }

    /// Starts `forebay mcp` and returns an initialized client.
    pub(crate) fn mcp(&self) -> McpClient {
        McpClient::initialized(self.command(["mcp"]))
    }

    /// Replaces references, times and paths, which differ between runs.
    pub(crate) fn redact(&self, text: &str) -> String {
        let text = text.replace(&*self.root().to_string_lossy(), "[ROOT]");
        redact_times(&redact_references(&text))
    }
}

/// Switches a project to a branch by writing `.git/HEAD`.
pub(crate) fn check_out(project: &Path, branch: &str) {
    fs::write(project.join(".git/HEAD"), format!("ref: refs/heads/{branch}\n")).unwrap();
}

/// Output and exit status of a finished process.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    pub(crate) status: ExitStatus,
}

impl Output {
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert!(self.status.success(), "{}\n{}\n{}", self.status, self.text(), self.stderr);
        self
    }

    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    pub(crate) fn signal(&self) -> Option<i32> {
        self.status.signal()
    }

    /// Returns stdout as text without the final newline.
    pub(crate) fn text(&self) -> String {
        let text = String::from_utf8(self.stdout.clone()).unwrap();
        text.strip_suffix('\n').unwrap_or(&text).to_owned()
    }

    /// Returns stdout without its first line, the frame.
    pub(crate) fn body(&self) -> String {
        self.text().split_once('\n').map(|(_, body)| body.to_owned()).unwrap_or_default()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the first reference in the answer.
    #[track_caller]
    pub(crate) fn reference(&self) -> String {
        reference_in(&self.text())
    }

    /// Asserts that the command failed with this exit code, error message and hint, and an empty stdout.
    #[track_caller]
    pub(crate) fn refused(&self, code: i32, message: &str, hint: &str) {
        assert_eq!(self.code(), Some(code), "{self:?}");
        let mut lines = self.stderr.lines();
        let (error, advice) = (lines.next().unwrap_or_default(), lines.collect::<String>());
        assert!(error.starts_with("error: ") && error.contains(message), "{}", self.stderr);
        assert!(advice.starts_with("hint: ") && advice.contains(hint), "{}", self.stderr);
        assert!(self.stdout.is_empty(), "{self:?}");
    }
}

/// Returns the first reference in a text, without brackets.
#[track_caller]
pub(crate) fn reference_in(text: &str) -> String {
    let (_, rest) = text.split_once("[ctx:").unwrap_or_else(|| panic!("no reference: {text}"));
    rest[..10].to_owned()
}

/// Starts a command, writes `stdin` to it and waits until it exits.
#[track_caller]
pub(crate) fn finish(mut command: Command, stdin: &[u8]) -> Output {
    if !stdin.is_empty() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.spawn().unwrap();
    if let Some(mut pipe) = child.stdin.take() {
        let bytes = stdin.to_vec();
        std::thread::spawn(move || pipe.write_all(&bytes));
    }
    finished(child)
}

/// Waits until a started process exits; kills it and panics after [`HANG_TIMEOUT`].
#[track_caller]
pub(crate) fn finished(child: Child) -> Output {
    let id = Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let Ok(output) = receiver.recv_timeout(HANG_TIMEOUT) else {
        kill_process(id, Signal::KILL).unwrap();
        panic!("the process hung");
    };
    let output = output.unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Output { stdout: output.stdout, stderr, status: output.status }
}

/// Polls until `holds` returns true; returns false after `bound`.
#[expect(clippy::disallowed_methods, reason = "a file or a process offers no event to wait for")]
pub(crate) fn wait_until(bound: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while !holds() {
        if started.elapsed() > bound {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// Returns the process whose id a command writes to `file`.
pub(crate) fn announced_process(file: &Path) -> Pid {
    let read = || fs::read_to_string(file).ok().filter(|text| text.ends_with('\n'));
    assert!(wait_until(HANG_TIMEOUT, || read().is_some()), "{} was not written", file.display());
    Pid::from_raw(read().unwrap().trim().parse().unwrap()).unwrap()
}

/// Returns whether a process has exited or exits within 15 seconds.
pub(crate) fn is_gone(process: Pid) -> bool {
    let stat = format!("/proc/{}/stat", process.as_raw_nonzero());
    let is_zombie = || fs::read_to_string(&stat).is_ok_and(|text| text.contains(") Z "));
    wait_until(Duration::from_secs(15), || {
        rustix::process::test_kill_process(process).is_err() || is_zombie()
    })
}

fn redact_references(text: &str) -> String {
    let mut redacted = text.to_owned();
    for (at, _) in text.match_indices("[ctx:") {
        let reference = &text[at + 5..at + 15];
        redacted = redacted.replace(reference, "REF");
    }
    redacted
}

/// Replaces times such as `12 ms`, `1.5 s ago` and `just now` with `[TIME]`.
fn redact_times(text: &str) -> String {
    const UNITS: [&str; 5] = ["ms", "s", "min", "h", "d"];
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let text = text.replace("just now", "1 s ago");
    let lines = text.split('\n').map(|line| {
        let mut kept: Vec<&str> = Vec::new();
        for word in line.split(' ') {
            let follows_number = kept.last().is_some_and(|last| is_number(last));
            if follows_number && UNITS.contains(&word.trim_end_matches('.')) {
                kept.pop();
                kept.push("[TIME]");
            } else {
                kept.push(word);
            }
        }
        kept.join(" ").replace("[TIME] ago", "[TIME]")
    });
    lines.collect::<Vec<_>>().join("\n")
}
