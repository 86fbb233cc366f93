//! `forebay init`: sets up fourteen agents in their own configuration files and restores every file.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::env::TestEnv;
use crate::pty::Terminal;

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

/// Returns every file below a folder with its bytes and mode, except Forebay's data and `.git`.
pub(crate) fn files(below: &Path) -> BTreeMap<PathBuf, (Vec<u8>, u32)> {
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

pub(crate) fn folders(below: &Path) -> Vec<PathBuf> {
    let mut all = vec![below.to_owned()];
    let mut next = 0;
    while next < all.len() {
        let inner = fs::read_dir(&all[next]).unwrap().map(|entry| entry.unwrap().path());
        let inner: Vec<PathBuf> = inner
            .filter(|path| path.is_dir() && *path != below.join("data") && !path.ends_with(".git"))
            .collect();
        all.extend(inner);
        next += 1;
    }
    all.sort();
    all
}

pub(crate) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Returns the files that `init` would change for an agent.
fn changed_files(env: &TestEnv, agent: &str, level: &[&str]) -> Vec<PathBuf> {
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

/// Returns content that the user may already have in such a file.
fn existing_content(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => {
            "{\n    // mine\n    \"theme\": \"dark\", /* as ever */\n    \"list\": [1, 2,],\n}\n"
        }
        Some("toml") => {
            "# mine\nmodel = \"m\"   # best\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n"
        }
        _ => "# Mine\n\nWords.\n",
    }
}

/// Returns whether Forebay owns the whole file, so that a foreign file blocks it.
fn is_owned_by_forebay(path: &Path) -> bool {
    let path = path.to_string_lossy();
    path.contains("forebay") || path.contains("/hooks/") && !path.ends_with("hooks.json")
}

#[test]
fn init_is_idempotent_and_undo_restores_every_file() {
    for level in [&["--user"] as &[&str], &["--project"]] {
        for agent in AGENTS {
            check_round_trip(agent, level, false);
            check_round_trip(agent, level, true);
        }
    }
}

fn check_round_trip(agent: &str, level: &[&str], has_files: bool) {
    if agent == "claude-desktop" && level == ["--project"] {
        return;
    }
    let env = TestEnv::new();
    let paths = changed_files(&env, agent, level);
    assert!(!paths.is_empty(), "{agent} {level:?}");
    if has_files {
        paths
            .iter()
            .filter(|path| !is_owned_by_forebay(path))
            .for_each(|path| write(path, existing_content(path)));
    }
    let before = files(env.root());
    let folders_before = folders(env.root());

    // Starting hooks and servers once is enough.
    let check: &[&str] = if has_files { &["--no-check"] } else { &[] };
    let done = init(&env, &[&[agent, "--yes"], level, check].concat()).ok();
    assert!(done.text().contains(&format!("\n{} of ", paths.len())), "{}", done.text());
    let set_up = files(env.root());
    for path in &paths {
        let text = String::from_utf8(set_up[path].0.clone()).unwrap();
        assert!(text.contains("forebay"), "{agent}: {}", path.display());
        if has_files && !is_owned_by_forebay(path) {
            let first = existing_content(path).lines().nth(1).unwrap();
            assert!(text.contains(first), "{agent}: {text}");
        }
    }

    let again = init(&env, &[&[agent, "--yes", "--no-check"], level].concat()).ok();
    assert!(again.text().contains("nothing to change"), "{agent}: {}", again.text());
    assert_eq!(files(env.root()), set_up, "{agent}: a second init changes nothing");

    init(&env, &[&[agent, "--undo", "--yes"], level].concat()).ok();
    assert_eq!(files(env.root()), before, "{agent} {level:?}: restored");
    assert_eq!(folders(env.root()), folders_before, "{agent} {level:?}: no folder is left");
}

#[test]
fn shared_file_stays_until_the_last_agent_is_undone() {
    let env = TestEnv::new();
    let agents = &AGENTS[..13];
    write(&env.project().join("AGENTS.md"), "# Ours\n");
    let before = files(env.root());
    init(&env, &[agents, &["--project", "--yes"]].concat()).ok();
    let shared = fs::read_to_string(env.project().join("AGENTS.md")).unwrap();
    assert_eq!(shared.matches("forebay:begin").count(), 1, "{shared}");

    for agent in agents {
        let text = fs::read_to_string(env.project().join("AGENTS.md")).unwrap();
        assert!(text.contains("forebay:begin") || *agent == "zed", "{agent} still needs it");
        init(&env, &[agent, "--project", "--undo", "--yes"]).ok();
    }
    assert_eq!(files(env.root()), before);
}

#[test]
fn undo_without_names_removes_every_agent_of_a_level() {
    let env = TestEnv::new();
    let before = files(env.root());
    init(&env, &["codex", "cursor", "--project", "--yes"]).ok();
    init(&env, &["--undo", "--yes"]).refused(1, "no agent has Forebay", "--undo --project");
    init(&env, &["gemini", "--yes"]).ok();
    let undone = init(&env, &["--undo", "--yes"]).ok();
    assert!(undone.text().contains("--undo --project"), "{}", undone.text());
    init(&env, &["--undo", "--project", "--yes"]).ok();
    assert_eq!(files(env.root()), before);
    init(&env, &["--undo", "--project", "--yes"]).refused(1, "no agent has Forebay", "--user");
}

#[test]
fn installed_agents_are_detected() {
    let env = TestEnv::new();
    fs::create_dir_all(env.home().join(".cursor")).unwrap();
    fs::create_dir_all(env.home().join(".codeium/windsurf")).unwrap();
    let mut command = env.command(["init", "--dry-run", "--json"]);
    command.env("PATH", "/nowhere");
    let data = crate::env::finish(command, b"").ok().json();
    assert_eq!(data["agents"], serde_json::json!(["cursor", "windsurf"]));
    assert_eq!(data["written"], false);
    assert!(!env.home().join(".cursor/mcp.json").exists());
}

#[test]
fn init_without_a_terminal_writes_nothing() {
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
fn invalid_file_is_left_unchanged_and_others_are_written() {
    let env = TestEnv::new();
    let broken = env.project().join(".claude/settings.json");
    write(&broken, "{ \"hooks\": [ ");
    fs::create_dir_all(env.project().join("CLAUDE.md")).unwrap();
    let output = init(&env, &["claude-code", "cursor", "--project", "--yes"]);
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
    assert!(init(&env, &["claude-code", "--project", "--yes"]).text().contains("not UTF-8"));
}

#[test]
fn foreign_plugin_is_not_overwritten() {
    let env = TestEnv::new();
    let plugin = env.project().join(".opencode/plugin/forebay.js");
    write(&plugin, "export const Mine = 1\n");
    let output = init(&env, &["opencode", "--project", "--yes"]);
    assert!(output.text().contains("Forebay did not create"), "{}", output.text());
    init(&env, &["opencode", "--project", "--undo", "--yes"]).ok();
    assert_eq!(fs::read_to_string(&plugin).unwrap(), "export const Mine = 1\n");
}

#[test]
fn symlinks_are_followed_and_permissions_kept() {
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
    init(&env, &["claude-code", "codex", "--project", "--yes"]).ok();
    let text = fs::read_to_string(env.project().join("AGENTS.md")).unwrap();
    assert_eq!(text.matches("forebay:begin").count(), 1, "{text}");

    init(&env, &["--undo", "--user", "--yes"]).ok();
    init(&env, &["--undo", "--project", "--yes"]).ok();
    assert_eq!(files(env.root()), before);
}

#[test]
fn init_does_not_mark_codex_hooks_as_trusted() {
    let env = TestEnv::new();
    let output = init(&env, &["codex", "--user", "--yes"]).ok();
    assert!(output.text().contains("/hooks"), "{}", output.text());
    let written = fs::read_to_string(env.home().join(".codex/config.toml")).unwrap();
    assert!(!written.contains("trust"), "{written}");
}

#[test]
fn project_files_use_the_program_name_and_user_files_its_path() {
    let env = TestEnv::new();
    let program = Path::new(env!("CARGO_BIN_EXE_forebay"));
    let folder = program.parent().unwrap().to_string_lossy().into_owned();
    for (level, on_path, expect) in [
        (vec!["--project"], true, "\"forebay\"".to_owned()),
        (vec![], true, format!("\"{}\"", program.display())),
        (vec!["--project"], false, format!("\"{}\"", program.display())),
    ] {
        let mut command = env.command([vec!["init", "claude-code", "--dry-run"], level].concat());
        command.env("PATH", if on_path { folder.as_str() } else { "/nowhere" });
        let text = crate::env::finish(command, b"").ok().text();
        assert!(text.contains(&format!("\"command\": {expect}")), "{text}");
    }
}

#[test]
fn steps_of_a_project_are_not_named_after_a_set_up_of_the_user() {
    let env = TestEnv::new();
    let of_user = init(&env, &["claude", "--user", "--yes"]).ok().text();
    assert!(!of_user.contains(".mcp.json"), "{of_user}");
    let of_project = init(&env, &["claude", "--project", "--yes"]).ok().text();
    assert!(of_project.contains("asks once whether to use `.mcp.json`"), "{of_project}");
}

#[test]
fn invalid_arguments_are_refused() {
    let env = TestEnv::new();
    init(&env, &["emacs"]).refused(2, "unknown agent `emacs`", "claude-code");
    init(&env, &["claud-code"]).refused(2, "unknown agent", "did you mean claude-code?");
    let output = init(&env, &["claude-desktop", "--project", "--yes"]).ok();
    assert!(output.text().contains("use --user"), "{}", output.text());
    let home = env.home();
    env.forebay_in(&home, ["init", "codex", "--project"]).refused(2, "not a project", "--project");
    assert_eq!(init(&env, &["codex", "--project", "--user"]).code(), Some(2));
}

#[test]
fn agents_are_found_by_their_usual_names() {
    let env = TestEnv::new();
    let names = ["claude", "Gemini", "copilot", "qwen", "vscode"];
    let output = init(&env, &[&names[..], &["--dry-run", "--json"]].concat()).ok();
    assert_eq!(
        output.json()["agents"],
        serde_json::json!([
            "claude-code",
            "gemini-cli",
            "copilot-cli",
            "qwen-code",
            "vscode-copilot"
        ])
    );
}

#[test]
fn a_harness_of_vs_code_is_set_up_by_its_name() {
    let env = TestEnv::new();
    let agents = |names: &[&str]| {
        let output = init(&env, &[names, &["--dry-run", "--json"]].concat()).ok();
        output.json()["agents"].clone()
    };
    assert_eq!(agents(&["vscode"]), serde_json::json!(["vscode-copilot", "copilot-cli"]));
    assert_eq!(agents(&["vscode:claude"]), serde_json::json!(["claude-code"]));
    assert_eq!(agents(&["vscode:Codex"]), serde_json::json!(["codex"]));
    assert_eq!(agents(&["vscode:local"]), serde_json::json!(["vscode-copilot"]));
    let text = init(&env, &["vscode", "--dry-run"]).ok().text();
    assert!(text.contains("forebay init vscode-copilot:claude vscode-copilot:codex"), "{text}");
    init(&env, &["vscode:emacs"]).refused(2, "unknown agent `vscode:emacs`", "claude-code");
    init(&env, &["zed:claude"]).refused(2, "unknown agent", "claude-code");
}

#[test]
fn hooks_of_antigravity_are_a_named_set() {
    let env = TestEnv::new();
    let hooks = env.project().join(".agents/hooks.json");
    write(&hooks, "{\n  \"lint\": { \"Stop\": [{ \"command\": \"make lint\" }] }\n}\n");
    let before = files(env.root());
    init(&env, &["antigravity", "--project", "--yes"]).ok();
    let written: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&hooks).unwrap()).unwrap();
    let hook = &written["forebay"]["Stop"][0];
    assert_eq!((&hook["type"], &hook["timeout"]), (&"command".into(), &10.into()), "{written}");
    assert!(hook["command"].as_str().unwrap().contains("hook antigravity Stop"), "{written}");
    assert_eq!(written["lint"]["Stop"][0]["command"], "make lint");
    init(&env, &["antigravity", "--project", "--undo", "--yes"]).ok();
    assert_eq!(files(env.root()), before);
}

#[test]
fn agents_are_found_by_their_folders_in_the_project() {
    let env = TestEnv::new();
    for folder in [".claude", ".codex", ".gemini", ".cursor"] {
        fs::create_dir(env.project().join(folder)).unwrap();
    }
    let mut command = env.command(["init", "--project", "--dry-run", "--json"]);
    let data = crate::env::finish(
        {
            command.env("PATH", "/nowhere");
            command
        },
        b"",
    )
    .ok()
    .json();
    assert_eq!(data["agents"], serde_json::json!(["claude-code", "codex", "gemini-cli", "cursor"]));
    assert!(data["remarks"][0].as_str().unwrap().contains("this project has .claude"), "{data}");
}

#[test]
fn the_users_own_settings_are_the_default_and_shared_files_are_named() {
    let env = TestEnv::new();
    let own = init(&env, &["codex", "--dry-run"]).ok().text();
    let first = own.lines().next().unwrap();
    assert_eq!(first, "3 files to write in your own settings, for all projects:");
    assert!(own.contains("  new      ~/.codex/config.toml (Codex CLI)\n"), "{own}");
    assert!(!own.contains("committed"), "{own}");
    let shared = init(&env, &["codex", "--project", "--dry-run"]).ok().text();
    assert!(shared.starts_with("3 files to write in this project:\n"), "{shared}");
    let (summary, diffs) = shared.split_once("\n\n").unwrap();
    assert!(summary.contains("Once committed, these files are shared"), "{summary}");
    assert!(diffs.contains("+[mcp_servers.forebay]"), "{diffs}");
    let home = env.home();
    env.forebay_in(&home, ["init", "codex", "--yes"]).ok();
}

#[test]
fn the_outcome_counts_every_file_and_says_what_was_left_alone() {
    let env = TestEnv::new();
    init(&env, &["codex", "--yes"]).ok();
    let settings = env.home().join(".gemini/settings.json");
    write(&settings, "{}\n");
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o444)).unwrap();
    let output = init(&env, &["codex", "gemini", "cursor", "--yes"]);
    assert_eq!(output.code(), Some(1));
    let text = output.text();
    assert!(
        text.contains("error: ~/.gemini/settings.json: it is read-only; left unchanged"),
        "{text}"
    );
    let expected = "2 of 7 files written, 5 left alone: 3 already set up, ~/.gemini/GEMINI.md (Gemini CLI has no \
                    Forebay tools at this level), ~/.gemini/settings.json (it is read-only)";
    assert!(text.contains(expected), "{text}");
    assert_eq!(fs::read_to_string(&settings).unwrap(), "{}\n");
    assert!(!env.home().join(".gemini/GEMINI.md").exists(), "no instructions without tools");
}

#[test]
fn read_only_folder_is_left_alone() {
    let env = TestEnv::new();
    let folder = env.project().join(".cursor");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let output = init(&env, &["cursor", "--project", "--yes"]);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(output.code(), Some(1));
    assert!(output.text().contains(".cursor is read-only"), "{}", output.text());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn instructions_are_only_for_agents_with_tools() {
    let env = TestEnv::new();
    // These two take MCP servers from the user's settings only.
    let output = init(&env, &["cline", "windsurf", "--project", "--yes"]).ok();
    assert!(!env.project().join("AGENTS.md").exists(), "{}", output.text());
    assert!(output.text().contains("AGENTS.md (Cline has no Forebay tools"), "{}", output.text());
    init(&env, &["cline", "--user", "--yes"]).ok();
    init(&env, &["cline", "--project", "--yes"]).ok();
    assert!(env.project().join("AGENTS.md").exists());
}

#[test]
fn undo_keeps_empty_folders_that_were_there() {
    let env = TestEnv::new();
    for folder in [".cursor", ".kiro/settings"] {
        fs::create_dir_all(env.project().join(folder)).unwrap();
    }
    let before = folders(env.root());
    init(&env, &["cursor", "kiro", "--project", "--yes"]).ok();
    init(&env, &["--undo", "--project", "--yes"]).ok();
    assert_eq!(folders(env.root()), before);
}

/// Returns every hook's command line in the files below a folder; scripts are run as they are.
fn hook_commands(below: &Path) -> Vec<String> {
    fn commands_in(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(fields) => fields.iter().for_each(|(key, value)| {
                let text = value.as_str().filter(|_| key == "command" || key == "bash");
                found.extend(text.filter(|text| text.contains(" hook ")).map(str::to_owned));
                commands_in(value, found);
            }),
            serde_json::Value::Array(items) => items.iter().for_each(|one| commands_in(one, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for (path, (bytes, _)) in files(below) {
        let text = String::from_utf8(bytes).unwrap();
        if let Ok(value) = serde_json::from_str(&text) {
            commands_in(&value, &mut found);
        } else if text.starts_with("#!") {
            found.push(path.to_string_lossy().into_owned());
        }
    }
    found
}

#[test]
fn hooks_do_nothing_where_forebay_is_missing() {
    // More than a pipe holds: a hook that does not read would fail its host.
    let payload = "x".repeat(1 << 20);
    for agent in AGENTS.iter().filter(|agent| **agent != "claude-desktop") {
        let env = TestEnv::new();
        let program = Path::new(env!("CARGO_BIN_EXE_forebay"));
        let mut command = env.command(["init", agent, "--project", "--yes", "--no-check"]);
        command.env("PATH", program.parent().unwrap());
        crate::env::finish(command, b"").ok();
        let commands = hook_commands(&env.project());
        let has_none = ["opencode", "zed"].contains(agent);
        assert_eq!(commands.is_empty(), has_none, "{agent}");
        for line in commands {
            let mut command = env.program("/bin/sh");
            command.args(["-c", &line]).env("PATH", "/usr/bin:/bin");
            let output = crate::env::finish(command, payload.as_bytes());
            assert_eq!(
                (output.code(), output.text().as_str(), output.stderr.as_str()),
                (Some(0), "", ""),
                "{agent}: {line}"
            );
        }
    }
}

#[test]
fn guarded_hooks_call_forebay_where_it_is_installed() {
    let env = TestEnv::new();
    let bin = env.root().join("my bin");
    let fake = bin.join("forebay");
    write(&fake, "#!/bin/sh\necho \"$*\"; cat\nexit 7\n");
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_forebay"));
    let agents = ["claude", "cline", "copilot"];
    let options = ["--project", "--yes", "--no-check"];
    let mut command = env.command([&["init"], &agents[..], &options].concat());
    command.env("PATH", program.parent().unwrap());
    crate::env::finish(command, b"").ok();
    let commands = hook_commands(&env.project());
    assert!(commands.len() > 15, "{commands:?}");
    for line in commands {
        let mut command = env.program("/bin/sh");
        command.args(["-c", &line]).env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
        let output = crate::env::finish(command, b"payload");
        assert_eq!(output.code(), Some(7), "{line}");
        let text = output.text();
        assert!(text.starts_with("hook c") && text.ends_with("\npayload"), "{line}: {text}");
    }
}

#[test]
fn doctor_reports_configured_and_broken_agents() {
    let env = TestEnv::new();
    let doctor = |env: &TestEnv| {
        let mut command = env.command(["doctor"]);
        command.env("PATH", "/usr/bin:/bin");
        crate::env::finish(command, b"")
    };
    let first = doctor(&env);
    assert!(first.text().contains("agents      none"), "{}", first.text());
    init(&env, &["codex", "--user", "--yes"]).ok();
    init(&env, &["codex", "cursor", "--project", "--yes"]).ok();
    let text = doctor(&env).ok().text();
    assert!(text.contains("agents      Codex CLI (user, project), Cursor (project)"), "{text}");
    assert!(text.contains("Codex CLI: Hooks run only after you trust them"), "{text}");

    let config = env.home().join(".codex/config.toml");
    let moved = fs::read_to_string(&config)
        .unwrap()
        .replace(env!("CARGO_BIN_EXE_forebay"), "/gone/forebay");
    fs::write(&config, moved).unwrap();
    fs::remove_file(env.project().join(".cursor/hooks.json")).unwrap();
    let broken = doctor(&env);
    assert_eq!(broken.code(), Some(1));
    let text = broken.text();
    assert!(text.contains("BROKEN agents      Codex CLI starts /gone/forebay, which does not exist: `forebay doctor --fix` mends it"), "{text}");
    assert!(text.contains("Cursor (project without .cursor/hooks.json)"), "{text}");
    init(&env, &["codex", "--user", "--yes"]).ok();
    doctor(&env).ok();
}

#[test]
fn undo_deletes_what_claude_code_writes_beside_the_mod() {
    let env = TestEnv::new();
    let before = (files(env.root()), folders(env.root()));
    init(&env, &["claude-code", "--user", "--yes"]).ok();
    let folder = env.home().join(".claude/skills/forebay");
    write(&folder.join(".claude-plugin/types/claude-code/index.d.ts"), "declare module\n");
    write(&folder.join("tsconfig.json"), "{}\n");
    init(&env, &["claude-code", "--undo", "--user", "--yes"]).ok();
    assert_eq!((files(env.root()), folders(env.root())), before);
    // A file of the user's stays, and the folder with it.
    init(&env, &["claude-code", "--user", "--yes"]).ok();
    write(&folder.join("notes.md"), "mine\n");
    init(&env, &["claude-code", "--undo", "--user", "--yes"]).ok();
    assert_eq!(fs::read_to_string(folder.join("notes.md")).unwrap(), "mine\n");
}

/// Sets Claude Code up at a terminal, and answers the question about the holdout.
fn init_at_terminal(env: &TestEnv, answer: &str) -> String {
    let mut terminal = Terminal::open(env.command(["init", "claude-code", "--no-check"]), 50, 120);
    terminal.waits_for("Write ");
    terminal.press("y\n");
    terminal.waits_for("Measure whether digests pay?");
    terminal.press(answer);
    assert!(terminal.ends().success(), "{}", terminal.screen());
    terminal.screen()
}

#[test]
fn init_asks_once_whether_results_are_held_out() {
    let env = TestEnv::new();
    let holdout = || env.forebay(["config", "get", "experiment.holdout"]).ok().text();
    let screen = init_at_terminal(&env, "n\n");
    assert!(!screen.contains("stays raw. `forebay config"), "{screen}");
    assert_eq!(holdout(), "0.0", "no is no");
    env.forebay(["init", "claude-code", "--undo", "--yes"]).ok();
    let screen = init_at_terminal(&env, "y\n");
    assert!(screen.contains("forebay config set experiment.holdout 0"), "{screen}");
    assert_eq!(holdout(), "0.1");
    env.forebay(["init", "claude-code", "--undo", "--yes"]).ok();
    // The answer stands: it is not asked for again, nor in a set-up that asks nothing.
    let mut terminal = Terminal::open(env.command(["init", "claude-code", "--no-check"]), 50, 120);
    terminal.waits_for("Write ");
    terminal.press("y\n");
    assert!(terminal.ends().success());
    assert!(!terminal.screen().contains("Measure whether"), "{}", terminal.screen());
}

#[test]
fn a_set_up_that_asks_nothing_holds_nothing_out() {
    let env = TestEnv::new();
    let said = env.forebay(["init", "claude-code", "--no-check", "--yes"]).ok().text();
    assert!(!said.contains("Measure whether"), "{said}");
    assert_eq!(env.forebay(["config", "get", "experiment.holdout"]).ok().text(), "0.0");
}
