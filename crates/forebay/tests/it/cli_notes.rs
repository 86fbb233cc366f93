//! `forebay note`: storing, finding and replacing notes.

use std::path::Path;

use crate::env::TestEnv;

#[track_caller]
fn search(env: &TestEnv, query: &str) -> String {
    env.forebay(["search", query]).ok().text()
}

#[test]
fn a_note_is_stored_completely() {
    let env = TestEnv::new();
    let text =
        format!("first line\n\n{}last line", "a body that is longer than a title\n".repeat(99));
    let reference = env.forebay_reading(["note", "-"], text.as_bytes()).ok().reference();
    assert_eq!(env.forebay(["get", "--raw", &reference]).ok().stdout, text.as_bytes());
}

#[test]
fn a_long_note_is_found_by_its_last_word() {
    let env = TestEnv::new();
    let body = "a body that is longer than what becomes searchable at once\n".repeat(200);
    let long = format!("{body}walrus");
    let reference = env.forebay_reading(["note", "-"], long.as_bytes()).ok().reference();
    assert!(search(&env, "walrus").contains(&reference));
}

#[test]
fn several_arguments_form_one_note() {
    let env = TestEnv::new();
    let reference = env.forebay(["note", "we", "chose", "SQLite"]).ok().reference();
    assert_eq!(env.forebay(["get", &reference]).ok().body(), "we chose SQLite");
}

#[test]
fn every_kind_is_stored_and_shown() {
    let env = TestEnv::new();
    for kind in ["note", "decision", "finding", "preference", "constraint", "todo"] {
        let noted = env.forebay(["note", "--kind", kind, "walrus"]).ok();
        assert_eq!(env.redact(&noted.text()), format!("[ctx:REF] {kind} saved"));
        let shown = env.forebay(["get", &noted.reference()]).ok().text();
        assert!(shown.contains(&format!("] {kind} · ")), "{shown}");
    }
    assert_eq!(env.forebay(["note", "--kind", "rumour", "x"]).code(), Some(2));
}

#[test]
fn an_empty_note_is_refused() {
    let env = TestEnv::new();
    env.forebay(["note", "  "]).refused(2, "the note is empty", "text");
    assert_eq!(env.forebay(["note"]).code(), Some(2));
}

#[test]
fn a_newer_note_on_a_topic_replaces_the_older() {
    let env = TestEnv::new();
    let older = env.forebay(["note", "--topic", "db", "walrus in Postgres"]).ok().reference();
    let noted = env.forebay(["note", "--topic", " DB ", "walrus in SQLite"]).ok();
    assert!(noted.text().ends_with(&format!("saved, replaces [ctx:{older}]")), "{}", noted.text());
    env.forebay(["note", "--topic", "ui", "walrus in blue"]).ok();
    let found = search(&env, "walrus");
    assert!(!found.contains("Postgres"), "{found}");
    assert!(found.contains("SQLite") && found.contains("blue"), "{found}");
    let shown = env.forebay(["get", &older]).ok().text();
    assert!(shown.contains(&format!("replaced by [ctx:{}]", noted.reference())), "{shown}");
}

#[test]
fn supersedes_replaces_the_given_note() {
    let env = TestEnv::new();
    let older = env.noted("walrus is grey");
    env.forebay(["note", "--supersedes", &older, "walrus is brown"]).ok();
    let found = search(&env, "walrus");
    assert!(found.contains("brown") && !found.contains("is grey"), "{found}");
    assert!(found.contains(&format!("replaces [ctx:{older}]")), "{found}");
}

#[test]
fn only_an_existing_note_can_be_replaced() {
    let env = TestEnv::new();
    let run = env.stored("x\n");
    let replacing = |older: &str| env.forebay(["note", "--supersedes", older, "marmalade"]);
    replacing(&run).refused(2, "is a run, not a note", "note");
    replacing("zzzzzzzzzz").refused(1, "not in this", "search");
    assert!(search(&env, "marmalade").contains("nothing found"), "a refused note is not stored");
}

#[test]
fn a_note_for_all_projects_is_visible_in_each() {
    let env = TestEnv::new();
    let reference = env.forebay(["note", "--all", "prefers tabs"]).ok().reference();
    let other = env.add_project("other");
    let found = env.forebay_in(&other, ["search", "tabs"]).ok().text();
    assert!(found.contains("prefers tabs"), "{found}");
    assert_eq!(env.forebay_in(&other, ["get", &reference]).ok().body(), "prefers tabs");
}

#[test]
fn a_note_for_all_projects_can_be_purged() {
    let env = TestEnv::new();
    let reference = env.forebay(["note", "--all", "prefers tabs"]).ok().reference();
    env.forebay(["purge", "--yes", &reference]).ok();
    assert_eq!(env.forebay(["get", &reference]).code(), Some(1), "it is deleted");
}

#[test]
fn a_note_written_outside_a_project_is_visible_in_all() {
    let env = TestEnv::new();
    let home = env.home();
    env.forebay_in(&home, ["note", "written at home"]).ok();
    let found = env.forebay(["search", "written"]).ok().text();
    assert!(found.contains("written at home"), "{found}");
}

/// The attack: a folder, made by a run, whose `.git` leads to another repository of this user.
#[test]
fn a_forged_pointer_of_git_reads_no_notes_of_another_project() {
    let env = TestEnv::new();
    let reference = env.noted("the secret plan");
    let (own, thief) = (env.project().join(".git"), env.add_project("thief"));
    std::fs::remove_dir_all(thief.join(".git")).unwrap();
    let write = |path: &Path, text: String| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let is_read = || env.forebay_in(&thief, ["get", &reference]).code() == Some(0);
    write(&thief.join("forged/HEAD"), "ref: refs/heads/main\n".to_owned());
    write(&thief.join("forged/commondir"), own.display().to_string());
    write(&thief.join("forged/gitdir"), thief.join(".git").display().to_string());
    for pointer in [thief.join("forged"), own.clone()] {
        write(&thief.join(".git"), format!("gitdir: {}\n", pointer.display()));
        assert!(!is_read(), "{pointer:?}");
    }
    std::fs::remove_file(thief.join(".git")).unwrap();
    std::os::unix::fs::symlink(&own, thief.join(".git")).unwrap();
    assert!(!is_read(), "a link");
    // The control: the repository itself says that the folder is a worktree of it.
    std::fs::remove_file(thief.join(".git")).unwrap();
    let entry = own.join("worktrees/thief");
    write(&entry.join("commondir"), "../..\n".to_owned());
    write(&entry.join("HEAD"), "ref: refs/heads/side\n".to_owned());
    write(&entry.join("gitdir"), thief.join(".git").display().to_string());
    write(&thief.join(".git"), format!("gitdir: {}\n", entry.display()));
    for folder in ["objects", "refs"] {
        std::fs::create_dir_all(own.join(folder)).unwrap();
    }
    assert!(is_read());
}

#[test]
fn subfolders_and_worktrees_belong_to_one_project() {
    let env = TestEnv::new();
    let reference = env.noted("from the top");
    let sub = env.project().join("src/deep");
    std::fs::create_dir_all(&sub).unwrap();
    assert_eq!(env.forebay_in(&sub, ["get", &reference]).ok().body(), "from the top");

    let worktree = env.root().join("worktree");
    let git = env.project().join(".git/worktrees/worktree");
    std::fs::create_dir_all(&git).unwrap();
    std::fs::create_dir(&worktree).unwrap();
    std::fs::write(git.join("HEAD"), "ref: refs/heads/side\n").unwrap();
    std::fs::write(git.join("commondir"), "../..\n").unwrap();
    std::fs::write(git.join("gitdir"), format!("{}\n", worktree.join(".git").display())).unwrap();
    for folder in ["objects", "refs"] {
        std::fs::create_dir_all(env.project().join(".git").join(folder)).unwrap();
    }
    std::fs::write(worktree.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
    assert_eq!(env.forebay_in(&worktree, ["get", &reference]).ok().body(), "from the top");
}
