//! Locates the agents' settings files and programs on this machine.

use std::path::{Path, PathBuf};

use forebay_platforms::folders::{BaseDir, BaseDirs, Os};
use forebay_platforms::setup::{Level, Step};
use forebay_platforms::{PLATFORMS, Platform};
use forebay_sandbox::{find_on_path, is_program};
use forebay_store::{CreatedFolders, Home, Project};

use super::homes;
use super::locations::{Location, Locations};
use super::plan::resolve_symlinks;
use crate::upgrade::RunningProgram;

/// A user's home, a project and the environment variables that relocate folders.
pub struct Machine {
    home: PathBuf,
    project: PathBuf,
    /// Whether `project` is a project, or just the current folder.
    has_project: bool,
    variables: Vec<(String, String)>,
    /// What else the environment tells about this user and machine.
    pub(super) surroundings: Vec<(String, String)>,
    pub(super) created_folders: CreatedFolders,
    pub(super) locations: Locations,
}

impl Machine {
    /// Returns the machine of a user with this home, who works in a folder and maybe a project.
    pub fn new(
        home: PathBuf,
        folder: &Path,
        project: Option<&Project>,
        environment: &[(String, String)],
        data: &Home,
    ) -> Self {
        let moves_a_folder = |(name, _): &&(String, String)| {
            let mut files = PLATFORMS.iter().flat_map(|agent| agent.files);
            let transcripts = PLATFORMS.iter().filter_map(|agent| agent.transcripts);
            let mut folders = transcripts.flat_map(|format| format.folders);
            files.any(|file| file.base.is_moved_by(name))
                || folders.any(|(base, _)| base.is_moved_by(name))
        };
        let tells_of_home = |(name, _): &&(String, String)| homes::VARIABLES.contains(&&**name);
        Self {
            home,
            project: project.map_or(folder, |project| &project.root).to_owned(),
            has_project: project.is_some(),
            variables: environment.iter().filter(moves_a_folder).cloned().collect(),
            surroundings: environment.iter().filter(tells_of_home).cloned().collect(),
            created_folders: CreatedFolders::new(data.clone()),
            locations: Locations::new(data.clone()),
        }
    }

    #[cfg(test)]
    pub(crate) fn for_test(home: PathBuf, project: PathBuf) -> Self {
        let data = Home::new(home.join("data"));
        let has_project = true;
        let (created_folders, locations) =
            (CreatedFolders::new(data.clone()), Locations::new(data));
        Self {
            home,
            project,
            has_project,
            variables: Vec::new(),
            surroundings: Vec::new(),
            created_folders,
            locations,
        }
    }

    /// Returns where a set-up at a level is.
    pub(super) fn location(&self, level: Level) -> Location {
        match level {
            Level::User => Location {
                home: self.home.clone(),
                project: None,
                variables: self.variables.clone(),
            },
            // Nothing relocates the files of a project.
            Level::Project => Location {
                home: self.home.clone(),
                project: Some(self.project.clone()),
                variables: Vec::new(),
            },
        }
    }

    /// Returns the same user's machine at a location.
    pub(super) fn relocated(&self, location: &Location) -> Self {
        Self {
            home: location.home.clone(),
            project: location.project.clone().unwrap_or_else(|| self.project.clone()),
            has_project: location.project.is_some(),
            variables: location.variables.clone(),
            surroundings: self.surroundings.clone(),
            created_folders: self.created_folders.clone(),
            locations: self.locations.clone(),
        }
    }

    /// Returns a variable that tells about this user and machine, unless it is empty.
    pub(super) fn surrounding(&self, name: &str) -> Option<&str> {
        let found = self.surroundings.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
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
