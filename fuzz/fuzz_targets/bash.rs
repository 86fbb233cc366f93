//! What a real bash runs is never allowed where a rule denies it.
//!
//! Bash runs each text in a container without network and writable files. It finds real programs that run others (env,
//! tar, make), and a `git` and a `sudo` that only report their words; every other name is reported as well.
#![no_main]

use std::fs::{self, Permissions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex};

use forebay_fuzz::decide;
use forebay_policy::{Decision, List, Origin, Rules};
use libfuzzer_sys::{Corpus, fuzz_target};
use tempfile::TempDir;

/// Longer texts only repeat what shorter ones show.
const MAX_BYTES: usize = 400;

/// Programs that start others as their words or options say, and those that they need. Interpreters are left out: what
/// their code runs is only guessed.
const PROGRAMS: &[&str] = &[
    "awk", "bash", "cat", "chmod", "chroot", "cp", "cpio", "cut", "dd", "diff3", "ed", "env",
    "find", "flock", "head", "install", "ionice", "ln", "make", "mv", "nice", "nohup", "nsenter",
    "prlimit", "rsync", "sdiff", "sed", "setpriv", "sh", "sort", "split", "ssh", "stdbuf", "tar",
    "taskset", "tee", "timeout", "touch", "tr", "unshare", "xargs", "zip",
];

/// Reports its name and words, with slashes between them; not as a script (`bash sudo`), which the real one is not.
const REPORTER: &str = r#"#!/bin/bash -p
[[ $- == *p* ]] || exit 0
IFS=/
text="${0##*/}/$*"
printf '%s ' "${text//[[:space:]]/_}" >> /tmp/ran
"#;

/// Runs NUL-separated texts, one bash each, and writes what they ran, one line per text.
///
/// The limits end loops and fork bombs; they are set for each text, because the driver itself runs for long. Each text
/// finds the same folder, so that none runs what another has written.
const DRIVER: &str = r#"
command_not_found_handle() { printf '%s ' "${1//[[:space:]]/_}" >> /tmp/ran; return 127; }
export -f command_not_found_handle
export PATH=/tmp/programs
shopt -s dotglob nullglob
while IFS= read -r -d '' text; do
  files=(/tmp/work/*)
  if [[ ${files[*]} != /tmp/work/a || $(< /tmp/work/a) != x ]]; then
    /bin/rm -rf -- "${files[@]}"
    echo x > /tmp/work/a
  fi
  : > /tmp/ran
  (
    ulimit -t 1 -u 60 -v 400000 -f 100
    cd /tmp/work && exec /usr/bin/timeout -s KILL 2 /bin/bash -c "$text"
  ) < /dev/null > /dev/null 2>&1
  printf '%s\n' "$(< /tmp/ran)"
done
"#;

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let denied = ["Bash(sudo:*)", "Bash(git push:*)"];
    Rules::compile(denied.map(|rule| (Origin::User, List::Deny, rule))).0
});

/// Whether a report is of a command that the rules deny.
fn is_denied(report: &str) -> bool {
    let mut words = report.split('/');
    match words.next() {
        Some("sudo") => true,
        Some("git") => words.next() == Some("push"),
        _ => false,
    }
}

static BASH: LazyLock<Mutex<Bash>> = LazyLock::new(|| Mutex::new(Bash::start()));

fuzz_target!(|text: &str| -> Corpus {
    if text.len() > MAX_BYTES || text.contains('\0') {
        return Corpus::Reject;
    }
    if decide(text, &RULES).decision != Decision::Allow {
        return Corpus::Keep;
    }
    let ran = BASH.lock().unwrap().run(text);
    assert!(!ran.split(' ').any(is_denied), "allowed, and bash ran: {ran}");
    Corpus::Keep
});

/// A driver in a container.
struct Bash {
    _container: Child,
    _programs: TempDir,
    texts: ChildStdin,
    reports: BufReader<ChildStdout>,
}

impl Bash {
    fn start() -> Self {
        let programs = programs().unwrap();
        let mut container = Command::new("bwrap")
            .args(["--unshare-all", "--die-with-parent", "--new-session", "--clearenv"])
            .args(["--ro-bind", "/", "/", "--tmpfs", "/home", "--tmpfs", "/tmp"])
            .args(["--dir", "/tmp/work", "--ro-bind"])
            .arg(programs.path())
            .arg("/tmp/programs")
            .args(["--proc", "/proc", "--dev", "/dev", "/bin/bash", "-c", DRIVER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("bubblewrap is needed: apt-get install bubblewrap");
        let texts = container.stdin.take().unwrap();
        let reports = BufReader::new(container.stdout.take().unwrap());
        Self { _container: container, _programs: programs, texts, reports }
    }

    fn run(&mut self, text: &str) -> String {
        self.texts.write_all(text.as_bytes()).unwrap();
        self.texts.write_all(b"\0").unwrap();
        let mut report = String::new();
        self.reports.read_line(&mut report).unwrap();
        assert!(report.ends_with('\n'), "the container ended");
        report
    }
}

/// A folder with the programs that are installed, and those that report.
fn programs() -> io::Result<TempDir> {
    let folder = TempDir::new()?;
    for name in PROGRAMS {
        let installed = ["/usr/bin", "/bin", "/usr/sbin"].map(|place| Path::new(place).join(name));
        if let Some(program) = installed.iter().find(|path| path.exists()) {
            symlink(program, folder.path().join(name))?;
        }
    }
    for name in ["git", "sudo"] {
        let path = folder.path().join(name);
        fs::write(&path, REPORTER)?;
        fs::set_permissions(&path, Permissions::from_mode(0o755))?;
    }
    Ok(folder)
}
