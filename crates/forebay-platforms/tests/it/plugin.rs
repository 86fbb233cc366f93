//! The plugin folders of Claude Code and Codex CLI agree with the platforms' tables.

use std::fs;
use std::path::PathBuf;

use forebay_platforms::find;
use forebay_platforms::setup::{self, Level, NEW_FILE};
use serde_json::Value;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What the set-up of a platform writes into a new file.
fn new_file_of(platform: &str, level: Level, path: &str) -> String {
    let steps = setup::steps(find(platform).unwrap(), level);
    steps.iter().find(|step| step.path == path).unwrap().add(NEW_FILE, "forebay").unwrap()
}

fn new_file(level: Level, path: &str) -> String {
    new_file_of("claude-code", level, path)
}

/// The command hooks of a project, and the mod.
fn hooks_and_mod() -> String {
    let hooks = new_file(Level::Project, ".claude/settings.json");
    let open = hooks.trim_end().strip_suffix("\n}").unwrap();
    format!("{open},\n  \"modules\": [\n    \"./forebay.ts\"\n  ]\n}}\n")
}

/// Compares a file of the plugin with the table; `INSTA_UPDATE=always` writes it, as for snapshots.
#[track_caller]
fn assert_file(path: &str, expected: &str) {
    let path = format!("plugins/{path}");
    if std::env::var_os("INSTA_UPDATE").is_some_and(|word| word == "always") {
        fs::write(root().join(&path), expected).unwrap();
    }
    assert_eq!(read(&path), expected, "{path}");
}

#[test]
fn hooks_mod_and_server_match_the_table() {
    assert_file("claude-code/hooks/hooks.json", &hooks_and_mod());
    let module = new_file(Level::User, "skills/forebay/hooks/forebay.ts");
    assert_file("claude-code/hooks/forebay.ts", &module);
    assert_file("claude-code/.mcp.json", &new_file(Level::Project, ".mcp.json"));
}

/// A plugin of Codex CLI describes its server as Claude Code does; its hooks are those of a project.
#[test]
fn codex_hooks_and_server_match_the_table() {
    assert_file(
        "codex/hooks/hooks.json",
        &new_file_of("codex", Level::Project, ".codex/hooks.json"),
    );
    assert_file("codex/.mcp.json", &codex_server());
}

fn codex_server() -> String {
    let mut servers: Value = serde_json::from_str(&new_file(Level::Project, ".mcp.json")).unwrap();
    // Known to Claude Code only.
    servers["mcpServers"]["forebay"].as_object_mut().unwrap().remove("alwaysLoad");
    serde_json::to_string_pretty(&servers).unwrap() + "\n"
}

#[test]
fn manifests_of_codex_agree() {
    let manifest: Value =
        serde_json::from_str(&read("plugins/codex/.codex-plugin/plugin.json")).unwrap();
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let market: Value = serde_json::from_str(&read(".agents/plugins/marketplace.json")).unwrap();
    let plugin = &market["plugins"][0];
    assert_eq!(plugin["name"], manifest["name"]);
    let folder = root().join(plugin["source"]["path"].as_str().unwrap());
    for key in ["mcpServers", "hooks"] {
        assert!(folder.join(manifest[key].as_str().unwrap()).is_file(), "{key}");
    }
}

#[test]
fn manifests_agree() {
    let manifest: Value =
        serde_json::from_str(&read("plugins/claude-code/.claude-plugin/plugin.json")).unwrap();
    assert_eq!(manifest["name"], "forebay");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let market: Value = serde_json::from_str(&read(".claude-plugin/marketplace.json")).unwrap();
    let plugin = &market["plugins"][0];
    assert_eq!(plugin["name"], manifest["name"]);
    assert_eq!(plugin["description"], manifest["description"]);
    assert!(root().join(plugin["source"].as_str().unwrap()).join(".claude-plugin").is_dir());
}

#[test]
fn commands_have_description_and_tool() {
    for name in ["stats", "doctor", "search"] {
        let text = read(&format!("plugins/claude-code/commands/{name}.md"));
        let head =
            text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap().0;
        assert!(head.lines().any(|line| line.starts_with("description: ")), "{name}");
        assert!(head.contains(&format!("mcp__plugin_forebay_forebay__ctx_{name}")), "{name}");
        assert!(text.contains(&format!("`ctx_{name}`")), "{name}");
    }
}
