//! Recognises split homes: agents, servers and this shell that use different data folders or machines.
//!
//! What one of them stores, the other does not find, and nothing fails. So `doctor` looks for it: in the files of agents,
//! in the environment of running processes, and in the kind of file system and machine.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use forebay_platforms::setup::{self, Level};
use forebay_platforms::{PLATFORMS, Platform};
use forebay_sandbox::{ProgramProcess, processes_of};
use forebay_store::control_file;

use super::plan::read_settings;
use super::{Machine, state};

/// The variables that decide where data is, or tell what kind of machine this is.
pub(super) const VARIABLES: &[&str] = &[
    FOREBAY_HOME,
    DATA_HOME,
    HOME,
    "SUDO_USER",
    "SSH_CONNECTION",
    "REMOTE_CONTAINERS",
    "CODESPACES",
];
const FOREBAY_HOME: &str = "FOREBAY_HOME";
const DATA_HOME: &str = "XDG_DATA_HOME";
const HOME: &str = "HOME";

/// Programs that start a server on another machine or in a container.
const REMOTE_PROGRAMS: &[&str] =
    &["wsl", "wsl.exe", "ssh", "docker", "podman", "nerdctl", "kubectl", "devcontainer"];

/// File systems that several machines share.
const SHARED_FILE_SYSTEMS: &[&str] = &[
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "afs",
    "9p",
    "drvfs",
    "ceph",
    "glusterfs",
    "lustre",
    "vboxsf",
    "prl_fs",
    "virtiofs",
    "fuse.sshfs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.glusterfs",
];

/// A set of variables.
type Variables = Vec<(String, String)>;

/// Says in sentences where agents, servers and this shell do not share one home, and what to do.
pub(crate) fn findings(machine: &Machine, data: &Path, executable: Option<&Path>) -> Vec<String> {
    let shell = Shell { machine, data };
    let mut findings = shell.of_agents();
    let processes = executable.and_then(processes_of).unwrap_or_default();
    findings.extend(processes.iter().filter_map(|process| shell.of_process(process)));
    findings.extend(shell.of_user(Path::new("/")));
    findings.extend(System::read(Path::new("/"), data).findings(machine, data));
    findings
}

/// This process and its data folder.
struct Shell<'a> {
    machine: &'a Machine,
    data: &'a Path,
}

impl Shell<'_> {
    /// Agents whose files give the server or the hooks another home.
    fn of_agents(&self) -> Vec<String> {
        let levels = [Level::User, Level::Project];
        let set_up = levels.iter().flat_map(|level| {
            let is_set_up =
                |agent: &&&'static Platform| state::is_set_up(self.machine, agent, *level);
            PLATFORMS.iter().filter(is_set_up).map(|agent| (*agent, *level))
        });
        let mut findings: Vec<String> =
            set_up.flat_map(|(agent, level)| self.of_agent(agent, level)).collect();
        findings.dedup();
        findings
    }

    fn of_agent(&self, agent: &'static Platform, level: Level) -> Vec<String> {
        let mut findings = Vec::new();
        for step in setup::steps(agent, level) {
            let path = self.machine.file(&step);
            let Some(text) = read_settings(&path).ok().flatten() else { continue };
            let Some(server) = step.server_command(&text) else {
                let variables = step.hook_environment(&text);
                findings.extend(self.other_home(
                    &format!("what {} starts", agent.name),
                    &variables,
                    &path,
                ));
                continue;
            };
            let program = server.arguments.first().map(Path::new).and_then(Path::file_name);
            let program = program.unwrap_or_default().to_string_lossy();
            if REMOTE_PROGRAMS.contains(&&*program) {
                findings.push(format!(
                    "{}'s server is started with {program} ({}): it stores where it runs, hooks on this machine store in \
                     {}, and neither finds what the other stored. Run agent, hooks and server on the same side",
                    agent.name,
                    path.display(),
                    self.data.display()
                ));
                continue;
            }
            let who = format!("{}'s server", agent.name);
            findings.extend(self.other_home(&who, &server.environment, &path));
        }
        findings
    }

    /// What follows if these variables lead to another data folder.
    fn other_home(&self, who: &str, variables: &Variables, path: &Path) -> Option<String> {
        let (name, _) = variables.iter().find(|(name, _)| is_about_data(name))?;
        let own = self.machine.surroundings.iter();
        let others = own.filter(|(name, _)| !variables.iter().any(|(set, _)| set == name));
        let all: Variables = others.chain(variables).cloned().collect();
        let theirs = data_folder(&all)?;
        (!is_same(&theirs, self.data)).then(|| {
            format!(
                "{who} stores in {}, this shell in {}: neither finds what the other stored. Remove {name} from {}, or \
                 set FOREBAY_HOME={} here too",
                theirs.display(),
                self.data.display(),
                path.display(),
                theirs.display()
            )
        })
    }

    /// A running process of the same program with another data folder.
    fn of_process(&self, process: &ProgramProcess) -> Option<String> {
        let theirs = data_folder(&process.environment)?;
        let is_temporary = theirs.starts_with(std::env::temp_dir());
        let is_other = !is_same(&theirs, self.data) && !is_temporary;
        let task = process.arguments.iter().skip(1).find(|word| !word.starts_with(['-', '/']));
        is_other.then(|| {
            format!(
                "process {} (forebay {}) stores in {}, this shell in {}: its agent was started with another HOME or \
                 FOREBAY_HOME. Set FOREBAY_HOME to one folder for both",
                process.id,
                task.map_or("", String::as_str),
                theirs.display(),
                self.data.display()
            )
        })
    }

    /// A home that is not the one of this user.
    fn of_user(&self, root: &Path) -> Option<String> {
        if let Some(user) = self.variable("SUDO_USER").filter(|user| *user != "root") {
            let home = self.machine.home().display();
            return Some(format!(
                "this shell runs through sudo with the home {home}: the agents of {user} have their own, which this \
                 does not see. Run forebay as {user}"
            ));
        }
        let registered = registered_home(root)?;
        (!is_same(&registered, self.machine.home())).then(|| {
            format!(
                "HOME is {}, but the home of this user is {}: what is not started from this shell (a desktop, a \
                 service, ssh) stores there. Set FOREBAY_HOME to one folder for both",
                self.machine.home().display(),
                registered.display()
            )
        })
    }

    fn variable(&self, name: &str) -> Option<&str> {
        self.machine.surrounding(name)
    }
}

fn is_about_data(variable: &str) -> bool {
    [FOREBAY_HOME, DATA_HOME, HOME].contains(&variable)
}

/// The data folder of a process with these variables.
fn data_folder(variables: &Variables) -> Option<PathBuf> {
    let value = |name: &str| {
        let found = variables.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value).filter(|value| !value.is_empty()).map(PathBuf::from)
    };
    let in_data_home = || value(DATA_HOME).map(|folder| folder.join("forebay"));
    let in_home = || value(HOME).map(|home| home.join(".local/share/forebay"));
    value(FOREBAY_HOME).or_else(in_data_home).or_else(in_home)
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    one == other || real(one) == real(other)
}

/// The home of this user in the system's list.
fn registered_home(root: &Path) -> Option<PathBuf> {
    let id = fs::metadata("/proc/self").ok()?.uid().to_string();
    let users = control_file::read(&root.join("etc/passwd")).ok()??;
    let fields = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let mut own = fields.filter(|fields| fields.get(2) == Some(&id.as_str()));
    own.next()?.get(5).map(PathBuf::from)
}

/// What kind of machine this is, and which file system has the data.
struct System {
    is_wsl: bool,
    is_container: bool,
    /// Where the file system of the data folder is mounted, and its type.
    mount: Option<(PathBuf, String)>,
}

impl System {
    fn read(root: &Path, data: &Path) -> Self {
        let read =
            |path: &str| control_file::read(&root.join(path)).ok().flatten().unwrap_or_default();
        let existing = data.ancestors().find_map(|folder| folder.canonicalize().ok());
        let mount = existing.and_then(|folder| mount_of(&folder, &read("proc/self/mountinfo")));
        Self {
            is_wsl: read("proc/sys/kernel/osrelease").to_lowercase().contains("microsoft"),
            is_container: [".dockerenv", "run/.containerenv"]
                .iter()
                .any(|mark| root.join(mark).exists()),
            mount,
        }
    }

    fn findings(&self, machine: &Machine, data: &Path) -> Vec<String> {
        let mut findings: Vec<String> = self.of_mount(data).into_iter().collect();
        let is_container = self.is_container
            || ["REMOTE_CONTAINERS", "CODESPACES"]
                .iter()
                .any(|name| machine.surrounding(name).is_some());
        let is_of_image = self.mount.as_ref().is_some_and(|(_, kind)| kind == "overlay");
        if is_container && is_of_image {
            findings.push(format!(
                "this is a container, and {} is in its own file system: what is stored is gone when it is rebuilt. \
                 Mount a volume there, or set FOREBAY_HOME to a mounted folder",
                data.display()
            ));
        }
        if self.is_wsl {
            findings.push(
                "this is WSL: agents on the side of Windows have their own home, and their hooks cannot run here. Start \
                 the agent in WSL too (docs/guides/windows.md)"
                    .to_owned(),
            );
        }
        if machine.surrounding("SSH_CONNECTION").is_some() {
            findings.push(
                "this shell came over ssh: an agent on your own machine stores there, not here. Start the agent here, or \
                 share one store (`forebay serve`)"
                    .to_owned(),
            );
        }
        findings
    }

    fn of_mount(&self, data: &Path) -> Option<String> {
        let (mount, kind) = self.mount.as_ref()?;
        let is_windows_drive = self.is_wsl && ["9p", "drvfs"].contains(&kind.as_str());
        let why = if is_windows_drive {
            "a drive of Windows: slow, and without modes that keep it private"
        } else if SHARED_FILE_SYSTEMS.contains(&kind.as_str()) {
            "not a local disk: SQLite needs that all its users are on one machine, or the store may be damaged"
        } else {
            return None;
        };
        Some(format!(
            "{} is on {} ({kind}), {why}. Set FOREBAY_HOME to a local folder; several machines share one store with \
             `forebay serve` or PostgreSQL",
            data.display(),
            mount.display()
        ))
    }
}

/// The mount with a folder, and the type of its file system; the last one counts where several are on one point.
fn mount_of(folder: &Path, mounts: &str) -> Option<(PathBuf, String)> {
    let mounts = mounts.lines().filter_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let point = unescaped(before.split(' ').nth(4)?);
        Some((PathBuf::from(point), after.split(' ').next()?.to_owned()))
    });
    let with_folder = mounts.filter(|(point, _)| folder.starts_with(point));
    with_folder.max_by_key(|(point, _)| point.components().count())
}

/// A path without the escapes of the mount table.
fn unescaped(path: &str) -> String {
    path.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
21 1 0:20 / / rw,relatime - overlay overlay rw
30 21 8:1 / /home rw,relatime shared:1 - ext4 /dev/sda1 rw
31 30 0:40 / /home/user/my\\040files rw - nfs4 server:/export rw
32 21 0:50 / /mnt/c rw - 9p C: rw
33 31 0:41 / /home/user/my\\040files rw - cifs //server/x rw
";

    #[test]
    fn the_innermost_mount_counts() {
        let kind = |path: &str| mount_of(Path::new(path), MOUNTS).unwrap().1;
        assert_eq!(kind("/var/lib"), "overlay");
        assert_eq!(kind("/home/user/.local/share/forebay"), "ext4");
        assert_eq!(kind("/home/user/my files/data"), "cifs");
        assert_eq!(kind("/homework"), "overlay");
        assert_eq!(mount_of(Path::new("/x"), ""), None);
    }

    fn system(kind: &str, is_wsl: bool, is_container: bool) -> String {
        let mount = Some((PathBuf::from("/m"), kind.to_owned()));
        let machine = Machine::for_test("/home/user".into(), "/home/user/p".into());
        let system = System { is_wsl, is_container, mount };
        system.findings(&machine, Path::new("/m/data")).join("\n")
    }

    #[test]
    fn kinds_of_machines_are_told_apart() {
        assert_eq!(system("ext4", false, false), "");
        assert_eq!(system("ext4", false, true), "", "a volume stays");
        assert!(system("overlay", false, true).contains("gone when it is rebuilt"));
        assert_eq!(system("overlay", false, false), "");
        assert!(system("nfs4", false, false).contains("/m/data is on /m (nfs4), not a local disk"));
        let windows = system("9p", true, false);
        assert!(
            windows.contains("a drive of Windows") && windows.contains("this is WSL"),
            "{windows}"
        );
    }

    #[test]
    fn the_data_folder_follows_the_variables() {
        let of = |variables: &[(&str, &str)]| {
            let variables: Variables = variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            data_folder(&variables).map(|path| path.display().to_string())
        };
        let (home, data, own) = (("HOME", "/h"), ("XDG_DATA_HOME", "/d"), ("FOREBAY_HOME", "/f"));
        assert_eq!(of(&[home]).as_deref(), Some("/h/.local/share/forebay"));
        assert_eq!(of(&[home, data]).as_deref(), Some("/d/forebay"));
        assert_eq!(of(&[home, own, data]).as_deref(), Some("/f"));
        assert_eq!(of(&[home, ("FOREBAY_HOME", "")]).as_deref(), Some("/h/.local/share/forebay"));
        assert_eq!(of(&[]), None);
    }
}
