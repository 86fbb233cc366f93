//! The program of this process: the name by which it is found after an upgrade, and whether there was one.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use forebay_sandbox::find_on_path;

/// The name of Forebay's executable.
const PROGRAM: &str = "forebay";

/// What a process whose executable was replaced tells, once.
const REPLACED: &str =
    "another version of forebay was installed since this session started: restart it to use that";

/// The program of this process, as it was at the start.
#[derive(Debug)]
pub struct RunningProgram {
    /// Without links; may be in a folder named after a version.
    executable: PathBuf,
    /// A link to it that package managers keep, if there is one.
    lasting_name: PathBuf,
    is_on_path: bool,
    at_start: Option<FileVersion>,
    is_logged: AtomicBool,
}

/// Tells a file from the one that replaces it.
#[derive(Debug, PartialEq, Eq)]
struct FileVersion {
    executable: PathBuf,
    device: u64,
    inode: u64,
    size: u64,
}

impl FileVersion {
    fn read(path: &Path) -> Option<Self> {
        let executable = path.canonicalize().ok()?;
        let found = fs::metadata(&executable).ok()?;
        Some(Self { device: found.dev(), inode: found.ino(), size: found.size(), executable })
    }
}

impl RunningProgram {
    /// Describes an executable without links in its path, which was started as `invoked`.
    pub fn new(executable: &Path, invoked: &Path, home: Option<&Path>) -> Self {
        let on_path = find_on_path(PROGRAM);
        let is_this = |name: &PathBuf| name.canonicalize().is_ok_and(|real| real == executable);
        let is_on_path = on_path
            .as_ref()
            .is_some_and(|found| is_this(found) || is_of_same_package(found, executable));
        let names = on_path.into_iter().chain(known_links(executable, home)).chain(typed(invoked));
        let mut lasting = names.filter(is_this);
        let lasting_name = lasting.next().unwrap_or_else(|| executable.to_owned());
        Self {
            at_start: FileVersion::read(&lasting_name),
            executable: executable.to_owned(),
            lasting_name,
            is_on_path,
            is_logged: AtomicBool::default(),
        }
    }

    pub fn executable(&self) -> &Path {
        &self.executable
    }

    /// Returns the path that leads to the installed version, also after an upgrade.
    pub fn lasting_name(&self) -> &Path {
        &self.lasting_name
    }

    /// Returns the program's name if a shell finds it by that.
    pub fn name_on_path(&self) -> Option<&'static str> {
        self.is_on_path.then_some(PROGRAM)
    }

    /// Returns what to tell if the executable was replaced since the start.
    pub(crate) fn replacement(&self) -> Option<&'static str> {
        // While a package manager works there may be no file.
        let installed = FileVersion::read(&self.lasting_name)?;
        if self.at_start.as_ref().is_none_or(|at_start| *at_start == installed) {
            return None;
        }
        if !self.is_logged.swap(true, Ordering::Relaxed) {
            tracing::warn!(executable = %installed.executable.display(), "{REPLACED}");
        }
        Some(REPLACED)
    }
}

/// The links of package managers whose folders are named after versions.
fn known_links(executable: &Path, home: Option<&Path>) -> impl Iterator<Item = PathBuf> {
    const OF_SYSTEM: [&str; 2] =
        ["/nix/var/nix/profiles/default/bin", "/run/current-system/sw/bin"];
    const OF_USER: [&str; 2] = [".nix-profile/bin", ".local/bin"];
    let cellar = executable.ancestors().find(|folder| folder.ends_with("Cellar"));
    let homebrew = cellar.and_then(Path::parent).map(|prefix| prefix.join("opt/forebay/bin"));
    let of_user = OF_USER.iter().filter_map(|folder| Some(home?.join(folder)));
    let folders: Vec<PathBuf> =
        homebrew.into_iter().chain(of_user).chain(OF_SYSTEM.iter().map(PathBuf::from)).collect();
    folders.into_iter().map(|folder| folder.join(PROGRAM))
}

/// The path under which the program was started, if it was one.
fn typed(invoked: &Path) -> Option<PathBuf> {
    let is_path = invoked.components().count() > 1;
    std::path::absolute(invoked).ok().filter(|_| is_path)
}

/// Whether a command is the script that starts the executable of the same npm package.
fn is_of_same_package(command: &Path, executable: &Path) -> bool {
    let Ok(command) = command.canonicalize() else { return false };
    let (own, of_command) = (outermost_modules(executable), outermost_modules(&command));
    own.is_some() && own == of_command
}

fn outermost_modules(path: &Path) -> Option<&Path> {
    path.ancestors().filter(|folder| folder.ends_with("node_modules")).last()
}
