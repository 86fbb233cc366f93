//! What a real bash runs is never allowed where a rule denies it.
//!
//! Bash runs each text in a container without network, writable files or programs; it reports every command
//! that it cannot find, which is every command that is not built in.
#![no_main]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex};

use forebay_fuzz::decide;
use forebay_policy::{Decision, List, Origin, Rules};
use libfuzzer_sys::{Corpus, fuzz_target};

/// Longer texts only repeat what shorter ones show.
const MAX_BYTES: usize = 400;

/// Runs NUL-separated texts, one bash each, and writes the names of the commands they ran, one line per text.
///
/// The limits end loops and fork bombs; they are set for each text, because the driver itself runs for long.
const DRIVER: &str = r#"
command_not_found_handle() { printf '%s ' "${1//[[:space:]]/_}" >> /tmp/ran; return 127; }
export -f command_not_found_handle
export PATH=/nowhere
while IFS= read -r -d '' text; do
  : > /tmp/ran
  (ulimit -t 1 -u 40 -v 400000 -f 100; cd /tmp/work && exec /bin/bash -c "$text") < /dev/null > /dev/null 2>&1
  printf '%s\n' "$(< /tmp/ran)"
done
"#;

static RULES: LazyLock<Rules> =
    LazyLock::new(|| Rules::compile([(Origin::User, List::Deny, "Bash(sudo:*)")]).0);

static BASH: LazyLock<Mutex<Bash>> = LazyLock::new(|| Mutex::new(Bash::start()));

fuzz_target!(|text: &str| -> Corpus {
    if text.len() > MAX_BYTES || text.contains('\0') {
        return Corpus::Reject;
    }
    if decide(text, &RULES).decision != Decision::Allow {
        return Corpus::Keep;
    }
    let ran = BASH.lock().unwrap().run(text);
    assert!(!ran.split(' ').any(|name| name == "sudo"), "allowed, and bash ran: {ran}");
    Corpus::Keep
});

/// A driver in a container.
struct Bash {
    _container: Child,
    texts: ChildStdin,
    reports: BufReader<ChildStdout>,
}

impl Bash {
    fn start() -> Self {
        let mut container = Command::new("bwrap")
            .args(["--unshare-all", "--die-with-parent", "--new-session", "--clearenv"])
            .args([
                "--ro-bind",
                "/",
                "/",
                "--tmpfs",
                "/home",
                "--tmpfs",
                "/tmp",
                "--dir",
                "/tmp/work",
            ])
            .args(["--proc", "/proc", "--dev", "/dev", "/bin/bash", "-c", DRIVER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("bubblewrap is needed: apt-get install bubblewrap");
        let texts = container.stdin.take().unwrap();
        let reports = BufReader::new(container.stdout.take().unwrap());
        Self { _container: container, texts, reports }
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
