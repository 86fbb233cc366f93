//! `forebay init`: fourteen hosts set up in files of their own, and every file back as it was.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::env::TestEnv;

const AGENTS: [&str; 14] = [
    "claude-code",
    "codex",
    "gemini-cli",
    "copilot-cli",
    "opencode",
    "cursor",
    "qwen-code",
    "cline",
    "vscode-copilot",
    "kiro",
    "windsurf",
    "antigravity",
    "zed",
    "claude-desktop",
];

/// Every file below a folder with its bytes and permissions, Forebay's own data and git's apart.
fn files(below: &Path) -> BTreeMap<PathBuf, (Vec<u8>, u32)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![below.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_symlink() {
                found.insert(
                    path.clone(),
                    (fs::read_link(&path).unwrap().to_string_lossy().into_owned().into(), 0),
                );
            } else if path.is_dir() && name != ".git" && path != below.join("data") {
                folders.push(path);
            } else if path.is_file() {
                let mode = fs::metadata(&path).unwrap().permissions().mode();
                found.insert(path.clone(), (fs::read(&path).unwrap(), mode));
            }
        }
    }
    found
}

fn folders(below: &Path) -> Vec<PathBuf> {
    let mut all = vec![below.to_owned()];
    let mut at = 0;
    while at < all.len() {
        let inner = fs::read_dir(&all[at]).unwrap().map(|entry| entry.unwrap().path());
        let inner: Vec<PathBuf> = inner
            .filter(|path| path.is_dir() && *path != below.join("data") && !path.ends_with(".git"))
            .collect();
        all.extend(inner);
        at += 1;
    }
    all.sort();
    all
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The files that setting an agent up would touch.
fn touched(env: &TestEnv, agent: &str, level: &[&str]) -> Vec<PathBuf> {
    let output = crate::env::finish(
        env.command([&["init", agent, "--dry-run", "--json"], level].concat()),
        b"",
    )
    .ok();
    let changes = output.json()["changes"].as_array().unwrap().clone();
    changes.iter().map(|change| PathBuf::from(change["path"].as_str().unwrap())).collect()
}

fn init(env: &TestEnv, arguments: &[&str]) -> crate::env::Output {
    crate::env::finish(env.command([&["init"], arguments].concat()), b"")
}

/// Something a person may have written in a file of this name before.
fn somebodys(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("json") => {
            "{\n    // mine\n    \"theme\": \"dark\", /* as ever */\n    \"list\": [1, 2,],\n}\n"
        }
        Some("toml") => {
            "# mine\nmodel = \"m\"   # best\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n"
        }
        _ => "# Mine\n\nWords.\n",
    }
}

/// Whether a file is all Forebay's, so that one of somebody else is in the way.
fn is_whole(path: &Path) -> bool {
    let path = path.to_string_lossy();
    path.contains("forebay") || path.contains("/hooks/") && !path.ends_with("hooks.json")
}

#[test]
fn every_agent_is_set_up_once_and_taken_back_whole() {
    for level in [&["--user"] as &[&str], &[]] {
        for agent in AGENTS {
            check_round(agent, level, false);
            check_round(agent, level, true);
        }
    }
}

fn check_round(agent: &str, level: &[&str], has_files: bool) {
    if agent == "claude-desktop" && level.is_empty() {
        return;
    }
    let env = TestEnv::new();
    let paths = touched(&env, agent, level);
    assert!(!paths.is_empty(), "{agent} {level:?}");
    if has_files {
        paths.iter().filter(|path| !is_whole(path)).for_each(|path| write(path, somebodys(path)));
    }
    let before = files(env.root());
    let folders_before = folders(env.root());

    let done = init(&env, &[&[agent, "--yes"], level].concat()).ok();
    assert!(
        done.text().contains(&format!("{0} of {0} files written", paths.len())),
        "{}",
        done.text()
    );
    let set_up = files(env.root());
    for path in &paths {
        let text = String::from_utf8(set_up[path].0.clone()).unwrap();
        assert!(text.contains("forebay"), "{agent}: {}", path.display());
        if has_files && !is_whole(path) {
            let first = somebodys(path).lines().nth(1).unwrap();
            assert!(text.contains(first), "{agent}: {text}");
        }
    }

    let again = init(&env, &[&[agent, "--yes"], level].concat()).ok();
    assert!(again.text().contains("nothing to change"), "{agent}: {}", again.text());
    assert_eq!(files(env.root()), set_up, "{agent}: the second time changes nothing");

    init(&env, &[&[agent, "--undo", "--yes"], level].concat()).ok();
    assert_eq!(files(env.root()), before, "{agent} {level:?}: as it was");
    assert_eq!(folders(env.root()), folders_before, "{agent} {level:?}: no folder is left");
}

#[test]
fn all_at_once_share_files_and_leave_one_by_one() {
    let env = TestEnv::new();
    let agents = &AGENTS[..13];
    write(&env.project().join("AGENTS.md"), "# Ours\n");
    let before = files(env.root());
    init(&env, &[agents, &["--yes"]].concat()).ok();
    let shared = fs::read_to_string(env.project().join("AGENTS.md")).unwrap();
    assert_eq!(shared.matches("forebay:begin").count(), 1, "{shared}");

    for agent in agents {
        let text = fs::read_to_string(env.project().join("AGENTS.md")).unwrap();
        assert!(text.contains("forebay:begin") || *agent == "zed", "{agent} still needs it");
        init(&env, &[agent, "--undo", "--yes"]).ok();
    }
    assert_eq!(files(env.root()), before);
}

#[test]
fn undo_without_names_takes_back_whatever_is_set_up() {
    let env = TestEnv::new();
    let before = files(env.root());
    init(&env, &["codex", "cursor", "--yes"]).ok();
    init(&env, &["--undo", "--yes"]).ok();
    assert_eq!(files(env.root()), before);
    init(&env, &["--undo", "--yes"]).refused(1, "no agent has Forebay", "--user");
}

#[test]
fn what_is_installed_is_found() {
    let env = TestEnv::new();
    fs::create_dir_all(env.home().join(".cursor")).unwrap();
    fs::create_dir_all(env.home().join(".codeium/windsurf")).unwrap();
    let mut command = env.command(["init", "--user", "--dry-run", "--json"]);
    command.env("PATH", "/nowhere");
    let data = crate::env::finish(command, b"").ok().json();
    assert_eq!(data["agents"], serde_json::json!(["cursor", "windsurf"]));
    assert_eq!(data["written"], false);
    assert!(!env.home().join(".cursor/mcp.json").exists());
}

#[test]
fn nobody_is_asked_where_nobody_sits() {
    let env = TestEnv::new();
    let before = files(env.root());
    let output = init(&env, &["codex"]);
    assert_eq!(output.code(), Some(2));
    assert!(output.text().contains("+[mcp_servers.forebay]"), "{}", output.text());
    assert!(
        output.stderr.contains("nothing was written") && output.stderr.contains("--yes"),
        "{}",
        output.stderr
    );
    init(&env, &["codex", "--dry-run"]).ok();
    assert_eq!(files(env.root()), before);
}

#[test]
fn a_file_that_cannot_be_read_stays_and_the_others_are_written() {
    let env = TestEnv::new();
    let broken = env.project().join(".claude/settings.json");
    write(&broken, "{ \"hooks\": [ ");
    fs::create_dir_all(env.project().join("CLAUDE.md")).unwrap();
    let output = init(&env, &["claude-code", "cursor", "--yes"]);
    assert_eq!(output.code(), Some(1));
    let text = output.text();
    assert!(
        text.contains("settings.json: cannot parse it") && text.contains("left unchanged"),
        "{text}"
    );
    assert!(text.contains("CLAUDE.md: cannot read it"), "{text}");
    assert_eq!(fs::read_to_string(&broken).unwrap(), "{ \"hooks\": [ ");
    assert!(fs::read_to_string(env.project().join(".mcp.json")).unwrap().contains("forebay"));
    assert!(
        fs::read_to_string(env.project().join(".cursor/hooks.json")).unwrap().contains("forebay")
    );

    fs::write(&broken, [0xff, 0xfe, b'{', b'}']).unwrap();
    assert!(init(&env, &["claude-code", "--yes"]).text().contains("not UTF-8"));
}

#[test]
fn a_plugin_of_somebody_else_is_not_overwritten() {
    let env = TestEnv::new();
    let plugin = env.project().join(".opencode/plugin/forebay.js");
    write(&plugin, "export const Mine = 1\n");
    let output = init(&env, &["opencode", "--yes"]);
    assert!(output.text().contains("Forebay did not create"), "{}", output.text());
    init(&env, &["opencode", "--undo", "--yes"]).ok();
    assert_eq!(fs::read_to_string(&plugin).unwrap(), "export const Mine = 1\n");
}

#[test]
fn links_are_followed_and_permissions_kept() {
    let env = TestEnv::new();
    let real = env.home().join("dotfiles/claude.json");
    write(&real, "{}\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    fs::create_dir_all(env.home().join(".claude")).unwrap();
    symlink("../dotfiles/claude.json", env.home().join(".claude/settings.json")).unwrap();
    symlink("AGENTS.md", env.project().join("CLAUDE.md")).unwrap();
    let before = files(env.root());

    init(&env, &["claude-code", "--user", "--yes"]).ok();
    let text = fs::read_to_string(&real).unwrap();
    assert!(text.contains("hook claude-code PreToolUse"), "{text}");
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(env.home().join(".claude/settings.json").is_symlink());
    init(&env, &["claude-code", "codex", "--yes"]).ok();
    let words = fs::read_to_string(env.project().join("AGENTS.md")).unwrap();
    assert_eq!(words.matches("forebay:begin").count(), 1, "{words}");

    init(&env, &["--undo", "--user", "--yes"]).ok();
    init(&env, &["--undo", "--yes"]).ok();
    assert_eq!(files(env.root()), before);
}

#[test]
fn codex_is_not_made_to_trust() {
    let env = TestEnv::new();
    let output = init(&env, &["codex", "--user", "--yes"]).ok();
    assert!(output.text().contains("/hooks"), "{}", output.text());
    let written = fs::read_to_string(env.home().join(".codex/config.toml")).unwrap();
    assert!(!written.contains("trust"), "{written}");
}

#[test]
fn projects_name_the_program_and_users_its_place() {
    let env = TestEnv::new();
    let program = Path::new(env!("CARGO_BIN_EXE_forebay"));
    let folder = program.parent().unwrap().to_string_lossy().into_owned();
    for (level, on_path, expect) in [
        (vec![], true, "\"forebay\"".to_owned()),
        (vec!["--user"], true, format!("\"{}\"", program.display())),
        (vec![], false, format!("\"{}\"", program.display())),
    ] {
        let mut command = env.command([vec!["init", "claude-code", "--dry-run"], level].concat());
        command.env("PATH", if on_path { folder.as_str() } else { "/nowhere" });
        let text = crate::env::finish(command, b"").ok().text();
        assert!(text.contains(&format!("\"command\": {expect}")), "{text}");
    }
}

#[test]
fn wrong_words_are_told() {
    let env = TestEnv::new();
    init(&env, &["emacs"]).refused(2, "unknown agent `emacs`", "claude-code");
    let output = init(&env, &["claude-desktop", "--yes"]).ok();
    assert!(output.text().contains("use --user"), "{}", output.text());
    let home = env.home();
    env.forebay_in(&home, ["init", "codex"]).refused(2, "not a project", "--user");
}

#[test]
fn doctor_tells_who_is_set_up_and_what_is_lost() {
    let env = TestEnv::new();
    let doctor = |env: &TestEnv| {
        let mut command = env.command(["doctor"]);
        command.env("PATH", "/usr/bin:/bin");
        crate::env::finish(command, b"")
    };
    let first = doctor(&env);
    assert!(first.text().contains("agents      none"), "{}", first.text());
    init(&env, &["codex", "--user", "--yes"]).ok();
    init(&env, &["codex", "cursor", "--yes"]).ok();
    let text = doctor(&env).ok().text();
    assert!(text.contains("agents      Codex CLI (user, project), Cursor (project)"), "{text}");
    assert!(text.contains("Codex CLI: Hooks run only after you trust them"), "{text}");

    let config = env.home().join(".codex/config.toml");
    let moved = fs::read_to_string(&config)
        .unwrap()
        .replace(env!("CARGO_BIN_EXE_forebay"), "/gone/forebay");
    fs::write(&config, moved).unwrap();
    fs::remove_file(env.project().join(".cursor/hooks.json")).unwrap();
    let sick = doctor(&env);
    assert_eq!(sick.code(), Some(1));
    let text = sick.text();
    assert!(text.contains("BROKEN agents      Codex CLI starts /gone/forebay, which does not exist: `forebay init codex --user` fixes it"), "{text}");
    assert!(text.contains("Cursor (project without .cursor/hooks.json)"), "{text}");
    init(&env, &["codex", "--user", "--yes"]).ok();
    doctor(&env).ok();
}
