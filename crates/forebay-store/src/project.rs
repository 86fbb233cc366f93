//! Identifies the project of a folder: the git repository, by its common directory.
//!
//! Reads git's files instead of running git, since a hook has milliseconds.

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
}

impl Project {
    /// Finds the project of a folder; never `home` or `/`.
    pub fn for_folder(folder: &Path, home: Option<&Path>) -> Option<Self> {
        let folder = folder.canonicalize().ok()?;
        let home = home.and_then(|home| home.canonicalize().ok());
        let is_excluded = |path: &Path| path.parent().is_none() || Some(path) == home.as_deref();
        let ancestors = folder.ancestors().take_while(|path| !is_excluded(path));
        let in_git = ancestors.clone().find_map(Self::from_git_worktree);
        let with_settings_file =
            || ancestors.clone().find(|path| path.join(".forebay.toml").is_file());
        let project = in_git.or_else(|| {
            let root = with_settings_file().unwrap_or(&folder);
            (!is_excluded(root)).then(|| Self::new(root, root, None))
        })?;
        let outer_git_folder = outer_git_folder(&project.root, home.as_deref());
        Some(Self { outer_git_folder, ..project })
    }

    /// Returns the project's name shared by all machines: the location of its remote `origin`, or
    /// its id.
    ///
    /// Nobody but this user can choose it: git delivers no `.git/config`, isolation keeps runs and tools from writing
    /// it, and one that another user planted in a parent folder is ignored.
    pub fn shared_name(&self) -> String {
        let config = self.git_dir.as_deref().map(|git_dir| common_dir(git_dir).join("config"));
        let own_config = config.filter(|path| self.is_owned_by_user(path));
        let text = own_config.and_then(|path| read(&path)).unwrap_or_default();
        let origin = origin(&text).and_then(remote_location);
        origin.unwrap_or_else(|| self.id.as_str().to_owned())
    }

    /// A team's project, identified by its shared name.
    pub fn named(name: &str, root: &Path) -> Self {
        let hash = blake3::hash(name.as_bytes()).to_hex();
        Self {
            id: ProjectId::new(name, &hash),
            root: root.to_owned(),
            git_dir: None,
            outer_git_folder: None,
        }
    }

    /// A project of which only the id is known, not the folder; `root` stands in for it.
    pub fn stored(id: ProjectId, root: &Path) -> Self {
        Self { id, root: root.to_owned(), git_dir: None, outer_git_folder: None }
    }

    /// Returns the branch that is checked out.
    pub fn branch(&self) -> Option<String> {
        let head = read(&self.git_dir.as_ref()?.join("HEAD"))?;
        head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
    }

    /// Returns the branch that the remote `origin` has checked out.
    pub fn default_branch(&self) -> Option<String> {
        let head = common_dir(self.git_dir.as_ref()?).join("refs/remotes/origin/HEAD");
        read(&head)?.trim().strip_prefix("ref: refs/remotes/origin/").map(str::to_owned)
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

    /// Root in a container works on files of the user outside, so for root the owner of the worktree counts too.
    fn is_owned_by_user(&self, path: &Path) -> bool {
        let owner = |path: &Path| path.metadata().ok().map(|metadata| metadata.uid());
        let (user, owner_of_path) = (geteuid(), owner(path));
        owner_of_path == Some(user.as_raw()) || user.is_root() && owner_of_path == owner(&self.root)
    }

    fn from_git_worktree(root: &Path) -> Option<Self> {
        let git_dir = git_dir(root)?;
        let common = common_dir(&git_dir);
        // `repo/.git` is named after `repo`, a bare `repo.git` after itself.
        let named = match common.file_name() {
            Some(name) if name == ".git" => common.parent().unwrap_or(&common),
            _ => &common,
        };
        Some(Self::new(named, root, Some(git_dir.clone())))
    }

    fn new(identity: &Path, root: &Path, git_dir: Option<PathBuf>) -> Self {
        let name = identity.file_name().unwrap_or_default().to_string_lossy();
        let hash = blake3::hash(identity.as_os_str().as_encoded_bytes()).to_hex();
        Self {
            id: ProjectId::new(&name, &hash),
            root: root.to_owned(),
            git_dir,
            outer_git_folder: None,
        }
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

/// Returns the folder that all worktrees of a repository share.
fn common_dir(git_dir: &Path) -> PathBuf {
    let named = read(&git_dir.join("commondir"));
    let common = named.map(|text| git_dir.join(text.trim()));
    common.and_then(|path| path.canonicalize().ok()).unwrap_or_else(|| git_dir.to_owned())
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
