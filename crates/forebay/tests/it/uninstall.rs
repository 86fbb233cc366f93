//! `forebay uninstall`: the home is as it was, byte for byte; what users wrote meanwhile and what is stored stays.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::env::{Output, TestEnv, finish};
use crate::init::{files, folders, write};
use crate::mcp_client::McpClient;
use crate::release_server::Installation;

/// Files as hosts and users write them, below the home folder.
const OF_USER: &[(&str, &str)] = &[
    (
        ".claude.json",
        "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"files\": { \"command\": \"npx\" }\n  }\n}\n",
    ),
    (
        ".claude/settings.json",
        "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [{ \
         \"type\": \"command\", \"command\": \"lint\" }] }\n    ]\n  },\n  \"statusLine\": { \"type\": \"command\", \
         \"command\": \"date\" }\n}\n",
    ),
    (".claude/CLAUDE.md", "# Mine\r\n\r\nUse tabs.\r\n"),
    (
        ".codex/config.toml",
        "# mine\nmodel = \"m\"   # best\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n",
    ),
    (".gemini/settings.json", "{ // mine\n\t\"theme\": \"dark\",\n}"),
    (".cursor/mcp.json", "{}"),
    (".copilot/config.json", "{\"a\":1}\n"),
    ("xdg-config/opencode/opencode.json", "{\n    \"mcp\": {}\n}\n"),
];

fn with_files(env: &TestEnv) {
    for (name, text) in OF_USER {
        write(&env.home().join(name), text);
    }
    write(&env.project().join("CLAUDE.md"), "# App\n");
}

/// The program as the install script leaves it after an upgrade.
fn from_archive(env: &TestEnv) -> Installation<'_> {
    let installed = Installation::installed_at(env, &env.home().join(".local/bin/forebay"));
    write(&env.home().join(".local/bin/.forebay.previous"), "the version before");
    installed
}

fn run(installed: &Installation<'_>, folder: &Path, arguments: &[&str]) -> Output {
    let mut command = installed.command(arguments);
    command.current_dir(folder);
    finish(command, b"")
}

fn uninstall(installed: &Installation<'_>, arguments: &[&str]) -> Output {
    run(installed, &installed.env.home(), &[&["uninstall"], arguments].concat())
}

/// Sets agents up for the user, and in two projects.
fn set_up(env: &TestEnv, installed: &Installation<'_>) {
    let user =
        ["claude", "codex", "gemini", "copilot", "opencode", "cursor", "cline", "kiro", "zed"];
    run(installed, &env.project(), &[&["init", "--yes"], &user[..]].concat());
    run(installed, &env.project(), &["init", "claude", "cursor", "cline", "--project", "--yes"]);
    run(installed, &env.add_project("web"), &["init", "codex", "gemini", "--project", "--yes"]);
}

#[test]
fn the_home_and_all_projects_are_as_before() {
    let env = TestEnv::new();
    with_files(&env);
    env.add_project("web");
    let before = (files(env.root()), folders(env.root()));
    let installed = from_archive(&env);
    let created = [".local/bin", ".local"].map(|name| env.home().join(name).display().to_string());
    write(&env.home().join(".local/bin/.forebay.created"), &created.join("\n"));
    set_up(&env, &installed);
    assert!(files(env.root()).len() > before.0.len() + 25);

    let done = uninstall(&installed, &["--yes"]).ok();
    let text = done.text();
    assert!(
        text.contains("  removed  ~/.claude/skills/forebay/hooks/forebay.ts (Claude Code)"),
        "{text}"
    );
    assert!(
        text.contains("removed: ~/.local/bin/forebay, ~/.local/bin/.forebay.previous"),
        "{text}"
    );
    assert!(
        text.contains("restored or removed. The program was removed. There is no data."),
        "{text}"
    );
    assert_eq!(files(env.root()), before.0);
    assert_eq!(folders(env.root()), before.1);
    assert!(!env.data().exists(), "an empty data folder is left");
}

#[test]
fn folders_that_runs_needed_go_if_they_are_empty() {
    let env = TestEnv::new();
    fs::create_dir_all(env.home().join(".local/bin")).unwrap();
    let before = (files(&env.home()), folders(&env.home()));
    let installed = from_archive(&env);
    let in_home = |arguments: &[&str]| {
        let mut command = installed.command(arguments);
        // The data is where it is by default: in folders that do not exist yet.
        command.env_remove("FOREBAY_HOME").env("XDG_DATA_HOME", env.home().join("share/data"));
        finish(command, b"")
    };
    in_home(&["run", "--", "touch", "made"]).ok();
    in_home(&["run", "--language", "sh", "echo also > made"]).ok();
    let cache = env.home().join("xdg-cache");
    assert!(cache.is_dir() && env.home().join("share/data/forebay/projects").is_dir());
    in_home(&["uninstall", "--yes"]).ok();
    assert!(!cache.exists() && env.home().join("share/data/forebay/projects").is_dir());

    from_archive(&env);
    in_home(&["run", "--", "touch", "made"]).ok();
    fs::write(cache.join("of-a-tool"), "x").unwrap();
    let text = in_home(&["uninstall", "--yes", "--purge-data"]).ok().text();
    assert!(text.ends_with("The data was deleted."), "{text}");
    fs::remove_dir_all(cache).unwrap();
    assert_eq!((files(&env.home()), folders(&env.home())), before);
}

#[test]
fn folders_of_the_user_stay() {
    let env = TestEnv::new();
    let installed = from_archive(&env);
    let (bin, other) = (env.home().join(".local/bin"), env.home().join("other"));
    fs::create_dir(&other).unwrap();
    let listed = [&bin, &other, &env.home().join(".local")].map(|path| path.display().to_string());
    write(&bin.join(".forebay.created"), &listed.join("\n"));
    write(&env.home().join(".local/mine"), "");
    uninstall(&installed, &["--yes"]).ok();
    assert!(!bin.exists() && env.home().join(".local/mine").exists());
    assert!(other.exists(), "the program is not in it");
}

#[test]
fn edits_of_the_user_stay() {
    /// What a user changes in a file: beside, before and after what Forebay wrote.
    const EDITS: &[(&str, &str, &str)] = &[
        (".claude.json", "\"numStartups\": 3", "\"numStartups\": 4,\n  \"tips\": [\"forebay\"]"),
        (".claude/settings.json", "\"model\": \"opus\"", "\"model\": \"sonnet\""),
        (".claude/settings.json", "\"command\": \"lint\"", "\"command\": \"lint --all\""),
        (".claude/settings.json", "\"statusLine\": { ", "\"statusLine\": { \"padding\": 0, "),
        (".claude/CLAUDE.md", "Use tabs.", "Use spaces.\r\n\r\n- hook up the CI"),
        (".codex/config.toml", "trust_level = \"trusted\"", "trust_level = \"untrusted\"\nx = 1"),
        (".gemini/settings.json", "\"dark\"", "\"light\""),
    ];
    let env = TestEnv::new();
    with_files(&env);
    fs::create_dir_all(env.home().join(".local/bin")).unwrap();
    let edit = || {
        for (name, from, to) in EDITS {
            let path = env.home().join(name);
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(text.matches(from).count(), 1, "{name}: {text}");
            fs::write(path, text.replace(from, to)).unwrap();
        }
    };
    let originals: Vec<(PathBuf, Vec<u8>)> = OF_USER
        .iter()
        .map(|(name, _)| env.home().join(name))
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    edit();
    let expected = (files(env.root()), folders(env.root()));
    for (path, bytes) in &originals {
        fs::write(path, bytes).unwrap();
    }

    let installed = from_archive(&env);
    set_up(&env, &installed);
    edit();
    uninstall(&installed, &["--yes"]).ok();
    fs::remove_dir_all(env.root().join("web")).unwrap();
    assert_eq!(files(env.root()), expected.0);
    assert_eq!(folders(env.root()), expected.1);
}

#[test]
fn a_file_that_cannot_be_restored_keeps_the_program() {
    let env = TestEnv::new();
    let installed = from_archive(&env);
    run(&installed, &env.project(), &["init", "claude", "codex", "--yes"]);
    let settings = env.home().join(".claude/settings.json");
    let good = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, format!("{good} trailing")).unwrap();
    let failed = uninstall(&installed, &["--yes"]);
    assert_eq!(failed.code(), Some(1), "{failed:?}");
    let text = failed.text();
    assert!(text.contains("error: ~/.claude/settings.json: cannot parse it"), "{text}");
    assert!(text.contains("1 not; program and data stay until that is done"), "{text}");
    assert!(installed.executable.exists() && !env.home().join(".codex").exists());
    fs::write(&settings, good).unwrap();
    uninstall(&installed, &["--yes"]).ok();
    assert!(!settings.exists() && !installed.executable.exists());
}

#[test]
fn a_package_manager_removes_what_it_installed() {
    let env = TestEnv::new();
    let path = env.root().join("n/lib/node_modules/forebay/bin/forebay");
    let installed = Installation::installed_at(&env, &path);
    let text = uninstall(&installed, &["--yes"]).ok().text();
    assert!(text.contains("installed as npm (global): npm uninstall --global forebay"), "{text}");
    assert!(text.contains("No agent is set up.") && path.exists(), "{text}");
}

#[test]
fn folders_that_variables_moved_and_missing_projects_are_known() {
    let env = TestEnv::new();
    let installed = from_archive(&env);
    let before = files(&env.home());
    let mut init = installed.command(&["init", "codex", "--yes"]);
    init.env("CODEX_HOME", env.home().join("elsewhere"));
    finish(init, b"");
    assert!(env.home().join("elsewhere/config.toml").exists());
    let gone = env.add_project("gone");
    run(&installed, &gone, &["init", "codex", "--project", "--yes"]);
    fs::rename(&gone, env.root().join("moved")).unwrap();

    let listed = uninstall(&installed, &["--dry-run"]).ok().text();
    assert!(listed.contains("gone was set up as a project and is not there now"), "{listed}");
    assert!(listed.contains("-[mcp_servers.forebay]"), "{listed}");
    assert!(listed.ends_with("nothing was removed: dry run"), "{listed}");
    fs::rename(env.root().join("moved"), &gone).unwrap();
    uninstall(&installed, &["--yes"]).ok();
    assert!(!gone.join(".codex").exists() && !gone.join("AGENTS.md").exists());
    let left: Vec<PathBuf> = files(&env.home()).into_keys().collect();
    let program = [".local/bin/forebay", ".local/bin/.forebay.previous"];
    let program = program.map(|name| env.home().join(name));
    let expected: Vec<PathBuf> =
        before.into_keys().filter(|path| !program.contains(path)).collect();
    assert_eq!(left, expected);
}

#[test]
fn data_stays_unless_it_is_to_be_deleted() {
    let env = TestEnv::new();
    let installed = from_archive(&env);
    let settings = env.data().join("settings.toml");
    env.noted("remember");
    write(&settings, "[digest]\nbudget = 300\n");
    write(&env.data().join("mine.txt"), "mine");
    let refused = uninstall(&installed, &["--purge-data"]);
    assert_eq!(refused.code(), Some(2));
    assert!(refused.stderr.contains("nothing was removed: cannot ask"), "{}", refused.stderr);

    let text = uninstall(&installed, &["--yes"]).ok().text();
    assert!(text.contains("in 1 store; --purge-data deletes it"), "{text}");
    assert!(env.database().exists() && settings.exists());
    let installed = from_archive(&env);
    let text = uninstall(&installed, &["--yes", "--purge-data"]).ok().text();
    assert!(text.contains("DELETED: "), "{text}");
    assert!(text.contains("what Forebay did not create stays"), "{text}");
    let left: Vec<PathBuf> =
        fs::read_dir(env.data()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [env.data().join("mine.txt")]);
}

#[test]
fn what_runs_is_named_and_its_data_is_not_deleted() {
    let env = TestEnv::new();
    let installed = from_archive(&env);
    let mut session = McpClient::initialized(installed.command(&["mcp"]));
    session.text("ctx_annotate", serde_json::json!({ "text": "one" }));
    let id = session.process().as_raw_nonzero().to_string();
    if cfg!(target_os = "linux") {
        let refused = uninstall(&installed, &["--yes", "--purge-data"]);
        assert_eq!(refused.code(), Some(126), "{refused:?}");
        assert!(refused.stderr.contains(&format!("use the data: {id}")), "{}", refused.stderr);
        assert!(installed.executable.exists());
    }
    let done = uninstall(&installed, &["--yes"]).ok().text();
    assert!(done.contains(&format!("mcp ({id}): not ended")), "{done}");
    session.text("ctx_annotate", serde_json::json!({ "text": "two" }));
}

#[test]
fn a_dry_run_changes_nothing_and_is_told_as_data() {
    let env = TestEnv::new();
    let installed = from_archive(&env);
    run(&installed, &env.project(), &["init", "codex", "--yes"]);
    let before = files(env.root());
    let data: Value = uninstall(&installed, &["--dry-run", "--json"]).ok().json();
    assert_eq!(data["done"], false);
    assert_eq!(data["changes"].as_array().unwrap().len(), 3, "{data}");
    assert_eq!(data["program"]["removed"].as_array().unwrap().len(), 2, "{data}");
    assert_eq!(files(env.root()), before);
}

#[test]
fn a_plugin_is_left_to_the_command_that_installed_it() {
    let env = TestEnv::new();
    let installed = from_archive(&env);
    let settings = env.home().join(".claude/settings.json");
    write(&settings, "{ \"enabledPlugins\": { \"forebay@forebay\": true } }\n");
    let text = uninstall(&installed, &["--yes"]).ok().text();
    assert!(text.contains("plugin   forebay@forebay of Claude Code stays"), "{text}");
    assert!(text.contains("claude plugin uninstall forebay"), "{text}");
    assert!(fs::read_to_string(&settings).unwrap().contains("forebay@forebay"));
}
