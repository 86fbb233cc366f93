//! Tries to escape from isolation, with real processes.
//!
//! Each escape is tried under the profiles that promise to block it, where it must fail, and without isolation, where it
//! must succeed. Otherwise, a command that fails for another reason would look like an enforced guarantee.

use std::fs::{self, Permissions};
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process;
use std::time::Duration;

use forebay_domain::run::Stream;
use rustix::fs::{XattrFlags, setxattr};
use rustix::process::{Resource, geteuid, getrlimit};

use super::known_paths::SHARED_MEMORY;
use super::restrictions::mechanisms;
use super::{Isolation, Profile};
use crate::search_path::find_trusted;
use crate::{
    CancelToken, FinishedRun, Program, RunError, RunSpec, Sink, WritableByRuns, run, trusted_path,
};

/// No attempt takes longer.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);

/// What an attempt leaves behind has nothing to save, so it is not waited for.
const ATTEMPT_KILL_GRACE: Duration = Duration::ZERO;

/// The result of the self-test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelfTestReport {
    /// Describes the mechanisms of this system.
    pub mechanisms: Vec<String>,
    pub checks: Vec<EscapeCheck>,
}

impl SelfTestReport {
    pub fn passed(&self) -> bool {
        let outcomes = self.checks.iter().flat_map(|check| [check.project, check.strict]);
        outcomes
            .into_iter()
            .all(|outcome| matches!(outcome, CheckOutcome::Enforced | CheckOutcome::Permitted))
    }
}

/// The result for one escape, under each profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EscapeCheck {
    pub escape: &'static str,
    pub project: CheckOutcome,
    pub strict: CheckOutcome,
}

/// The outcome of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOutcome {
    /// The escape failed.
    Enforced,
    /// The escape succeeded.
    Violated,
    /// The command also failed without isolation.
    Inconclusive,
    /// The profile permits it.
    Permitted,
}

impl CheckOutcome {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Enforced => "blocked",
            Self::Violated => "POSSIBLE",
            Self::Inconclusive => "unknown",
            Self::Permitted => "allowed",
        }
    }
}

/// An escape as a line of bash for each profile that promises to block it; the line succeeds if the escape does.
struct Escape {
    name: &'static str,
    project: Option<String>,
    strict: Option<String>,
}

/// Tries every escape.
///
/// Half of the commands run without isolation, so no program takes part that a run could have made.
pub fn self_test(
    writable: &WritableByRuns,
    cancel: &CancelToken,
) -> Result<SelfTestReport, RunError> {
    let fixture = Fixture::new(writable).map_err(RunError::io("prepare the self-test"))?;
    let escapes = fixture.escapes().map_err(RunError::io("prepare the self-test"))?;
    let mut checks = Vec::new();
    for escape in escapes {
        checks.push(fixture.check(&escape, cancel)?);
    }
    checks.push(fixture.check_new_control_file(cancel)?);
    checks.extend(fixture.check_daemon(cancel)?);
    Ok(SelfTestReport { mechanisms: mechanisms(), checks })
}

/// A project, a data directory, a denied directory, and servers of other processes.
struct Fixture {
    folder: tempfile::TempDir,
    listener: TcpListener,
    _socket: UnixListener,
    /// A socket without a path, and its name, if this system has such.
    abstract_socket: Option<(UnixListener, String)>,
    /// Shared memory with a name, if this system has such.
    memory: Option<tempfile::NamedTempFile>,
    search_path: String,
    /// Programs that some attempts need, if they are installed.
    perl: Option<PathBuf>,
    prlimit: Option<PathBuf>,
}

/// What other programs obey, in the project of the fixture. The last one is missing.
const CONTROL_FILES: &[&str] = &[".envrc", "deep/.envrc", NEW_CONTROL_FILE];
const NEW_CONTROL_FILE: &str = ".mcp.json";

impl Fixture {
    fn new(writable: &WritableByRuns) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        // Without mounts, a run can make files only in folders without denied paths.
        for name in ["project/made", "project/deep", "data", "denied", "home/.aws"] {
            fs::create_dir_all(folder.path().join(name))?;
        }
        for name in [
            "denied/secret",
            "other",
            "data/file",
            "home/.aws/credentials",
            "project/.envrc",
            "project/deep/.envrc",
        ] {
            fs::write(folder.path().join(name), "text\n")?;
        }
        let tool = folder.path().join("project/tool");
        fs::write(&tool, "#!/bin/sh\n")?;
        fs::set_permissions(&tool, Permissions::from_mode(0o700))?;
        Ok(Self {
            listener: TcpListener::bind(("127.0.0.1", 0))?,
            _socket: UnixListener::bind(folder.path().join("socket"))?,
            abstract_socket: abstract_socket(folder.path()),
            memory: tempfile::Builder::new().prefix("forebay-").tempfile_in(SHARED_MEMORY).ok(),
            folder,
            search_path: trusted_path(writable),
            perl: find_trusted("perl", writable),
            prlimit: find_trusted("prlimit", writable),
        })
    }

    fn escapes(&self) -> io::Result<Vec<Escape>> {
        let (port, pid) = (self.listener.local_addr()?.port(), process::id());
        let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
        let mut escapes = vec![
            escape("write outside the project", ": > ../data/probe"),
            escape("read a denied path", "read -r line < ../denied/secret"),
            escape("run a denied program", "./tool"),
            escape("signal other processes", format!("kill -0 {pid}")),
            escape("gain privileges", "grep -q 'NoNewPrivs:[[:space:]]*0' /proc/self/status"),
            of_strict("read outside the project", "read -r line < ../other"),
            of_strict("use the network", &connect),
        ];
        if cfg!(target_os = "linux") {
            escapes.extend(Self::escapes_by_files());
            escapes.extend([
                escape("inspect other processes", format!("cat /proc/{pid}/environ")),
                // Under `strict` a run has no sockets of any kind.
                Escape {
                    project: Some("[ -S ../socket ]".to_owned()),
                    ..of_strict("reach other sockets", &connect)
                },
            ]);
            escapes.extend(self.memory.as_ref().map(|memory| {
                escape(
                    "reach shared memory of others",
                    format!("[ -e {} ]", memory.path().display()),
                )
            }));
            escapes.extend(other_terminal().map(|terminal| {
                escape("reach other terminals", format!("[ -e {} ]", terminal.display()))
            }));
            escapes.extend(
                self.perl.as_deref().into_iter().flat_map(|perl| self.escapes_by_calls(perl)),
            );
            let limit = |program: &PathBuf| {
                let line = format!("{} --pid {pid} --core={}", program.display(), core_limit());
                escape("set limits of other processes", line)
            };
            escapes.extend(self.prlimit.as_ref().map(limit));
            // Other users cannot anyway.
            let device = || escape("make device files", "mknod node b 7 200 && rm node");
            escapes.extend(geteuid().is_root().then(device));
        }
        Ok(escapes)
    }

    fn escapes_by_files() -> [Escape; 7] {
        [
            escape("read credentials", "read -r line < ../home/.aws/credentials"),
            escape("change modes elsewhere", "chmod 640 ../data/file"),
            escape("change owners elsewhere", "chown \"$(id -u)\" ../data/file"),
            escape("change times elsewhere", "touch -d 2001-01-01 ../data/file"),
            escape("change control files", "echo evil >> .envrc"),
            escape("rename control files", "mv .envrc moved && mv moved .envrc"),
            escape("rename folders that lead to them", "mv deep moved && mv moved deep"),
        ]
    }

    #[cfg(not(target_os = "linux"))]
    fn escapes_by_calls(&self, _: &Path) -> Vec<Escape> {
        Vec::new()
    }

    /// System calls that no usual program makes. Perl wants variables for texts.
    #[cfg(target_os = "linux")]
    fn escapes_by_calls(&self, perl: &Path) -> Vec<Escape> {
        let call = |name, number: libc::c_long, arguments: &str| {
            let code = format!("exit(syscall({number}, {arguments}) < 0)");
            escape(name, format!("{} -e '{code}'", perl.display()))
        };
        let mut escapes =
            vec![call("change mounts", libc::SYS_open_tree, r#"-100, my $a = ".", 0"#)];
        let has_attributes =
            setxattr(self.path("data/file"), "user.forebay", b"x", XattrFlags::empty()).is_ok();
        let arguments = r#"my $a = "../data/file", my $b = "user.forebay", my $c = "y", 1, 0"#;
        let attribute = || call("change attributes elsewhere", libc::SYS_setxattr, arguments);
        escapes.extend(has_attributes.then(attribute));
        escapes.extend(self.abstract_socket.as_ref().map(|(_, name)| {
            let code = format!(
                "socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un(\"\\0{name}\")) or exit 1"
            );
            escape("reach abstract sockets", format!("{} -MSocket -e '{code}'", perl.display()))
        }));
        escapes
    }

    fn check(&self, escape: &Escape, cancel: &CancelToken) -> Result<EscapeCheck, RunError> {
        let outcome = |profile, line: &Option<String>| match line {
            Some(line) => self.outcome(profile, line, cancel),
            None => Ok(CheckOutcome::Permitted),
        };
        Ok(EscapeCheck {
            escape: escape.name,
            project: outcome(Profile::Project, &escape.project)?,
            strict: outcome(Profile::Strict, &escape.strict)?,
        })
    }

    fn outcome(
        &self,
        profile: Profile,
        line: &str,
        cancel: &CancelToken,
    ) -> Result<CheckOutcome, RunError> {
        if self.succeeds(profile, line, cancel)? {
            return Ok(CheckOutcome::Violated);
        }
        let is_possible = self.succeeds(Profile::Off, line, cancel)?;
        Ok(if is_possible { CheckOutcome::Enforced } else { CheckOutcome::Inconclusive })
    }

    /// Makes a control file and looks whether it is there when the run has ended.
    fn check_new_control_file(&self, cancel: &CancelToken) -> Result<EscapeCheck, RunError> {
        let path = self.path("project").join(NEW_CONTROL_FILE);
        let outcome = |profile| {
            let line = format!("echo evil > {NEW_CONTROL_FILE}");
            let is_made = self.succeeds(profile, &line, cancel)? && path.exists();
            let _ = fs::remove_file(&path);
            Ok(if is_made { CheckOutcome::Violated } else { CheckOutcome::Enforced })
        };
        let (project, strict) = (outcome(Profile::Project)?, outcome(Profile::Strict)?);
        Ok(EscapeCheck { escape: "make control files", project, strict })
    }

    /// Starts a daemon and looks whether it outlives its run, which no profile permits. `None` without `setsid`.
    fn check_daemon(&self, cancel: &CancelToken) -> Result<Option<EscapeCheck>, RunError> {
        let line = "command -v setsid || exit; \
                    setsid sh -c 'echo $$ > made/pid; sleep 60' >/dev/null 2>&1 & until [ -s made/pid ]; do :; done";
        let mut outcomes = [CheckOutcome::Inconclusive; 2];
        for (profile, outcome) in [Profile::Project, Profile::Strict].into_iter().zip(&mut outcomes)
        {
            let file = self.path("project/made/pid");
            let _ = fs::remove_file(&file);
            if !self.starts(profile, line, cancel)? {
                *outcome = CheckOutcome::Enforced;
                continue;
            }
            let Ok(pid) = fs::read_to_string(&file) else {
                return Ok(None);
            };
            let lives = Path::new("/proc").join(pid.trim()).exists();
            *outcome = if lives { CheckOutcome::Violated } else { CheckOutcome::Enforced };
        }
        let [project, strict] = outcomes;
        Ok(Some(EscapeCheck { escape: "outlive the run", project, strict }))
    }

    fn starts(&self, profile: Profile, line: &str, cancel: &CancelToken) -> Result<bool, RunError> {
        Ok(self.run(profile, line, cancel)?.is_some())
    }

    fn succeeds(
        &self,
        profile: Profile,
        line: &str,
        cancel: &CancelToken,
    ) -> Result<bool, RunError> {
        let ran = self.run(profile, line, cancel)?;
        Ok(ran.is_some_and(|finished| finished.ending.is_success()))
    }

    /// Returns `None` if the profile refuses to run here, so that nothing escapes.
    fn run(
        &self,
        profile: Profile,
        line: &str,
        cancel: &CancelToken,
    ) -> Result<Option<FinishedRun>, RunError> {
        let project = self.path("project");
        let mut spec = RunSpec::new(Program::Shell(line.to_owned()), project.clone());
        spec.timeout = ATTEMPT_TIMEOUT;
        spec.kill_grace = ATTEMPT_KILL_GRACE;
        spec.env = vec![("PATH".to_owned(), self.search_path.clone())];
        spec.isolation = Isolation {
            profile,
            control_files: CONTROL_FILES.iter().map(|name| project.join(name)).collect(),
            home: Some(self.path("home")),
            project_root: Some(project),
            data_folder: Some(self.path("data")),
            deny: vec![self.path("denied")],
            denied_programs: vec![self.path("project/tool")],
            ..Isolation::default()
        };
        match run(&spec, &mut DiscardOutput, cancel) {
            Err(RunError::NotIsolated { .. }) => Ok(None),
            outcome => outcome.map(Some),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// An escape that both profiles block.
fn escape(name: &'static str, line: impl Into<String>) -> Escape {
    let line = Some(line.into());
    Escape { name, project: line.clone(), strict: line }
}

fn of_strict(name: &'static str, line: &str) -> Escape {
    Escape { name, project: None, strict: Some(line.to_owned()) }
}

/// A listener under a name that is no path.
#[cfg(target_os = "linux")]
fn abstract_socket(folder: &Path) -> Option<(UnixListener, String)> {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::SocketAddr;
    let name = folder.file_name()?.to_str()?.to_owned();
    let address = SocketAddr::from_abstract_name(&name).ok()?;
    Some((UnixListener::bind_addr(&address).ok()?, name))
}

#[cfg(not(target_os = "linux"))]
fn abstract_socket(_: &Path) -> Option<(UnixListener, String)> {
    None
}

/// The limit of this process, so that an attempt to set it changes nothing.
fn core_limit() -> String {
    let limit = getrlimit(Resource::Core);
    let [soft, hard] = [limit.current, limit.maximum]
        .map(|most| most.map_or_else(|| "unlimited".to_owned(), |most| most.to_string()));
    format!("{soft}:{hard}")
}

/// A terminal of the machine, if there is one.
fn other_terminal() -> Option<PathBuf> {
    let mut entries = fs::read_dir("/dev/pts").ok()?.flatten();
    let is_terminal = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    entries
        .find(|entry| entry.file_name().to_str().is_some_and(is_terminal))
        .map(|entry| entry.path())
}

struct DiscardOutput;

impl Sink for DiscardOutput {
    fn write(&mut self, _: Stream, _: &[u8]) {}
}
