//! A project is its repository: subfolders and worktrees share it, home and root have none.

use std::fs;
use std::path::Path;

use forebay_store::Project;

/// Creates the files of `git init` and `git worktree add`.
fn repository(at: &Path) {
    for folder in ["objects", "refs"] {
        fs::create_dir_all(at.join(".git").join(folder)).unwrap();
    }
    fs::write(at.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
}

fn worktree(repository: &Path, name: &str, at: &Path) {
    let git_dir = repository.join(".git/worktrees").join(name);
    fs::create_dir_all(&git_dir).unwrap();
    fs::write(git_dir.join("commondir"), "../..\n").unwrap();
    fs::write(git_dir.join("HEAD"), "ref: refs/heads/feature/ABC-12\n").unwrap();
    fs::create_dir_all(at).unwrap();
    fs::write(git_dir.join("gitdir"), format!("{}\n", at.join(".git").display())).unwrap();
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

/// Names the remote `origin` of a repository.
fn with_origin(git_dir: &Path, location: &str) {
    fs::create_dir_all(git_dir).unwrap();
    let config = format!("[remote \"origin\"]\n\turl = https://{location}.git\n");
    fs::write(git_dir.join("config"), config).unwrap();
}

fn found(folder: &Path) -> Project {
    Project::for_folder(folder, None).unwrap()
}

#[test]
fn a_pointer_that_the_repository_does_not_know_shares_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (main, thief) = (folder.path().join("app"), folder.path().join("thief"));
    repository(&main);
    with_origin(&main.join(".git"), "example.com/team/app");
    worktree(&main, "known", &folder.path().join("known"));
    let own = found(&main);
    fs::create_dir_all(thief.join("forged")).unwrap();
    fs::write(thief.join("forged/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(thief.join("forged/commondir"), main.join(".git").display().to_string()).unwrap();
    fs::write(thief.join("forged/gitdir"), thief.join(".git").display().to_string()).unwrap();
    let entry = main.join(".git/worktrees/known");
    for pointer in [thief.join("forged"), main.join(".git"), entry] {
        fs::write(thief.join(".git"), format!("gitdir: {}\n", pointer.display())).unwrap();
        let stolen = found(&thief);
        assert_ne!(stolen.id, own.id, "{pointer:?}");
        assert!(stolen.id.as_str().starts_with("thief-"), "{pointer:?}: {}", stolen.id.as_str());
        assert_eq!(stolen.shared_name(), stolen.id.as_str(), "{pointer:?}");
    }
    fs::remove_file(thief.join(".git")).unwrap();
    std::os::unix::fs::symlink(main.join(".git"), thief.join(".git")).unwrap();
    assert_ne!(found(&thief).id, own.id);
    assert_eq!(found(&thief).shared_name(), found(&thief).id.as_str(), "a link");
    // The repository itself and its worktree are the project, here and on all machines.
    let known = found(&folder.path().join("known"));
    assert_eq!(
        (known.id.as_str(), own.shared_name().as_str()),
        (own.id.as_str(), "example.com/team/app")
    );
    assert_eq!(known.shared_name(), "example.com/team/app");
}

#[test]
fn a_repository_inside_of_another_one_names_itself_only() {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("app");
    repository(&main);
    repository(&main.join("made"));
    with_origin(&main.join("made/.git"), "example.com/team/other");
    let made = found(&main.join("made"));
    assert_eq!(made.shared_name(), made.id.as_str());
    assert!(made.is_called("made") && !made.is_called("other"));
    // A submodule is where the outer repository keeps it.
    let module = main.join(".git/modules/part");
    with_origin(&module, "example.com/team/part");
    fs::create_dir_all(module.join("objects")).unwrap();
    fs::create_dir_all(module.join("refs")).unwrap();
    fs::write(module.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let config = fs::read_to_string(module.join("config")).unwrap();
    fs::write(module.join("config"), format!("[core]\n\tworktree = ../../../part\n{config}"))
        .unwrap();
    fs::create_dir_all(main.join("part")).unwrap();
    fs::write(main.join("part/.git"), "gitdir: ../.git/modules/part\n").unwrap();
    assert_eq!(found(&main.join("part")).shared_name(), "example.com/team/part");
}

#[test]
fn pointers_of_another_user_name_no_shared_project() {
    let folder = tempfile::tempdir().unwrap();
    let (main, tree) = (folder.path().join("app"), folder.path().join("tree"));
    repository(&main);
    with_origin(&main.join(".git"), "example.com/team/app");
    worktree(&main, "tree", &tree);
    assert_eq!(found(&tree).shared_name(), "example.com/team/app");
    let give = |path: &Path| std::os::unix::fs::lchown(path, Some(65_534), None);
    if give(&tree.join(".git")).is_err() {
        return forebay_test_support::skip("only root can give files away");
    }
    assert_eq!(found(&tree).shared_name(), found(&tree).id.as_str());
    assert_eq!(found(&main).shared_name(), "example.com/team/app");
    give(&main.join(".git")).unwrap();
    assert_eq!(found(&main).shared_name(), found(&main).id.as_str());
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
