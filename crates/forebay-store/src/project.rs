//! Identifies the project of a folder: the git repository, by its common directory.
//!
//! Reads git's files instead of running git, since a hook has milliseconds. A file `.git` that names a folder elsewhere may
//! be forged, so a worktree shares the identity of its repository only if the repository agrees: see `worktree`. Any
//! other folder has an identity of its own.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use forebay_domain::ProjectId;
use rustix::process::geteuid;

use crate::control_file;
use crate::worktree::outer_git_folder;

/// A project and its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub id: ProjectId,
    /// The top of the worktree, or the folder itself without git.
    pub root: PathBuf,
    git_dir: Option<PathBuf>,
    outer_git_folder: Option<PathBuf>,
    /// The folder with the settings and branches of the repository, unless only a forged pointer leads there.
    repository: Option<PathBuf>,
}

impl Project {
    /// Finds the project of a folder; never `home` or `/`.
    pub fn for_folder(folder: &Path, home: Option<&Path>) -> Option<Self> {
        let folder = folder.canonicalize().ok()?;
        let home = home.and_then(|home| home.canonicalize().ok());
        let is_excluded = |path: &Path| path.parent().is_none() || Some(path) == home.as_deref();
        let ancestors = folder.ancestors().take_while(|path| !is_excluded(path));
        let in_git =
            ancestors.clone().find_map(|root| Self::from_git_worktree(root, home.as_deref()));
        let with_settings_file =
            || ancestors.clone().find(|path| path.join(".forebay.toml").is_file());
        in_git.or_else(|| {
            let root = with_settings_file().unwrap_or(&folder);
            (!is_excluded(root)).then(|| Self::new(root, root))
        })
    }

    /// Returns the project's name shared by all machines: the location of its remote `origin`, or
    /// its id.
    ///
    /// Nobody but this user can choose it: git delivers no `.git/config`, isolation keeps runs and tools from writing
    /// it, and one that another user planted in a parent folder is ignored. A repository that was made inside of
    /// another one may be the work of a run, so it has its id.
    pub fn shared_name(&self) -> String {
        self.origin().unwrap_or_else(|| self.id.as_str().to_owned())
    }

    /// Whether a team may know the project by this name without the user's word: it is that of its folder or remote.
    pub fn is_called(&self, name: &str) -> bool {
        let origin = self.origin();
        let of_origin = origin.as_deref().and_then(|location| location.rsplit('/').next());
        self.id.is_called(name) || of_origin == Some(name)
    }

    /// The location of the remote `origin`, if only this user can have named it.
    fn origin(&self) -> Option<String> {
        let repository = self.repository.as_deref()?;
        if !self.is_named_by_user(repository) || self.is_nested(repository) {
            return None;
        }
        origin(&read(&repository.join("config"))?).and_then(remote_location)
    }

    /// Whether this user has made the settings of the repository and everything on the way to them.
    fn is_named_by_user(&self, repository: &Path) -> bool {
        let pointers = [self.root.join(".git"), repository.to_owned(), repository.join("config")];
        let pointers = pointers.into_iter().chain(self.git_dir.clone());
        pointers.into_iter().all(|path| self.is_owned_by_user(&path))
    }

    /// Whether a repository of its own, neither worktree nor submodule, is inside of another one.
    fn is_nested(&self, repository: &Path) -> bool {
        let mut around = self.root.ancestors().skip(1);
        repository.starts_with(&self.root) && around.any(|folder| folder.join(".git").exists())
    }

    /// A team's project, identified by its shared name.
    pub fn named(name: &str, root: &Path) -> Self {
        let hash = blake3::hash(name.as_bytes()).to_hex();
        Self {
            id: ProjectId::new(name, &hash),
            root: root.to_owned(),
            git_dir: None,
            outer_git_folder: None,
            repository: None,
        }
    }

    /// A project of which only the id is known, not the folder; `root` stands in for it.
    pub fn stored(id: ProjectId, root: &Path) -> Self {
        Self { id, root: root.to_owned(), git_dir: None, outer_git_folder: None, repository: None }
    }

    /// Returns the branch that is checked out.
    pub fn branch(&self) -> Option<String> {
        let head = read(&self.git_dir.as_ref()?.join("HEAD"))?;
        head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
    }

    /// Returns the branch that the remote `origin` has checked out.
    pub fn default_branch(&self) -> Option<String> {
        let head = self.repository.as_ref().or(self.git_dir.as_ref())?;
        read(&head.join("refs/remotes/origin/HEAD"))?
            .trim()
            .strip_prefix("ref: refs/remotes/origin/")
            .map(str::to_owned)
    }

    /// Returns git's folder for this worktree.
    pub fn git_folder(&self) -> Option<&Path> {
        self.git_dir.as_deref()
    }

    /// Returns git's folder outside of `root` that git writes for a worktree or submodule, as it was when the project
    /// was found; what runs change afterwards does not count.
    pub fn outer_git_folder(&self) -> Option<&Path> {
        self.outer_git_folder.as_deref()
    }

    /// Root in a container works on files of the user outside, so for root the owner of the worktree counts too. A link
    /// counts by its own owner, and so does its target.
    fn is_owned_by_user(&self, path: &Path) -> bool {
        let of_project = self.root.metadata().ok().map(|found| found.uid());
        let user = geteuid();
        let is_user = |found: io::Result<Metadata>| {
            let owner = found.ok().map(|found| found.uid());
            owner == Some(user.as_raw()) || user.is_root() && owner.is_some() && owner == of_project
        };
        is_user(path.symlink_metadata()) && is_user(path.metadata())
    }

    fn from_git_worktree(root: &Path, home: Option<&Path>) -> Option<Self> {
        let git_dir = git_dir(root)?;
        let outer_git_folder = outer_git_folder(root, home);
        let repository = own_repository(root, &git_dir).or_else(|| outer_git_folder.clone());
        let identity = repository.as_deref().map_or(root, named_folder);
        let project = Self::new(identity, root);
        Some(Self { git_dir: Some(git_dir), outer_git_folder, repository, ..project })
    }

    fn new(identity: &Path, root: &Path) -> Self {
        let name = identity.file_name().unwrap_or_default().to_string_lossy();
        let hash = blake3::hash(identity.as_os_str().as_encoded_bytes()).to_hex();
        Self::stored(ProjectId::new(&name, &hash), root)
    }
}

/// The repository at `root`, unless it is elsewhere: a folder `.git`, or one inside of `root` that a file `.git` names.
fn own_repository(root: &Path, git_dir: &Path) -> Option<PathBuf> {
    let is_link = root.join(".git").is_symlink();
    let is_inside = git_dir.starts_with(root) && !git_dir.join("commondir").exists();
    (is_inside && !is_link).then(|| git_dir.to_owned())
}

/// `repo/.git` is named after `repo`, a bare `repo.git` after itself.
fn named_folder(repository: &Path) -> &Path {
    match repository.parent() {
        Some(parent) if repository.ends_with(".git") => parent,
        _ => repository,
    }
}

/// A file of git; one that cannot be read says nothing.
fn read(path: &Path) -> Option<String> {
    control_file::read(path).ok().flatten()
}

/// Returns the git folder of a worktree: `.git` itself, or the target of the file `.git`.
fn git_dir(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    if dot_git.is_dir() {
        return dot_git.join("HEAD").is_file().then_some(dot_git);
    }
    let text = read(&dot_git)?;
    let named = root.join(text.trim().strip_prefix("gitdir:")?.trim());
    named.canonicalize().ok()
}

/// Returns the URL of the remote `origin` in a git configuration.
fn origin(config: &str) -> Option<&str> {
    let mut is_origin = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            is_origin = line == "[remote \"origin\"]";
        } else if is_origin
            && let Some((name, value)) = line.split_once('=')
            && name.trim().eq_ignore_ascii_case("url")
        {
            return Some(value.trim());
        }
    }
    None
}

/// Returns host and path of a remote URL, the same for `git@host:ann/app.git` and
/// `https://host/ann/app`; None for a local folder.
fn remote_location(address: &str) -> Option<String> {
    let rest = match address.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.to_owned(),
        // The scp-like form of ssh.
        None => {
            let (host, path) = address.split_once(':')?;
            (!host.contains('/')).then(|| format!("{host}/{path}"))?
        }
    };
    let (host, path) = rest.split_once('/')?;
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = host.split(':').next().unwrap_or(host).to_ascii_lowercase();
    let path = path.trim_matches('/').trim_end_matches(".git");
    (!host.is_empty() && !path.is_empty()).then(|| format!("{host}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remote_urls_of_one_repository_have_one_location() {
        for address in [
            "git@github.com:ann/app.git",
            "https://github.com/ann/app",
            "https://ann:token@GitHub.com/ann/app.git/",
            "ssh://git@github.com:22/ann/app.git",
        ] {
            let config =
                format!("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = {address}\n");
            assert_eq!(
                origin(&config).and_then(remote_location).as_deref(),
                Some("github.com/ann/app")
            );
        }
        for address in ["/srv/app.git", "../app", "file:///srv/app", "", "host:", "https://"] {
            assert_eq!(remote_location(address), None, "{address}");
        }
        assert_eq!(origin("[remote \"fork\"]\nurl = x\n"), None);
    }
}
