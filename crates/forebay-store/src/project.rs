//! Which project a folder belongs to: the repository, by its common git folder.
//!
//! Read from the files git keeps, without running git: a hook has milliseconds.

use std::fs;
use std::path::{Path, PathBuf};

use forebay_domain::ProjectId;

/// A project and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub id: ProjectId,
    /// The folder one works in: the worktree's top, or the folder itself without git.
    pub root: PathBuf,
    git_dir: Option<PathBuf>,
}

impl Project {
    /// Finds the project of a folder; `home` and `/` are never one.
    pub fn of(folder: &Path, home: Option<&Path>) -> Option<Self> {
        let folder = folder.canonicalize().ok()?;
        let home = home.and_then(|home| home.canonicalize().ok());
        let never = |path: &Path| path.parent().is_none() || Some(path) == home.as_deref();
        let above = folder.ancestors().take_while(|path| !never(path));
        let in_git = above.clone().find_map(Self::of_git_worktree);
        let marked = || above.clone().find(|path| path.join(".forebay.toml").is_file());
        in_git.or_else(|| {
            let root = marked().unwrap_or(&folder);
            (!never(root)).then(|| Self::new(root, root, None))
        })
    }

    /// A project that a team knows by its name, wherever each has it.
    pub fn named(name: &str, root: &Path) -> Self {
        let hash = blake3::hash(name.as_bytes()).to_hex();
        Self { id: ProjectId::new(name, &hash), root: root.to_owned(), git_dir: None }
    }

    /// The branch that is checked out now.
    pub fn branch(&self) -> Option<String> {
        let head = fs::read_to_string(self.git_dir.as_ref()?.join("HEAD")).ok()?;
        head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
    }

    /// The folder in which git keeps the state of this worktree.
    pub fn git_folder(&self) -> Option<&Path> {
        self.git_dir.as_deref()
    }

    fn of_git_worktree(root: &Path) -> Option<Self> {
        let git_dir = git_dir(root)?;
        let common = common_dir(&git_dir);
        // `repo/.git` is named after `repo`; a bare `repo.git` after itself.
        let named = match common.file_name() {
            Some(name) if name == ".git" => common.parent().unwrap_or(&common),
            _ => &common,
        };
        Some(Self::new(named, root, Some(git_dir.clone())))
    }

    fn new(identity: &Path, root: &Path, git_dir: Option<PathBuf>) -> Self {
        let name = identity.file_name().unwrap_or_default().to_string_lossy();
        let hash = blake3::hash(identity.as_os_str().as_encoded_bytes()).to_hex();
        Self { id: ProjectId::new(&name, &hash), root: root.to_owned(), git_dir }
    }
}

/// The git folder of a worktree: `.git` itself, or the one that the file `.git` names.
fn git_dir(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    if dot_git.is_dir() {
        return dot_git.join("HEAD").is_file().then_some(dot_git);
    }
    let text = fs::read_to_string(&dot_git).ok()?;
    let named = root.join(text.trim().strip_prefix("gitdir:")?.trim());
    named.canonicalize().ok()
}

/// The folder that all worktrees of a repository share.
fn common_dir(git_dir: &Path) -> PathBuf {
    let named = fs::read_to_string(git_dir.join("commondir")).ok();
    let common = named.map(|text| git_dir.join(text.trim()));
    common.and_then(|path| path.canonicalize().ok()).unwrap_or_else(|| git_dir.to_owned())
}
