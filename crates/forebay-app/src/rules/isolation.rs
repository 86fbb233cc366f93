//! Holding: what a run of this caller can touch and use up, from the settings and the project.
//!
//! Whatever a run could change to be obeyed later, outside of isolation, is held: rules, settings, hooks.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use forebay_policy::is_within;
use forebay_sandbox::isolation::{
    AccessRules, NamedFiles, Submodule, Submodules, start_files, user_git_settings,
};
use forebay_sandbox::{
    Isolation, Limits, Profile, Program, WritableByRuns, own_executable, trusted_program,
};
use forebay_store::{Project, control_file};
use forebay_text::shell_quote;

use crate::rules::InForce;
use crate::{App, AppError, rules, settings};

const MEGABYTE: u64 = 1024 * 1024;

/// The isolation of a run under `profile` and the rules in force.
pub(crate) fn isolation(
    app: &App,
    profile: Profile,
    in_force: &InForce,
    programs: Vec<String>,
) -> Result<Isolation, AppError> {
    if profile == Profile::Off {
        return Ok(Isolation::default());
    }
    let settings = &app.settings.isolation;
    let paths = |texts: &[String]| texts.iter().map(|text| path(app, text)).collect::<Vec<_>>();
    let by_rules = rules::unreachable(app, in_force);
    let mut deny = paths(&settings.deny);
    deny.extend(by_rules.hidden.iter().cloned());
    let project = app.stores.project();
    let git_folder = project.and_then(Project::git_folder);
    let submodules =
        project.zip(git_folder).map(|(project, git)| Submodules::read(&project.root, git));
    Ok(Isolation {
        profile,
        project_root: project.map(|project| project.root.clone()),
        git_folder: project.and_then(|project| project.outer_git_folder().map(Path::to_owned)),
        home: app.user_home.clone(),
        data_folder: Some(app.stores.home().root().to_owned()),
        write: paths(&settings.write),
        read: paths(&settings.read),
        sockets: paths(&settings.sockets),
        credentials: agent_credentials(app, &programs),
        programs,
        deny,
        is_required: settings.required,
        denied_programs: by_rules.programs.clone(),
        read_only: by_rules.frozen.clone(),
        control_files: control_files(app, submodules.as_ref())?,
        submodules,
        fixed: by_rules.fixed.clone(),
    })
}

/// Frozen if it exists: what says where a repository is, and a repository inside of another one. A run that makes a
/// repository makes these, too.
const EXISTING_CONTROL_FILES: &[&str] = &[
    ".hg/sharedpath",
    ".jj/repo/config-id",
    ".jj/workspace-config-id",
    ".jj/repo/store/git_target",
    ".jj/repo/store/git/config",
    ".jj/repo/store/git/hooks",
];
/// A file in its place names the repository of another workspace.
const JJ_REPOSITORY: &str = ".jj/repo";
/// Ends of the names of settings at the top of a project that its owner names: an editor obeys them when it opens one.
const EDITOR_PROJECTS: &[&str] = &["code-workspace", "sublime-project", "sublime-workspace"];

/// What git executes, in its folder, and what says where that folder's settings are.
const GIT_CONTROL_FILES: &[&str] = &["config", "config.worktree", "hooks", "commondir", "gitdir"];
const GIT_SETTINGS: [&str; 2] = ["config", "config.worktree"];
/// Folders in git's folder with one such folder for each worktree and submodule.
const GIT_FOLDERS: [&str; 2] = ["worktrees", "modules"];
/// A repository with more of them freezes the first ones: each costs a mount in each run.
const MAX_GIT_FOLDERS: usize = 64;
/// The same for files that the settings of git name.
const MAX_NAMED_FILES: usize = 64;

/// The control files of the project, git's, and those in caches; what the user's settings make writable is not among them.
fn control_files(app: &App, submodules: Option<&Submodules>) -> Result<Vec<PathBuf>, AppError> {
    let mut files = app.user_home.as_deref().map(start_files).unwrap_or_default();
    // Package managers that start what they have not installed keep it in a cache.
    files.extend(own_executable().map(Path::to_owned));
    if let Some(project) = app.stores.project() {
        files.extend(names_of_control_files().map(|name| project.root.join(name)));
        files.extend(existing_control_files(&project.root)?);
        files.extend(git_control_files(app, project, submodules)?);
    }
    let opened: Vec<PathBuf> =
        app.settings.isolation.write.iter().map(|text| path(app, text)).collect();
    // Opening a folder around the project opens nothing of it.
    let is_around =
        |opened: &Path| app.stores.project().is_some_and(|own| own.root.starts_with(opened));
    files
        .retain(|file| !opened.iter().any(|opened| file.starts_with(opened) && !is_around(opened)));
    Ok(files)
}

/// What programs obey, and what agents do. No tool changes these without asking either, which a test compares.
fn names_of_control_files() -> impl Iterator<Item = &'static str> {
    let mut seen = HashSet::new();
    let all = forebay_policy::control_files().chain(forebay_platforms::control_files());
    all.filter(move |name| seen.insert(*name))
}

/// Whether an agent obeys what is at a path, or in the folder that it is in.
pub(crate) fn is_of_agent(path: &Path) -> bool {
    let path = path.to_string_lossy();
    forebay_platforms::control_files().into_iter().any(|listed| is_within(&path, listed))
}

/// What other programs obey in the project only if it is not new.
fn existing_control_files(root: &Path) -> Result<Vec<PathBuf>, AppError> {
    let named = EXISTING_CONTROL_FILES.iter().map(|name| root.join(name));
    let mut files: Vec<PathBuf> = named.filter(|file| file.exists()).collect();
    files.extend(Some(root.join(JJ_REPOSITORY)).filter(|pointer| pointer.is_file()));
    let is_project = |file: &PathBuf| {
        file.extension().is_some_and(|end| EDITOR_PROJECTS.iter().any(|known| end == *known))
    };
    files.extend(AccessRules::list(root)?.into_iter().filter(is_project).take(MAX_NAMED_FILES));
    Ok(files)
}

/// What git executes, and what says where that is.
fn git_control_files(
    app: &App,
    project: &Project,
    submodules: Option<&Submodules>,
) -> Result<Vec<PathBuf>, AppError> {
    let mut files = Vec::new();
    let git = project.root.join(".git");
    // A file or link named .git says where git's folder is.
    let is_folder = git.symlink_metadata().is_ok_and(|found| found.is_dir());
    files.extend((!is_folder).then(|| git.clone()));
    let of_worktree = project.git_folder().map(Path::to_owned);
    let shared = project.outer_git_folder().map(Path::to_owned);
    let mut folders: Vec<PathBuf> =
        [Some(git), of_worktree, shared].into_iter().flatten().collect();
    for folder in folders.clone() {
        folders.extend(inner_git_folders(&folder)?);
    }
    let mut worktrees = vec![project.root.clone()];
    for Submodule { dot_git, git_folder } in frozen(submodules) {
        files.extend((!dot_git.is_dir()).then(|| dot_git.clone()));
        folders.extend(git_folder.clone());
        worktrees.extend(dot_git.parent().map(Path::to_owned));
    }
    folders.sort();
    folders.dedup();
    folders.retain(|folder| !folder.is_file());
    let linked: Vec<PathBuf> =
        folders.iter().filter_map(|folder| linked_worktree(folder)).collect();
    let pointers = linked.iter().map(|worktree| worktree.join(".git"));
    files.extend(pointers.filter(|pointer| pointer.is_file()));
    worktrees.extend(linked);
    files.extend(named_by_git(app, &folders, &worktrees));
    for folder in folders {
        files.extend(GIT_CONTROL_FILES.iter().map(|name| folder.join(name)));
    }
    Ok(files)
}

/// The worktree whose `.git` the git folder of a linked one names.
fn linked_worktree(folder: &Path) -> Option<PathBuf> {
    let dot_git = control_file::read(&folder.join("gitdir")).ok()??;
    Some(folder.join(dot_git.trim()).parent()?.to_owned())
}

/// Hooks and settings that the settings of git name, and the user's settings themselves, where runs can write.
fn named_by_git(app: &App, folders: &[PathBuf], worktrees: &[PathBuf]) -> Vec<PathBuf> {
    let home = app.user_home.as_deref();
    let of_user = user_git_settings(home);
    let of_folders = folders.iter().flat_map(|folder| GIT_SETTINGS.map(|name| folder.join(name)));
    let NamedFiles { settings, hooks } =
        NamedFiles::read(of_folders.chain(of_user.iter().cloned()).collect(), home);
    let hooks = worktrees.iter().flat_map(|worktree| hooks.iter().map(|path| worktree.join(path)));
    let named = of_user.into_iter().chain(settings).chain(hooks);
    let named = named.map(|file| rules::real_path(&file).unwrap_or(file));
    let writable = AccessRules::writable_paths(&places_of_runs(app));
    // A folder of hooks that is a worktree itself, or around it, cannot be read-only.
    let can_be_frozen = |file: &PathBuf| {
        !worktrees.iter().any(|worktree| worktree.starts_with(file))
            && writable.iter().any(|folder| file.starts_with(folder))
    };
    let mut known = HashSet::new();
    let named = named.filter(|file| can_be_frozen(file) && known.insert(file.clone()));
    named.take(MAX_NAMED_FILES).collect()
}

impl App {
    /// Where runs can write, so that no program from there is trusted.
    pub fn writable_by_runs(&self) -> WritableByRuns {
        WritableByRuns::new(&places_of_runs(self))
    }
}

/// What decides where runs can write.
fn places_of_runs(app: &App) -> Isolation {
    let project = app.stores.project();
    Isolation {
        profile: Profile::Project,
        project_root: project.map(|project| project.root.clone()),
        git_folder: project.and_then(|project| project.outer_git_folder().map(Path::to_owned)),
        home: app.user_home.clone(),
        write: app.settings.isolation.write.iter().map(|text| path(app, text)).collect(),
        ..Isolation::default()
    }
}

/// The folders of a repository's worktrees and submodules.
fn inner_git_folders(git: &Path) -> Result<Vec<PathBuf>, AppError> {
    let mut folders = Vec::new();
    for name in GIT_FOLDERS {
        folders.extend(AccessRules::list(&git.join(name))?);
    }
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders.truncate(MAX_GIT_FOLDERS);
    Ok(folders)
}

/// The submodules whose settings are frozen; what a run changes in others is noticed when it ends.
fn frozen(submodules: Option<&Submodules>) -> impl Iterator<Item = &Submodule> {
    let all = submodules.into_iter().flat_map(|submodules| &submodules.all);
    all.filter(|submodule| submodule.git_folder.is_some()).take(MAX_GIT_FOLDERS)
}

/// Where agents keep their own credentials, except those that the command names.
fn agent_credentials(app: &App, programs: &[String]) -> Vec<PathBuf> {
    let is_named = |binary: &&str| programs.iter().any(|program| program == binary);
    let below_home = |home: &PathBuf| {
        let unnamed = forebay_platforms::PLATFORMS
            .iter()
            .filter(|platform| !platform.detection.binaries.iter().any(is_named));
        let files = unnamed.flat_map(|platform| platform.credentials);
        files.map(|file| home.join(file)).collect()
    };
    app.user_home.as_ref().map(below_home).unwrap_or_default()
}

/// The programs that a command runs and that are installed outside of the reach of runs; each gets its own credentials
/// and sockets.
///
/// Code that starts programs names none: the user can open what it needs with `isolation.read`.
pub(crate) fn named_programs(app: &App, program: &Program) -> Vec<String> {
    let written = shell_text(program).map_or_else(Vec::new, |text| forebay_policy::programs(&text));
    if written.is_empty() {
        return Vec::new();
    }
    let writable = app.writable_by_runs();
    written.iter().filter_map(|program| trusted_program(program, &writable)).collect()
}

/// Whether a program may need the cache of a tool: any but a command that only reads.
pub(crate) fn may_need_caches(program: &Program) -> bool {
    !shell_text(program).is_some_and(|text| forebay_policy::only_reads(&text))
}

/// The program as a text for a shell, unless it is code of another language.
fn shell_text(program: &Program) -> Option<Cow<'_, str>> {
    const SHELLS: &[&str] = &["shell", "bash", "sh", "zsh"];
    match program {
        Program::Shell(line) => Some(line.into()),
        Program::Argv(arguments) => Some(shell_quote::arguments(arguments).into()),
        Program::Code(code) if SHELLS.contains(&code.runtime.name) => Some((&code.text).into()),
        Program::Code(_) => None,
    }
}

pub(crate) fn limits(settings: &settings::Limits) -> Limits {
    let limit = |most: u64| (most > 0).then_some(most);
    let bytes = |megabytes: u64| limit(megabytes.saturating_mul(MEGABYTE));
    Limits {
        memory: bytes(settings.memory_mb),
        cpu_seconds: limit(settings.cpu_seconds),
        processes: limit(settings.processes),
        open_files: limit(settings.open_files),
        file_size: bytes(settings.file_mb),
        output: bytes(settings.output_mb),
    }
}

/// Paths that no tool reads: what the settings deny, secrets, and what Forebay stores. The same list as for runs.
pub(crate) fn denied_paths(app: &App) -> Result<Vec<PathBuf>, AppError> {
    let settings = &app.settings.isolation;
    let mut denied = AccessRules::hidden_paths(&Isolation {
        profile: Profile::Project,
        home: app.user_home.clone(),
        data_folder: Some(app.stores.home().root().to_owned()),
        read: settings.read.iter().map(|text| path(app, text)).collect(),
        credentials: agent_credentials(app, &[]),
        ..Isolation::default()
    })?;
    denied.extend(paths_of_setting(app, &settings.deny));
    Ok(denied)
}

/// The paths that a setting names, with symlinks resolved.
pub(crate) fn paths_of_setting(app: &App, texts: &[String]) -> Vec<PathBuf> {
    let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
    texts.iter().map(|text| real(path(app, text))).collect()
}

/// A path as a setting names it: absolute, of the home folder, or of the project.
fn path(app: &App, text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), &app.user_home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => app.root().join(Path::new(text)),
    }
}

#[cfg(test)]
mod tests {
    use forebay_policy::is_protected;

    use super::*;

    /// What a run may not write, a tool does not write either.
    #[test]
    fn tools_ask_before_they_change_what_is_frozen_for_runs() {
        let of_git = GIT_CONTROL_FILES.iter().map(|name| format!(".git/{name}"));
        let editors = EDITOR_PROJECTS.iter().map(|end| format!("app.{end}"));
        let existing = EXISTING_CONTROL_FILES.iter().chain([&JJ_REPOSITORY]);
        let frozen = names_of_control_files().chain(existing.copied()).map(str::to_owned);
        let open: Vec<String> = frozen
            .chain(of_git)
            .chain(editors)
            .flat_map(|name| [format!("/srv/app/{name}"), format!("/srv/app/{name}/inside")])
            .filter(|path| !is_protected(path) && !is_of_agent(Path::new(path)))
            .collect();
        assert!(open.is_empty(), "runs may not write these, tools may: {open:?}");
        for file in ["src/main.rs", "Makefile", ".github/workflows/ci.yml", "README.md", "config"] {
            let path = format!("/srv/app/{file}");
            assert!(!is_protected(&path) && !is_of_agent(Path::new(&path)), "{file}");
        }
    }
}
