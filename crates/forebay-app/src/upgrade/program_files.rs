//! The executable and its neighbours: the new version while it is written, and the version before.
//!
//! Every step is one rename, so that the executable is a whole program whenever the process is killed:
//!
//! 1. `.forebay.new` is written, synced and started once;
//! 2. `.forebay.replaced` becomes a second name of the executable;
//! 3. the new version is renamed to the executable;
//! 4. `.forebay.replaced` is renamed to `.forebay.previous`.
//!
//! A way back takes the same steps with `.forebay.previous` as the new version. What a killed process left behind is
//! put in order by the next one.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use forebay_domain::Stream;
use forebay_sandbox::{CancelToken, Program, RunSpec, Sink};
use forebay_store::control_file;
use semver::Version;

use super::UpgradeError;

/// The time that a program may take to print its version.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// More is no version.
const MAX_VERSION_BYTES: usize = 256;
/// The list of the folders that `install.sh` created: `.forebay.created`.
const CREATED: &str = "created";

/// The files of one installation, locked against other upgrades.
#[derive(Debug)]
pub struct ProgramFiles {
    executable: PathBuf,
    /// The folder, open: the lock ends with it.
    lock: File,
}

impl ProgramFiles {
    /// Locks the files and puts in order what a killed upgrade left behind.
    pub fn lock(executable: &Path) -> Result<Self, UpgradeError> {
        let failed = UpgradeError::io(executable);
        let folder = executable.parent().unwrap_or(Path::new("/"));
        let lock = File::open(folder).map_err(&failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Err(UpgradeError::Busy),
            Err(fs::TryLockError::Error(error)) => return Err(failed(error)),
        }
        let files = Self { executable: executable.to_owned(), lock };
        files.recover().map_err(failed)?;
        Ok(files)
    }

    /// Writes a program, checks that it starts, and swaps it in.
    pub(super) fn install(&self, program: &[u8], version: &Version) -> Result<(), UpgradeError> {
        let staged = self.neighbour("new");
        let installed = self.write(&staged, program).map_err(UpgradeError::io(&self.executable));
        let installed = installed.and_then(|()| match version_of(&staged) {
            Ok(printed) if printed == *version => self.swap_in(&staged),
            Ok(printed) => Err(UpgradeError::DoesNotStart(format!("it is version {printed}"))),
            Err(reason) => Err(UpgradeError::DoesNotStart(reason)),
        });
        if installed.is_err() {
            let _ = fs::remove_file(&staged);
        }
        installed
    }

    /// Swaps the version before in.
    pub(super) fn install_previous(&self) -> Result<Version, UpgradeError> {
        let previous = self.neighbour("previous");
        if !previous.exists() {
            return Err(UpgradeError::NoPrevious(self.executable.clone()));
        }
        let version = version_of(&previous).map_err(UpgradeError::DoesNotStart)?;
        self.swap_in(&previous)?;
        Ok(version)
    }

    /// The executable, the version before and the list of created folders, as far as they exist.
    pub fn existing(executable: &Path) -> Vec<PathBuf> {
        let [previous, created] = ["previous", CREATED].map(|role| neighbour(executable, role));
        [executable.to_owned(), previous, created]
            .into_iter()
            .filter(|path| path.exists())
            .collect()
    }

    /// Removes all files of the installation. A process that runs the executable goes on.
    pub fn remove(&self) -> Result<(), UpgradeError> {
        for path in Self::existing(&self.executable).iter().rev() {
            remove_if_there(path).map_err(UpgradeError::io(path))?;
        }
        Ok(())
    }

    /// The folders that the install script created for an executable.
    pub fn created_folders(executable: &Path) -> Vec<PathBuf> {
        let listed = control_file::read(&neighbour(executable, CREATED)).ok().flatten();
        let folders = listed.iter().flat_map(|text| text.lines()).map(PathBuf::from);
        folders.filter(|folder| executable.starts_with(folder)).collect()
    }

    /// Renames a program to the executable; what was the executable becomes the version before.
    fn swap_in(&self, program: &Path) -> Result<(), UpgradeError> {
        let replaced = self.neighbour("replaced");
        let swap = || {
            link_or_copy(&self.executable, &replaced)?;
            fs::rename(program, &self.executable)?;
            fs::rename(&replaced, self.neighbour("previous"))?;
            // The names are in place; a system that cannot sync a folder has them all the same.
            let _ = self.lock.sync_all();
            Ok(())
        };
        swap().map_err(UpgradeError::io(&self.executable))
    }

    /// Ends an interrupted swap: either it had not begun, or only its last step is missing.
    fn recover(&self) -> io::Result<()> {
        let replaced = self.neighbour("replaced");
        remove_if_there(&self.neighbour("new"))?;
        if !replaced.exists() {
            return Ok(());
        }
        // A copy may have been cut short.
        let is_current = fs::read(&self.executable)?.starts_with(&fs::read(&replaced)?);
        if is_current {
            remove_if_there(&replaced)
        } else {
            fs::rename(&replaced, self.neighbour("previous"))
        }
    }

    /// Writes a program with mode and, if this user may, owner of the executable.
    fn write(&self, path: &Path, program: &[u8]) -> io::Result<()> {
        let current = fs::metadata(&self.executable)?;
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o700).open(path)?;
        file.write_all(program)?;
        let written = file.metadata()?;
        if (written.uid(), written.gid()) != (current.uid(), current.gid()) {
            // Only root may change the owner; other users own what they write.
            let _ = std::os::unix::fs::fchown(&file, Some(current.uid()), Some(current.gid()));
        }
        file.set_permissions(Permissions::from_mode(current.mode() & 0o7777))?;
        file.sync_all()
    }

    /// A hidden file beside the executable: `.forebay.previous`.
    fn neighbour(&self, role: &str) -> PathBuf {
        neighbour(&self.executable, role)
    }
}

fn neighbour(executable: &Path, role: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(executable.file_name().unwrap_or_default());
    name.push(".");
    name.push(role);
    executable.with_file_name(name)
}

/// Gives a file a second name, or copies it where the file system has no links.
fn link_or_copy(file: &Path, second: &Path) -> io::Result<()> {
    match fs::hard_link(file, second) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::StorageFull => Err(error),
        Err(_) => fs::copy(file, second).map(drop),
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Starts a program with `--version` and returns the version that it prints, or why it does not.
fn version_of(program: &Path) -> Result<Version, String> {
    let path = program.to_str().ok_or("its path is not valid Unicode")?.to_owned();
    let mut spec = RunSpec::new(Program::Argv(vec![path, "--version".to_owned()]), "/".into());
    spec.timeout = START_TIMEOUT;
    let mut printed = Printed(Vec::new());
    let finished = forebay_sandbox::run(&spec, &mut printed, &CancelToken::new())
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&printed.0);
    if !finished.ending.is_success() {
        return Err(format!("{}: {}", finished.ending, text.trim()));
    }
    let version = text.trim().strip_prefix("forebay ").and_then(|text| Version::parse(text).ok());
    version.ok_or_else(|| format!("`--version` prints `{}`", text.trim()))
}

/// The beginning of what a program prints.
struct Printed(Vec<u8>);

impl Sink for Printed {
    fn write(&mut self, _: Stream, bytes: &[u8]) {
        let room = MAX_VERSION_BYTES.saturating_sub(self.0.len());
        self.0.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}
