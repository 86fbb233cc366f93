//! Locates the agents' settings files and programs on this machine.

use std::path::{Path, PathBuf};

use forebay_platforms::Platform;
use forebay_platforms::folders::{BaseDir, BaseDirs, Os};
use forebay_platforms::setup::{Level, Step};
use forebay_sandbox::{find_on_path, is_program};
#[cfg(test)]
use forebay_store::Home;

use super::created_folders::CreatedFolders;
use super::plan::resolve_symlinks;
use crate::Setup;
use crate::upgrade::RunningProgram;

/// A user's home, a project and the environment variables that relocate folders.
pub struct Machine {
    home: PathBuf,
    project: PathBuf,
    /// Whether `project` is a project, or just the current folder.
    has_project: bool,
    variables: Vec<(String, String)>,
    pub(super) created_folders: CreatedFolders,
}

impl Machine {
    /// Returns the machine of a caller, or None if the user has no home folder.
    pub(crate) fn new(setup: &Setup) -> Option<Self> {
        let moves_a_folder = |(name, _): &&(String, String)| {
            name.ends_with("_HOME") || name.ends_with("_DIR") || name == "APPDATA"
        };
        Some(Self {
            home: setup.user_home.clone()?,
            project: setup.project.as_ref().map_or(&setup.cwd, |project| &project.root).clone(),
            has_project: setup.project.is_some(),
            variables: setup.environment.iter().filter(moves_a_folder).cloned().collect(),
            created_folders: CreatedFolders::new(setup.home.clone()),
        })
    }

    #[cfg(test)]
    pub(crate) fn for_test(home: PathBuf, project: PathBuf) -> Self {
        let created_folders = CreatedFolders::new(Home::new(home.join("data")));
        Self { home, project, has_project: true, variables: Vec::new(), created_folders }
    }

    pub fn has_project(&self) -> bool {
        self.has_project
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns the file of a step; symlinks are resolved.
    pub(crate) fn file(&self, step: &Step) -> PathBuf {
        resolve_symlinks(&self.place(step.base, step.path))
    }

    /// Resolves a path below one of the folders that hosts use.
    pub(crate) fn place(&self, base: BaseDir, path: &str) -> PathBuf {
        let (home, project) = (self.home.to_string_lossy(), self.project.to_string_lossy());
        let variable = |name: &str| {
            let found = self.variables.iter().find(|(own, _)| own == name);
            found.map(|(_, value)| value.clone())
        };
        let folders = BaseDirs { os: os(), home: &home, project: &project, variable: &variable };
        PathBuf::from(folders.path(base, path))
    }

    /// Whether an agent is installed, judged by its folder or its program.
    pub fn is_installed(&self, platform: &Platform) -> bool {
        let detection = &platform.detection;
        detection.folders.iter().any(|folder| self.home.join(folder).is_dir())
            || detection.binaries.iter().any(|binary| find_on_path(binary).is_some())
    }

    /// What in the project shows that an agent is used there, if there is a project.
    pub fn trace_in_project(&self, platform: &Platform) -> Option<&'static str> {
        let mut traces = platform.detection.in_project.iter().copied();
        traces.find(|path| self.has_project && self.project.join(path).exists())
    }

    /// Returns how agents start Forebay: by name in shared files, by absolute path in a user's own.
    ///
    /// A project's settings travel to machines where Forebay is installed elsewhere. A user's agents may be
    /// started from a desktop, whose PATH differs from the shell's. Neither names a folder of one version if it can be
    /// avoided: an upgrade would remove it.
    pub fn program(&self, running: &RunningProgram, level: Level) -> String {
        match (running.name_on_path(), level) {
            (Some(name), Level::Project) => name.to_owned(),
            _ => running.lasting_name().to_string_lossy().into_owned(),
        }
    }
}

/// Whether a program is named by its path, which only this machine has.
pub fn is_own_path(program: &str) -> bool {
    program.contains('/')
}

/// Whether a program named in a settings file can be started.
pub(crate) fn can_start(program: &str) -> bool {
    if is_own_path(program) {
        is_program(Path::new(program))
    } else {
        find_on_path(program).is_some()
    }
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
