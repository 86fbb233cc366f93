//! `forebay doctor` notices agents, servers and shells that do not share one home.

use std::fs;
use std::path::Path;

use crate::env::{TestEnv, finish};
use crate::mcp_client::McpClient;

fn init(env: &TestEnv, agent: &str) {
    finish(env.command(["init", agent, "--yes", "--no-check"]), b"").ok();
}

/// What `doctor` says about homes.
fn homes(env: &TestEnv) -> Vec<String> {
    let data = finish(env.command(["doctor", "--json"]), b"").json();
    let checks = data["checks"].as_array().unwrap().clone();
    let of_homes = checks.iter().filter(|check| check["name"] == "homes");
    of_homes.map(|check| check["finding"].as_str().unwrap().to_owned()).collect()
}

fn contains(findings: &[String], parts: &[&str]) -> bool {
    findings.iter().any(|finding| parts.iter().all(|part| finding.contains(part)))
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn a_server_with_another_data_folder_is_noticed() {
    let env = TestEnv::new();
    init(&env, "codex");
    let config = env.home().join(".codex/config.toml");
    assert!(!contains(&homes(&env), &["Codex"]), "{:?}", homes(&env));
    let args = "args = [\"mcp\"]";
    replace(&config, args, &format!("{args}\nenv = {{ FOREBAY_HOME = \"/elsewhere\" }}"));
    let findings = homes(&env);
    let parts =
        ["Codex CLI's server stores in /elsewhere, this shell in", "Remove FOREBAY_HOME from"];
    assert!(contains(&findings, &parts), "{findings:?}");
    // The same folder by another way is no split.
    replace(&config, "/elsewhere", &env.data().to_string_lossy());
    assert!(!contains(&homes(&env), &["Codex"]), "{:?}", homes(&env));
}

#[test]
fn variables_that_an_agent_sets_for_its_hooks_are_noticed() {
    let env = TestEnv::new();
    init(&env, "claude");
    let settings = env.home().join(".claude/settings.json");
    replace(&settings, "{\n", "{\n  \"env\": { \"FOREBAY_HOME\": \"/elsewhere\" },\n");
    let findings = homes(&env);
    assert!(contains(&findings, &["what Claude Code starts stores in /elsewhere"]), "{findings:?}");
}

#[test]
fn a_server_in_another_machine_is_noticed() {
    let env = TestEnv::new();
    init(&env, "cursor");
    let servers = env.home().join(".cursor/mcp.json");
    replace(&servers, env!("CARGO_BIN_EXE_forebay"), "wsl");
    let findings = homes(&env);
    assert!(contains(&findings, &["Cursor's server is started with wsl"]), "{findings:?}");
}

#[test]
fn a_running_server_with_another_home_is_noticed() {
    if !cfg!(target_os = "linux") {
        forebay_test_support::skip("only Linux tells the environment of a process");
        return;
    }
    let env = TestEnv::new();
    // Not below the folder for temporary files, whose servers are of tests and checks.
    let elsewhere = TestEnv::outside_temp();
    let mut command = env.command(["mcp"]);
    command.env("FOREBAY_HOME", elsewhere.data());
    let mut session = McpClient::initialized(command);
    session.text("ctx_stats", serde_json::json!({}));
    let process = format!("process {} (forebay mcp)", session.process().as_raw_nonzero());
    let findings = homes(&env);
    let place = elsewhere.data().to_string_lossy().into_owned();
    assert!(
        contains(&findings, &[&process, &place, "Set FOREBAY_HOME to one folder"]),
        "{findings:?}"
    );
}

#[test]
fn ssh_and_sudo_are_noticed() {
    let env = TestEnv::new();
    let homes = |name: &str, value: &str| {
        let mut command = env.command(["doctor"]);
        command.env(name, value);
        finish(command, b"").text()
    };
    assert!(homes("SSH_CONNECTION", "10.0.0.1 5 10.0.0.2 22").contains("this shell came over ssh"));
    assert!(homes("SUDO_USER", "alice").contains("Run forebay as alice"));
}
