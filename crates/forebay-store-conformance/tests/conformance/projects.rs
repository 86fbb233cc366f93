//! A project is its repository: subfolders and worktrees share it, home and root have none.

use std::fs;
use std::path::Path;

use forebay_store::Project;

/// Creates the files of `git init` and `git worktree add`.
fn repository(at: &Path) {
    fs::create_dir_all(at.join(".git")).unwrap();
    fs::write(at.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
}

fn worktree(repository: &Path, name: &str, at: &Path) {
    let git_dir = repository.join(".git/worktrees").join(name);
    fs::create_dir_all(&git_dir).unwrap();
    fs::write(git_dir.join("commondir"), "../..\n").unwrap();
    fs::write(git_dir.join("HEAD"), "ref: refs/heads/feature/ABC-12\n").unwrap();
    fs::create_dir_all(at).unwrap();
    fs::write(at.join(".git"), format!("gitdir: {}\n", git_dir.display())).unwrap();
}

#[test]
fn subfolders_and_worktrees_share_a_project() {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("app");
    let other = folder.path().join("elsewhere/app-feature");
    repository(&main);
    worktree(&main, "feature", &other);
    fs::create_dir_all(main.join("src/deep")).unwrap();

    let project = Project::for_folder(&main, None).unwrap();
    let below = Project::for_folder(&main.join("src/deep"), None).unwrap();
    let beside = Project::for_folder(&other, None).unwrap();
    assert!(project.id.as_str().starts_with("app-"));
    assert_eq!(below, project);
    assert_eq!(beside.id, project.id);
    assert_eq!(project.branch().as_deref(), Some("main"));
    assert_eq!(beside.branch().as_deref(), Some("feature/ABC-12"));
    assert_eq!(beside.root, other.canonicalize().unwrap());
}

#[test]
fn repositories_of_one_name_are_different_projects() {
    let folder = tempfile::tempdir().unwrap();
    let (one, stores) = (folder.path().join("one/app"), folder.path().join("two/app"));
    repository(&one);
    repository(&stores);
    assert_ne!(
        Project::for_folder(&one, None).unwrap().id,
        Project::for_folder(&stores, None).unwrap().id
    );
}

#[test]
fn home_and_root_are_not_projects() {
    let home = tempfile::tempdir().unwrap();
    repository(home.path());
    assert_eq!(Project::for_folder(home.path(), Some(home.path())), None);
    assert_eq!(Project::for_folder(Path::new("/"), None), None);
    let inside = home.path().join("plain");
    fs::create_dir(&inside).unwrap();
    let project = Project::for_folder(&inside, Some(home.path())).unwrap();
    assert!(project.id.as_str().starts_with("plain-"), "not the repository around home");
}

#[test]
fn a_settings_file_makes_a_folder_a_project() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("notes");
    fs::create_dir_all(root.join("sub")).unwrap();
    fs::write(root.join(".forebay.toml"), "").unwrap();
    let project = Project::for_folder(&root.join("sub"), None).unwrap();
    assert_eq!(project.root, root.canonicalize().unwrap());
}

#[test]
fn a_broken_git_file_does_not_stop_the_search() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".git"), "gitdir: /nowhere/at/all").unwrap();
    assert!(Project::for_folder(folder.path(), None).is_some());
}
