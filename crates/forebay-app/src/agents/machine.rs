//! Where agents keep their settings on this machine, and where programs lie.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use forebay_platforms::Platform;
use forebay_platforms::folders::{BaseDir, BaseDirs, Os};
use forebay_platforms::setup::{Level, Step};

use crate::Setup;

/// What Forebay's program is called.
const PROGRAM: &str = "forebay";

/// A user's home, a project and the variables that move folders.
pub struct Machine {
    home: PathBuf,
    project: PathBuf,
    /// Whether `project` is one, or merely the folder the caller stands in.
    has_project: bool,
    variables: Vec<(String, String)>,
}

impl Machine {
    /// The machine of a caller; none where the user has no home folder.
    pub(crate) fn of(setup: &Setup) -> Option<Self> {
        let moves_a_folder = |(name, _): &&(String, String)| {
            name.ends_with("_HOME") || name.ends_with("_DIR") || name == "APPDATA"
        };
        Some(Self {
            home: setup.user_home.clone()?,
            project: setup.project.as_ref().map_or(&setup.cwd, |project| &project.root).clone(),
            has_project: setup.project.is_some(),
            variables: setup.environment.iter().filter(moves_a_folder).cloned().collect(),
        })
    }

    #[cfg(test)]
    pub(crate) fn at(home: PathBuf, project: PathBuf) -> Self {
        Self { home, project, has_project: true, variables: Vec::new() }
    }

    pub fn has_project(&self) -> bool {
        self.has_project
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The file of a step.
    pub(crate) fn path(&self, step: &Step) -> PathBuf {
        self.place(step.base, &step.path)
    }

    /// A path below one of the folders that hosts use.
    pub(crate) fn place(&self, base: BaseDir, path: &str) -> PathBuf {
        let (home, project) = (self.home.to_string_lossy(), self.project.to_string_lossy());
        let variable = |name: &str| {
            let found = self.variables.iter().find(|(own, _)| own == name);
            found.map(|(_, value)| value.clone())
        };
        let folders = BaseDirs { os: os(), home: &home, project: &project, variable: &variable };
        PathBuf::from(folders.path(base, path))
    }

    /// Whether a folder is one that setting up may have made: below the home or the project.
    pub(crate) fn may_remove_folder(&self, folder: &Path) -> bool {
        let is_below = |top: &Path| folder.starts_with(top) && folder != top;
        is_below(&self.project) || is_below(&self.home)
    }

    /// Whether an agent is on this machine, by its own folder or its program.
    pub fn is_installed(&self, platform: &Platform) -> bool {
        let detection = &platform.detection;
        detection.folders.iter().any(|folder| self.home.join(folder).is_dir())
            || detection.binaries.iter().any(|binary| on_path(binary).is_some())
    }

    /// How agents start Forebay: by name in files that others share, by its place in a user's own.
    ///
    /// A project's settings travel to machines where Forebay lies elsewhere. A user's agents may be started
    /// from a desktop, which knows another PATH than the shell does.
    pub fn program(&self, running: &Path, level: Level) -> String {
        let real = |path: &Path| path.canonicalize().ok();
        let on_path = on_path(PROGRAM).filter(|found| real(found) == real(running));
        match (on_path, level) {
            (Some(_), Level::Project) => PROGRAM.to_owned(),
            (Some(found), Level::User) => found.to_string_lossy().into_owned(),
            (None, _) => running.to_string_lossy().into_owned(),
        }
    }
}

/// Whether a program that a settings file names can be started.
pub(crate) fn can_start(program: &str) -> bool {
    if program.contains('/') { is_program(Path::new(program)) } else { on_path(program).is_some() }
}

/// The program of a name that a shell would find.
fn on_path(name: &str) -> Option<PathBuf> {
    forebay_sandbox::path_candidates(name).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

const fn os() -> Os {
    if cfg!(target_os = "macos") {
        Os::MacOs
    } else if cfg!(windows) {
        Os::Windows
    } else {
        Os::Linux
    }
}
