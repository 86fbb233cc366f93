//! The git folder of a linked worktree or a submodule, which is outside of its files.
//!
//! The file `.git` in the project says where it is, and everything in the project may be forged: a run that writes
//! `.git` must not choose which folder later runs can write, nor whose notes they read. So a folder counts only if git itself has put it where
//! it is: it is below the repository that it belongs to, it refers back to this worktree, and the repository looks
//! like one. None of that can be written by someone who can write only the worktree.

use std::path::{Path, PathBuf};

use crate::regular_file;

/// The files of git that are read here are a line or a few settings.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// Returns the folder outside of `root` that git writes for it; None if `.git` is a folder or cannot be trusted.
pub(crate) fn outer_git_folder(root: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let root = root.canonicalize().ok()?;
    let pointer = read(&root.join(".git"))?;
    let own = root.join(pointer.trim().strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let folder = repository_of_worktree(&own, &root).or_else(|| submodule(&own, &root))?;
    let holds_home = home.is_some_and(|home| real(home).starts_with(&folder));
    let is_inside = folder.starts_with(&root);
    (is_git_folder(&folder) && !holds_home && !is_inside).then_some(folder)
}

/// Returns the repository whose `worktrees/<name>` is `own`, if that entry is about the worktree at `root`.
fn repository_of_worktree(own: &Path, root: &Path) -> Option<PathBuf> {
    let common = own.join(read(&own.join("commondir"))?.trim()).canonicalize().ok()?;
    let refers_back = own.join(read(&own.join("gitdir"))?.trim());
    let is_entry = own.parent() == Some(&common.join("worktrees"));
    (is_entry && real(&refers_back) == root.join(".git")).then_some(common)
}

/// Returns `own` if it is below `modules` of a repository and its settings name the submodule at `root`.
fn submodule(own: &Path, root: &Path) -> Option<PathBuf> {
    let config = read(&own.join("config"))?;
    let named = config.lines().find_map(|line| line.trim().strip_prefix("worktree = "))?;
    let is_module = own.ancestors().skip(1).any(|folder| {
        folder.ends_with("modules") && folder.parent().is_some_and(is_part_of_repository)
    });
    (is_module && real(&own.join(named)) == root).then(|| own.to_owned())
}

/// Whether `folder` is a repository or one of its worktrees, which have modules of their own.
fn is_part_of_repository(folder: &Path) -> bool {
    is_git_folder(folder) || folder.join("HEAD").is_file() && folder.join("commondir").is_file()
}

fn is_git_folder(folder: &Path) -> bool {
    folder.join("HEAD").is_file()
        && folder.join("objects").is_dir()
        && folder.join("refs").is_dir()
        && folder.parent().is_some()
}

fn read(path: &Path) -> Option<String> {
    String::from_utf8(regular_file::read(path, MAX_FILE_BYTES).ok()?).ok()
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    struct Fixture {
        _dir: tempfile::TempDir,
        home: PathBuf,
    }

    impl Fixture {
        /// A home with a repository `main`, its worktree `tree` and an empty folder `project`.
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let fixture = Self { home: dir.path().canonicalize().unwrap().join("home"), _dir: dir };
            fixture.repository("main/.git");
            fixture.folder("project");
            fixture.worktree("main/.git", "tree");
            fixture
        }

        fn path(&self, path: &str) -> PathBuf {
            self.home.join(path)
        }

        fn folder(&self, path: &str) {
            fs::create_dir_all(self.path(path)).unwrap();
        }

        fn file(&self, path: &str, text: &str) {
            fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
            fs::write(self.path(path), text).unwrap();
        }

        fn repository(&self, path: &str) {
            self.file(&format!("{path}/HEAD"), "ref: refs/heads/main\n");
            self.folder(&format!("{path}/objects"));
            self.folder(&format!("{path}/refs"));
        }

        fn worktree(&self, repository: &str, name: &str) {
            let own = format!("{repository}/worktrees/{name}");
            self.file(&format!("{own}/commondir"), "../..\n");
            self.file(
                &format!("{own}/gitdir"),
                &format!("{}\n", self.path(name).join(".git").display()),
            );
            self.file(&format!("{name}/.git"), &format!("gitdir: {}\n", self.path(&own).display()));
        }

        fn found(&self, root: &str) -> Option<PathBuf> {
            outer_git_folder(&self.path(root), Some(&self.home))
        }
    }

    #[test]
    fn finds_the_repository_of_a_worktree() {
        let fixture = Fixture::new();
        assert_eq!(fixture.found("tree"), Some(fixture.path("main/.git")));
        assert_eq!(fixture.found("main"), None);
        assert_eq!(fixture.found("project"), None);
    }

    #[test]
    fn finds_the_folder_of_a_submodule() {
        let fixture = Fixture::new();
        fixture.repository("main/.git/modules/lib/part");
        fixture.file(
            "main/.git/modules/lib/part/config",
            "[core]\n\tworktree = ../../../../lib/part\n",
        );
        fixture.file("main/lib/part/.git", "gitdir: ../../.git/modules/lib/part\n");
        assert_eq!(
            fixture.found("main/lib/part"),
            Some(fixture.path("main/.git/modules/lib/part"))
        );
    }

    #[test]
    fn believes_no_folder_that_only_the_project_vouches_for() {
        let fixture = Fixture::new();
        let forged = fixture.path("project/forged");
        fixture.file("project/.git", "gitdir: forged\n");
        let pointer = fixture.path("project/.git").display().to_string();
        for target in [fixture.home.clone(), fixture.path("main/.git"), PathBuf::from("/")] {
            fixture.file("project/forged/commondir", &target.display().to_string());
            fixture.file("project/forged/gitdir", &pointer);
            assert_eq!(fixture.found("project"), None, "{target:?}");
        }
        // The home folder dressed up as a repository, whose entry is a link into the project.
        fixture.repository(".");
        fixture.folder("worktrees");
        std::os::unix::fs::symlink(&forged, fixture.path("worktrees/w")).unwrap();
        fixture.file("project/forged/commondir", &fixture.home.display().to_string());
        fixture.file("project/.git", "gitdir: ../worktrees/w\n");
        assert_eq!(fixture.found("project"), None);
        fs::remove_file(fixture.path("worktrees/w")).unwrap();
        fixture.worktree(".", "project");
        assert_eq!(fixture.found("project"), None, "it holds the home folder");
    }

    #[test]
    fn believes_no_entry_of_another_worktree() {
        let fixture = Fixture::new();
        for pointer in ["../main/.git/worktrees/tree", "../main/.git", "../tree/.git"] {
            fixture.file("project/.git", &format!("gitdir: {pointer}\n"));
            assert_eq!(fixture.found("project"), None, "{pointer}");
        }
    }

    #[test]
    fn believes_no_forged_submodule() {
        let fixture = Fixture::new();
        fixture.repository("project/modules/forged");
        fixture.file("project/modules/forged/config", "[core]\nworktree = ../..\n");
        fixture.file("project/.git", "gitdir: modules/forged\n");
        assert_eq!(fixture.found("project"), None);
        fixture.file(
            "main/.git/config",
            &format!("[core]\nworktree = {}\n", fixture.path("project").display()),
        );
        fixture.file("project/.git", "gitdir: ../main/.git\n");
        assert_eq!(fixture.found("project"), None, "a repository that is no module");
    }
}
