//! `forebay doctor --fix`: mends set-ups, changes nothing else, and leaves an undo exact.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::env::{Output, TestEnv, finish};
use crate::init::{files, folders, write};

fn run(env: &TestEnv, arguments: &[&str]) -> Output {
    finish(env.command(arguments), b"")
}

fn init(env: &TestEnv, arguments: &[&str]) {
    run(env, &[&["init", "--yes", "--no-check"], arguments].concat()).ok();
}

fn fix(env: &TestEnv) -> Output {
    run(env, &["doctor", "--fix", "--yes"]).ok()
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{}: {text}", path.display());
    fs::write(path, text.replace(from, to)).unwrap();
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_forebay");
const ALL: [&str; 13] = [
    "claude",
    "codex",
    "gemini",
    "copilot",
    "opencode",
    "cursor",
    "qwen",
    "cline",
    "vscode-copilot",
    "kiro",
    "windsurf",
    "antigravity",
    "zed",
];

#[test]
fn lost_programs_are_replaced_in_every_file_and_an_undo_is_exact() {
    let env = TestEnv::new();
    let own = env.home().join(".claude/settings.json");
    write(&own, "{\n  \"statusLine\": { \"type\": \"command\", \"command\": \"date\" }\n}\n");
    write(&env.home().join(".codex/config.toml"), "# mine\n[a]\nb = 1\n");
    let before = (files(env.root()), folders(env.root()));
    init(&env, &ALL);
    let good = files(env.root());
    for (path, (bytes, mode)) in &good {
        let text = String::from_utf8(bytes.clone()).unwrap();
        fs::write(path, text.replace(PROGRAM, "/gone/0.0.9/forebay")).unwrap();
        assert_eq!(fs::metadata(path).unwrap().permissions().mode(), *mode);
    }
    let checked = run(&env, &["doctor"]);
    assert_eq!(checked.code(), Some(1));
    let lost = "Codex CLI starts /gone/0.0.9/forebay, which does not exist: `forebay doctor --fix` mends it";
    assert!(checked.text().contains(lost), "{}", checked.text());
    let fixed = fix(&env).text();
    assert!(
        fixed.contains("~/.codex/config.toml starts /gone/0.0.9/forebay, which does not exist"),
        "{fixed}"
    );
    assert_eq!(files(env.root()), good);
    assert!(fix(&env).text().starts_with("nothing to mend\n"));
    init(&env, &["--undo"]);
    assert_eq!((files(env.root()), folders(env.root())), before);
}

#[test]
fn what_the_user_chose_stays() {
    let env = TestEnv::new();
    let other = env.root().join("other/forebay");
    write(&other, "#!/bin/sh\n");
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).unwrap();
    init(&env, &["claude", "codex", "--no-status-line"]);
    let servers = env.home().join(".claude.json");
    let settings = env.home().join(".claude/settings.json");
    for path in [&servers, &settings] {
        replace(path, PROGRAM, &other.to_string_lossy());
    }
    replace(&servers, "\"alwaysLoad\": true", "\"alwaysLoad\": false");
    let config = env.home().join(".codex/config.toml");
    replace(&config, "args = [\"mcp\"]", "args = [\"mcp\"]\ntool_timeout_sec = 90");
    let chosen = files(env.root());
    assert!(
        fix(&env).text().starts_with("nothing to mend\n"),
        "a program that exists, and other options"
    );
    assert_eq!(files(env.root()), chosen);

    // Only the program changes; the one that still exists is used.
    replace(&servers, &other.to_string_lossy(), "/gone/forebay");
    replace(&config, PROGRAM, "/gone/forebay");
    fix(&env);
    assert_eq!(files(env.root()), chosen);
    assert!(!fs::read_to_string(&settings).unwrap().contains("statusline"));
}

#[test]
fn half_written_set_ups_are_completed() {
    let env = TestEnv::new();
    let before = (files(env.root()), folders(env.root()));
    init(&env, &["claude", "cline", "cursor"]);
    init(&env, &["cline", "--project"]);
    let good = files(env.root());
    let path = |name: &str| env.home().join(name);
    fs::remove_file(path(".claude/skills/forebay/hooks/hooks.json")).unwrap();
    replace(
        &path(".claude/skills/forebay/hooks/forebay.ts"),
        "import ",
        "// an older version\nimport ",
    );
    fs::remove_file(path(".cursor/mcp.json")).unwrap();
    let settings = path(".claude/settings.json");
    replace(&settings, "claude-code Stop'", "claude-code Stopp'");
    let script = env.project().join(".clinerules/hooks/PreToolUse");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o644)).unwrap();
    let leftover = path(".claude/.settings.json.forebay-4711");
    write(&leftover, "half");
    let old = SystemTime::now() - Duration::from_hours(1);
    fs::File::open(&leftover).unwrap().set_modified(old).unwrap();
    fs::set_permissions(env.data(), fs::Permissions::from_mode(0o755)).unwrap();

    let noted = run(&env, &["doctor"]).text();
    assert!(
        noted.contains(
            "settings.json is not as this version writes it: `forebay doctor --fix` mends it"
        ),
        "{noted}"
    );
    let refused = run(&env, &["doctor", "--fix"]);
    assert_eq!(refused.code(), Some(2));
    assert!(refused.stderr.contains("nothing was mended: cannot ask"), "{}", refused.stderr);
    let text = fix(&env).text();
    for finding in [
        "~/.claude/skills/forebay/hooks/hooks.json has nothing of Forebay (Claude Code)",
        "~/.claude/skills/forebay/hooks/forebay.ts is not as this version writes it",
        "~/.cursor/mcp.json has nothing of Forebay (Cursor)",
        "PreToolUse has mode 644 instead of 755",
        ".settings.json.forebay-4711 is left of an interrupted write",
        "has mode 755 instead of 700",
    ] {
        assert!(text.contains(finding), "{finding}: {text}");
    }
    assert!(text.contains("7 of 7 mended"), "{text}");
    let mut mended = files(env.root());
    let of_user = replaced_hook(&mut mended, &settings);
    assert!(of_user.contains("claude-code Stopp'"), "a hook that is not ours stays: {of_user}");
    let mut good = good;
    good.remove(&settings);
    assert_eq!(mended, good);
    assert_eq!(fs::metadata(env.data()).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(fix(&env).text().starts_with("nothing to mend\n"));

    fs::write(&settings, of_user.replace("claude-code Stopp'", "claude-code Stop'")).unwrap();
    init(&env, &["--undo"]);
    init(&env, &["--undo", "--project"]);
    assert_eq!((files(env.root()), folders(env.root())), before);
}

/// Takes a file out of the list and returns its text.
fn replaced_hook(
    files: &mut std::collections::BTreeMap<PathBuf, (Vec<u8>, u32)>,
    path: &Path,
) -> String {
    String::from_utf8(files.remove(path).unwrap().0).unwrap()
}

#[test]
fn files_that_do_the_same_as_a_plugin_are_taken_back() {
    let env = TestEnv::new();
    let settings = env.home().join(".claude/settings.json");
    write(&settings, "{\n  \"enabledPlugins\": { \"forebay@forebay\": true }\n}\n");
    init(&env, &["claude"]);
    let noted = run(&env, &["doctor"]).text();
    assert!(noted.contains("does the same as the plugin forebay@forebay"), "{noted}");
    fix(&env);
    let text = fs::read_to_string(&settings).unwrap();
    assert!(
        !text.contains(" hook claude-code") && text.contains("statusline claude-code"),
        "{text}"
    );
    assert!(
        !env.home().join(".claude/skills").exists() && !env.home().join(".claude.json").exists()
    );
    assert!(
        fs::read_to_string(env.home().join(".claude/CLAUDE.md")).unwrap().contains("forebay:begin")
    );
    assert!(fix(&env).text().starts_with("nothing to mend\n"), "the plugin has the rest");
}

#[test]
fn a_file_that_cannot_be_parsed_is_left_to_the_user() {
    let env = TestEnv::new();
    init(&env, &["claude", "codex"]);
    let servers = env.home().join(".claude.json");
    fs::write(&servers, "{ \"mcpServers\": ").unwrap();
    fs::remove_file(env.home().join(".codex/hooks.json")).unwrap();
    let fixed = run(&env, &["doctor", "--fix", "--yes"]);
    let text = fixed.text();
    assert!(text.contains("error: ~/.claude.json: cannot parse it"), "{text}");
    assert!(text.contains("1 of 1 mended, 1 left to you: see above"), "{text}");
    assert_eq!(fs::read_to_string(&servers).unwrap(), "{ \"mcpServers\": ");
    let data = run(&env, &["doctor", "--fix", "--yes", "--json"]).json();
    assert_eq!(data["mended"]["findings"][0]["agent"], "claude-code", "{data}");
}
